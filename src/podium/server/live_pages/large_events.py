"""What a worker remembers of events of many sides, which take long to read: they stay as they are."""

from __future__ import annotations

from typing import Generic, TypeVar

from podium.server import machine
from podium.server.ladders.followed_ladder import Look

Known = TypeVar("Known")


class RememberedEvents(Generic[Known]):
    """Something of each of some events, by ladder, generation and number in the log."""

    def __init__(self, most: int) -> None:
        """Remember so many; then what was remembered first is forgotten."""
        self._most = most
        self._known: dict[tuple[int, int, int], Known] = {}
        self._lock = machine.Lock()

    def forget(self) -> None:
        """Forget all events."""
        with self._lock:
            self._known.clear()

    def find(self, look: Look, number: int) -> Known | None:
        """What is remembered of an event."""
        return self._known.get((look.row.id, look.row.generation, number))

    def remember(self, look: Look, number: int, known: Known) -> Known:
        """Remember something of an event."""
        with self._lock:
            while len(self._known) >= self._most:
                del self._known[next(iter(self._known))]
            self._known[look.row.id, look.row.generation, number] = known
        return known
