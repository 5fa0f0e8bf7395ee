"""What the papers prove about Elo-MMR, Elo-MMχ and Elo-R, on thousands of contests, sane and nasty ones.

[MMR] Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021).
[R] Ebtekar, "Elo-R Competition Rating System" (2015, revised 2020).

Where a claim needs an assumption that the paper does not state, a counterexample stands beside the test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import COMPILED, tries
from naive.performances import Gaussian, Logistic, balance
from podium import Anchor, EloMMR, EloMMX, EloR, History, Ladder, SetRating
from podium.arrays import NO_TIME
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.elo_mmr.beliefs import DRIFT_TRANSFER, drifted, mode, room_for
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.drift import spreads
from podium.systems.elo_mmr.remembering_system import RememberingSystem


def cases(compiled: int) -> settings:
    """So many examples; a few where the compiler is off."""
    return settings(max_examples=tries(compiled) if COMPILED else 4)


# ------------------------------------------------------------------ contests

Contest = tuple[list[float], list[float], list[int]]
"""Ratings, deviations and ranks."""

SANE = st.tuples(st.floats(1000, 2000), st.floats(50, 350), st.integers(1, 6))
NASTY = st.tuples(
    st.floats(-3000, 6000) | st.sampled_from([1500.0, 1500.000001, -1e5, 1e5, 1e6]),
    st.floats(1, 2000) | st.sampled_from([1.0, 80.0, 350.0, 2000.0]),
    st.integers(1, 6),
)


def contests(rows: st.SearchStrategy[tuple[float, float, int]], most: int = 40) -> st.SearchStrategy[Contest]:
    """Contests of these rows."""
    several = st.lists(rows, min_size=2, max_size=most)
    return several.map(lambda drawn: tuple(list(column) for column in zip(*drawn, strict=True)))  # type: ignore[return-value,arg-type]


def rated(
    system: ContestSystem,
    mu: Sequence[float],
    sigma: Sequence[float],
    standings: Sequence[Sequence[int]],
    unrated: Sequence[int] = (),
    weights: Sequence[float] | None = None,
) -> tuple[State, Trace]:
    """The same players in contests with these ranks, from these beliefs."""
    names = [f"p{i}" for i in range(len(mu))]
    held = [names[i] for i in unrated]
    history = History.from_events(
        {"ranks": dict(zip(names, ranks, strict=True)), "unrated": held, "weight": weight}
        for ranks, weight in zip(standings, weights or [1.0] * len(standings), strict=True)
    )
    state = system.new_state(len(mu))
    system.set_belief(state, np.arange(len(mu)), mu, sigma)
    return state, system.update(state, history)


def shown(system: ContestSystem, contest: Contest) -> list[float]:
    """Everybody's performance."""
    mu, sigma, ranks = contest
    found: list[float] = rated(system, mu, sigma, [ranks])[1].performance.tolist()
    return found


def performed(
    system: ContestSystem, performances: Sequence[float], mu: float = 1500.0, sigma: float = 350.0
) -> tuple[State, float]:
    """A player who performs exactly so in one contest after another: beating gods, up to a ceiling."""
    gods = [f"god {i}" for i in range(5)]
    ranks = {"you": 1} | dict.fromkeys(gods, 2)
    history = History.from_events(
        [{"ranks": ranks, "unrated": gods, "ceiling": performance} for performance in performances]
    )
    state = system.new_state(6)
    system.set_belief(state, np.arange(6), [mu] + [1e9] * 5, [sigma] + [1.0] * 5)
    trace = system.update(state, history)
    assert trace.performance[::6].tolist() == [float(p) for p in performances]
    return state, float(state["mu"][0])


def final(system: ContestSystem, performances: Sequence[float], sigma: float = 350.0) -> float:
    """The rating after performing so."""
    return performed(system, performances, sigma=sigma)[1]


# ------------------------------------------------------------------ [MMR] Theorem 3.2

PHASE_ONE: list[ContestSystem] = [
    system
    for beta in (1.0, 200.0, 1000.0)
    for ties in ("whole", "half")
    for system in (
        EloMMR(beta=beta, gamma=0.2 * beta, ties=ties),
        EloMMX(beta=beta, gamma=0.2 * beta, ties=ties),
        EloR(beta=beta, sigma_limit=0.4 * beta, ties=ties),
    )
]


