"""Columns that turn out by their cells to be something else than their names say.

The name of a column does not tell whether `time` is when a race began or how long somebody took, nor whether
`played` is a day. The cells of the first piece of a table tell; later pieces are read in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl

from podium.tables.columns.column_choice import (
    COUNTS,
    FINISHED,
    LOSER_POINTS,
    PLAYED,
    RANK,
    REMARK,
    RESULT,
    SEASON,
    STATUS,
    WINNER_POINTS,
    column_option,
)
from podium.tables.columns.column_names import (
    CERTAIN_TIMES,
    PARTS_OF_YEARS,
    PLAYED_MARKS,
    SYNONYMS,
    YEARS,
    is_result_time,
    plain_name,
    says_not_counted,
)
from podium.tables.columns.shapes import ROW, ReadOptions, Shape, TableColumns
from podium.tables.columns.unused_columns import NOT_COUNTED_HINT
from podium.tables.forms.number_formats import FINISHED as FINISHED_WORDS
from podium.tables.forms.number_formats import NO_MARK, read_marks
from podium.tables.reading_notes import ReadingNotes
from podium.tables.rows import cells
from podium.tables.rows.defects import Source
from podium.tables.rows.match_results import find_contradiction, plain_numbers, says_draw
from podium.tables.rows.partners import PARTNER_SIGN, with_partners
from podium.tables.rows.walkovers import without_walkovers
from podium.tables.rows.won_rows import with_won_points
from podium.tables.written_tables import with_text_times
from podium.text import counted, shorten

_MONTH = (
    "(?:jan|gen|ene|feb|fév|fev|mar|mär|apr|avr|abr|mai|may|mag|jun|jui|giu|jul|lug|aug|aoû|ago|sep|set|oct|okt|"
    r"ott|out|nov|dec|dez|déc|dic)\p{L}*\.?"
)
_DAY = rf"\d[./-]\d{{1,2}}[./-]\d|\d[\s.-]*(?:de )?{_MONTH}|\b{_MONTH}\s*\d"
_MOMENT = rf"(?i)\d{{4}}|{_DAY}"
"""What every written day has: a year of four digits, three numbers, or the name of a month."""
_NO_CLOCK = rf"(?i)\d{{9}}|{_DAY}"
"""A day, or epoch seconds."""
_SPAN = r"(?i)^[+-]?[\d:.,]+\s?s?$|^\+\s?\d+ laps?$"
"""How long something took, such as 1:23.45, +0.532 or +1 lap."""
_WHOLE_DAY = (
    r"(?i)^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}|\d{1,2}[/.]\d{1,2}[/.]\d{2}|"
    rf"\d{{1,2}}[\s.-]*(?:de )?{_MONTH}[\s,.-]*(?:de )?\d{{2,4}}|"
    rf"{_MONTH}\s*\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}})"
    r"(?:[ T,].*)?$"
)
"""A cell that is a day, perhaps with a time of day behind it."""
_EPOCH = r"^1\d{9}(?:\d{3})?(?:\.\d+)?$"
"""Seconds or milliseconds since 1970, from 2001 to 2033."""
_NUMBER_NAME = r"(?:id|no|nr|number|code|key|phone)$"
_BIRTH_NAME = r"birth|born|dob|geburt|nacimiento|naissance|nascita|nascimento"
_NOT_PLAYED = (
    r"(?i)(?:\b|^)(?:w/o|w\.o\.|walk-?\s?overs?|forfeit(?:ed|s)?|void(?:ed)?|cancell?ed|abandoned|deleted|"
    r"not played|no[- ]?show|(?:did not|didn.t) show|nicht (?:angetreten|erschienen)|kampflos|abgesagt)"
    r"(?:\b|$)"
)
"""What people write where a match was not played, or does not count."""
_ENDED = (
    *("finished", "final", "full time", "full-time", "ft", "f", "complete", "completed", "played", "closed"),
    *("ended", "done", "over", "official", "confirmed", "valid", "approved", "verified", "ok", "aet", "pen"),
    *(
        "after extra time",
        "penalties",
        "match finished",
        "beendet",
        "gespielt",
        "bestätigt",
        "terminé",
        "joué",
    ),
    *("finalizado", "jugado", "terminado", "finalizada", "concluído", "encerrado", "terminata", "giocata"),
    *("finita", "gespeeld", "afgelopen", "zakończony", "zakończone", "rozegrany", "завершен", "завершён"),
    *("сыгран", "oynandı", "bitti", "tamamlandı", "färdigspelad", "spelad", "spilt", "spillet", "ferdig"),
)
"""Statuses of matches that were played to their end."""
_STATUS_HINT = (
    "write finished, DNF, DSQ or DNS there. If all of them finished: --column finished= "
    "(columns={'finished': None})"
)
_COUNTS_HINT = (
    "to leave such rows out: --on-bad-row skip (on_bad_row='skip'). If they count: --column rated= "
    "(columns={'rated': None})"
)


_ROUNDS = frozenset((*SYNONYMS["event"], *PARTS_OF_YEARS, *YEARS))
"""Columns that number what follows each other."""
_MOST_NAMED = 6
"""Columns that a hint names."""
_MOST_SAMPLED = 200
"""Columns of which some rows are looked at."""
_FEWEST_STEPS = 2
"""Steps from a rank to the next that show whether lower scores are better."""
_SOME = 100
"""Rows that decide most questions before all rows are looked at."""


class ColumnContents:
    """Looks at the cells of a table's first piece, and reads all pieces accordingly."""

    def __init__(self, options: ReadOptions, source: Source, notes: ReadingNotes) -> None:
        self.options, self.source, self.notes = options, source, notes
        self._time_is_event: bool | None = None
        """Whether rows of different times are different events."""
        self._has_contradicted = False
        """Whether a match was found whose columns name different winners: one is told."""

    def settled(self, frame: pl.DataFrame, shape: Shape) -> pl.DataFrame:
        """The frame without columns that are not what they are called; results get a column event."""
        frame = self.without_misnamed(frame, shape)
        if self.notes.columns is None or not len(frame) or shape == "adjustments":
            return frame
        if shape == "matches":
            frame = without_walkovers(frame, self.source, self.notes)
        frame = self._counted(frame)
        self._warn_of_walkovers(frame)
        if shape == "matches":
            self._warn_of_contradiction(frame)
        if shape == "results":
            self._follow_ranks(frame)
            frame = self._with_finished(frame)
            frame = self._with_events(frame)
            frame = with_won_points(frame, self.source, self.notes, skip=self.options.skip)
        else:
            frame = self._with_draws(frame)
        if "partner_a" in frame.columns or "partner_b" in frame.columns:
            self.notes.pair_sign = self.options.members_sign or PARTNER_SIGN
            frame = with_partners(frame, self.notes.pair_sign)
        return frame.drop(self.notes.columns.beside, strict=False)

    def without_misnamed(self, frame: pl.DataFrame, shape: Shape) -> pl.DataFrame:
        """The frame without columns that are not what they are called."""
        if self.notes.columns is None or not len(frame) or shape == "adjustments":
            return frame
        first = self.notes.left_out is None
        if first:
            self._check_score(frame)
            self._check_clock(frame)
        if self.notes.clock_is_time:
            frame = frame.with_columns(pl.col("clock").alias("time")).drop("clock")
        if first:
            self.notes.left_out = self._misnamed(frame, shape)
            for name in self.notes.left_out:
                self.notes.leave_out(name)
        beside = self.notes.columns.beside
        if "time" in (self.notes.left_out or []) and PLAYED in beside and PLAYED not in frame.columns:
            frame = frame.with_columns(pl.col("time").alias(PLAYED))
        return frame.drop(self.notes.left_out or [], strict=False)

    # ------------------------------------------------------------------ what stands beside the results

    def _with_draws(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with a column draw, if points of winner and loser are equal or a result says so."""
        assert self.notes.columns is not None
        beside = self.notes.columns.beside
        drawn = pl.repeat(value=False, n=len(frame), eager=True)
        if WINNER_POINTS in frame.columns:
            won, lost = (plain_numbers(frame[name]) for name in (WINNER_POINTS, LOSER_POINTS))
            equal = (won == lost).fill_null(value=False)
            if equal.any():
                names = f"{beside[WINNER_POINTS]} and {beside[LOSER_POINTS]}"
                self.notes.guess(f"{counted(int(equal.sum()), 'draw')} with equal {names}")
                self.notes.use_beside(WINNER_POINTS, LOSER_POINTS)
                drawn |= equal
        if RESULT in frame.columns and cells.is_text(frame[RESULT]):
            text = frame[RESULT].cast(pl.String)
            if draws := [cell for cell in text.drop_nulls().unique() if says_draw(cell)]:
                said = text.is_in(draws).fill_null(value=False)
                self.notes.guess(f"{counted(int(said.sum()), 'draw')} by {beside[RESULT]}")
                self.notes.use_beside(RESULT)
                drawn |= said
        if not drawn.any() or "draw" in {*frame.columns, *self.options.columns}:
            return frame
        return frame.with_columns(drawn.alias("draw"))

    def _warn_of_walkovers(self, frame: pl.DataFrame) -> None:
        """Warn of rows that count, and of which a result or a remark says that they were not played."""
        assert self.notes.columns is not None
        for name in (RESULT, REMARK, STATUS):
            if name not in frame.columns or "rated" in frame.columns or not cells.is_text(frame[name]):
                continue
            text = frame[name].cast(pl.String)
            different = text.unique().drop_nulls()
            odd = different.filter(different.str.contains(_NOT_PLAYED))
            if len(odd):
                rows = text.filter(text.is_in(odd.implode()).fill_null(value=False))
                counts = "counts" if len(rows) == 1 else "count"
                self.notes.warn(
                    f"{counted(len(rows), 'row')} like {shorten(rows[0].strip(), 30)!r} in "
                    f"{self.notes.columns.beside[name]!r} {counts} like the others: {NOT_COUNTED_HINT}"
                )

    def _counted(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows; asks about some that do not count by a status or a column of yes and no."""
        for name, kinds in ((COUNTS, (pl.String, pl.Boolean, pl.Int64)), (STATUS, (pl.String,))):
            if name in frame.columns and frame[name].dtype in kinds and "rated" not in self.options.columns:
                frame = self._counted_by(name, frame)
        return frame

    def _counted_by(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        """The same by one column."""
        assert self.notes.columns is not None
        theirs = self.notes.columns.beside[name]
        text = frame[name].cast(pl.String).str.strip_chars().replace("", None)
        if name == STATUS:
            not_counted = text.is_not_null() & ~text.str.to_lowercase().is_in(_ENDED).fill_null(value=True)
            unclear = text.n_unique() < 2
        else:
            marks = cells.flags(frame[name])
            not_counted = (marks == says_not_counted(theirs)).fill_null(value=False)
            unclear = marks.null_count() > text.null_count() or bool(not_counted.all())
        if unclear or not not_counted.any():
            return frame
        if not self.options.skip:
            first = int(not_counted.arg_true()[0])
            reason = f"{shorten(theirs)!r} is {text[first]!r}, so this row may not count"
            raise self.source.error(reason, row=int(frame[ROW][first]), hint=_COUNTS_HINT)
        self.notes.use_beside(name)
        for row, cell in zip(frame[ROW].filter(not_counted), text.filter(not_counted), strict=True):
            self.notes.list_row(self.source.place(int(row)), f"{theirs} is {cell}")
        counts = text.filter(not_counted).value_counts(sort=True)
        self.notes.leave_out_rows({f"{theirs}: {cell}": rows for cell, rows in counts.rows()}, "row")
        return frame.filter(~not_counted)

    def _with_finished(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with a column finished, from one called status; asks where its words are not known."""
        assert self.notes.columns is not None
        if FINISHED not in frame.columns or not cells.is_text(frame[FINISHED]):
            return frame
        text, theirs = frame[FINISHED].cast(pl.String), self.notes.columns.beside[FINISHED]
        different = text.str.strip_chars().replace("", None).drop_nulls().value_counts(sort=True)
        words = different.to_series()
        known = cells.flags(words, FINISHED_WORDS).is_not_null() | pl.Series(read_marks(words) != NO_MARK)
        if known.all():
            self.notes.use_beside(FINISHED)
            return frame.with_columns(text.fill_null("yes").alias("finished"))
        if len(words) > 1:
            row = int((text.str.strip_chars() == words[-1]).fill_null(value=False).arg_true()[0])
            reason = f"{shorten(theirs)!r} is {words[-1]!r}, and may mark a player who did not finish"
            raise self.source.error(reason, row=int(frame[ROW][row]), hint=_STATUS_HINT)
        return frame

    def _follow_ranks(self, frame: pl.DataFrame) -> None:
        """Note that lower scores are better, if those of every better rank in a column beside are lower.

        A column called score has podium's own name, by which higher is better.
        """
        assert self.notes.columns is not None
        if RANK not in frame.columns or "score" not in frame.columns or self.notes.columns.lower_is_better:
            return
        if self.notes.columns.theirs["score"].strip().lower() == "score":
            return
        event = frame["event"] if "event" in frame.columns else pl.Series([""]).new_from_index(0, len(frame))
        rows = pl.DataFrame([event.alias("event"), *(plain_numbers(frame[name]) for name in ("score", RANK))])
        rows = rows.drop_nulls().sort("event", RANK)
        worse = (rows["event"].shift() == rows["event"]) & (rows[RANK].diff() > 0.0)
        steps = rows["score"].diff().filter(worse)
        if len(steps) >= _FEWEST_STEPS and (steps > 0.0).all():
            self.notes.columns = replace(self.notes.columns, lower_is_better=True)
            self.notes.use_beside(RANK)

    def _warn_of_contradiction(self, frame: pl.DataFrame) -> None:
        """Warn of the first match whose columns name different winners."""
        assert self.notes.columns is not None
        if self._has_contradicted:
            return
        lower, sides = bool(self.options.lower_is_better), self.notes.columns.theirs
        compared = frame
        if {"player_a", "player_b", "winner"} <= set(frame.columns) and cells.is_text(frame["winner"]):
            winner = pl.col("winner").cast(pl.String)
            first, second = (winner == sides.get(name, name) for name in ("player_a", "player_b"))
            of_first = pl.when(first).then(pl.col("player_a").cast(pl.String))
            named = of_first.when(second).then(pl.col("player_b").cast(pl.String)).otherwise(winner)
            compared = frame.with_columns(named.alias("winner"))
        if (found := find_contradiction(compared, lower_is_better=lower)) is None:
            return
        self._has_contradicted = True
        row, called = int(frame[ROW][found.position]), self.notes.columns.wanted

        def says(name: str) -> str:
            cell = shorten(str(frame[name][found.position]).strip(), 30)
            return f"{called[name]!r} is {cell!r}"

        read = called[found.read]
        self.notes.warn(
            f"{self.source.place(row)}: {says(found.read)} and {says(found.other)}, which name different "
            f"winners: {read!r} is read; --column {found.read}= (columns={{{found.read!r}: None}}) leaves it "
            "out"
        )

    # ------------------------------------------------------------------ times that are none

    def _check_score(self, frame: pl.DataFrame) -> None:
        """A column that ends in time can be a score, and then it holds no days."""
        assert self.notes.columns is not None
        if not self.notes.is_guessed("score"):
            return
        theirs = self.notes.columns.theirs["score"]
        is_time = theirs.strip().lower() == "time" and _has_moments(frame["score"])
        if is_time or (
            is_result_time(theirs) and _holds_moments(frame["score"].head(_SOME), may_be_number=False)
        ):
            raise self.source.error(
                "there is neither a rank nor a score",
                hint="name the column with --column rank=place (columns={'rank': 'place'})",
            )

    def _check_clock(self, frame: pl.DataFrame) -> None:
        """A column time beside a column of days can be the whole moment; the days then tell nothing new."""
        if "clock" in frame.columns and self.notes.is_guessed("clock"):
            clock = frame["clock"]
            if _is_text_or_number(clock):
                moments = bool(clock.head(_SOME).cast(pl.String).str.contains(_NO_CLOCK).any())
            else:
                moments = isinstance(clock.dtype, (pl.Datetime, pl.Date))
            if moments:
                self.notes.take_clock_as_time()

    def _misnamed(self, frame: pl.DataFrame, shape: Shape) -> list[str]:
        """The columns time and clock, where their cells show that they are something else."""
        assert self.notes.columns is not None
        theirs = self.notes.columns.theirs
        found = []
        if "time" in frame.columns and "time" not in self.options.columns:
            time = frame["time"]
            if self.notes.is_guessed("time") and self.options.time_format is None:
                if (_is_text_or_number(time) or time.dtype == pl.Boolean) and not _has_moments(time):
                    if plain_name(theirs["time"]) in CERTAIN_TIMES:
                        self.notes.warn(
                            f"{theirs['time']!r} has the name of a time but holds no times: not read"
                        )
                    elif plain_name(theirs["time"]) in PLAYED_MARKS and shape == "matches":
                        beside = {**self.notes.columns.beside, PLAYED: theirs["time"]}
                        self.notes.columns = replace(self.notes.columns, beside=beside)
                    found.append("time")
            elif shape == "results" and _holds_spans(time):
                found.append("time")
                self.notes.guess(f"{theirs['time']} is a duration, not the time of the event")
        if "clock" in frame.columns and self.notes.is_guessed("clock") and shape == "results":
            event = [name for name in ("event", "time") if name in frame.columns]
            clocks = frame.drop_nulls("clock").group_by(event).agg(pl.col("clock").n_unique())["clock"]
            if (clocks > 1).any() or "time" in found:  # an event begins once
                found.append("clock")
                clock = theirs["clock"]
                is_duration = is_result_time(clock) or plain_name(clock) == "time"
                what = "a duration" if is_duration else "different for each player"
                self.notes.guess(f"{clock} is {what}, not the time of the event")
        return found

    # ------------------------------------------------------------------ tables without a column event

    def _with_events(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with a column event.

        Without such a column one contest is one event, named by who gives the frame or 1, and rows of several
        times are several events. A column that people call so may name a series, such as a race that takes
        place every year.
        """
        assert self.notes.columns is not None
        named = "event" in self.notes.columns.theirs
        if named and not self.notes.is_guessed("event"):
            return frame
        moments = _texts(frame.select(column for column in ("time", "clock") if column in frame.columns))
        if named:
            when = "time"
            if moments is None and SEASON in frame.columns:
                moments, when = _texts(frame.select(SEASON)), self.notes.columns.beside[SEASON]
            if moments is None:
                return frame
            if self._time_is_event is None:
                self._time_is_event = _is_series(frame, moments)
                if self._time_is_event:
                    self.notes.guess(f"each {self.notes.columns.theirs['event']} and {when} is an event")
                    if when != "time":
                        self.notes.use_beside(SEASON)
            if not self._time_is_event:
                return frame
            series = cells.names(frame["event"]).cast(pl.String).str.strip_chars()
            return frame.with_columns((series + " " + moments).alias("event"))
        name = frame["event"][0] if "event" in frame.columns else "1"
        if self._time_is_event is None:
            self._time_is_event = moments is not None and moments.n_unique() > 1
            if not self._time_is_event:
                self._check_ranks_go_on(frame)
            self.notes.guess("each time is an event" if self._time_is_event else "all rows are one event")
        event = moments.fill_null(name) if self._time_is_event and moments is not None else pl.lit(name)
        return frame.with_columns(event.alias("event"))

    def _check_ranks_go_on(self, frame: pl.DataFrame) -> None:
        """Refuse ranks that begin again at 1 for other players, of which no column names the event."""
        assert self.notes.columns is not None
        if "rank" not in frame.columns or "event" in self.options.columns:
            return
        ranks = plain_numbers(frame["rank"]).drop_nulls()
        begins = (ranks == 1.0) & (ranks.shift(1, fill_value=2.0) > 1.0)
        if int(begins.sum()) < 2 or not begins[0]:
            return
        runs = pl.DataFrame({"rank": ranks, "run": begins.cum_sum()}).group_by("run", maintain_order=True)
        if all(_is_ranking(run["rank"].to_list()) for _, run in runs) and not _is_ranking(sorted(ranks)):
            unused = [shorten(name, 30) for name in self.notes.columns.unused[:_MOST_NAMED]]
            column = unused[0] if unused else "race"
            among = f" (one of {', '.join(unused)}?)" if len(unused) > 1 else ""
            raise self.source.error(
                f"the ranks begin at 1 {int(begins.sum())} times, and no column names the events",
                hint=f"name the column with each row's event{among}: {column_option('event', column)}. "
                "If all rows are one event: --column event= (columns={'event': None})",
            )


def _is_ranking(ranks: list[float]) -> bool:
    """Whether ranks in order are those of two players or more in one event: 1, 2, 2, 4."""
    return len(ranks) > 1 and all(rank == 1 + ranks.index(rank) for rank in ranks)


def note_moments(
    notes: ReadingNotes,
    sample: Callable[[Sequence[str]], pl.DataFrame],
    columns: TableColumns,
    options: ReadOptions,
) -> None:
    """Warn of columns that hold moments by a sample of their rows, where no time is read."""
    if columns.shape == "adjustments" or "time" in {*columns.theirs, *options.columns}:
        return
    _note_order(notes, sample, columns)
    unwarned = [
        name
        for name in columns.unused[:_MOST_SAMPLED]
        if not any(warning.startswith(f"{shorten(name)!r} ") for warning in columns.warnings)
        and not re.search(_BIRTH_NAME, plain_name(name))
    ]
    if not unwarned:
        return
    rows = sample(unwarned)
    for name in rows.columns:
        if _holds_moments(rows[name], may_be_number=not re.search(_NUMBER_NAME, plain_name(name))):
            option = column_option("time", shorten(name))
            notes.warn(f"{shorten(name)!r} is not used, and holds times: to read it, use {option}")


def _note_order(
    notes: ReadingNotes, sample: Callable[[Sequence[str]], pl.DataFrame], columns: TableColumns
) -> None:
    """Warn of rounds that go down, such as 3, 2, 1: events are rated in the order of the file."""
    rounds = [
        name for name in (*columns.unused, columns.theirs.get("event", "")) if plain_name(name) in _ROUNDS
    ]
    for column in sample(rounds[:_MOST_NAMED]) if rounds else ():
        numbers = plain_numbers(column).drop_nulls()
        steps = numbers.diff().drop_nulls()
        if (steps < 0.0).sum() >= _FEWEST_STEPS and not (steps > 0.0).any():
            notes.warn(
                f"{shorten(column.name)!r} goes from {numbers[0]:g} down to {numbers[-1]:g}, and the first "
                "row is rated first: if it is the last round, turn the rows around, or add a column date"
            )


def _holds_moments(column: pl.Series, *, may_be_number: bool) -> bool:
    """Whether all cells are days or moments."""
    if not _is_text_or_number(column):
        return column.dtype.is_temporal() and column.dtype not in (pl.Duration, pl.Time)
    text = column.cast(pl.String).str.strip_chars().replace("", None).drop_nulls()
    return (
        len(text) > 0 and text.str.contains(f"{_WHOLE_DAY}|{_EPOCH}" if may_be_number else _WHOLE_DAY).all()
    )


def _is_text_or_number(column: pl.Series) -> bool:
    return column.dtype == pl.String or column.dtype.is_numeric()


def _texts(columns: pl.DataFrame) -> pl.Series | None:
    """What stands in one or two columns of times, as names of events; None if there are none."""
    if not columns.width:
        return None
    text = with_text_times(columns).select(pl.all().cast(pl.String).str.strip_chars().replace("", None))
    joined = text.select(pl.concat_str(pl.all(), separator=" ", ignore_nulls=True).replace("", None))
    return joined.to_series()


def _is_series(frame: pl.DataFrame, moments: pl.Series) -> bool:
    """Whether an event takes place several times.

    That is so if somebody stands twice in it, and never at one time; or if it has several times, and at each
    of them there are two players or more.
    """
    rows = frame.select("event", "player").with_columns(moments.alias("moment"))
    complete = rows.drop_nulls()
    if complete.select("event", "player").is_duplicated().any():
        return not complete.is_duplicated().any()
    if len(complete) < len(rows):
        return False
    occasion = rows.select("event", "moment")
    begins = occasion.filter(pl.any_horizontal(pl.all() != pl.all().shift()).fill_null(value=True))
    if not begins.unique()["event"].is_duplicated().any():
        return False
    sizes = rows.group_by("event", "moment").agg(pl.col("player").n_unique())
    return bool((sizes["player"] > 1).all())


def _has_moments(column: pl.Series) -> bool:
    """Whether any cell looks like a day or a moment."""
    if not _is_text_or_number(column):
        return column.dtype.is_temporal() and column.dtype != pl.Duration
    return any(part.cast(pl.String).str.contains(_MOMENT).any() for part in (column.head(_SOME), column))


def _holds_spans(column: pl.Series) -> bool:
    """Whether the cells say how long something took: 17:45.3, +0.5; numbers alone may be epoch seconds.

    Whoever has no time has a mark such as DNF.
    """
    if column.dtype == pl.Duration:
        return True
    if column.dtype != pl.String:
        return False
    for part in (column.head(_SOME), column):
        text = part.str.strip_chars()
        odd = text.filter(~(text.str.contains(_SPAN) | (text == "")))
        if (read_marks(odd) == NO_MARK).any():
            return False
    told = len(odd) > 0 or column.str.contains(r":|^\s*\+").any()
    return bool(told) and not _has_moments(column)
