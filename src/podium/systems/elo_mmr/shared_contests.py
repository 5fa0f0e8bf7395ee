"""One contest that several threads rate: what they all see of it, and into which chunks each phase is cut.

The leader (`podium.numerics.shared_work`) finds standings and panels alone and lays them where all see them;
threads then find beliefs, edges, coefficients, performances and new beliefs in chunks. Where results could
depend on the chunks, these are the same for any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Ints, Longs
from podium.numerics.jit import kernel
from podium.numerics.panels import PANEL_NODES
from podium.numerics.shared_work import DETAILS, MOST_CHUNKS
from podium.numerics.threads import threads, threads_begin
from podium.systems.elo_mmr.drift import ContestField
from podium.systems.elo_mmr.logistic_performances import MOST_SOLVED_PARTS, LogisticField, Standings

FIND, EDGES, FILL, SOLVE, LEARN = range(5)
"""The phases of a contest: beliefs before it; the edges of the panels; their coefficients; performances; and
the beliefs after it."""

ROWS_SHARED_FROM = 1000
"""Rows of a contest from which on threads share it: a helper that has to be woken first takes 0.1 ms."""
ROWS_PER_THREAD, MOST_MEMBERS = 500, 8
"""More threads would take longer to wake than they save."""
ROWS_OF_A_CHUNK = 64
SHARED_PANELS = 1024
"""Panels that fit on a desk; the leader works through a wider table alone."""

EVENT, PHASE, PANELS, PARTS = range(DETAILS, DETAILS + 4)
"""What a leader writes on the board about a post."""


class SeenContest(NamedTuple):
    """What helpers see of the contest that the leader works on, as in `Standings` and `LogisticField`."""

    order: Longs
    rank: Ints
    m: Floats
    s: Floats
    w: Floats
    numbers: Floats
    """Those of `Standings`."""
    centre: Floats
    base: Floats
    base_low: Floats
    coefficients: Floats
    part: Longs
    worse: Floats
    worse_low: Floats


class Desk(NamedTuple):
    """Work space for contests."""

    field: ContestField
    shown: Floats
    sums: Floats
    """What the newcomers of each chunk add up to: their number, performances and squares of these."""
    edges: Floats
    seen: SeenContest


def members_for(rows: int) -> int:
    """The number of threads that share events of which the largest has so many rows."""
    if rows < threads_begin(ROWS_SHARED_FROM):
        return 1
    return min(threads(), max(rows // ROWS_PER_THREAD, 2), MOST_MEMBERS)


def new_desk(rows: int, shared: bool) -> Desk:
    """A desk for contests of up to so many rows."""
    return Desk(
        ContestField(*(np.empty(rows) for _ in ContestField._fields)),
        np.empty(rows),
        np.empty((rows // ROWS_OF_A_CHUNK + 1, 3)),
        np.empty(2),
        _room_to_see(rows, SHARED_PANELS, MOST_SOLVED_PARTS) if shared else NOTHING_SEEN,
    )


def _room_to_see(rows: int, panels: int, parts: int) -> SeenContest:
    return SeenContest(
        np.empty(rows, np.int64),
        np.empty(rows, np.int32),
        np.empty(rows),
        np.empty(rows),
        np.empty(rows),
        np.empty(5),
        np.empty(panels),
        np.empty(panels),
        np.empty(panels),
        np.empty((panels, PANEL_NODES)),
        np.empty(parts + 1, np.int64),
        np.empty(parts),
        np.empty(parts),
    )


NOTHING_SEEN = _room_to_see(0, 0, 0)


@kernel
def chunk_rows(rows: int) -> int:
    """Rows of one chunk of a contest with so many."""
    return max(ROWS_OF_A_CHUNK, rows // MOST_CHUNKS + 1)


@kernel
def lay_standings(seen: SeenContest, standings: Standings) -> None:
    """Copy standings to the seen."""
    order, rank, m, s, w, lowest, highest, widest, narrowest, total = standings
    their_order, their_rank, their_m, their_s, their_w = seen.order, seen.rank, seen.m, seen.s, seen.w
    for k in range(len(m)):
        their_order[k], their_rank[k] = order[k], rank[k]
        their_m[k], their_s[k], their_w[k] = m[k], s[k], w[k]
    numbers = seen.numbers
    numbers[0], numbers[1], numbers[2], numbers[3], numbers[4] = lowest, highest, widest, narrowest, total


@kernel
def lay_panels(seen: SeenContest, contest: LogisticField) -> None:
    """Copy panels without coefficients to the seen."""
    centre, base, base_low = contest.centre, contest.base, contest.base_low
    their_centre, their_base, their_base_low = seen.centre, seen.base, seen.base_low
    for p in range(len(centre)):
        their_centre[p], their_base[p], their_base_low[p] = centre[p], base[p], base_low[p]
    part, worse, worse_low = contest.part, contest.worse, contest.worse_low
    their_part, their_worse, their_worse_low = seen.part, seen.worse, seen.worse_low
    for i in range(len(worse)):
        their_part[i], their_worse[i], their_worse_low[i] = part[i], worse[i], worse_low[i]
    their_part[len(worse)] = part[len(worse)]


@kernel
def seen_contest(seen: SeenContest, edges: Floats, rows: int, panels: int, parts: int) -> LogisticField:
    """What lies on the seen."""
    numbers = seen.numbers
    standings = Standings(
        seen.order[:rows],
        seen.rank[:rows],
        seen.m[:rows],
        seen.s[:rows],
        seen.w[:rows],
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
    )
    return LogisticField(
        standings,
        edges[0],
        edges[1],
        seen.centre[:panels],
        seen.base[:panels],
        seen.base_low[:panels],
        seen.coefficients,
        seen.part[: parts + 1],
        seen.worse[:parts],
        seen.worse_low[:parts],
    )