def scales(system: ContestSystem, sigma: Sequence[float]) -> list[float]:
    """Of everybody's performance, to the last bit as the kernels have them."""
    beta2, added = spreads(1.0, 0, 0.0, system.drift(), np.empty(0))
    factor = system.scale_in_deviations if isinstance(system, RememberingSystem) else 1.0
    return [math.sqrt(s * s + added + beta2) * factor for s in sigma]


@cases(400)
@given(system=st.sampled_from(PHASE_ONE), contest=contests(NASTY))
def test_3_2_the_performance_is_where_q_changes_its_sign(system: ContestSystem, contest: Contest) -> None:
    mu, sigma, ranks = contest
    family = Gaussian if isinstance(system, EloMMX) else Logistic
    ties = "others half" if system.ties == "half" and isinstance(system, EloR) else system.ties
    scale = scales(system, sigma)
    near = 1e-6
    for i, p in enumerate(shown(system, contest)):
        below = balance(i, p - near, family, mu, scale, ranks, ties)
        above = balance(i, p + near, family, mu, scale, ranks, ties)
        # Between far clusters that balance exactly, Q vanishes all along an interval.
        assert below > 0 > above or below == 0 == above


# ------------------------------------------------------------------ [MMR] Theorem 5.2


@cases(200)
@given(system=st.sampled_from(PHASE_ONE[6:]), contest=contests(SANE))
def test_5_2_better_ranks_are_strictly_better_performances(system: ContestSystem, contest: Contest) -> None:
    performance, ranks = np.array(shown(system, contest)), np.array(contest[2])
    for better, worse in pairwise(np.unique(ranks)):
        assert performance[ranks == better].min() > performance[ranks == worse].max()


@cases(270)
@given(system=st.sampled_from(PHASE_ONE), contest=contests(NASTY))
def test_5_2_nobody_is_overtaken_from_behind(system: ContestSystem, contest: Contest) -> None:
    """Where results are certain to the last digit, performances of different ranks may be equal."""
    performance, ranks = np.array(shown(system, contest)), np.array(contest[2])
    for rank in np.unique(ranks):
        worse = performance[ranks > rank]
        if len(worse):
            assert performance[ranks == rank].min() >= worse.max() - 1e-6
        if not (isinstance(system, EloR) and system.ties == "half"):
            assert len(np.unique(performance[ranks == rank])) == 1


# ------------------------------------------------------------------ [MMR] Theorem 5.5

INCENTIVE_COMPATIBLE: list[ContestSystem] = [
    *(EloMMR(rho=rho) for rho in (0.0, 0.5, 1.0, 3.0, math.inf)),
    EloMMX(),
    *(EloR(noise=noise) for noise in ("normal", "leading", "all")),
    EloMMR(rho=1.0, ties="half"),
    EloMMX(ties="half"),
    EloR(noise="leading", ties="half"),
]


def label(system: ContestSystem) -> str:
    detail = getattr(system, "rho", getattr(system, "noise", ""))
    return f"{system.name} {detail} {system.ties}"


each_compatible = pytest.mark.parametrize("system", INCENTIVE_COMPATIBLE, ids=label)


@each_compatible
@cases(50)
@given(data=st.data())
def test_5_5_a_better_rank_never_costs_anything_later(system: ContestSystem, data: Any) -> None:
    """The opponents' ratings stay, and their ranks among themselves, which are even; one's own is any."""
    rows = data.draw(st.lists(NASTY, min_size=2, max_size=6))
    mu, sigma = [row[0] for row in rows], [row[1] for row in rows]
    n, others = len(rows), range(1, len(rows))
    count = data.draw(st.integers(1, 6))
    standings = [
        [data.draw(st.integers(1, 9)), *(2 * data.draw(st.integers(1, 4)) for _ in others)]
        for _ in range(count)
    ]
    weights = data.draw(st.lists(st.sampled_from([1.0, 0.2, 4.0]), min_size=count, max_size=count))
    changed = data.draw(st.integers(0, count - 1))
    better = [list(ranks) for ranks in standings]
    better[changed][0] = data.draw(st.integers(1, standings[changed][0]))
    before = rated(system, mu, sigma, standings, others, weights)[1]
    after = rated(system, mu, sigma, better, others, weights)[1]
    assert after.mu.reshape(count, n)[:, 1:].tolist() == before.mu.reshape(count, n)[:, 1:].tolist()
    assert np.all(after.mu[::n] >= before.mu[::n] - 1e-6)
    assert np.all(after.performance[::n] >= before.performance[::n] - 1e-6)


