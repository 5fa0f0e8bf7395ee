"""Files imported into a ladder: results in any format that podium reads, or an export of a ladder."""

from __future__ import annotations

import json
import shutil
import struct
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from os import SEEK_CUR
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from podium.documents.reading_documents import reading_document
from podium.errors import InputError, PodiumError
from podium.files.kinds import SHEETS, FileKind, check_content, in_words, kind_of, open_binary
from podium.history import Event, History
from podium.presets import DEFAULT_PRESET, PresetChoice, choose_preset
from podium.server import machine
from podium.server.correcting.rerating import build_generation
from podium.server.jobs.adopted_systems import adopt_preset
from podium.server.jobs.history_import import HistorySource, RefusedEntryError
from podium.server.jobs.import_previews import import_preview
from podium.server.jobs.import_runs import ImportRun
from podium.server.jobs.job_kinds import JobContext
from podium.server.jobs.log_import import import_export, is_export
from podium.server.log.report_differences import shown_time
from podium.server.log.server_clock import ServerClock
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number
from podium.systems import make_system
from podium.tables import read_history
from podium.tables.history_files import WantedEntry, place_in_file
from podium.tables.names.name_proposals import propose_names
from podium.tables.names.near_names import near_warning
from podium.text import counted, listed, shorten

if TYPE_CHECKING:
    from podium.server.service import Service


LINED_FORMATS = ("csv", "tsv", "txt", "ndjson", "pgn")
"""Formats whose files are read line by line."""
BLOCK_BYTES = 1_000_000
"""Bytes that are looked at together; no limit on lines is below it."""
LENGTHS_AT = 26
"""Where the head of a part of a zip file says how long its name and further fields are, which follow it."""
CELL_BYTES = 8
"""Bytes that a cell of a Parquet file takes in memory, or more."""


class UploadLimits(NamedTuple):
    """The settings of a service that are about the content of files."""

    unpacked_bytes: int
    line_bytes: int


def upload_limits(service: Service) -> UploadLimits:
    """The limits of a service."""
    return UploadLimits(service.settings.unpacked_bytes, service.settings.line_bytes)


def check_upload(path: Path, limits: UploadLimits) -> None:
    """Refuse a file that holds more than it may; it is decompressed piece by piece, and nothing is kept."""
    kind = kind_of(path)
    check_content(path, kind, path.name)
    if kind.format in SHEETS:
        _check_size(path, _sheet_bytes(path, limits.unpacked_bytes), limits)
    elif kind.format == "parquet":
        _check_size(path, _parquet_bytes(path), limits)
    else:
        _check_text(path, kind, limits)


def _check_size(path: Path, size: int, limits: UploadLimits) -> None:
    if size > limits.unpacked_bytes:
        raise InputError(
            f"{path.name} holds more than {in_words(limits.unpacked_bytes)} after decompression",
            hint="split it into several files, or raise the setting unpacked_bytes",
        )


def _check_text(path: Path, kind: FileKind, limits: UploadLimits) -> None:
    size = line = 0
    with open_binary(path, kind, path.name) as stream:
        while block := stream.read(BLOCK_BYTES):
            size += len(block)
            _check_size(path, size, limits)
            ends = [at for at in (block.find(b"\n"), block.find(b"\r")) if at >= 0]
            line += min(ends, default=len(block))
            if line > limits.line_bytes and kind.format in LINED_FORMATS:
                raise InputError(
                    f"{path.name} has a line of more than {in_words(limits.line_bytes)}",
                    hint="write each row on its own line, or raise the setting line_bytes",
                )
            if ends:
                line = len(block) - 1 - max(block.rfind(b"\n"), block.rfind(b"\r"))


def _sheet_bytes(path: Path, most: int) -> int:
    """How much the parts of a spreadsheet hold, counted up to a limit: what it says of them may be wrong."""
    size = 0
    try:
        with ZipFile(path) as archive, path.open("rb") as file:
            for member in archive.infolist():
                size += max(member.file_size, _inflated_bytes(file, member, most - size))
                if size > most:
                    break
    except (BadZipFile, OSError, struct.error, zlib.error):
        pass  # reading it says what is wrong
    return size


def _inflated_bytes(file: BinaryIO, member: ZipInfo, most: int) -> int:
    """How much a compressed part really holds; a little more than `most` if it is more."""
    if member.compress_type != ZIP_DEFLATED:
        return 0
    file.seek(member.header_offset + LENGTHS_AT)
    file.seek(sum(struct.unpack("<HH", file.read(4))), SEEK_CUR)
    inflate, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    while size <= most and not inflate.eof and (block := inflate.unconsumed_tail or file.read(BLOCK_BYTES)):
        size += len(inflate.decompress(block, BLOCK_BYTES))
    return size


