"""Auto, slow and obvious: experts rated one by one, and the aggregating algorithm over what they predicted.

Every expert that can use an event predicts it twice, raw and calibrated, and three more predictions are
logistic regressions on the log odds of all these. The mixture is the mean of them by their weights. The loss
of two sides is −s ln p − (1 − s) ln(1 − p), that of more sides the mean over the sides. A weight is
multiplied by e^−loss; the weights that were awake then add up to what they did before; and all weights move a
part, the share, towards 1/N.

After a match a player is rated in public by the mixture's odds against a reference player, who has the mean
of newcomers and a third of their deviation: 1500 + 400 log₁₀(odds). The deviation is the mean over experts
that have one, each multiplied by the public points that a point of that expert is worth between two
reference players.

After an event of more than two sides the public rating is the contest score (`contest_scores`) instead, on
the same scale. Its inputs are those after the player's last event, among them how long the player had been
away before it; of a team they are the mean of its members'. While a player is away the rating moves by the
weight of absence as it was then. Newcomers start at the score of one if the latest event had more than two
sides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from . import elo, elo_mmr, glicko, weng_lin
from .calibration import Calibration, chance_of_draw, log_odds
from .contest_scores import learn_contest, start_precision
from .events import Event, Outcome, Row, home_sign, logistic, score
from .free_for_all import pair_chance

Belief = tuple[float, float | None]
Side = tuple[float, float, int]
"""A side as one opponent: its mean, its deviation and the number of its members."""
POINTS = 400 / math.log(10)


class Expert:
    """A system with parameters: who rates, and what beliefs mean for chances."""

    name: str
    parameters: Mapping[str, Any]
    teams = True
    shares = True
    newcomer: Belief

    def joined(self, members: list[Belief]) -> Side:
        """A side as one opponent: the mean of independent members."""
        n = len(members)
        return sum(mu for mu, _ in members) / n, math.sqrt(sum((s or 0.0) ** 2 for _, s in members)) / n, n

    def chance(self, a: Side, b: Side) -> float:
        raise NotImplementedError

    def performance(self, side: Side) -> tuple[str, float]:
        """How a side performs in an event of many: the family of the distribution, and its scale."""
        raise NotImplementedError

    def predicts(self, event: Event) -> bool:
        """Whether it can say something of such sides; that there will be a share nobody knows before."""
        return self.teams or all(len(side) == 1 for side in event.sides)

    def usable(self, event: Event) -> bool:
        return self.predicts(event) and (self.shares or event.share is None)

    @property
    def reference(self) -> Side:
        mu, sigma = self.newcomer
        return mu, 0.0 if sigma is None else sigma / 3, 1

    def gap(self, sigma: float) -> float:
        """The points by which the better of two players with this deviation wins with 60%: by halving."""
        mu, _, _ = self.reference
        low, high = 0.0, 1e5
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high)
                if self.chance((mu + middle, sigma, 1), (mu, sigma, 1)) < 0.6
                else (low, middle)
            )
        return low

    @cached_property
    def points(self) -> float:
        """Public points of one of its own, between two reference players."""
        return 400 * math.log10(1.5) / self.gap(self.reference[1])

    @cached_property
    def log_odds(self) -> float:
        """Log odds of one point between players who are all but certain."""
        sigma = self.reference[1]
        return math.log(1.5) / max(self.gap(sigma / 1000), 0.25 * self.gap(sigma))


class EloExpert(Expert):
    name, parameters, newcomer = "elo", {"k": 24.0, "pairs": "mean"}, (1500.0, None)

    def chance(self, a: Side, b: Side) -> float:
        return logistic((a[0] - b[0]) / POINTS)

    def performance(self, side: Side) -> tuple[str, float]:
        return "gumbel", POINTS


class GlickoExpert(Expert):
    name, newcomer = "glicko", (1500.0, 200.0)
    parameters = {"sigma": 200.0, "c": 15.0, "pairs": "mean", "periods_per_day": 0.1}

    def chance(self, a: Side, b: Side) -> float:
        variance = a[1] ** 2 + b[1] ** 2
        return logistic((a[0] - b[0]) / POINTS / math.sqrt(1 + 3 * variance / (math.pi * POINTS) ** 2))

    def performance(self, side: Side) -> tuple[str, float]:
        return "gumbel", math.sqrt(POINTS**2 + 6 * side[1] ** 2 / math.pi**2)


class WengLinExpert(Expert):
    name, newcomer, shares = "weng_lin", (1500.0, 500.0), False
    parameters = {"mu": 1500.0, "sigma": 500.0, "beta": 250.0, "tau": 15.0}

    def joined(self, members: list[Belief]) -> Side:
        return sum(mu for mu, _ in members), math.sqrt(sum((s or 0.0) ** 2 for _, s in members)), len(members)

    def spread(self, side: Side) -> float:
        """The deviation of a side's performance: β once, τ for each member."""
        return math.sqrt(side[1] ** 2 + 250.0**2 + side[2] * 15.0**2)

    def chance(self, a: Side, b: Side) -> float:
        return logistic((a[0] - b[0]) / math.sqrt(self.spread(a) ** 2 + self.spread(b) ** 2))

    def performance(self, side: Side) -> tuple[str, float]:
        return "gumbel", math.sqrt(2) * self.spread(side)


