"""Made-up arenas again and again: how often intervals, rank sets and the stopping rule are right."""

import numpy as np

import podium
from fitting.worlds import arena, outcomes
from podium.fitting.next_votes import chosen_pairs
from podium.fitting.votes import Votes

POINTS = 400.0 / np.log(10.0)


def intervals(seed: int) -> tuple[float, float, bool]:
    """Shares of strengths inside intervals, of votes alone and in clusters; whether all ranks are right."""
    theta, votes = arena(seed, 20, 5_000)
    alone = podium.fit(votes)
    truth, clustered = arena(seed, 20, 9_000, copies=3, voters=150)
    together = podium.fit(clustered)
    rank = 1 + (theta[None, :] > theta[:, None]).sum(axis=1)
    sets = alone.rank_sets
    right = bool(np.all((sets.low <= rank) & (rank <= sets.high)))
    return inside(alone, theta), inside(together, truth), right


def inside(fit: podium.Fit, theta: np.ndarray) -> float:
    error = np.sqrt(np.diag(fit.points_covariance))
    return float(np.mean(np.abs(fit.points - 1000.0 - theta * POINTS) < 1.959964 * error))


def stopping(seed: int, top: int = 3) -> tuple[bool, bool]:
    """Whether the rule, asked after every 200 votes of 10 players, stopped; and whether it was wrong then."""
    theta, votes = arena(seed, 10, 20_000)
    best = set(np.argsort(-theta)[:top].tolist())
    for asked in range(200, len(votes) + 1, 200):
        found = podium.fit(votes.taking(np.arange(asked))).settled(top)
        if found.is_settled:
            return True, {int(name[1:]) for name in found.players} != best
    return False, False


def order_found(seed: int, votes: int, *, chosen: bool) -> list[tuple[int, float]]:
    """Kendall's tau with the true order as votes come in, of chosen pairs or of pairs at random.

    60 models, normal strengths of 100 Elo points, 20% ties; each batch is a twentieth of the votes before.
    """
    rng, n, nu = np.random.default_rng(seed), 60, 0.51
    theta = rng.normal(0.0, 100.0 / POINTS, n)
    names = tuple(map(str, range(n)))
    a = rng.integers(0, n, 1_200)
    b = (a + rng.integers(1, n, 1_200)) % n
    won = outcomes(rng, theta[a] - theta[b], nu)
    found = []
    while True:
        fit = podium.fit(Votes(names, a.astype(np.int32), b.astype(np.int32), won.astype(np.int32)))
        agree = np.sign(np.subtract.outer(fit.points, fit.points)) * np.sign(np.subtract.outer(theta, theta))
        found.append((len(a), float(agree.sum() / (n * (n - 1)))))
        if len(a) >= votes:
            return found
        batch = len(a) // 20
        if chosen:
            each = 1 + batch // 100
            pairs = np.array([(i, j) for i, j, _ in chosen_pairs(fit, 100, None, each)])
            x, y = np.repeat(pairs, each, axis=0).T
        else:
            x = rng.integers(0, n, batch)
            y = (x + rng.integers(1, n, batch)) % n
        a, b = np.r_[a, x], np.r_[b, y]
        won = np.r_[won, outcomes(rng, theta[x] - theta[y], nu)]
