"""Fitting votes: strengths that do not change, all at once, with what is known about each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from podium.errors import ParameterError, UnsupportedError
from podium.fitting.covariance import KINDS, covariance
from podium.fitting.fit_result import Fit
from podium.fitting.pair_models import PLACKETT_LUCE, check_model
from podium.fitting.solving import Choices, default_points, solve
from podium.fitting.votes import Rankings, Votes, votes_of_history
from podium.history import History
from podium.text import did_you_mean

if TYPE_CHECKING:
    from podium.files.kinds import Given
    from podium.history.history import Frame

LEVEL = 0.95
"""How often intervals contain the truth, if nobody says otherwise."""
CENTER = 1000.0
"""The mean strength in points, as arenas of language models publish them."""


def fit(
    votes: History | Votes | Rankings | Frame | Given,
    model: str | None = None,
    *,
    position: bool = False,
    covariates: Sequence[str] = (),
    judges: str | bool | None = None,
    cluster: str | None = None,
    anchors: Mapping[str, float] | None = None,
    prior: float | Literal["auto"] | None = "auto",
    ridge: float | None = None,
    errors: str | None = None,
    level: float = LEVEL,
    points: float | None = None,
    center: float = CENTER,
    columns: Mapping[str, str | None] | None = None,
    seed: int = 0,
) -> Fit:
    """Fit strengths that do not change to votes between two, or to rankings.

    Use it where the compared things stay the same, such as language models, images or essays. Where players
    improve or decline, use `podium.rate`.

    Args:
        votes: A table of votes (a file or any dataframe), a history, or `Votes`.
        model: "bradley-terry", "davidson", "rao-kupper", "thurstone" or "plackett-luce". By default
            Davidson's for votes with ties, Bradley and Terry's where no vote or every vote is a tie, and
            Plackett and Luce's for rankings of more than two.
        position: Estimate the advantage of the side shown first.
        covariates: Columns whose numbers may explain votes. A pair of columns such as ``length_a`` and
            ``length_b`` is named ``length`` and counts as their difference.
        judges: The column of the judge. Each judge gets a slope and a bias. True finds the column.
        cluster: The column of the voter or prompt. Votes of one group may depend on each other.
        anchors: Strengths to hold, in points, such as ``{"gpt-4": 1000}``.
        prior: Standard deviation of a normal prior of strengths in points. "auto" has one of 400 points only
            if a player won or lost everything. None refuses such votes and names the players.
        ridge: Standard deviation of a normal prior of effects, in points. By default they have none.
        errors: "model", "sandwich", "cluster" or "bootstrap": how the standard errors are computed. By
            default "cluster" where there is a `cluster` column, "sandwich" elsewhere.
        level: The level of intervals and rank sets.
        points: Points per unit of strength. By default 400 points are odds of ten to one, and 11.7 to one in
            "thurstone".
        center: The mean strength in points where there is no anchor.
        columns: podium's name of a column and the table's, as in `read_history`.
        seed: Seed of the draws for rank sets and the chance of being best, and of the bootstrap.

    >>> import podium
    >>> history = podium.History.from_matches(["a", "b", "a", "c"], ["b", "c", "c", "a"], [1, 0.5, 0, 0.5])
    >>> podium.fit(history).strengths["player"].to_list()
    ['c', 'a', 'b']
    """
    if not 0.5 <= level < 1.0:
        raise ParameterError(f"the level is {level}", hint="give one from 0.5 to below 1, such as 0.95")
    for name, value in (("prior", prior), ("ridge", ridge), ("points", points)):
        if isinstance(value, (int, float)) and not 0.0 < value < np.inf:
            raise ParameterError(f"{name} is {value}", hint="give a number of points above 0")
    if isinstance(prior, str) and prior != "auto":
        raise ParameterError(f"prior is {prior!r}", hint="give a number of points, 'auto' or None")
    if model is not None:
        check_model(model)
    found = _votes_meant(votes, covariates, judges, cluster, columns)
    model = model or _usual_model(found)
    if isinstance(found, Rankings) and model != PLACKETT_LUCE:
        raise UnsupportedError(
            f"{model} is a model of votes between two, and some of these rank more",
            hint=f"use {PLACKETT_LUCE}",
        )
    if isinstance(found, Votes) and model == PLACKETT_LUCE:
        model = _usual_model(found)  # for two players it is Davidson's
    if isinstance(found, Rankings) and position:
        raise UnsupportedError("rankings have no side that is shown first", hint="leave position out")
    choices = Choices(
        model,
        position,
        prior,
        ridge,
        dict(anchors or {}),
        default_points(model) if points is None else points,
        center,
    )
    kind = errors or ("sandwich" if found.cluster is None else "cluster")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or f"errors is one of {', '.join(KINDS)}"
        raise ParameterError(f"there are no errors called {kind!r}", hint=hint)
    solution = solve(found, choices)
    return Fit(found, choices, solution, kind, covariance(solution, found, kind, seed), level, seed)


def _usual_model(votes: Votes | Rankings) -> str:
    if isinstance(votes, Rankings):
        return PLACKETT_LUCE
    tied = votes.outcome == 1
    return "davidson" if tied.any() and not tied.all() else "bradley-terry"


def _votes_meant(
    given: Any,
    covariates: Sequence[str],
    judges: str | bool | None,
    cluster: str | None,
    columns: Mapping[str, str | None] | None,
) -> Votes | Rankings:
    """The votes, read from a table if they are none yet."""
    if isinstance(given, (History, Votes, Rankings)):
        asked = {"covariates": covariates, "judges": judges, "cluster": cluster, "columns": columns}
        if named := [name for name, value in asked.items() if value]:
            raise UnsupportedError(
                f"{named[0]} names columns of a table, and a {type(given).__name__} was given",
                hint="give fit the table or the file itself",
            )
        return votes_of_history(given) if isinstance(given, History) else given
    from podium.fitting.vote_tables import read_votes

    return read_votes(given, covariates=covariates, judges=judges, cluster=cluster, columns=columns)
