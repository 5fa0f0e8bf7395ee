"""Historical skill in Elo-MMX and Elo-MMR: the whole joint distribution of a player's skills, all at once.

[MMR] Ebtekar and Liu (2021), second footnote: P(S_t | P_<=t') for t' > t. The skills of one player at all
events are jointly normal before any result: S_1 starts from the newcomer's belief and each later one adds its
drift, so that Cov(S_i, S_j) is what all drifts up to the earlier of the two add up to. A dense matrix holds
them all, and is conditioned on all performances by plain linear algebra. Nothing is passed along, and no
drift is divided by.

- Elo-MMX: a performance is S plus normal noise: conditioning is exact.
- Elo-MMR: a performance is S plus logistic noise: the mode of the posterior, and the covariance that the
  curvature there stands for. With S = start + A e, where the steps e are independent standard normals, minus
  the log posterior is |e|^2 / 2 + sum c w tau^2 log cosh((S - p) / tau).

Rounds: every performance is estimated again (phase one) from what everything *but its own event* says of
everybody: the same conditioning with one row left out, for each row anew.
"""

import math
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from . import elo_mmx
from .elo_mmr import TwoPhase, weighted
from .events import Event, days_between


class Node(NamedTuple):
    """A player in an event."""

    row: int
    event: Event
    held: bool
    beta2: float
    gamma2: float


def nodes_of(system: TwoPhase, events: list[Event]) -> tuple[dict[str, list[Node]], dict[str, list[float]]]:
    """Everybody's nodes, and the variance that drift adds at each; of the first, after the start."""
    nodes, added, rated = defaultdict(list), defaultdict(list), defaultdict(list)
    row = 0
    for event in events:
        for name in event.players():
            held = name in event.held
            omega = system.event_weight(event, len(rated[name]))
            beta2, gamma2 = weighted(system.beta**2, system.gamma2(), system.drift_per_day, omega)
            # Absence counts from the last rated event; a node in between has had a part of it already.
            away = days_between(rated[name][-1], event) if rated[name] else 0.0
            before = nodes[name][-1].event if nodes[name] else event
            had = days_between(rated[name][-1], before) if rated[name] else 0.0
            drift = system.drift_per_day * (away - had)
            added[name].append(drift + (0.0 if held else gamma2))
            nodes[name].append(Node(row, event, held, beta2, gamma2))
            if not held:
                rated[name].append(event)
            row += 1
    return nodes, added


def roots(variance: float, added: list[float]) -> np.ndarray:
    """A: column k is step k, the start first, in all skills from then on."""
    n = len(added)
    a = np.zeros((n, n + 1))
    a[:, 0] = math.sqrt(variance)
    for k, more in enumerate(added):
        a[k:, k + 1] = math.sqrt(more)
    return a


def conditioned(start: float, a: np.ndarray, h: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance given normal factors exp(y s - h s^2 / 2), one for each skill."""
    precision = np.eye(a.shape[1]) + a.T @ np.diag(h) @ a
    covariance = a @ np.linalg.inv(precision) @ a.T
    return start + covariance @ (y - h * start), covariance


def most_likely(
    start: float, a: np.ndarray, p: np.ndarray, w: np.ndarray, tau: np.ndarray, c: float
) -> tuple[np.ndarray, np.ndarray]:
    """The parabolas (h, y) that stand for logistic factors at the mode, found by damped Newton steps."""

    def height(e: np.ndarray) -> float:
        u = np.abs(start + a @ e - p) / tau
        return float(e @ e / 2 + np.sum(c * w * tau**2 * (u + np.log1p(np.exp(-2 * u)))))

    e = np.zeros(a.shape[1])
    for _ in range(200):
        t = np.tanh((start + a @ e - p) / tau)
        gradient = e + a.T @ (c * w * tau * t)
        step = -np.linalg.solve(np.eye(len(e)) + a.T @ np.diag(c * w * (1 - t * t)) @ a, gradient)
        size = 1.0
        while height(e + size * step) > height(e) + 1e-4 * size * (gradient @ step) and size > 1e-10:
            size /= 2
        e = e + size * step
        if np.abs(step).max() < 1e-13:
            break
    s = start + a @ e
    t = np.tanh((s - p) / tau)
    h = c * w * (1 - t * t)
    return h, h * s - c * w * tau * t


def message(system: elo_mmx.EloMMX, mu: float, variance: float, shown: float, part: float, beta2: float):
    """What a performance, of which a part was seen, multiplies a normal belief with: h and y."""
    prior = elo_mmx.Belief(mu, math.sqrt(variance))
    after = system.updated(prior, shown, beta2)
    if part < 1:
        after = system.partly_updated(prior, after, part)
    return 1 / after.sigma**2 - 1 / variance, after.mu / after.sigma**2 - mu / variance


def smooth(system: TwoPhase, events: list[Event], rounds: int = 1) -> list[tuple[float, float]]:
    """Mean and deviation of the skill of every row of the trace, given all results."""
    normal = isinstance(system, elo_mmx.EloMMX)
    nodes, added = nodes_of(system, events)
    trace = system.rate(events, {}).trace
    starts, steps = {}, {}
    for name, own in nodes.items():
        # A newcomer's belief may adapt until the first event that counts; from that one on it is theirs. Of
        # whoever is never rated, what was known of newcomers in the end.
        first = trace[next((node.row for node in own if not node.held), own[-1].row)]
        starts[name] = first.mu_before
        steps[name] = roots(first.sigma_before**2, added[name])

    # Phase one as the rating did it: from what was believed before each event.
    found = [(row.mu_before, row.sigma_before**2) for row in trace]
    by_row = {node.row: node for own in nodes.values() for node in own}
    found = [(mu, v + (0.0 if by_row[r].held else by_row[r].gamma2)) for r, (mu, v) in enumerate(found)]
    for number in range(rounds):
        shown, parts = [], []
        for event in events:
            rows = range(len(shown), len(shown) + len(event.players()))
            deltas2 = [
                found[r][1] + (by_row[r].gamma2 if by_row[r].held else 0.0) + by_row[r].beta2 for r in rows
            ]
            performances, seen = system.contributions(event, [found[r][0] for r in rows], deltas2)
            shown += performances
            parts += seen
        result, without = [None] * len(trace), [None] * len(trace)
        for name, own in nodes.items():
            start, a = starts[name], steps[name]
            rated = np.array([not node.held for node in own])
            if normal:
                told = [
                    message(system, *found[node.row], shown[node.row], parts[node.row], node.beta2)
                    if not node.held
                    else (0.0, 0.0)
                    for node in own
                ]
                h, y = (np.array(column) for column in zip(*told, strict=True))
            else:
                beta2 = np.array([node.beta2 for node in own])
                w, tau = rated / beta2, 2 * math.sqrt(3) / math.pi * np.sqrt(beta2)
                p = np.array([shown[node.row] for node in own])
                h, y = most_likely(start, a, p, w, tau, math.pi**2 / 6)
            mean, covariance = conditioned(start, a, h, y)
            for k, node in enumerate(own):
                result[node.row] = (mean[k], math.sqrt(covariance[k, k]))
                if number + 1 < rounds:
                    others = np.arange(len(own)) != k
                    mu, spread = conditioned(start, a, h * others, y * others)
                    without[node.row] = (mu[k], spread[k, k])
        found = without
    return result
