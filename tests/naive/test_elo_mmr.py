"""Published and independently found values, against the naive twins of Elo-MMR, Elo-MMX and Elo-R.

[R] Ebtekar, "Elo-R Competition Rating System" (2015, revised 2020).
"""

import math
from itertools import permutations

import pytest

from . import elo_mmr, elo_mmx, elo_r
from .events import Event
from .performances import Gaussian, Logistic, hazard, mills, performances

TWINS = [elo_mmr, elo_mmx, elo_r]


def contest(*groups: str, **columns) -> Event:
    """An event from names in order of rank; letters of one group are tied."""
    ranked = [(name, rank) for rank, group in enumerate(groups, start=1) for name in group]
    return Event([[name] for name, _ in ranked], [rank for _, rank in ranked], **columns)


CONTESTS = [contest(*"ABCDE"), contest("E", "AB", "D", "C"), contest(*"CADEB")]

# ---------------------------------------------------------------------------------------------------------
# Phase one


@pytest.mark.parametrize(
    ("z", "ratio"),
    # sqrt(pi / 2) e^(z^2 / 2) - sum of z^(2k + 1) / (2k + 1)!!, summed with 400 digits in decimal arithmetic
    [
        (-8.0, 197930788642469.18002),
        (-2.0, 18.100247711126152662),
        (0.0, 1.2533141373155002512),
        (1.0, 0.65567954241879847154),
        (2.0, 0.42136922928805447322),
        (2.5, 0.35426511132979366678),
        (3.0, 0.30459029871010329573),
        (5.0, 0.19280810471531576488),
        (10.0, 0.099028596471731921395),
        (20.0, 0.049875925981836783658),
    ],
)
def test_mills_ratio(z, ratio):
    assert mills(z) == pytest.approx(ratio, rel=1e-15)
    assert hazard(z) == pytest.approx(1 / ratio, rel=1e-15)


def test_mills_ratio_is_seamless():
    """On both sides of the change of formula the ratio obeys R' = z R - 1."""
    step = 1e-3
    slope = (mills(2.5 + step) - mills(2.5 - step)) / (2 * step)
    assert slope == pytest.approx(2.5 * mills(2.5) - 1, rel=1e-5)
    beyond = math.nextafter(2.5, 3)
    assert mills(beyond) == pytest.approx(mills(2.5), rel=1e-15)


def test_far_tails():
    assert hazard(1e6) == pytest.approx(1e6 + 1e-6, rel=1e-15)
    assert hazard(-1e3) == 0.0


@pytest.mark.parametrize("ties", ["whole", "half", "others half"])
@pytest.mark.parametrize("family", [Logistic, Gaussian])
def test_equals_in_a_tie_perform_as_rated(family, ties):
    found = performances(family, [1500.0] * 4, [100.0] * 4, [1, 1, 1, 1], ties)
    assert found == pytest.approx([1500.0] * 4, abs=1e-11)


def test_a_logistic_win_in_closed_form():
    """Equal players: 1 - 2F + 1 - F = 0, that is F = 2/3, where the win counts whole and oneself too."""
    won, lost = performances(Logistic, [1500.0, 1500.0], [100.0, 100.0], [1, 2])
    assert won == pytest.approx(1500 + 100 * math.log(2), abs=1e-11)
    assert lost == pytest.approx(1500 - 100 * math.log(2), abs=1e-11)
    # With the tie with oneself halved, 1/2 - F + 1 - F = 0: F = 3/4.
    won, _ = performances(Logistic, [1500.0, 1500.0], [100.0, 100.0], [1, 2], "half")
    assert won == pytest.approx(1500 + 100 * math.log(3), abs=1e-11)
    # Only a tie with another is halved: here there is none.
    assert performances(Logistic, [1500.0] * 2, [100.0] * 2, [1, 2], "others half")[0] == pytest.approx(
        1500 + 100 * math.log(2), abs=1e-11
    )


def test_ties_with_others_of_elo_r():
    """Half a win and half a loss against j, oneself whole: (1 - 2F)/2 + (1 - 2F) + (1 - F) = 0, all equal."""
    found = performances(Logistic, [0.0] * 3, [1.0] * 3, [1, 1, 2], "others half")
    # 5/2 = 4 F
    assert found[0] == pytest.approx(math.log(0.625 / 0.375), abs=1e-14)


