"""Players who perform exactly as told, and the belief about one of them, open to look into."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, Floats
from podium.history import History, Names
from podium.systems.elo_mmr.beliefs import FOLDED_WEIGHT_PART, drifted, factor_pull, mode, room_for
from podium.systems.elo_mmr.contest_system import ContestSystem
from podium.systems.elo_mmr.elo_r import EloR

Method = Literal["normal", "leading", "all", "fancy"]
METHODS: tuple[Method, ...] = ("normal", "leading", "all", "fancy")
"""The paper's four ways to add noise, in the order of section 6.2."""
SETTLING_CONTESTS = 200
"""Contests at one level after which no rating moves by 1e-6 any more."""
GODS = 3
GOD_RATING = 1e9
"""Rating of the gods: a player who beats them performs at the ceiling of the contest."""


def ratings_after(
    system: ContestSystem, performances: ArrayLike, *, mu: float = 1500.0, sigma: float = 350.0
) -> Floats:
    """Ratings after each of these performances: one row per player, one column per contest.

    Each player wins every contest against gods, up to the performance told.
    """
    wanted = np.array(performances, np.float64, ndmin=2)
    players, contests = wanted.shape
    events, size = players * contests, 1 + GODS
    player = np.empty((events, size), np.int32)
    player[:, 0] = np.tile(np.arange(players), contests)
    player[:, 1:] = players + np.arange(GODS)
    held = np.ones((events, size), np.bool_)
    held[:, 0] = False
    history = History(
        players=Names(map(str, range(players + GODS))),
        offsets=np.arange(events + 1) * size,
        player=player.ravel(),
        rank=np.tile(np.array([1] + [2] * GODS, np.int32), events),
        time=np.full(events, NO_TIME),
        unrated=held.ravel(),
        ceiling=wanted.T.ravel(),
    )
    state = system.new_state(players + GODS)
    everybody = np.arange(players + GODS)
    gods = everybody >= players
    system.set_belief(state, everybody, np.where(gods, GOD_RATING, mu), np.where(gods, 1.0, sigma))
    trace = system.update(state, history)
    return trace.mu[::size].reshape(contests, players).T.copy()


@dataclass
class Belief:
    """Elo-R's belief about one player: a normal factor and logistic ones, the oldest first (section 4).

    With `most`, at most this number of past performances stay logistic factors; older ones join the normal
    factor, as in Algorithm 4.
    """

    system: EloR
    mu: float = 1500.0
    sigma: float = 350.0
    most: int | None = None
    p: Floats = field(default_factory=lambda: np.zeros(0))
    w: Floats = field(default_factory=lambda: np.zeros(0))
    """1/τ² of the logistic factors."""
    tau: Floats = field(default_factory=lambda: np.zeros(0))
    p0: float = field(init=False)
    w0: float = field(init=False)

    def __post_init__(self) -> None:
        self.p0, self.w0 = self.mu, self.sigma**-2

    def copy(self) -> Belief:
        """An independent copy."""
        copied = Belief(
            self.system, self.mu, self.sigma, self.most, self.p.copy(), self.w.copy(), self.tau.copy()
        )
        copied.p0, copied.w0 = self.p0, self.w0
        return copied

    @property
    def variance(self) -> float:
        """σ², from the sum of all weights (the end of section 4)."""
        return 1.0 / (self.w0 + float(self.w.sum()))

    @property
    def weights(self) -> Floats:
        """The weight of each performance; the rating is their weighted mean (section 4)."""
        away = self.mu - self.p
        near = np.abs(away) < 1e-6 * self.tau
        away = np.where(near, 1e-6 * self.tau, away)
        found: Floats = self.w * self.tau / away * np.tanh(away / self.tau)
        return found

    def mode(self) -> float:
        """The maximum of the belief's density."""
        rules = self.system.rules()
        size = len(self.p)
        return mode(
            self.mu,
            0.0,
            self.p0,
            self.w0,
            0,
            size,
            self.p,
            self.w,
            self.tau,
            rules.pull,
            room_for(size),
        )

    def noise(self) -> None:
        """Let σ² grow by η², as before each contest."""
        rules = self.system.rules()
        self.p0, self.w0, _ = drifted(
            self.variance,
            self.system.contest_drift,
            rules.rho,
            rules.way,
            self.mu,
            self.p0,
            self.w0,
            0,
            len(self.p),
            self.p,
            self.w,
            self.tau,
        )

    def perform(self, *performances: float) -> None:
        """Play contests with these performances, one after another."""
        for performance in performances:
            self.noise()
            while self.most is not None and len(self.p) > self.most:
                self._fold(float(self.weights[0]))
            self.p = np.append(self.p, performance)
            self.w = np.append(self.w, self.system.beta**-2)
            self.tau = np.append(self.tau, self.system.beta)
            self.mu = self.mode()
            while len(self.p) and self.w[0] * self.variance < FOLDED_WEIGHT_PART:
                self._fold(float(self.w[0]))

    def _fold(self, weight: float) -> None:
        """Move the oldest logistic factor into the normal one, with the same pull on the rating."""
        pull = factor_pull(self.mu, self.p[0], self.w[0], self.tau[0], 1.0)
        centre = self.mu - pull / weight if weight > 0.0 else self.mu
        both = self.w0 + weight
        self.p0, self.w0 = (self.w0 * self.p0 + weight * centre) / both, both
        self.p, self.w, self.tau = self.p[1:].copy(), self.w[1:].copy(), self.tau[1:].copy()


def settled(method: Method, level: float = 1000.0) -> Belief:
    """The belief about a player who has performed at one level until nothing moves any more."""
    belief = Belief(EloR(noise=method))
    belief.perform(*[level] * SETTLING_CONTESTS)
    return belief
