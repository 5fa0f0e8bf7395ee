"""What is found out about a table while it is read, collected for `podium.history.Reading`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from podium.arrays import Longs
from podium.errors import warn_caller
from podium.history.readings import Reading, ReadingWarning
from podium.tables.columns.shapes import TableColumns
from podium.tables.forms.cell_forms import CellForms
from podium.tables.forms.number_formats import marks_in_words
from podium.text import counted, listed, shorten

MOST_LISTED = 1000
"""Rows left out of a file that are listed one by one; all of them are counted."""


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
        """The columns that are read; None for a file that is not a table, such as PGN."""
        self.has_dates_of_games = False
        """Whether times are the dates of a PGN file, whose order is found out as that of a guessed column."""
        self._partly_dated = 0
        """How many games so far have only part of a date."""
        self.team_is_club: bool | None = None
        """Whether the column team names clubs, whose members do not play together; None: not yet known."""
        self.left_out: list[str] | None = None
        """Columns whose cells show that they are not what they are called; None: not yet looked at."""
        self.clock_is_time = False
        """Whether the column that seemed to be a time of day holds the whole time, and is read as such."""
        self.result_forms: tuple[str, ...] | None = None
        """The forms in which the results of matches so far could have been written; None: none read yet."""
        self.is_chess: bool | None = None
        """Whether the matches so far share one point each, as games of chess do; None: not yet known."""
        self.pair_sign: str | None = None
        """The text between the members of a team where podium found out that cells hold teams."""
        self.group_cells: dict[str, str] = {}
        """By column, the last cell of one that stands only once for a group of rows."""
        self._new_repairs: list[tuple[str, str, str]] = []
        """The place of each cell that a spreadsheet changed, the cell and what it was."""
        self._new_rows: list[tuple[str, str]] = []
        """The place of each row that is no result, and why."""
        self._titles: list[tuple[str, str]] = []
        """The place and the text of the first row that is a title or the like."""
        self._title_rows = 0
        self._listed = 0
        self._marks: dict[str, Longs] = {}
        """How many rows so far have which mark such as DNF, by what becomes of them."""
        self.namesakes: frozenset[str] | None = None
        """Names such as BYE that are players' names in this table; None: not yet looked for."""
        self._nobody: dict[str, int] = {}
        """How many rows so far were left out because they name nobody or are unfinished, by what is said."""
        self._nobody_rows = "row"
        """What such a row is."""
        self._disqualified: list[tuple[str, int, str]] = []
        """The event, its time and the player of rows left out since the last call of `take`."""
        self._columns_taken = False
        self._guesses: dict[str, bool] = {}
        """Each guess or warning once, and whether it has been taken."""
        self._warnings: dict[str, bool] = {}

    def of_part(self, *, without: str) -> ReadingNotes:
        """Notes on a part of the table, which is written as the whole table is and lacks one column."""
        assert self.columns is not None
        part = ReadingNotes(self.source)
        part.forms, part.left_out, part.clock_is_time = self.forms, self.left_out, self.clock_is_time
        part.result_forms, part.namesakes = self.result_forms, self.namesakes
        part.is_chess, part.pair_sign = self.is_chess, self.pair_sign
        theirs = {name: column for name, column in self.columns.theirs.items() if name != without}
        part.columns = replace(self.columns, theirs=theirs)
        return part

    def for_another_look(self) -> ReadingNotes:
        """Notes for looking through the same table before it is read, which nobody will read."""
        found = ReadingNotes(self.source)
        found.columns, found.left_out, found.clock_is_time = self.columns, self.left_out, self.clock_is_time
        found.pair_sign = self.pair_sign
        return found

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

    def take_clock_as_time(self) -> None:
        """Note that the column clock is the time of events, and the column time is not read."""
        assert self.columns is not None
        self.clock_is_time = True
        clock = self.columns.theirs["clock"]
        self.leave_out("time")
        theirs = {"time" if name == "clock" else name: own for name, own in self.columns.theirs.items()}
        guessed = self.columns.guessed - {"time", "clock"}
        guessed |= set() if clock.strip().lower() == "time" else {"time"}
        self.columns = replace(self.columns, theirs=theirs, guessed=guessed)

    def use_beside(self, *whats: str) -> None:
        """Note that columns which were only looked into have said something."""
        if self.columns is not None:
            used = {self.columns.beside[what] for what in whats}
            unused = tuple(column for column in self.columns.unused if column not in used)
            self.columns = replace(self.columns, unused=unused)

    def disqualify(self, rows: Iterable[tuple[str, int, str]]) -> None:
        """Note who was disqualified in which event of which time, in rows that are left out."""
        self._disqualified += rows

    def leave_out_rows(self, rows: Mapping[str, int], what: str) -> None:
        """Note how many rows are left out, by a name that means nobody or by their result.

        Said is the number so far.
        """
        if self._nobody:
            self._unsay(self._said_of_nobody())
        self._nobody_rows = what
        for name, count in rows.items():
            self._nobody[name] = self._nobody.get(name, 0) + count
        self.guess(self._said_of_nobody())

    def repair(self, place: str, cell: str, result: str) -> None:
        """Note a cell that a spreadsheet changed, and what it was."""
        self._new_repairs.append((place, cell, result))
        self.guess(f"repaired: {place} is {result}, which a spreadsheet changed into {cell!r}")

    def leave_out_row(self, place: str, text: str) -> None:
        """Note a row that is no result, such as a title or a total; said is the number so far."""
        if self._titles:
            self._unsay(self._said_of_titles())
        self._titles = self._titles or [(place, text)]
        self._title_rows += 1
        self.list_row(place, f"{text!r} is not a result")
        self.guess(self._said_of_titles())

    def list_row(self, place: str, reason: str) -> None:
        """Note the place of a row that is left out; of very many rows only the first are listed."""
        if self._listed < MOST_LISTED:
            self._listed += 1
            self._new_rows.append((place, reason))

    def _said_of_titles(self) -> str:
        place, text = self._titles[0]
        return f"left out: {counted(self._title_rows, 'row')} without a result, such as {text!r} ({place})"

    def _said_of_nobody(self) -> str:
        said = [
            f"{shorten(name, 50)} ({counted(rows, self._nobody_rows)})" for name, rows in self._nobody.items()
        ]
        return f"left out: {listed(said)}"

    def date_partly(self, games: int, example: str) -> None:
        """Warn that games have only part of a date; said is the number so far."""
        self._partly_dated += games
        self.warn(
            f"{counted(self._partly_dated, 'game')} with only part of a date, such as {example}: "
            "rated as of the first day of that year or month"
        )

    def settle_namesakes(self, names: Collection[str]) -> None:
        """Note which names such as BYE are players' names."""
        self.namesakes = frozenset(names)
        if names:
            said = (
                "has results, so it counts as a player"
                if len(names) == 1
                else "have results, so they count as players"
            )
            self.guess(f"{listed([shorten(name, 30) for name in sorted(names)])} {said}")

    def is_guessed(self, name: str) -> bool:
        """Whether a column was found by what people call it."""
        return self.columns is not None and name in self.columns.guessed

    @property
    def is_time_guessed(self) -> bool:
        """Whether times say nothing of the order of rows with equal times."""
        return self.has_dates_of_games or self.is_guessed("time")

    def guess(self, text: str) -> None:
        """Note something that was decided by looking at the content."""
        self._guesses.setdefault(text, False)

    def warn(self, text: str) -> None:
        """Note something that may not mean what it was read as."""
        self._warnings.setdefault(text, False)

    def mark(self, fate: str, counts: Longs) -> None:
        """Note how many rows have which mark, and what becomes of them; said is the number so far."""
        if fate in self._marks:
            self._unsay(self._said_of(fate))
        self._marks[fate] = counts + self._marks.get(fate, 0)
        self.guess(self._said_of(fate))

    def _unsay(self, guess: str) -> None:
        """Forget a guess that another replaces, unless it has been taken."""
        if not self._guesses[guess]:
            del self._guesses[guess]

    def _said_of(self, fate: str) -> str:
        return f"{marks_in_words(self._marks[fate])} {fate}"

    def add(self, part: ReadingNotes) -> None:
        """Note what was found out about a part of the table."""
        counts_said = {part._said_of(fate) for fate in part._marks} | {part._said_of_nobody()}
        for text in part._guesses:
            if text not in counts_said:
                self.guess(text)
        if part._nobody:
            self.leave_out_rows(part._nobody, part._nobody_rows)
        self.disqualify(part._disqualified)
        for fate, counts in part._marks.items():
            self.mark(fate, counts)
        for text in part._warnings:
            self.warn(text)

    def take(self) -> tuple[Reading, ...]:
        """What was noted since the last call, as a `Reading`; nothing if there is nothing new."""
        guesses, warned = _untaken(self._guesses), _untaken(self._warnings)
        columns = None if self._columns_taken else self.columns
        self._columns_taken = self.columns is not None
        digest, self.digest = self.digest, None
        new = guesses or warned or self._new_rows or self._disqualified
        if columns is None and digest is None and not new:
            return ()
        left_out, self._new_rows = tuple(self._new_rows), []
        repaired, self._new_repairs = tuple(self._new_repairs), []
        disqualified, self._disqualified = tuple(self._disqualified), []
        reading = Reading(
            self.source,
            guesses=guesses,
            warnings=warned,
            digest=digest,
            left_out=left_out,
            repaired=repaired,
            disqualified=disqualified,
        )
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


def warn_of(readings: Iterable[Reading]) -> None:
    """Warn of what may not mean what it was read as, at the caller's line."""
    for reading in readings:
        for warning in reading.warnings:
            where = "" if reading.source is None else f"{reading.source}: "
            warn_caller(where + warning, ReadingWarning)


def _first_at_home(columns: TableColumns) -> bool:
    """Whether the columns say that the first of two players is at home, unless a match is neutral."""
    theirs = columns.theirs
    said = not columns.neutral or "neutral" in theirs
    return "player_a" in theirs and said and "home" not in theirs


def _untaken(noted: dict[str, bool]) -> tuple[str, ...]:
    fresh = tuple(text for text, taken in noted.items() if not taken)
    noted.update(dict.fromkeys(fresh, True))
    return fresh
