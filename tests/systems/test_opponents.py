"""Win curves turned round: the opponent who leaves a chance leaves it, by formula or by root finding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium import (
    Auto,
    Codeforces,
    Elo,
    EloMMR,
    EloMMX,
    EloR,
    Glicko,
    Glicko2,
    Luck,
    ParameterError,
    RatingSystem,
    Topcoder,
    TrueSkill,
    WengLin,
    Yuksel,
)
from podium.systems import list_systems, make_system

ENDLESS = [
    Elo(scale=300),
    Glicko(),
    Glicko2(),
    EloMMR(),
    EloMMX(),
    EloR(),
    Codeforces(),
    Topcoder(),
    TrueSkill(mu=1500, sigma=500, beta=250, tau=5, draw_rate=0.1),
    WengLin(mu=1500, sigma=500, beta=250),
    Yuksel(),
    Yuksel(deviation="information"),
    Luck(beta=1.0),
    Auto(experts="few"),
    make_system("lichess"),
    make_system("atcoder"),
    make_system("egf"),
    make_system("uscf"),
    make_system("dwz"),
]
"""Systems whose win curve goes from 0 to 1."""
ENDING = [make_system("fide")]
"""Systems whose win curve ends: a difference above 400 counts as 400."""


def test_every_system_is_here() -> None:
    assert {type(system) for system in ENDLESS + ENDING} == set(list_systems().values())


@pytest.mark.parametrize("system", ENDLESS, ids=lambda s: s.name)
@given(
    st.lists(st.floats(0.01, 0.99), min_size=1, max_size=5),
    st.floats(1000, 2000),
    st.floats(5, 300),
    st.floats(5, 300),
)
def test_the_opponent_found_leaves_that_chance(
    system: RatingSystem, p: list[float], mu: float, sigma: float, opponent_sigma: float
) -> None:
    opponent = system.opponent_rating(p, mu, sigma, opponent_sigma)
    found = system.win_probability(mu, sigma, opponent, opponent_sigma)
    np.testing.assert_allclose(found, p, rtol=0, atol=1e-10)


CLOSED = [
    Elo(),
    Glicko(),
    EloMMX(),
    Topcoder(),
    Codeforces(),
    Yuksel(deviation="information"),
    TrueSkill(mu=1500, sigma=500, beta=250),
    WengLin(mu=1500, sigma=500, beta=250),
    WengLin(mu=1500, sigma=500, beta=250, model="thurstone-mosteller-full", draw_margin=0.0),
]


@pytest.mark.parametrize("system", CLOSED, ids=lambda s: s.name)
def test_formulas_are_what_root_finding_finds(system: RatingSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    p, sigma = np.linspace(0.01, 0.99, 25), np.linspace(20.0, 300.0, 25)
    assert system.closed_gap(p, sigma, sigma[::-1]) is not None
    closed = system.opponent_rating(p, 1500, sigma, sigma[::-1])
    monkeypatch.setattr(type(system), "closed_gap", lambda *_: None)
    assert system.opponent_rating(p, 1500, sigma, sigma[::-1]) == pytest.approx(closed, abs=1e-7)


def test_shapes_broadcast_and_equals_are_exactly_that() -> None:
    grid = EloMMR().opponent_rating([[0.25], [0.5], [0.75]], [1500, 1600], 100)
    assert grid.shape == (3, 2)
    assert grid[1].tolist() == [1500, 1600]
    assert grid[0] - [1500, 1600] == pytest.approx([1500, 1600] - grid[2], abs=1e-6)


def test_a_curve_that_ends_is_turned_round_up_to_its_end() -> None:
    assert Elo(curve="linear").opponent_rating([0.001, 0.999], 0) == pytest.approx([0.98 * 425, -0.98 * 425])
    coin = 0.5 + 0.98 * 0.4  # (1 − β)/2 + β F with β = 0.8
    luck = 400 * math.log10((coin - 0.1) / (0.9 - coin))
    assert Luck().opponent_rating([0.91], 1500, 0) == pytest.approx([1500 - luck], rel=1e-6)


def test_fides_table_is_turned_round_by_fides_other_table() -> None:
    """8.1.1 of the Rating Regulations (FIDE Handbook B.02), linear between its rows."""
    system = Elo(curve="fide", temperature=2.0)
    gaps = 1500 - system.opponent_rating([0.0, 0.01, 0.25, 0.5, 0.745, 0.92, 1.0], 1500)
    assert gaps == pytest.approx([-1600, -1354, -386, 0, 184 + 193, 802, 1600])


class Sheltered(Elo):
    """A curve that depends on where one stands: weak players are forgiven half of what they lack."""

    name = "sheltered"

    def win_probability(self, mu_a, sigma_a, mu_b, sigma_b, home=0.0):  # type: ignore[no-untyped-def]
        a, b = (np.where(np.less(mu, 1000), 500 + np.multiply(0.5, mu), mu) for mu in (mu_a, mu_b))
        return super().win_probability(a, sigma_a, b, sigma_b, home)

    def closed_gap(self, *_: object) -> None:
        return None


def test_curves_may_depend_on_where_one_stands() -> None:
    """From 1100, odds of ten to one are 300 points below 1000, counted half."""
    assert Sheltered().opponent_rating(10 / 11, 1100) == pytest.approx(400, abs=1e-6)


def test_deviations_are_needed_where_the_curve_needs_them() -> None:
    for system in (Glicko(), Topcoder(), EloMMR(), EloMMX()):
        with pytest.raises(ParameterError):
            system.opponent_rating(0.7, 1500)
