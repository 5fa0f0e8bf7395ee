"""A match in words: its title, who won, and why each rating moved as it did."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Literal

from podium.pages.page_words import name_html, players_html
from podium.text import chance_words, counted, listed, shorten, shown_gain, write_number

if TYPE_CHECKING:
    from podium.documents.event_page_documents import MatchRowDocument
    from podium.pages.links import Site

_OTHER_SIDE: dict[Literal["first", "second"] | None, Literal["first", "second"] | None] = {
    "first": "second",
    "second": "first",
    None: None,
}
_OTHER_RESULT: dict[Literal["win", "draw", "loss"], Literal["win", "draw", "loss"]] = {
    "win": "loss",
    "draw": "draw",
    "loss": "win",
}
"""The side at home and the result, as the other side sees them."""


def winner_first(row: MatchRowDocument) -> MatchRowDocument:
    """A match with the winner as its first side: scores, chances and changes too."""
    return _other_side_first(row) if row["result"] == "loss" else row


def _other_side_first(row: MatchRowDocument) -> MatchRowDocument:
    return {
        **row,
        "first": row["second"],
        "second": row["first"],
        "result": _OTHER_RESULT[row["result"]],
        "first_score": row["second_score"],
        "second_score": row["first_score"],
        "home": _OTHER_SIDE[row["home"]],
        "win": row["loss"],
        "loss": row["win"],
        "first_before": row["second_before"],
        "first_display": row["second_display"],
        "first_change": row["second_change"],
        "second_before": row["first_before"],
        "second_display": row["first_display"],
        "second_change": row["first_change"],
    }


def outcome(row: MatchRowDocument) -> str:
    """The score of a match, else what its first side did.

    >>> row = {"result": "win", "first_score": 3.0, "second_score": 1.0}
    >>> outcome(row), outcome({**row, "first_score": None}), outcome({"result": "draw", "first_score": None})
    ('3:1', 'beat', 'drew with')
    """
    if row["first_score"] is not None and row["second_score"] is not None:
        return f"{row['first_score']:g}:{row['second_score']:g}"
    return {"win": "beat", "draw": "drew with", "loss": "lost to"}[row["result"]]


def match_title(row: MatchRowDocument) -> str:
    """A match as the title of its page.

    >>> score = {"first_score": 3.0, "second_score": 1.0}
    >>> match_title({"first": ["Vera", "Kim"], "second": ["Hans"], "result": "win", **score})
    'Vera and Kim 3:1 Hans'
    """
    row = winner_first(row)
    first, second = (listed([shorten(name, 40) for name in row[side]]) for side in ("first", "second"))
    return f"{first} {outcome(row)} {second}"


def match_html(site: Site, row: MatchRowDocument) -> str:
    """A match as its title, with links to its players and the winners bold."""
    row = winner_first(row)
    return _bold_winner(row, *(players_html(site, row[side]) for side in ("first", "second")))


def match_link_html(site: Site, row: MatchRowDocument) -> str:
    """The same with one link, to the page of the match."""
    row, address = winner_first(row), site.link.event(row["event"])
    match = _bold_winner(row, *(", ".join(map(name_html, row[side])) for side in ("first", "second")))
    return match if address is None else f'<a href="{escape(address)}">{match}</a>'


def _bold_winner(row: MatchRowDocument, first: str, second: str) -> str:
    return f"{f'<b>{first}</b>' if row['result'] == 'win' else first} {outcome(row)} {second}"


def reasons(row: MatchRowDocument, digits: int) -> list[str]:
    """Why each side's rating moved as it did, the winners first.

    >>> chances = {"win": 0.42, "draw": 0.07, "loss": 0.51}
    >>> ratings = {"first_before": 1500.0, "first_display": 1558.0, "first_change": 58.0,
    ...            "second_before": 1530.0, "second_display": 1480.0, "second_change": -50.0}
    >>> row = {"first": ["vera"], "second": ["hans"], "result": "win", "home": None,
    ...        "first_score": None, "second_score": None, **chances, **ratings}
    >>> for sentence in reasons(row, 0):
    ...     print(sentence)
    vera had a chance of 42% to win and of 7% to draw, so winning gained 58 points.
    hans had a chance of 51% to win and of 7% to draw, so losing cost 50 points.
    """
    row = winner_first(row)
    return [_reason(row, digits), _reason(_other_side_first(row), digits)]


def form_html(form: Sequence[Literal["win", "draw", "loss"]]) -> str:
    """The latest matches as letters, the latest last.

    >>> form_html(["win", "loss"])
    '<span class="won">W</span><span class="lost">L</span>'
    """
    marks = {
        "win": '<span class="won">W</span>',
        "draw": "<span>D</span>",
        "loss": '<span class="lost">L</span>',
    }
    return "".join(marks[one] for one in form)


def _reason(row: MatchRowDocument, digits: int) -> str:
    """Why the rating of the first side moved."""
    players = row["first"]
    single = len(players) == 1
    # The change of one player is what lies between the ratings in the table; teams show a mean.
    before, after = (row["first_before"], row["first_display"]) if single else (0.0, row["first_change"])
    gain = shown_gain(before, after, digits)
    chances = f"{chance_words(row['win'])} to win"
    if row["draw"]:
        chances += f" and of {chance_words(row['draw'])} to draw"
    did = {"win": "winning", "draw": "the draw", "loss": "losing"}[row["result"]]
    who = listed([shorten(name, 40) for name in players])
    points = counted(1, "point") if abs(gain) == 1 else f"{write_number(abs(gain), f',.{digits}f')} points"
    moved = f"{'gained' if gain > 0 else 'cost'} {points}" if gain else "left the rating as it was"
    if gain and not single:
        moved += " on average"
    return f"{who} had a chance of {chances}, so {did} {moved}."
