"""The opponents whom a player met most often, and the record against each."""

from __future__ import annotations

import numpy as np

from podium.arrays import Longs
from podium.documents.page_documents import OpponentDocument
from podium.pages.ladder_data import PageBasis
from podium.pages.played_rows import PlayedRows

MOST_OPPONENTS = 10
LEAST_MEETINGS = 2
LARGE_EVENT = 50
"""Sides of an event above which not everybody counts as met."""
NEIGHBOURS = 25
"""In a large event those count as met who are so many places before or behind, or fewer."""
OPPONENTS_RULE = (
    f"Of an event of more than {LARGE_EVENT} sides, those count who were at most {NEIGHBOURS} lines of its "
    "standings away."
)


def opponents(data: PageBasis, played: PlayedRows, rows: Longs) -> tuple[list[OpponentDocument], str | None]:
    """The record of a player, who has these rows, against those met most often.

    Beside it, who counts as met if not everybody does.
    """
    rule = OPPONENTS_RULE if (played.sides[played.event[rows]] > LARGE_EVENT).any() else None
    if len(rows) < LEAST_MEETINGS:
        return [], rule
    history = played.history
    events = played.event[rows]
    first, last = history.offsets[events], history.offsets[events + 1]
    large = played.sides[events] > LARGE_EVENT
    here = played.standing[rows]
    first = np.where(large, np.maximum(first, here - NEIGHBOURS), first)
    last = np.where(large, np.minimum(last, here + NEIGHBOURS + 1), last)
    sizes = last - first
    own = np.repeat(rows, sizes)
    met = played.by_rank[np.arange(len(own)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)]
    apart = met != own if history.side is None else history.side[met] != history.side[own]
    own, met = own[apart], met[apart]
    who, number = np.unique(played.shown[met], return_inverse=True)
    count = np.bincount(number)
    often = np.argsort(-count, kind="stable")[:MOST_OPPONENTS]
    often = often[count[often] >= LEAST_MEETINGS]
    if not len(often):
        return [], rule
    ahead = np.sign(history.rank[met] - history.rank[own])
    wins = np.bincount(number[ahead > 0], minlength=len(who))
    draws = np.bincount(number[ahead == 0], minlength=len(who))
    return [
        {
            "player": data.names[int(who[i])],
            "met": int(count[i]),
            "wins": int(wins[i]),
            "draws": int(draws[i]),
            "losses": int(count[i] - wins[i] - draws[i]),
        }
        for i in often.tolist()
    ], rule
