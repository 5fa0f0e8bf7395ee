"""What was understood of a file: which columns mean what, what was guessed, and what looks odd."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from podium.text import brief_repr, shorten

MOST_COLUMNS_SAID = 12
"""Unused columns named in the line about a file; the others are counted."""


class ReadingWarning(UserWarning):
    """Something in a file that podium may have misread.

    >>> import podium
    >>> import warnings
    >>> import polars as pl
    >>> table = pl.DataFrame({"event": ["cup", "cup"], "player": ["ann", "Ann"], "rank": [1, 2]})
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     history = podium.read_history(table)
    >>> [one.category.__name__ for one in found]
    ['ReadingWarning']
    """


@dataclass(frozen=True, repr=False)
class Reading:
    """How podium read one file or dataframe. As text, it is a line and the warnings.

    Attributes:
        source: The file's name. None for a dataframe.
        shape: results, matches or adjustments. None for a file that is not a table, such as PGN or contest
            JSON.
        columns: podium's name of every column it reads -> the table's name.
        unused: The table's other columns.
        guessed: podium's names of the columns that were found by what people call them.
        guesses: What podium decided by looking at the content, such as `dates are day/month/year`.
        warnings: What may have been read with another meaning than intended.
        digest: A hash of the file's content. None for a dataframe, and for later pieces of a file.
        left_out: The place of each row that is not a result, and the reason.
        repaired: The place of each cell that a spreadsheet changed, the cell and the result.
        first_at_home: Whether `player_a` is at home in every match that is not neutral.
        disqualified: The event, its time and the player of each row that was left out because the player was
            disqualified.

    >>> print(Reading("may.csv", "matches", {"winner": "Sieger", "loser": "loser"}, unused=("city",)))
    may.csv: matches; Sieger as winner, loser; not used: city
    """

    __repr__ = brief_repr

    source: str | None
    shape: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()
    guesses: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    digest: str | None = None
    first_at_home: bool = False
    left_out: tuple[tuple[str, str], ...] = ()
    repaired: tuple[tuple[str, str, str], ...] = ()
    disqualified: tuple[tuple[str, int, str], ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether nothing was guessed or left out: columns have podium's names, or those given."""
        return not self.guesses and not self.unused and not self.guessed

    @property
    def parts(self) -> tuple[str, ...]:
        """How the table was understood: its shape, the columns, then each thing that podium decided."""
        said = [] if self.shape is None else [self.shape]
        if self.columns:
            said.append(", ".join(self._column(name, theirs) for name, theirs in self.columns.items()))
        said += self.guesses
        if self.unused:
            named = [shorten(name, 30) for name in self.unused[:MOST_COLUMNS_SAID]]
            more = len(self.unused) - len(named)
            said.append("not used: " + ", ".join(named) + (f" and {more:,} more" if more else ""))
        return tuple(said)

    @property
    def description(self) -> str:
        """How the table was understood, in one line. Empty if there is nothing to report."""
        where = "" if self.source is None or not self.parts else f"{self.source}: "
        return where + "; ".join(self.parts)

    def _column(self, name: str, theirs: str) -> str:
        used = shorten(theirs) if name == theirs.strip().lower() else f"{shorten(theirs)} as {name}"
        if name != "player_a" or not self.first_at_home:
            return used
        return f"{used} (at home unless neutral)" if "neutral" in self.columns else f"{used} (at home)"

    def __str__(self) -> str:
        said = [self.description] if self.description else []
        return "\n".join([*said, *(f"warning: {warning}" for warning in self.warnings)])
