"""Earlier and later events: parameters are fitted on the first and judged on the others.

>>> import podium
>>> history = podium.History.from_matches(["ann"] * 10, ["bob"] * 10)
>>> [(fold.cut, fold.until) for fold in RollingSplit(folds=3, first=0.4).cut(history)]
[(4, 6), (6, 8), (8, 10)]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from podium.errors import InputError, ParameterError
from podium.evaluation.scopes import Bound, check_bound, event_number
from podium.history import History

FEWEST = 2
"""Events that a part has to have."""


class Fold(NamedTuple):
    """Fit on the events before `cut`, judge on those from `cut` to `until`; if equal, nothing is judged."""

    cut: int
    until: int


@dataclass(frozen=True)
class Split:
    """The paper's protocol: fit on the first part of the events, judge on the rest.

    `first` is the end of the first part: a share of all events, the number of an event counted from 0, or a
    time. The default is 0.5, and the Elo-MMR paper uses 0.1. 1.0 fits on everything and judges nothing.

    Attributes:
        first: Where the first part ends.

    >>> import podium
    >>> podium.Split(0.1)
    Split(first=0.1)
    """

    first: Bound = 0.5

    def __post_init__(self) -> None:
        if check_bound(self.first, "a split") == 0:
            raise ParameterError("a split at 0 leaves no events to fit on", hint="a fraction such as 0.5")

    def cut(self, history: History) -> list[Fold]:
        """The single fold of this split."""
        end = event_number(history, self.first, "a split")
        return _checked([Fold(end, len(history))], len(history))

    def __str__(self) -> str:
        return f"at {self.first}"


@dataclass(frozen=True)
class RollingSplit:
    """Time rolls on: fit on all events before a block, judge on the block, and repeat with the next block.

    The first fold is fitted on the share `first` of the events. The rest is divided into `folds` blocks.

    Attributes:
        folds: Number of blocks to judge on.
        first: The share of the events before the first block.

    >>> import podium
    >>> podium.RollingSplit(folds=3, first=0.4)
    RollingSplit(folds=3, first=0.4)
    """

    folds: int = 4
    first: float = 0.4

    def __post_init__(self) -> None:
        if isinstance(self.folds, bool) or not isinstance(self.folds, Integral) or self.folds < 1:
            raise ParameterError(f"a rolling split of {self.folds!r} folds", hint="from 1")
        if isinstance(self.first, bool) or not isinstance(self.first, Real) or not 0.0 < self.first < 1.0:
            raise ParameterError(f"a rolling split from {self.first!r} on", hint="a fraction, such as 0.4")

    def cut(self, history: History) -> list[Fold]:
        """The folds of this split, in time order."""
        edges = [round(cut) for cut in (np.linspace(self.first, 1.0, self.folds + 1) * len(history)).tolist()]
        return _checked([Fold(*pair) for pair in pairwise(edges)], len(history))

    def __str__(self) -> str:
        return f"rolling in {self.folds} folds from {self.first:g} on"


def split_meant(
    since: Split | RollingSplit | Bound | None, split: Split | RollingSplit | Bound | None
) -> Split | RollingSplit:
    """The split of either argument; a bound is the split at that bound, and the default is one half.

    >>> split_meant("2026-01-01", None), split_meant(None, RollingSplit(2))
    (Split(first='2026-01-01'), RollingSplit(folds=2, first=0.4))
    """
    if since is not None and split is not None:
        raise ParameterError("since and split are the same", hint="give since=, as in evaluate")
    given = split if since is None else since
    if given is None:
        return Split()
    return given if isinstance(given, (Split, RollingSplit)) else Split(given)


def _checked(folds: list[Fold], events: int) -> list[Fold]:
    for fold in folds:
        if fold.cut < FEWEST or fold.cut > events or 0 < fold.until - fold.cut < FEWEST:
            raise InputError(
                f"{events} events cannot be split after {fold.cut}, because each part needs {FEWEST} or more",
                hint="take more events, or another point",
            )
    return folds
