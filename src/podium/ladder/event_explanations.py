"""Why one event moved one player's rating, from a history and its trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Floats, Ints
from podium.history import History, Names, Placed
from podium.history.adjustments import rows_called
from podium.history.columns import event_columns
from podium.history.event_lookup import called
from podium.history.times import to_datetime, to_micros
from podium.ladder.explanations import Remembered
from podium.ladder.name_changes import LatestNames
from podium.ladder.sides_before import NO_SIDE, SidesBefore, played_matches
from podium.notebooks import text_html
from podium.systems import RatingSystem
from podium.systems.contract.explained_ratings import Contribution, Opinion, PlayedMatch, counting_words
from podium.systems.contract.ratings import Change, Trace
from podium.systems.contract.side_scores import EventSides, field_scores
from podium.text import chance_words, percent, rank_words, shorten, sum_in_words


@dataclass(frozen=True)
class EventExplanation:
    """Why one event moved one player's rating.

    Attributes:
        event: The event's name.
        player: The player's name.
        rank: The player's rank.
        sides: Number of sides.
        expected_score: Mean expected score against the other sides, from the ratings before the event, as in
            `podium.predict`.
        actual_score: Mean score against the other sides.
        expected_rank: The rank that the ratings before the event predict.
        mu_before: The rating before, at the event's time.
        sigma_before: The deviation before. None if the system has none.
        display_before: The displayed rating before.
        performance: The rating at which the player performed. None if the system computes none.
        mu: The rating after.
        sigma: The deviation after. None if the system has none.
        display: The displayed rating after.
        rated: Whether the event counted: not if the player was out of competition or anchored.
        time: When it was.
        match: Who played against whom, if the event has two sides.
        opinions: The predictions of the experts of `auto` for the player, those with most weight first.
        place: The place among these sides, which differs from `rank` if ranks are of a larger field.

    >>> import podium
    >>> cup = podium.Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}, name="cup")
    >>> results = podium.History.from_events([cup])
    >>> found = podium.rate(results, "elo", trace=True).explain("ann", event="cup")
    >>> found.rank, round(found.expected_score, 9), found.actual_score, found.display
    (1, 0.5, 1.0, 1516.0)
    """

    event: str
    player: str
    rank: int
    sides: int
    expected_score: float
    actual_score: float
    expected_rank: float
    mu_before: float
    sigma_before: float | None
    display_before: float
    performance: float | None
    mu: float
    sigma: float | None
    display: float
    rated: bool
    time: datetime | None = None
    match: PlayedMatch | None = None
    opinions: tuple[Opinion, ...] = ()
    place: int | None = None

    @property
    def mean_place(self) -> float:
        """The place that compares with `expected_rank`: a tie is the mean of the places that it covers."""
        return 1.0 + (self.sides - 1) * (1.0 - self.actual_score)

    def _repr_html_(self) -> str:
        return text_html(self)

    def __str__(self) -> str:
        played = "" if self.performance is None else f"; a performance of {self.performance:.0f}"
        counted = "" if self.rated else " (it did not count)"
        scored = f"scored {percent(self.actual_score)} where {chance_words(self.expected_score)} was expected"
        placed = rank_words(self.rank, self.sides, self.place, self.mean_place)
        happened = f"{placed}, {self.expected_rank:.1f} expected{played}; {scored}"
        if self.match is not None:
            happened = f"{self.match}{played}"
        where = f"in {called(self.event, to_micros(self.time))}"
        if self.match is not None and self.time is not None and self.event.isdecimal():
            where = f"on {self.time:%Y-%m-%d}"  # a number is no name that people know
        moved = sum_in_words(self.display_before, self.display)
        words = f"{shorten(self.player)} {where}{counted}: {happened}: {moved}"
        return "\n".join([words, counting_words(self.opinions, "What counted")] if self.opinions else [words])


class RatedRow(NamedTuple):
    """One row of a history in which a player was rated."""

    number: int
    """The event, counted from 0."""
    remembered: Remembered
    contribution: Contribution


def rated_rows(
    history: History,
    trace: Trace,
    names: Sequence[str | None],
    system: RatingSystem,
    latest: LatestNames,
) -> list[RatedRow]:
    """The rated rows, in order, of the player with these names, which are as `rows_called` takes them.

    `latest` has been told of what followed this history, and is told of its adjustments here.
    """
    rows = rows_called(history, names)
    rows = rows[trace.rated[rows]]
    numbers = np.searchsorted(history.offsets, rows, "right") - 1
    before, after = (
        system.display(mu[rows], sigma[rows] if system.has_sigma else None).tolist()
        for mu, sigma in ((trace.mu_before, trace.sigma_before), (trace.mu, trace.sigma))
    )
    matches = played_matches(system, history, trace, rows)
    adjusted = [*history.adjustments]
    for i in range(len(rows) - 1, -1, -1):
        while adjusted and adjusted[-1].before > numbers[i]:
            latest.before(adjusted.pop().adjustment)
        matches[i] = latest.told(matches[i])
    for placed in reversed(adjusted):
        latest.before(placed.adjustment)
    found = []
    for i, (row, number) in enumerate(zip(rows.tolist(), numbers.tolist(), strict=True)):
        event, time, rank = history.event_name(number), int(history.time[number]), int(history.rank[row])
        sides, change = int(history.sides_per_event[number]), after[i] - before[i]
        part = Contribution(event, to_datetime(time), rank, sides, change, before[i], matches[i])
        found.append(RatedRow(number, Remembered(event, time, rank, matches[i]), part))
    return found


def adjustments_of(
    history: History, trace: Trace, names: Sequence[str | None], players: Names
) -> Iterator[tuple[Placed, Change]]:
    """Each adjustment of a player, in order, and what it did; `names` are as `rows_called` takes them.

    `players` are those of the ladder that was rated.
    """
    for placed, moved, name in zip(history.adjustments, trace.adjusted, names[1:], strict=True):
        index = None if name is None else players.find(name)
        if index is not None and name is not None and (change := moved.change_of(index, name)) is not None:
            yield placed, change


def adjusted_rows(
    history: History, trace: Trace, names: Sequence[str | None], players: Names
) -> list[RatedRow]:
    """What adjustments did to the player with these names, in order, each with the event before which it was.

    The names and `players` are as in `adjustments_of`.
    """
    found: list[RatedRow] = []
    for placed, change in adjustments_of(history, trace, names, players):
        words, time = placed.adjustment.describe(), to_datetime(placed.time)
        part = Contribution(words, time, None, 0, change.gain, change.display_before)
        found.append(RatedRow(placed.before, Remembered(words, placed.time, 0), part))
    return found


def changes_in_order(rows: Iterable[RatedRow], adjusted: Iterable[RatedRow]) -> list[Contribution]:
    """What each rated row of a player and each adjustment did, oldest first; both are of one history."""
    keyed = [((one.number, 1), one) for one in rows] + [((one.number, 0), one) for one in adjusted]
    return [one.contribution for _, one in sorted(keyed, key=lambda item: item[0])]


def explained_event(
    system: RatingSystem, history: History, trace: Trace, row: int, player: str
) -> EventExplanation:
    """Explain the event of a row for its player, who is called `player` now, from all beliefs before it."""
    number = int(history.event_of_row[row])
    start, stop = history.offsets[number : number + 2].tolist()
    sides = SidesBefore.of(system, history, trace, np.array([number]))
    mine = int(sides.side[row - start])
    others = np.arange(len(sides.mu)) != mine
    if len(trace.expected) and not np.isnan(trace.expected[row]):
        expected = float(trace.expected[row])
    elif len(sides.mu) == 2 or sides.host[0] != NO_SIDE:
        home = _home_signs(sides, mine)[others]
        between = system.expected_between(sides.opponent(mine), sides.opponent(others), home)
        expected = float(between.mean())
    else:  # as `predict` and `Ladder.expected_ranks` have it
        met, scores = EventSides.of(history[number : number + 1]), np.empty(len(sides.mu))
        field_scores(system, met, (sides.mu, sides.sigma), met.counts > 2, scores)
        expected = float(scores[mine])
    before, after = (
        float(system.display(mu[[row]], sigma[[row]] if system.has_sigma else None)[0])
        for mu, sigma in ((trace.mu_before, trace.sigma_before), (trace.mu, trace.sigma))
    )
    share = system.evidence(event_columns(history[number : number + 1])).share
    actual = _scores(history.rank[start:stop], share, sides.side, mine)[others]
    return EventExplanation(
        event=history.event_name(number),
        player=player,
        rank=int(history.rank[row]),
        sides=len(sides.mu),
        expected_score=expected,
        actual_score=float(actual.mean()),
        expected_rank=1.0 + (len(sides.mu) - 1) * (1.0 - expected),
        mu_before=float(trace.mu_before[row]),
        sigma_before=float(trace.sigma_before[row]) if system.has_sigma else None,
        display_before=before,
        performance=float(trace.performance[row]) if system.has_performance else None,
        mu=float(trace.mu[row]),
        sigma=float(trace.sigma[row]) if system.has_sigma else None,
        display=after,
        rated=bool(trace.rated[row]),
        time=to_datetime(int(history.time[number])),
        match=played_matches(system, history, trace, [row])[0],
        place=1 + len({*sides.side[history.rank[start:stop] < history.rank[row]].tolist()}),
    )


def _home_signs(sides: SidesBefore, mine: int) -> Floats:
    """For each side of an event: 1 where mine plays it at home, −1 where that one is the host."""
    host = int(sides.host[0])
    signs = np.full(len(sides.mu), 1.0 if host == mine else 0.0)
    if host not in (mine, NO_SIDE):
        signs[host] = -1.0
    return signs


def _scores(ranks: Ints, shares: Floats, side: NDArray[np.integer], mine: int) -> Floats:
    """What mine scored against each side of an event, by its rows' ranks and shares of a point, if any."""
    rank = np.empty(int(side.max()) + 1)
    rank[side] = ranks
    scores: Floats = (1.0 + np.sign(rank - rank[mine])) / 2.0
    if len(shares) and not np.isnan(share := shares[side == mine][0]):
        return np.full_like(scores, share)
    return scores
