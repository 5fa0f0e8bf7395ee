"""Documents in, HTML out: one function per kind of page. Templates arrange what documents say.

Only this module needs Jinja2. Everything is escaped by default; what is HTML already comes from `page_words`
and from the writer of pictures, which escape what they are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from podium.charts.svg_pictures import chance_bar, interval_bar, spark_line
from podium.documents.arena_documents import ArenaDocument, ArenaPlayerDocument
from podium.documents.event_page_documents import (
    AboutPageDocument,
    AllTimePageDocument,
    EventListDocument,
    EventPageDocument,
    LadderListDocument,
    MatchesPageDocument,
    SeasonsPageDocument,
)
from podium.documents.page_documents import (
    BoardGroup,
    BoardRowDocument,
    ComparePageDocument,
    LeaderboardPageDocument,
    PlayerPageDocument,
    SearchPageDocument,
    TierDocument,
    tier_document,
)
from podium.documents.publishing_documents import ContestDocument
from podium.documents.service_documents import LoggedEventDocument, ProblemDocument
from podium.errors import ParameterError
from podium.pages import match_words, page_pictures, page_words, shared_texts
from podium.pages.links import Download, Site
from podium.presets import PRESETS
from podium.systems.tiers import Tier, tier_number
from podium.text import chance_words, counted, percent, shown_gain, write_number

if TYPE_CHECKING:
    from jinja2 import Environment

GROUP_TITLES: dict[BoardGroup, str] = {
    "ranked": "Ranked",
    "provisional": "Not ranked yet",
    "inactive": "Inactive",
}
"""Groups of the leaderboard as headings."""


def render_leaderboard(document: LeaderboardPageDocument, site: Site) -> str:
    """A page of the leaderboard."""
    groups = [
        (group, GROUP_TITLES[group], list(rows))
        for group, rows in groupby(document["rows"], key=lambda row: row["group"])
    ]
    bins = document["distribution"]
    return _rendered(
        "leaderboard",
        site,
        document,
        groups=groups,
        summary=shared_texts.board_summary(document, site.digits) if document["page"] == 1 else "",
        text=shared_texts.board_text(document, site.ladder or site.title, site.digits)
        if document["page"] == 1 and document["ranked"]
        else "",
        only_matches=all(map(_played_only_matches, document["rows"])),
        colours=_colours(document["tiers"]),
        distribution=page_pictures.distribution_picture(bins, document["tiers"]) if bins else "",
        numbers=page_words.page_numbers(document["page"], document["pages"]),
    )


def _played_only_matches(row: BoardRowDocument) -> bool:
    """Whether wins, draws and losses are all rated events of a player."""
    record = row["record"]
    return row["events"] == (record["wins"] + record["draws"] + record["losses"] if record else 0)


def render_player(document: PlayerPageDocument, site: Site) -> str:
    """The page of a player."""
    why, history = document["why"], page_pictures.history_picture(document, site.digits)
    return _rendered(
        "player",
        site,
        document,
        summary=shared_texts.player_summary(document, site.digits),
        history=history,
        caption=page_pictures.history_caption(document, history),
        places=page_pictures.place_picture(document),
        bars=page_pictures.why_picture(why, document["player"], site.digits) if why else "",
    )


def render_players(documents: Sequence[PlayerPageDocument], moved: Sequence[str], site: Site) -> str:
    """One page of several players with few events; `moved` are those who have a page alone by now."""
    return _rendered("players", site, {"players": documents, "moved": moved})


def render_event(document: EventPageDocument, site: Site) -> str:
    """A page of an event."""
    return _rendered(
        "event",
        site,
        document,
        summary=shared_texts.event_summary(document, site.digits),
        picture=page_pictures.standings_picture(document),
        colours=_colours(document["tiers"]),
        numbers=page_words.page_numbers(document["page"], document["pages"]),
    )


def render_events(document: EventListDocument, site: Site, *, listed: str = "event") -> str:
    """A page of the list of events; `listed` is what is counted there."""
    numbers = page_words.page_numbers(document["page"], document["pages"])
    return _rendered("events", site, document, numbers=numbers, listed=listed)


def render_all_time(document: AllTimePageDocument, site: Site) -> str:
    """The page of the highest ratings ever."""
    return _rendered("all_time", site, document)


def render_seasons(document: SeasonsPageDocument, site: Site) -> str:
    """The page of past seasons."""
    return _rendered("seasons", site, document)


def render_matches(document: MatchesPageDocument, site: Site) -> str:
    """The page of recent matches."""
    return _rendered("matches", site, document)


def render_compare(document: ComparePageDocument, site: Site) -> str:
    """The page on which a script compares players; without it, a service compares a pair."""
    return _rendered("compare", site, document)


def render_search(document: SearchPageDocument, site: Site) -> str:
    """The page of players whom a service has found."""
    return _rendered("search", site, document)


def render_entry(document: LoggedEventDocument, site: Site) -> str:
    """An entry of a service's log that rated nobody."""
    return _rendered("entry", site, document)


def render_admin(page: Mapping[str, Any], site: Site) -> str:
    """The forms by which people report to a service."""
    return _rendered("admin", site, page)


def render_settings(page: Mapping[str, Any], site: Site) -> str:
    """The form of a ladder's settings."""
    return _rendered("settings", site, page)


def render_confirmation(page: Mapping[str, Any], site: Site) -> str:
    """What a form would change, with a button that records it."""
    return _rendered("confirmation", site, page)


def render_import(page: Mapping[str, Any], site: Site) -> str:
    """The form for a file, or how a file is read and what it would give."""
    return _rendered("import", site, page)


def render_tournament(name: str, page: Mapping[str, Any], site: Site) -> str:
    """A page of tournaments, by the name of its template."""
    return _rendered(name, site, page)


