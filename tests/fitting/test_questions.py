"""What a fit says beside strengths: drift, fragility, suspects, what to ask next and when to stop."""

from dataclasses import replace

import numpy as np
import pytest

import podium
from fitting.worlds import arena, outcomes
from podium.fitting import fragility, rank_sets
from podium.fitting.intervals import chi_square_tail
from podium.fitting.votes import Votes


def test_the_tail_of_chi_square() -> None:
    """Values of R's pchisq(x, df, lower.tail = FALSE)."""
    assert chi_square_tail(3.841459, 1) == pytest.approx(0.05, abs=1e-7)
    assert chi_square_tail(18.30704, 10) == pytest.approx(0.05, abs=1e-7)
    assert chi_square_tail(124.3421, 100) == pytest.approx(0.05, abs=1e-7)
    assert chi_square_tail(50.0, 100) == pytest.approx(0.999993, abs=1e-6)


def test_strengths_that_change_are_noticed() -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 6, 6_000)
    b = (a + rng.integers(1, 6, 6_000)) % 6
    u = np.linspace(-0.5, 0.5, 6_000)
    change = np.array([1.0, -1.0, 0.0, 0.0, 0.5, -0.5])
    names = tuple("abcdef")

    def votes(slope: float) -> Votes:
        d = slope * u * (change[a] - change[b])
        return Votes(names, a.astype(np.int32), b.astype(np.int32), outcomes(rng, d, 0.5).astype(np.int32))

    moving, still = podium.fit(votes(1.0)).drift, podium.fit(votes(0.0)).drift
    assert moving.is_change
    assert "Use a rating" in str(moving)
    assert np.array(moving.changes) == pytest.approx(change * 400 / np.log(10), abs=4 * moving.noise)
    assert not still.is_change


def test_the_time_check_is_right_as_often_as_it_says() -> None:
    p = np.array([podium.fit(arena(seed, 6, 600)[1]).drift.p for seed in range(200)])
    assert 0.01 <= (p < 0.05).mean() <= 0.1
    assert 0.4 < p.mean() < 0.6


def test_fewer_votes_than_those_removed_do_not_change_first_place() -> None:
    _, votes = arena(2, 5, 1_500)
    fit = podium.fit(votes)
    found = fit.fragility
    assert found.leader == fit.strengths["player"][0]
    assert sum(count for *_, count in found.removed) == found.verified
    assert 0.5 < found.estimated / found.verified < 2.0
    kept = list(range(len(votes)))
    number = {name: i for i, name in enumerate(fit.players)}
    for first, second, outcome, count in found.removed:
        same = [
            v
            for v in kept
            if (votes.first[v], votes.second[v], votes.outcome[v]) == (number[first], number[second], outcome)
            or (votes.second[v], votes.first[v], 2 - votes.outcome[v])
            == (number[first], number[second], outcome)
        ]
        kept = [v for v in kept if v not in set(same[:count])]
    assert len(kept) == len(votes) - found.verified
    assert podium.fit(votes.taking(np.array(kept))).strengths["player"][0] == found.successor


def test_rivals_that_are_not_near_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    _, votes = arena(8, 60, 6_000)
    found = podium.fit(votes).fragility
    monkeypatch.setattr(fragility, "RIVALS", 60)
    assert podium.fit(votes).fragility == found
    monkeypatch.setattr(fragility, "RIVALS", 3)
    assert podium.fit(votes).fragility.verified == found.verified


def test_rank_sets_of_many_take_fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws move the critical value by little."""
    fit = podium.fit(arena(9, 30, 6_000)[1])
    sets = fit.rank_sets
    monkeypatch.setattr(rank_sets, "DIFFERENCES", 1)
    few = rank_sets.rank_sets(
        fit.points, fit.points_covariance, fit._draws, fit.solution.component, fit.level
    )
    assert not np.array_equal(few.beats, np.zeros((30, 30)))
    assert (few.beats != sets.beats).mean() < 0.01


def test_noise_and_campaigns_are_found_and_others_are_not() -> None:
    _, votes = arena(3, 6, 12_000, voters=40, spread=1.0)
    fair = podium.fit(votes).suspects()
    assert len(fair) <= 1
    outcome, rng = votes.outcome.copy(), np.random.default_rng(3)
    noisy = votes.cluster == 7
    outcome[noisy] = rng.integers(0, 3, int(noisy.sum()))
    mine = votes.cluster == 9
    outcome[mine & (votes.first == 2)] = 0
    outcome[mine & (votes.second == 2)] = 2
    found = podium.fit(replace(votes, outcome=outcome)).suspects()
    assert ("7", "noise") in found.select("voter", "looks_like").rows()
    assert ("9", "for m2") in found.select("voter", "looks_like").rows()
    assert set(found["voter"]) == {"7", "9"}


def test_close_pairs_are_asked_first() -> None:
    _, votes = arena(4, 8, 4_000, spread=1.5)
    fit = podium.fit(votes)
    asked = fit.next_votes(5)
    assert asked["votes"].sum() == 5
    order = fit.strengths["player"].to_list()
    gaps = [abs(order.index(a) - order.index(b)) for a, b in asked.select("first", "second").rows()]
    assert np.mean(gaps) < 2.5
    assert asked["gain"][0] == 1.0
    border = fit.next_votes(1, top=3).row(0)
    assert {order.index(border[0]) < 3, order.index(border[1]) < 3} == {True, False}


def test_parts_without_a_link_are_linked_first() -> None:
    history = podium.History.from_matches(["a", "b", "c", "d"] * 20, ["b", "a", "d", "c"] * 20)
    first, second = podium.fit(history).next_votes(1).select("first", "second").row(0)
    assert {first in "ab", second in "ab"} == {True, False}


def test_the_best_are_settled_when_they_are() -> None:
    theta, votes = arena(5, 5, 20_000, spread=1.0)
    fit = podium.fit(votes)
    found = fit.settled(2)
    assert found.is_settled
    assert set(found.players) == {f"m{i}" for i in np.argsort(-theta)[:2]}
    few = podium.fit(votes.taking(np.arange(100))).settled(2)
    assert not few.is_settled
    assert "not settled" in str(few)
