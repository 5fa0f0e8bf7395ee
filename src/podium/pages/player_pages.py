"""The page of a player, and what the comparison of players needs of each."""

from __future__ import annotations

from collections.abc import Sequence

from podium.documents.page_documents import (
    ComparedPlayerDocument,
    HistoryColumnsDocument,
    MarkDocument,
    MetEventsDocument,
    MomentDocument,
    PlayerPageDocument,
)
from podium.pages.board_pages import missing_to_be_ranked
from podium.pages.ladder_data import PageBasis, PlayerNow, plain_moment, tier_document
from podium.pages.played_rows import PlayedRows
from podium.pages.player_records import highlights, streaks
from podium.pages.player_results import PlayerResults
from podium.pages.rating_reasons import RatingState, rating_reasons
from podium.text import counted, listed

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
    return {
        "player": player.name,
        "mu": player.mu,
        "sigma": player.sigma,
        "display": player.display,
        "events": player.events,
        "first_time": results.time[results.counted[0]] if results is not None and results.counted else None,
        "last_time": plain_moment(player.last_time),
        "tier": None if tier < 0 else tier_document(data.tiers[tier]),
        "next_tier": tier_document(data.tiers[tier + 1]) if tier + 1 < len(data.tiers) else None,
        "missing": listed(missing) if missing else None,
        "place": None,
        "ranked": None,
        "peak": _peak(results),
        "best_place": _best_place(results),
        "place_rule": f"among players with at least {counted(least, 'rated event')} until then",
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
