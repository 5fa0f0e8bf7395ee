"""Small tables as bytes on disk, and what podium makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from podium import History, read_chunks, read_history
from podium.errors import InputError
from podium.history.times import to_iso


class Messy:
    """Writes a table into a folder of the test, and reads it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "messy.csv"

    def read(self, content: str, **options: Any) -> History:
        self.path.write_bytes(content.encode())
        return read_history(self.path, **options)

    def refusal(self, content: str, **options: Any) -> InputError:
        with pytest.raises(InputError) as caught:
            self.read(content, **options)
        assert str(caught.value).startswith(str(self.path))
        return caught.value

    def pieces(self, content: str, rows: int, **options: Any) -> list[History]:
        self.path.write_bytes(content.encode())
        return list(read_chunks(self.path, rows=rows, **options))


def guesses(*histories: History) -> list[str]:
    """What podium says that it has guessed."""
    return [guess for history in histories for reading in history.readings for guess in reading.guesses]


def iso_times(*histories: History) -> list[str]:
    return [to_iso(int(time)) for history in histories for time in history.time]


def ranks(history: History, event: int = 0) -> dict[str, int]:
    """The rank of each player of an event."""
    chosen = history.event(event)
    return {names[0]: rank for names, rank in zip(chosen.sides, chosen.ranks, strict=True)}
