"""What a ladder remembers of its latest events: enough to take them back exactly, and to tell of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from podium.arrays import Floats, Ints
from podium.history import Adjustment, Merge, Rename
from podium.history.times import to_datetime
from podium.ladder.explanations import Remembered
from podium.systems.contract.ratings import Contribution
from podium.systems.contract.state import Snapshot

MOST_EVENTS = 1000
MOST_ROWS = 1_000_000
"""Most rows of all remembered events together; a thousand contests of ten thousand would fill the memory."""


@dataclass(slots=True)
class Entry:
    """One recorded event or adjustment: the ladder before it, and the ratings it changed."""

    name: str
    time: int
    snapshot: Snapshot
    n_names: int
    n_events: int
    last_time: int
    before: Floats
    after: Floats
    """Displayed ratings after it, in the order of the snapshot's players; likewise `before`."""
    rank: Ints | None = None
    """Ranks in the order of the snapshot's players; None for an adjustment."""
    sides: int = 0
    adjustment: Adjustment | None = None
    identity: int | None = None
    """The hash by which the ladder would know the event again; None if it has no name of its own."""

    def contribution(self, player: int) -> Contribution | None:
        """How this entry changed a player's rating; None if it did not involve the player."""
        found = np.flatnonzero(self.snapshot.players == player)
        if not len(found):
            return None
        row = found[0]
        return Contribution(
            event=self.name,
            time=to_datetime(self.time),
            rank=None if self.rank is None else int(self.rank[row]),
            sides=self.sides,
            change=float(self.after[row] - self.before[row]),
            before=float(self.before[row]),
        )

    def remembered(self, player: int) -> tuple[int, Remembered] | None:
        """The event and its number among the player's own events; None for adjustments and others' events."""
        found = np.flatnonzero(self.snapshot.players == player)
        if self.rank is None or not len(found):
            return None
        row = int(found[0])
        number = int(self.snapshot.columns["events"][row]) + 1
        return number, Remembered(self.name, self.time, int(self.rank[row]))


class Journal:
    """The latest entries: at most `MOST_EVENTS`, and `MOST_ROWS` rows unless a single entry has more."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._rows = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def latest(self) -> Entry | None:
        """The latest entry, if there is one."""
        return self._entries[-1] if self._entries else None

    def append(self, entry: Entry) -> None:
        """Add an entry; the oldest are dropped if there are too many."""
        self._entries.append(entry)
        self._rows += entry.snapshot.rows
        while len(self._entries) > MOST_EVENTS or (self._rows > MOST_ROWS and len(self._entries) > 1):
            self._rows -= self._entries.popleft().snapshot.rows

    def pop(self) -> Entry:
        """Remove and return the latest entry."""
        entry = self._entries.pop()
        self._rows -= entry.snapshot.rows
        return entry

    def copy(self) -> Journal:
        """An independent journal of the same entries."""
        twin = Journal()
        twin._entries, twin._rows = self._entries.copy(), self._rows
        return twin

    def contributions(self, player: int) -> tuple[Contribution, ...]:
        """Every change of the rating of the player who has this index now, oldest first."""
        return tuple(self._latest_first(player))[::-1]

    def is_from_start(self, player: int) -> bool:
        """Whether no rated event of the player who has this index now lies before the remembered ones."""
        first = None
        for entry, index in self._entries_of(player):
            found = np.flatnonzero(entry.snapshot.players == index)
            first = int(entry.snapshot.columns["events"][found[0]]) if len(found) else first
        return first == 0

    def events_of(self, player: int) -> dict[int, Remembered]:
        """The remembered events of the player who has this index now, by number among their own."""
        found = [entry.remembered(index) for entry, index in self._entries_of(player)]
        # Oldest first: an event out of competition has the number of the next rated one, which replaces it.
        return dict(item for item in reversed(found) if item is not None)

    def _latest_first(self, player: int) -> Iterator[Contribution]:
        for entry, index in self._entries_of(player):
            found = entry.contribution(index)
            if found is not None:
                yield found

    def _entries_of(self, player: int) -> Iterator[tuple[Entry, int]]:
        """Entries, latest first, each with the index the player had then.

        Going back in time, a renamed player is found under the old name, and a name may change hands.
        """
        for entry in reversed(self._entries):
            if isinstance(entry.adjustment, (Rename, Merge)):
                old, new = entry.snapshot.players.tolist()
                if player == old:  # the name became free here: whoever had it before is somebody else
                    return
                if player == new and isinstance(entry.adjustment, Rename):
                    player = old
                    continue
            yield entry, player
