"""Cowan's model in full, for beliefs that are discrete: any space of strengths, players who vary, any growth.

Alex Cowan, "Paired comparisons for games of chance" (2023), Models 2.1, 2.11 and 2.16. Everything here is
written out as sums over points, exactly so where weights and luck are fractions; the system `luck` is the
fast one for strengths on the line and players who always perform alike.

>>> from podium.systems.luck import BRADLEY_TERRY
>>> from podium_papers.luck_model import Measure
>>> ann = dirac_only(Measure({2: 9, 5: 3, 13: 8}))
>>> bob = dirac_only(Measure({3: 2, 7: 4, 11: 5}))
>>> mixture(posterior(BRADLEY_TERRY, ann, bob, score=1))[13]
Fraction(173056, 284005)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np

from podium.errors import InputError, ParameterError, UnknownPlayerError
from podium.history.names import player_name
from podium.systems.luck.growth import laplace_chances
from podium.systems.luck.luck_functions import LaplaceMixture, LuckFunction
from podium.text import did_you_mean, shorten
from podium_papers.luck_model.measures import (
    Belief,
    Measure,
    check_belief,
    dirac,
    dirac_only,
    is_dirac_only,
    mixture,
)

S = TypeVar("S", bound=Hashable)

LuckLike: TypeAlias = Callable[[S, S], Any]
"""Λ(x, y): a `LuckFunction`, or any function of two strengths."""
Kernel: TypeAlias = Callable[[Measure[S]], Measure[Measure[S]] | Mapping[Measure[S], Any]]
"""κ_μ: who a player μ may be by the next match. Weights that are not to be normalised one by one come as a
mapping."""

SYMMETRY = 1e-9
"""By how much Λ(x, y) + Λ(y, x) may miss one."""


def expected_score(luck: LuckLike[S], mu_a: Measure[S], mu_b: Measure[S]) -> Any:
    """L(μ_A, μ_B), the mean score of one player against another (Model 2.1).

    Λ need not be a chance here: chips won at poker have an expectation too.

    >>> from podium.systems.luck import MAJORITY
    >>> expected_score(MAJORITY, dirac((3, 3, 3)), dirac((4, 4, 1)))
    0.0
    """
    return mu_a.integral(lambda x: mu_b.integral(lambda y: luck(x, y)))


def posterior(luck: LuckLike[S], nu_a: Belief[S], nu_b: Belief[S], score: Any) -> Belief[S]:
    """The belief about A after a match with B in which A scored `score`, from 0 to 1 (Model 2.11, Eq. 1).

    B's belief is the one before the match. A result that nobody believed possible is refused. Wins and losses
    on Laplace curves, between players who always perform alike, take n log n steps, wherever their strengths
    may lie (section 4.3); anything else goes through all pairs.
    """
    if not 0 <= score <= 1:
        raise ParameterError(f"a score is from 0 to 1, not {score}")
    theta = int(score) if score in (0, 1) else float(score)  # integer powers keep fractions exact
    alike = is_dirac_only(nu_a) and is_dirac_only(nu_b)
    if isinstance(luck, LaplaceMixture) and alike and theta in (0, 1):
        likelihood = _walked(luck, mixture(nu_a), mixture(nu_b), won=theta == 1)
    else:
        likelihood = _summed(luck, nu_b, theta)
    weights = {mu: mass * likelihood(mu) for mu, mass in nu_a.items()}
    if not any(weights.values()):
        raise InputError(
            f"a score of {score} cannot happen between players believed to be like this",
            hint="let luck play a part (coin_flip), or players vary (beliefs that are not Dirac-only)",
        )
    return Measure(weights)


def _summed(luck: LuckLike[S], nu_b: Belief[S], theta: float) -> Callable[[Measure[S]], Any]:
    """∫ L(μ, μ')^θ L(μ', μ)^(1−θ) ν_B(dμ') as a function of μ, as it stands."""
    opponents = list(nu_b.items())
    win, lose = _chances(luck)
    return lambda mu: sum(
        mass * expected_score(win, mu, other) ** theta * expected_score(lose, mu, other) ** (1 - theta)
        for other, mass in opponents
    )


def _walked(
    luck: LaplaceMixture, mine: Measure[Any], theirs: Measure[Any], *, won: bool
) -> Callable[[Measure[Any]], float]:
    """The same for a win or a loss on Laplace curves: a loss is a win seen in a mirror (Algorithm 4.6)."""
    sign = 1.0 if won else -1.0
    xs, ys = (sorted(side.points, key=lambda x: sign * x) for side in (theirs, mine))
    mass, part, total = np.array([float(theirs[x]) for x in xs]), np.empty(len(ys)), np.zeros(len(ys))
    for share, width in zip(luck.shares, luck.widths, strict=True):
        laplace_chances(sign * np.array(xs, float), mass, sign * np.array(ys, float), width, part)
        total += share * part
    found = dict(zip(ys, total.tolist(), strict=True))
    return lambda mu: found[mu.points[0]]


def _chances(luck: LuckLike[S]) -> tuple[LuckLike[S], LuckLike[S]]:
    """The chances that x beats y and that y beats x, both checked and each computed once."""
    back = _reversed(luck)
    known: dict[tuple[S, S], tuple[Any, Any]] = {}

    def both(x: S, y: S) -> tuple[Any, Any]:
        if (x, y) not in known:
            win, lose = luck(x, y), back(y, x)
            for chance in (win, lose):
                if not 0 <= chance <= 1:
                    raise ParameterError(f"a luck function gives chances, from 0 to 1, not {chance}")
            if abs(win + lose - 1) > SYMMETRY:
                raise ParameterError(
                    f"Λ({x}, {y}) is {win} and Λ({y}, {x}) is {lose}, which is not one together",
                    hint="a game with a first move is LuckFunction(name, function, symmetric=False)",
                )
            known[x, y] = win, lose
        return known[x, y]

    return lambda x, y: both(x, y)[0], lambda x, y: both(x, y)[1]


def grow(nu: Belief[S], kernel: Kernel[S]) -> Belief[S]:
    """The belief at the next match, when players change in between as `kernel` says (Model 2.16).

    Each κ_μ is a `Measure`, or a mapping of weights: those are normalised only once, in the end (Eq. 8).
    """
    grown = []
    for mu, mass in check_belief(nu).items():
        becomes = kernel(mu)
        if not isinstance(becomes, (Measure, Mapping)) or not all(isinstance(p, Measure) for p in becomes):
            raise ParameterError(
                f"a kernel gives a measure on measures, or a mapping of weights, not {becomes!r}"
            )
        grown += [(other, mass * weight) for other, weight in becomes.items()]
    return Measure(grown)


def dirac_kernel(
    weight: Callable[[S, S], Any], support: Iterable[S], *, normalise: Literal["once", "each"] = "once"
) -> Kernel[S]:
    """κ for players who always perform alike: who has strength x comes to y in `support` by K(x, y) (Eq. 6).

    From x *to* y, as in Model 2.16; Eq. (8) prints it the other way round, which is the same where K is
    symmetric. At the edge of the support some of the weight has nowhere to go: normalised "once", whoever is
    there counts for less (Eq. 8, Example 4.2); normalised "each", nobody does, as Model 2.16 has it.

    >>> step = dirac_kernel(lambda x, y: abs(x - y) <= 1, range(4))
    >>> mixture(grow(dirac_only(Measure({0: 1, 2: 1})), step))
    Measure({0: 1/5, 1: 2/5, 2: 1/5, 3: 1/5})
    """
    if normalise not in ("once", "each"):
        raise ParameterError(f"normalise is 'once' or 'each', not {normalise!r}")
    points = tuple(support)

    def kernel(mu: Measure[S]) -> Belief[S] | Mapping[Measure[S], Any]:
        if len(mu) != 1:
            raise ParameterError(f"this kernel is for players who always perform alike, not for {mu!r}")
        (x,) = mu.points
        weights = {y: weight(x, y) for y in points}
        if normalise == "each":
            return dirac_only(Measure(weights))
        return {dirac(y): k for y, k in weights.items()}

    return kernel


class Comparisons(Generic[S]):
    """Beliefs about players, learned match by match: the online object of the model.

    After each match both beliefs become posteriors, each from the other one before the match, and then grow.
    Whoever is new has the belief `prior`. `home_luck` is Λ as the side with the first move sees it, in
    matches of which that side is known.

    >>> from podium.systems.luck import HEAVISIDE
    >>> from podium_papers.luck_model import Measure
    >>> shared = Measure({Measure({-1: 1 - p / 100, 1: p / 100}): 1 for p in range(101)})
    >>> games = Comparisons(HEAVISIDE, prior=shared)
    >>> games.seed("bob", dirac(dirac(0)))
    >>> for score in (1, 1, 0):
    ...     games.record("ann", "bob", score)
    >>> round(games.expected_score("ann", "bob"), 3)
    0.6
    """

    def __init__(
        self,
        luck: LuckLike[S],
        prior: Belief[S],
        kernel: Kernel[S] = dirac,
        *,
        home_luck: LuckLike[S] | None = None,
    ) -> None:
        if isinstance(luck, LuckFunction) and not luck.symmetric:
            raise ParameterError(
                f"{luck.name} is not symmetric", hint="what favours the first to move is home_luck"
            )
        self.luck, self.prior, self.kernel, self.home_luck = luck, check_belief(prior), kernel, home_luck
        self._beliefs: dict[str, Belief[S]] = {}

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody who played or was seeded, in that order."""
        return tuple(self._beliefs)

    def belief(self, player: str) -> Belief[S]:
        """What is known of a player."""
        name = player_name(player)
        if name not in self._beliefs:
            raise UnknownPlayerError(
                f"there is no player {shorten(name)!r} here", hint=did_you_mean(name, self.players)
            )
        return self._beliefs[name]

    def seed(self, player: str, belief: Belief[S]) -> None:
        """Make the belief about a player this one."""
        self._beliefs[player_name(player)] = check_belief(belief)

    def record(self, a: str, b: str, score: Any = 1, *, home: str | None = None) -> None:
        """Learn from a match in which `a` scored `score`: 1 is a win, 0 a loss, ½ a draw.

        What cannot be (a result that nobody believed possible) is refused, and then nothing is changed.
        """
        one, other = self._pair(a, b)
        ours, theirs = self._believed(one), self._believed(other)
        luck, back = self._seen_by(one, other, home)
        try:
            after = posterior(luck, ours, theirs, score), posterior(back, theirs, ours, 1 - score)
        except InputError as error:
            raise InputError(error.reason, event=f"{one} against {other}", hint=error.hint) from None
        grown = [grow(belief, self.kernel) for belief in after]
        self._beliefs[one], self._beliefs[other] = grown

    def expected_score(self, a: str, b: str, *, home: str | None = None) -> Any:
        """The mean score of `a` against `b`, over all that either could be; who is new has the prior."""
        one, other = self._pair(a, b)
        luck, _ = self._seen_by(one, other, home)
        # L is linear in both players, so the mean over beliefs is the score between their mixtures.
        return expected_score(luck, mixture(self._believed(one)), mixture(self._believed(other)))

    def _believed(self, name: str) -> Belief[S]:
        return self._beliefs.get(name, self.prior)

    def _pair(self, a: str, b: str) -> tuple[str, str]:
        one, other = player_name(a), player_name(b)
        if one == other:
            raise InputError(f"{shorten(one)!r} cannot play against themselves")
        return one, other

    def _seen_by(self, a: str, b: str, home: str | None) -> tuple[LuckLike[S], LuckLike[S]]:
        """Λ as each of the two sees it: two functions where one of them has the first move."""
        if home is None:
            return self.luck, self.luck
        host = player_name(home)
        if host not in (a, b):
            raise InputError(f"{shorten(host)!r} does not play in this match")
        if self.home_luck is None:
            raise ParameterError(
                "there is no home_luck to rate a first move with", hint="Comparisons(..., home_luck=...)"
            )
        views = self.home_luck, _reversed(self.home_luck)
        return views if host == a else (views[1], views[0])


def _reversed(luck: LuckLike[S]) -> LuckLike[S]:
    """Λ as the second player sees it; functions without a name are symmetric, which `posterior` checks."""
    return luck.reversed() if isinstance(luck, LuckFunction) else luck
