"""Files imported into a ladder: results in any format that podium reads, or an export of a ladder."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from podium.errors import InputError, PodiumError
from podium.history import Event, History
from podium.presets import DEFAULT_PRESET, PresetChoice, choose_preset
from podium.server.jobs.adopted_systems import adopt_preset
from podium.server.jobs.history_import import HistorySource
from podium.server.jobs.import_runs import ImportRun
from podium.server.jobs.job_kinds import JobContext
from podium.server.jobs.log_import import import_export, is_export
from podium.server.log.report_differences import shown_time
from podium.server.log.server_clock import ServerClock
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number, now_micros
from podium.tables import read_history
from podium.text import counted, listed, shorten

if TYPE_CHECKING:
    from podium.server.service import Service

COPIED_BYTES = 1_000_000
"""Bytes of a file that are copied at once."""


def import_file(context: JobContext) -> dict[str, Any]:
    """Record everything that the file `input` of the job holds."""
    with TemporaryDirectory(prefix="podium-import-") as folder:
        path = Path(folder) / context.job.arguments["name"]
        with context.part_reader("input") as given, path.open("wb") as copy:
            shutil.copyfileobj(given, copy, COPIED_BYTES)
        if is_export(path):
            _check_may_adjust(context, "an export brings the system, settings and adjustments of a ladder")
            return import_export(context, path)
        return _import_history(context, path)


def _check_may_adjust(context: JobContext, reason: str) -> None:
    """Refuse what is more than results, if whoever ordered the import may only report those."""
    if not context.job.arguments["may_adjust"]:
        raise InputError(reason, hint="import it with a key that has the scope admin")


def _import_history(context: JobContext, path: Path) -> dict[str, Any]:
    history, noted = _read(path, context.job.arguments["options"])
    if history.adjustments:
        _check_may_adjust(context, f"{path.name} has adjustments of ratings")
    _check_times(history, path, ServerClock(now_micros(), context.write(clock_tolerance)))
    digest = history.readings[0].digest if history.readings else None
    assert digest is not None, "a file has a digest"
    source = HistorySource(history, digest, context.job)
    assert context.job.ladder is not None
    choice = choose_preset([history])
    chosen = f"No system was named. For the first imported file podium took {choice.sentence}"
    context.write(adopt_preset, context.job.ladder, choice.preset.name, chosen)
    ImportRun(context, source).run()
    with context.database.reading() as connection:
        row = ladder_of_number(connection, context.job.ladder)
        came_first = source.came_first(connection, context.job.ladder)
        earlier, rated_at = source.held_back(connection, context.job.ladder)
    notes = [guess for reading in history.readings for guess in reading.guesses]
    if came_first and row.system_note is not None:
        notes.append(row.system_note)
    elif came_first:
        noted += _system_warning(row, choice)
    if earlier:
        noted.append(
            f"the ladder was rated up to {shown_time(rated_at)} already, and that is when podium rates "
            f"{counted(earlier, 'event')} from before: import old results first"
        )
    return {
        "file": path.name,
        "entries": source.total,
        "skipped": len(history.skipped),
        "warnings": noted,
        "notes": notes,
    }


def _system_warning(row: LadderRow, choice: PresetChoice) -> list[str]:
    """A warning if a ladder's first results are not of the kind that its preset, the usual one, is for."""
    suits = choice.preset.name
    if row.system.preset != DEFAULT_PRESET or suits == DEFAULT_PRESET:
        return []
    return [
        f"the ladder is rated by {row.system.label}; if no system is named, podium rates such a file by "
        f'{suits}: POST /api/v1/ladders/{row.slug}/system with {{"system": "{suits}"}} does that here'
    ]


def clock_tolerance(service: Service) -> float:
    """The seconds by which times may be ahead of the clock."""
    return service.settings.clock_tolerance


def _check_times(history: History, path: Path, clock: ServerClock) -> None:
    """Refuse a file with a time that no report could have."""
    times = history.time.tolist()
    ahead = [number for number, time in enumerate(times) if clock.is_ahead(time)]
    named = [(times[number], _event_words(history.event(number))) for number in ahead[:1]]
    adjusted = [placed for placed in history.adjustments if clock.is_ahead(placed.time)]
    named += [(placed.time, placed.adjustment.describe()) for placed in adjusted[:1]]
    if named:
        time, what = named[0]
        count = counted(len(ahead) + len(adjusted), "time")
        raise InputError(
            f"{count} of {path.name}: {clock.ahead_text}; the first is {shown_time(time)}, of {what}",
            hint="correct the dates in the file, or say how they are written with time_format",
        )


def _event_words(event: Event) -> str:
    """What an event is called for people who look for it in their file."""
    sides = listed([shorten(" + ".join(side)) for side in event.sides[:2]])
    more = len(event.sides) - 2
    return sides if more <= 0 else f"{sides} and {counted(more, 'other')}"


def _read(path: Path, options: dict[str, Any]) -> tuple[History, list[str]]:
    """The history that a file holds, and what may be wrong about how it was understood."""
    folder = f"{path.parent}/"
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            history = read_history(path, **options)
        except PodiumError as error:  # whose file is called as its owner calls it
            reason, hint = str(error).partition("\n")[0], error.hint
            raise InputError(reason.replace(folder, ""), hint=hint) from error
    return history, [str(one.message).replace(folder, "") for one in noted]
