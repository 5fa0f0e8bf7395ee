"""Made-up games with luck in them, in place of the matches of Duelyst II."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from podium.arrays import NO_TIME, Bools, Floats, Longs
from podium.history import History, Names
from podium.systems.luck import LOGISTIC, coin_flip
from podium.systems.luck.luck import NATURAL_UNIT
from podium_papers.cowan import published
from podium_papers.items import Setting

P_AND_Q_PERCENTILES = (0.95, 0.9995)
"""Percentiles of P and Q of section 3.1 among all players; here they are players 0 and 1."""
P_AND_Q_MATCHES = (int(published.P_MATCHES.value), int(published.Q_MATCHES.value))
"""Number of matches of P and of Q."""
EXCLUDED_MATCHES = 100
"""Number of each player's first matches that Figure 3.2 leaves out."""
STRENGTH_SIGMA = 0.7
"""Standard deviation of the true strengths, in natural units: section 3.2's prior for newcomers."""
DRAW_SHARE = int(published.DRAWN.value) / (sum(P_AND_Q_MATCHES) - 2 * EXCLUDED_MATCHES)
"""Share of matches that are draws, as in Figure 3.2."""
CLOSE_PAIRING, LOOSE_PAIRING = 1.0, 4.0
"""By how much matchmaking misses a strength, as a standard deviation in natural units: 174 points, and almost
at random.
"""


@dataclass(frozen=True, eq=False)
class Games:
    """Simulated matches in time order, and the truth behind them."""

    history: History
    strength: Floats
    """True strengths on the display scale, by player."""
    beta: float


def size_of(setting: Setting) -> tuple[int, int]:
    """Approximate number of matches, and number of players."""
    return (5_000, 400) if setting.quick else (200_000, 4_000)


def lucky_games(matches: int, players: int, beta: float, seed: int, off: float = CLOSE_PAIRING) -> Games:
    """Simulate matches of players with fixed strengths, in which a coin decides with probability 1 − β.

    In each round some players look for a match, keen ones more often. They are sorted by strength, as seen by
    a matchmaker with an error of `off`, and neighbours meet. P and Q are in nearly every round: in as many as
    they have matches in the paper, or, if there are fewer rounds, in the same share of them.
    """
    chance = np.random.default_rng(seed)
    strength = STRENGTH_SIGMA * chance.standard_normal(players)
    strength[:2] = [STRENGTH_SIGMA * NormalDist().inv_cdf(part) for part in P_AND_Q_PERCENTILES]
    keen = chance.lognormal(0.0, 1.0, players)
    keen[:2] = 0.0
    most = round(1.06 * max(P_AND_Q_MATCHES))
    rounds = min(most, matches // 5)
    often = np.minimum(keen / keen.sum() * 2.0 * matches / rounds, 0.9)
    in_rounds = [chance.permutation(rounds) < round(count * rounds / most) for count in P_AND_Q_MATCHES]
    first, second = [], []
    for number in range(rounds):
        here = chance.random(players) < often
        here[:2] = [plays[number] for plays in in_rounds]
        there = np.flatnonzero(here)
        if len(there) % 2:  # one has to wait, of P and Q only where nobody else is there
            there = np.delete(there, len(there) - 1 - chance.integers(max(1, int((there > 1).sum()))))
        order = there[np.argsort(strength[there] + off * chance.standard_normal(len(there)))]
        pairs = order.reshape(-1, 2)[chance.permutation(len(order) // 2)]
        flip = chance.random(len(pairs)) < 0.5
        first.append(np.where(flip, pairs[:, 1], pairs[:, 0]))
        second.append(np.where(flip, pairs[:, 0], pairs[:, 1]))
    a, b = np.concatenate(first), np.concatenate(second)
    win = coin_flip(LOGISTIC, beta)(strength[a], strength[b])
    won, drawn = chance.random(len(a)) < win, chance.random(len(a)) < DRAW_SHARE
    return Games(_as_history(a, b, won, drawn, players), 1500.0 + NATURAL_UNIT * strength, beta)


def _as_history(a: Longs, b: Longs, won: Bools, drawn: Bools, players: int) -> History:
    player = np.stack((a, b), axis=1).astype(np.int32)
    rank = np.ones_like(player)
    rank[:, 0] += ~won & ~drawn
    rank[:, 1] += won & ~drawn
    names = ["P", "Q", *(f"p{number:05}" for number in range(2, players))]
    return History(
        players=Names(names),
        offsets=np.arange(0, 2 * len(a) + 1, 2),
        player=player.ravel(),
        rank=rank.ravel(),
        time=np.full(len(a), NO_TIME),
    )
