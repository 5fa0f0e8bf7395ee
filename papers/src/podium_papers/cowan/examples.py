"""Examples 2.4 to 2.18, 4.1 and 4.2: what they print, and what `podium.systems.luck` makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

from podium.errors import InputError
from podium.history import SetRating
from podium.ladder.ladder import Ladder
from podium.systems.glicko.glicko import Glicko
from podium.systems.luck import (
    BRADLEY_TERRY,
    FAIR_COIN,
    FIDE,
    HEAVISIDE,
    MAJORITY,
    LuckFunction,
    coin_flip,
    margin,
)
from podium_papers.cowan import published
from podium_papers.items import Number, Result, Setting
from podium_papers.luck_model import (
    Comparisons,
    Measure,
    dirac,
    dirac_kernel,
    dirac_only,
    expected_score,
    grow,
    mixture,
    posterior,
)
from podium_papers.printed import Printed

EXACT = "exact"
POINTS = LuckFunction("points", lambda x, y: 1 / (1 + 10 ** ((y - x) / 400)))


def examples(setting: Setting) -> Result:
    """Compute every example that has numbers, or a formula that can be tried on numbers."""
    parts = [games, performances, chess_or_coin, nobody_is_best, glicko, shared_account, discrete]
    parts += [growth, match, steps]
    return Result(
        """
        Where an example prints numbers, ours stand beside them: those of Example 4.1 as exact fractions.
        Where it prints a formula or names a model, that is tried on numbers of our own, and its value stands
        in the remark; where the model's side is a sum over points instead of an integral, the two differ by
        what the sum misses.

        Example 2.13 describes Glicko as an approximation of the model; it is compared here with the belief it
        approximates. In Example 2.14 a belief that an account always performs alike cannot explain a win
        after a loss; podium refuses what a belief holds to be impossible, with an error that says so.
        """,
        numbers=[number for part in parts for number in part()],
    )


def games() -> list[Number]:
    """Examples 2.4, 2.5 and 2.8."""
    strengths = (2.0, 1.0), (1.0, 1.0), (1.0, 2.0)
    better = [expected_score(HEAVISIDE, dirac(x), dirac(y)) for x, y in strengths]
    coin = {expected_score(FAIR_COIN, dirac(x), dirac(y)) for x, y in strengths}
    natural = math.log(10.0) / 400.0
    fide = [expected_score(FIDE, dirac(gap * natural), dirac(0.0)) for gap in (401.0, -401.0)]
    two_and_three = Fraction(expected_score(BRADLEY_TERRY, dirac(2), dirac(3)))
    return [
        published.BETTER_WINS.beside(
            "2.4: Λ = H for x > y, x = y and x < y",
            ", ".join(f"{x:g}" for x in better),
            EXACT,
            _as_printed(better == [1.0, 0.5, 0.0]),
        ),
        published.CHANCE.beside(
            "2.4: a game of chance alone",
            ", ".join(f"{x:g}" for x in coin),
            EXACT,
            _as_printed(coin == {0.5}),
        ),
        published.BRADLEY_TERRY.beside(
            "2.5: Bradley and Terry, strengths 2 and 3",
            str(two_and_three),
            EXACT,
            _as_formula(float(two_and_three), 2 / (2 + 3)),
        ),
        published.FIDE.beside(
            "2.8: FIDE, more than 400 points ahead and behind",
            " and ".join(f"{chance:.6f}" for chance in fide),
            EXACT,
            _as_printed(max(abs(fide[0] - 10 / 11), abs(fide[1] - 1 / 11)) < 1e-12),
        ),
    ]


def _as_printed(same: bool) -> str:
    return "as printed" if same else "not as printed"


def _as_formula(ours: float, value: float, near: float = 1e-12) -> str:
    """The remark on a printed formula: its value, and whether ours is the same."""
    return f"the formula gives {value:.4f}" + ("" if abs(ours - value) < near else ", not the same")


def _performances(density: Callable[[float], float], low: float, high: float) -> Measure[float]:
    step = 0.05
    points = [k * step for k in range(round(low / step), round(high / step) + 1)]
    return Measure.of_density(density, points)


def _gumbel(at: float) -> Measure[float]:
    return _performances(lambda z: math.exp(-(z - at) - math.exp(-(z - at))), at - 3.0, at + 12.0)


def _normal(at: float) -> Measure[float]:
    return _performances(NormalDist(at, 1.0).pdf, at - 7.0, at + 7.0)


def performances() -> list[Number]:
    """Examples 2.6 and 2.7: the better performance wins."""
    two = NormalDist(1.0, math.sqrt(2.0))
    beyond = 1.0 - (two.cdf(0.525) + two.cdf(-0.525)) / 2.0
    cases = [
        (
            "2.6: Gumbel performances",
            published.LINEAR["Gumbel"],
            _gumbel,
            HEAVISIDE,
            1.0 / (1.0 + math.exp(-1.0)),
        ),
        ("2.6: normal performances", published.LINEAR["normal"], _normal, HEAVISIDE, 1.0 - two.cdf(0.0)),
        ("2.7: normal performances, a margin of 0.525", published.MARGIN, _normal, margin(0.525), beyond),
    ]
    numbers = []
    for what, printed, draw, luck, exact in cases:
        ours = float(expected_score(luck, draw(1.0), draw(0.0)))
        remark = _as_formula(ours, exact, near=2e-4)
        source = "sums over points 1/20 apart"
        numbers.append(printed.beside(f"{what}, one apart", f"{ours:.4f}", source, remark))
    return numbers


def chess_or_coin() -> list[Number]:
    """Example 2.9: nobody wins more often than (1 + β)/2."""
    game = coin_flip(BRADLEY_TERRY, 0.8)
    champion, author, rock = dirac(10**24), dirac(10**12), dirac(1)
    pairs = {"champion and author": (champion, author), "author and rock": (author, rock)}
    pairs["champion and rock"] = (champion, rock)
    numbers = []
    for who, (a, b) in pairs.items():
        ours = float(expected_score(game, a, b))
        remark = _as_formula(ours, (1.0 + 0.8) / 2.0, near=1e-9)
        numbers.append(published.COIN.beside(f"2.9: G_β with β = 4/5, {who}", f"{ours:.9f}", EXACT, remark))
    return numbers


def nobody_is_best() -> list[Number]:
    """Example 2.10: three players in a circle, each beaten by the next."""
    a, b, c = dirac((3, 3, 3)), dirac((4, 4, 1)), dirac((5, 2, 2))
    scores = [expected_score(MAJORITY, *pair) for pair in ((a, b), (b, c), (c, a))]
    ours = ", ".join(f"{score:g}" for score in scores)
    remark = _as_printed(not any(scores))
    return [published.NOBODY.beside("2.10: L(A, B), L(B, C), L(C, A)", ours, EXACT, remark)]


def glicko() -> list[Number]:
    """Example 2.13: a normal prior, Bradley and Terry's curve, and Glicko's approximation of what follows."""
    ann = Measure.of_density(NormalDist(1500, 200).pdf, range(0, 3001, 20))
    bob = Measure.of_density(NormalDist(1600, 100).pdf, range(900, 2301, 20))
    after = mixture(posterior(POINTS, dirac_only(ann), dirac_only(bob), 1))
    ladder = Ladder(Glicko(c=0.0))
    for name, (mu, sigma) in {"ann": (1500.0, 200.0), "bob": (1600.0, 100.0)}.items():
        ladder.adjust(SetRating(player=name, mu=mu, sigma=sigma))
    ladder.record_match("ann", "bob")
    rating = ladder.rating("ann")
    return [
        Number(
            "2.13: 1500 ± 200 beats 1600 ± 100: the posterior",
            f"{float(after.mean):.1f} ± {math.sqrt(after.variance):.1f}",
            "sums over points 20 apart",
            place="Example 2.13",
            remark=f"Glicko's normal approximation: {rating.mu:.1f} ± {rating.sigma:.1f}",
        )
    ]


def shared_account() -> list[Number]:
    """Example 2.14: Alice (−1) and Abi (1) share an account and meet B, of strength 0."""
    cells = 200
    grid = [Fraction(2 * k + 1, 2 * cells) for k in range(cells)]
    learned = Comparisons(HEAVISIDE, prior=Measure.uniform(Measure({-1: p, 1: 1 - p}) for p in grid))
    learned.seed("B", dirac(dirac(0)))
    for score in (1, 0, 1, 1, 1, 0):
        learned.record("A", "B", score)
    alike = Comparisons(HEAVISIDE, prior=dirac_only(Measure.uniform(range(-3, 4))))
    alike.seed("B", dirac(dirac(0)))
    alike.seed("C", dirac(dirac(1)))
    alike.record("A", "B", 1)
    below = mixture(alike.belief("A")).chance(lambda x: x < 0)
    alike.record("A", "B", 0)
    elsewhere = mixture(alike.belief("A")).chance(lambda x: x != 0)
    try:
        alike.record("A", "C", 1)
        impossible = "recorded"
    except InputError:
        impossible = "refused"
    p = Fraction(3, 10)  # Alice plays, and loses to B and C; Abi wins against both
    shared, b, c = Measure({-1.0: p, 1.0: 1 - p}), dirac(0.0), dirac(0.5)
    beats_b, beats_c = (float(expected_score(HEAVISIDE, shared, other)) for other in (b, c))
    occurs = beats_b * (1 - beats_b) * beats_c
    again = float(learned.expected_score("A", "B"))
    return [
        published.BETA.beside(
            "2.14: chance to win again after four wins and two losses",
            f"{again:.4f}",
            f"sums over {cells} values of p",
            # the mean of a beta distribution from a uniform prior: (4 + 1)/(6 + 2)
            _as_formula(again, 5 / 8, near=1e-4),
        ),
        published.BELOW.beside(
            "2.14, always alike: mass below y after A > B", f"{below}", EXACT, _as_printed(below == 0)
        ),
        published.ELSEWHERE.beside(
            "2.14, always alike: mass off y after A > B and B > A",
            f"{elsewhere}",
            EXACT,
            _as_printed(elsewhere == 0),
        ),
        published.UNDEFINED.beside("2.14, always alike: then A > C, with C above B", impossible, EXACT),
        published.PROPORTION.beside(
            f"2.14: the chance of A > B, B > A and A > C, with p = {p}",
            f"{occurs:.4f}",
            EXACT,
            _as_formula(occurs, float(p * (1 - p) ** 2)),
        ),
    ]


def discrete() -> list[Number]:
    """Example 2.15 for two possible players against two."""
    first, second = Measure({1: 1, 3: 2}), Measure({2: 1})
    b_one, b_two = Measure({1: 3, 2: 1}), Measure({4: 1})
    nu_a, nu_b = Measure({first: 1, second: 3}), Measure({b_one: 2, b_two: 1})
    by_formula = {
        mine: alpha
        * sum(
            beta * p * q * Fraction(x, x + y)
            for theirs, beta in nu_b.items()
            for x, p in mine.items()
            for y, q in theirs.items()
        )
        for mine, alpha in nu_a.items()
    }
    total = sum(by_formula.values())
    after = posterior(BRADLEY_TERRY, nu_a, nu_b, 1)
    ours = [after[mine] for mine in (first, second)]
    wanted = [by_formula[mine] / total for mine in (first, second)]
    return [
        published.DISCRETE.beside(
            "2.15: α̂ of two possible players after a win",
            ", ".join(map(str, ours)),
            EXACT,
            "as the formula gives" if ours == wanted else f"the formula gives {', '.join(map(str, wanted))}",
        )
    ]


def growth() -> list[Number]:
    """Examples 2.17 and 2.18: growth that does nothing, and Glicko's."""
    nu = Measure({Measure({1: 1, 2: 1}): 1, dirac(3): 4})
    points = [k / 10 for k in range(-60, 61)]
    before = Measure.of_density(NormalDist(0.5, 0.6).pdf, points)
    kernel = dirac_kernel(lambda x, y: NormalDist(x, 0.3).pdf(y), points, normalise="each")
    after = mixture(grow(dirac_only(before), kernel))
    wanted = Measure.of_density(NormalDist(0.5, math.hypot(0.6, 0.3)).pdf, points)
    off = max(abs(float(after[x]) - float(wanted[x])) for x in points)
    stays = grow(nu, dirac) == nu
    return [
        published.STAYS.beside("2.17: κ_μ = δ_μ", "ν̃ = ν" if stays else "ν̃ ≠ ν", EXACT, _as_printed(stays)),
        published.NORMAL.beside(
            "2.18: a normal belief of 0.6, grown by 0.3: furthest from normal",
            f"{off:.0e}",
            "sums over points 1/10 apart",
            _as_printed(off < 1e-9),
        ),
    ]


