"""The results a command reads, and what it says of them: how they were read, and what was left out."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from podium.cli.progress import progress
from podium.text import counted

if TYPE_CHECKING:
    from podium.history import History, Reading, Skipped

MOST_SKIPPED_SHOWN = 20
STDIN = Path("-")
"""What stands for stdin among files."""


def opened(file: Path) -> Path | BinaryIO:
    """A file as `read_history` takes it: its path, or stdin."""
    return sys.stdin.buffer if file == STDIN else file


def shown_name(file: Path) -> str:
    """The name of a file without its folder, for titles."""
    return "stdin" if file == STDIN else file.name


def size_of(file: Path) -> int:
    """The bytes of a file; nobody knows how many come through a pipe, which counts as 0."""
    try:
        return os.fstat(sys.stdin.fileno()).st_size if file == STDIN else file.stat().st_size
    except OSError:
        return 0


def _check_stdin(files: Sequence[Path]) -> None:
    if list(files).count(STDIN) > 1:
        raise typer.BadParameter("stdin (-) can be read only once", param_hint="FILE")


def read_files(files: Sequence[Path], options: Mapping[str, Any]) -> History:
    """Read the history in one or several files; rows left out are reported on stderr."""
    history = read_whole(files, options)
    report_skipped(history.skipped)
    return history


def read_whole(files: Sequence[Path], options: Mapping[str, Any]) -> History:
    """Read the history in one or several files."""
    from podium.history import History
    from podium.tables import read_history

    _check_stdin(files)
    with progress(f"reading {', '.join(map(shown_name, files))}", by_rows=False), quiet_readings():
        parts = [read_history(opened(file), **options) for file in files]
        history = parts[0] if len(parts) == 1 else History.concat(parts)
    report_readings(history.readings)
    return history


@contextmanager
def quiet_readings() -> Iterator[None]:
    """Leave warnings about files to `report_readings`."""
    from podium.history import ReadingWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        yield


def report_readings(readings: Sequence[Reading]) -> None:
    """Say on stderr in a line what was understood of each file, and what may be wrong about that."""
    for reading in readings:
        if line := reading.description:
            print(line, file=sys.stderr)
        for warning in reading.warnings:
            print(f"warning: {warning}", file=sys.stderr)


def report_skipped(skipped: Sequence[Skipped]) -> None:
    """Report on stderr which rows were left out and why, the first ones line by line."""
    for item in skipped[:MOST_SKIPPED_SHOWN]:
        print(f"skipped {item.where}: {item.reason}", file=sys.stderr)
    if len(skipped) > MOST_SKIPPED_SHOWN:
        print(f"… and {len(skipped) - MOST_SKIPPED_SHOWN:,} more", file=sys.stderr)
    if skipped:
        print(f"{counted(len(skipped), 'row')} skipped", file=sys.stderr)
