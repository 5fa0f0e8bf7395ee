"""The page of a player, with records and streaks, and what a comparison of players needs of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal

from podium.documents.page_documents import (
    ComparedPlayerDocument,
    HighlightDocument,
    HistoryColumnsDocument,
    MarkDocument,
    MetEventsDocument,
    MomentDocument,
    PlayerPageDocument,
    StreakDocument,
    tier_document,
)
from podium.pages.board_pages import missing_to_be_ranked, record_document
from podium.pages.ladder_data import PageBasis, PlayerNow, plain_moment
from podium.pages.played_rows import PlayedRows
from podium.pages.player_results import PlayerResults
from podium.pages.rating_reasons import RatingState, rating_reasons
from podium.text import chance_words, counted, listed, rank_words, rounded_gain

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
    return f"{placed}, expected {results.expected_rank(position):.1f}"


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
    now = f" ({current:,} now)" if current >= LEAST_STREAK else ""
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


MOST_RESULTS = 100
"""Results that a page lists one by one; pictures show all of them."""


def player_page(
    data: PageBasis,
    player: PlayerNow,
    results: PlayerResults | None,
    state: RatingState,
    marks: list[MarkDocument],
) -> PlayerPageDocument:
    """The page of a player; `marks` is what the next event could reach."""
    tier = player.tier
    shown = 0 if results is None else min(len(results), MOST_RESULTS)
    missing = missing_to_be_ranked(data, player, activity=False)
    least = max(data.filters.get("min_events", 1), 1)
    first_time, last_time = None, plain_moment(player.last_time)
    if results is not None and results.counted:  # a rating set later is no event
        first_time, last_time = (results.time[results.counted[end]] for end in (0, -1))
    return {
        "player": player.name,
        "mu": player.mu,
        "sigma": player.sigma,
        "display": player.display,
        "events": player.events,
        "record": record_document(player.record),
        "first_time": first_time,
        "last_time": last_time,
        "tier": None if tier < 0 else tier_document(data.tiers[tier]),
        "next_tier": tier_document(data.tiers[tier + 1]) if tier + 1 < len(data.tiers) else None,
        "missing": listed(missing) if missing else None,
        "place": None,
        "ranked": None,
        "peak": _peak(results),
        "best_place": _best_place(results),
        "place_rule": f"among players with at least {counted(least, 'rated event')} by then",
        "tiers": [tier_document(one) for one in data.tiers],
        "history": _NOTHING_KNOWN if results is None else results.columns(),
        "results": []
        if results is None
        else [results.document(len(results) - 1 - number) for number in range(shown)],
        "earlier_results": 0 if results is None else len(results) - shown,
        "older_results": 0 if results is None else results.older,
        "highlights": [] if results is None else highlights(results, data.digits),
        "opponents": [] if results is None else results.opponents,
        "opponents_rule": None if results is None else results.opponents_rule,
        "streaks": [] if results is None else streaks(results),
        "marks": marks,
        "why": rating_reasons(data, player, results, state),
    }


_NOTHING_KNOWN: HistoryColumnsDocument = {
    "event": [],
    "name": [],
    "time": [],
    "adjustment": [],
    "rank": [],
    "sides": [],
    "rated": [],
    "display": [],
    "sigma": None,
    "low": None,
    "high": None,
    "performance": None,
    "place": [],
}


def _peak(results: PlayerResults | None) -> MomentDocument | None:
    """When the rating was highest; the first time of several."""
    if results is None or not (moves := results.moves):
        return None
    return results.moment(max(moves, key=lambda i: results.display[i]))


def _best_place(results: PlayerResults | None) -> MomentDocument | None:
    """When the place was best; the first time of several."""
    if results is None or not (placed := [i for i, place in enumerate(results.place) if place]):
        return None
    return results.moment(min(placed, key=lambda i: results.place[i]))


def compared_player(
    player: str,
    history: HistoryColumnsDocument,
    met: MetEventsDocument | None = None,
    own: Sequence[int] = (),
) -> ComparedPlayerDocument:
    """What the comparison of players draws of one of them, of whose page the history is.

    `own` are the teams of the player's own account in its events, if there are teams.
    """
    sides = iter(own)
    return {
        "player": player,
        "event": history["event"],
        "time": history["time"],
        "display": history["display"],
        "sigma": history["sigma"],
        "rank": history["rank"],
        "side": [None if rank is None else next(sides) for rank in history["rank"]] if own else None,
        "duel": [int(sides == 2) for sides in history["sides"]],
        "met": met,
    }


def compared_on_site(
    played: PlayedRows | None, player: int, page: PlayerPageDocument
) -> ComparedPlayerDocument:
    """The same of a player, given by number, of a website, whose script looks for meetings itself."""
    if played is None:
        return compared_player(page["player"], page["history"], {"event": [], "rank": [], "side": None})
    (rows, _), side = played.results_of(player), played.history.side
    met: MetEventsDocument = {
        "event": (played.event[rows] + 1).tolist(),
        "rank": played.history.rank[rows].tolist(),
        "side": None if side is None else side[rows].tolist(),
    }
    own = () if side is None else side[played.rows_of(player)].tolist()
    return compared_player(page["player"], page["history"], met, own)
