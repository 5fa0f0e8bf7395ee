"""Another system or other parameters for a ladder: both compared on its own log, and the switch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from podium.documents.backtest_documents import ComparisonDocument, comparison_document
from podium.documents.service_documents import SystemChoiceDocument
from podium.documents.system_documents import system_document
from podium.errors import InputError, ParameterError
from podium.history import Adjustment, Event, History, Names
from podium.history.adjustments import Placed
from podium.history.history import history_of_values
from podium.server.access.audit_trail import note
from podium.server.correcting.amendments import Amendments, current_amendments
from podium.server.correcting.consequences import BoardNow, Moved
from podium.server.correcting.rerating_jobs import RERATE, active_rerating
from podium.server.jobs.job_rows import enqueue
from podium.server.ladders.followed_ladder import load_ladder, name_players, read_entries
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.log.log_entries import LogEntry, Renamed
from podium.server.problems import SupersededError
from podium.server.sent_data import check_sent
from podium.server.storage.ladder_rows import (
    LadderRow,
    checked_settings,
    find_ladder,
    ladder_of_number,
    name_system,
    stored_system,
)
from podium.systems import RatingSystem, make_system

if TYPE_CHECKING:
    from podium.server.jobs.job_kinds import JobContext

COMPARISON = "comparison"
"""The kind of job that compares a ladder's system with another one."""
OLD, NEW = "now", "then"
"""What a comparison calls the ladder's system, and the other one."""
OF_ANYBODY = ("set-rating", "anchor", "reset")
"""Adjustments that need nobody who has played before."""


def order_system(connection: Connection, slug: str, sent: Any, *, only_compare: bool, actor: str) -> int:
    """Order that a ladder is rated by another system, or that both are compared; the number of the job."""
    check_sent(sent, SystemChoiceDocument)
    row = find_ladder(connection, slug, lock=True)
    row.check_open()
    try:
        system = make_system(sent["system"], **sent.get("parameters", {}))
        system.check_named()
    except TypeError as error:
        raise ParameterError(str(error)) from error
    if system == row.system and (only_compare or row.system_note is None):
        raise ParameterError(f"the ladder {slug!r} already has this system with these parameters")
    checked_settings(dict(row.settings), system)
    arguments = {"system": stored_system(system)}
    if only_compare:
        return enqueue(connection, COMPARISON, ladder=row.id, arguments=arguments, actor=actor)
    if (job := active_rerating(connection, row.id)) is not None:
        raise SupersededError(
            f"the ratings of {slug!r} are being recomputed by job {job}",
            hint="wait until the job has finished, or cancel it",
        )
    note(connection, actor, "system chosen", row.id, arguments)
    name_system(connection, slug)
    return enqueue(connection, RERATE, ladder=row.id, arguments=arguments, actor=actor)


def compare_systems(context: JobContext) -> dict[str, Any]:
    """Predict every event of a ladder's log before rating it by both systems, and tell who would move."""
    job = context.job
    assert job.ladder is not None
    chosen = job.arguments["system"]
    system = make_system(chosen["system"], **chosen["parameters"])
    with context.database.reading() as connection:
        row = ladder_of_number(connection, job.ladder)
        live = load_ladder(connection, row)
        before = BoardNow.of(live.ladder, live.standings(row.filter))
        current = current_amendments(connection, row)
        amendments = current.up_to(current.to, own_times=True)  # as the next generation has them
        history, ladder = _rated_log(connection, row, system, amendments, context)
    return {
        **Moved.between(row, before, ladder, {}).document(len(history)),
        "old": system_document(row.system),
        "new": system_document(system),
        "comparisons": _comparisons(history, row.system, system, context),
    }


def _rated_log(
    connection: Connection, row: LadderRow, system: RatingSystem, amendments: Amendments, context: JobContext
) -> tuple[History, NumberedLadder]:
    """The events of the log as they are rated, and the ladder that another system makes of them."""
    ladder, gathered = NumberedLadder(system), _Gathered()
    name_players(connection, row, ladder)
    for piece in read_entries(connection, row, ladder, after=0, amendments=amendments):
        ladder.rate(piece.entries, gathered.add, again=True)
        context.progress(piece.last, row.head)
    return gathered.history(), ladder


class _Gathered:
    """Entries of a log as a history."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._placed: list[Placed] = []
        self._seen: set[str] = set()

    def add(self, entry: LogEntry) -> None:
        """Take the next entry, as it is in force: an event at its rated time, and a rating that was set late
        at its own, from which it ages.
        """
        if not entry.is_ordinary:
            return
        content = entry.content
        if (counted := entry.counted) is not None:
            self._events.append(replace(counted, time=entry.rated_time))
            self._seen.update(name for side in counted.sides for name in side)
        elif isinstance(content, Adjustment) and self._applies(content):
            self._placed.append(Placed(len(self._events), entry.since, content))
            self._seen.update(content.players)

    def _applies(self, adjustment: Adjustment) -> bool:
        """Whether there is somebody whom it changes; names are beside the log."""
        if isinstance(adjustment, Renamed):
            return False
        return adjustment.kind in OF_ANYBODY or adjustment.players[0] in self._seen

    def history(self) -> History:
        """All of them."""
        history = history_of_values(self._events, Names())
        for one in self._placed:
            one.register(history.players)
        return replace(history, adjustments=tuple(self._placed))


def _comparisons(
    history: History, old: RatingSystem, new: RatingSystem, context: JobContext
) -> list[ComparisonDocument]:
    """Both systems by the leading metric, within each usual scope in which somebody was measured."""
    from podium.evaluation.backtest import evaluate

    rows = 0

    def told(done: int) -> None:
        nonlocal rows
        rows += done
        context.progress(rows, 2 * history.rows)

    if not len(history):
        return []
    try:
        found = evaluate(history, {OLD: old, NEW: new}, progress=told)
    except InputError:  # nothing could be measured, as when nobody has met yet
        return []
    comparisons = []
    for scope in found.scopes:
        try:
            comparisons.append(comparison_document(found.compare(NEW, OLD, scope=scope.name)))
        except ParameterError:
            continue  # nothing was measured there
    return comparisons
