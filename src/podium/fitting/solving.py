"""From votes to the strengths that make them most likely."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError, ParameterError, UnknownPlayerError
from podium.fitting.components import strong_components, weak_components
from podium.fitting.newton import maximise
from podium.fitting.pair_cells import PairCells, pair_cells
from podium.fitting.pair_likelihood import PairLikelihood
from podium.fitting.pair_models import ELO_PER_LOGIT, PAIR_MODELS, PairModel
from podium.fitting.rankings import RankingLikelihood
from podium.fitting.votes import Rankings, Votes
from podium.text import counted, did_you_mean, listed

PRIOR_IF_NEEDED = 400.0
"""Points: the deviation of the prior where a strength would have no bound; odds of ten to one are usual."""
JUDGE_DEVIATION = 0.5
"""The deviation of the priors of judges' biases and of the logarithms of their slopes."""
FARTHEST = 30.0
"""A strength or effect this far from 0, in units of the model, only grows: odds of 1e13 to one."""
LEAST_TOLD = 1e-9
"""Share of an effect's information below which only rounding tells it from other effects or strengths."""
MOST_PLAYERS = 5_000
"""Newton's method needs a matrix of players by players: 200 MB here."""


@dataclass(frozen=True)
class Choices:
    """How votes are fitted.

    Attributes:
        model: The name of the model.
        position: Whether the side shown first has an effect.
        prior: Deviation of a normal prior of strengths, in points; "auto" has one only where needed.
        ridge: Deviation of a normal prior of effects, in points; None for none.
        anchors: Strengths that are given, in points.
        points: Points per unit of strength.
        center: The mean strength in points where there is no anchor.
    """

    model: str
    position: bool
    prior: float | str | None
    ridge: float | None
    anchors: Mapping[str, float]
    points: float
    center: float


@dataclass(frozen=True, eq=False)
class Solution:
    """The strengths that make votes most likely.

    Attributes:
        likelihood: The likelihood with its priors.
        parameters: Its highest point, strengths first.
        information: The negative second derivatives there.
        component: The component of each player.
        free: Which parameters were fitted.
        shifts: Directions along which the likelihood is flat, a row each.
        units: What one unit of each covariate's effect is multiplied with inside.
        prior: The deviation of the prior of strengths in points; None without one.
        unbounded: Numbers of the players whose strength has no bound without a prior.
    """

    likelihood: PairLikelihood | RankingLikelihood
    parameters: Floats
    information: Floats
    component: Longs
    free: Bools
    shifts: Floats
    units: Floats
    prior: float | None
    unbounded: Longs

    @property
    def strengths(self) -> Floats:
        """The strengths, in units of the model."""
        return self.parameters[: self.likelihood.players]


def solve(votes: Votes | Rankings, choices: Choices, start: Floats | None = None) -> Solution:
    """The most likely strengths of some votes."""
    players = len(votes.players)
    if not len(votes):
        raise InputError("there are no votes to fit", hint="give a table with at least one vote")
    if players > MOST_PLAYERS:
        raise InputError(
            f"{players:,} players are too many to fit at once (at most {MOST_PLAYERS:,})",
            hint="rate them with podium.rate",
        )
    cells, units = None, np.ones(0)
    if isinstance(votes, Votes):
        cells, units = _scaled(pair_cells(votes, position=choices.position), int(choices.position))
    _check_ties(votes, choices.model)
    better, worse = _edges(votes, cells)
    component = weak_components(players, better, worse)
    unbounded = _unbounded(players, better, worse, component)
    prior = choices.prior
    if prior == "auto":
        prior = PRIOR_IF_NEEDED if len(unbounded) else None
    elif prior is None and len(unbounded):
        raise _unbounded_error(votes, unbounded, better, worse)
    precision = 0.0 if prior is None else (choices.points / float(prior)) ** 2
    likelihood: PairLikelihood | RankingLikelihood
    if isinstance(votes, Votes):
        assert cells is not None
        likelihood = _pair_likelihood(cells, choices, precision, units)
    else:
        likelihood = RankingLikelihood(votes, np.zeros(0))
        penalty = np.zeros(likelihood.size)
        penalty[:players] = precision
        likelihood = replace(likelihood, precision=penalty)
    free, shifts, begin = _anchored(votes, choices, component, likelihood)
    if start is not None:
        begin = np.where(free, start, begin)
    parameters, information = maximise(likelihood, shifts, free, begin)
    if np.abs(parameters[free]).max(initial=0.0) > FARTHEST:
        raise InputError(
            "the fit has no finite answer: strengths or effects together explain every vote",
            hint="give strengths a prior and effects a ridge (prior=400, ridge=400), or leave effects out",
        )
    if isinstance(likelihood, PairLikelihood) and isinstance(votes, Votes):
        names = ("position",) * choices.position + votes.covariate_names
        _check_effects(likelihood, information, free, shifts, names)
    return Solution(
        likelihood,
        parameters,
        information,
        component,
        free,
        shifts,
        units,
        None if prior is None else float(prior),
        unbounded,
    )


