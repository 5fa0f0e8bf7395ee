"""What a ladder remembers of its latest events: enough to take them back exactly, and to tell of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats, Ints, Longs
from podium.history import Adjustment, History, Merge, Rename
from podium.history.times import to_datetime
from podium.ladder.explanations import Remembered
from podium.ladder.name_changes import LatestNames, NameChange, name_changes
from podium.ladder.sides_before import played_matches
from podium.systems import RatingSystem
from podium.systems.contract.explained_ratings import Contribution, PlayedMatch
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import Snapshot, State

if TYPE_CHECKING:
    from podium.ladder.repeats import Repeats


class TouchedRows:
    """The rows of a state that a change has touched so far, each saved before its first touch.

    An event changes the rows of its players, and nothing else but what belongs to no player. Rows of players
    who come later than the change's beginning are not saved: they go when it is taken back.
    """

    def __init__(self, state: State, rewritten: Collection[str]) -> None:
        """`rewritten` are the columns of terms that events change, as the system declares them."""
        self._rewritten = rewritten
        self._is_saved = np.zeros(state.size, np.bool_)
        self._saved: list[Snapshot | State] = []

    def save(self, state: State, history: History) -> None:
        """Save what this history, whose players are numbered as in the state, is going to touch."""
        if history.adjustments:
            self.save_all(state)
            return
        fresh = np.zeros(len(self._is_saved), np.bool_)
        fresh[history.player[history.player < len(fresh)]] = True
        fresh &= ~self._is_saved
        players = np.flatnonzero(fresh).astype(np.int32)
        if len(players) or not self._saved:
            self._saved.append(state.snapshot(players, self._rewritten))
            self._is_saved[players] = True

    def save_all(self, state: State) -> None:
        """Save everything, for a change that may touch anybody."""
        self._make_whole()
        if not self._saved or not self._is_saved.all():
            self._saved.append(state.copy())
            self._is_saved[:] = True

    def _make_whole(self) -> None:
        for i, saved in enumerate(self._saved):
            self._saved[i] = saved if isinstance(saved, State) else saved.whole()

    def restored(self, state: State) -> State:
        """The state as it was; may be called again if an interrupt ended it early."""
        self._make_whole()
        for saved in reversed(self._saved):
            if isinstance(saved, State):
                state = saved
            else:
                state.restore(saved)
        return state


MOST_EVENTS = 1000
MOST_ROWS = 1_000_000
"""Most rows of all remembered events together; a thousand contests of ten thousand would fill the memory."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """Before a change in bulk: the rows that it touches, and copies of what else there is."""

    touched: TouchedRows
    journal: Journal
    repeats: Repeats


@dataclass(slots=True)
class Moment:
    """A ladder before a change, to go back to: numbers, and as much of the rest as the change touches."""

    n_names: int
    n_events: int
    last_time: int
    last_event_time: int
    around: Moment | None
    """The moment before the larger change that this one is a part of; None if it is none."""
    name_change: NameChange
    """The ladder's last rename or merge; for what is taken back later, the rename that takes it back."""
    identity: int | None = None
    """The hash by which the ladder would know the event again; None if it has no name of its own."""
    snapshot: Snapshot | None = None
    """The rows of the players of an event; None as long as nothing has happened to them."""
    key: str | None = None
    """The idempotency key of what was recorded, if it had one."""
    bulk: Bulk | None = None
    """What a change in bulk needs beside that; None for a single event or adjustment."""


@dataclass(slots=True)
class Entry:
    """One recorded event or adjustment: the ladder before it, and the ratings it changed."""

    name: str
    time: int
    moment: Moment
    snapshot: Snapshot
    before: Floats
    after: Floats
    """Displayed ratings after it, in the order of the snapshot's players; likewise `before`."""
    moved: Longs
    """The players whom an adjustment is about, or for whom an event counted."""
    rank: Ints | None = None
    """Ranks in the order of the snapshot's players; None for an adjustment."""
    sides: int = 0
    adjustment: Adjustment | None = None
    match: tuple[History, Trace] | None = None
    """The event and its trace if it is a match of two sides, so that it can be told with its opponents."""
    start: int = 0
    """Rows of all entries before it, also of those that the journal has dropped; `end` with its own."""
    end: int = 0

    def contribution(self, player: int, system: RatingSystem, names: LatestNames) -> Contribution | None:
        """How this entry changed a player's rating; None if it did not, or did not count for the player."""
        found = np.flatnonzero(self.snapshot.players == player)
        if not len(found) or player not in self.moved:
            return None
        row = found[0]
        return Contribution(
            event=self.name,
            time=to_datetime(self.time),
            rank=None if self.rank is None else int(self.rank[row]),
            sides=self.sides,
            change=float(self.after[row] - self.before[row]),
            before=float(self.before[row]),
            match=self._played(int(row), system, names),
        )

    def remembered(
        self, player: int, system: RatingSystem, names: LatestNames
    ) -> tuple[int, Remembered] | None:
        """The event and its number among the player's rated events; None for adjustments and other events."""
        found = np.flatnonzero(self.snapshot.players == player)
        if self.rank is None or not len(found) or player not in self.moved:
            return None
        row = int(found[0])
        number = int(self.snapshot.columns["events"][row]) + 1
        return number, Remembered(self.name, self.time, int(self.rank[row]), self._played(row, system, names))

    def _played(self, row: int, system: RatingSystem, names: LatestNames) -> PlayedMatch | None:
        return None if self.match is None else names.told(played_matches(system, *self.match, [row])[0])


