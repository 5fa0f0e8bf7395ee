"""What is found out about a table while it is read, collected for `podium.history.Reading`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace

from podium.history.readings import Reading, ReadingWarning
from podium.tables.cell_forms import CellForms
from podium.tables.shapes import TableColumns


class ReadingNotes:
    """Collects guesses and warnings; `take` gives what is new since the last time.

    A file is read in pieces with one object of this kind, so that what was decided in the first piece holds
    for the others.
    """

    def __init__(self, source: str | None, digest: str | None = None) -> None:
        self.source = source
        self.digest = digest
        self.forms = CellForms(self.guess)
        self.columns: TableColumns | None = None
        """The columns that are read; None where the reader knows what it reads, as for PGN."""
        self.team_is_club: bool | None = None
        """Whether the column team names clubs, whose members do not play together; None: not yet known."""
        self.result_forms: tuple[str, ...] | None = None
        """The forms in which the results of matches so far could have been written; None: none read yet."""
        self._columns_taken = False
        self._guesses: dict[str, bool] = {}
        """Each guess or warning once, and whether it has been taken."""
        self._warnings: dict[str, bool] = {}

    def use(self, columns: TableColumns) -> None:
        """Note which columns are read, and what the choice of them suggests."""
        if self.columns is None:
            self.columns = columns
            for warning in columns.warnings:
                self.warn(warning)

    def leave_out(self, name: str) -> None:
        """Note that a column is not read after all."""
        if self.columns is not None and name in self.columns.theirs:
            theirs = dict(self.columns.theirs)
            left = theirs.pop(name)
            self.columns = replace(self.columns, theirs=theirs, unused=(*self.columns.unused, left))

    def read_clock_as_time(self) -> None:
        """Note that the column clock holds whole moments, and that of days is not read."""
        if self.columns is not None:
            theirs = dict(self.columns.theirs)
            day, theirs["time"] = theirs["time"], theirs.pop("clock")
            self.columns = replace(self.columns, theirs=theirs, unused=(*self.columns.unused, day))

    def use_beside(self, *whats: str) -> None:
        """Note that columns which were only looked into have said something."""
        if self.columns is not None:
            used = {self.columns.beside[what] for what in whats}
            unused = tuple(column for column in self.columns.unused if column not in used)
            self.columns = replace(self.columns, unused=unused)

    def is_guessed(self, name: str) -> bool:
        """Whether a column was found by what people call it."""
        return self.columns is not None and name in self.columns.guessed

    def guess(self, text: str) -> None:
        """Note something that was decided by looking at the content."""
        self._guesses.setdefault(text, False)

    def warn(self, text: str) -> None:
        """Note something that may not mean what it was read as."""
        self._warnings.setdefault(text, False)

    def add(self, reading: Reading) -> None:
        """Note what was found out about a part of the table."""
        for text in reading.guesses:
            self.guess(text)
        for text in reading.warnings:
            self.warn(text)

    def take(self) -> tuple[Reading, ...]:
        """What was noted since the last call, as a `Reading`; nothing if there is nothing new."""
        guesses, warned = _untaken(self._guesses), _untaken(self._warnings)
        columns = None if self._columns_taken else self.columns
        self._columns_taken = self.columns is not None
        digest, self.digest = self.digest, None
        if columns is None and digest is None and not guesses and not warned:
            return ()
        reading = Reading(self.source, guesses=guesses, warnings=warned, digest=digest)
        if columns is None:
            return (reading,)
        return (
            replace(
                reading,
                shape=columns.shape,
                columns=columns.theirs,
                unused=columns.unused,
                guessed=columns.guessed,
                first_at_home=_first_at_home(columns),
            ),
        )


def warn_of(readings: Iterable[Reading], stacklevel: int) -> None:
    """Warn of what may not mean what it was read as; `stacklevel` leads from here to who reads a table."""
    for reading in readings:
        for warning in reading.warnings:
            where = "" if reading.source is None else f"{reading.source}: "
            warnings.warn(where + warning, ReadingWarning, stacklevel=stacklevel + 1)


def _first_at_home(columns: TableColumns) -> bool:
    """Whether the columns say that the first of two players is at home, unless a match is neutral."""
    theirs = columns.theirs
    return "player_a" in theirs and not columns.neutral and "home" not in theirs


def _untaken(noted: dict[str, bool]) -> tuple[str, ...]:
    fresh = tuple(text for text, taken in noted.items() if not taken)
    noted.update(dict.fromkeys(fresh, True))
    return fresh
