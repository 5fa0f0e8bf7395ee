"""The tournaments that a worker has in memory: looking at them, taking steps, telling ladders the results.

A step is in the tables before it is answered. What a ladder is to be told follows from the steps alone, under
keys made of their numbers: if the worker dies between a step and its report, the next step or the next start
reports it, and what was reported before counts once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from functools import cached_property, partial

from sqlalchemy import Connection

from podium.documents.tournament_documents import (
    ServiceTournamentDocument,
    TournamentDocument,
    tournament_document,
)
from podium.errors import PodiumError
from podium.server import machine
from podium.server.access.audit_trail import note
from podium.server.access.requirements import check_may
from podium.server.access.rights import ADMIN, Access
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.log.committer import Committer
from podium.server.log.reports import report_of
from podium.server.log.submissions import Submission
from podium.server.operations.service_logs import LOGGER, brief
from podium.server.problems import ArchivedError, KeyConflictError, UnavailableError
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import LadderRow, find_ladder, time_shown
from podium.server.tournaments.kept_tournament import KeptTournament
from podium.server.tournaments.sent_steps import SentStep
from podium.server.tournaments.tournament_rows import (
    StepRow,
    TournamentRow,
    add_step,
    find_tournament,
    note_reported,
    step_of_key,
    steps_after,
    tournament_of_number,
    unreported,
    when_received,
)
from podium.tournaments.chances import Chances
from podium.tournaments.happenings import Happening
from podium.tournaments.tournament import Tournament

MOST_KEPT = 50
"""Tournaments in memory; those that nobody has asked for longest are loaded again when needed."""
MOST_SHOWN = 8
"""Tournaments whose documents are in memory until their next step."""
REPORTED_BY_ITSELF = "tournament"
"""Who reports to a ladder what was left to report when a worker started."""


class OvertakenError(Exception):
    """Another worker has added a step meanwhile."""


@dataclass(frozen=True, slots=True)
class Stepped:
    """What became of a step."""

    step: StepRow
    is_known: bool
    """Whether its key was sent before."""
    tournament: Tournament
    problem: str | None


class Shown:
    """A tournament that no later step changes, and its document, which is written once."""

    def __init__(self, value: Tournament) -> None:
        self.value = value

    @cached_property
    def document(self) -> TournamentDocument:
        """The tournament as plain data."""
        return tournament_document(self.value)


@dataclass(frozen=True, slots=True)
class Looked:
    """A tournament as it was at some moment."""

    row: TournamentRow
    shown: Shown
    paired: int | None
    """When the last round was paired."""
    last_step: list[Happening]
    """What the last step did that still counts."""

    @property
    def value(self) -> Tournament:
        """The tournament, which is not to be changed."""
        return self.shown.value

    def document(self) -> ServiceTournamentDocument:
        """The tournament as plain data."""
        row = self.row
        return {
            **self.shown.document,
            "slug": row.slug,
            "private": row.private,
            "reports": row.reports,
            "head": row.head,
            "reported": row.reported,
            "problem": row.problem,
            "paired": time_shown(self.paired),
            "created": time_shown(row.created) or "",
        }


class TournamentBook:
    """Tournaments by number, loaded when they are first asked for."""

    def __init__(self, database: Database, ladders: LoadedLadders) -> None:
        self._database, self._ladders = database, ladders
        self._kept: OrderedDict[int, KeptTournament] = OrderedDict()
        self._shown: OrderedDict[int, tuple[tuple[int, ...], Shown]] = OrderedDict()
        self._lock = machine.Lock()

    # ------------------------------------------------------------------ looking

    def look(self, ladder: str, slug: str, access: Access) -> Looked:
        """A tournament as it is now, independent of what happens later."""
        row, fill_times = self._row(ladder, slug, access)
        kept = self._kept_one(row, fill_times)
        with kept.lock:
            self._follow(kept)
            row = replace(kept.row, head=kept.head)
            return Looked(row, self._shown_one(kept), kept.paired, kept.last_step)

    def _shown_one(self, kept: KeptTournament) -> Shown:
        """A tournament for readers, the same one until its next step."""
        state = kept.head, kept.received, kept.row.renames
        with self._lock:
            known = self._shown.get(kept.row.id)
        shown = known[1] if known is not None and known[0] == state else Shown(kept.value.copy())
        with self._lock:
            self._shown[kept.row.id] = state, shown
            self._shown.move_to_end(kept.row.id)
            while len(self._shown) > MOST_SHOWN:
                self._shown.popitem(last=False)
        return shown

    def chances(self, ladder: str, value: Tournament, simulations: int) -> Chances:
        """The chances of every place in a tournament that was looked at, with today's ratings."""
        value = value.copy()
        self._rate(ladder, value, list(value.field.entrants))
        return value.chances(simulations=simulations)

    def _row(self, ladder: str, slug: str, access: Access) -> tuple[TournamentRow, bool]:
        with self._database.reading() as connection:
            found = find_ladder(connection, ladder, access=access)
            return find_tournament(connection, found, slug, access), found.fill_times

    def _rate(self, ladder: str, value: Tournament, names: list[str]) -> None:
        """Let a tournament find the ratings of these players."""
        with self._ladders.sketched(ladder, lambda live: live.ladder.participants(names)) as (_, few):
            value.ladder = few

    def _kept_one(self, row: TournamentRow, fill_times: bool) -> KeptTournament:
        with self._lock:
            kept = self._kept.get(row.id)
            if kept is None:
                kept = self._kept[row.id] = KeptTournament(row, fill_times)
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(row.id)
            return kept

    def _follow(self, kept: KeptTournament) -> None:
        try:
            with self._database.reading() as connection:
                renames, kept.row = kept.row.renames, tournament_of_number(connection, kept.row.id)
                kept.settled(kept.row.reported)
                is_restored = kept.head and when_received(connection, kept.row.id, kept.head) != kept.received
                if is_restored or renames != kept.row.renames:
                    kept.begin()
                kept.follow(steps_after(connection, kept.row.id, kept.head))
        except BaseException:
            kept.begin()
            raise

    # ------------------------------------------------------------------ steps

    def step(self, ladder: str, slug: str, sent: SentStep, access: Access) -> tuple[Stepped, KeptTournament]:
        """Take a step that somebody sends; the same one is taken once."""
        while True:
            row, fill_times = self._row(ladder, slug, access)
            kept = self._kept_one(row, fill_times)
            try:
                with kept.lock:
                    return self._step(ladder, slug, kept, sent, access), kept
            except OvertakenError:
                continue

    def _step(self, ladder: str, slug: str, kept: KeptTournament, sent: SentStep, access: Access) -> Stepped:
        self._follow(kept)
        with self._database.reading() as connection:
            row = find_ladder(connection, ladder, access=access)
            known = step_of_key(connection, kept.row.id, sent.key)
        if known is not None:
            if known.number > kept.head:
                raise OvertakenError
            if known.fingerprint != sent.fingerprint:
                reason = f"the idempotency key {sent.key!r} was used for step {known.number}, which differs"
                raise KeyConflictError(reason, number=known.number, differences=[])
            return Stepped(known, True, kept.value.copy(), kept.row.problem)
        row.check_open()
        if sent.amends and kept.value.finished:
            check_may(access, ADMIN, row.id)
        if sent.joining:
            self._rate(ladder, kept.value, sent.joining)
        before = len(kept.value.happenings)
        try:
            step, changed = kept.made(sent)
        except BaseException:
            if len(kept.value.happenings) != before:
                kept.begin()
            raise
        finally:
            kept.value.ladder = None
        try:
            self._write(row, slug, kept, sent, step, access)
        except BaseException:
            kept.begin()
            raise
        kept.note(step, changed)
        return Stepped(step, False, kept.value.copy(), kept.row.problem)

    def _write(
        self, row: LadderRow, slug: str, kept: KeptTournament, sent: SentStep, step: StepRow, access: Access
    ) -> None:
        with self._database.writing() as connection:
            now = find_tournament(connection, row, slug, access, lock=True)
            if (now.head, now.renames) != (kept.head, kept.row.renames):
                raise OvertakenError
            add_step(connection, kept.row, step, access.actor)
            if sent.amends:
                note(
                    connection,
                    access,
                    "tournament amended",
                    row.id,
                    {"tournament": slug, "step": step.number},
                )

    # ------------------------------------------------------------------ the ladder

    def tell_ladder(self, ladder: str, kept: KeptTournament, committer: Committer, actor: str) -> str | None:
        """Report to the ladder what is due; the reason if it has refused a result."""
        recorded: set[str | None] = set()
        refused: list[PodiumError] = []
        while True:
            with kept.lock:
                self._follow(kept)  # it may have begun again, and players may have other names
                due = [sent for _, sent in kept.due if sent["key"] not in recorded]
                reached, names_hold = kept.head, partial(self._are_named_so, kept.row)
            if not due:
                break
            submission = Submission([report_of(sent) for sent in due], actor=actor, names_hold=names_hold)
            try:
                committer.submit(ladder, submission).result()
            except (UnavailableError, ArchivedError) as error:
                LOGGER.warning(
                    "results of %r wait for the ladder %r: %s", kept.row.slug, ladder, brief(error)
                )
                return error.reason
            settled = [one for one in submission.outcomes if not isinstance(one.error, UnavailableError)]
            recorded |= {outcome.key for outcome in settled}
            refused += [outcome.error for outcome in settled if outcome.error is not None]
            if len(settled) == len(due):
                break
        if not recorded:
            return kept.row.problem
        problem = kept.row.problem if not refused else refused[-1].reason
        with self._database.writing() as connection:
            note_reported(connection, kept.row.id, reached, problem)
        with kept.lock:
            kept.settled(reached)
        return problem

    @staticmethod
    def _are_named_so(row: TournamentRow, connection: Connection) -> bool:
        """Whether no entrant was renamed since a tournament was looked at."""
        return tournament_of_number(connection, row.id).renames == row.renames

    def catch_up(self, committer: Committer) -> None:
        """Report what a worker had no time to report before it ended."""
        with self._database.reading() as connection:
            left = unreported(connection)
        for number, ladder in left:
            try:
                self._catch_up(number, ladder, committer)
            except PodiumError as error:  # one damaged tournament does not keep the service from starting
                LOGGER.error(
                    "results of tournament %s of %r were not reported: %s", number, ladder, brief(error)
                )

    def _catch_up(self, number: int, ladder: str, committer: Committer) -> None:
        with self._database.reading() as connection:
            row, found = tournament_of_number(connection, number), find_ladder(connection, ladder)
        kept = self._kept_one(row, found.fill_times)
        with kept.lock:
            self._follow(kept)
            reached, is_due = kept.head, bool(kept.due)
        if is_due:
            self.tell_ladder(ladder, kept, committer, REPORTED_BY_ITSELF)
            return
        with self._database.writing() as connection:
            note_reported(connection, number, reached, None)