@each_compatible
@cases(30)
@given(
    performances=st.lists(
        st.floats(-3000, 6000) | st.sampled_from([1500.0, -1e6, 1e6]), min_size=1, max_size=8
    ),
    data=st.data(),
)
def test_5_4_ratings_are_monotone_in_past_performances(
    system: ContestSystem, performances: list[float], data: Any
) -> None:
    """[R], section 6, claims the same: first of its guarantees, for constant multiples."""
    better = performances.copy()
    better[data.draw(st.integers(0, len(better) - 1))] += data.draw(st.floats(0, 3000))
    assert final(system, better) >= final(system, performances) - 1e-7


def tied_afterwards(first: dict[str, int], **options: Any) -> float:
    """Ann, well known, meets newcomer bob, and they tie three times later."""
    ladder = Ladder(EloMMR())
    ladder.adjust(SetRating(player="ann", mu=1500, sigma=80))
    for ranks in (first, *[{"ann": 1, "bob": 1}] * 3):
        ladder.record(ranks=ranks, **options)
    return ladder.rating("ann").mu


def test_5_5_needs_the_others_to_stay() -> None:
    """A win takes more from an unknown opponent than it gives, and later ties are with a weaker one."""
    lost, won = {"ann": 2, "bob": 1}, {"ann": 1, "bob": 2}
    assert tied_afterwards(lost) == pytest.approx(1517.169, abs=1e-3)
    assert tied_afterwards(won) == pytest.approx(1482.831, abs=1e-3)
    assert tied_afterwards(lost, unrated=["bob"]) < tied_afterwards(won, unrated=["bob"])


# ------------------------------------------------------------------ [MMR] Theorem 5.6


@cases(200)
@given(
    system=st.sampled_from([EloMMX(), EloMMR(rho=math.inf), EloR(noise="normal")]),
    contest=contests(SANE, 20),
    difference=st.floats(0, 500),
)
def test_5_6_memoryless_monotonicity(system: ContestSystem, contest: Contest, difference: float) -> None:
    """The first is rated at least as high as the second, and known as well."""
    mu, sigma, ranks = contest
    mu[0], sigma[0] = mu[1] + difference, sigma[1]
    trace = rated(system, mu, sigma, [ranks])[1]
    gain = trace.mu - trace.mu_before
    assert trace.sigma[0] == trace.sigma[1]
    if ranks[0] < ranks[1]:
        assert trace.mu[0] > trace.mu[1]
    if ranks[0] > ranks[1]:
        assert gain[1] > gain[0]


# ------------------------------------------------------------------ [MMR] Theorem 5.7

ROBUST = [
    *(EloMMR(rho=rho) for rho in (0.0, 0.5, 1.0, 3.0, math.inf)),
    EloMMR(rho=0.3, beta=30.0, gamma=100.0),
    *(EloR(noise=noise) for noise in ("fancy", "normal", "leading")),
]


@pytest.mark.parametrize("system", ROBUST, ids=label)
@cases(30)
@given(
    history=st.lists(st.floats(0, 3000) | st.sampled_from([1500.0, -1e5, 1e5]), min_size=1, max_size=8),
    further=st.lists(st.floats(0, 1e4), min_size=2, max_size=4).map(sorted),
)
def test_5_7_bounds_of_a_change(
    system: RememberingSystem, history: list[float], further: list[float]
) -> None:
    state, mu = performed(system, history)
    shares = system.shares(state, 0, NO_TIME)
    least, most = shares.bounds
    rounding = 1e-9 * max(1.0, abs(mu))
    assert least - rounding <= shares.rise <= most + rounding
    assert least - rounding <= shares.fall <= most + rounding
    gains = [final(system, [*history, mu + step]) - mu for step in (*further, 1e8)]
    losses = [mu - final(system, [*history, mu - step]) for step in (*further, 1e8)]
    for changes, limit in ((gains, shares.rise), (losses, shares.fall)):
        assert np.all(np.diff(changes) >= -2 * rounding)
        assert changes[-1] == pytest.approx(limit, rel=1e-6)
        assert changes[-1] <= limit + 1e-6


