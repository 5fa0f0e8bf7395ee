"""Chess games in Portable Game Notation (PGN), read for who met whom, when, and who won.

A PGN file is a sequence of games; a game is a section of headers such as `[White "Carlsen, Magnus"]`
followed by the moves. Only headers matter here. The one thing to know about the moves is whether a line lies
inside a `{comment}`, where text that looks like a header is not one.

Nothing is refused half way through a file: what is wrong with a game becomes a `Problem`, the game is left
out, and the caller decides whether to go on without it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import BinaryIO

import polars as pl

from podium.arrays import DAY, SECOND
from podium.errors import InputError
from podium.tables.names.player_numbers import means_nobody
from podium.text import shorten

GAMES_SCHEMA = pl.Schema(
    {
        "player_a": pl.String,
        "player_b": pl.String,
        "score_a": pl.Float64,
        "time": pl.Int64,
        "line": pl.UInt64,
    }
)


@dataclass(frozen=True)
class Problem:
    """Why a game was left out, and the line on which its headers start."""

    line: int
    reason: str


@dataclass(frozen=True)
class PgnGames:
    """The games of a PGN file, in the file's order."""

    frame: pl.DataFrame
    """The finished games that have no problem: player_a (White, so always the home side), player_b (Black),
    score_a (1, 0.5 or 0), time (microseconds since 1970 UTC, null where unknown), line (where the headers
    start)."""
    unfinished: list[Problem]
    """The games left out because their result is "*"."""
    byes: Counter[str]
    """How many games without a result were left out because a name means nobody, by that name."""
    undated: int
    """Number of games of `frame` without a time."""
    partly_dated: list[Problem]
    """Games of `frame` whose day, or month, is not known: they count as the first day of what is known."""
    problems: list[Problem]


def pgn_batches(stream: BinaryIO, source: str, games: int = 100_000) -> Iterator[PgnGames]:
    r"""The games of a PGN file, `games` of them at a time, so that memory does not grow with the file.

    A batch counts every game met: it holds fewer rows than `games` where some were left out. `source` names
    the file in errors.

    >>> import io
    >>> file = io.BytesIO(b'[White "ann"]\n[Black "bob"]\n[Date "1970.01.02"]\n[Result "1-0"]\n\n1. e4 1-0\n')
    >>> next(pgn_batches(file, "club.pgn")).frame.row(0)
    ('ann', 'bob', 1.0, 86400000000, 1)
    """
    scanner = _Scanner(stream)
    batch = _Batch()
    for line, headers in scanner.games():
        batch.add(line, headers)
        if batch.met >= games:
            yield batch.finish()
            batch = _Batch()
    if not scanner.found_headers:
        raise InputError(
            "no PGN games found: there is not a single header line",
            source=source,
            hint='a game starts with headers such as [White "Carlsen, Magnus"]. Is this a PGN file?',
        )
    if scanner.comment_line:
        reason = (
            "the comment opened with { on this line is never closed, so the rest of the file was not read"
        )
        batch.problems.append(Problem(scanner.comment_line, reason))
    if batch.met or batch.problems:
        yield batch.finish()


# Cutting a file into games ------------------------------------------------------------------------

Headers = Mapping[bytes, bytes]

# The headers that are used, and Event, which by convention comes first. To meet one of them again in the same
# section is to meet a new game, in files without moves; other headers are at times repeated within a game.
_USED = frozenset({b"Event", b"White", b"Black", b"Result", b"Date", b"Time", b"UTCDate", b"UTCTime"})

_NAME = rb"\s*\[\s*([A-Za-z0-9][\w+#=:-]*)\s*"
_HEADER = re.compile(_NAME + rb'"([^"\\]*(?:\\.[^"\\]*)*)"\s*\]')
# Quotes inside a value ought to be escaped and often are not: [White "Joe "Rocket" Smith"].
_UNESCAPED_HEADER = re.compile(_NAME + rb'"(.*)"\s*\]\s*$')
# A header cut short says nothing, but neither is it moves: it must not end the section it stands in.
_DAMAGED_HEADER = re.compile(_NAME + rb'"')

_COMMENT = re.compile(rb";.*|\{[^}]*(\}?)", re.DOTALL)

