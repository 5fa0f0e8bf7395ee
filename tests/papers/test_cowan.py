"""Cowan: exact examples, the figure of the tails against its limit, made-up games, and the right picture."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from podium.errors import InputError
from podium.tables import read_history
from podium_papers import Setting
from podium_papers.cowan import published
from podium_papers.cowan.examples import examples
from podium_papers.cowan.figure_3_1_tails import by_grid, by_quadrature
from podium_papers.cowan.figure_3_2_changes import figure_3_2, most_active, rating_changes
from podium_papers.cowan.figure_5_1_losses import Losses, check_known, contribution, losses, systems
from podium_papers.cowan.lucky_games import EXCLUDED_MATCHES, LOOSE_PAIRING, lucky_games

QUICK = Setting(quick=True)


def test_the_examples_are_as_printed() -> None:
    """Exact ones to the digit; a formula's value is in the remark, and never in the paper's column."""
    numbers = {number.what: number for number in examples(QUICK).numbers}
    exact = [number for what, number in numbers.items() if what.startswith("4.")]
    assert len(exact) == 11
    assert all(number.ours == number.published for number in exact)
    assert numbers["2.10: L(A, B), L(B, C), L(C, A)"].ours == "0, 0, 0"
    assert {n.remark for n in numbers.values() if n.remark.endswith("as printed")} == {"as printed"}
    formulas = {what: number for what, number in numbers.items() if number.remark.startswith("the formula")}
    assert len(formulas) == 9
    for number in formulas.values():
        assert "=" not in number.published
        assert float(Fraction(number.ours)) == pytest.approx(float(number.remark.split()[-1]), abs=2e-4)
    # Abi wins, Alice loses, Abi wins: 0.7 · 0.3 · 0.7
    assert numbers["2.14: the chance of A > B, B > A and A > C, with p = 3/10"].ours == "0.1470"
    assert all(number.place.startswith(("Example", "Definition")) for number in numbers.values())


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
    below = [np.mean(games.strength < games.strength[player]) for player in (0, 1)]
    assert below == pytest.approx([0.95, 0.9995], abs=0.02)
    played = np.bincount(games.history.player)
    assert [str(matches) for matches in played[:2]] == [published.P_MATCHES.value, published.Q_MATCHES.value]
    a, b = games.history.player[::2], games.history.player[1::2]
    better = np.where(games.strength[a] > games.strength[b], 0, 1)
    rank = games.history.rank.reshape(-1, 2)
    rows = np.arange(len(rank))
    won = rank[rows, better] < rank[rows, 1 - better]
    gap = np.abs(games.strength[a] - games.strength[b])
    expected = 0.1 + 0.8 / (1.0 + 10.0 ** (-gap / 400.0))
    assert won.mean() == pytest.approx(expected.mean(), abs=0.008)
    loose = lucky_games(20_000, 4_000, 0.8, 3, LOOSE_PAIRING)
    far = np.abs(np.subtract(*loose.strength[loose.history.player].reshape(-1, 2).T))
    assert far.mean() > 1.2 * gap.mean()


@pytest.mark.parametrize("seed", range(4))
def test_p_and_q_are_found_by_name(seed: int) -> None:
    """Of a few rounds Q may have played more than P, and is Q all the same."""
    games = lucky_games(1_500, 100, 0.8, seed)
    p, q = rating_changes(games.history, ("P", "Q"))
    assert (p.name, q.name) == ("P", "Q")
    played = np.bincount(games.history.player)
    assert (p.matches, q.matches) == (played[0], played[1])
    assert len(p.gap) == p.matches - EXCLUDED_MATCHES
    assert np.all(p.change[~p.drawn] != 0.0)


def test_matches_given(tmp_path: Path) -> None:
    """The two who have played most are named; too few matches are an error that says where and why."""
    lines = ["winner,loser", *["ann,bob", "bob,ann", "ann,cid"] * 60, *["cid,dan"] * 20]
    (tmp_path / "many.csv").write_text("\n".join(lines))
    result = figure_3_2(Setting(quick=True, matches=tmp_path / "many.csv"))
    assert set(result.pictures) == {"figure-3-2", "figure-3-2-given"}
    given = {n.what: n.ours for n in result.numbers if n.source.startswith("many.csv")}
    assert given["matches of ann"] == "180"
    assert given["matches of bob"] == "120"
    history = read_history(tmp_path / "many.csv")[:100]
    with pytest.raises(InputError, match=r"few.csv: too few matches .*: ann 100 and bob 67"):
        most_active(history, "few.csv")
    found = {name: losses(history[:2], system) for name, system in systems().items()}
    with pytest.raises(InputError, match=r"few.csv: there is no match .* Glicko-2, β = 0.8, β = 0.9"):
        check_known(found, "few.csv")


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
