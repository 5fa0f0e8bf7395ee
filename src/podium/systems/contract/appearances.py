"""What a state counts of each player, whatever the system: breaks between events, and matches won.

The breaks say how long players usually stay away, and so how long one may and still be ranked. Those of the
first thousands of breaks decide: a ladder's rule does not change with every event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import DAY, NO_TIME, Bools, EventColumns, Ints, Longs
from podium.numerics.event_sides import is_held, side_of
from podium.numerics.jit import kernel
from podium.systems.contract.state import BREAKS, MATCHES, State

USUAL_BREAKS = 10
"""Usual breaks of a player after which one who stays away is no longer ranked."""
ABSENCES = (30, 180, 365, 730, 1825)
"""Days that a player may be away: the first that is as long as those breaks."""
ENOUGH_BREAKS = 65_536
"""Breaks after which no more are counted: the median of so many is known well enough."""
_LENGTHS = np.array(ABSENCES[:-1]) * (DAY // USUAL_BREAKS)
"""The longest break of each kind but the last."""
LATEST_MATCHES = 5
"""Matches that are a player's form."""
WON, DRAWN, LOST, FORM = range(4)
"""Columns of a row of `MATCHES`; the form has two bits for each latest match: 1 lost, 2 drawn, 3 won."""


class MatchRecord(NamedTuple):
    """A player's matches: events of two sides that counted."""

    won: int
    drawn: int
    lost: int
    form: tuple[float, ...]
    """The results of the latest ones, oldest first: 1, 0.5 or 0. Those of before a merge of two accounts with
    matches are not among them, because a state does not know their order."""


def match_record(state: State, player: int) -> MatchRecord | None:
    """The matches of a player; None if there are none, or if an older podium did not count them.

    >>> from podium import Ladder
    >>> ladder = Ladder("elo")
    >>> for winner, loser in ("ab", "ab", "ba"):
    ...     changes = ladder.record_match(winner, loser)
    >>> match_record(ladder.state, 0)
    MatchRecord(won=2, drawn=0, lost=1, form=(1.0, 1.0, 0.0))
    """
    won, drawn, lost, form = state[MATCHES][player].tolist()
    if won < 0 or not won + drawn + lost:
        return None
    results = (form >> 2 * place & 3 for place in reversed(range(LATEST_MATCHES)))
    return MatchRecord(won, drawn, lost, tuple((result - 1) / 2 for result in results if result))


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


def note_appearances(state: State, events: EventColumns) -> None:
    """Count what events are for their players, before they are rated."""
    breaks, matches = state.shared[BREAKS], state[MATCHES]
    rows = events.offsets, events.player, events.held
    if breaks.sum() < ENOUGH_BREAKS:
        count_breaks(*rows, events.time, state["last_time"], _LENGTHS, breaks)
    count_matches(*rows, events.side, events.rank, matches)


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
            if is_held(held, row):
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


@kernel
def count_matches(offsets: Longs, player: Ints, held: Bools, side: Ints, rank: Ints, matches: Ints) -> None:
    """Count the results of events of two sides."""
    latest = (1 << 2 * LATEST_MATCHES) - 1
    for e in range(len(offsets) - 1):
        lo, hi = offsets[e], offsets[e + 1]
        other, sides = lo + 1, hi - lo
        if len(side) > 0:
            sides = 0
            for row in range(lo, hi):
                sides = max(sides, side[row] + 1)
                if side[row] != side[lo] and side[other] == side[lo]:
                    other = row
        if sides != 2:
            continue
        first = rank[lo] - rank[other]
        better = int(first > 0) - int(first < 0)
        for row in range(lo, hi):
            p = player[row]
            if is_held(held, row) or matches[p, WON] < 0:
                continue
            result = DRAWN + (better if side_of(side, row, lo) == side_of(side, lo, lo) else -better)
            matches[p, result] += 1
            matches[p, FORM] = (matches[p, FORM] << 2 | 3 - result) & latest