def test_far_clusters_meet_in_the_middle():
    """An upset: the weak winner and the strong loser both balance in the whole gap, 40 scales from either."""
    assert performances(Logistic, [0.0, 10_000.0], [10.0, 10.0], [1, 2]) == pytest.approx([5_000.0] * 2)
    # The gap is between the last of the weak cluster and the first of the strong one.
    mus, scales, ranks = [0.0, 100.0, 10_000.0, 11_000.0], [10.0] * 4, [1, 2, 3, 4]
    middle = performances(Logistic, mus, scales, ranks)[1]
    assert middle == pytest.approx(((100 + 400) + (10_000 - 400)) / 2, abs=1e-9)


def test_near_clusters_are_no_gap():
    """30 scales apart everybody's tail counts, although it is small."""
    # The winner at 0: 1 - 2F_0 against one strong loser, and two weak ones who lose as well.
    mus, d = [0.0, 0.0, 0.0, 30.0], 30.0
    winner = performances(Logistic, mus, [1.0] * 4, [1, 2, 2, 2])[0]
    # -1 + 2t + 2t + (1 - u) = 0 with tails t at x and u at d - x, where 4t = u: e^(d - 2x) = 1/4
    assert winner == pytest.approx((d + math.log(4)) / 2, abs=1e-6)


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("ties", ["whole", "half"])
def test_six_places_of_equals_are_symmetric(twin, ties):
    rows = twin.rate([contest(*"ABCDEF")], ties=ties).trace
    shown = [row.performance for row in rows]
    assert shown == sorted(shown, reverse=True)
    assert [p - 1500 for p in shown] == pytest.approx([1500 - p for p in reversed(shown)], abs=1e-9)


# ---------------------------------------------------------------------------------------------------------
# Elo-MMR

# Two other implementations, which agree to 2e-12. A to E and the deviation of all, after each contest.
GOLDEN = [
    ([1799.512532, 1629.391427, 1500.0, 1370.608573, 1200.487468], 171.195444),
    ([1714.854461, 1630.002520, 1362.082061, 1354.375266, 1487.530469], 130.482991),
    ([1695.445049, 1528.665469, 1498.750685, 1395.705964, 1427.348004], 111.338743),
]


@pytest.mark.parametrize("played", [1, 2, 3])
def test_elo_mmr_golden(played):
    ratings = elo_mmr.rate(CONTESTS[:played]).ratings
    mus, sigma = GOLDEN[played - 1]
    assert [ratings[name][0] for name in "ABCDE"] == pytest.approx(mus, abs=1e-6)
    assert [ratings[name][1] for name in "ABCDE"] == pytest.approx([sigma] * 5, abs=1e-6)


def test_infinite_rho_collapses_without_diffusion():
    belief = elo_mmr.updated(elo_mmr.gaussian(1500.0, 350.0), 2500.0, 200.0**2)
    collapsed = elo_mmr.diffused(belief, 0.0, math.inf)
    assert collapsed.p0 == belief.mu
    assert collapsed.w0 == pytest.approx(1 / belief.sigma**2)
    assert all(term.weight == 0 for term in collapsed.terms)
    assert elo_mmr.diffused(belief, 0.0, 1.0) == belief


@pytest.mark.parametrize("rho", [0.0, 0.5, 1.0, math.inf])
def test_diffusion_keeps_the_rating_and_adds_its_variance(rho):
    """Theorem 4.1, rating preservation and correct magnitude."""
    belief = elo_mmr.gaussian(1500.0, 350.0)
    for performance in (2500.0, 1200.0, 1700.0):
        belief = elo_mmr.updated(elo_mmr.diffused(belief, 500.0, rho), performance, 200.0**2)
    later = elo_mmr.diffused(belief, 900.0, rho)
    assert elo_mmr.mode(later) == pytest.approx(belief.mu, abs=1e-10)
    assert 1 / (later.w0 + sum(term.weight for term in later.terms)) == pytest.approx(belief.sigma**2 + 900)
    assert later.sigma**2 == pytest.approx(belief.sigma**2 + 900)


