"""What stands out of a player's results: the best and the worst, streaks, and opponents met often."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal

import numpy as np

from podium.documents.page_documents import HighlightDocument, OpponentDocument, StreakDocument
from podium.pages.player_results import PlayerResults
from podium.text import percent, write_number

MOST_HIGHLIGHTS = 3
"""Results of each kind that stand out."""
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
PODIUM_RANK = 3
LEAST_STREAK = 2

Highlight = Literal["gain", "loss", "rank", "upset"]


def highlights(results: PlayerResults) -> list[HighlightDocument]:
    """The largest gains and losses, the best ranks and the least expected successes, each kind best first.

    There are at most as many of a kind as a third of the results; nothing stands out of one or two.
    """
    counted = results.counted
    most = min(MOST_HIGHLIGHTS, len(counted) // 3)
    if not most:
        return []
    change, rank, sides, surprise = results.change, results.rank, results.sides, results.surprise
    form = f"+.{results.data.digits}f"

    def first(chosen: Iterable[int], key: Callable[[int], float | tuple[float, ...]]) -> list[int]:
        return sorted(chosen, key=key)[:most]

    found: list[tuple[Highlight, str, int]] = []
    for i in first((i for i in counted if change[i] > 0), lambda i: -change[i]):
        found.append(("gain", write_number(change[i], form), i))
    for i in first((i for i in counted if change[i] < 0), lambda i: change[i]):
        found.append(("loss", write_number(change[i], form), i))
    for i in first((i for i in counted if sides[i] > 2), lambda i: (rank[i], -sides[i])):
        found.append(("rank", results.words(i, None), i))
    for i in first((i for i in counted if surprise[i] > 0), lambda i: -surprise[i]):
        found.append(("upset", upset_words(results, i), i))
    return [{"what": what, "words": words, "result": results.brief(i)} for what, words, i in found]


def upset_words(results: PlayerResults, position: int) -> str:
    """What was expected of a result that was better than that."""
    if results.sides[position] == 2:
        return f"{percent(float(results.played.expected[results.rows[position]]))} expected"
    return f"rank {results.rank[position]:,}, {results.expected_rank[position]:.1f} expected"


def streaks(results: PlayerResults) -> list[StreakDocument]:
    """The longest runs of wins, podiums and gains, and the present ones; none shorter than two."""
    won = [match_won(results, i) for i in range(len(results))]
    several = any(sides > PODIUM_RANK for sides in results.sides)
    kinds: list[tuple[Literal["wins", "podiums", "gains"], list[int], list[bool]]] = []
    everything = list(range(len(results)))
    kinds.append(("wins", everything, won))
    if several:
        kinds.append(("podiums", everything, [rank <= PODIUM_RANK for rank in results.rank]))
    counted = results.counted
    kinds.append(("gains", counted, [results.change[i] > 0 for i in counted]))
    found = (_streak(results, what, positions, holds) for what, positions, holds in kinds)
    return [streak for streak in found if streak is not None]


def match_won(results: PlayerResults, position: int) -> bool:
    """Whether a result is a win: rank 1, and in an event of two sides no draw."""
    if results.rank[position] != 1:
        return False
    return results.sides[position] != 2 or float(results.played.score[results.rows[position]]) > 0.5


def _streak(
    results: PlayerResults,
    what: Literal["wins", "podiums", "gains"],
    positions: Sequence[int],
    holds: Sequence[bool],
) -> StreakDocument | None:
    longest = start = end = current = 0
    number = 0
    for held, group in groupby(holds):
        length = sum(1 for _ in group)
        if held and length > longest:
            longest, start, end = length, positions[number], positions[number + length - 1]
        number += length
        current = length if held else 0
    if longest < LEAST_STREAK:
        return None
    first, last = results.event[start], results.event[end]
    times = results.played.times
    when = "" if times[first] is None else f", from {_day(times[first])} to {_day(times[last])}"
    now = f"; {current:,} now" if current >= LEAST_STREAK else ""
    return {
        "what": what,
        "longest": longest,
        "first_event": first + 1,
        "last_event": last + 1,
        "current": current,
        "words": f"{longest:,} {what} in a row{when}{now}",
    }


def _day(time: str | None) -> str:
    """The day of a time."""
    return "" if time is None else time[:10]


def opponents(results: PlayerResults) -> tuple[list[OpponentDocument], str | None]:
    """The record against those met most often, and who counts as met if not everybody does."""
    played, rows = results.played, results.rows
    rule = OPPONENTS_RULE if any(sides > LARGE_EVENT for sides in results.sides) else None
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
            "player": results.data.names[who[i]],
            "met": int(count[i]),
            "wins": int(wins[i]),
            "draws": int(draws[i]),
            "losses": int(count[i] - wins[i] - draws[i]),
        }
        for i in often.tolist()
    ], rule
