"""Strengths that do not change, straight from the papers, to forty digits and as slow as that is.

Bradley and Terry (1952), Davidson (1970), Rao and Kupper (1967), Thurstone (1927) with the ties of Glenn and
David (1960); Plackett (1975) and Luce (1959) with the ties of Firth, Kosmidis and Turner (2019), eq. (2).
A vote is (a, b, outcome, weight): outcome 1, 0.5 or 0 for a. What is maximised is the plain log likelihood.
"""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import mpmath as mp

Vote = tuple[int, int, float, float]


def bradley_terry(d: Any, tie: Any, outcome: float) -> Any:
    """A tie is half a win and half a loss."""
    win = 1 / (1 + mp.exp(-d))
    return outcome * mp.log(win) + (1 - outcome) * mp.log(1 - win)


def davidson(d: Any, tie: Any, outcome: float) -> Any:
    """Davidson (1970), eqs. (2.5): pi_i, nu sqrt(pi_i pi_j), pi_j over their sum."""
    pi_a, pi_b, nu = mp.exp(d), mp.mpf(1), mp.exp(tie)
    both = nu * mp.sqrt(pi_a * pi_b)
    total = pi_a + pi_b + both
    return mp.log({1: pi_a, 0.5: both, 0: pi_b}[outcome] / total)


def rao_kupper(d: Any, tie: Any, outcome: float) -> Any:
    """Rao and Kupper (1967), eqs. (2.1) and (2.2) with theta = e^tie."""
    pi_a, pi_b, theta = mp.exp(d), mp.mpf(1), mp.exp(tie)
    win, loss = pi_a / (pi_a + theta * pi_b), pi_b / (theta * pi_a + pi_b)
    return mp.log({1: win, 0.5: 1 - win - loss, 0: loss}[outcome])


def thurstone(d: Any, tie: Any, outcome: float) -> Any:
    """Glenn and David (1960): a tie where the perceived difference is below a threshold."""
    win, loss = mp.ncdf(d - tie), mp.ncdf(-d - tie)
    return mp.log({1: win, 0.5: 1 - win - loss, 0: loss}[outcome])


def pair_log_likelihood(
    model: Callable[..., Any], votes: Sequence[Vote], theta: Sequence[Any], tie: Any
) -> Any:
    return sum(weight * model(theta[a] - theta[b], tie, outcome) for a, b, outcome, weight in votes)


def ranking_log_likelihood(
    rankings: Sequence[Sequence[Sequence[int]]], theta: Sequence[Any], delta: dict[int, Any]
) -> Any:
    """Rankings are lists of places, each a list of the players that share it; delta by the size of a tie."""
    total = mp.mpf(0)
    for ranking in rankings:
        left = [player for place in ranking for player in place]
        for place in ranking:
            if len(left) == 1:
                break
            weights = {
                chosen: mp.exp(delta.get(size, 0)) * mp.exp(sum(theta[i] for i in chosen) / mp.mpf(size))
                for size in (1, *delta)
                for chosen in combinations(sorted(left), size)
            }
            total += mp.log(weights[tuple(sorted(place))] / sum(weights.values()))
            left = [player for player in left if player not in place]
    return total


def maximum(
    log_likelihood: Callable[[Sequence[Any]], Any], start: Sequence[float], gauge: int
) -> list[float]:
    """Where all derivatives are 0, the first `gauge` numbers adding to 0.

    Derivatives are central differences; forty digits leave them exact to more than twelve.
    """
    with mp.workdps(40):
        step = mp.mpf(10) ** -12

        def slopes(x: Sequence[Any]) -> list[Any]:
            found = []
            for i in range(len(x)):
                up, down = list(x), list(x)
                up[i] += step
                down[i] -= step
                found.append(
                    (log_likelihood(up) - log_likelihood(down)) / (2 * step)
                    - (sum(x[:gauge]) if i < gauge else 0)
                )
            return found

        x = [mp.mpf(value) for value in start]
        for _ in range(60):
            g = mp.matrix(slopes(x))
            if mp.norm(g, mp.inf) < mp.mpf(10) ** -16:
                return [float(value) for value in x]
            columns = []
            for i in range(len(x)):
                moved = list(x)
                moved[i] += mp.mpf(10) ** -9
                columns.append((mp.matrix(slopes(moved)) - g) / mp.mpf(10) ** -9)
            jacobian = mp.matrix(len(x), len(x))
            for j, column in enumerate(columns):
                for i in range(len(x)):
                    jacobian[i, j] = column[i]
            change = mp.lu_solve(jacobian, -g)
            longest = mp.norm(change, mp.inf)
            x = [value + change[i] / max(1, longest) for i, value in enumerate(x)]
    raise AssertionError("no maximum")