def _parquet_bytes(path: Path) -> int:
    import polars as pl

    try:
        table = pl.scan_parquet(path, glob=False)
        rows = int(table.select(pl.len()).collect().item())
        return CELL_BYTES * rows * len(table.collect_schema())
    except (pl.exceptions.PolarsError, OSError):
        return 0  # reading it says what is wrong


NEAR_HINT = "merge them in the file with aliases, or on the ladder with an adjustment"
"""What to do about names that may be one player."""
MOST_ROWS_OF_NAMES = 100_000
"""Rows of a file up to which names are compared, which takes a second for so many."""
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
        raise InputError(reason, hint="import it with an API key that has the scope admin")


def _import_history(context: JobContext, path: Path) -> dict[str, Any]:
    check_upload(path, context.write(upload_limits))
    history, noted = _read(path, context.job.arguments["options"])
    if history.adjustments:
        _check_may_adjust(context, f"{path.name} contains adjustments, which only an admin may import")
    clock = ServerClock(machine.now_micros(), context.write(clock_tolerance))
    with _naming_rows(path, context.job.arguments["options"]):
        _check_times(history, clock)
    digest = history.readings[0].digest if history.readings else None
    assert digest is not None, "a file has a digest"
    with _naming_rows(path, context.job.arguments["options"]):
        source = HistorySource(history, digest, context.job)
    assert context.job.ladder is not None
    choice = choose_preset([history])
    if context.job.arguments.get("dry_run", False):
        return _previewed(context, path, source, history, noted, choice)
    if len(history):
        _adopt(context, choice)
    with _naming_rows(path, context.job.arguments["options"]):
        ImportRun(context, source).run()
    with context.database.reading() as connection:
        row = ladder_of_number(connection, context.job.ladder)
        came_first = source.came_first(connection, context.job.ladder)
        rated_at = source.rated_at(connection, context.job.ladder)
    if source.near:
        noted.append(near_warning(source.near, " of the ladder", NEAR_HINT))
    notes = [guess for reading in history.readings for guess in reading.guesses]
    if came_first and row.system_note is not None:
        notes.append(row.system_note)
    elif came_first:
        noted += _system_warning(row, choice)
    noted += _repeated_warning(source) + _held_back_warning(source, rated_at)
    return {
        "file": path.name,
        "entries": source.total,
        "skipped": len(history.skipped),
        "warnings": noted,
        "notes": notes,
        "reading": _read_document(history, path),
    }


def _previewed(
    context: JobContext,
    path: Path,
    source: HistorySource,
    history: History,
    noted: list[str],
    choice: PresetChoice,
) -> dict[str, Any]:
    """What a dry run finds out: how the file is read, and the board it would give."""
    with _naming_rows(path, context.job.arguments["options"]):
        preview = import_preview(context, source, lambda row: _with_preset(row, choice))
    reading = _read_document(history, path)
    reading["names"] += [
        {"alias": fresh, "player": there, "why": "a player of the ladder is or was called so"}
        for there, fresh in source.near or ()
    ]
    return {
        "file": path.name,
        "entries": 0,
        "skipped": len(history.skipped),
        "warnings": noted + _repeated_warning(source) + _held_back_warning(source, preview.rated_at),
        "notes": [guess for reading in history.readings for guess in reading.guesses],
        "reading": reading,
        "system": preview.system,
        "players": preview.players,
        "board": preview.board,
    }


def _with_preset(row: LadderRow, choice: PresetChoice) -> LadderRow:
    """An empty ladder that is rated by the preset for a file, unless a caller chose its system."""
    return row if row.system_note is None else replace(row, system=make_system(choice.preset.name))


def _held_back_warning(source: HistorySource, rated_at: int) -> list[str]:
    """A warning if a file has events or adjustments of before the time that the ladder was rated up to."""
    events, adjustments = source.held_back(rated_at)
    held_back = [counted(events, "event")] if events else []
    held_back += [counted(adjustments, "adjustment")] if adjustments else []
    if not held_back:
        return []
    return [
        f"the ladder is already rated up to {shown_time(rated_at)}. Earlier times in the file become that "
        f"time ({listed(held_back)}). To keep them, import older files first"
    ]


