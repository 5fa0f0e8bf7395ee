"""Many ladders at once: games, regions, leagues that have nothing to do with each other.

>>> import polars as pl
>>> game, loser = ["chess", "go", "chess"], ["bob", "cat", "bob"]
>>> games = pl.DataFrame({"game": game, "winner": ["ann"] * 3, "loser": loser})
>>> ladders = rate_ladders(games, by="game", jobs=1)
>>> list(ladders), len(ladders["go"].ladder)
(['chess', 'go'], 2)
>>> ladders.ratings.select("game", "player").rows()
[('chess', 'ann'), ('chess', 'bob'), ('go', 'ann'), ('go', 'cat')]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

from podium.cluster.spreading import spread
from podium.errors import InputError, ParameterError, PodiumError
from podium.files.kinds import Given
from podium.history import History, HistoryLike, Skipped, history_meant
from podium.history.history import Frame
from podium.history.ragged import Progress
from podium.ladder.bulk import Run, rate
from podium.notebooks import expect_work, html_table, with_bar
from podium.systems import RatingSystem, System, hinting_at_others, system_for
from podium.tables.columns.shapes import ReadKeywords
from podium.tables.given_frames import given_kind_property, like_given, with_polars
from podium.tables.ladder_column import read_ladders
from podium.tables.reading_notes import warn_of
from podium.text import counted, did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

PIECES = 8
"""Tasks for each worker: few, so that tasks are large; enough to keep all workers busy to the end."""


RATINGS = ("place", "player", "mu", "sigma", "display", "events", "last_time")
"""Columns of ratings and leaderboards; the column that names the ladder must differ from all of them."""


class UnknownLadderError(PodiumError, KeyError):
    """Raised for a ladder name that is not among those rated."""

    def __str__(self) -> str:
        return self._message()


@dataclass(frozen=True, eq=False, repr=False)
class Ladders(Mapping[str, Run]):
    """A `Run` for each ladder by its name, in order of first appearance.

    Attributes:
        by: The column that separates the ladders.
        runs: The `Run` of each ladder by name.
        skipped: Rows of any ladder that were left out while reading.

    >>> import podium
    >>> import polars as pl
    >>> columns = {"game": ["chess", "go"], "player_a": ["ann", "bob"], "player_b": ["bob", "cat"]}
    >>> columns["winner"] = ["ann", "bob"]
    >>> ladders = podium.rate_ladders(pl.DataFrame(columns), by="game", system="elo", jobs=1)
    >>> ladders["go"].ratings["player"].to_list()
    ['bob', 'cat']
    """

    by: str
    runs: Mapping[str, Run]
    skipped: Sequence[Skipped] = ()

    def __getitem__(self, name: str) -> Run:
        if name not in self.runs:
            raise UnknownLadderError(
                f"there is no {self.by} {shorten(str(name))!r}", hint=did_you_mean(str(name), list(self.runs))
            )
        return self.runs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        return f"<Ladders: {counted(len(self), 'ladder')} by {shorten(self.by)}>"

    def _repr_html_(self) -> str:
        rows = ((name, len(run.ladder), run.ladder.n_events) for name, run in self.items())
        return html_table(repr(self), (self.by, "players", "events"), rows, count=len(self))

    @given_kind_property
    def ratings(self) -> pl.DataFrame:
        """The ratings of all ladders in one table: the column `by`, then the columns of `Run.ratings`."""
        import polars as pl

        ratings = ((name, with_polars(run).ratings) for name, run in self.runs.items())
        return pl.concat(one.select(pl.lit(name).alias(self.by), pl.all()) for name, one in ratings)


@with_bar("rating ladders")
def rate_ladders(
    source: Given | Frame | Mapping[str, HistoryLike],
    by: str = "ladder",
    system: System | None = None,
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadKeywords],
) -> Ladders:
    """Rate each ladder of a table separately, in several processes.

    The result is the same as rating each alone.

    Args:
        source: A file or a dataframe, or histories by name.
        by: The column that names the ladder of each row.
        system: A system or its name. Default: the preset of each ladder's results.
        jobs: Number of processes. Default: one for each core.
        executor: An executor in place of processes.
        dask: The address of a Dask cluster in place of processes.
        progress: Called with the number of rows rated since the last call.
        options: Options of `read_history`.

    Returns:
        A `Run` for each ladder.

    >>> import podium
    >>> import polars as pl
    >>> columns = {"game": ["chess", "go"], "player_a": ["ann", "bob"], "player_b": ["bob", "cat"]}
    >>> columns["winner"] = ["ann", "bob"]
    >>> ladders = podium.rate_ladders(pl.DataFrame(columns), by="game", system="elo", jobs=1)
    >>> ladders.ratings.select("game", "player", "display").rows()
    [('chess', 'ann', 1516.0), ('chess', 'bob', 1484.0), ('go', 'bob', 1516.0), ('go', 'cat', 1484.0)]
    """
    if by in RATINGS:
        raise ParameterError(
            f"ladders cannot use a column {by!r}: ratings have a column with this name",
            hint="rename the column",
        )
    if isinstance(source, Mapping):
        if options:
            raise ParameterError(f"these histories have been read already: {', '.join(options)}")
        histories = {name: history_meant(history, "rate_ladders") for name, history in source.items()}
    else:
        histories = read_ladders(source, by, **options)
        for history in histories.values():
            warn_of(history.readings)
    if not histories:
        raise InputError("there are no ladders to rate")
    expect_work(sum(history.rows for history in histories.values()))
    chosen = system_for(system, *histories.values())
    with hinting_at_others():
        for name, history in histories.items():
            _named(by, name, chosen.check, history)
    runs: dict[str, Run] = {}
    with spread(jobs=jobs, executor=executor, dask=dask) as workers:
        groups = _grouped(histories, PIECES * workers.count)
        tasks = [([(name, histories[name]) for name in group], chosen, by) for group in groups]
        for index, rated in workers.results(_rate_all, tasks):
            runs |= dict(zip(groups[index], rated, strict=True))
            if progress is not None:
                progress(sum(histories[name].rows for name in groups[index]))
    skipped = tuple(item for history in histories.values() for item in history.skipped)
    runs = {name: like_given(runs[name], source) for name in histories}
    return like_given(Ladders(by, runs, skipped), source)


def _rate_all(histories: Sequence[tuple[str, History]], system: RatingSystem, by: str) -> list[Run]:
    """Rate several ladders, one after another, in a worker."""
    return [_named(by, name, rate, history, system) for name, history in histories]


def _named(by: str, name: str, function: Any, *arguments: Any) -> Any:
    """Call a function for one ladder, and put the ladder's name in front of any error."""
    try:
        return function(*arguments)
    except PodiumError as error:
        error.reason = f"{by} {shorten(name)!r}: {error.reason}"
        error.args = (error._message(),)
        raise


def _grouped(histories: Mapping[str, History], most: int) -> list[list[str]]:
    """Split the ladders into groups of about equal numbers of rows, the largest ladders first."""
    enough = sum(history.rows for history in histories.values()) / most
    groups: list[list[str]] = []
    filled = enough
    for name in sorted(histories, key=lambda name: -histories[name].rows):
        if filled >= enough:
            groups.append([])
            filled = 0.0
        groups[-1].append(name)
        filled += max(histories[name].rows, 1)
    return groups
