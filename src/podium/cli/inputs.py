"""The results a command reads, and what it says of them: how they were read, and what was left out."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from podium.cli.option_words import without_keywords
from podium.cli.progress import progress
from podium.errors import OrderError, RepeatError
from podium.text import counted

if TYPE_CHECKING:
    from podium.history import History, Names, Reading, Skipped
    from podium.ladder.ladder import Ladder
    from podium.tables.names.aliases import Aliases

MOST_SKIPPED_SHOWN = 20
LONGEST_LINE = 100
"""Letters up to which what was understood of a file is said in one line."""
STDIN = Path("-")
"""What stands for stdin among files."""


def opened(file: Path) -> Path | BinaryIO:
    """A file as `read_history` takes it: its path, or stdin."""
    return sys.stdin.buffer if file == STDIN else file


def shown_name(file: Path) -> str:
    """The name of a file without its folder, for titles."""
    return "stdin" if file == STDIN else file.name


def read_from(files: Sequence[Path], options: Mapping[str, Any]) -> list[Path]:
    """All files that a command reads, aliases included, and that it must not write to."""
    aliases: Aliases | None = options.get("aliases")
    return [*files, *([] if aliases is None or aliases.file is None else [aliases.file])]


def _check_stdin(files: Sequence[Path]) -> None:
    if list(files).count(STDIN) > 1:
        raise typer.BadParameter("stdin (-) can be read only once", param_hint="FILE")


def read_files(files: Sequence[Path], options: Mapping[str, Any]) -> History:
    """Read the history in one or several files; rows left out are reported on stderr."""
    history = read_whole(files, options)
    report_skipped(history.skipped)
    warn_of_future(history)
    return history


def read_whole(files: Sequence[Path], options: Mapping[str, Any], *, repeats: bool = False) -> History:
    """Read the history in one or several files; without `repeats` each must have content of its own."""
    from podium.history import History
    from podium.tables import read_history
    from podium.tables.suspicions import names_used_again

    _check_stdin(files)
    shown = ", ".join(map(shown_name, files))
    with progress(f"reading {shown}", by_rows=False), quiet_readings():
        parts = [read_history(opened(file), **options) for file in files]
        history = parts[0] if len(parts) == 1 else History.concat(parts)
    report_readings(history.readings)
    if len(parts) > 1:
        report_near_names(parts, options)
        for warning in names_used_again(history):
            print(f"warning: {warning}", file=sys.stderr)
    report_aliases(options)
    if not repeats:
        _check_repeats(history.readings)
    return history


def read_by_size(
    file: Path, rows: int, whole_up_to: int, options: Mapping[str, Any]
) -> History | Iterator[History]:
    """Read the history in one file: whole, or in pieces if it holds more bytes than `whole_up_to`.

    Of one that is whole it is said what was understood.
    """
    from podium.history import History
    from podium.tables.history_files import read_by_size

    name = shown_name(file)
    with progress(f"reading {name}", by_rows=False), quiet_readings():
        found = read_by_size(opened(file), rows, whole_up_to, **options)
    if isinstance(found, History):
        report_readings(found.readings)
        report_aliases(options)
    return found


def report_near_names(parts: Sequence[History], options: Mapping[str, Any]) -> None:
    """Warn of names of one file that are near to those of another."""
    from podium.tables.names.near_names import NearFiles
    from podium.tables.suspicions import RepeatedMatches

    near, repeated = NearFiles(options.get("aliases")), RepeatedMatches()
    for part in parts:
        place = part.readings[0].source if part.readings else None
        if (again := repeated.warning([part], place or "a file")) is not None:
            print(f"warning: {again}", file=sys.stderr)
        if (warning := near.warning(part.players)) is not None:
            print(f"warning: {without_keywords(warning)}", file=sys.stderr)


def _check_repeats(readings: Sequence[Reading]) -> None:
    """Refuse a file that is given twice."""
    from podium.errors import RepeatError

    met: dict[str, str | None] = {}
    for reading in readings:
        if reading.digest is None:
            continue
        if reading.digest in met:
            what = f"{reading.source} has the same content as {met[reading.digest]}"
            raise RepeatError(what, hint="give each file once")
        met[reading.digest] = reading.source


@contextmanager
def named_files(files: Sequence[Path], *, order_hint: str, repeat_hint: str | None = None) -> Iterator[None]:
    """Let errors about what a ladder has rated already name the files, and hint at what a command can do."""
    where = ", ".join(map(shown_name, files))
    try:
        yield
    except OrderError as error:
        raise OrderError(f"{where}: {error.reason}", hint=order_hint) from error
    except RepeatError as error:
        named = f"{where}: " if error.reason.startswith("the event") else ""  # or else it names the file
        raise RepeatError(f"{named}{error.reason}", hint=repeat_hint or error.hint) from error


def report_aliases(options: Mapping[str, Any]) -> None:
    """Say on stderr if the results hold no alias at all, or if the file of aliases looks odd."""
    aliases: Aliases | None = options.get("aliases")
    for warning in () if aliases is None else aliases.warnings:
        print(f"warning: {without_keywords(warning)}", file=sys.stderr)


def report_proposals(history: History, options: Mapping[str, Any]) -> None:
    """Warn of names that may be another name of a player, unless there is a file of aliases."""
    from podium.tables.names.name_proposals import proposals_warning

    if options.get("aliases") is None and (warning := proposals_warning(history)) is not None:
        print(f"warning: {warning}", file=sys.stderr)


def player_meant(name: str, options: Mapping[str, Any]) -> str:
    """The player whom a name or an alias on the command line means."""
    aliases: Aliases | None = options.get("aliases")
    return name if aliases is None else aliases.player(name)


class KnownPlayers:
    """The players of a saved ladder, to whom new names may be near; says so on stderr."""

    def __init__(self, players: Names, options: Mapping[str, Any]) -> None:
        from podium.tables.names.near_names import NearNames

        aliases: Aliases | None = options.get("aliases")
        self._own = set() if aliases is None else aliases.own_names
        self._players = set(players)
        self._near = NearNames(players)
        self._checked = 0
        self._warnings = 0

    def report(self, names: Names) -> None:
        """Warn of names of a file that are not on the ladder and near to one that is; a few times in all."""
        from podium.tables.names.near_names import MOST_NEAR_WARNINGS, near_warning

        fresh = [n for n in names[self._checked :] if n not in self._players and n not in self._own]
        self._checked = len(names)
        if self._warnings < MOST_NEAR_WARNINGS and (pairs := self._near.pairs_with_known(fresh)):
            warning = without_keywords(near_warning(pairs, " of the ladder"))
            print(f"warning: {warning}", file=sys.stderr)
            self._warnings += 1


@contextmanager
def quiet_readings() -> Iterator[None]:
    """Leave warnings about files to `report_readings`."""
    from podium.history import ReadingWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        yield


def report_readings(readings: Sequence[Reading]) -> None:
    """Say on stderr what was understood of each file, and what may be wrong about that.

    Of a file in podium's own words there is nothing to say, and of files that are alike it is said once.
    """
    alike: dict[tuple[str, ...], list[Reading]] = {}
    for reading in readings:
        if not reading.is_plain:
            alike.setdefault(reading.parts, []).append(reading)
    for parts, group in alike.items():
        others = f" and {counted(len(group) - 1, 'file')} more" if len(group) > 1 else ""
        line = f"{group[0].source}{others}: {'; '.join(parts)}"
        if len(line) > LONGEST_LINE:
            line = "\n  ".join([f"{group[0].source}{others}: {parts[0]}", *parts[1:]])
        print(line, file=sys.stderr)
    if readings and all(reading.shape == "adjustments" for reading in readings):
        print(
            "these are ratings without results: add files of results to continue from them",
            file=sys.stderr,
        )
    for warning in dict.fromkeys(warning for reading in readings for warning in reading.warnings):
        print(f"warning: {without_keywords(warning)}", file=sys.stderr)


def warn_of_future(history: History) -> None:
    """Warn on stderr of results that are still to come."""
    if len(history):
        warn_of_future_time(int(history.time.max()))


def warn_of_future_time(last_time: int) -> None:
    """Warn on stderr if the last result is still to come: what is recent counts back from it."""
    from podium.arrays import DAY
    from podium.history.times import to_iso

    if last_time > time.time_ns() // 1_000 + DAY:
        print(
            f"warning: the last event is in the future ({to_iso(last_time)}), and podium counts "
            "recent activity back from it",
            file=sys.stderr,
        )


def possible_repeats(history: History, ladder: Ladder) -> int:
    """The number of events that a ladder, which continues with them, may have rated before."""
    from podium.arrays import NO_TIME

    unknown = (history.time == NO_TIME) | (history.time == ladder.last_time)
    if history.named is not None:
        unknown &= ~history.named
    return int(unknown.sum()) if ladder.n_events else 0


def warn_of_possible_repeats(events: int) -> None:
    """Warn on stderr that a ladder may have rated so many events before."""
    if events:
        print(
            f"warning: {counted(events, 'event')} without a name and without a time after the ladder's last "
            "event. podium counts them as new. It cannot find out if the ladder had rated them before",
            file=sys.stderr,
        )


def report_skipped(skipped: Sequence[Skipped]) -> None:
    """Report on stderr which rows were left out and why, the first ones line by line."""
    for item in skipped[:MOST_SKIPPED_SHOWN]:
        print(f"skipped {item.where}: {item.reason}", file=sys.stderr)
    if len(skipped) > MOST_SKIPPED_SHOWN:
        print(f"… and {len(skipped) - MOST_SKIPPED_SHOWN:,} more", file=sys.stderr)
    if skipped:
        print(f"{counted(len(skipped), 'row')} skipped", file=sys.stderr)
