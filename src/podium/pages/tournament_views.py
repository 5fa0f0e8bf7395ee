"""What pages of a tournament show, gathered from its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from podium.charts.svg_bracket import bracket_picture
from podium.documents.tournament_documents import TournamentDocument, TournamentGameDocument
from podium.tournaments.final_places import TIE_BREAKS
from podium.tournaments.happenings import score_text

LARGEST_CROSS_TABLE = 24
"""Entrants up to whom a cross table is shown; a larger one fits no screen."""
PARTS = {"main": "Bracket", "losers": "Losers' bracket", "final": "Final", "third": "Third place"}
TIE_WORDS = {
    "buchholz": "Buchholz (Bhz, the sum of the opponents' points)",
    "sonneborn_berger": "Sonneborn–Berger (SB, the points of opponents beaten, half after a draw)",
    "direct": "the matches among them",
    "wins": "wins",
    "difference": "the difference of scores",
}
FORMAT_WORDS = {
    "evening": "club evening, singles",
    "evening:2v2": "club evening, doubles",
    "evening:tables": "club evening, tables",
    "round-robin": "round robin",
    "round-robin:double": "double round robin",
    "knockout": "knockout",
    "knockout:double": "double knockout",
}


def format_words(form: str) -> str:
    """A format in words.

    >>> format_words("swiss:5"), format_words("evening:2v2")
    ('Swiss, 5 rounds', 'club evening, doubles')
    """
    kind, _, more = form.partition(":")
    if kind == "swiss":
        return f"Swiss, {more} round{'' if more == '1' else 's'}"
    if kind == "groups":
        groups, _, best = more.partition("x")
        return f"{groups} groups, the best {best} of each go to the knockout"
    return FORMAT_WORDS.get(form, form)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """First names where they are enough to tell people apart.

    >>> short_names(["Ann Lee", "Bob Ray", "Bob Kay"])
    {'Ann Lee': 'Ann', 'Bob Ray': 'Bob Ray', 'Bob Kay': 'Bob Kay'}
    """
    whole = list(names)
    first = Counter((name.split() or [name])[0] for name in whole)
    return {name: alone if first[alone := (name.split() or [name])[0]] == 1 else name for name in whole}


def tournament_view(document: TournamentDocument) -> dict[str, Any]:
    """What all pages of a tournament need: who is called what, and which rounds are open."""
    entrants = document["entrants"]
    names = short_names(one["player"] for one in entrants)
    return {
        "names": names,
        "numbers": {one["player"]: number for number, one in enumerate(entrants, 1)},
        "words": format_words(document["format"]),
        "is_evening": document["format"].startswith("evening"),
        "is_knockout": document["format"].startswith("knockout"),
        "needs_winner": bool(document["bracket"]),
        "rounds": document["rounds"],
        "last": document["rounds"][-1] if document["rounds"] else None,
        "boards": {
            (each["number"], game["number"]): rows
            for each in document["rounds"]
            for game in each["games"]
            if (rows := board_rows(document, game))
        },
        "has_scores": any(
            game["points"] is not None and not {*game["points"]} <= {0.0, 0.5, 1.0}
            for each in document["rounds"]
            for game in each["games"]
        ),
        "open": sum(game["points"] is None for each in document["rounds"] for game in each["games"]),
        "ties": [TIE_WORDS[name] for name in TIE_BREAKS.get(document["format"].partition(":")[0], ())],
        "decides": decisive(document),
        "missed": any(
            len(each["byes"])
            + len(each["resting"])
            + sum(len(side) for game in each["games"] for side in game["sides"])
            < len(entrants)
            for each in document["rounds"]
        ),
        "byes": any(row["byes"] for row in document["standings"]) and not document["bracket"],
        "here": [one["player"] for one in entrants if one["here"]],
    }


def decisive(document: TournamentDocument) -> set[str]:
    """The numbers that decide between entrants with equal points somewhere in the standings."""
    ties = TIE_BREAKS.get(document["format"].partition(":")[0], ())
    found = set()
    for row, below in pairwise(document["standings"]):
        if row["points"] == below["points"] and row["place"] < below["place"]:
            values: list[Mapping[str, Any]] = [row, below]
            found |= {*[name for name in ties if values[0][name] != values[1][name]][:1]}
    return found


def board_rows(document: TournamentDocument, game: TournamentGameDocument) -> list[dict[str, Any]]:
    """The boards of a match of two teams with members; nothing for other matches."""
    members = {one["player"]: one["members"] for one in document["entrants"]}
    teams = [members[side[0]] if len(side) == 1 else [] for side in game["sides"]]
    if len(teams) != 2 or not all(teams):
        return []
    found = []
    for number, (first, second) in enumerate(zip(*teams, strict=False), 1):
        points = game["boards"][number - 1] if number <= len(game["boards"]) else None
        score = None if points is None else ":".join(f"{each:g}" for each in points)
        shown = "" if points is None else score_text(points)
        found.append({"number": number, "first": first, "second": second, "score": score, "shown": shown})
    return found


def brackets(document: TournamentDocument, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """The parts of a bracket, each with its title and its picture."""
    found = []
    for part, title in PARTS.items():
        matches = [match for match in document["bracket"] if match["part"] == part]
        if any(name is not None for match in matches for name in match["sides"]):
            found.append((title, bracket_picture(matches, names, title=f"{title} of {document['name']}")))
    return found


def cross_table(document: TournamentDocument) -> list[dict[str, Any]]:
    """A row for each entrant, in the order of the standings: what they scored against each other one.

    Nothing for formats in which more than two sides meet, or in which partners change, and nothing for more
    entrants than a screen has room for.
    """
    rows = document["standings"]
    singles = all(len(side) == 1 for game in _games(document) for side in game["sides"])
    pairs = all(len(game["sides"]) == 2 for game in _games(document))
    if not document["rounds"] or len(rows) > LARGEST_CROSS_TABLE or not (singles and pairs):
        return []
    scored: dict[tuple[str, str], list[str]] = {}
    for game in _games(document):
        if game["points"] is None:
            continue
        for own in (0, 1):
            pair = game["sides"][own][0], game["sides"][1 - own][0]
            ours, theirs = game["points"][own], game["points"][1 - own]
            scored.setdefault(pair, []).append("1" if ours > theirs else "½" if ours == theirs else "0")
    return [
        {
            "row": row,
            "cells": [
                None
                if other["player"] == row["player"]
                else " ".join(scored.get((row["player"], other["player"]), []))
                for other in rows
            ],
        }
        for row in rows
    ]


def _games(document: TournamentDocument) -> list[TournamentGameDocument]:
    return [game for each in document["rounds"] for game in each["games"]]


def player_path(document: TournamentDocument, player: str) -> list[dict[str, Any]]:
    """What a player did in each round: opponents, partners and result, a bye, or sitting out."""
    path = []
    for each in document["rounds"]:
        row: dict[str, Any] = {"round": each["number"], "what": "away", "partners": [], "opponents": []}
        if player in each["byes"]:
            row["what"] = "bye"
        elif player in each["resting"]:
            row["what"] = "rest"
        for game in each["games"]:
            side = next((side for side in game["sides"] if player in side), None)
            if side is None:
                continue
            points, own = game["points"], game["sides"].index(side)
            row |= {
                "what": "open" if points is None else "played",
                "partners": [name for name in side if name != player],
                "opponents": [name for other in game["sides"] if other is not side for name in other],
                "score": None
                if points is None
                else score_text([points[own], *points[:own], *points[own + 1 :]]),
                "result": None if points is None else _result(points, own),
            }
        path.append(row)
    return path


def _result(points: Sequence[float], own: int) -> str:
    best = max(points)
    if points[own] < best:
        return "lost"
    return "won" if points.count(best) == 1 else "drew"
