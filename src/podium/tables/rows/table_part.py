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
    rows: RowNumbers | None = None
    """The row of the table that each row of the history comes from; None if each event is one row."""
    adjustment_rows: tuple[int, ...] = ()
    """The row of the table of each adjustment."""

    def row_of(self, event: int, place: int) -> int:
        """The row of the table that the player in a place of an event comes from."""
        if self.rows is not None:
            return int(self.rows[int(self.history.offsets[event]) + place])
        return int(self.first_rows[event]) if len(self.first_rows) else event  # a plain file has no others

    @classmethod
    def empty(cls, skipped: list[tuple[int, Skipped]] | None = None) -> TablePart:
        """A part without rows."""
        return cls(history_of_values((), Names()), np.zeros(0, np.int64), skipped or [])
