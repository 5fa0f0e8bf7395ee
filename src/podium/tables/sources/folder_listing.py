"""Which files of a folder hold results, and their order."""

from __future__ import annotations

import re
from pathlib import Path

from podium.errors import InputError
from podium.files.kinds import FORMATS, Format, kind_of

_NO_RESULTS = (".", "~$")
"""How names begin that belong to the system, or to Excel while it has a workbook open."""


def files_of_folder(folder: Path) -> tuple[list[Path], list[Path]]:
    """The files to read, ordered as people do, and the others.

    File 2 comes before file 10. A .txt file is read only where there is nothing else: beside tables it is
    most likely a note.
    """
    visible = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(_NO_RESULTS)]
    visible.sort(key=_natural)
    formats = {file: format for file in visible if (format := _format(file)) is not None}
    files = [file for file, format in formats.items() if format != "txt"] or list(formats)
    if not files:
        raise InputError(
            "the folder holds no files of results",
            source=str(folder),
            hint=f"podium knows {', '.join(FORMATS)}",
        )
    return files, [file for file in visible if file not in files]


def _format(file: Path) -> Format | None:
    try:
        return kind_of(file).format
    except InputError:
        return None


def _natural(path: Path) -> list[tuple[int, int, str]]:
    """A name in parts that compare as people do: digits by their value, and before letters."""
    return [
        (0, int(part), part) if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name)
    ]
