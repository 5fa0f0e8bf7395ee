"""What pages show of a ladder: the records that they are made of, and where a website takes them from.

A page is made of small records: `PageBasis`, what all pages of a ladder know; `PlayerNow`, a player as the
ladder has it now; `BoardShape`, how many players are where on the board. A website fills them from columns of
everybody, gathered once in `LadderData`: pages are then made one by one, in any order and in any process. A
service fills them from memory and from its tables, for one page at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.documents.page_documents import BinsDocument, BoardGroup
from podium.errors import ParameterError
from podium.history.times import start_of_activity, to_iso
from podium.ladder.bulk import Run
from podium.ladder.ladder import Ladder
from podium.ladder.rating_tables import LeaderboardFilters, placed_ratings, settled_filters
from podium.pages.played_rows import SHOWN_DECIMALS, PlayedRows, kept
from podium.systems import RatingSystem, State
from podium.systems.contract.appearances import MatchRecord, match_record
from podium.systems.tiers import Tier

GROUPS: tuple[BoardGroup, ...] = ("ranked", "provisional", "inactive")
RANKED, PROVISIONAL, INACTIVE = range(len(GROUPS))
"""Groups of a leaderboard, as numbers of `GROUPS`."""
MIN_EVENTS = 5
"""Events after which a rating is worth a place."""


def stays_away(last_time: Longs, events: Ints, since: int, min_events: int) -> Bools:
    """Which of players without a place are away. One who waits for the first rated event is not."""
    away: Bools = (last_time < since) & ((last_time != NO_TIME) | (events >= min_events))
    return away


class PlayerNow(NamedTuple):
    """A player as the ladder has it now; ratings are rounded as documents show them."""

    number: int
    name: str
    mu: float
    sigma: float | None
    display: float
    events: int
    last_time: int
    tier: int
    """Number of the tier; −1 if below all of them."""
    place: int
    """0 for those who have none."""
    group: int
    record: MatchRecord | None
    """None where there are no matches, or they were not counted."""


class BoardShape(NamedTuple):
    """How many players are where on the leaderboard."""

    groups: Sequence[int]
    """Players of each of `GROUPS`."""
    in_tier: Sequence[int]
    """Ranked players of each tier."""
    distribution: BinsDocument | None
    """How the ratings of the ranked are spread; None if there are none."""

    @property
    def players(self) -> int:
        """Everybody who is on the board."""
        return sum(self.groups)


@dataclass(frozen=True)
class PageBasis:
    """What all pages of a ladder know."""

    system: RatingSystem
    names: Sequence[str]
    """By number."""
    n_events: int
    now: int
    """Time of the last event in microseconds; `NO_TIME` if there is none."""
    filters: LeaderboardFilters
    tiers: tuple[Tier, ...]
    digits: int
    """Decimals of ratings on pages."""
    newcomer: float
    """The displayed rating of who has not played yet."""

    @property
    def decimals(self) -> int:
        """Decimals of ratings in documents."""
        return self.digits + SHOWN_DECIMALS

    @property
    def has_times(self) -> bool:
        """Whether events have times."""
        return self.now != NO_TIME

    @property
    def has_sigma(self) -> bool:
        """Whether ratings have deviations."""
        return self.system.has_sigma

    def rating_text(self, value: float) -> str:
        """A rating as pages write it."""
        return f"{value:.{self.digits}f}"


@dataclass(frozen=True)
class LadderData(PageBasis):
    """A ladder by column; arrays have one number for each name of the ladder."""

    state: State
    known: Bools
    """Whether there is a player of this name, and so a page."""
    mu: Floats
    sigma: Floats | None
    display: Floats
    events: Ints
    last_time: Longs
    tier: Ints
    """Number of each player's tier; −1 if below all of them."""
    place: Ints
    """0 for those who have none."""
    group: NDArray[np.int8]
    board: Longs
    """The players in the order of the leaderboard."""
    played: PlayedRows | None
    """None if only the ladder is known, not how it came about."""

    @classmethod
    def of(
        cls, source: Run | Ladder, *, tiers: tuple[Tier, ...] = (), **filters: Unpack[LeaderboardFilters]
    ) -> LadderData:
        """Gather a run that has a trace, or a ladder alone; `filters` decide who is ranked.

        Without `min_events`, `usual_min_events` decides.
        """
        if not isinstance(source, (Run, Ladder)):
            raise ParameterError(
                f"pages need a run or a ladder, not {type(source).__name__}",
                hint="podium.rate(history, system, trace=True) returns a run",
            )
        if isinstance(source, Run):
            source._check_unchanged()
        ladder = source.ladder if isinstance(source, Run) else source
        system, state = ladder.system, ladder.state
        digits = shown_digits(system)
        decimals = digits + SHOWN_DECIMALS
        filters = {"min_events": usual_min_events(state.column("events")), **filters}
        filters = settled_filters(ladder, **filters)
        view = system.ratings(state)
        display = kept(view.display, decimals)
        frame = placed_ratings(ladder.ratings(), ladder, **filters)
        index = ladder.players.index_of
        board = np.fromiter((index[name] for name in frame["player"]), np.int64, len(frame))
        place = np.zeros(len(display), np.int32)
        place[board] = frame["place"].fill_null(0).to_numpy()
        group = np.where(place > 0, RANKED, PROVISIONAL).astype(np.int8)
        last_time = state.column("last_time").copy()
        now = int(ladder.last_event_time)
        if (active_since := filters.get("active_since")) is not None:
            since = start_of_activity(active_since, now)
            away = stays_away(last_time, state.column("events"), since, filters["min_events"])
            group[(place == 0) & away] = INACTIVE
        played = PlayedRows.of(source, decimals, filters["min_events"]) if isinstance(source, Run) else None
        return cls(
            system=system,
            state=state,
            names=[*ladder.players, *(() if played is None else played.account_names)],
            n_events=ladder.n_events,
            now=now,
            filters=filters,
            tiers=tiers,
            digits=digits,
            newcomer=newcomer_display(system, state),
            known=state.column("known").copy(),
            mu=kept(view.mu, decimals),
            sigma=None if view.sigma is None else kept(view.sigma, decimals),
            display=display,
            events=state.column("events").copy(),
            last_time=last_time,
            tier=np.searchsorted([tier.lower for tier in tiers], display, "right").astype(np.int32) - 1,
            place=place,
            group=group,
            board=board[np.argsort(group[board], kind="stable")],
            played=played,
        )

    def player(self, number: int) -> PlayerNow:
        """A player as the ladder has it now."""
        return PlayerNow(
            number=number,
            name=self.names[number],
            mu=float(self.mu[number]),
            sigma=None if self.sigma is None else float(self.sigma[number]),
            display=float(self.display[number]),
            events=int(self.events[number]),
            last_time=int(self.last_time[number]),
            tier=int(self.tier[number]),
            place=int(self.place[number]),
            group=int(self.group[number]),
            record=match_record(self.state, number) if number < self.state.size else None,
        )

    @cached_property
    def shape(self) -> BoardShape:
        """How many players are where on the board."""
        groups = np.bincount(self.group[self.board], minlength=len(GROUPS)).tolist()
        ranked = self.board[: groups[RANKED]]
        return BoardShape(
            groups=groups,
            in_tier=np.bincount(self.tier[ranked] + 1, minlength=len(self.tiers) + 1)[1:].tolist(),
            distribution=_distribution(self.display[ranked]) if len(ranked) else None,
        )