@pytest.mark.parametrize("rho", [0.0, 1.0, math.inf])
def test_5_7_in_contests(rho: float) -> None:
    """Beating stronger and stronger fields comes as close as one likes to the limit, and stays below it."""
    ladder = Ladder(EloMMR(rho=rho))
    for place in (1, 2, 3, 2, 1):
        ladder.record(ranks={"you": place} | {f"p{i}": (1, 2, 3)[i] for i in range(3) if i != place - 1})
    limits = ladder.system.shares(ladder.state, ladder.players.index_of["you"], NO_TIME)
    assert limits is not None
    field = [f"stranger {i}" for i in range(4)]
    missing: dict[str, list[float]] = {"rise": [], "fall": []}
    for rating in (500.0, 2000.0, 1e4, 1e6):
        for name in field:
            ladder.adjust(Anchor(player=name, mu=1500 + rating, sigma=100))
        won = ladder.preview(ranks={"you": 1} | dict.fromkeys(field, 2))[0]
        for name in field:
            ladder.adjust(Anchor(player=name, mu=1500 - rating, sigma=100))
        lost = ladder.preview(ranks={"you": 2} | dict.fromkeys(field, 1))[0]
        missing["rise"].append(limits.rise - won.gain)
        missing["fall"].append(limits.fall + lost.gain)
    for gaps in missing.values():
        assert gaps[0] > gaps[1] > gaps[2] > -1e-9
        assert gaps[-1] == pytest.approx(0.0, abs=1e-7)


def test_5_7_does_not_hold_for_elo_mmx() -> None:
    """Elo-MMχ lacks the R: a change is in proportion to the surprise."""
    system = EloMMX()
    near, far = (final(system, [1500.0 + surprise]) - 1500.0 for surprise in (1e3, 1e6))
    assert far == pytest.approx(1000 * near)
    assert system.shares(system.new_state(1), 0, NO_TIME) is None


# ------------------------------------------------------------------ [MMR] Theorem 4.1

PULL, TAU = math.pi**2 / 6, 2 * math.sqrt(3) / math.pi

FACTORS = st.lists(
    st.tuples(st.floats(-3000, 6000), st.floats(0.01, 100), st.floats(20, 1000)), min_size=1, max_size=12
)
"""Performance, multiplicity and β of logistic factors."""
PRIORS = st.tuples(st.floats(-1000, 4000), st.floats(1e-4, 100))
ADDED = st.floats(1e-6, 1e6)


class Belief:
    """A normal and some logistic factors; `diffused` is Algorithm 2 as compiled."""

    def __init__(self, prior: tuple[float, float], factors: list[tuple[float, float, float]]) -> None:
        self.p0, self.w0 = prior[0], prior[1] / 350.0**2
        self.p, multiplicity, beta = np.array(factors).T.copy()
        self.w, self.tau = multiplicity / beta**2, TAU * beta
        self.mu = self.mode()

    def mode(self) -> float:
        middle = float(np.median(self.p))
        return mode(
            middle,
            0.0,
            self.p0,
            self.w0,
            0,
            len(self.p),
            self.p,
            self.w,
            self.tau,
            PULL,
            room_for(len(self.p)),
        )

    @property
    def variance(self) -> float:
        return 1.0 / float(self.w0 + self.w.sum())

    def surer(self, times: float) -> Belief:
        """With all weights so many times larger."""
        self.w0, self.w = self.w0 * times, self.w * times
        return self

    def diffused(self, added: float, rho: float) -> Belief:
        new = object.__new__(Belief)
        new.p, new.w, new.tau, new.mu = self.p.copy(), self.w.copy(), self.tau.copy(), self.mu
        new.p0, new.w0, _ = drifted(
            self.variance,
            added,
            rho,
            DRIFT_TRANSFER,
            self.mu,
            self.p0,
            self.w0,
            0,
            len(new.p),
            new.p,
            new.w,
            new.tau,
        )
        return new


beliefs = st.builds(Belief, PRIORS, FACTORS)
finite_rho = st.sampled_from([0.0, 0.1, 0.5, 1.0, 3.0, 20.0])
any_rho = finite_rho | st.just(math.inf)


@cases(200)
@given(beliefs, ADDED, any_rho)
def test_4_1_rating_preservation_and_correct_magnitude(belief: Belief, added: float, rho: float) -> None:
    later = belief.diffused(added, rho)
    assert later.mode() == pytest.approx(belief.mu, abs=1e-6)
    assert later.variance == pytest.approx(belief.variance + added, rel=1e-12)