def _check_ties(votes: Votes | Rankings, model: str) -> None:
    """Refuse votes that are all ties under a model of ties: the more likely it takes them, the better."""
    if isinstance(votes, Votes):
        endless, hint = PAIR_MODELS[model].has_ties and bool(np.all(votes.outcome == 1)), "use bradley-terry"
    else:
        best = votes.rank[votes.offsets[:-1]]
        endless, hint = bool(np.all(votes.rank == np.repeat(best, np.diff(votes.offsets)))), "leave them out"
    if endless:
        raise InputError("everything is tied, and no finite tie parameter explains that", hint=hint)


def _check_effects(
    likelihood: PairLikelihood, information: Floats, free: Bools, shifts: Floats, names: tuple[str, ...]
) -> None:
    """Refuse effects that the votes cannot tell from each other or from strengths."""
    if not names:
        return
    effects = np.arange(likelihood.effects_from, likelihood.judges_from)
    others = np.setdiff1d(np.flatnonzero(free), effects)
    shift = shifts[:, others]
    rest = information[np.ix_(others, others)] + shift.T @ shift
    cross, own = information[np.ix_(effects, others)], information[np.ix_(effects, effects)]
    left = own - cross @ np.linalg.solve(rest, cross.T)  # the information when all others are unknown
    scale = np.sqrt(np.diagonal(own))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(left / np.outer(scale, scale))
    if values[0] > LEAST_TOLD:
        return
    mixed = [name for name, part in zip(names, vectors[:, 0].tolist(), strict=True) if abs(part) > 0.1]
    many = len(mixed) > 1
    raise InputError(
        f"the effect{'s' if many else ''} of {listed(mixed)} cannot be separated"
        f"{'' if many else ' from the strengths'}",
        hint="leave one out, or give effects a prior (ridge=400, or --ridge 400)",
    )


def _scaled(cells: PairCells, position: int) -> tuple[PairCells, Floats]:
    """Covariates brought to a mean square of 1, so that steps of all parameters are of one size."""
    design = cells.design
    if design.shape[1] == position:
        return cells, np.ones(position)
    units = np.sqrt(np.mean(design**2, axis=0))
    units[units == 0.0] = 1.0
    units[:position] = 1.0
    return replace(cells, design=design / units), units


def _pair_likelihood(cells: PairCells, choices: Choices, precision: float, units: Floats) -> PairLikelihood:
    model: PairModel = PAIR_MODELS[choices.model]
    has_tie = model.has_ties and bool(cells.counts[1].any())
    if not has_tie and model.name in ("davidson", "rao-kupper"):
        model = PAIR_MODELS["bradley-terry"]  # which both are where nothing ties
    likelihood = PairLikelihood(cells, model, has_tie, np.zeros(0))
    penalty = np.zeros(likelihood.size)
    penalty[: cells.players] = precision
    if choices.ridge is not None:
        penalty[likelihood.effects_from : likelihood.judges_from] = (
            choices.points / choices.ridge / units
        ) ** 2
    penalty[likelihood.judges_from :] = JUDGE_DEVIATION**-2
    return replace(likelihood, precision=penalty)