def _distribution(values: Floats) -> BinsDocument:
    """Ratings in bins."""
    low, high = float(values.min()), float(values.max())
    return rating_bins(low, high, len(values), lambda edges: np.histogram(values, edges)[0].tolist())


def newcomer_display(system: RatingSystem, state: State) -> float:
    """The displayed rating of who has not played yet, as documents show it."""
    decimals = shown_digits(system) + SHOWN_DECIMALS
    return float(kept(system.display(*system.start(state)), decimals)[0])


def usual_min_events(events: Ints, most: int = MIN_EVENTS) -> int:
    """The number of events from which on players are ranked unless a filter decides, by what all have played.

    It is `most`, or a quarter of what the most experienced player has: a new ladder has a board too.

    >>> [usual_min_events(np.array([1, most])) for most in (2, 11, 100)]
    [1, 2, 5]
    """
    return min(most, max(int(events.max(initial=0)) // 4, 1))


def shown_digits(system: RatingSystem) -> int:
    """Decimals of ratings that pages show: none where newcomers stand at hundreds of points.

    >>> import podium
    >>> shown_digits(podium.Elo()), shown_digits(podium.TrueSkill())
    (0, 1)
    """
    mu, sigma = system.start(system.new_state())
    size = max(abs(float(mu[0])), 0.0 if sigma is None else float(sigma[0]))
    return 0 if size >= 100.0 else 1 if size >= 10.0 else 2


def plain_moment(time: int) -> str | None:
    """A time in microseconds as documents write it."""
    return None if time == NO_TIME else to_iso(time)


def plain_list(values: NDArray[Any]) -> list[float | None]:
    """Numbers as JSON holds them: None for those that are not finite."""
    finite = np.isfinite(values)
    if finite.all():
        found: list[float | None] = values.tolist()
        return found
    return [value if ok else None for value, ok in zip(values.tolist(), finite.tolist(), strict=True)]


FEWEST_BINS, MOST_BINS = 5, 40


def rating_bins(
    low: float, high: float, players: int, counted: Callable[[list[float]], list[int]]
) -> BinsDocument:
    """The bins of so many ratings, of which these are the lowest and the highest.

    `counted` says how many are in each bin, by the edges of the bins: about as many bins as the square root
    of the number of players.
    """
    wanted = min(max(math.isqrt(players), FEWEST_BINS), MOST_BINS)
    width = round_width((high - low) / wanted)
    first = math.floor(low / width)
    count = max(math.floor(high / width) - first + 1, 1)
    edges = [round((first + number) * width, 10) for number in range(count + 1)]
    return {"edges": edges, "counts": counted(edges)}


def round_width(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`; 1 for 0.

    >>> round_width(37.0), round_width(0.03), round_width(0.0)
    (50.0, 0.05, 1.0)
    """
    if least <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(round(step * power, 12) for step in (1, 2, 5, 10) if step * power >= least * (1.0 - 1e-9))
