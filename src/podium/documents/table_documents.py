"""Tables as plain data: dataframes of any library, and the trace of a history."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from podium.documents.declarations import kind
from podium.documents.plain_data import table_rows

if TYPE_CHECKING:
    from podium.history.history import Frame
    from podium.systems.contract.ratings import Trace


@kind("table")
class TableDocument(TypedDict):
    """A table, row by row.

    `podium.document(run.trace)`, or any other dataframe.
    """

    columns: Annotated[list[str], "names of the columns"]
    rows: Annotated[list[dict[str, Any]], "the rows, each with its values by column"]


def table_document(frame: Frame) -> TableDocument:
    """A table of podium's, such as a leaderboard, or any other dataframe."""
    from podium.tables.dataframes import in_polars

    table = in_polars(frame)
    return {"columns": table.columns, "rows": table_rows(table)}


def trace_document(trace: Trace) -> TableDocument:
    """What happened to each row of a history, with the columns that the system has."""
    import polars as pl

    columns = {one.name: getattr(trace, one.name) for one in fields(trace) if one.name != "adjusted"}
    return table_document(pl.DataFrame({name: values for name, values in columns.items() if len(values)}))
