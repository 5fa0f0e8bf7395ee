"""What becomes of a report: everything that reaches the log goes through here.

Reports for one ladder that arrive together are one transaction: lock the ladder's row; settle keys; follow
what others appended; rate; advance the head by the number accepted; insert; commit; answer. If a commit
fails, or nobody knows whether it did, the ladder is dropped from memory and loaded again, and the same
reports are tried once more: their keys settle what happened. Amendments are tried on a copy of the ladder,
as they may take long: others read it meanwhile.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from sqlalchemy import Connection, bindparam, text, update
from sqlalchemy.exc import DBAPIError

from podium.arrays import NO_TIME
from podium.documents.service_documents import ReportStatus
from podium.errors import PodiumError
from podium.history import Event
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.rights import LOCAL
from podium.server.correcting.amending import Amending, check_independent, is_plain_amendment
from podium.server.correcting.amendments import amendment_of
from podium.server.correcting.near_amendments import Near, rerate_near
from podium.server.correcting.rerating_jobs import enqueue_rerating
from podium.server.ladders.followed_ladder import BuiltAnewError, FollowedLadder
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.numbered_ladder import ChangeRow, NumberedLadder
from podium.server.log.bookmarks import Bookmark, bookmark_of, last_bookmark
from podium.server.log.log_entries import (
    LogEntry,
    StoredRow,
    planned_entries,
    stored_row,
)
from podium.server.log.log_reading import changes_of_matches, in_order_of, stored_entries
from podium.server.log.report_differences import report_differences
from podium.server.log.reports import Report
from podium.server.log.server_clock import AheadLadder, ServerClock
from podium.server.log.submissions import Outcome, Submission, pieces_of, up_to_renames
from podium.server.operations.service_logs import LOGGER
from podium.server.problems import KeyConflictError, NotRecordedError, UnavailableError
from podium.server.storage import tables
from podium.server.storage.database import Database, refusal
from podium.server.storage.engines import engine_number
from podium.server.storage.inserting import insert_changes, insert_events, insert_players
from podium.server.storage.ladder_rows import LadderRow, find_ladder

KEYS_AT_ONCE = 500
"""Keys that are looked up by one query."""
_KNOWN_KEYS = {
    # Both would read the whole log of a ladder if they were not led to the index.
    "sqlite": text(
        "SELECT key, seq, fingerprint FROM event INDEXED BY event_key WHERE ladder = :ladder AND key IN :keys"
    ).bindparams(bindparam("keys", expanding=True)),
    "postgresql": text(
        "SELECT wanted.key, found.seq, found.fingerprint FROM unnest(CAST(:keys AS text[])) AS wanted (key), "
        "LATERAL (SELECT seq, fingerprint FROM event WHERE ladder = :ladder AND key = wanted.key LIMIT 1) "
        "AS found"
    ),
}
_ADVANCE = (
    update(tables.ladder)
    .where(tables.ladder.c.id == bindparam("wanted"))
    .values({name: bindparam(name) for name in ("head", "events", "players", "last_time", "pending")})
)


class Appender:
    """Appends to the logs of a database."""

    def __init__(
        self, database: Database, ladders: LoadedLadders, clock_tolerance: float | None = None
    ) -> None:
        self._database, self._ladders, self._tolerance = database, ladders, clock_tolerance
        self._engine: int | None = None
        self._ahead: set[str] = set()
        """Ladders of which the log says that they are ahead of the clock."""

    def append(self, slug: str, submissions: Sequence[Submission]) -> LadderRow:
        """Record what these submissions report, and write what became of it into them.

        Returns the ladder as it is afterwards. What was refused is in the outcomes; an error is raised if
        nothing could be recorded for a reason that has nothing to do with the reports. It takes one
        transaction, or several where reports have to see what amendments before them have made of the log.
        """
        pieces = [piece for submission in submissions for piece in pieces_of(submission)]
        row, done = self._append_some(slug, pieces)
        while done < len(pieces):
            try:
                row, more = self._append_some(slug, pieces[done:])
            except Exception as error:
                LOGGER.exception("after some of the reports to %r were recorded", slug)
                raise UnavailableError(
                    "some of the reports were recorded before the service failed",
                    hint="send the same reports with the same keys again (none is recorded twice)",
                    is_uncertain=True,
                ) from error
            done += more
        rest = iter(pieces)
        for submission in submissions:
            parts = [next(rest) for _ in pieces_of(submission)]
            submission.outcomes = [outcome for part in parts for outcome in part.outcomes]
        return row

    def _append_some(self, slug: str, submissions: Sequence[Submission]) -> tuple[LadderRow, int]:
        """Record the first of these submissions, as many as one transaction can: the ladder, and how many."""
        is_first = True
        while True:
            try:
                return self._append_once(slug, submissions, is_first=is_first)
            except BuiltAnewError:  # which happens once: it was dropped, and is loaded as it was built
                self._engine = None  # if an older backup was restored, its row may be gone
            except DBAPIError as error:
                self._ladders.drop(slug)
                refused = refusal(error)
                if refused is None:
                    raise
                if not is_first or not refused.is_uncertain:
                    raise refused from error
                is_first = False

    def _append_once(
        self, slug: str, submissions: Sequence[Submission], *, is_first: bool
    ) -> tuple[LadderRow, int]:
        for submission in submissions:
            submission.outcomes = []
        self._ladders.load(slug)  # before others wait for its row
        with self._database.turn(), ExitStack() as held:
            changes = False
            try:
                with self._database.writing() as connection:
                    known = self._ladders.find(slug)
                    system = None if known is None else known.row.system
                    row = find_ladder(connection, slug, lock=True, system=system)
                    # Whoever reads in this process goes on until here, however long others had the row.
                    live = held.enter_context(self._ladders.held(slug))
                    self._ladders.follow(live, connection, row)
                    submissions = up_to_renames(connection, submissions)
                    if not submissions:
                        return live.row, 1
                    changes = not any(submission.amends for submission in submissions)
                    if changes:
                        live.version += 1
                    else:
                        held.close()
                        live = live.twin()  # as long as the row is locked, nobody changes it
                    clock = ServerClock(machine.now_micros(), self._tolerance)
                    work = _Work(connection, live, self._engine_number(connection), clock)
                    work.settle_keys(submissions, look_for_all=not is_first)
                    done = work.rate(submissions)
                    work.write()
                    work.amend()
                    if (near := work.near) is not None:
                        held.enter_context(self._ladders.switching(near.live, near.generation))
            except BaseException:
                if changes:
                    self._ladders.drop(slug)  # what is in memory may be ahead of what is stored
                raise
            self._engine = work.engine  # its row is there for certain now
            self._notice(AheadLadder(slug, work.ladder.last_time, clock))
            for submission in submissions[:done]:
                work.finish(submission.outcomes)
            if near is not None:
                return near.live.row, done
            live.advanced(work.last, work.pending)
            return live.row, done

    def _notice(self, found: AheadLadder) -> None:
        """Warn of a ladder that is ahead of the clock, once."""
        if not found.clock.is_ahead(found.time):
            self._ahead.discard(found.slug)
        elif found.slug not in self._ahead:
            self._ahead.add(found.slug)
            LOGGER.warning("%s", found)

    def _engine_number(self, connection: Connection) -> int:
        return engine_number(connection) if self._engine is None else self._engine


class _Work:
    """One transaction of one ladder."""

    def __init__(self, connection: Connection, live: FollowedLadder, engine: int, clock: ServerClock) -> None:
        self.connection, self.live, self.engine, self.clock = connection, live, engine, clock
        self.head = live.head
        self.players = len(live.ladder.players)
        self.known: dict[str, tuple[int, bytes]] = {}
        """The number and the fingerprint of what is logged under a key."""
        self.entries: list[LogEntry] = []
        self.logged: dict[int, LogEntry] = {}
        """What is logged under known keys, those of this transaction included, by number."""
        self.logged_changes: dict[int, list[ChangeRow]] = {}
        self.stored: dict[int, StoredRow] = {}
        """The row of the log that each entry becomes, by number."""
        self.actors: dict[int, str | None] = {}
        """Who reported each entry, by number."""
        self.changes: list[ChangeRow] = []
        self.pending = live.row.pending
        self.near: Near | None = None
        """What came of rating again what was amended here, if that could be done at once."""

    @property
    def ladder(self) -> NumberedLadder:
        """The ladder as it is afterwards."""
        return self.live.ladder if self.near is None else self.near.live.ladder

    @property
    def last(self) -> Bookmark:
        """The last entry of the log afterwards."""
        if self.head == self.live.head:
            return last_bookmark(self.live.row)
        return bookmark_of(self.head, self.stored[self.head].checksum)

    # ------------------------------------------------------------------ keys

    def settle_keys(self, submissions: Sequence[Submission], *, look_for_all: bool) -> None:
        """Look up which keys are in the log; those that the server made up only if they may be there."""
        keys = [
            report.key
            for submission in submissions
            for report in submission.reports
            if report.has_own_key or look_for_all
        ]
        statement = _KNOWN_KEYS[self.connection.dialect.name]
        for start in range(0, len(keys), KEYS_AT_ONCE):
            wanted = {"ladder": self.live.row.id, "keys": keys[start : start + KEYS_AT_ONCE]}
            for key, number, fingerprint in self.connection.execute(statement, wanted):
                self.known[key] = number, bytes(fingerprint)
        if self.known:
            self._load_known()

    def _load_known(self) -> None:
        """Read what is logged under the keys that are known, all at once."""
        row = self.live.row
        numbers = [number for number, _ in self.known.values()]
        found = stored_entries(self.connection, row, self.live.look(), numbers)
        self.logged = {entry.number: entry for entry in found}
        for (number, _), change in changes_of_matches(self.connection, row, numbers).items():
            self.logged_changes.setdefault(number, []).append(change)

    def _known_outcome(self, report: Report) -> Outcome:
        """The outcome of a report whose key is in the log: what it counts as now, or a conflict."""
        number, fingerprint = self.known[report.key]
        entry = self.logged[number]
        if fingerprint != report.fingerprint:
            error = KeyConflictError(
                f"the idempotency key {report.key!r} was used for report {number}, which is different",
                number=number,
                differences=report_differences(entry, report),
            )
            return Outcome("refused", report.key, error=error)
        look = self.live.look()
        counted = look.in_force(entry)
        is_uncounted = isinstance(counted.content, Event) and counted.counted is None
        if is_uncounted or look.amendments.is_void(number):
            counted = replace(counted, rated=False)
        rows = in_order_of(counted, self.logged_changes.get(number, []), look.names_in(counted))
        return _outcome("known", counted, rows, self.live)

    # ------------------------------------------------------------------ rating

    def rate(self, submissions: Sequence[Submission]) -> int:
        """Rate what is new, and say what became of each report; how many of the submissions it took.

        All at once where nothing is refused, which is the rule; otherwise each submission or report alone.
        What has to see amendments before it waits until these are rated, in the next transaction.
        """
        if not any(submission.amends for submission in submissions):
            for run in _runs(submissions, self.known):
                self._rate_run(run)
            return len(submissions)
        for done, submission in enumerate(submissions):
            if self.entries and not self._goes_with(submission):
                return done
            self._rate_run([submission])
        return len(submissions)

    def _goes_with(self, submission: Submission) -> bool:
        """Whether a submission gives the same in this transaction as behind what was accepted in it.

        That is so of reports that amend nothing, behind others of that kind; and of amendments of different
        events that bring no name and tell nobody apart.
        """
        if not submission.amends:
            return all(entry.is_ordinary for entry in self.entries)
        report, amendments = submission.reports[0], self.live.amendments
        target = report.target
        if submission.together or not isinstance(target, int) or not is_plain_amendment(report):
            return False
        touched = {amendments.root(entry.target or 0) for entry in self.entries}
        return (
            all(is_plain_amendment(entry) and not entry.accounts for entry in self.entries)
            and target not in touched
            and target not in amendments
        )

    def _rate_run(self, submissions: Sequence[Submission]) -> None:
        fresh = [report for submission in submissions for report in submission.reports]
        if len({report.key for report in fresh}) == len(fresh) and self._rate_new(submissions, fresh):
            return
        for submission in submissions:
            if submission.together:
                self._rate_together(submission)
            else:
                submission.outcomes = [
                    self._rate_one(report, submission.actor) for report in submission.reports
                ]

    def _rate_new(self, submissions: Sequence[Submission], reports: Sequence[Report]) -> bool:
        """Rate reports whose keys are all new; False, and nothing is changed, if that is refused."""
        if any(report.key in self.known for report in reports):
            return False
        actors = [submission.actor for submission in submissions for _ in submission.reports]
        try:
            outcomes = iter(self._accept(self._entries(reports, actors)))
        except PodiumError:
            return False
        for submission in submissions:
            submission.outcomes = [next(outcomes) for _ in submission.reports]
        return True

    def _rate_one(self, report: Report, actor: str | None) -> Outcome:
        if report.key in self.known:
            return self._known_outcome(report)
        try:
            return self._accept(self._entries([report], [actor]))[0]
        except PodiumError as error:
            return Outcome("refused", report.key if report.has_own_key else None, error=error)

    def _rate_together(self, submission: Submission) -> None:
        """All of a submission or nothing: if one report is refused, the others are not recorded."""
        conflicts = [
            outcome
            for report in submission.reports
            if report.key in self.known and (outcome := self._known_outcome(report)).error is not None
        ]
        fresh = [report for report in submission.reports if report.key not in self.known]
        refused = conflicts[0].error if conflicts else None
        culprits = [report for report in submission.reports if conflicts and report.key == conflicts[0].key]
        accepted: dict[str, Outcome] = {}
        if refused is None and fresh:
            try:
                entries = self._entries_of_each(fresh, submission.actor)
                accepted = {outcome.key or "": outcome for outcome in self._accept(entries)}
            except PodiumError as error:
                refused = error
                first = bisect_left(
                    range(len(fresh)), True, key=lambda last: self._refusal(fresh[: last + 1]) is not None
                )
                if first < len(fresh):  # else it is not for one of them that all are refused
                    refused, culprits = self._refusal(fresh[: first + 1]), [fresh[first]]
        for report in submission.reports:
            if refused is not None:
                own = report.key if report.has_own_key else None
                is_own = not culprits or any(report is culprit for culprit in culprits)
                submission.outcomes.append(
                    Outcome("refused", own, error=refused if is_own else NotRecordedError())
                )
            elif report.key in accepted:
                submission.outcomes.append(accepted.pop(report.key))
            else:
                submission.outcomes.append(self._known_outcome(report))

    def _entries_of_each(self, reports: Sequence[Report], actor: str | None = None) -> list[LogEntry]:
        """The entries of reports of one request, of which some may repeat others."""
        if len({report.key for report in reports}) < len(reports):
            reports = self._first_of_each(reports)
        return self._entries(reports, [actor] * len(reports))

    def _refusal(self, reports: Sequence[Report]) -> PodiumError | None:
        """Why reports of one request would be refused; None if they would not."""
        try:
            self.live.ladder.check_rateable(self._entries_of_each(reports))
        except PodiumError as error:
            return error
        return None

    def _first_of_each(self, reports: Sequence[Report]) -> list[Report]:
        """The reports without those that repeat one; the same key with other content is refused."""
        first: dict[str, Report] = {}
        for report in reports:
            earlier = first.setdefault(report.key, report)
            if earlier.fingerprint != report.fingerprint:
                raise KeyConflictError(
                    f"the idempotency key {report.key!r} is used for two different reports in one request",
                    number=self.head + 1,
                    differences=[],
                )
        return list(first.values())

    def _entries(self, reports: Sequence[Report], actors: Sequence[str | None]) -> list[LogEntry]:
        live = self.live
        self.actors.update(enumerate(actors, start=self.head + 1))
        last_time, fill_times = live.ladder.last_time, live.row.fill_times
        if not any(report.amends for report in reports):
            return planned_entries(reports, self.head, last_time, self.clock, fill_times)
        check_independent(reports)
        amending = Amending(self.connection, live, self.stored, self.head, self.clock)
        late_before = amending.last_time() if any(report.late for report in reports) else NO_TIME
        entries = planned_entries(
            reports, self.head, last_time, self.clock, fill_times, amending.entry, late_before
        )
        for entry in entries:
            if entry.is_ordinary:
                amending.check_brought(entry)
        return entries

    def _accept(self, entries: list[LogEntry]) -> list[Outcome]:
        """Rate entries, which count from here on unless the transaction fails; refused if one of them is."""
        self.live.row.check_open()
        rows: dict[int, list[ChangeRow]] = {entry.number: [] for entry in entries}
        for rated in self.live.rate(entries, self._store):
            for row in rated.change_rows():
                rows[row.seq].append(row)
        self.head += len(entries)
        self.entries += entries
        for entry in entries:
            self.known[entry.key] = entry.number, entry.fingerprint
            self.logged[entry.number] = entry
            self.logged_changes[entry.number] = rows[entry.number]
            self.changes += rows[entry.number]
            if not entry.is_ordinary:
                self.live.amendments.add(amendment_of(self.stored[entry.number]))
                self.pending += 1
        return [_outcome("recorded", entry, rows[entry.number], self.live) for entry in entries]

    def _store(self, entry: LogEntry) -> None:
        number_of = self.live.ladder.players.index_of.__getitem__
        actor = self.actors[entry.number]
        self.stored[entry.number] = stored_row(entry, self.live.row.id, self.engine, number_of, actor)

    # ------------------------------------------------------------------ writing

    def write(self) -> None:
        """Write what was accepted; the transaction commits it."""
        if not self.entries:
            return
        live, ladder = self.live, self.live.ladder
        last_time = None if ladder.last_time == NO_TIME else ladder.last_time
        advanced = {"wanted": live.row.id, "head": self.head, "events": ladder.n_events}
        advanced |= {"players": len(ladder), "pending": self.pending}
        self.connection.execute(_ADVANCE, {**advanced, "last_time": last_time})
        insert_players(self.connection, live, self.players)
        insert_events(self.connection, [self.stored[entry.number] for entry in self.entries])
        insert_changes(self.connection, live.row.id, live.row.generation, self.changes)
        self._note_adjustments()

    def _note_adjustments(self) -> None:
        """Write down who corrected, renamed, merged or set what, with players by number."""
        for entry in self.entries:
            if entry.kind == "event" and entry.place is None:
                continue
            action, details = f"{entry.kind} of {entry.target}", dict(entry.grounds.given)
            if entry.kind == "clock":
                action = "clock repaired"
            if entry.kind == "adjustment":
                details = json.loads(self.stored[entry.number].payload)
                action = details.pop("adjustment")
            elif entry.kind == "event":
                action = "late event"
            actor = self.actors[entry.number] or LOCAL.actor
            note(self.connection, actor, action, self.live.row.id, {"number": entry.number, **details})

    def amend(self) -> None:
        """Rate again what was amended, at once if it is near the end of the log; else a job does so."""
        live = self.live
        if self.pending == live.row.pending:
            return
        checksum = self.stored[self.head].checksum
        row = replace(live.row, head=self.head, pending=self.pending, last_checksum=checksum)
        self.near = rerate_near(self.connection, live, row, live.head, self.engine)
        if self.near is None:
            enqueue_rerating(self.connection, row, self.actors.get(self.head))
        else:
            self.pending = 0

    def finish(self, outcomes: Iterable[Outcome]) -> None:
        """Say in outcomes what amendments of the same transaction have made of them."""
        name_of = self.live.look().name_of
        for outcome in outcomes:
            outcome.provisional = self.pending > 0 and outcome.error is None
            if self.near is not None and outcome.number is not None and outcome.number > self.live.head:
                rows = self.near.rows.get(outcome.number, ())
                outcome.rated_time = self.near.times.get(outcome.number, outcome.rated_time)
                outcome.changes = [(name_of(row.player), row) for row in rows]


def _runs(
    submissions: Sequence[Submission], known: dict[str, tuple[int, bytes]]
) -> list[Sequence[Submission]]:
    """Submissions that may be rated at once: one in which a key is known already is rated by itself."""
    runs: list[list[Submission]] = [[]]
    for submission in submissions:
        if any(report.key in known for report in submission.reports):
            runs += [[submission], []]
        else:
            runs[-1].append(submission)
    return [run for run in runs if run]


def _outcome(
    status: ReportStatus, entry: LogEntry, rows: Iterable[ChangeRow], live: FollowedLadder
) -> Outcome:
    name_of = live.look().names_in(entry)
    changes = [(name_of(row.player), row) for row in rows]
    return Outcome(status, entry.key, entry.number, entry.rated, entry.rated_time, changes=changes)
