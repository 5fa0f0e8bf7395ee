"""Codeforces: golden values, both variants, contests of any size against the twin, what weights do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED, tries
from naive import codeforces as naive
from naive.events import Event
from podium import Codeforces, History, Ladder, ParameterError, SetRating, rate
from podium.systems.codeforces.expected_places import DIRECT_UP_TO

# Invented contests with ties. Ratings after each from elo-mmr-py 2.0.0 (PyPI), the published program, with
# a Python interface: rate_latest(contests, "cfsys", mu_noob=1500.0, sig_noob=350.0).
CONTESTS = [
    ({"A": 1, "B": 2, "C": 3, "D": 4, "E": 5}, 1.0),
    ({"E": 1, "A": 2, "B": 2, "D": 4, "C": 5}, 1.0),
    ({"C": 1, "A": 1, "D": 3, "E": 3, "B": 3}, 2.5),
    ({"D": 1, "B": 2, "A": 3}, 0.4),
]
GOLDEN = [
    [1597.095284069, 1538.890307027, 1500.0, 1467.372601963, 1436.67556028],
    [1592.871536588, 1549.38209622, 1436.18712273, 1442.232935374, 1559.068379784],
    [1624.326096901, 1508.042667362, 1535.762573822, 1433.022487021, 1515.045313848],
    [1565.076570158, 1509.996869905, 1535.762573822, 1514.420372579, 1515.045313848],
]


def test_golden() -> None:
    ladder = Ladder(Codeforces())
    for (ranks, weight), mu in zip(CONTESTS, GOLDEN, strict=True):
        ladder.record(ranks=ranks, weight=weight)
        assert [ladder.rating(name).mu for name in "ABCDE"] == pytest.approx(mu, abs=2e-9)


def test_site_by_hand() -> None:
    """Two players of 1500: the seed of both is 1.5, and 1 + 1/(1 + 10^((r − 1500)/400)) with a rating of r.

    Places deserved: √1.5 = 1.2247 and √3 = 1.7321. Of 1500 + 400 log₁₀(1/0.2247 − 1) = 1715.1 and of
    1500 + 400 log₁₀(1/0.7321 − 1) = 1325.4 the whole parts are the performances; half of the way is 107 and
    −87; −20/2 − 1 = −11 makes that 96 and −98, of which nothing is left to take from the leading.
    """
    ladder = Ladder(Codeforces(variant="site"))
    changes = ladder.record(ranks={"ann": 1, "bob": 2})
    assert [change.performance for change in changes] == [1715.0, 1325.0]
    assert [change.mu for change in changes] == [1596.0, 1402.0]


def test_site_tie_by_hand() -> None:
    """Both have the last place, 2, and deserve √(2 · 1.5) = 1.7321: 1325, −87 each, corrected by 87 − 1."""
    changes = Ladder(Codeforces(variant="site")).record(ranks={"ann": 1, "bob": 1})
    assert [change.mu for change in changes] == [1499.0, 1499.0]


def test_of_equal_ratings_the_better_placed_lead() -> None:
    """Of 17 equals 4 · 4 lead: all but the last, without whose loss the others gain on the whole.

    The seed of all is 9. The first deserves place 3: 1 + 16/(1 + 10^(d/400)) = 3 for d = 400 log₁₀ 7 = 338.0,
    and half of 338 is 169. The last deserves √153 = 12.369: d = −156.36, and half of −157 is −78. The first
    correction leaves all together 17 to 33 points less; the second takes the leading players' mean gain.
    """
    change = changes_of(np.full(17, 1500.0), list(range(1, 18)))
    assert change[0] - change[16] == 169 + 78
    second = 3
    assert -34 < (change + second).sum() <= -17
    assert second <= (change + second)[:16].mean() < second + 1


def test_a_sure_winner_gains_little() -> None:
    """The winner far above deserves place 1 + ε/2, expected of 400 log₁₀ 2 = 120 points more at most."""
    changes = changes_of(np.array([4000.0, 0.0]), [1, 2])
    assert changes[0] <= 120


# ------------------------------------------------------------------ against the twin

FIELDS = {
    "usual": lambda n, chance: chance.normal(1500, 300, n),
    "whole": lambda n, chance: chance.integers(800, 2600, n).astype(float),
    "newcomers": lambda n, chance: np.full(n, 1500.0),
    "few ratings": lambda n, chance: chance.choice([1200.0, 1500.0, 1900.0], n),
    "two leagues": lambda n, chance: chance.normal(1500, 200, n) + chance.choice([0.0, 1500.0], n),
    "outliers": lambda n, chance: np.append(chance.normal(1500, 300, n - 2), [2e5, -1e5]),
}


@pytest.mark.parametrize("n", (2, DIRECT_UP_TO, DIRECT_UP_TO + 1, 80) if COMPILED else (2, DIRECT_UP_TO + 1))
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("variant", ["experiments", "site"])
def test_any_size(variant: Any, field: str, n: int) -> None:
    """Tabulated or summed directly, with ties, held rows and a weight: as the twin has it."""
    chance = np.random.default_rng(n)
    mu, ranks = FIELDS[field](n, chance), chance.integers(1, n + 1, n)
    names = [f"p{i}" for i in range(n)]
    held = frozenset(names[3::7])
    for weight in (1.0, 2.5):
        history = History.from_events(
            [{"ranks": dict(zip(names, ranks.tolist(), strict=True)), "unrated": held, "weight": weight}]
        )
        system = Codeforces(variant=variant, weight=0.8)
        state = system.new_state(n)
        state["mu"][:] = mu
        trace = system.update(state, history)
        event = Event([[name] for name in names], ranks.tolist(), weight=weight, held=held)
        start = dict(zip(names, ((m, None) for m in mu.tolist()), strict=True))
        right = naive.rate([event], start, variant=variant, weight=0.8).trace
        rows = [names.index(history.players[p]) for p in history.player]
        shown = [right[row].performance for row in rows]
        np.testing.assert_allclose(trace.performance, shown, rtol=1e-13, atol=2e-9)
        np.testing.assert_allclose(trace.mu, [right[row].mu for row in rows], rtol=1e-13, atol=1e-9)


# ------------------------------------------------------------------ the site

SMALL = settings(max_examples=tries(40) if COMPILED else 5)


@st.composite
def standings(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """Whole ratings, many of them equal, and ranks."""
    n = draw(st.integers(2, 60))
    chance = np.random.default_rng(draw(st.integers(0, 2**32)))
    return chance.choice(chance.integers(0, 3500, n), n).astype(float), chance.integers(1, n + 1, n).tolist()


def changes_of(mu: np.ndarray, ranks: list[int], **parameters: Any) -> np.ndarray:
    """By player, in an order of names that is not that of the rows."""
    names = [f"p{i}" for i in range(len(mu))]
    seeds = [SetRating(player=name, mu=m) for name, m in zip(names, mu.tolist(), strict=True)]
    contest = {"ranks": dict(zip(names, ranks, strict=True))}
    ladder = rate(History.from_events([*seeds, contest]), Codeforces(variant="site", **parameters)).ladder
    return np.array([ladder.rating(name).mu for name in names]) - mu


@given(standings())
@SMALL
def test_site_changes(given_standings: tuple[np.ndarray, list[int]]) -> None:
    """Whole numbers that do not sum above zero; nobody is overtaken by whom they beat.

    The published program also checks that a lower rated winner gains no less than whom they beat. That is no
    theorem: where the field is thin around a performance it can fail, so here it is for equals.
    """
    mu, ranks = given_standings
    change = changes_of(mu, ranks)
    assert np.all(change == np.round(change))
    assert change.sum() <= 0
    for i in range(len(mu)):
        for j in range(len(mu)):
            if ranks[i] <= ranks[j] and mu[i] >= mu[j]:
                assert mu[i] + change[i] >= mu[j] + change[j]


@given(standings(), st.integers(0, 2**32))
@SMALL
def test_site_does_not_depend_on_order(given_standings: tuple[np.ndarray, list[int]], seed: int) -> None:
    """Nor on who of equal ratings comes first at the end of those leading."""
    mu, ranks = given_standings
    order = np.random.default_rng(seed).permutation(len(mu))
    shuffled = changes_of(mu[order], [ranks[i] for i in order])
    assert shuffled.tolist() == changes_of(mu, ranks)[order].tolist()


def test_the_leading_lose_what_they_gained() -> None:
    """Of 332 the 72 leading gain and the others lose: the second correction takes ten points of everybody."""
    mu = np.repeat([1700.0, 1500.0], [72, 260])
    ranks = [*range(101, 173), *range(1, 101), *range(173, 333)]
    gaining = changes_of(mu, sorted(ranks))
    losing = changes_of(mu, ranks)
    assert -2 * len(mu) <= losing.sum() <= 0  # the first correction alone: a mean, and a point more
    assert -12 * len(mu) <= gaining.sum() <= -10 * len(mu)


def test_site_weights() -> None:
    """An event of weight w goes w/(1 + w) of the way."""
    once = changes_of(np.array([1500.0, 1500.0]), [1, 2])
    tenth = changes_of(np.array([1500.0, 1500.0]), [1, 2], weight=1 / 9)
    assert once.tolist() == [96.0, -98.0]
    assert tenth.tolist() == [21 - 2 - 1, -17 - 2 - 1]
    by_event = Ladder(Codeforces(variant="site"))
    by_event.record(ranks={"ann": 1, "bob": 2}, weight=1 / 9)
    assert by_event.rating("ann").mu == 1500 + tenth[0]


# ------------------------------------------------------------------ everything else


def test_ceiling_and_held() -> None:
    for variant in ("experiments", "site"):
        ladder = Ladder(Codeforces(variant=variant))  # type: ignore[arg-type]
        changes = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, ceiling=1550.0, unrated=["cat"])
        shown = {change.player: change.performance for change in changes}
        assert shown["ann"] == 1550.0
        assert ladder.rating("cat").mu == 1500.0
        assert ladder.rating("cat").events == 0


def test_a_larger_contest_in_pieces() -> None:
    """Contests of many sizes, at once and one by one, to the last bit."""
    chance = np.random.default_rng(3)
    events = []
    for size in (3, 30, 100, 2, 25):
        names = chance.permutation(120)[:size]
        events.append({"ranks": {f"p{p}": int(chance.integers(1, size + 1)) for p in names}})
    history = History.from_events(events)
    for system in (Codeforces(), Codeforces(variant="site")):
        whole, pieces = system.new_state(), system.new_state()
        system.update(whole, history)
        for number in range(len(history)):
            system.update(pieces, history[number : number + 1])
        assert whole == pieces


def test_predictions() -> None:
    system = Codeforces()
    assert system.win_probability(1900, None, 1500, None) == pytest.approx(10 / 11)
    wider = replace(system, beta=2 * system.beta)
    assert wider.win_probability(2300, None, 1500, None) == pytest.approx(10 / 11)
    with pytest.raises(ParameterError, match="variant is one of experiments, site"):
        Codeforces(variant="topcoder")  # type: ignore[arg-type]