def render_changes(
    document: ContestDocument, *, expected: str, digits: int, tiers: Sequence[Tier] = (), players: str = ""
) -> str:
    """A contest's changes as one page that loads nothing.

    `expected` says what is expected of a row. `players` is the URL of a player's page, with ``{player}`` for
    the name.
    """
    shown = [tier_document(tier) for tier in tiers]
    assets = files("podium.pages") / "assets"
    parts = {
        "title": document["title"].rsplit(", ", 1)[0] if document["time"] else document["title"],
        "style": (assets / "site.css").read_text(encoding="utf-8"),
        "script": (assets / "site.js").read_text(encoding="utf-8"),
        "expected": expected,
        "digits": digits,
        "tiers": shown,
        "tier_of": lambda display: shown[number] if (number := tier_number(tiers, display)) >= 0 else None,
        "address": lambda player: players.replace("{player}", quote(player, safe="")),
        "matches": all(row["result"] is not None for row in document["changes"]),
        "performances": any(row["performance"] is not None for row in document["changes"]),
    }
    return _environment().get_template("changes.html").render(page=document, **parts)


def render_refusal(document: ProblemDocument, site: Site) -> str:
    """Why a service shows no page."""
    return _rendered("refusal", site, document)


def render_about(document: AboutPageDocument, downloads: Sequence[Download], site: Site) -> str:
    """The page about a ladder."""
    quality = document["quality"]
    picture = page_pictures.calibration_picture(quality) if quality and quality["bins"] else ""
    return _rendered("about", site, document, downloads=downloads, picture=picture, presets=PRESETS)


def render_ladders(
    document: LadderListDocument,
    addresses: Sequence[str],
    site: Site,
    more: str | None = None,
    csrf: str | None = None,
) -> str:
    """The front page of a site of several ladders; `addresses` are those of their leaderboards, in order.

    `more` is the address of further ladders, if there are any. With `csrf` there is a form for a new ladder.
    """
    ladders = list(zip(document["ladders"], addresses, strict=True))
    return _rendered("ladders", site, document, ladders=ladders, more=more, csrf=csrf)


def render_arena(
    document: ArenaDocument, site: Site, checks: Sequence[str] = (), downloads: Sequence[Download] = ()
) -> str:
    """The board of an arena; one of a website stands alone, and one of a service belongs to a ladder."""
    rows = document["strengths"]
    ends = [end for row in rows for end in (row["low"], row["high"])]
    return _rendered(
        "arena",
        site,
        document,
        about=page_words.ABOUT_STRENGTHS,
        checks=checks,
        downloads=downloads,
        least=min(ends),
        most=max(ends),
    )


def render_arena_player(document: ArenaPlayerDocument, level: float, site: Site) -> str:
    """The page of a player of an arena, whose intervals are of a level."""
    return _rendered("arena_player", site, document, level=level)


def load_templates() -> None:
    """Compile the templates now, for whoever has time before the first page."""
    for name in _environment().list_templates():
        _environment().get_template(name)


def templates_beside(package: str) -> Environment:
    """The templates of another package, which may extend those of this one."""
    from jinja2 import ChoiceLoader, PackageLoader

    here = _environment()
    assert here.loader is not None
    return here.overlay(loader=ChoiceLoader([PackageLoader(package), here.loader]))


def _colours(tiers: Sequence[TierDocument]) -> dict[str, str]:
    return {tier["name"]: tier["colour"] for tier in tiers}


def _rendered(name: str, site: Site, document: Any, **parts: Any) -> str:
    """A page; `site` has functions of its own in a template, which know where its pages are."""
    return _environment().get_template(f"{name}.html").render(site=site, page=document, **parts)


@cache
def _environment() -> Environment:
    """The templates, compiled once in a process."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise ParameterError(
            "a website needs Jinja2, which is not installed", hint="pip install 'podium[site]'"
        ) from error

    class Documents(Environment):
        """Templates whose dots mean keys, as they mostly do: Jinja would look for an attribute first."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            try:
                if type(obj) is dict:
                    return obj[attribute]
            except KeyError:
                return self.undefined(obj=obj, name=attribute)
            return super().getattr(obj, attribute)

    def html(function: Callable[..., str]) -> Callable[..., Markup]:
        return lambda *given: Markup(function(*given))

    environment = Documents(
        loader=PackageLoader("podium.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {
        "players_html": html(page_words.players_html),
        "event_html": html(page_words.event_html),
        "adjustment_title": page_words.adjustment_title,
        "event_title": page_words.event_title,
        "own_name": page_words.own_name,
        "event_and_day_html": html(page_words.event_and_day_html),
        "all_called_by_day": page_words.all_called_by_day,
        "chance_bar": html(chance_bar),
        "interval_bar": html(interval_bar),
        "winner_first": match_words.winner_first,
        "match_title": match_words.match_title,
        "match_html": html(match_words.match_html),
        "match_link_html": html(match_words.match_link_html),
        "reasons": match_words.reasons,
    }
    environment.filters |= {
        "number": lambda value, digits=0: write_number(value, f",.{digits}f"),
        "shown_gain": lambda after, before, digits: shown_gain(before, after, digits),
        "rating": lambda value, digits: write_number(value, f".{digits}f"),
        "counted": counted,
        "adjusted": page_words.adjusted_words,
        "sentence": page_words.sentence,
        "percent": percent,
        "chance": chance_words,
        "parameter": page_words.parameter_text,
        "size": page_words.file_size,
        "gain": html(page_words.gain_html),
        "form": html(match_words.form_html),
        "day": html(page_words.day_html),
        "name": html(page_words.name_html),
        "spark": html(spark_line),
        "swatch": html(page_words.swatch_html),
        "picture": Markup,
    }
    return environment
