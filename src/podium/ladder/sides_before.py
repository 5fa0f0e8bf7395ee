"""What was believed of the sides of events before they began, and what a match was to one of its players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.history import History
from podium.systems import RatingSystem, Sides
from podium.systems.contract.explained_ratings import PlayedMatch, match_result
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Opponent

NO_SIDE = -1


@dataclass(frozen=True)
class SidesBefore:
    """The sides of some events, one after another, and what was believed of them before."""

    mu: Floats
    sigma: Floats | None
    members: Sides
    """Their members; `players` are positions in `row`."""
    noise: Floats
    """The number of members of each side whose noise counts."""
    row: Longs
    """The rows of all events in the history."""
    side: Longs
    """The side of each of these rows."""
    begin: Longs
    """The position in `row` where each event begins."""
    host: Longs
    """The side of each event that is at home; `NO_SIDE` if none is."""

    @classmethod
    def of(cls, system: RatingSystem, history: History, trace: Trace, events: Longs) -> SidesBefore:
        """The sides of these events, given by number."""
        sizes, counts = history.sizes[events], history.sides_per_event[events]
        begin, first_side = np.cumsum(sizes) - sizes, np.cumsum(counts) - counts
        event = np.repeat(np.arange(len(events)), sizes)
        place = np.arange(len(event)) - begin[event]
        row = history.offsets[events][event] + place
        side = first_side[event] + (place if history.side is None else history.side[row])
        order = np.argsort(side, kind="stable")
        members = Sides(
            order,
            np.concatenate(([0], np.cumsum(np.bincount(side)))),
            None if history.play is None else history.play[row][order],
        )
        deviations = trace.sigma_before[row][order] if system.has_sigma else None
        mu, sigma = system.joined(trace.mu_before[row][order], deviations, members)
        host = np.full(len(events), NO_SIDE)
        if history.home is not None:
            at_home = history.player[row] == history.home[events][event]
            host[event[at_home]] = side[at_home]
        return cls(mu, sigma, members, system.noise_of(members), row, side, begin, host)

    def opponent(self, which: int | Longs | Bools) -> Opponent:
        """Some of the sides, as predictions take them."""
        sigma = None if self.sigma is None else self.sigma[which]
        return Opponent(self.mu[which], sigma, self.members.sizes[which], self.noise[which])

    def rows_of(self, side: int) -> Longs:
        """The rows of the members of a side."""
        start, stop = self.members.offsets[side : side + 2]
        rows: Longs = self.row[self.members.players[start:stop]]
        return rows


def played_matches(
    system: RatingSystem, history: History, trace: Trace, rows: Sequence[int] | Longs
) -> list[PlayedMatch | None]:
    """What the event of each row was to the row's player; None if the event has more than two sides.

    No two of the rows are of the same event.
    """
    own = np.asarray(rows, np.int64)
    events = np.searchsorted(history.offsets, own, "right") - 1
    found: list[PlayedMatch | None] = [None] * len(own)
    matches = np.flatnonzero(history.sides_per_event[events] == 2)
    if not len(matches):
        return found
    own, events = own[matches], events[matches]
    sides = SidesBefore.of(system, history, trace, events)
    mine = sides.side[sides.begin + own - history.offsets[events]]
    theirs = mine ^ 1  # two sides an event: 0 and 1, 2 and 3, …
    home = np.where(sides.host == NO_SIDE, 0.0, np.where(sides.host == mine, 1.0, -1.0))
    chance = np.array(system.expected_between(sides.opponent(mine), sides.opponent(theirs), home))
    if len(trace.expected):
        chance = np.where(np.isnan(trace.expected[own]), chance, trace.expected[own])
    for number, row in enumerate(own.tolist()):
        partners, opponents = (sides.rows_of(int(side[number])) for side in (mine, theirs))
        other = int(opponents[0])
        score, opponent_score = row_scores(history, row, other)
        found[matches[number]] = PlayedMatch(
            opponents=_names(history, opponents),
            result=match_result(int(history.rank[row]), int(history.rank[other])),
            chance=float(chance[number]),
            score=score,
            opponent_score=opponent_score,
            at_home=None if not home[number] else bool(home[number] > 0.0),
            partners=_names(history, partners[partners != row]),
        )
    return found


def _names(history: History, rows: Longs) -> tuple[str, ...]:
    return tuple(history.players[player] for player in history.player[rows].tolist())


def row_scores(history: History, row: int, other: int) -> tuple[float | None, float | None]:
    """The scores of two rows of a match; without scores, how they shared the point if no rank says it."""
    if history.score is not None and not np.isnan(history.score[[row, other]]).any():
        return float(history.score[row]), float(history.score[other])
    if history.share is not None and history.share[row] not in (0.0, 0.5, 1.0):
        share = float(history.share[row])
        return (None, None) if np.isnan(share) else (share, 1.0 - share)
    return None, None
