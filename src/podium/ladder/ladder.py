"""A ladder: a system, its state and the players' names together; the online object."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from io import BytesIO
from typing import IO, Any, TypeVar

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import InputError, OrderError, ParameterError
from podium.files.kinds import PathLike
from podium.history import (
    Adjustment,
    Event,
    History,
    HistoryLike,
    Names,
    Reset,
    history_meant,
)
from podium.history.adjustments import OF_KNOWN_PLAYERS
from podium.history.history import history_of_values
from podium.history.key_numbers import Hashes
from podium.history.ragged import Progress
from podium.history.times import Time, to_iso, to_micros
from podium.ladder.comparing_players import Comparing
from podium.ladder.journal import MOST_EVENTS, Bulk, Entry, Journal, Moment, TouchedRows
from podium.ladder.ladder_log import CHECKPOINT_ROWS, is_log, open_log, read_log
from podium.ladder.late_events import Late, as_rated, check_late
from podium.ladder.locking import Lockable, changing, locked
from podium.ladder.logged import Logged
from podium.ladder.name_changes import NameChange, renamed, taken_back
from podium.ladder.previews import Previewing, changes_of
from podium.ladder.recorded_keys import Keys, Recorded, check_key
from podium.ladder.repeats import Repeats
from podium.ladder.saving import Saved, latest_known, read_saved, write_saved
from podium.systems import State, System, hinting_at_others, system_meant
from podium.systems.contract.ratings import AdjustedRatings, Changes, Trace, ratings_now
from podium.text import counted, shorten

Answer = TypeVar("Answer")


class Ladder(Comparing, Previewing, Logged):
    """A ladder rates results as they come in.

    Several threads may use one ladder: each call has it alone. An error or an interrupt (Ctrl-C) in the
    middle of a call leaves the ladder as it was before the call, or as it is after it.

    Args:
        system: A system or its name. Default: the preset `matches`.

    >>> from podium import Elo, Ladder
    >>> ladder = Ladder(Elo())
    >>> changes = ladder.record(ranks={"ann": 1, "bob": 2, "cat": 2})
    >>> [(change.player, round(change.gain, 1)) for change in changes]
    [('ann', 16.0), ('bob', -8.0), ('cat', -8.0)]
    >>> ladder.undo()
    >>> len(ladder)
    0
    """

    def __init__(self, system: System | None = None) -> None:
        super().__init__()
        self.system = system_meant(system)
        self.state: State = self.system.new_state()
        self.players = Names()
        self.last_time = NO_TIME
        """The time of the latest event or adjustment."""
        self.last_event_time = NO_TIME
        """The time of the latest event that counted for a player: durations count back from it."""
        self.n_events = 0
        """Events rated so far, without adjustments."""
        self._journal = Journal()
        self._repeats = Repeats()
        self._keys = Keys()
        self._name_change = NameChange()
        """The last rename or merge."""

    @locked
    def __len__(self) -> int:
        """The number of players."""
        return int(np.count_nonzero(self.state.column("known")))

    def __bool__(self) -> bool:
        return True  # a ladder is something, also before its first player

    @locked
    def __contains__(self, player: object) -> bool:
        if not isinstance(player, (str, int)):
            return False
        index = self.players.find(self.players.meant(player))
        return index is not None and bool(self.state["known"][index])

    @locked
    def __repr__(self) -> str:
        players, events = counted(len(self), "player"), counted(self.n_events, "event")
        return f"<Ladder: {self.system.label}, {players}, {events}>"

    def _repr_html_(self) -> str:
        from podium.ladder.rating_tables import board_html

        return board_html(repr(self), self.leaderboard())

    # ------------------------------------------------------------------ recording

    def record(
        self,
        *,
        ranks: Mapping[str, int] | Sequence[int] | None = None,
        scores: Mapping[str, float] | Sequence[float] | None = None,
        teams: Sequence[Collection[str]] | None = None,
        share: float | None = None,
        lower_is_better: bool = False,
        time: Time | None = None,
        weight: float = 1.0,
        home: str | None = None,
        unrated: Iterable[str] = (),
        play: Mapping[str, float] | None = None,
        ceiling: float | None = None,
        name: str | None = None,
        allow_repeat: bool = False,
        late: Late = "refuse",
        key: str | None = None,
    ) -> Changes:
        """Rate one event: ranks (1 is best) or scores (higher is better), by player or by team.

        `home` is the player, or a member of the team, with home advantage. `unrated` players count as
        opponents and keep their rating. `share` is the part of the point of the better placed of two players,
        or of the first of two teams. `play` is each player's part of the event, if they did not take part in
        all of it. An event with a `name` that was rated at the same `time` already is refused unless
        `allow_repeat`. `late` is for an event earlier than the last one: "refuse" it, "insert" it at its own
        time and rate all later events again, which needs a log, or rate it at the time of the "last" event.
        `key` is an idempotency key, such as the match's number. The same key with the
        same content is recorded once and always gives the same answer. With other content it is a
        `KeyConflictError`. A known key is answered before anything else is checked. Returns the changes.
        """
        event = Event.of(
            ranks=ranks,
            scores=scores,
            teams=teams,
            share=share,
            lower_is_better=lower_is_better,
            time=time,
            weight=weight,
            home=home,
            unrated=unrated,
            play=play,
            ceiling=ceiling,
            name=name,
        )
        return self.record_event(event, allow_repeat=allow_repeat, late=late, key=key)

    def record_match(
        self,
        winner: str,
        loser: str,
        *,
        draw: bool = False,
        time: Time | None = None,
        weight: float = 1.0,
        home: str | None = None,
        name: str | None = None,
        allow_repeat: bool = False,
        late: Late = "refuse",
        key: str | None = None,
    ) -> Changes:
        """Rate a match of two players. `key` and `late` are as in `record`."""
        event = Event.of_match(winner, loser, draw=draw, time=time, weight=weight, home=home, name=name)
        return self.record_event(event, allow_repeat=allow_repeat, late=late, key=key)

    def record_event(
        self,
        event: Event,
        *,
        allow_repeat: bool = False,
        late: Late = "refuse",
        key: str | None = None,
    ) -> Changes:
        """Rate one event. If it is refused, nothing changes. `key` and `late` are as in `record`."""
        check_late(late)
        event = event.tidied()
        if self._log is None and late != "insert":
            return self._rate_event(event, allow_repeat=allow_repeat, late=late, key=key)
        return self._opened().record(event, allow_repeat=allow_repeat, late=late, key=key)

    @changing
    def _rate_event(
        self,
        event: Event,
        *,
        allow_repeat: bool,
        late: Late = "refuse",
        key: str | None = None,
        number: int | None = None,
    ) -> Changes:
        """Rate one event, called by its `number` in a log if it has no name."""
        if (known := self._known_answer(key, event, event.time)) is not None:
            return known
        reported, event = event, as_rated(event, late, self.last_time)
        identity = None
        if event.named and event.name is not None:
            identity = self._repeats.check_event(event.name, event.time, allow=allow_repeat)
        self._check_order(event.time, event.name)
        moment = self._moment(identity)
        self._unfinished = moment
        history = history_of_values((event,), self.players)
        self.state.grow(len(self.players))
        moment.snapshot = snapshot = self.state.snapshot(history.player)
        with hinting_at_others():
            trace = self.system.update(self.state, history)
        before, after = self._displayed(trace)
        changes = changes_of(history, trace, before, after)
        if identity is not None:
            self._repeats.hashes.add(identity)
        self._journal.append(
            Entry(
                name=event.name or str(number or self.n_events + 1),
                time=event.time,
                moment=moment,
                snapshot=snapshot,
                before=before,
                after=after,
                rank=history.rank,
                sides=len(event.sides),
                moved=history.player[trace.rated].astype(np.int64),
                match=(history, trace) if len(event.sides) == 2 else None,
            )
        )
        if key is not None:
            self._keep_key(moment, key, Recorded(reported, reported.time, changes))
        self._finish(moment, event.time, self.n_events + 1, history.last_event_time)
        return changes

    def _known_answer(self, key: str | None, content: Event | Adjustment, time: int) -> Changes | None:
        """The answer that a call with this key got before; None if the key is free."""
        if key is None:
            return None
        check_key(key)
        recorded = self._keys.find(key)
        return None if recorded is None else recorded.answer_to(key, content, time)

    def _keep_key(self, moment: Moment, key: str, recorded: Recorded) -> None:
        moment.key = key
        self._keys.add(key, recorded)

    def adjust(self, adjustment: Adjustment, *, time: Time | None = None, key: str | None = None) -> Changes:
        """Set a rating, anchor, release, reset, rename or merge. Returns the changes, which have no rank.

        `undo` takes it back like an event. Without a time it happens when the latest event did. `key` is as
        in `record`.
        """
        adjustment, micros = adjustment.tidied(), to_micros(time)
        if self._log is not None:
            return self._log.adjust(adjustment, micros, key=key)
        return self._adjust_once(adjustment, micros, key)

    @changing
    def _adjust_once(self, adjustment: Adjustment, micros: int, key: str | None) -> Changes:
        if (known := self._known_answer(key, adjustment, micros)) is not None:
            return known
        return self._apply_adjustment(adjustment, micros, key=key).changes(self.players)

    @changing
    def _apply_adjustment(
        self, adjustment: Adjustment, micros: int, since: int = NO_TIME, key: str | None = None
    ) -> AdjustedRatings:
        """Adjust ratings at a time; a rating that is set may be one of an earlier time, `since` then."""
        self._check_order(micros, adjustment.kind)
        since = max(micros, self.last_time) if since == NO_TIME else since
        if isinstance(adjustment, OF_KNOWN_PLAYERS):
            self._known(adjustment.player)
        moment = self._moment()
        self._unfinished = moment
        touched = self.players.add_all(adjustment.players)
        self.state.grow(len(self.players))
        if isinstance(adjustment, Reset):
            touched = np.arange(self.state.size, dtype=np.int32)
        moment.snapshot = snapshot = self.state.snapshot(touched)
        before = ratings_now(self.system, self.state, touched)
        self.system.adjust(self.state, adjustment, self.players, since)
        after = ratings_now(self.system, self.state, touched)
        adjusted = AdjustedRatings(touched.astype(np.int64), before, after).chosen(adjustment)
        self._journal.append(
            Entry(
                name=adjustment.describe(),
                time=micros,
                moment=moment,
                snapshot=snapshot,
                before=before.display,
                after=after.display,
                adjustment=adjustment,
                moved=adjusted.players,
            )
        )
        self._name_change = self._name_change.then(renamed([adjustment]))
        if key is not None:
            self._keep_key(moment, key, Recorded(adjustment, micros, adjusted.changes(self.players)))
        self._finish(moment, micros, self.n_events)
        return adjusted

    def undo(self) -> None:
        """Take back the last event or adjustment exactly, as if it had never been recorded."""
        if self._log is None:
            self._undo_latest()
        else:
            self._log.undo()

    @changing
    def _undo_latest(self) -> None:
        latest = self._journal.latest
        if latest is None:
            raise InputError(
                "there is nothing to undo",
                hint=f"undo takes back at most the last {MOST_EVENTS:,} events, and only those recorded "
                "one by one since loading",
            )
        self._save_all_in_bulk()
        moment = latest.moment
        moment.around = self._unfinished
        if latest.adjustment is not None:
            known = dict(zip(latest.adjustment.players, latest.snapshot.columns["known"], strict=False))
            undone = taken_back([latest.adjustment], lambda name: bool(known[name]))
            moment.name_change = self._name_change.then(undone)
        else:
            moment.name_change = self._name_change
        self._unfinished = moment
        self._take_back()

    def _moment(self, identity: int | None = None) -> Moment:
        """The ladder now, to go back to."""
        self._save_all_in_bulk()
        numbers = len(self.players), self.n_events, self.last_time, self.last_event_time
        return Moment(*numbers, self._unfinished, self._name_change, identity)

    def _save_all_in_bulk(self) -> None:
        """Before a change inside of a change in bulk: that may then have touched anybody."""
        if self._unfinished is not None and self._unfinished.bulk is not None:
            self._unfinished.bulk.touched.save_all(self.state)

    def _finish(self, moment: Moment, time: int, n_events: int, event_time: int = NO_TIME) -> None:
        """Let the change since a moment count: from its one line of assignments on, nothing takes it back."""
        last_time, event_time = max(self.last_time, time), max(self.last_event_time, event_time)
        self.last_time, self.last_event_time, self.n_events, self._unfinished = (
            last_time,
            event_time,
            n_events,
            moment.around,
        )
        moment.around = None  # or the journal would keep the whole state before each larger change
        self._journal.drop_oldest()

    def _take_back(self) -> None:
        moment = self._unfinished
        assert moment is not None
        if (bulk := moment.bulk) is not None:
            state = bulk.touched.restored(self.state)
            self.state, self._journal, self._repeats = state, bulk.journal, bulk.repeats
        if moment.snapshot is not None:
            self.state.restore(moment.snapshot)
        self.state.shrink(min(self.state.size, moment.n_names))
        self.players.truncate(moment.n_names)
        if moment.identity is not None:
            self._repeats.hashes.discard(moment.identity)
        if moment.key is not None:
            self._keys.free(moment.key)
        self._journal.remove(moment)
        self._name_change = moment.name_change
        self.last_time, self.last_event_time, self.n_events, self._unfinished = (
            moment.last_time,
            moment.last_event_time,
            moment.n_events,
            moment.around,
        )

    def _check_order(self, time: int, what: str | None) -> None:
        if time != NO_TIME and time < self.last_time:
            name = "" if what is None else f" {shorten(what)!r}"
            raise OrderError(
                f"the event{name} of {to_iso(time)} is earlier than the ladder's last event of "
                f"{to_iso(self.last_time)}",
                hint="undo the later events first, or rate the corrected history again"
                if self._log is None
                else 'late="insert" puts the event in its place and rates the later events again',
            )

    # ------------------------------------------------------------------ recording in bulk

    def update(
        self,
        history: HistoryLike,
        *,
        trace: bool = False,
        allow_repeat: bool = False,
        progress: Progress | None = None,
    ) -> Trace:
        """Rate a whole history after the results so far. If it is refused, nothing changes. No undo.

        A named event that was rated at the same time already, or a file with the same content, is refused
        unless `allow_repeat`. `progress` is called with the number of rows done since the last call.
        """
        given = history_meant(history, "update")
        if self._log is not None:
            return self._log.update(given, trace=trace, allow_repeat=allow_repeat, progress=progress)

        def rate_given() -> Trace:
            self._note_files(given, allow_repeat=allow_repeat)
            return self._rate_piece(given, trace=trace, allow_repeat=allow_repeat, progress=progress)

        return self._all_or_nothing(rate_given)

    def _note_files(self, history: History, *, allow_repeat: bool) -> None:
        """Remember the files a history was read from; one that was rated already is refused."""
        self._repeats.add_files(history.readings, allow=allow_repeat)

    def _rate_piece(
        self, history: History, *, trace: bool, allow_repeat: bool, progress: Progress | None = None
    ) -> Trace:
        """Like `update`, but a history that is refused half-way stays half rated, and files do not matter."""
        identities = self._check_piece(history, allow_repeat=allow_repeat)
        history = history.with_players(self.players)
        if self._unfinished is not None and self._unfinished.bulk is not None:
            self._unfinished.bulk.touched.save(self.state, history)
        with hinting_at_others():
            result = self.system.update(self.state, history, trace=trace, progress=progress)
        adjustments = [placed.adjustment for placed in history.adjustments]
        self._journal = self._journal.after_bulk(adjustments)
        self._name_change = self._name_change.then(renamed(adjustments))
        self._repeats.hashes.add_all(identities)
        self.last_time = max(self.last_time, history.last_time)
        self.last_event_time = max(self.last_event_time, history.last_event_time)
        self.n_events += len(history)
        return result

    def _check_piece(self, history: History, *, allow_repeat: bool) -> Hashes:
        """Refuse events that are rated already or come too late; returns the hashes to remember."""
        identities = self._repeats.check_events(history, allow=allow_repeat)
        starts = [p.time for p in history.adjustments[:1] if p.before == 0] + history.time[:1].tolist()
        for start in starts:
            self._check_order(start, history.event_name(0) if len(history) else None)
        return identities

    @changing
    def _all_or_nothing(self, change: Callable[[], Answer]) -> Answer:
        """Change the ladder in bulk; if that fails or is interrupted, the ladder is as it was before."""
        moment = self._moment()
        touched = TouchedRows(self.state, self.system.rewritten_terms)
        moment.bulk = Bulk(touched, self._journal.copy(), self._repeats.copy())
        self._unfinished = moment
        answer = change()
        self._unfinished = moment.around
        return answer

    # ------------------------------------------------------------------ keeping

    @locked
    def copy(self) -> Ladder:
        """An independent ladder that continues from the same results.

        It cannot undo events from before the copy.
        """
        twin = Ladder(self.system)
        twin.players, twin.state = Names(self.players), self.state.copy()
        twin.last_time, twin.last_event_time = self.last_time, self.last_event_time
        twin.n_events, twin._repeats, twin._keys = self.n_events, self._repeats.copy(), self._keys.copy()
        return twin

    @locked
    def _continue_as(self, other: Ladder, name_change: NameChange) -> None:
        """Hold what another ladder holds, which is not used any more; `name_change` leads there from here."""
        self.state, self.players, self._journal, self._repeats = (
            other.state,
            other.players,
            other._journal,
            other._repeats,
        )
        self.last_time, self.last_event_time, self.n_events = (
            other.last_time,
            other.last_event_time,
            other.n_events,
        )
        self._name_change = name_change

    @locked
    def save(self, path: PathLike | IO[bytes]) -> None:
        """Write the ladder to a file, atomically: a crash leaves either the old file or the new one.

        `path` may also be a file that is open for writing bytes, which is written piece by piece.

        If the process is killed while writing, a hidden file ``.NAME.….tmp`` may remain, which can be
        deleted. A registered function among the parameters is saved by its name.
        """
        times = self.last_time, self.last_event_time
        rated = self._repeats.hashes
        write_saved(
            path, Saved(self.system, self.players, self.state, *times, self.n_events, rated, self._keys)
        )

    @locked
    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, copied: other threads may go on while it is pickled."""
        kept = {name: value for name, value in vars(self).items() if name not in vars(Lockable())}
        copies = {"state": self.state.copy(), "players": Names(self.players)}
        kept |= {"_keys": self._keys.copy()}
        return kept | copies | {"_journal": self._journal.copy(), "_repeats": self._repeats.copy()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__init__()
        self._name_change, self._keys = NameChange(), Keys()
        vars(self).update({"last_event_time": latest_known(kept["state"])} | kept)

    @classmethod
    def load(
        cls, path: PathLike | IO[bytes], *, system: System | None = None, at: Time | None = None
    ) -> Ladder:
        """Read a saved ladder, which continues as if it had never stopped.

        It cannot undo events from before it was saved.

        `path` may also be a file that is open for reading bytes, which is read to its end. It may be the
        folder of a log (`Ladder.open`), also while another process writes to it. If `system` is given, a file
        with another system or other parameters is refused. Only parameters of the display, such as
        `display_k`, may differ. Functions in `system` need not be registered. With `at` it is the ladder of
        that time, as in `Ladder.at`: any time for a log, none before the last event for a file.
        """
        if isinstance(path, (str, os.PathLike)) and is_log(path):
            return read_log(cls, path, system, None if at is None else to_micros(at))
        saved = read_saved(path, None if system is None else system_meant(system))
        ladder = cls(saved.system)
        ladder.players = saved.players
        ladder.state, ladder.n_events = saved.state, saved.n_events
        ladder.last_time, ladder.last_event_time = saved.last_time, saved.last_event_time
        ladder._repeats, ladder._keys = Repeats(saved.rated), saved.keys
        return ladder if at is None else ladder.at(at)

    @classmethod
    def open(
        cls,
        path: PathLike,
        *,
        system: System | None = None,
        start: Ladder | None = None,
        sync: bool = True,
        checkpoint_rows: int = CHECKPOINT_ROWS,
    ) -> Ladder:
        """Open a ladder that lives in a folder. Each recorded event is on the disk when the call returns.

        If there is no such folder yet, a log begins there, empty or with the results of the ladder `start`.
        Only one process can have it open. Without `sync` a power failure may lose the latest events, which a
        killed process does not. After each `checkpoint_rows` rows the ladder is saved in the background.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder, Ladder.open(folder, system="elo") as ladder:
        ...     number = ladder.record_match("ann", "bob").number
        ...     _ = ladder.record_match("bob", "cat")
        ...     ladder.void(number)
        ...     "ann" in ladder
        False
        """
        return open_log(cls, path, system, start=start, sync=sync, checkpoint_rows=checkpoint_rows)

    @locked
    def to_bytes(self) -> bytes:
        """What `save` would write: to keep a ladder in a database, or to send it.

        >>> ladder = Ladder("elo")
        >>> _ = ladder.record_match("ann", "bob")
        >>> Ladder.from_bytes(ladder.to_bytes()).rating("ann") == ladder.rating("ann")
        True
        """
        content = BytesIO()
        self.save(content)
        return content.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, *, system: System | None = None) -> Ladder:
        """The ladder that `to_bytes` wrote, with the checks of `load`."""
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise ParameterError(
                f"a ladder is read from bytes, not from {type(content).__name__}",
                hint="Ladder.load reads a file",
            )
        return cls.load(BytesIO(content), system=system)