class EloMMRExpert(Expert):
    name, newcomer, teams, shares = "elo_mmr", (1500.0, 350.0), False, False
    parameters: Mapping[str, Any] = {}

    def performance(self, side: Side) -> tuple[str, float]:
        variance = side[1] ** 2 + elo_mmr.EloMMR.beta**2 + elo_mmr.EloMMR.gamma**2
        return "logistic", math.sqrt(3 * variance) / math.pi

    def chance(self, a: Side, b: Side) -> float:
        return pair_chance("logistic", (a[0], self.performance(a)[1]), (b[0], self.performance(b)[1]))


LISTS = {"few": [EloExpert(), GlickoExpert(), WengLinExpert(), EloMMRExpert()]}
MODULES = {"elo": elo, "glicko": glicko, "weng_lin": weng_lin, "elo_mmr": elo_mmr}
MEDIAN = {"gumbel": -math.log(math.log(2.0)), "normal": 0.0, "logistic": 0.0}


class Seen(NamedTuple):
    """What an expert believed of an event's players before it and after it, and whether it could use it."""

    awake: bool  # it can predict the event
    rates: bool
    before: dict[str, Belief]
    after: dict[str, Belief]


def watched(expert: Expert, events: list[Event]) -> list[Seen]:
    """Rate all events that the expert can use; in others its beliefs stay."""
    used = [event for event in events if expert.usable(event)]
    rows = iter(MODULES[expert.name].rate(used, **expert.parameters).trace)
    known: dict[str, Belief] = {}
    found = []
    for event in events:
        before = {name: known.get(name, expert.newcomer) for name in event.players()}
        after = dict(before)
        if expert.usable(event):
            for name in event.players():
                row: Row = next(rows)
                before[name], after[name] = (row.mu_before, row.sigma_before), (row.mu, row.sigma)
                if name not in event.held:
                    known[name] = after[name]
        found.append(Seen(expert.predicts(event), expert.usable(event), before, after))
    return found


@dataclass
class Regression:
    """Results regressed on log odds, as the calibration is; every coefficient starts at one part of all."""

    size: int
    variance: float

    def __post_init__(self) -> None:
        self.start, self.prior = (
            np.full(self.size, 1 / self.size),
            np.eye(self.size) * self.variance / self.size,
        )
        self.theta, self.covariance = self.start.copy(), self.prior.copy()

    def chance(self, x: np.ndarray) -> float:
        return logistic(min(max(float(self.theta @ x), -10.0), 10.0))

    def learn(self, inputs: list[np.ndarray], scores: list[float], part: float, matches: float) -> None:
        information, gradient = np.zeros((self.size, self.size)), np.zeros(self.size)
        for x, s in zip(inputs, scores, strict=True):
            p = self.chance(x)
            information += part * p * (1 - p) * np.outer(x, x)
            gradient += part * (s - p) * x
        self.covariance = np.linalg.inv(np.linalg.inv(self.covariance) + information)
        kept = (1 - 1e-5) ** matches
        self.theta = self.start + math.sqrt(kept) * (self.theta + self.covariance @ gradient - self.start)
        self.covariance = kept * self.covariance + (1 - kept) * self.prior


