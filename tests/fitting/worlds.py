"""Made-up arenas whose true strengths are known."""

import numpy as np

from podium.fitting.votes import Votes


def arena(
    seed: int,
    players: int,
    votes: int,
    *,
    nu: float = 0.5,
    copies: int = 1,
    voters: int = 0,
    spread: float = 0.576,
) -> tuple[np.ndarray, Votes]:
    """True strengths in logits (100 Elo points apart by default), and Davidson's votes about them.

    With `copies` each voter repeats every vote so often: each vote alone is as likely as the model says, and
    those of a voter depend on each other.
    """
    rng = np.random.default_rng(seed)
    theta = rng.normal(0.0, spread, players)
    made = votes // copies
    a = rng.integers(0, players, made)
    b = (a + rng.integers(1, players, made)) % players
    outcome = outcomes(rng, theta[a] - theta[b], nu)
    voter = rng.integers(0, voters, made) if voters else None
    return theta - theta.mean(), Votes(
        tuple(f"m{i}" for i in range(players)),
        np.repeat(a, copies).astype(np.int32),
        np.repeat(b, copies).astype(np.int32),
        np.repeat(outcome, copies).astype(np.int32),
        cluster=None if voter is None else np.repeat(voter, copies).astype(np.int32),
        clusters=tuple(map(str, range(voters))),
    )


def outcomes(rng: np.random.Generator, d: np.ndarray, nu: float) -> np.ndarray:
    win, loss = np.exp(d / 2), np.exp(-d / 2)
    u = rng.random(len(d)) * (win + loss + nu)
    return np.where(u < win, 0, np.where(u < win + nu, 1, 2))
