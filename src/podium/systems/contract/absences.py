"""How long players usually stay away, and so how long one may and still be ranked.

A state counts the breaks between the events of its players by their length. Those of the first thousands of
breaks decide, so that counting soon costs nothing, and a ladder's rule does not change with every event.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import DAY, NO_TIME, Bools, EventColumns, Ints, Longs
from podium.numerics.jit import kernel
from podium.systems.contract.state import BREAKS, State

USUAL_BREAKS = 10
"""Usual breaks of a player after which one who stays away is no longer ranked."""
ABSENCES = (30, 180, 365, 730, 1825)
"""Days that a player may be away: the first that is as long as those breaks."""
ENOUGH_BREAKS = 65_536
"""Breaks after which no more are counted: the median of so many is known well enough."""
_LENGTHS = np.array(ABSENCES[:-1]) * (DAY // USUAL_BREAKS)
"""The longest break of each kind but the last."""


def usual_absence(state: State) -> int | None:
    """How long ranked players may be away unless a filter decides, in days, by how often people play here.

    It is `USUAL_BREAKS` of the usual breaks between two events of a player, as the next longer of `ABSENCES`.
    Events less than a day apart count as one. None before a player has come back, and without times.

    >>> from podium import Ladder
    >>> ladder = Ladder("elo")
    >>> for day in (1, 8, 15):
    ...     changes = ladder.record_match("ann", "bob", time=f"2026-05-{day:02}")
    >>> usual_absence(ladder.state)
    180
    """
    counts = state.shared[BREAKS]
    total = int(counts.sum())
    return None if not total else ABSENCES[int(np.searchsorted(np.cumsum(counts), (total + 1) // 2))]


def note_breaks(state: State, events: EventColumns) -> None:
    """Count the breaks that events end, before they are rated."""
    counts = state.shared[BREAKS]
    if counts.sum() < ENOUGH_BREAKS:
        rows = events.offsets, events.player, events.held, events.time
        count_breaks(*rows, state["last_time"], _LENGTHS, counts)


@kernel
def count_breaks(
    offsets: Longs, player: Ints, held: Bools, time: Longs, last_time: Longs, lengths: Longs, counts: Longs
) -> None:
    """Count breaks of a day or longer by length. `last_time` moves on inside and is put back at the end."""
    before, total, rows = np.empty(len(player), np.int64), 0, 0
    for count in counts:
        total += count
    for e in range(len(time)):
        if total >= ENOUGH_BREAKS:
            break
        rows = offsets[e + 1]
        for row in range(offsets[e], rows):
            p = player[row]
            before[row] = last_time[p]
            if len(held) and held[row]:
                continue
            if time[e] != NO_TIME and before[row] != NO_TIME and time[e] - before[row] >= DAY:
                longer = 0
                while longer < len(lengths) and time[e] - before[row] > lengths[longer]:
                    longer += 1
                counts[longer] += 1
                total += 1
            last_time[p] = time[e]
    for row in range(rows - 1, -1, -1):
        last_time[player[row]] = before[row]
