"""Whether what is stored of a ladder is what its log says: the whole log is rated again and compared.

Numbers must be equal to the last bit if the same engine computed them. Another version or processor may
differ in the last digits: that is drift. Everything else is damage.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from sqlalchemy import Connection, func, or_, select

import podium
from podium.arrays import NO_TIME
from podium.documents.service_documents import FindingDocument, VerificationDocument
from podium.errors import PodiumError, StateError
from podium.history.ragged import Progress
from podium.history.times import to_iso
from podium.server.correcting.amendments import current_amendments
from podium.server.correcting.generations import (
    first_foreign,
    has_adjustments,
    read_generations,
    usable_checkpoints,
)
from podium.server.jobs.half_imports import half_imports
from podium.server.ladders.followed_ladder import checkpoint_ladder, stored_checkpoint
from podium.server.ladders.numbered_ladder import ChangeRow
from podium.server.log.log_reading import changes_of_piece
from podium.server.log.log_replay import named_ladder, replayed
from podium.server.log.rated_times import times_of_piece
from podium.server.log.server_clock import ServerClock, ladders_ahead
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.engines import engine_description
from podium.server.storage.ladder_rows import LadderRow, find_ladder
from podium.server.tournaments.verified_tournaments import tournament_differences

MOST_FINDINGS = 100
"""Findings that are told one by one; all are counted."""
LARGEST_DRIFT = 1e-6
"""Points by which another version or processor may differ; more is damage whoever computed it."""

FindingKind = Literal["damage", "drift"]


@dataclass(slots=True)
class Findings:
    """What was found so far."""

    damaged: int = 0
    drifted: int = 0
    largest_drift: float = 0.0
    told: list[FindingDocument] = field(default_factory=list)

    def add(
        self,
        kind: FindingKind,
        what: str,
        stored: Any,
        rebuilt: Any,
        *,
        number: int | None = None,
        player: str | None = None,
    ) -> None:
        """Note a difference."""
        self.drifted += kind == "drift"
        self.damaged += kind == "damage"
        if len(self.told) < MOST_FINDINGS:
            self.told.append(
                {
                    "kind": kind,
                    "number": number,
                    "player": player,
                    "what": what,
                    "stored": str(stored),
                    "rebuilt": str(rebuilt),
                }
            )


def verify(
    database: Database, slug: str, clock: ServerClock, *, progress: Progress | None = None
) -> VerificationDocument:
    """Rate a ladder's log again, and compare it with everything that is stored of it. Changes nothing.

    A log that is ahead of the `clock`, has only a part of a file that was imported, amendments that would be
    refused, or late events behind later ones, is no damage, but told. `progress` is called with the number of
    entries compared since the last call.
    """
    with database.reading() as connection:
        row = find_ladder(connection, slug)
        verification = _Verification(connection, row)
        found = verification.run(progress)
        found["warnings"] += [
            f"entry {number} amends entry {target}, which was already void. older versions did not refuse "
            f"that in one request. For entry {target} to count again, void entry {number} too"
            for number, target in verification.amendments.too_late()
        ]
        found["warnings"] += verification.misplaced()
        found["warnings"] += verification.tournament_warnings
        found["warnings"] += half_imports(connection, row)
        found["warnings"] += verification.other_versions()
        found["warnings"] += map(str, ladders_ahead(connection, clock, slug))
        return found


class _Verification:
    """A ladder's log being rated again."""

    def __init__(self, connection: Connection, row: LadderRow) -> None:
        self.connection, self.row = connection, row
        self.found = Findings()
        self.ladder = named_ladder(connection, row)
        engine = tables.engine
        mine = connection.execute(select(engine.c.id).where(engine.c.description == engine_description()))
        self.engine = mine.scalar_one_or_none()
        """The number of the engine that computes here; None if it has never written to this database."""
        self.amendments = current_amendments(connection, row)
        self.late = self.amendments.late_numbers()
        self.first_foreign = self._first_foreign()
        self.checkpoints = dict(
            reversed([(number, generation) for generation, number in usable_checkpoints(connection, row)])
        )
        """By number, the generation of the latest checkpoint there."""
        self.tournament_warnings: list[str] = []
        self.put_off: list[int] = []
        """The late events that are rated later than at their own time."""
        self.has_adjustments = has_adjustments(connection, row)
        """Whether what adjustments did is stored; an older podium did not do so."""

    def run(self, progress: Progress | None) -> VerificationDocument:
        """Compare everything."""
        found, row = self.found, self.row
        rows = 0
        try:
            pieces = replayed(
                self.connection,
                row,
                self.ladder,
                self.amendments,
                stops=set(self.checkpoints),
                progress=progress,
            )
            for piece, rebuilt, times in pieces:
                stored = changes_of_piece(self.connection, row, piece, self.late)
                self._compare_rows(stored, rebuilt)
                if self.amendments.own_times:  # older versions have stored no others than those of the log
                    self._compare_times(times_of_piece(self.connection, row, piece), times)
                self.put_off += (one for one in piece.late if times[one] > self.amendments.position(one).time)
                rows += len(rebuilt)
                if piece.last in self.checkpoints:
                    self._compare_checkpoint(piece.last)
        except PodiumError as error:
            found.add("damage", "the log", error.reason, "a log that can be rated")
        else:
            self._compare_counts()
            for what, there, due in tournament_differences(
                self.connection, row, self.ladder, self.tournament_warnings
            ):
                found.add("damage", what, there, due)
        return {
            "slug": row.slug,
            "generation": row.generation,
            "head": row.head,
            "rows": rows,
            "checkpoints": len(self.checkpoints),
            "clean": not found.damaged,
            "damaged": found.damaged,
            "drifted": found.drifted,
            "largest_drift": found.largest_drift,
            "findings": found.told,
            "warnings": [],
        }

    def other_versions(self) -> list[str]:
        """What to know of damage if another version of podium rated some entries: its numbers may differ."""
        if not self.found.damaged or self.first_foreign is None:
            return []
        described = self.connection.execute(select(tables.engine.c.description)).scalars()
        versions = sorted({one.partition(",")[0] for one in described} - {f"podium {podium.__version__}"})
        return [
            f"entries from {self.first_foreign} on may have been rated by {version}, and this is "
            f"{podium.__version__}: new versions may compute other numbers. podium rebuild replaces them"
            for version in versions
        ]

    def misplaced(self) -> list[str]:
        """What to know of late events that older versions have put behind something later.

        What began to count afterwards, or got another time, is no reason: a place is chosen once.
        """
        told = []
        for number in self.put_off:
            time = to_iso(self.amendments.position(number).time)
            if (before := self._later_before(number)) is not None:
                told.append(
                    f"entry {number} was reported late for {time}, but it is rated behind entry {before}, "
                    "which is later. older versions could put it there. To put it in its place, void "
                    f"entry {number} and report the event again"
                )
        return told

    def _later_before(self, number: int) -> int | None:
        """An entry that is rated before a late event, was so when that was reported, and is later."""
        table, mine = tables.event, self.amendments.position(number)
        then = self.amendments.up_to(number - 1, own_times=True)
        corrected = select(table.c.target).where(table.c.ladder == self.row.id, table.c.target.is_not(None))
        may_be_later = or_(
            func.coalesce(table.c.occurred, table.c.received) > mine.time, table.c.seq.in_(corrected)
        )
        ordinary = select(table).where(table.c.ladder == self.row.id, table.c.seq <= mine.place, may_be_later)
        ordinary = ordinary.where(table.c.place.is_(None), table.c.target.is_(None)).order_by(table.c.seq)
        name_of = self.ladder.name_of
        for stored in self.connection.execute(ordinary):
            if then.restored_time(stored, name_of) > mine.time and then.counts(stored, name_of):
                return int(stored.seq)
        late = then.late_behind_and_after(0, mine.time)
        numbers = (one.number for one in late if then.counts(one.stored, name_of))
        return next((one for one in numbers if then.position(one) < mine), None)

    def _compare_rows(self, stored: list[ChangeRow], rebuilt: list[ChangeRow]) -> None:
        """Compare what some entries did with what is stored of them."""
        if sorted(stored) == sorted(rebuilt):  # as nearly always
            return
        there = {(change.seq, change.player): change for change in stored}
        for change in rebuilt:
            old = there.pop((change.seq, change.player), None)
            if old is None and not change.is_result and not self.has_adjustments:
                continue
            if old != change:
                self._compare_change(old, change)
        for change in there.values():
            name = self._name(change.player)
            self.found.add("damage", "a change", change, None, number=change.seq, player=name)

    def _compare_times(self, stored: dict[int, int], rebuilt: dict[int, int]) -> None:
        """Compare when some entries are rated with what is stored of it."""
        for number, time in rebuilt.items():
            if stored[number] != time:
                self.found.add("damage", "rated_time", _shown(stored[number]), _shown(time), number=number)

    def _compare_change(self, old: ChangeRow | None, new: ChangeRow) -> None:
        name = self._name(new.player)
        if old is None:
            self.found.add("damage", "a change", None, new, number=new.seq, player=name)
            return
        for what, stored, rebuilt in zip(ChangeRow._fields, old, new, strict=True):
            if what == "draw" and stored is None:  # an older podium did not store it
                continue
            if stored != rebuilt:
                kind = self._kind(stored, rebuilt, new.seq)
                self.found.add(kind, what, stored, rebuilt, number=new.seq, player=name)

    def _name(self, player: int) -> str:
        """What a player is called; a damaged row may name a number that nobody has."""
        known = 0 <= player < len(self.ladder.players)
        return self.ladder.name_of(player) if known else f"player number {player}"

    def _kind(self, stored: Any, rebuilt: Any, number: int) -> FindingKind:
        if self._is_own(number) or not isinstance(stored, float) or not isinstance(rebuilt, float):
            return "damage"
        difference = abs(stored - rebuilt)
        if not difference <= LARGEST_DRIFT:
            return "damage"
        self.found.largest_drift = max(self.found.largest_drift, difference)
        return "drift"

    def _is_own(self, number: int) -> bool:
        """Whether what an entry did was computed here all the way from the first entry on."""
        return self.first_foreign is None or self.amendments.position(number).place < self.first_foreign

    def _first_foreign(self) -> int | None:
        """The first entry that another engine may have rated; None if there is none.

        What was rated later goes on from its numbers, whoever rated it.
        """
        if self.engine is None:
            return 0
        table = tables.event
        others = (table.c.ladder == self.row.id, table.c.engine != self.engine)
        rated = self.connection.execute(select(table.c.seq).where(*others).order_by(table.c.seq)).scalars()
        generations = read_generations(self.connection, self.row.id)
        return first_foreign(generations, self.row.generation, self.engine, list(rated))

    def _compare_checkpoint(self, number: int) -> None:
        checkpoint = stored_checkpoint(self.connection, self.row, self.checkpoints[number], number)
        try:
            saved = checkpoint_ladder(checkpoint)
        except StateError as error:
            self.found.add("damage", "the checkpoint", error.reason, "a whole one", number=number)
            return
        mine, theirs = self.ladder.state, saved.state
        known = theirs.size
        twin = mine.take(np.arange(known))
        counts = (saved.n_events, saved.last_time), (self.ladder.n_events, self.ladder.last_time)
        if twin == theirs and counts[0] == counts[1]:
            return
        drift = _largest_difference(twin.to_arrays(), theirs.to_arrays())
        is_own = checkpoint.engine == self.engine and self._is_own(number)
        is_drift = not is_own and drift <= LARGEST_DRIFT and counts[0] == counts[1]
        if is_drift:
            self.found.largest_drift = max(self.found.largest_drift, drift)
        what = f"a state that differs by {drift:g}"
        self.found.add("drift" if is_drift else "damage", "the checkpoint", what, "the log's", number=number)

    def _compare_counts(self) -> None:
        """Compare the ladder's row, and that nothing is stored beyond its head."""
        row, ladder = self.row, self.ladder
        last_time = ladder.last_time
        for what, stored, rebuilt in (
            ("events", row.events, ladder.n_events),
            ("players", row.players, len(ladder)),
            ("last_time", _shown(row.last_time), _shown(last_time)),
            ("pending", row.pending, len(self.amendments.between(self.amendments.to, row.head))),
        ):
            if stored != rebuilt:
                self.found.add("damage", what, stored, rebuilt)
        for table in (tables.event, tables.change, tables.entry_time):
            query = select(func.count()).where(table.c.ladder == row.id, table.c.seq > row.head)
            if beyond := self.connection.execute(query).scalar_one():
                self.found.add("damage", f"rows of {table.name} after the end of the log", beyond, 0)


def _shown(micros: int) -> int | None:
    return None if micros == NO_TIME else micros


def _largest_difference(mine: dict[str, Any], theirs: dict[str, Any]) -> float:
    """By how much numbers of two states differ; infinite if they are not laid out alike."""
    largest = 0.0
    for name, array in mine.items():
        other = theirs.get(name)
        if other is None or other.shape != array.shape or other.dtype != array.dtype:
            return float("inf")
        if array.dtype.kind == "f":
            with np.errstate(invalid="ignore"):
                differences = np.abs(array - other)
            largest = max(largest, float(np.nanmax(differences, initial=0.0)))
        elif not np.array_equal(array, other):
            return float("inf")
    return largest