def test_weights_act_through_the_limits():
    """Convention 8, with numbers: sigma_lim = 80, w = 0.2, drift 7, an event that counts for 3."""
    drift, omega, w = 7.0, 3.0, 0.2
    beta2 = (1 + 1 / w) * 80**2 + drift / w
    weighted = elo_mmr.weighted(beta2, w * 80**2, drift, omega)
    w *= omega
    assert weighted == pytest.approx(((1 + 1 / w) * 80**2 + drift / w, w * 80**2))


def test_the_limit_of_the_deviation_does_not_depend_on_weights():
    for omega in (0.5, 1.0, 3.0):
        ratings = elo_mmr.rate([contest("A", "B", weight=omega)] * 60).ratings
        assert ratings["A"][1] == pytest.approx(80.0, abs=1e-3)


# ---------------------------------------------------------------------------------------------------------
# Elo-MMX


def test_elo_mmx_belief_is_the_product():
    [a, b] = elo_mmx.rate([contest("A", "B")], beta=200.0, gamma=30.0).trace
    prior, new = 1 / (350**2 + 30**2), 1 / 200**2
    assert a.sigma == pytest.approx((prior + new) ** -0.5)
    assert a.mu - 1500 == pytest.approx((a.performance - 1500) * new / (prior + new))
    assert a.mu - 1500 == pytest.approx(1500 - b.mu)
    # The winner's performance: -z + phi(z) / Phi(z) = 0 at z = 0.506054...
    z = (a.performance - 1500) / math.sqrt(350**2 + 30**2 + 200**2)
    assert math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) == pytest.approx(
        z * math.erfc(-z / math.sqrt(2)) / 2
    )


# ---------------------------------------------------------------------------------------------------------
# Elo-R


def test_elo_r_noise_magnitude():
    """[R], section 5: eta = 43.64."""
    assert math.sqrt(elo_r.EloR().gamma2()) == pytest.approx(43.64, abs=0.005)


@pytest.mark.parametrize("noise", ["fancy", "normal", "leading", "all"])
def test_elo_r_penalty_of_newcomers(noise):
    """[R], section 5: the public rating r - 2 (sigma - sigma*) is r - 208 at first, then r - 120."""
    for played, penalty in ((1, 208), (2, 120)):
        ratings = elo_r.rate(CONTESTS[:played], noise=noise).ratings
        for _, sigma in ratings.values():
            assert 2 * (sigma - 100) == pytest.approx(penalty, abs=0.5)


def test_elo_r_response():
    """[R], section 6.3: 48 points, 63 more, 1875 after six, 566 more at the seventh: that is "all"."""
    eta2, belief = elo_r.EloR().gamma2(), elo_r.gaussian(1500.0, 350.0)
    for _ in range(200):
        belief = elo_r.updated(elo_r.noised(belief, eta2, "all"), 1000.0, 250.0**2)
    curve = []
    for _ in range(7):
        belief = elo_r.updated(elo_r.noised(belief, eta2, "all"), 3000.0, 250.0**2)
        curve.append(belief.mu)
    assert curve == pytest.approx([1047.9, 1111.4, 1198.1, 1322.6, 1517.2, 1874.6, 2440.6], abs=0.06)


@pytest.mark.parametrize("noise", ["fancy", "normal", "leading", "all"])
def test_elo_r_noise_adds_its_variance(noise):
    belief = elo_r.gaussian(1500.0, 350.0)
    for performance in (2500.0, 1200.0, 1700.0):
        belief = elo_r.updated(elo_r.noised(belief, 2000.0, noise), performance, 250.0**2)
    later = elo_r.noised(belief, 2000.0, noise)
    assert later.sigma**2 == pytest.approx(belief.sigma**2 + 2000)
    assert 1 / elo_r.total_weight(later.w0, later.terms) == pytest.approx(belief.sigma**2 + 2000)
    assert later.mu == belief.mu
    # Section 6.2: all but "all" preserve the mode.
    assert (elo_r.mode(later) == pytest.approx(belief.mu, abs=1e-9)) == (noise != "all")


# ---------------------------------------------------------------------------------------------------------
# The walk