@cases(170)
@given(beliefs, ADDED, ADDED, any_rho)
def test_4_1_composability(belief: Belief, first: float, second: float, rho: float) -> None:
    twice, once = belief.diffused(first, rho).diffused(second, rho), belief.diffused(first + second, rho)
    assert twice.p0 == pytest.approx(once.p0, abs=1e-6)
    assert twice.w0 == pytest.approx(once.w0, rel=1e-9)
    assert twice.w == pytest.approx(once.w, rel=1e-9, abs=1e-300)
    assert twice.tau.tolist() == once.tau.tolist() == belief.tau.tolist()


@cases(100)
@given(beliefs, finite_rho)
def test_4_1_zero_diffusion(belief: Belief, rho: float) -> None:
    same, nearly = belief.diffused(0.0, rho), belief.diffused(1e-12 * belief.variance, rho)
    assert (same.p0, same.w0, same.w.tolist()) == (belief.p0, belief.w0, belief.w.tolist())
    assert nearly.w == pytest.approx(belief.w, rel=1e-10)
    assert nearly.w0 == pytest.approx(belief.w0, abs=1e-10 / belief.variance)
    # What comes to the normal factor pulls to the rating, from wherever it was.
    pull, pull_nearly = belief.w0 * (belief.p0 - belief.mu), nearly.w0 * (nearly.p0 - belief.mu)
    assert pull_nearly == pytest.approx(pull, rel=1e-9, abs=1e-9 / belief.variance)
    collapsed = belief.diffused(0.0, math.inf)
    assert not collapsed.w.any()
    assert collapsed.p0 == pytest.approx(belief.mu, abs=1e-9)


@cases(100)
@given(beliefs, ADDED, st.sampled_from([0.5, 1.0, 3.0]))
def test_4_1_zero_uncertainty(belief: Belief, added: float, rho: float) -> None:
    """With σ → 0 all weight goes to a normal factor around the rating, as ρ > 0; with ρ = 0 nothing does."""
    sure = belief.surer(1e20 / (added * belief.w0))
    later, kept = sure.diffused(added, rho), sure.diffused(added, 0.0)
    part = (sure.variance / (sure.variance + added)) ** rho
    assert part < 1e-9
    assert later.w0 == pytest.approx(1 / added, rel=1e-8)
    assert later.w.sum() * added <= 2 * part
    assert abs(later.p0 - belief.mu) <= 2 * part * abs(belief.p0 - belief.mu) + 1e-9
    assert kept.p0 == belief.p0
    assert kept.w.sum() / (kept.w.sum() + kept.w0) == pytest.approx(sure.w.sum() * sure.variance)


@cases(130)
@given(beliefs, ADDED, any_rho, st.floats(0, 1000), st.data())
def test_4_1_incentive_compatibility(belief: Belief, added: float, rho: float, up: float, data: Any) -> None:
    """Weights ignore performances; the centre of the normal factor rises with the rating."""
    k = data.draw(st.integers(0, len(belief.p) - 1))
    better = object.__new__(Belief)
    better.p0, better.w0, better.w, better.tau = belief.p0, belief.w0, belief.w, belief.tau
    better.p = belief.p.copy()
    better.p[k] += up
    better.mu = better.mode()
    assert better.mu >= belief.mu - 1e-7
    later, later_better = belief.diffused(added, rho), better.diffused(added, rho)
    assert later_better.w0 == later.w0
    assert later_better.w.tolist() == later.w.tolist()
    assert later_better.p0 >= later.p0 - 1e-7


# ------------------------------------------------------------------ [R], section 6

PERFORMANCES = st.lists(st.floats(-3000, 6000).map(round), min_size=2, max_size=8)


@cases(200)
@given(PERFORMANCES, st.sampled_from([30.0, 100.0, 350.0]), st.data())
def test_elo_r_swaps_with_leading_noise(performances: list[float], sigma: float, data: Any) -> None:
    """The better of any two is worth more when it is the later: weights alone differ, and shrink with age."""
    first = data.draw(st.integers(0, len(performances) - 2))
    second = data.draw(st.integers(first + 1, len(performances) - 1))
    swapped = performances.copy()
    swapped[first], swapped[second] = swapped[second], swapped[first]
    gain = final(EloR(noise="leading"), swapped, sigma) - final(EloR(noise="leading"), performances, sigma)
    assert gain * math.copysign(1.0, performances[first] - performances[second]) >= -1e-7