def clipped(p: float) -> float:
    least = logistic(-10.0)
    return min(max(p, least), 1 - least)


def loss(p: list[float], scores: list[float]) -> float:
    """The mean over the sides of −s ln p − (1 − s) ln(1 − p)."""
    return sum(-s * math.log(q) - (1 - s) * math.log(1 - q) for q, s in zip(p, scores, strict=True)) / len(p)


class Mixture:
    """The weights of all predictions, which of the experts have rated, and what else was learned."""

    def __init__(self, experts: list[Expert], share: float) -> None:
        self.experts, self.share = experts, share
        self.n = 2 * len(experts) + 3
        self.weights = [1 / self.n] * self.n
        self.rated = [0] * len(experts)
        self.calibrations = [Calibration() for _ in experts]
        self.regressions = [Regression(2 * len(experts), variance) for variance in (1.0, 5.0, 25.0)]
        self.drawing = Calibration()
        """Of which draws alone are learned."""

    def counting(self, awake: list[bool]) -> list[bool]:
        """Those awake that have rated before; all that are awake if none has."""
        found = [a and n > 0 for a, n in zip(awake, self.rated, strict=True)]
        return found if any(found) else awake

    def awake(self, counting: list[bool]) -> list[bool]:
        """For each prediction, whether it counts."""
        return [*counting, *counting, True, True, True]

    def inputs(self, counting: list[bool], logits: list[float]) -> np.ndarray:
        """Log odds of those that count, times the number of all over the number of those."""
        scale = len(counting) / sum(counting)
        return np.array([scale * z if counting[i % len(counting)] else 0.0 for i, z in enumerate(logits)])

    def public(self, beliefs: list[Belief], lack: float) -> tuple[float, float]:
        """The public rating of somebody of whom experts believe this."""
        counting = self.counting([True] * len(self.experts))
        raw, calibrated, deviations = [], [], []
        for expert, calibration, belief in zip(self.experts, self.calibrations, beliefs, strict=True):
            player = expert.joined([belief])
            z = math.log(expert.chance(player, expert.reference)) - math.log(
                expert.chance(expert.reference, player)
            )
            raw.append(z)
            calibrated.append(float(calibration.theta[0]) * z + float(calibration.theta[2]) * lack)
            deviations.append(None if belief[1] is None else belief[1] * expert.points)
        logits = raw + calibrated
        x = self.inputs(counting, logits)
        logits += [float(regression.theta @ x) for regression in self.regressions]
        on = self.awake(counting)
        won = sum(w * logistic(z) for w, z, a in zip(self.weights, logits, on, strict=True) if a)
        lost = sum(w * logistic(-z) for w, z, a in zip(self.weights, logits, on, strict=True) if a)
        k = len(self.experts)
        pairs = [
            (self.weights[i] + self.weights[k + i], d)
            for i, d in enumerate(deviations)
            if counting[i] and d is not None
        ]
        mean = sum(w * d for w, d in pairs) / sum(w for w, _ in pairs) if pairs else 350.0
        return 1500 + POINTS * math.log(won / lost), mean


