"""What stands out of a player's results: the best and the worst, and streaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal

from podium.documents.page_documents import HighlightDocument, StreakDocument
from podium.pages.player_results import PlayerResults
from podium.text import chance_words, rank_words, rounded_gain

MOST_HIGHLIGHTS = 3
"""Results of each kind that stand out."""
PODIUM_RANK = 3
LEAST_STREAK = 2

Highlight = Literal["gain", "loss", "rank", "upset"]


def highlights(results: PlayerResults, digits: int) -> list[HighlightDocument]:
    """The largest gains and losses, the best ranks and the least expected successes, each kind best first.

    There are at most as many of a kind as a third of the results; nothing stands out of one or two.
    """
    counted = results.counted
    most = min(MOST_HIGHLIGHTS, len(counted) // 3)
    if not most:
        return []
    change, rank, sides = results.change, results.rank, results.sides

    def gain(i: int) -> str:
        return rounded_gain(0.0, change[i], digits)  # its two ratings are not beside it

    def first(chosen: Iterable[int], key: Callable[[int], float | tuple[float, ...]]) -> list[int]:
        return sorted(chosen, key=key)[:most]

    found: list[tuple[Highlight, str, int]] = []
    for i in first((i for i in counted if change[i] > 0), lambda i: -change[i]):
        found.append(("gain", gain(i), i))
    for i in first((i for i in counted if change[i] < 0), lambda i: change[i]):
        found.append(("loss", gain(i), i))
    for i in first((i for i in counted if sides[i] > 2), lambda i: (rank[i], -sides[i])):
        found.append(("rank", results.words(i, None), i))
    for i in first((i for i in counted if results.surprise(i) > 0), lambda i: -results.surprise(i)):
        found.append(("upset", upset_words(results, i), i))
    return [{"what": what, "words": words, "result": results.brief(i)} for what, words, i in found]


def upset_words(results: PlayerResults, position: int) -> str:
    """What was expected of a result that was better than that."""
    if results.sides[position] == 2:
        return f"{chance_words(results.expected[position] or 0.0)} expected"
    sides, score = results.sides[position], results.score[position]
    mean_place = None if score is None else 1.0 + (sides - 1) * (1.0 - score)
    placed = rank_words(results.rank[position], sides, mean_place=mean_place)
    return f"{placed}, {results.expected_rank(position):.1f} expected"


def streaks(results: PlayerResults) -> list[StreakDocument]:
    """The longest runs of wins, podiums and gains, and the present ones; none shorter than two.

    Only results that counted for the rating do here. A podium is one of the first three ranks of more than
    three sides; smaller events neither make nor end such a run.
    """
    counted = results.counted
    contests = [i for i in counted if results.sides[i] > PODIUM_RANK]  # else the last one is on it too
    kinds: list[tuple[Literal["wins", "podiums", "gains"], list[int], list[bool]]] = []
    kinds.append(("wins", counted, [match_won(results, i) for i in counted]))
    kinds.append(("podiums", contests, [results.rank[i] <= PODIUM_RANK for i in contests]))
    kinds.append(("gains", counted, [results.change[i] > 0 for i in counted]))
    found = (_streak(results, what, positions, holds) for what, positions, holds in kinds)
    return [streak for streak in found if streak is not None]


def match_won(results: PlayerResults, position: int) -> bool:
    """Whether a result is a win: rank 1, or of two sides the better one."""
    if results.sides[position] == 2:
        return (results.score[position] or 0.0) > 0.5
    return results.rank[position] == 1


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
    first, last = results.time[start], results.time[end]
    when = "" if first is None else f", from {_day(first)} to {_day(last)}"
    now = f"; {current:,} now" if current >= LEAST_STREAK else ""
    return {
        "what": what,
        "longest": longest,
        "first_event": results.number[start],
        "last_event": results.number[end],
        "current": current,
        "words": f"{longest:,} {what} in a row{when}{now}",
    }


def _day(time: str | None) -> str:
    """The day of a time."""
    return "" if time is None else time[:10]
