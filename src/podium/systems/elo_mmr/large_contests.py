"""Contests that are worth several threads: what Elo-MMR, Elo-MMχ and Elo-R do with them alike.

A contest is cut into parts that do not depend on the number of threads, and so no result does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from podium.arrays import EventColumns
from podium.numerics.event_sides import event_weight
from podium.numerics.newcomers import learn_newcomers
from podium.numerics.threads import even_parts, in_threads, worth_threads
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.drift import ContestField, find_beliefs

THREADS_FROM = 8_000
"""Rows of a contest from which on threads pay."""
MOST_THREAD_PARTS, ROWS_OF_A_THREAD_PART = 8, 8192


def parts_of(rows: int) -> int:
    """Parts into which a contest with this number of rows is cut: two, or more if they are large."""
    return min(max(rows // ROWS_OF_A_THREAD_PART, 2), MOST_THREAD_PARTS)


def rate_in_order(
    events: EventColumns,
    rate_run: Callable[[EventColumns], None],
    rate_large: Callable[[EventColumns], None],
) -> None:
    """Rate events in order: large ones one by one, those between them in runs."""
    done, end = 0, len(events.offsets) - 1
    for large in np.flatnonzero(worth_threads(np.diff(events.offsets), THREADS_FROM)).tolist():
        if done < large:
            rate_run(events.part(done, large))
        rate_large(events.part(large, large + 1))
        done = large + 1
    if done < end:
        rate_run(events.part(done, end))


def found_field(system: ContestSystem, state: State, event: EventColumns, trace: Trace) -> ContestField:
    """What one event finds, as `find_beliefs` fills it."""
    lo, hi = event.offsets.tolist()
    field = ContestField(*(np.empty(hi - lo) for _ in ContestField._fields))
    given = (
        event.player,
        event.held,
        event.time[0],
        event_weight(event.weight, 0),
        system.beliefs(state),
        system.drift(),
        np.array(system.newcomer_weights, np.float64),
        state.shared["newcomers"],
        field,
        trace.mu_before,
        trace.sigma_before,
    )
    parts = even_parts(hi - lo, parts_of(hi - lo))
    in_threads(find_beliefs, [(lo, *part, *given) for part in parts])
    return field


def learn_in_parts(
    learn: Callable[..., None], system: ContestSystem, state: State, rows: int, *given: Any
) -> None:
    """Call `learn` for each part: its first and last row, what is given, and where newcomers' sums go."""
    parts = even_parts(rows, parts_of(rows))
    sums = np.zeros((len(parts), 3))
    in_threads(learn, [(*part, *given, sums[i]) for i, part in enumerate(parts)])
    if system.adaptive_start:
        count, total, squares = sums.sum(axis=0).tolist()
        learn_newcomers(state.shared["newcomers"], int(count), total, squares)