class Contests:
    """The weights of contest scores, and what the inputs of players were after their last event."""

    def __init__(self, experts: list[Expert]) -> None:
        self.experts = experts
        lead = [expert.name == "elo_mmr" for expert in experts]
        self.lead = lead if any(lead) else [True] * len(experts)
        weights = [one / sum(self.lead) for one in self.lead]
        self.start = np.array([*weights, *[0.0] * 6])
        self.theta, self.precision = self.start.copy(), start_precision(self.start)
        self.kept: dict[str, list[Belief]] = {}
        self.absence: dict[str, float] = {}
        self.last: dict[str, float] = {}
        self.pause: dict[str, float] = {}
        self.latest = False

    def inputs(self, beliefs: list[Belief], played: int, days: float, pause: float) -> np.ndarray:
        shown, deviations = [], [0.0]
        for expert, (mu, sigma), lead in zip(self.experts, beliefs, self.lead, strict=True):
            shown.append((mu - expert.newcomer[0]) * expert.log_odds)
            if lead and sigma is not None:
                deviations.append(sigma * expert.log_odds)
        square = min(max(shown[self.lead.index(True)], -100.0), 100.0) ** 2 / 20
        rest = [1.0, 1 / (1 + played / 5), math.log(1 + days / 30), pause, square, max(deviations)]
        return np.clip(np.array(shown + rest), -100.0, 100.0)

    def away(self, name: str, event: Event) -> float:
        """Days since the player's last event."""
        last = self.last.get(name)
        return 0.0 if last is None or event.time is None else max(event.time - last, 0.0)

    def rating(self, beliefs: list[Belief], played: int, pause: float) -> float:
        return 1500 + POINTS * float(self.theta @ self.inputs(beliefs, played, 0.0, pause))

    def learn(self, event: Event, before: dict[str, list[Belief]], played: dict[str, int]) -> None:
        sides = []
        for side in event.sides:
            members = [
                self.inputs(
                    self.kept.get(n, before[n]), played.get(n, 0), self.away(n, event), self.pause.get(n, 0.0)
                )
                for n in side
            ]
            sides.append(sum(members) / len(members))
        self.theta, self.precision = learn_contest(
            self.theta, self.precision, self.start, event.ranks, np.array(sides)
        )


def expected(expert: Expert, event: Event, sides: list[Side], slope: float = 1.0) -> list[float]:
    """The mean chance of each side against the others."""
    n = range(len(sides))
    if len(sides) == 2:
        return [expert.chance(sides[0], sides[1]), expert.chance(sides[1], sides[0])]
    performing = []
    for side in sides:
        family, scale = expert.performance(side)
        performing.append((side[0] - MEDIAN[family] * scale / slope, scale / slope))
    return [
        sum(pair_chance(family, performing[i], performing[j]) for j in n if j != i) / (len(sides) - 1)
        for i in n
    ]


def rate(events: list[Event], experts: str, share: float) -> Outcome:
    """Rate the players of events; predictions are kept beside, in `predicted`."""
    return walked(events, experts, share)[0]


def walked(
    events: list[Event], experts: str, share: float
) -> tuple[Outcome, list[list[float]], tuple[float, float]]:
    """What `rate` finds, the expected scores of the sides of every event, draws and the room for them."""
    mixture, contests = Mixture(LISTS[experts], share), Contests(LISTS[experts])
    seen = [watched(expert, events) for expert in mixture.experts]
    played: dict[str, int] = {}
    public: dict[str, tuple[float, float]] = {}
    trace, predictions = [], []
    for number, event in enumerate(events):
        now = [history[number] for history in seen]
        lack = {name: 1 / (1 + played.get(name, 0) / 5) for name in event.players()}
        beliefs = {name: [one.before[name] for one in now] for name in event.players()}
        before = {}
        for name in event.players():
            mu, sigma = public[name] if name in public else mixture.public(beliefs[name], 1.0)
            if name in public:
                mu += contests.absence[name] * math.log(1 + contests.away(name, event) / 30)
            elif contests.latest:
                mu = contests.rating(beliefs[name], 0, 0.0)
            before[name] = mu, sigma
        predictions.append(mixed(mixture, event, now, lack))
        many = len(event.sides) > 2
        if any(name not in event.held for name in event.players()):
            contests.latest = many
            if many:
                contests.learn(event, beliefs, played)
        for name in event.players():
            after = before[name]
            if name not in event.held:
                played[name] = played.get(name, 0) + 1
                contests.kept[name] = [one.after[name] for one in now]
                contests.pause[name] = math.log(1 + contests.away(name, event) / 30)
                if event.time is not None:
                    contests.last[name] = event.time
                after = mixture.public(contests.kept[name], 1 / (1 + played[name] / 5))
                contests.absence[name] = 0.0
                if many:
                    after = contests.rating(contests.kept[name], played[name], contests.pause[name]), after[1]
                    contests.absence[name] = POINTS * float(contests.theta[-4])
                public[name] = after
            trace.append(Row(name, *before[name], *after))
    drawing = mixture.drawing
    return Outcome(ratings=dict(public), trace=trace), predictions, (drawing.draws, drawing.room)


