"""The pages of a website's tournaments: the list, standings, rounds, and the path of each entrant."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.documents.tournament_documents import tournament_document, tournament_explanation_document
from podium.pages import tournament_views as views
from podium.pages.links import Site
from podium.pages.rendering import render_tournament
from podium.pages.urls import HTML, event_page_names
from podium.tournaments.happenings import score_text

if TYPE_CHECKING:
    from podium.pages.ladder_writing import PageWriter
    from podium.tournaments.tournament import Tournament

MOST_EXPLAINED = 300
"""Entrants up to whom each has a page with explanations; they take time for each one."""

SiteOf = Callable[[str], Site]
"""The site around the page at a path."""


@dataclass(frozen=True)
class SiteTournament:
    """A tournament of a website."""

    slug: str
    """Its name in addresses."""
    value: Tournament


def tournaments_of_files(files: Iterable[Path]) -> list[SiteTournament]:
    """The tournaments that `podium tournament` has saved in these files."""
    from podium.tournaments.tournament import Tournament

    values = [Tournament.load(file) for file in files]
    slugs = event_page_names(value.name for value in values)
    return [SiteTournament(slug, value) for slug, value in zip(slugs, values, strict=True)]


def given_to_ladders(
    tournaments: Sequence[SiteTournament], players: Sequence[Iterable[str]]
) -> list[list[SiteTournament]]:
    """The tournaments of each ladder: each one goes to the first ladder with most of its entrants.

    Args:
        tournaments: The tournaments.
        players: The players of each ladder.
    """
    shares: list[list[SiteTournament]] = [[] for _ in players]
    known = [set(names) for names in players]
    for one in tournaments:
        entrants = one.value.field.entrants.values()
        names = {name for each in entrants for name in (each.player, *each.members)}
        shares[max(range(len(known)), key=lambda i: len(names & known[i]))].append(one)
    return shares


def write_tournaments(writer: PageWriter, tournaments: Sequence[SiteTournament], site: SiteOf) -> None:
    """Write the list, and all pages of each tournament."""
    listed = [
        {
            "slug": one.slug,
            "name": one.value.name,
            "words": views.format_words(str(one.value.format)),
            "created": None,
            "private": False,
        }
        for one in tournaments
    ]
    page = {"tournaments": listed, "at": "tournaments", "suffix": HTML, "may_create": False, "problem": None}
    _put(writer, "tournaments", "tournaments", page, site)
    for one in tournaments:
        _write_one(writer, one, site)


def _write_one(writer: PageWriter, one: SiteTournament, site: SiteOf) -> None:
    document = tournament_document(one.value)
    view = views.tournament_view(document)
    shown = {**document, "slug": one.slug, "private": False, "problem": None, "paired": None}
    always = {
        "tournament": shown,
        "view": view,
        "suffix": HTML,
        "is_live": False,
        "may_run": False,
        "problem": None,
        "score_text": score_text,
    }
    path = f"tournaments/{one.slug}"
    main = {
        **always,
        "at": one.slug,
        "brackets": views.brackets(document, view["names"]),
        "cross": views.cross_table(document),
    }
    writer.page(path, "tournament", document, lambda: render_tournament("tournament", main, site(path)))
    always["at"] = f"../../{one.slug}"
    for each in document["rounds"]:
        page = {**always, "round": each, "seconds": None}
        _put(writer, f"{path}/rounds/{each['number']}", "tournament_round", page, site)
    standings = {row["player"]: row for row in document["standings"]}
    explained = len(document["entrants"]) <= MOST_EXPLAINED
    for number, entrant in enumerate(document["entrants"], 1):
        player = entrant["player"]
        page = {
            **always,
            "player": player,
            "path": views.player_path(document, player),
            "standing": standings.get(player),
            "why": tournament_explanation_document(one.value, player) if explained else None,
        }
        _put(writer, f"{path}/players/{number}", "tournament_path", page, site)


def _put(writer: PageWriter, path: str, template: str, page: Mapping[str, Any], site: SiteOf) -> None:
    """Write a page without a twin: its numbers are those of the tournament."""
    text = render_tournament(template, page, site(path))
    writer.file(f"{path}{HTML}", text.encode("utf-8", "replace"))