def match() -> list[Number]:
    """Example 4.1: a match exactly."""
    rho_a = Measure({2: Fraction(9, 20), 5: Fraction(3, 20), 13: Fraction(8, 20)})
    rho_b = Measure({3: Fraction(2, 11), 7: Fraction(4, 11), 11: Fraction(5, 11)})
    met = Comparisons(BRADLEY_TERRY, prior=dirac_only(rho_a))
    met.seed("B", dirac_only(rho_b))
    met.record("A", "B")
    numbers = []
    for x, printed in published.UNNORMALISED.items():
        ours = rho_a[x] * expected_score(BRADLEY_TERRY, dirac(x), rho_b)
        numbers.append(_fraction(f"4.1: ρ_A,A>B({x}) before normalising", ours, printed))
    for name, printed_of in (("A", published.AFTER_A), ("B", published.AFTER_B)):
        after = mixture(met.belief(name))
        for x, printed in printed_of.items():
            numbers.append(_fraction(f"4.1: ρ_{name},A>B({x})", Fraction(after[x]), printed))
    return numbers


def _fraction(what: str, ours: Fraction, printed: Printed) -> Number:
    over = int(printed.value.split("/")[1])
    written = f"{ours * over}/{over}" if (ours * over).denominator == 1 else str(ours)
    return printed.beside(what, written, EXACT, _as_printed(written == printed.value))


def steps() -> list[Number]:
    """Example 4.2: growth exactly."""
    squares = Measure.uniform(k * k for k in range(1, 11))
    kernel = dirac_kernel(lambda x, y: Fraction(abs(x - y) <= 1, 3), range(1, 101))
    grown = mixture(grow(dirac_only(squares), kernel))
    where = ", ".join(str(x) for x in sorted(grown.points))
    masses = {str(mass) for _, mass in grown.items()}
    return [
        published.GROWN.beside(
            "4.2: ρ̃_A on U", " and ".join(masses), EXACT, _as_printed(masses == {published.GROWN.value})
        ),
        published.U.beside("4.2: U", where, EXACT, _as_printed(where == published.U.value)),
    ]
