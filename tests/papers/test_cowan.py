"""Cowan: exact examples, the figure of the tails against its limit, made-up games, and the right picture."""

from __future__ import annotations

import math

import numpy as np
import pytest

from podium.papers import Setting
from podium.papers.cowan import published
from podium.papers.cowan.changes import rating_changes
from podium.papers.cowan.examples import examples
from podium.papers.cowan.games import LOOSE, lucky_games
from podium.papers.cowan.losses import Losses, contribution, losses, systems
from podium.papers.cowan.tails import by_grid, by_quadrature

QUICK = Setting(quick=True)


def test_the_examples_are_as_printed() -> None:
    numbers = {number.what: number for number in examples(QUICK).numbers}
    exact = [number for what, number in numbers.items() if what.startswith("4.1")]
    assert len(exact) == 9
    assert all(number.ours == number.published for number in exact)
    assert numbers["4.2: ρ̃_A on U"].ours == "1/28"
    assert numbers["4.2: U"].ours == "28 numbers, the same"
    assert numbers["2.10: L(A, B), L(B, C), L(C, A)"].ours == "0, 0, 0"
    for what in ("2.6: normal performances one apart", "2.7: TrueSkill's margin of 0.525, one apart"):
        assert float(numbers[what].ours) == pytest.approx(
            float(numbers[what].published.split(" = ")[1]), abs=2e-4
        )
    assert all(number.place for number in numbers.values())


@pytest.mark.parametrize("beta", [0.8, 1.0])
def test_the_grid_gives_equation_4(beta: float) -> None:
    means = np.array([0.0, 900.0, 2000.0, 3100.0])
    exact = by_quadrature(beta, 150.0, means)
    assert by_grid(beta, 150.0, means, 2001) == pytest.approx(exact, abs=1e-6)
    far = by_quadrature(beta, 150.0, np.array([-20_000.0]))[0]
    limit = 150.0**2 * math.log(10.0) / 400.0 if beta == 1.0 else 0.0
    assert far == pytest.approx(limit, abs=1e-6)


def test_made_up_games_are_as_told() -> None:
    """P and Q stand and play as they should, and the better of two wins as often as Λ says."""
    games = lucky_games(60_000, 4_000, 0.8, 3)
    assert games.history.players[0] == "P"
    below = [np.mean(games.strength < games.strength[player]) for player in (0, 1)]
    assert below == pytest.approx([0.95, 0.9995], abs=0.02)
    played = np.bincount(games.history.player)
    assert played[:2] == pytest.approx(published_matches(), rel=0.05)
    a, b = games.history.player[::2], games.history.player[1::2]
    better = np.where(games.strength[a] > games.strength[b], 0, 1)
    rank = games.history.rank.reshape(-1, 2)
    rows = np.arange(len(rank))
    won = rank[rows, better] < rank[rows, 1 - better]
    gap = np.abs(games.strength[a] - games.strength[b])
    expected = 0.1 + 0.8 / (1.0 + 10.0 ** (-gap / 400.0))
    assert won.mean() == pytest.approx(expected.mean(), abs=0.008)
    loose = lucky_games(20_000, 4_000, 0.8, 3, LOOSE)
    far = np.abs(np.subtract(*loose.strength[loose.history.player].reshape(-1, 2).T))
    assert far.mean() > 1.2 * gap.mean()


def published_matches() -> list[int]:
    return [int(published.P_MATCHES.value), int(published.Q_MATCHES.value)]


def test_changes_are_of_the_two_most_active() -> None:
    games = lucky_games(12_000, 400, 0.8, 1)
    p, q = rating_changes(games.history)
    assert {p.name, q.name} == {"P", "Q"}
    assert p.matches >= q.matches
    assert len(p.gap) == p.matches - 100
    drawn = set(p.drawn.tolist())
    decided = [k for k in range(len(p.change)) if k not in drawn]
    assert np.all(np.abs(p.change[decided]) > 0.0)


def test_losses_by_hand() -> None:
    """Equals lose ln 2 in the first match of each; later ones by what the system expects."""
    history = lucky_games(12_000, 400, 0.8, 1).history[:300]
    for system in systems().values():
        found = losses(history, system)
        assert found.loss[0] == pytest.approx(math.log(2.0))
        assert not found.known[0]
        assert found.gap[0] == 0.0


def test_the_right_picture_has_the_mean_for_its_area() -> None:
    """A match at 200 points and one at 0, of which half of the kernel is below 0 and made up for."""
    found = Losses(np.array([0.5, 1.1]), np.array([200.0, 0.0]), np.array([True, True]))
    at = np.linspace(0.0, 260.0, 2601)
    curve = contribution(found, at)
    area = np.sum(0.5 * (curve[1:] + curve[:-1]) * np.diff(at))
    assert area == pytest.approx(0.8, rel=1e-9)
    assert curve[:500].max() > 2.0 * curve[1800:2200].max()
    assert curve[1000] == pytest.approx(0.0, abs=1e-9)
