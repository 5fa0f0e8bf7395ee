"""What a table, a figure or a claim of a paper is here: a function that computes it, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from podium.parameters import check_whole

if TYPE_CHECKING:
    import altair as alt
    import polars as pl


Given = Literal["contests", "matches"]


@dataclass(frozen=True)
class Setting:
    """How much is to be computed, and from what."""

    quick: bool = False
    """Small populations and few repetitions: shows that it works, and what comes of it only roughly."""
    seed: int = 0
    """All chance comes from this; where an item needs several seeds, they follow it."""
    contests: Path | None = None
    """A file of contests that takes the place of data the papers' authors have and we do not."""
    matches: Path | None = None
    """A file of matches, likewise."""

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, least=0)

    def files(self, reads: Iterable[Given]) -> dict[Given, Path]:
        """The files given among these."""
        paths = {what: getattr(self, what) for what in reads}
        return {what: path for what, path in paths.items() if path is not None}

    def seeds(self, number: int) -> range:
        """So many seeds, from the first on."""
        return range(self.seed, self.seed + number)


@dataclass(frozen=True)
class Number:
    """A number of ours, beside the published one where there is one."""

    what: str
    ours: str
    source: str
    """What ours comes from: seeds, a file, or that it is exact."""
    published: str = ""
    """As printed; empty where the paper has none."""
    place: str = ""
    """Where in the paper it stands: "Table 2, Synthetic, Topcoder"."""
    remark: str = ""
    """Whether they agree, or why they do not."""


@dataclass(frozen=True, eq=False)
class Result:
    """What came of an item: words, numbers, tables by title and pictures by the name of their file."""

    words: str
    """What is shown, and in words where it differs from the paper and why; empty lines part paragraphs."""
    numbers: Sequence[Number] = ()
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    pictures: Mapping[str, alt.ChartType] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """A table, a figure or a claim of a paper."""

    name: str
    """As in `podium reproduce PAPER NAME`: "table-2", "figure-1", "rho"."""
    title: str
    place: str
    """Where in the paper it stands."""
    make: Callable[[Setting], Result]
    """A function of a module, so that another process can be told its name."""
    group: str = ""
    """Items of a group share work and are made one after another in one process; alone, where it is empty."""
    cost: float = 1.0
    """About how long its group takes, in seconds: the longest are begun first."""
    reads: tuple[Given, ...] = ()
    """Which files in place of the authors' data it reads, where they are given."""


def spread_of(values: ArrayLike, digits: int, unit: str = "") -> str:
    """The mean of several seeds, and from where to where they went.

    >>> spread_of([81.62, 81.7, 81.78], 1), spread_of([81.68], 1, "%")
    ('81.7 (81.6 to 81.8)', '81.7%')
    """
    numbers = np.array(values, np.float64, ndmin=1)
    mean, low, high = (
        f"{value:.{digits}f}{unit}" for value in (numbers.mean(), numbers.min(), numbers.max())
    )
    return mean if len(numbers) == 1 else f"{mean} ({low} to {high})"


def seeds_named(seeds: Sequence[int]) -> str:
    """Which seeds something comes from.

    >>> seeds_named([3]), seeds_named(range(20))
    ('seed 3', 'seeds 0–19')
    """
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]}–{seeds[-1]}"
