"""What pages take from a ladder in memory, in a moment: whoever reports to it need not wait for a page.

A sketch is taken while the ladder's lock is held, and does not change with the ladder. The rest of a page is
read from the tables in the state that the sketch is of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, overload

import numpy as np

from podium.arrays import NO_TIME, Ints, Longs
from podium.documents.page_documents import BinsDocument
from podium.history.times import start_of_activity
from podium.ladder.rating_tables import LeaderboardFilters
from podium.pages.about_pages import LEADERS
from podium.pages.board_pages import PLAYERS_PER_PAGE
from podium.pages.compare_pages import SUGGESTED, RatingRange
from podium.pages.ladder_data import (
    INACTIVE,
    PROVISIONAL,
    RANKED,
    BoardShape,
    PageBasis,
    PlayerNow,
    newcomer_display,
    rating_bins,
    shown_digits,
    stays_away,
)
from podium.pages.played_rows import SHOWN_DECIMALS, kept
from podium.pages.rating_reasons import RatingState
from podium.server.ladders.board import EVERYBODY, BoardFilter, Standings
from podium.server.ladders.followed_ladder import FollowedLadder, Look
from podium.server.log.reports import is_free
from podium.server.problems import UnknownPageError
from podium.systems import RatingSystem
from podium.systems.contract.appearances import match_record
from podium.systems.tiers import Tier

MOST_FOUND = 50
"""Players whom a search finds."""
SYSTEMS_REMEMBERED = 1_000


class ShownNames(Sequence[str]):
    """The names of a ladder by number, merged accounts by their own."""

    def __init__(self, look: Look) -> None:
        self._look = look

    def __len__(self) -> int:
        return len(self._look.names)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        return self._look.account_name(number)


@dataclass(frozen=True, slots=True)
class LadderSketch:
    """What every page knows of a ladder."""

    look: Look
    basis: PageBasis
    players: int
    """Players on the board."""
    size: int
    """Numbers that players have had."""

    @classmethod
    def of(cls, live: FollowedLadder) -> LadderSketch:
        """The ladder as far as its log has come now."""
        ladder, look = live.ladder, live.look()
        system = ladder.system
        basis = PageBasis(
            system=system,
            names=ShownNames(look) if look.merged else look.names,
            n_events=ladder.n_events,
            now=ladder.last_event_time,
            filters=_filters(live.filter),
            tiers=look.row.tiers,
            digits=_digits(system),
            newcomer=newcomer_display(system, ladder.state),
        )
        return cls(look, basis, len(live.standings(EVERYBODY)), ladder.state.size)


@lru_cache(maxsize=SYSTEMS_REMEMBERED)
def _digits(system: RatingSystem) -> int:
    return shown_digits(system)


def _filters(chosen: BoardFilter) -> LeaderboardFilters:
    filters: LeaderboardFilters = {"min_events": chosen.min_events}
    filters["active_since"] = chosen.active_since
    if chosen.max_sigma is not None:
        filters["max_sigma"] = chosen.max_sigma
    return filters


# ---------------------------------------------------------------------- players


@dataclass(frozen=True, slots=True)
class PlayerSketch:
    """A player, and what the rating consists of."""

    ladder: LadderSketch
    player: PlayerNow
    state: RatingState
    ranked: int
    """Players who have a place."""


def player_sketch(live: FollowedLadder, number: int) -> PlayerSketch:
    """A player by number, also by that of a merged account; refused if there is none."""
    number = live.look().survivor(number)
    check_player(live, number)
    chosen = live.filter
    standings = live.standings(chosen)
    ladder, place = live.ladder, standings.place_of(number)
    group = RANKED if place is not None else _groups(live, chosen, np.array([number]))[0]
    (player,) = players_now(live, np.array([number]), [place or 0], [group])
    state = RatingState.of(ladder.system, ladder.state, number)
    return PlayerSketch(LadderSketch.of(live), player, state, len(standings))


def check_player(live: FollowedLadder, number: int) -> None:
    """Refuse the number of nobody."""
    state = live.ladder.state
    if (
        not 0 <= number < state.size
        or not state.column("known")[number]
        or is_free(live.ladder.name_of(number))
    ):
        raise UnknownPageError(f"there is no player {number}", hint="the leaderboard lists all players")


def players_now(
    live: FollowedLadder, numbers: Longs, places: list[int], groups: list[int]
) -> list[PlayerNow]:
    """Players by number as the ladder has them, given their places and groups."""
    ladder, state = live.ladder, live.ladder.state
    decimals = _digits(ladder.system) + SHOWN_DECIMALS
    mu, sigma = ladder.system.view(state, numbers, NO_TIME)
    display = kept(ladder.system.display(mu, sigma), decimals)
    bounds = [tier.lower for tier in live.row.tiers]
    columns: tuple[list[Any], ...] = (
        numbers.tolist(),
        [ladder.name_of(number) for number in numbers.tolist()],
        kept(mu, decimals).tolist(),
        [None] * len(numbers) if sigma is None else kept(sigma, decimals).tolist(),
        display.tolist(),
        state["events"][numbers].tolist(),
        state["last_time"][numbers].tolist(),
        (np.searchsorted(bounds, display, "right") - 1).tolist(),
        places,
        groups,
        [match_record(state, number) for number in numbers.tolist()],
    )
    return [PlayerNow._make(player) for player in zip(*columns, strict=True)]


# ---------------------------------------------------------------------- boards


@dataclass(frozen=True, slots=True)
class BoardSketch:
    """A page of the leaderboard."""

    ladder: LadderSketch
    shape: BoardShape
    players: list[PlayerNow]


def board_sketch(live: FollowedLadder, page: int) -> BoardSketch:
    """A page of the leaderboard, counted from 1; behind the last one there is nobody."""
    chosen = live.filter
    standings, everybody = live.standings(chosen), live.standings(EVERYBODY)
    start = (page - 1) * PLAYERS_PER_PAGE
    stop = start + PLAYERS_PER_PAGE
    here = standings.players[start:stop].astype(np.int64)
    players = players_now(live, here, _places(standings, start, len(here)), [RANKED] * len(here))
    unranked = len(everybody) - len(standings)
    provisional = unranked
    if unranked and stop <= len(standings):
        provisional -= _inactive(live, chosen)
    elif unranked:
        rest, groups = _unranked(live, chosen, standings, everybody)
        provisional = int((groups == PROVISIONAL).sum())
        some = slice(max(start - len(standings), 0), max(stop - len(standings), 0))
        numbers = rest[some].astype(np.int64)
        players += players_now(live, numbers, [0] * len(numbers), groups[some].tolist())
    shape = BoardShape(
        groups=(len(standings), provisional, unranked - provisional),
        in_tier=_in_tiers(standings, live.row.tiers),
        distribution=_distribution(standings) if page == 1 and len(standings) else None,
    )
    return BoardSketch(LadderSketch.of(live), shape, players)


def _places(standings: Standings, start: int, count: int) -> list[int]:
    """The places of players who follow each other: equal ratings share one."""
    if not count:
        return []
    places = [standings.place(start)]
    displays = [standings.display(int(player)) for player in standings.players[start : start + count]]
    for position in range(1, count):
        same = displays[position] == displays[position - 1]
        places.append(places[-1] if same else start + position + 1)
    return places


def _unranked(
    live: FollowedLadder, chosen: BoardFilter, standings: Standings, everybody: Standings
) -> tuple[Ints, Ints]:
    """Who has no place, with their groups: the provisional first, each group best first."""
    ranked = np.zeros(live.ladder.state.size, np.bool_)
    ranked[standings.players] = True
    rest = everybody.players[~ranked[everybody.players]]
    groups = np.array(_groups(live, chosen, rest), np.int32)
    order = np.argsort(groups, kind="stable")
    return rest[order], groups[order]


def _groups(live: FollowedLadder, chosen: BoardFilter, unranked: Longs | Ints) -> list[int]:
    """The group of each of these players, who have no place."""
    if chosen.active_since is None:
        return [PROVISIONAL] * len(unranked)
    last_time, events = (live.ladder.state.column(name)[unranked] for name in ("last_time", "events"))
    since = start_of_activity(chosen.active_since, live.ladder.last_event_time)
    away = stays_away(last_time, events, since, chosen.min_events)
    groups: list[int] = np.where(away, INACTIVE, PROVISIONAL).tolist()
    return groups


def _inactive(live: FollowedLadder, chosen: BoardFilter) -> int:
    """How many players are away for too long."""
    if chosen.active_since is None:
        return 0
    state = live.ladder.state
    since = start_of_activity(chosen.active_since, live.ladder.last_event_time)
    away = stays_away(state.column("last_time"), state.column("events"), since, chosen.min_events)
    return int(np.count_nonzero(state.column("known") & away))


def _distribution(standings: Standings) -> BinsDocument:
    """The ratings of the ranked in bins, found in their order: no look at everybody."""
    first, last = (standings.display(int(standings.players[end])) for end in (0, -1))

    def counted(edges: list[float]) -> list[int]:
        above = [standings.at_least(edge) for edge in edges]
        return [high - low for high, low in pairwise(above)]

    return rating_bins(last, first, len(standings), counted)


def _in_tiers(standings: Standings, tiers: Sequence[Tier]) -> list[int]:
    """How many of the ranked are in each tier."""
    above = [*(standings.at_least(tier.lower) for tier in tiers), 0]
    return [low - high for low, high in pairwise(above)]


def leaders(live: FollowedLadder) -> list[str]:
    """Those on top of the board."""
    best = live.standings(live.filter).players[:LEADERS]
    return [live.ladder.name_of(int(number)) for number in best]


# ---------------------------------------------------------------------- comparing


@dataclass(frozen=True, slots=True)
class CompareSketch:
    """What the comparison of players needs."""

    ladder: LadderSketch
    ratings: RatingRange | None
    best: list[str]
    """Those on top of the board."""
    players: dict[str, int]
    """The numbers of all who are named."""
    pair: tuple[tuple[int, int], float] | None
    """Two players, and what the first can expect of a match with the other."""


def compare_sketch(live: FollowedLadder, pair: Sequence[int]) -> CompareSketch:
    """How far ratings are apart, who is on top, and what to expect of two players, if there are two."""
    ladder, state = live.ladder, live.ladder.state
    known = state.column("known")
    mu, sigma = ladder.system.view(state, slice(0, state.size), NO_TIME)
    ratings = RatingRange.of(ladder.system, state, mu[known], None if sigma is None else sigma[known])
    best = live.standings(live.filter).players[: SUGGESTED + 1].tolist()
    met = None
    for number in pair:
        check_player(live, number)
    if len(pair) == 2:
        one, other = pair
        expected = 0.5 if one == other else ladder.expected_score(*map(ladder.name_of, pair))
        met = ((one, other), expected)
    numbers = {ladder.name_of(number): number for number in (*best, *pair)}
    return CompareSketch(LadderSketch.of(live), ratings, list(map(ladder.name_of, best)), numbers, met)


# ---------------------------------------------------------------------- searching


@dataclass(frozen=True, slots=True)
class SearchSketch:
    """Players who were found."""

    ladder: LadderSketch
    players: list[PlayerNow]


def search_sketch(live: FollowedLadder, numbers: Sequence[int], query: str) -> SearchSketch:
    """Players of these numbers, best first; who has the very name of the query comes before them."""
    ladder, chosen = live.ladder, live.filter
    exact = ladder.players.find(query)
    known = ladder.state.column("known")  # not whose only events were void, or did not count
    found = np.array([number for number in numbers if number < len(known) and known[number]], np.int64)
    best: list[int] = []
    if len(found):
        displays = ladder.system.display(*ladder.system.view(ladder.state, found, NO_TIME))
        best = found[np.argsort(-displays, kind="stable")][:MOST_FOUND].tolist()
    if exact is not None and exact < len(known) and known[exact] and not is_free(query):
        best = [exact, *(number for number in best if number != exact)][:MOST_FOUND]
    shown = np.array(best, np.int64)
    standings = live.standings(chosen)
    places = [standings.place_of(number) or 0 for number in best]
    unranked = _groups(live, chosen, shown)
    groups = [RANKED if place else group for place, group in zip(places, unranked, strict=True)]
    players = players_now(live, shown, places, groups) if best else []
    return SearchSketch(LadderSketch.of(live), players)
