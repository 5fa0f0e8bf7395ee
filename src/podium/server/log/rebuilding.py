"""A ladder's changes computed anew from its log, as a new generation that stores only what differs."""

from __future__ import annotations

from typing import Any, NamedTuple

from podium.documents.service_documents import RebuildDocument
from podium.history.ragged import Progress
from podium.server.access.audit_trail import note
from podium.server.access.rights import LOCAL, Access
from podium.server.correcting.rerating import build_generation
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.log.appending import Appender
from podium.server.log.reports import clock_repair
from podium.server.log.submissions import Submission
from podium.server.problems import NothingAheadError
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import find_ladder


class _Writer(NamedTuple):
    database: Database
    ladders: LoadedLadders | None


def rebuild(
    database: Database,
    ladders: LoadedLadders | None,
    slug: str,
    *,
    progress: Progress | None = None,
    by: Access = LOCAL,
    repairs_clock: Appender | None = None,
) -> RebuildDocument:
    """Rate a ladder's log again, and replace what differs from it.

    `repairs_clock` appends first that times which are ahead of its clock count as those that have been.

    Reports are taken meanwhile. Checkpoints go: those of another state would lead back to it. `ladders` are
    those of this worker, if there is one; the others notice the new generation. `progress` is called with the
    number of entries rated since the last call.
    """
    writer, told = _Writer(database, ladders), 0

    def write(function: Any, *args: Any) -> Any:
        return function(writer, *args)

    def tell(done: int, total: int) -> None:
        nonlocal told
        if progress is not None and done > told:
            progress(done - told)
            told = done

    repair = None if repairs_clock is None else _repair_clock(repairs_clock, slug, by)
    with database.building(slug):
        done = build_generation(write, database, slug, anew=True, progress=tell)
    assert done is not None, "everything is rated again"
    with database.writing() as connection:
        details = {"generation": done.generation, "changed": done.changed}
        note(connection, by, "rebuilt", find_ladder(connection, slug).id, details)
    return {
        "slug": slug,
        "generation": done.generation,
        "head": done.head,
        "rows": done.rows,
        "changed": done.changed,
        "clock_repair": repair,
    }


def _repair_clock(appender: Appender, slug: str, by: Access) -> int | None:
    """Append a repair of the clock; the number of the entry, or None if nothing is ahead of it."""
    submission = Submission([clock_repair()], actor=by.actor)
    appender.append(slug, [submission])
    (outcome,) = submission.outcomes
    if isinstance(outcome.error, NothingAheadError):
        return None
    if outcome.error is not None:
        raise outcome.error
    return outcome.number
