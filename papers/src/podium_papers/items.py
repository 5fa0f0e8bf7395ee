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
    """Options that all items share: how much to compute, which seed, and which data files to use."""

    quick: bool = False
    """Small populations and few repetitions: enough to see that it works, too small to compare."""
    seed: int = 0
    """All randomness comes from this seed; if an item needs several, the next ones follow."""
    contests: Path | None = None
    """A file of contests, in place of the authors' data."""
    matches: Path | None = None
    """A file of matches, in place of the authors' data."""

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, least=0)

    def files(self, reads: Iterable[Given]) -> dict[Given, Path]:
        """The given files of these kinds."""
        paths = {what: getattr(self, what) for what in reads}
        return {what: path for what, path in paths.items() if path is not None}

    def seeds(self, number: int) -> range:
        """This many seeds, beginning with `seed`."""
        return range(self.seed, self.seed + number)


@dataclass(frozen=True)
class Number:
    """One of our numbers, with the published one if there is one."""

    what: str
    ours: str
    source: str
    """Where our number comes from: seeds, a file, or "exact"."""
    published: str = ""
    """The published number exactly as printed; empty if the paper has none."""
    place: str = ""
    """Its place in the paper: "Table 2, Synthetic, Topcoder"."""
    remark: str = ""
    """Whether the two agree, or why they do not."""


@dataclass(frozen=True, eq=False)
class Result:
    """The result of an item: a text, numbers, tables by title, and pictures by file name."""

    words: str
    """What is shown, and where and why it differs from the paper; empty lines separate paragraphs."""
    numbers: Sequence[Number] = ()
    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    pictures: Mapping[str, alt.ChartType] = field(default_factory=dict)


@dataclass(frozen=True)
class Item:
    """A table, a figure or a claim of a paper."""

    name: str
    """The name in `podium reproduce PAPER NAME`: "table-2", "figure-1", "rho"."""
    title: str
    place: str
    """Its place in the paper."""
    make: Callable[[Setting], Result]
    """The function that computes it; a function of a module, so that another process can import it."""
    group: str = ""
    """Items of the same group share work and run one after another in one process; empty: on its own."""
    cost: float = 1.0
    """About how many seconds its group takes; the longest groups begin first."""
    reads: tuple[Given, ...] = ()
    """Which files it reads in place of the authors' data, if they are given."""


def spread_of(values: ArrayLike, digits: int, unit: str = "") -> str:
    """The mean over several seeds, and its range.

    >>> spread_of([81.62, 81.7, 81.78], 1), spread_of([81.68], 1, "%")
    ('81.7 (81.6 to 81.8)', '81.7%')
    """
    numbers = np.array(values, np.float64, ndmin=1)
    mean, low, high = (
        f"{value:.{digits}f}{unit}" for value in (numbers.mean(), numbers.min(), numbers.max())
    )
    return mean if len(numbers) == 1 else f"{mean} ({low} to {high})"


def seeds_named(seeds: Sequence[int]) -> str:
    """Seeds in words.

    >>> seeds_named([3]), seeds_named(range(20))
    ('seed 3', 'seeds 0–19')
    """
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]}–{seeds[-1]}"