def _edges(votes: Votes | Rankings, cells: PairCells | None) -> tuple[Longs, Longs]:
    """Who was not worse than whom."""
    if cells is not None:
        won, tied, lost = cells.counts > 0.0
        up, down = won | tied, lost | tied
        return (
            np.concatenate([cells.first[up], cells.second[down]]),
            np.concatenate([cells.second[up], cells.first[down]]),
        )
    assert isinstance(votes, Rankings)
    order = np.lexsort((votes.rank, np.repeat(np.arange(len(votes)), np.diff(votes.offsets))))
    player, rank = votes.player[order].astype(np.int64), votes.rank[order]
    inner = np.ones(len(player), bool)
    inner[votes.offsets[1:] - 1] = False  # the last row of a ranking has none below it
    above = np.flatnonzero(inner)
    tied = above[rank[above] == rank[above + 1]]
    return (
        np.concatenate([player[above], player[tied + 1]]),
        np.concatenate([player[above + 1], player[tied]]),
    )


def _unbounded(players: int, better: Longs, worse: Longs, component: Longs) -> Longs:
    """Players who won or lost everything against the largest group of their component."""
    strong = strong_components(players, better, worse)
    if len(np.unique(strong)) == int(component.max(initial=-1)) + 1:
        return np.zeros(0, np.int64)
    sizes = np.bincount(strong)
    largest = np.zeros(int(component.max()) + 1, np.int64)
    for player in range(players):
        mine, best = strong[player], largest[component[player]]
        if sizes[mine] > (sizes[strong[best]] if component[best] == component[player] else 0):
            largest[component[player]] = player
    return np.flatnonzero(strong != strong[largest[component]])


def _unbounded_error(votes: Votes | Rankings, unbounded: Longs, better: Longs, worse: Longs) -> InputError:
    names = [votes.players[i] for i in unbounded[:5].tolist()]
    more = "" if len(unbounded) <= 5 else f" and {len(unbounded) - 5} more"
    only_won = set(unbounded.tolist()) - set(worse.tolist())
    only_lost = set(unbounded.tolist()) - set(better.tolist())
    words = [
        f"{counted(len(kind), 'player')} never {verb} "
        f"({listed([votes.players[i] for i in sorted(kind)[:5]])})"
        for kind, verb in ((only_won, "lost"), (only_lost, "won"))
        if kind
    ]
    reason = "; ".join(words) or f"{listed(names)}{more} only won or only lost against all others"
    return InputError(
        f"some strengths have no finite answer: {reason}",
        hint="give strengths a prior (prior=400 or prior='auto'), or leave these players out",
    )


def _anchored(
    votes: Votes | Rankings,
    choices: Choices,
    component: Longs,
    likelihood: PairLikelihood | RankingLikelihood,
) -> tuple[Bools, Floats, Floats]:
    """Which parameters are free, the flat directions that are left, and where to begin."""
    free, begin = np.ones(likelihood.size, bool), likelihood.start()
    shifts = np.zeros((int(component.max()) + 1, likelihood.size))
    shifts[component, np.arange(len(component))] = 1.0
    index = {name: number for number, name in enumerate(votes.players)}
    for name, value in choices.anchors.items():
        if name not in index:
            raise UnknownPlayerError(
                f"the anchor {name!r} is in no vote", hint=did_you_mean(name, votes.players)
            )
        if not np.isfinite(value):
            raise ParameterError(f"the anchor of {name!r} is {value}, which is not a strength")
    for number in range(len(shifts)):
        fixed = [name for name in choices.anchors if component[index[name]] == number]
        if len(fixed) < 2:  # a single one is a shift of the scale
            continue
        shifts[number] = 0.0
        for name in fixed:
            free[index[name]] = False
            begin[index[name]] = (choices.anchors[name] - choices.center) / choices.points
    return free, shifts, begin


def default_points(model: str) -> float:
    """Points per unit of strength of a model's usual scale."""
    return PAIR_MODELS[model].points if model in PAIR_MODELS else ELO_PER_LOGIT
