"""Dataframes of any library, and columns of matches, as histories."""

from __future__ import annotations

from typing import Any, Literal, Unpack

import numpy as np
import polars as pl

from podium.errors import InputError, ParameterError
from podium.files.database_addresses import shown_address
from podium.history.history import Frame, History
from podium.history.names import player_name
from podium.history.times import to_micros
from podium.tables.columns.shapes import ReadKeywords, ReadOptions
from podium.tables.database_tables import read_database
from podium.tables.names.aliases import reading_aliases
from podium.tables.reading_notes import warn_of
from podium.tables.rows.defects import Source
from podium.tables.table_reader import TableReader
from podium.text import shorten


def history_from_frame(frame: Frame, **options: Unpack[ReadKeywords]) -> History:
    """A history from any dataframe that Narwhals supports; see `History.from_frame`."""
    history = history_of_frame(frame, ReadOptions(**options))
    warn_of(history.readings)
    return history


def history_of_frame(frame: Frame, options: ReadOptions) -> History:
    """A history from any dataframe, without a word of what may be wrong about it."""
    with reading_aliases(options) as wanted:
        return _read(in_polars(frame), wanted, Source())


def history_of_database(given: Any, options: ReadOptions) -> History:
    """A history from a table of a database."""
    with reading_aliases(options) as wanted:
        return _read(read_database(given), wanted, Source(shown_address(given)))


def history_from_matches(
    player_a: Any, player_b: Any, score_a: Any, *, time: Any, weight: Any, home: Literal["a", "b"] | None
) -> History:
    """A history of matches from columns, with the same checks as for a table; see `History.from_matches`."""
    frame = matches_frame(player_a, player_b, score_a, time=time, weight=weight, home=home)
    return _read(frame, ReadOptions(), Source(is_python=True))


def _read(frame: pl.DataFrame, options: ReadOptions, source: Source) -> History:
    reader = TableReader(options, source)
    history = reader.read_table(frame)
    reader.finish()
    return history


def in_polars(frame: Any) -> pl.DataFrame:
    """Any dataframe that Narwhals supports, as a Polars dataframe."""
    import narwhals.stable.v2 as nw

    try:
        known = nw.from_native(_with_index(frame), pass_through=True)
        if isinstance(known, nw.LazyFrame):
            return known.collect().to_polars()
        if isinstance(known, nw.DataFrame):
            return known.to_polars()
    except ImportError as error:  # such as PyArrow, by which Polars reads the texts of pandas
        package = error.name or "pyarrow"
        raise ParameterError(
            f"reading this table needs the package {package}", hint=f"pip install {package}"
        ) from error
    except (TypeError, ValueError, nw.exceptions.NarwhalsError, pl.exceptions.PolarsError) as error:
        raise InputError(
            f"the table cannot be read: {error}", hint="each column needs one type and a different name"
        ) from error
    raise ParameterError(
        f"{type(frame).__name__} is not a dataframe", hint="give a Polars, pandas, PyArrow or DuckDB table"
    )


def frame_like(given: Any, frame: pl.DataFrame, *, index: bool = True) -> Any:
    """A table as a dataframe of the library that `given` is of; of pandas, with its `index` or a new one.

    A lazy frame of Polars gives a dataframe, and a DuckDB relation one of the same connection.
    """
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_pandas_like_dataframe(given):
        columns = {name: _in_numpy(frame[name]) for name in frame.columns}
        return type(given)(columns, index=given.index if index else None)
    if nw.dependencies.is_pyarrow_table(given):
        return frame.to_arrow()
    if nw.dependencies.is_duckdb_relation(given):
        predictions = frame.to_arrow()  # which the query finds by this name
        return given.query("given", "SELECT * FROM predictions") if len(predictions) else predictions
    return frame


def _in_numpy(column: pl.Series) -> Any:
    """A column as pandas keeps it: NaN where a number is missing, and None where anything else is."""
    if column.dtype.is_numeric():
        return column.to_numpy()
    return column.to_numpy() if not column.null_count() else column.to_numpy().astype(object)


def _with_index(frame: Any) -> Any:
    """A pandas frame with the named levels of its index as columns; any other frame as it is."""
    import narwhals.stable.v2 as nw

    if not nw.dependencies.is_pandas_like_dataframe(frame):
        return frame
    index = frame.index
    if any(index.get_level_values(i).dtype.kind == "M" for i, name in enumerate(index.names) if name is None):
        raise InputError(
            "the dates are in the frame's index, which has no name",
            hint='make them a column: df.rename_axis("date").reset_index()',
        )
    named = [name for name in index.names if name is not None and name not in frame.columns]
    others = [level for level, name in enumerate(index.names) if name not in named]
    frame = frame.reset_index(others, drop=True) if others else frame
    return frame.reset_index() if named else frame


def matches_frame(
    player_a: Any, player_b: Any, score_a: Any, *, time: Any, weight: Any, home: Literal["a", "b"] | None
) -> pl.DataFrame:
    """The arguments of `History.from_matches` as a table of matches."""
    if home not in ("a", "b", None):
        raise ParameterError(f"home is 'a', 'b' or None, not {home!r}")
    columns = {"player_a": _players("player_a", player_a), "player_b": _players("player_b", player_b)}
    height = len(columns["player_a"])
    given = {"score_a": score_a, "weight": weight, "time": time}
    for name, values in given.items():
        if values is None:
            continue
        if np.isscalar(values) or np.ndim(values) == 0:
            columns[name] = _series(name, [values]).new_from_index(0, height)
        else:
            columns[name] = _moments(values) if name == "time" else _series(name, values)
    for name, column in columns.items():
        if len(column) != height:
            raise InputError(f"{name} has {len(column)} values and player_a {height}")
    if home is not None:
        columns["home"] = columns[f"player_{home}"]
    return pl.DataFrame([column.alias(name) for name, column in columns.items()])


def _series(name: str, values: Any) -> pl.Series:
    try:
        if isinstance(values, pl.Series):
            return values
        column = np.asarray(values)
        return pl.Series(name, column.tolist() if column.dtype == object else column)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{name} cannot be read as a column: {shorten(str(error), 200)}") from error


def _players(name: str, values: Any) -> pl.Series:
    """A column of players; strings and integers may be mixed."""
    column = values if isinstance(values, (pl.Series, np.ndarray)) else np.asarray(values, dtype=object)
    if isinstance(column, np.ndarray) and column.ndim == 0:
        raise ParameterError(
            f"{name} is a column of players, not {shorten(repr(values))}",
            hint="one player a match: from_matches(['ann', 'bob'], ['bob', 'cat'], [1, 0.5])",
        )
    if column.dtype == object:
        return pl.Series(name, [None if value is None else player_name(value) for value in column])
    return _series(name, column)


def _moments(values: Any) -> pl.Series:
    """A column of times: of anything `to_micros` takes, or an array."""
    if isinstance(values, (pl.Series, np.ndarray)):
        return _series("time", values)
    listed = list(values)
    if all(isinstance(value, str) for value in listed) or all(_is_number(value) for value in listed):
        return _series("time", listed)
    micros = [None if value is None else to_micros(value) for value in listed]
    return pl.Series("time", micros, dtype=pl.Int64).cast(pl.Datetime("us"))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
