"""Systems that each break one law, to show that the laws bite. All of them are Elo with one thing wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numba
import numpy as np

from podium.arrays import EventColumns
from podium.history import History
from podium.numerics.threads import in_threads, worth_threads
from podium.systems import Capabilities, State
from podium.systems.contract.ratings import Trace
from podium.systems.elo import Elo
from podium.systems.glicko.glicko import Glicko


@dataclass(frozen=True, kw_only=True)
class Batched(Elo):
    """Law 1: the first event of every call counts double."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        weight = np.ones(len(events.time)) if len(events.weight) == 0 else events.weight.copy()
        weight[0] *= 2
        super().rate_events(state, events._replace(weight=weight), trace)


@dataclass(frozen=True, kw_only=True)
class Columnar(Elo):
    """Law 1: rounds differently where there are weights."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        if len(events.weight):
            state["mu"][:] *= 1.0 + 1e-15


@dataclass(frozen=True, kw_only=True)
class RowOrdered(Elo):
    """Law 2: whoever stands first gets a point."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        np.add.at(state["mu"], events.player[events.offsets[:-1]], 1.0)


@dataclass(frozen=True, kw_only=True)
class FirstIsFavourite(Elo):
    """Law 2: whoever stands first is expected to win."""

    two_numbers: ClassVar[bool] = False

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        if len(trace.expected):
            trace.expected[:] = 0.4
            trace.expected[events.offsets[:-1]] = 0.6


@dataclass(frozen=True, kw_only=True)
class Backwards(Elo):
    """Ranks: whoever is better than expected falls."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        before = state["mu"].copy()
        super().rate_events(state, events, trace)
        state["mu"][:] = 2.0 * before - state["mu"]
        trace.mu[:] = 2.0 * trace.mu_before - trace.mu


@dataclass(frozen=True, kw_only=True)
class Meddling(Elo):
    """Law 3: looking at a rating changes it."""

    def view(self, state: State, players: Any, at: int) -> Any:
        state["mu"][players] += 1.0
        return super().view(state, players, at)


@dataclass(frozen=True, kw_only=True)
class Amnesiac(Elo):
    """Law 4: part of what it remembers is not in the state's columns."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        state.calls = getattr(state, "calls", 0) + 1  # type: ignore[attr-defined]
        weight = np.full(len(events.time), float(state.calls))  # type: ignore[attr-defined]
        super().rate_events(state, events._replace(weight=weight), trace)


@dataclass(frozen=True, kw_only=True)
class Futuristic(Elo):
    """Law 4: takes states of any format."""

    def restore_state(self, arrays: Any, state_format: int) -> State:
        return super().restore_state(arrays, min(state_format, self.state_format))


@dataclass(frozen=True, kw_only=True)
class Trusting(Elo):
    """Law 4: believes whatever a file says."""

    def check_state(self, state: State) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class Threaded(Elo):
    """Law 5: the number of threads leaks into the result."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        state["mu"][:] *= 1.0 + 1e-15 * numba.get_num_threads()


@dataclass(frozen=True, kw_only=True)
class ThreadedWhenLarge(Elo):
    """Law 5: as many sums as threads, where an event is large enough for them."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        if worth_threads(np.diff(events.offsets), 8_000).any():
            tenths = np.full(1000, 0.1)
            sums: list[float] = []
            parts = np.array_split(tenths, numba.get_num_threads())
            in_threads(lambda part: sums.append(float(np.cumsum(part)[-1])), [(part,) for part in parts])
            state["mu"][:] += sum(sums)


@dataclass(frozen=True, kw_only=True)
class Overflowing(Elo):
    """Law 6: far ratings overflow."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        with np.errstate(over="ignore"):
            state["mu"][:] = np.sign(state["mu"]) * np.abs(state["mu"]) ** 40


@dataclass(frozen=True, kw_only=True)
class Ignorant(Elo):
    """Law 6: cannot use ties, and takes them without a word."""

    supports: ClassVar[Capabilities] = Capabilities(many=True, teams=True, weights=True, shares=True)

    def check(self, history: History) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class Generous(Elo):
    """Law 7: everybody is expected to do a little better than they do."""

    def win_probability(self, mu_a: Any, sigma_a: Any, mu_b: Any, sigma_b: Any, home: Any = 0.0) -> Any:
        return super().win_probability(np.add(mu_a, 1e-6), sigma_a, mu_b, sigma_b, home)


@dataclass(frozen=True, kw_only=True)
class Sloppy(Elo):
    """Law 8: K is off by one in a billion."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        weight = np.ones(len(events.time)) if len(events.weight) == 0 else events.weight
        super().rate_events(state, events._replace(weight=weight * (1.0 + 1e-9)), trace)


@dataclass(frozen=True, kw_only=True)
class FirstIsHome(Elo):
    """Home: the side of the first row has the advantage, whatever the data says."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(home=events.player[events.offsets[:-1]]), trace)


@dataclass(frozen=True, kw_only=True)
class Uncounted(Elo):
    """Books: events are not counted."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        before = state["events"].copy()
        super().rate_events(state, events, trace)
        state["events"][:] = before


@dataclass(frozen=True, kw_only=True)
class Unanchored(Elo):
    """Held: nobody is."""

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(held=np.zeros(0, np.bool_)), trace)


@dataclass(frozen=True, kw_only=True)
class Ageless(Glicko):
    """Imported: a rating that was set does not age."""

    def start_absence(self, state: State, player: int, time: int) -> None:
        return