def _repeated_warning(source: HistorySource) -> list[str]:
    """Warnings if some events of a file are, or may be, on the ladder already."""
    warnings = []
    if source.repeated:
        warnings.append(
            f"{counted(source.repeated, 'event')} of the file had been recorded before, with the same time, "
            "players and result. Each counts twice. If that is wrong, import only new rows, or void one of "
            "each"
        )
    if source.repeated_undated:
        warnings.append(
            f"{counted(source.repeated_undated, 'event')} of the file without a time had been recorded, "
            "with the same players and result. podium counts them as new. If the file has grown since it was "
            "imported, import only its new rows"
        )
    return warnings


def _read_document(history: History, path: Path) -> dict[str, Any]:
    """What was read of the file, called as its owner calls it; of huge files no names are proposed."""
    proposals = propose_names(history) if history.rows <= MOST_ROWS_OF_NAMES else []
    text = json.dumps(reading_document(history, proposals), ensure_ascii=False)
    document: dict[str, Any] = json.loads(_without_folder(text, path))
    return document


def _adopt(context: JobContext, choice: PresetChoice) -> None:
    """Let a ladder that has no events yet be rated by the preset for a file, unless its system is named."""
    note = f"No system was given. For the first imported events podium chose {choice.sentence}"
    while not context.write(adopt_preset, context.job.ladder, choice.preset.name, note):
        assert context.job.ladder is not None
        with context.database.reading() as connection:
            slug = ladder_of_number(connection, context.job.ladder).slug
        with context.database.building(slug):
            build_generation(
                context.write,
                context.database,
                slug,
                system=make_system(choice.preset.name),
                progress=lambda _, total: context.progress(0, total),
            )


def _system_warning(row: LadderRow, choice: PresetChoice) -> list[str]:
    """A warning if a ladder's first results are not of the kind that its preset, the usual one, is for."""
    suits = choice.preset.name
    if row.system.preset != DEFAULT_PRESET or suits == DEFAULT_PRESET:
        return []
    return [
        f"the ladder is rated by {row.system.label}. For such a file podium would choose {suits}. "
        f'To switch: POST /api/v1/ladders/{row.slug}/system with {{"system": "{suits}"}}'
    ]


def clock_tolerance(service: Service) -> float:
    """The seconds by which times may be ahead of the clock."""
    return service.settings.clock_tolerance


@contextmanager
def _naming_rows(path: Path, options: dict[str, Any]) -> Iterator[None]:
    """If an entry of the file is refused inside the block, say on which row it is; the file is read again."""
    try:
        yield
    except RefusedEntryError as refused:
        place = place_in_file(path, refused.wanted, **options)
        place["source"] = _without_folder(place["source"], path)
        raise InputError(refused.error.reason, hint=refused.error.hint, **place) from refused


def _without_folder(text: str, path: Path) -> str:
    """The text with the file called as its owner calls it."""
    return text.replace(f"{path.parent}/", "")


def _check_times(history: History, clock: ServerClock) -> None:
    """Refuse a file with a time that no report could have."""
    found = [
        (WantedEntry(event), time) for event, time in enumerate(history.time.tolist()) if clock.is_ahead(time)
    ]
    found += [
        (WantedEntry(adjustment=place), placed.time)
        for place, placed in enumerate(history.adjustments)
        if clock.is_ahead(placed.time)
    ]
    if found:
        wanted, time = found[0]
        if wanted.adjustment is None:
            what = _event_words(history.event(wanted.event))
        else:
            what = history.adjustments[wanted.adjustment].adjustment.describe()
        more = f"; {counted(len(found) - 1, 'later one')} too" if found[1:] else ""
        error = InputError(
            f"the time {shown_time(time)}, of {what}, is {clock.ahead_text}{more}",
            hint="correct the dates in the file, or set their format with time_format",
        )
        raise RefusedEntryError(error, wanted)


def _event_words(event: Event) -> str:
    """What an event is called for people who look for it in their file."""
    sides = listed([shorten(" + ".join(side)) for side in event.sides[:2]])
    more = len(event.sides) - 2
    return sides if more <= 0 else f"{sides} and {counted(more, 'other')}"


def _read(path: Path, options: dict[str, Any]) -> tuple[History, list[str]]:
    """The history that a file holds, and what may be wrong about how it was understood."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            history = read_history(path, **options)
        except PodiumError as error:  # whose file is called as its owner calls it
            reason, hint = str(error).partition("\n")[0], error.hint
            raise InputError(_without_folder(reason, path), hint=hint) from error
    return history, [_without_folder(str(one.message), path) for one in noted]