_BLOCK = 1 << 18  # bytes: many lines, yet little enough to stay in a processor's cache
_BRACKET = ord("[")
_MARGIN = b" \t\xef\xbb\xbf"  # indentation, or the byte order mark of this file or of one appended to it
_UNUSUAL_STARTS = _MARGIN + b"%;"
_PLAIN_ENDS = (b"]\n", b"]\r\n")


class _Scanner:
    """Cuts a file into games: the line a game's headers start on, and those headers that are used."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.found_headers = False
        self.comment_line = 0
        """At the end of the file: the line of the comment that is still open, 0 if there is none."""

    def games(self) -> Iterator[tuple[int, Headers]]:
        """The games in order. This is the hot loop: it sees every line of a file of gigabytes."""
        headers: dict[bytes, bytes] = {}
        start = 0
        in_headers = False
        comment_line = 0
        for number, line in enumerate(_lines(self._stream), start=1):
            if comment_line:
                end = line.find(b"}")
                if end >= 0:
                    comment_line = number if _opens_comment(line[end + 1 :]) else 0
                continue

            if line[0] in _UNUSUAL_STARTS:
                if line[0] in b"%;":  # a line to be ignored as a whole
                    continue
                line = line.lstrip(_MARGIN)

            while line and line[0] == _BRACKET:
                parts = line.split(b'"')
                if len(parts) == 3 and parts[2] in _PLAIN_ENDS:  # nearly every header of nearly every file
                    name, value, line = _plain_name(parts[0]), parts[1], b""
                elif header := _unusual_header(line):
                    name, value, line = header
                else:
                    break
                if not in_headers or name in headers:
                    if start:
                        yield start, headers
                    headers, start, in_headers = {}, number, True
                if name in _USED:
                    headers[name] = value
            if not line:
                continue

            in_headers = False  # a blank line or moves
            if b"{" in line and _opens_comment(line):
                comment_line = number
        if start:
            yield start, headers
        self.found_headers = start > 0
        self.comment_line = comment_line


@lru_cache(maxsize=1024)
def _plain_name(before_quote: bytes) -> bytes:
    """The name of a header, from what stands before its value: `[White `."""
    return before_quote[1:].strip()


def _unusual_header(line: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Name and value of the header a line starts with, and the rest of the line; None if it has no header."""
    if match := _HEADER.match(line) or _UNESCAPED_HEADER.match(line):
        return match[1], match[2], line[match.end() :].lstrip()
    return (b"", b"", b"") if _DAMAGED_HEADER.match(line) else None


def _lines(stream: BinaryIO) -> Iterable[bytes]:
    return chain.from_iterable(_line_blocks(stream))


