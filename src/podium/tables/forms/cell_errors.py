"""What is said where the cells of a column cannot be understood together."""

from __future__ import annotations

import polars as pl

from podium.errors import InputError


class UnclearCellError(InputError):
    """A column that may mean two things, or that contradicts itself; who knows its rows adds their places.

    `position` is that of a cell in its column, `other` that of a cell that contradicts it; ``{other}`` in the
    reason stands for the place of the other.
    """

    def __init__(self, reason: str, position: int, *, other: int | None = None, hint: str) -> None:
        super().__init__(reason, hint=hint)
        self.position = position
        self.other = other

    def at(self, positions: pl.Series) -> UnclearCellError:
        """The same about the column from which these positions were taken."""
        other = None if self.other is None else int(positions[self.other])
        return UnclearCellError(self.reason, int(positions[self.position]), other=other, hint=self.hint or "")