@cases(200)
@given(PERFORMANCES, st.data())
def test_elo_r_swaps_of_neighbours_with_normal_noise(performances: list[float], data: Any) -> None:
    """The same of neighbours in time, for players whose deviation is where it stays."""
    first = data.draw(st.integers(0, len(performances) - 2))
    swapped = performances.copy()
    swapped[first : first + 2] = swapped[first + 1], swapped[first]
    system = EloR(noise="normal")
    gain = final(system, swapped, system.sigma_limit) - final(system, performances, system.sigma_limit)
    assert gain * math.copysign(1.0, performances[first] - performances[first + 1]) >= -1e-7


@pytest.mark.parametrize(
    ("noise", "sigma", "earlier", "later", "gain"),
    [
        # A newcomer's first result moves them further than any later one can.
        ("normal", 350.0, [5000, 1500], [1500, 5000], -170.388),
        # What comes between sees another rating.
        ("normal", 100.0, [3200, -1600, 450, 1000, 1250], [1250, -1600, 450, 1000, 3200], -7.004),
        # An old outlier has a wider τ, and pulls harder for its weight.
        ("all", 350.0, [5000, 0, 2500], [2500, 0, 5000], -3.294),
        ("all", 100.0, [*[1500] * 6, 1000, 500], [*[1500] * 6, 500, 1000], -0.782),
        # Here weights even depend on performances.
        ("fancy", 350.0, [1000, 5000, 2500], [1000, 2500, 5000], -2.121),
    ],
)
def test_elo_r_swaps_can_go_wrong(
    noise: Any, sigma: float, earlier: list[float], later: list[float], gain: float
) -> None:
    """Moving the better of two performances forward in time lowers the rating."""
    system = EloR(noise=noise)
    assert final(system, later, sigma) - final(system, earlier, sigma) == pytest.approx(gain, abs=1e-3)


def test_fancy_noise_is_not_monotone() -> None:
    """[R], 6.2.4: "Regrettably, it fails the monotonicity criterion": 2000 points more, 2.9 points less."""
    system = EloR(noise="fancy")
    before, after = final(system, [2500, 2500, 500, 0]), final(system, [4500, 2500, 500, 0])
    assert before == pytest.approx(1422.988, abs=1e-3)
    assert after == pytest.approx(1420.077, abs=1e-3)
    for noise in ("normal", "leading", "all"):
        other = EloR(noise=noise)
        assert final(other, [4500, 2500, 500, 0]) > final(other, [2500, 2500, 500, 0])


@cases(170)
@given(contests(SANE, 20), st.floats(1, 350), st.sampled_from(["whole", "half"]))
def test_elo_r_ties_of_the_equally_sure(contest: Contest, sigma: float, ties: Any) -> None:
    """[R]: in ties, who is rated higher performs slightly higher; so it is where ties are split."""
    mu, _, ranks = contest
    performance = shown(EloR(ties=ties), (mu, [sigma] * len(mu), ranks))
    ordered = sorted(zip(ranks, mu, performance, strict=True))
    for (rank, rating, p), (other_rank, other_rating, other_p) in combinations(ordered, 2):
        if rank < other_rank:
            assert p > other_p
        elif ties == "whole":
            assert p == other_p
        else:
            assert p < other_p or other_rating - rating < 1e-6
            assert p <= other_p + 1e-9


def test_elo_r_ties_of_the_unequally_sure() -> None:
    """Who is surer is held to their rating more: the higher rated of two may perform lower."""
    contest = ([1510.0, 1500.0, 1500.0], [20.0, 350.0, 80.0], [1, 1, 2])
    high, low, _ = shown(EloR(ties="half"), contest)
    assert high < low - 10


def test_elo_r_response() -> None:
    """[R], 6.3: 1000 until convergence, then 3000: 48 points, the most there can be, then 63, 566 at last."""
    system, settled = EloR(noise="all"), [1000.0] * 200
    state, rating = performed(system, settled)
    curve = [final(system, [*settled, *[3000.0] * n]) for n in range(1, 8)]
    assert rating == pytest.approx(1000.0, abs=1e-6)
    assert curve == pytest.approx([1047.9, 1111.4, 1198.1, 1322.6, 1517.2, 1874.6, 2440.6], abs=0.06)
    assert round(system.shares(state, 0, NO_TIME).rise) == 48
    assert round(curve[-1] - curve[-2]) == 566


@pytest.mark.parametrize("noise", ["fancy", "normal", "leading", "all"])
def test_elo_r_public_rating(noise: Any) -> None:
    """[R], section 5: r − 208 after the first contest, r − 120 after the second."""
    ladder = Ladder(EloR(noise=noise))
    for penalty in (208, 120):
        for change in ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}):
            assert round(change.mu - change.display) == penalty
