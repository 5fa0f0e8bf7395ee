"""Every law for every registered system: one that is added later is tested the day it is registered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED
from contract import laws
from contract.strategies import SYSTEMS, histories, label
from podium.history import Event, History, Seed
from podium.systems import Capabilities, RatingSystem

TRIES, TRIES_OF_VARIANTS = (10, 4) if COMPILED else (3, 2)
"""How many histories each law is tried on: with a system's defaults, and with each of its other choices."""
DEFAULTS = list({system.name: system for system in reversed(SYSTEMS)}.values())
"""The first variant of each system."""

Check = Callable[[RatingSystem, Any], None]


def law(check: Check) -> Check:
    """A test for every variant of every system; without the compiler only with their defaults."""
    return _each(SYSTEMS if COMPILED else DEFAULTS, check)


def law_of_mathematics(check: Check) -> Check:
    """A test for every variant of every system, compiled or not."""
    return _each(SYSTEMS, check)


def _each(systems: Sequence[RatingSystem], check: Check) -> Any:
    @pytest.mark.parametrize("system", systems, ids=label)
    def test(system: RatingSystem) -> None:
        @settings(max_examples=TRIES if system in DEFAULTS else TRIES_OF_VARIANTS)
        @given(data=st.data())
        def holds(data: Any) -> None:
            check(system, data)

        holds()

    return test


def timed(system: RatingSystem) -> bool | None:
    """Periods of days need times; anything else takes both."""
    return True if getattr(system, "period", "event") != "event" else None


@law
def test_law_1_pieces(system: RatingSystem, data: Any) -> None:
    history = data.draw(histories(system.supports, timed=timed(system)))
    laws.law_1_pieces(system, history, data.draw(st.lists(st.integers(0, 12), max_size=4)))


@law
def test_law_1_columns(system: RatingSystem, data: Any) -> None:
    duels = Capabilities(ties=True) if data.draw(st.booleans()) else system.supports
    history = data.draw(histories(duels, timed=timed(system), unrated=data.draw(st.booleans())))
    laws.law_1_columns(system, history)


@law
def test_law_2_names_and_rows(system: RatingSystem, data: Any) -> None:
    history = data.draw(histories(system.supports, timed=timed(system)))
    laws.law_2_names_and_rows(system, history, data.draw(st.integers(0, 2**32)))


@law
def test_law_3_looking(system: RatingSystem, data: Any) -> None:
    laws.law_3_looking(system, data.draw(histories(system.supports, timed=True, max_events=5)))


@law
def test_law_4_saving(system: RatingSystem, data: Any) -> None:
    history = data.draw(histories(system.supports, timed=timed(system)))
    laws.law_4_saving(system, history, data.draw(st.integers(0, 11)))


@law
def test_law_5_threads(system: RatingSystem, data: Any) -> None:
    laws.law_5_threads(system, data.draw(histories(system.supports, timed=timed(system))))


@law
def test_law_6_finite(system: RatingSystem, data: Any) -> None:
    laws.law_6_finite(system, data.draw(extreme_histories()))


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_law_6_refusal(system: RatingSystem) -> None:
    laws.law_6_refusal(system)


@law
def test_law_7_sums(system: RatingSystem, data: Any) -> None:
    history = data.draw(histories(system.supports, timed=timed(system)))
    laws.law_7_sums(system, history, data.draw(st.sampled_from([-1.0, 0.0, 1.0])))


@law_of_mathematics
def test_law_8_naive(system: RatingSystem, data: Any) -> None:
    laws.law_8_naive(system, data.draw(histories(system.supports, timed=timed(system), adjusted=False)))


@law
def test_home(system: RatingSystem, data: Any) -> None:
    laws.law_home(system, data.draw(histories(system.supports, timed=True)))


@law
def test_books(system: RatingSystem, data: Any) -> None:
    laws.law_books(system, data.draw(histories(system.supports, timed=timed(system), adjusted=False)))


@law
def test_held(system: RatingSystem, data: Any) -> None:
    laws.law_held(system, data.draw(histories(system.supports, timed=timed(system), adjusted=False)))


@st.composite
def extreme_histories(draw: st.DrawFn) -> History:
    """Far seeds, tiny and huge deviations and weights, and the same upset again and again."""
    size = draw(st.sampled_from([1.0, 1e3, 1e6, 1e9]))
    items: list[Any] = [
        Seed(
            player="ann", mu=draw(st.floats(-size, size)), sigma=draw(st.sampled_from([1e-9, 1.0, 1e4, 1e9]))
        ),
        Seed(
            player="bob", mu=draw(st.floats(-size, size)), sigma=draw(st.sampled_from([1e-9, 1.0, 1e4, 1e9]))
        ),
    ]
    weight = draw(st.sampled_from([1e-9, 1e-6, 1.0, 1e6]))
    winner, loser = draw(st.permutations(["ann", "bob"]))
    for day in range(draw(st.integers(1, 30))):
        items.append(
            Event.of(ranks={winner: 1, loser: 2}, weight=weight, time=1_600_000_000 + 86_400 * day * 9)
        )
    return History.from_events(items)
