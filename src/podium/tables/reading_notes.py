"""What is found out about a table while it is read, collected for `podium.history.Reading`."""

from __future__ import annotations

from podium.history.readings import Reading
from podium.tables.shapes import TableColumns


class ReadingNotes:
    """Collects guesses and warnings; `take` gives what is new since the last time."""

    def __init__(self, source: str | None, digest: str | None = None) -> None:
        self.source = source
        self.digest = digest
        self._columns: TableColumns | None = None
        self._columns_noted = False
        self._guesses: dict[str, bool] = {}
        """Each guess or warning once, and whether it has been taken."""
        self._warnings: dict[str, bool] = {}

    def use(self, columns: TableColumns) -> None:
        """Note which columns are read, and what the choice of them suggests."""
        if not self._columns_noted:
            self._columns, self._columns_noted = columns, True

    def guess(self, text: str) -> None:
        """Note something that was decided by looking at the content."""
        self._guesses.setdefault(text, False)

    def warn(self, text: str) -> None:
        """Note something that may not mean what it was read as."""
        self._warnings.setdefault(text, False)

    def take(self) -> tuple[Reading, ...]:
        """What was noted since the last call, as a `Reading`; nothing if there is nothing new."""
        guesses, warnings = _untaken(self._guesses), _untaken(self._warnings)
        columns, self._columns = self._columns, None
        digest, self.digest = self.digest, None
        if columns is None and digest is None and not guesses and not warnings:
            return ()
        shape, used = (None, {}) if columns is None else (columns.shape, columns.theirs)
        unused = () if columns is None else columns.unused
        return (Reading(self.source, shape, used, unused, guesses, warnings, digest),)


def _untaken(noted: dict[str, bool]) -> tuple[str, ...]:
    fresh = tuple(text for text, taken in noted.items() if not taken)
    noted.update(dict.fromkeys(fresh, True))
    return fresh