class Journal:
    """The latest entries: at most `MOST_EVENTS`, and `MOST_ROWS` rows unless a single entry has more."""

    _forgotten: int = 0
    """The changes before the first entry; one in bulk counts once."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._dropped: list[Rename | Merge] = []
        """The renames and merges before the first entry."""

    def __len__(self) -> int:
        return len(self._entries)

    def __reversed__(self) -> Iterator[Entry]:
        """The entries, latest first."""
        return reversed(self._entries)

    @property
    def latest(self) -> Entry | None:
        """The latest entry, if there is one."""
        return self._entries[-1] if self._entries else None

    def append(self, entry: Entry) -> None:
        """Add an entry."""
        entry.start = self._entries[-1].end if self._entries else 0
        entry.end = entry.start + entry.snapshot.rows
        self._entries.append(entry)

    def drop_oldest(self) -> None:
        """Drop the oldest entries if there are too many."""
        entries = self._entries
        while len(entries) > MOST_EVENTS or (
            len(entries) > 1 and entries[-1].end - entries[0].start > MOST_ROWS
        ):
            if (adjustment := entries.popleft().adjustment) is not None:
                self._dropped += name_changes([adjustment])
            self._forgotten += 1

    def remove(self, moment: Moment) -> None:
        """Remove the latest entry if it goes back to this moment."""
        if self._entries and self._entries[-1].moment is moment:
            self._entries.pop()

    def copy(self) -> Journal:
        """An independent journal of the same entries."""
        twin = Journal()
        twin._entries, twin._dropped = self._entries.copy(), self._dropped.copy()
        twin._forgotten = self._forgotten
        return twin

    def after_bulk(self, adjustments: Iterable[Adjustment]) -> Journal:
        """The journal after a change in bulk with these adjustments: no entries, but the names go on."""
        following = Journal()
        following._dropped = self.name_changes + name_changes(adjustments)
        following._forgotten = self.changes + 1
        return following

    @property
    def changes(self) -> int:
        """The number of changes since the ladder was made or loaded; one in bulk counts once."""
        return self._forgotten + len(self._entries)

    def knows_since(self, changes: int) -> bool:
        """Whether each change after so many is still an entry."""
        return self._forgotten <= changes

    def moved_since(self, latest: Entry | None, changes: int) -> Longs | None:
        """The players of all changes since the latest entry was this one; None if that is not known."""
        rows: list[Longs] = []
        for entry in reversed(self._entries):
            if entry is latest:
                break
            rows.append(entry.snapshot.players.astype(np.int64))
        else:
            if latest is not None or self.changes - len(rows) != changes:
                return None
        return np.unique(np.concatenate(rows)) if rows else np.zeros(0, np.int64)

    @property
    def name_changes(self) -> list[Rename | Merge]:
        """All renames and merges since the ladder was made or loaded, in order."""
        return self._dropped + name_changes(entry.adjustment for entry in self._entries)

    def contributions(self, player: int, name: str, system: RatingSystem) -> tuple[Contribution, ...]:
        """Every change of the rating of the player who has this index and name now, oldest first."""
        names = LatestNames(name)
        found = [entry.contribution(index, system, names) for entry, index in self._entries_of(player, names)]
        return tuple(part for part in reversed(found) if part is not None)

    def is_from_start(self, player: int) -> bool:
        """Whether no rated event of the player who has this index now lies before the remembered ones."""
        first = None
        for entry, index in self._entries_of(player):
            found = np.flatnonzero(entry.snapshot.players == index)
            first = int(entry.snapshot.columns["events"][found[0]]) if len(found) else first
        return first == 0

    def events_of(self, player: int, name: str, system: RatingSystem) -> dict[int, Remembered]:
        """The remembered events of the player who has this index and name now, by number among their own."""
        names = LatestNames(name)
        found = [entry.remembered(index, system, names) for entry, index in self._entries_of(player, names)]
        return dict(item for item in found if item is not None)

    def _entries_of(self, player: int, names: LatestNames | None = None) -> Iterator[tuple[Entry, int]]:
        """Entries, latest first, each with the index the player had then; `names` are told of each before.

        Going back in time, a renamed player is found under the old name, and a name may change hands.
        """
        for entry in reversed(self._entries):
            if names is not None:
                names.before(entry.adjustment)
            if isinstance(entry.adjustment, (Rename, Merge)):
                old, new = entry.snapshot.players.tolist()
                if player == old:  # the name became free here: whoever had it before is somebody else
                    return
                if player == new and isinstance(entry.adjustment, Rename):
                    player = old
                    continue
            yield entry, player
