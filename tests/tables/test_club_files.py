"""Invented files of the kind clubs keep, each with what must come out of it.

Beside each file in `club_files` stands FILE.expected: a line for each event, `Ann > Bob = Cat` with its time
before a colon, or what the refusal says. Lines `says:`, `warns:` and `hint:` hold a part of what podium says;
`with:` holds options. A file .xlsx.sheets or .ods.sheets is a workbook in words (`workbook`).
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from datetime import date, time
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from podium import History, read_history
from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history.times import to_iso
from tables.sheet_bytes import Cell, ods, xlsx

FOLDER = Path(__file__).parent / "club_files"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix != ".expected")
KEYS = ("with", "says", "warns", "hint", "refused")


def expected_of(name: str) -> tuple[list[str], dict[str, list[str]]]:
    """The events that must come out, and the other lines by their keys."""
    events: list[str] = []
    said: dict[str, list[str]] = {key: [] for key in KEYS}
    for line in (FOLDER / f"{name}.expected").read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(": ")
        if key in KEYS:
            said[key].append(rest)
        elif line:
            events.append(line)
    return events, said


def lines_of(history: History) -> list[str]:
    """The events of a history as the expectations write them."""
    lines = []
    for event in history:
        ranked = sorted(zip(event.ranks, event.sides, strict=True), key=lambda side: side[0])
        places = [
            " = ".join(" + ".join(side) for _, side in places)
            for _, places in groupby(ranked, lambda s: s[0])
        ]
        when = "" if event.time in (None, NO_TIME) else to_iso(event.time).removesuffix("T00:00:00Z") + ": "
        lines.append(when + " > ".join(places))
    return lines


def workbook(text: str, written: Callable[..., bytes]) -> bytes:
    """A workbook from its description: `# Sheet`, rows of cells between bars, `merge A2:A4`, `hide 3`.

    `hide sheet` hides the sheet itself.

    `@2026-05-01` is a date, `@03:01` a time of day, `"3` the text 3.
    """
    sheets: dict[str, list[list[Cell]]] = {}
    merged: dict[str, list[str]] = {}
    hidden: dict[str, list[int]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            name = line[2:]
            sheets[name] = []
        elif line.startswith("merge "):
            merged.setdefault(name, []).append(line[6:])
        elif line.startswith("hide "):
            hidden.setdefault(name, []).append(0 if line == "hide sheet" else int(line[5:]))
        else:
            sheets[name].append([cell_of(cell.strip()) for cell in line.split("|")])
    return written(sheets, merged, hidden)


def cell_of(text: str) -> Cell:
    if text.startswith('"') or not text:
        return text[1:] or None
    if text.startswith("@"):
        return time.fromisoformat(text[1:]) if ":" in text else date.fromisoformat(text[1:])
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text


@pytest.mark.parametrize("name", FILES)
def test_what_comes_out(name: str, tmp_path: Path) -> None:
    events, said = expected_of(name)
    content = (FOLDER / name).read_bytes()
    path = tmp_path / name.removesuffix(".sheets")
    if name.endswith(".sheets"):
        content = workbook(content.decode(), ods if path.suffix == ".ods" else xlsx)
    path.write_bytes(content)
    options: dict[str, Any] = json.loads(said["with"][0]) if said["with"] else {}
    if said["refused"]:
        with pytest.raises(InputError) as caught:
            read_history(path, **options)
        assert said["refused"][0] in str(caught.value)
        assert all(part in (caught.value.hint or "") for part in said["hint"])
        assert not events
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        history = read_history(path, **options)
    assert lines_of(history) == events
    told = [text for reading in history.readings for text in reading.guesses]
    warned = [text for reading in history.readings for text in reading.warnings]
    assert [part for part in said["says"] if not any(part in text for text in told)] == [], told
    assert [part for part in said["warns"] if not any(part in text for text in warned)] == [], warned
    assert said["warns"] or not warned
