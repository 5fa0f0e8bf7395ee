"""What one frame of a table tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.history.history import History, Skipped, history_of_values
from podium.history.names import Names
from podium.tables.rows.defects import RowNumbers


@dataclass(frozen=True)
class TablePart:
    """The history in one frame of a table, before it joins the parts read earlier."""

    history: History
    first_rows: RowNumbers
    """The row of the table on which each event begins."""
    skipped: list[tuple[int, Skipped]]
    """The number of each row left out, and the record of it."""

    @classmethod
    def empty(cls, skipped: list[tuple[int, Skipped]] | None = None) -> TablePart:
        """A part without rows."""
        return cls(history_of_values((), Names()), np.zeros(0, np.int64), skipped or [])
