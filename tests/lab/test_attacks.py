"""Attacks: farming as its slow twin does it, what strategies do when, and what reports say of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from naive import attacks as naive
from naive import elo as naive_elo
from naive import topcoder as naive_topcoder
from naive.events import Event, Outcome
from podium import Elo, History, InputError, ParameterError, RatingSystem, Topcoder, UnknownPlayerError
from podium.lab.attacks import Farming, attack_history

Rate = Callable[[list[Event]], Outcome]
SHORT = Farming(honest=3, farming=6, after=3)


def contests(seed: int, events: int = 16, players: int = 6, size: int = 5) -> tuple[History, list[Event]]:
    """Contests with ties, in which somebody called p0 is strong, sometimes absent and once unrated."""
    chance = np.random.default_rng(seed)
    plain = []
    for number in range(events):
        names = [f"p{i}" for i in chance.permutation(players)[:size]]
        level = [round(2 * chance.random() + (name == "p0")) for name in names]
        ranks = [1 + sum(other > mine for other in level) for mine in level]
        held = frozenset({"p0"}) if number == 4 else frozenset()
        plain.append(Event([[name] for name in names], ranks, held=held & set(names)))
    return as_history(plain), plain


def matches(seed: int, events: int = 26) -> tuple[History, list[Event]]:
    chance = np.random.default_rng(seed)
    plain = []
    for _ in range(events):
        names = [f"p{i}" for i in chance.permutation(3)[:2]]
        plain.append(Event([[name] for name in names], [[1, 2], [2, 1], [1, 1]][chance.integers(3)]))
    return as_history(plain), plain


def as_history(plain: list[Event]) -> History:
    return History.from_events(
        {
            "ranks": {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)},
            "unrated": event.held,
        }
        for event in plain
    )


# ---------------------------------------------------------------------- one attack on one history


@pytest.mark.parametrize(
    ("made", "system", "rate"),
    [
        (contests, Topcoder(), naive_topcoder.rate),
        (matches, Elo(), naive_elo.rate),
    ],
)
@pytest.mark.parametrize("threshold", [None, 1480.0])
def test_farming_is_that_of_its_slow_twin(
    made: Callable[[int], tuple[History, list[Event]]],
    system: RatingSystem,
    rate: Rate,
    threshold: float | None,
) -> None:
    history, plain = made(3)
    strategy = Farming(honest=3, farming=6, after=3, threshold=threshold)
    run = attack_history(history, "p0", system, strategy)
    altered, thrown = naive.farm(plain, "p0", rate, 3, 6, 3, threshold)
    assert run.thrown.tolist() == thrown
    assert sum(thrown) > 0
    assert run.attacked.mu == pytest.approx(naive.curve(altered, "p0", rate), abs=1e-6)
    honest = naive.curve(plain[: len(altered)], "p0", rate)
    assert run.honest.mu == pytest.approx(honest, abs=1e-6)
    assert run.gain == run.gain_mu == pytest.approx(run.attacked.mu[-1] - honest[-1], abs=1e-6)
    assert run.last_phase_gain == pytest.approx(run.attacked.mu[11] - run.attacked.mu[8])


def test_another_systems_rating_may_decide() -> None:
    history, plain = contests(5)
    run = attack_history(history, "p0", Elo(), SHORT, watch=Topcoder())
    altered, thrown = naive.farm(plain, "p0", naive_topcoder.rate, 3, 6, 3)
    assert run.thrown.tolist() == thrown
    assert run.thrown.tolist() != attack_history(history, "p0", Elo(), SHORT).thrown.tolist()
    assert run.attacked.mu == pytest.approx(naive.curve(altered, "p0", naive_elo.rate), abs=1e-6)


def test_whom_an_attack_refuses() -> None:
    history, _ = contests(3)
    with pytest.raises(UnknownPlayerError, match="'p00' is nobody"):
        attack_history(history, "p00", Elo(), SHORT)
    with pytest.raises(InputError, match="the attack needs 105"):
        attack_history(history, "p0", Elo(), Farming())
    with pytest.raises(ParameterError, match="farming: honest is -1"):
        Farming(honest=-1)
    with pytest.raises(ParameterError, match="did you mean 'threshold'"):
        Farming().changed(treshold="2975")
    assert Farming().changed(threshold="2975", after="3") == Farming(threshold=2975, after=3)