def _line_blocks(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines of a stream with their ends, which may be CR LF, LF or CR."""
    tail = b""
    while block := stream.read(_BLOCK):
        lines = (tail + block).splitlines(keepends=True)
        tail = lines.pop()  # perhaps half a line, perhaps one that ends in CR with its LF still to come
        yield lines
    if tail:
        yield [tail]


def _opens_comment(moves: bytes) -> bool:
    """Whether a line of moves ends inside a `{comment}`, given that it starts outside of one."""
    if b";" not in moves:
        return moves.rfind(b"{") > moves.rfind(b"}")
    # A ";" outside of braces hides the rest of the line, braces included; inside of braces it is mere text.
    *_, last = [None, *_COMMENT.finditer(moves)]
    return last is not None and last[1] == b""


# Reading the headers of a game --------------------------------------------------------------------

_SCORES = {b"1-0": 1.0, b"0-1": 0.0, b"1/2-1/2": 0.5}

_ESCAPE = re.compile(rb'\\(["\\])')
_PART = rb"(?:[./-](\d{1,2}|\?{1,2}))?"
_DATE = re.compile(rb"(\d{4}|\?{1,4}|)" + _PART + _PART)
_CLOCK = re.compile(rb"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d*)?)?")

_EPOCH = date(1970, 1, 1).toordinal()


class _GameError(ValueError):
    """What is wrong with a game; it becomes a `Problem`."""


class _Batch:
    """The columns of a `PgnGames` while they grow."""

    def __init__(self) -> None:
        self.met = 0
        self.problems: list[Problem] = []
        self._unfinished: list[Problem] = []
        self._byes: Counter[str] = Counter()
        self._partly_dated: list[Problem] = []
        self._white: list[str] = []
        self._black: list[str] = []
        self._scores: list[float] = []
        self._times: list[int | None] = []
        self._lines: list[int] = []

    def add(self, line: int, headers: Headers) -> None:
        self.met += 1
        try:
            result = _value(headers, b"Result").strip()
            if result == b"*":
                self._unfinished.append(Problem(line, "the game is unfinished: its Result is *"))
                return
            score = _SCORES.get(result)
            if score is None:
                self._byes[_bye(headers, result)] += 1
                return
            white, black = _player(headers, b"White"), _player(headers, b"Black")
            time, part = _time(headers)
        except _GameError as error:
            self.problems.append(Problem(line, str(error)))
            return
        if part is not None:
            self._partly_dated.append(Problem(line, part))
        self._white.append(white)
        self._black.append(black)
        self._scores.append(score)
        self._times.append(time)
        self._lines.append(line)

    def finish(self) -> PgnGames:
        columns = (self._white, self._black, self._scores, self._times, self._lines)
        frame = pl.DataFrame(dict(zip(GAMES_SCHEMA, columns, strict=True)), schema=GAMES_SCHEMA)
        return PgnGames(
            frame,
            self._unfinished,
            self._byes,
            frame["time"].null_count(),
            self._partly_dated,
            self.problems,
        )


def _bye(headers: Headers, result: bytes) -> str:
    """Which name means nobody, in a game whose result is none; refused if both are players."""
    for colour in (b"White", b"Black"):
        name = headers.get(colour, b"")
        if _names_nobody(name):
            return _text(name)
    raise _GameError(f"Result {_shown(result)} must be 1-0, 0-1, 1/2-1/2 or *")


@lru_cache(maxsize=1 << 14)
def _names_nobody(name: bytes) -> bool:
    return means_nobody(name.decode("latin-1"))


def _player(headers: Headers, colour: bytes) -> str:
    name = _text(_value(headers, colour))
    if name in ("", "?"):
        raise _GameError(f'{colour.decode()} "{name}" is not a name')
    return name


def _value(headers: Headers, name: bytes) -> bytes:
    value = headers.get(name)
    if value is None:
        raise _GameError(f"no {name.decode()} header, or none that can be read")
    return value


def _text(value: bytes) -> str:
    if b"\\" in value:
        value = _ESCAPE.sub(rb"\1", value)
    try:
        text = value.decode()
    except UnicodeDecodeError:
        try:
            text = value.decode("cp1252")  # the standard names Latin-1, which this extends by “…” and €
        except UnicodeDecodeError:
            text = value.decode("latin-1")
    return text.strip()


def _time(headers: Headers) -> tuple[int | None, str | None]:
    """When the game started, and the date as written if its day is not known.

    UTC comes before the local clock. A game without a year has no time.
    """
    for date_name, clock_name in ((b"UTCDate", b"UTCTime"), (b"Date", b"Time")):
        value = headers.get(date_name)
        if value is None:
            continue
        midnight, exact = _day(date_name, value)
        if midnight is None:
            continue
        if not exact:  # a clock time is worth nothing where the day itself is a guess
            return midnight, _shown(value)
        return midnight + _clock(headers.get(clock_name, b"")), None
    return None, None


@lru_cache(maxsize=1 << 14)
def _day(name: bytes, value: bytes) -> tuple[int | None, bool]:
    """The start of a day, None if not even the year is known, and whether year, month and day all are.

    >>> _day(b"Date", b"1970.02.??")  # the first day of what is known
    (2678400000000, False)
    """
    match = _DATE.fullmatch(value.strip())
    if match is None:
        raise _GameError(
            f"{name.decode()} {_shown(value)} is not a date (YYYY.MM.DD, with ?? for unknown parts)"
        )
    year, month, day = (int(part) if part and part.isdigit() else None for part in match.groups())
    if year is None:
        return None, False
    if month is None:
        day = None
    try:
        ordinal = date(year, 1 if month is None else month, 1 if day is None else day).toordinal()
    except ValueError:
        raise _GameError(f"{name.decode()} {_shown(value)} is not in the calendar") from None
    return (ordinal - _EPOCH) * DAY, day is not None


def _clock(value: bytes) -> int:
    """The time since midnight; none where it cannot be read, as a clock is a nicety."""
    match = _CLOCK.fullmatch(value.strip())
    if match is None:
        return 0
    hours, minutes, seconds = match.groups(b"0")
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * SECOND


def _shown(value: bytes) -> str:
    """A value as it can stand in a message."""
    return f'"{shorten(_text(value))}"'
