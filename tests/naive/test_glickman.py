"""The worked examples of Glickman's papers, against the naive twins.

[G1] Mark E. Glickman, "The Glicko system", http://www.glicko.net/glicko/glicko.pdf
[G2] Mark E. Glickman, "Example of the Glicko-2 system", http://www.glicko.net/glicko/glicko2.pdf
"""

import math

import pytest

from . import glicko, glicko2
from .events import Event

# Both papers rate a player of 1500/200 who in one period beats one opponent and loses to two others.
START = {"player": (1500.0, 200.0), "a": (1400.0, 30.0), "b": (1550.0, 100.0), "c": (1700.0, 300.0)}
GAMES = [
    Event([["player"], ["a"]], [1, 2], time=4.0),
    Event([["player"], ["b"]], [2, 1], time=5.0),
    Event([["player"], ["c"]], [2, 1], time=6.0),
]
WEEK = 7


def test_g_of_the_opponents():
    """[G1] and [G2]: g(RD_j) = 0.9955, 0.9531, 0.7242."""
    g1 = [glicko.Glicko().g(rd) for rd in (30, 100, 300)]
    g2 = [glicko2.g(rd / 173.7178) for rd in (30, 100, 300)]
    assert g1 == pytest.approx([0.9955, 0.9531, 0.7242], abs=5e-5)
    assert g2 == pytest.approx([0.9955, 0.9531, 0.7242], abs=5e-5)


def test_glicko_period():
    """[G1]: r' = 1464, RD' = 151.4; to more places 1464.106 and 151.399."""
    mu, sigma = glicko.rate(GAMES, START, period=WEEK).ratings["player"]
    assert mu == pytest.approx(1464.0, abs=0.5)
    assert sigma == pytest.approx(151.4, abs=0.05)


def test_expected():
    """[G1]: a player of 1400/80 against one of 1500/150 expects 0.376."""
    assert glicko.expected(1400, 80, 1500, 150) == pytest.approx(0.376, abs=5e-4)
    assert glicko2.expected(1400, 80, 1500, 150) == pytest.approx(0.376, abs=5e-4)


def test_glicko_growth():
    """[G1], step 1: with c^2 = (350^2 - 50^2) / t, an RD of 50 has grown back to 350 after t periods."""
    c = math.sqrt((350**2 - 50**2) / 100)
    assert c == pytest.approx(34.6, abs=0.05)
    rules = glicko.Glicko(c=c, period=WEEK)
    first = Event([["player"], ["a"]], [1, 2], time=4.0)
    later = [Event([["player"], ["a"]], [1, 2], time=4.0 + WEEK * weeks) for weeks in (1, 100, 1000)]
    believed = glicko.Belief(1500.0, 50.0)
    sigmas = [rules.grown(believed, first, event).sigma for event in later]
    assert sigmas == pytest.approx([math.hypot(50, c), 350, 350])


def test_glicko2_period():
    """[G2]: r' = 1464.06, RD' = 151.52, sigma' = 0.05999 with its rounded intermediate results.

    Without rounding: 1464.051, 151.517, 0.059996.
    """
    outcome = glicko2.rate(GAMES, START, tau=0.5, volatility=0.06, period=WEEK)
    mu, sigma = outcome.ratings["player"]
    assert mu == pytest.approx(1464.06, abs=0.015)
    assert sigma == pytest.approx(151.52, abs=0.005)
    assert outcome.volatilities["player"] == pytest.approx(0.05999, abs=1e-5)
    assert (round(mu, 3), round(sigma, 3)) == (1464.051, 151.517)
    assert round(outcome.volatilities["player"], 6) == 0.059996


def test_glicko2_steps():
    """[G2]: step 3 has v = 1.7785, step 4 delta = -0.4834, step 5 sigma' = 0.05999."""
    rules = glicko2.Glicko2()
    beliefs = {name: rules.seeded(*given) for name, given in START.items()}
    pieces = [rules.evidence(game, beliefs)[0] for game in GAMES]
    v = 1 / sum(information for information, _ in pieces)
    delta = v * sum(surprise for _, surprise in pieces)
    assert v == pytest.approx(1.7785, abs=5e-4)  # 1.77898 without the paper's rounding
    assert delta == pytest.approx(-0.4834, abs=6e-4)  # -0.48393
    assert glicko2.new_volatility(200 / 173.7178, 0.06, v, delta, 0.5) == pytest.approx(0.05999, abs=1e-5)


@pytest.mark.parametrize("system", [glicko, glicko2])
def test_events_of_a_period_are_simultaneous(system):
    """[G1] and [G2]: the order of a period's games does not matter; the trace ends where the ratings are."""
    forwards = system.rate(GAMES, START, period=WEEK)
    backwards = system.rate(GAMES[::-1], START, period=WEEK)
    for name in START:
        assert forwards.ratings[name] == pytest.approx(backwards.ratings[name], rel=1e-14)
    last = [row for row in forwards.trace if row.player == "player"][-1]
    assert (last.mu, last.sigma) == forwards.ratings["player"]