@pytest.mark.parametrize("twin", TWINS)
def test_held_players_are_seen_and_stay(twin):
    times = [contest("A", "B", "C", time=0.0), contest("C", "B", "A", time=10.0, held=frozenset("B"))]
    outcome = twin.rate(times, drift_per_day=5.0)
    before, held = outcome.trace[1], outcome.trace[4]
    assert (held.player, held.mu_before, held.mu) == ("B", before.mu, before.mu)
    assert held.sigma == held.sigma_before == pytest.approx(math.sqrt(before.sigma**2 + 50.0))
    assert outcome.ratings["B"] == (before.mu, before.sigma)
    rated = twin.rate([times[0], contest("C", "B", "A", time=10.0)], drift_per_day=5.0)
    assert outcome.ratings["A"] == rated.ratings["A"]
    assert held.performance == rated.trace[4].performance
    # Still ten days and more since the last event that was rated.
    later = twin.rate([*times, contest("A", "B", time=30.0)], drift_per_day=5.0).trace[-1]
    assert later.sigma_before == pytest.approx(math.sqrt(before.sigma**2 + 150.0))


@pytest.mark.parametrize("twin", TWINS)
def test_no_days_before_the_first_event(twin):
    start = {"A": (1600.0, 200.0)}
    early, late = (
        twin.rate([contest("A", "B", time=time)], start, drift_per_day=5.0) for time in (0.0, 1000.0)
    )
    assert early.trace == late.trace
    assert early.trace[0].sigma_before == 200.0


@pytest.mark.parametrize("twin", TWINS)
def test_ceiling(twin):
    free, capped = (twin.rate([contest(*"ABC", ceiling=c)]).trace for c in (None, 1550.0))
    assert free[0].performance > 1550 == capped[0].performance
    assert free[0].mu > capped[0].mu > 1500
    assert free[1:] == capped[1:]


@pytest.mark.parametrize("twin", TWINS)
def test_newcomer_weights(twin):
    """Where all are equally new, factors for first events do the same as weights of those events."""
    factors = twin.rate(CONTESTS, newcomer_weights=(0.5, 0.75)).ratings
    weights = [contest(*"ABCDE", weight=0.5), contest("E", "AB", "D", "C", weight=0.75), CONTESTS[2]]
    assert factors == twin.rate(weights).ratings
    assert factors != twin.rate(CONTESTS).ratings


@pytest.mark.parametrize("twin", TWINS)
def test_order_of_rows_does_not_matter(twin):
    expected = twin.rate([contest("A", "BC")], {"A": (1400.0, 100.0)}).ratings
    for order in permutations([("A", 1), ("B", 2), ("C", 2)]):
        event = Event([[name] for name, _ in order], [rank for _, rank in order])
        assert twin.rate([event], {"A": (1400.0, 100.0)}).ratings == expected


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize(
    ("event", "parameters"),
    [
        (Event([["A"], ["B"]], [1, 2], share=0.7), {}),
        (contest("AB"), {"ties": "thirds"}),
    ],
)
def test_refusals(twin, event, parameters):
    with pytest.raises(ValueError, match=r"is a ranking|ties are"):
        twin.rate([event], **parameters)


class TeammatesAsNoise(elo_mmx.EloMMX):
    """Elo-MMX by the rule that Elo-MMR and Elo-R have for teams."""

    contributions = elo_mmr.TwoPhase.contributions
    teammates_scatter = elo_mmr.TwoPhase.teammates_scatter


def test_the_rule_for_teams_is_exact_where_everything_is_normal():
    """Beliefs are those of conditioning on the team's performance, which `elo_mmx` derives another way."""
    events = [
        Event([["A", "B"], ["C"], ["D", "E", "F"]], [2, 1, 3]),
        Event([["A", "C", "D"], ["B", "E"], ["F"]], [1, 2, 2], ceiling=1600.0, weight=0.5),
    ]
    start = {"A": (1700.0, 60.0), "D": (1300.0, 200.0)}
    ours, exact = (kind().rate(events, start).ratings for kind in (TeammatesAsNoise, elo_mmx.EloMMX))
    assert ours.keys() == exact.keys()
    for name in exact:
        assert ours[name] == pytest.approx(exact[name], rel=1e-12)