def mixed(mixture: Mixture, event: Event, now: list[Seen], lack: dict[str, float]) -> list[float]:
    """The mixture's prediction of an event; everything learns from it unless all players are held."""
    n, two = len(event.sides), len(event.sides) == 2
    scores = [sum(score(event, i, j) for j in range(n) if j != i) / (n - 1) for i in range(n)]
    lacking = [sum(lack[name] for name in side) / len(side) for side in event.sides]
    home = home_sign(event, 0, 1) if two else 0
    rated = any(name not in event.held for name in event.players())
    counting = mixture.counting([one.awake for one in now])
    raw, calibrated = [], []
    for expert, calibration, one in zip(mixture.experts, mixture.calibrations, now, strict=True):
        if not one.awake:
            raw.append([0.5] * n)
            calibrated.append([0.5] * n)
            continue
        sides = [expert.joined([one.before[name] for name in side]) for side in event.sides]
        raw.append(expected(expert, event, sides))
        if two:
            first = calibration.predict(raw[-1][0], home, lacking[0] - lacking[1])[0]
            calibrated.append([first, 1 - first])
            if rated and one.rates:
                drawn = event.ranks[0] == event.ranks[1]
                calibration.learn(raw[-1][0], home, lacking[0] - lacking[1], scores[0], drawn)
        else:
            calibrated.append(expected(expert, event, sides, float(calibration.theta[0])))
            if rated and one.rates:
                calibration.learn_field(calibrated[-1], scores)
    predictions = [[clipped(p) for p in one] for one in raw + calibrated]
    inputs = [
        mixture.inputs(counting, [log_odds(one[i]) for one in predictions]) for i in range(1 if two else n)
    ]
    for regression in mixture.regressions:
        regressed = [regression.chance(x) for x in inputs]
        predictions.append([regressed[0], 1 - regressed[0]] if two else regressed)
    on = mixture.awake(counting)
    total = sum(w for w, a in zip(mixture.weights, on, strict=True) if a)
    found = [
        sum(w * p[i] for w, p, a in zip(mixture.weights, predictions, on, strict=True) if a) / total
        for i in range(n)
    ]
    if not rated:
        return found
    drawing = mixture.drawing
    if two:
        room = chance_of_draw(found[0], drawing.nu) / drawing.nu
        drawing.learn_draws(1.0, event.ranks[0] == event.ranks[1], room)
    else:
        drawing.learn_ties(found, event.ranks)
    worse = [
        w * math.exp(-loss(p, scores)) if a else w
        for w, p, a in zip(mixture.weights, predictions, on, strict=True)
    ]
    kept = total / sum(w for w, a in zip(worse, on, strict=True) if a)
    mixture.weights = [
        (1 - mixture.share) * (w * kept if a else w) + mixture.share / mixture.n
        for w, a in zip(worse, on, strict=True)
    ]
    for regression in mixture.regressions:
        regression.learn(inputs, scores[: len(inputs)], 1.0 if two else 0.5, n / 2)
    mixture.rated = [r + one.rates for r, one in zip(mixture.rated, now, strict=True)]
    return found
