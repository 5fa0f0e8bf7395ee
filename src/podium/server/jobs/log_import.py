"""An export of a ladder as what is imported: the same log, into an empty ladder that is then equal.

Every entry keeps its number, key, times and content, whatever its kind. Ratings are not taken from the file:
they are computed from the log here, as they always are. What amends the log is appended as it is, and a job
of its own rates what it changes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite, isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

import polars as pl
from sqlalchemy import Connection, select

from podium.documents.reading_documents import ReadingDocument
from podium.errors import InputError, PodiumError
from podium.files.panics import PanicError, catching_panics
from podium.history import Event, Merge
from podium.history.events import check_share
from podium.ladder.recorded_keys import LONGEST_KEY
from podium.server.correcting.rerating_jobs import enqueue_rerating
from podium.server.jobs.adopted_systems import adopt_settings, as_exported
from podium.server.jobs.exporting import DESCRIPTION_FILE, EXPORT_FORMATS, log_schema, player_schema
from podium.server.jobs.import_previews import import_preview
from podium.server.jobs.import_runs import ImportRun, RatedPiece
from podium.server.jobs.imported_pieces import ENTRY_COLUMNS, EntryRows
from podium.server.jobs.job_kinds import JobContext
from podium.server.ladders.followed_ladder import FollowedLadder
from podium.server.log.log_entries import Account, LogEntry, checksum_of, entry_of
from podium.server.log.reports import check_name
from podium.server.storage import tables
from podium.server.storage.ladder_rows import find_ladder, ladder_of_number
from podium.tables.written_tables import unmarked_frame

if TYPE_CHECKING:
    from podium.server.service import Service

LARGEST_EXPANSION = 200
"""How many times its own size an export may hold, where that is more than a gigabyte."""
GIGABYTE = 1_000_000_000
ENTRIES_PER_ROWS = 3
"""How many rows of changes an entry of the log has in the mean, where nobody has counted."""
FINGERPRINT_LETTERS = 32
_DAMAGES = (
    *(KeyError, TypeError, ValueError, EOFError, OSError, RuntimeError),
    *(BadZipFile, zlib.error, pl.exceptions.PolarsError, PanicError),
)
"""What reading a damaged export raises."""
NEWER_COLUMNS = ("merged_into", "former_name")
"""Columns that exports of older versions do not have."""


def is_export(path: Path) -> bool:
    """Whether a file is an export of a ladder; spreadsheets are zip files too."""
    try:
        with ZipFile(path) as archive:
            return DESCRIPTION_FILE in archive.namelist()
    except (BadZipFile, OSError):
        return False


def import_export(context: JobContext, path: Path) -> dict[str, Any]:
    """Record the log of an export in an empty ladder; a dry run only tells what that would give."""
    assert context.job.ladder is not None
    try:
        with catching_panics():
            source = LogSource(context, path)
    except _DAMAGES as error:
        raise InputError(
            f"{path.name} is not in the format of a ladder exported by podium: {error}"
        ) from error
    result = {"file": path.name, "skipped": 0, "warnings": [], "notes": [], "reading": source.reading()}
    if context.job.arguments.get("dry_run", False):
        preview = import_preview(context, source, lambda row: as_exported(row, source.description))
        warning = "the voids, corrections and late events of the log are not in this leaderboard yet"
        return {
            **result,
            "entries": 0,
            "warnings": [warning] if source.amends else [],
            "system": preview.system,
            "players": preview.players,
            "board": preview.board,
        }
    context.write(adopt_settings, context.job.ladder, source.description)
    ImportRun(context, source).run()
    if source.amends:
        context.write(order_rerating, context.job.ladder, context.job.actor)
    return {**result, "entries": source.total}


class LogSource:
    """The log of an export."""

    def __init__(self, context: JobContext, path: Path) -> None:
        self._file, self._recorded = path.name, context.job.done
        with ZipFile(path) as archive, TemporaryDirectory(prefix="podium-export-") as folder:
            _check_expansion(archive, path)
            self.description: dict[str, Any] = json.loads(archive.read(DESCRIPTION_FILE))
            if self.description["format"] > max(EXPORT_FORMATS.values()):
                raise InputError(f"{path.name} was exported by a newer podium", hint="upgrade podium")
            kind = self.description["tables"]
            is_marked = self.description["format"] >= EXPORT_FORMATS["csv"]
            names = _table(archive, folder, f"players.{kind}", player_schema(), is_marked=is_marked)
            self._log = _table(archive, folder, f"log.{kind}", log_schema(), is_marked=is_marked)
        self._players: list[str | None] = names["name"].to_list()
        self._merged = self._accounts_merged(names)
        self._exported: int = self.description["ladder"]
        self.total = len(self._log)
        self.amends = not self._log["place"].is_null().all() or not self._log["target"].is_null().all()
        """Whether some of it amends the rest."""
        self._check(names)

    def _accounts_merged(self, names: pl.DataFrame) -> dict[int, Account]:
        """The accounts that were merged into others; in an older export only the log tells which."""
        adjusted = self._log.filter(pl.col("kind") == "adjustment")["payload"]
        merges = [plain for plain in map(json.loads, adjusted) if plain["adjustment"] == Merge.kind]
        found = {plain["player"]: Account(None, plain["into"]) for plain in merges}
        found |= {number: Account(*account) for number, *account in names.iter_rows()}
        nameless = {number for number, name in enumerate(self._players) if name is None}
        return {
            number: one for number, one in found.items() if one.merged_into is not None and number in nameless
        }

    def reading(self) -> ReadingDocument:
        """What it holds, as of other files."""
        events, players = int((self._log["kind"] == "event").sum()), len(self._players) - len(self._merged)
        return {"files": [], "events": events, "players": players, "skipped": [], "names": []}

    def _check(self, names: pl.DataFrame) -> None:
        """Refuse what podium would not have written."""
        if names["number"].to_list() != list(range(len(names))):
            raise InputError(f"{self._file}: players are not numbered from 0 on")
        if self._log["seq"].to_list() != list(range(1, self.total + 1)):
            raise InputError(f"{self._file}: entries of the log are missing, or not in order")
        given = [name for name in self._players if name is not None]
        if len(set(given)) < len(given):
            raise InputError(f"{self._file}: two players have the same name")
        for number, name in enumerate(self._players):
            if name is not None:
                with self._naming(f"player {number}"):
                    check_name(name, "a player's name")
        keys = self._log["key"].to_list()
        if len(set(keys)) < self.total or not all(0 < len(key) <= LONGEST_KEY for key in keys):
            raise InputError(f"{self._file}: an idempotency key is too long or used twice")

    @contextmanager
    def _naming(self, what: str) -> Iterator[None]:
        """If something is refused inside the block, say of what it is."""
        try:
            yield
        except PodiumError as error:
            raise InputError(f"{what}: {error.reason}", source=self._file, hint=error.hint) from error

    def begin(self, connection: Connection, live: FollowedLadder) -> int:
        """How much of the log is there already: nothing, or what this job has recorded before."""
        head = live.head
        if head and not self._recorded:
            raise InputError(
                f"the ladder {live.row.slug!r} already has entries, but an export needs an empty ladder",
                hint="create a new ladder for it",
            )
        if head:
            table = tables.event
            query = select(table.c.key).where(table.c.ladder == live.row.id, table.c.seq == head)
            if head > self.total or connection.execute(query).scalar_one() != self._log["key"][head - 1]:
                raise InputError(f"a report reached {live.row.slug!r} while the export was being imported")
        return head

    def forget_players(self) -> None:
        """Nothing: all players have the numbers of the export."""

    def rate(
        self, live: FollowedLadder, done: int, head: int, rows: int, *, is_rehearsal: bool = False
    ) -> RatedPiece:
        """Rate the next entries; those that amend others wait until all are there."""
        ladder = live.ladder
        if done == 0:
            ladder.add_names(self._players)
            ladder.merged = self._merged
        found: list[tuple[Any, ...]] = []
        entries: list[LogEntry] = []
        times: list[tuple[int, int]] = []
        stored_times: dict[int, int] = {}

        def note(entry: LogEntry) -> None:
            if entry.rated_time != stored_times[entry.number]:
                times.append((entry.number, entry.rated_time))

        for values in self._log.slice(done, max(1, rows // ENTRIES_PER_ROWS)).iter_rows(named=True):
            with self._naming(f"entry {values['seq']} of the log"):
                row = self._stored(values)
                entry = entry_of(row, ladder.name_of)
                _check_entry(entry, row)
            if entry.is_ordinary:
                stored_times[entry.number] = entry.rated_time
                entries.append(replace(entry, rated_time=entry.own_time))
            row.ladder = live.row.id
            row.checksum = checksum_of(row)
            found.append(tuple(getattr(row, name) for name in ENTRY_COLUMNS))
        with self._naming(f"entries {done + 1} to {done + len(found)} of the log"):
            changes = ladder.rate(entries, note, again=True)
        stored = EntryRows(ENTRY_COLUMNS, found)
        amending = len(found) - len(entries)
        return RatedPiece(stored, changes, done + len(found), amending=amending, times=times)

    def _stored(self, values: dict[str, Any]) -> SimpleNamespace:
        """A row of the log as it was stored where it was exported, which its checksum has to fit."""
        fingerprint = values["fingerprint"]
        if type(fingerprint) is not str or len(fingerprint) != FINGERPRINT_LETTERS:
            raise InputError("it has no fingerprint")
        return SimpleNamespace(
            **{**values, "fingerprint": bytes.fromhex(fingerprint), "ladder": self._exported}
        )


def _check_entry(entry: LogEntry, row: SimpleNamespace) -> None:
    """Refuse an entry that could not have been reported: whoever made the file may have made it up."""
    event = entry.content
    earliest = 0 if entry.target is None else 1
    amended = entry.place if entry.target is None else entry.target
    if entry.kind != row.kind or not (amended is None or earliest <= amended < entry.number):
        raise InputError("it amends an entry that does not come before it")
    entry.grounds.check()
    if not isinstance(event, Event):
        return
    Event.of(
        teams=event.sides,
        ranks=event.ranks,
        weight=event.weight,
        home=event.home,
        unrated=event.unrated,
        play=dict(event.play),
        ceiling=event.ceiling,
        name=event.name,
    )
    if event.share is not None:  # older versions took one that contradicts the ranks
        check_share(event.share, event.sides, event.name)
    if event.name is not None:
        check_name(event.name, "an event's name")
    scores = event.scores or ()
    if len(scores) not in (0, len(event.sides)) or not all(isfinite(one) or isnan(one) for one in scores):
        raise InputError("it has invalid scores")


def _check_expansion(archive: ZipFile, path: Path) -> None:
    size = sum(one.file_size for one in archive.infolist())
    if size > max(GIGABYTE, LARGEST_EXPANSION * path.stat().st_size):
        raise InputError(f"{path.name} would take {size:,} bytes after decompression")


def _table(
    archive: ZipFile, folder: str, name: str, schema: dict[str, Any], *, is_marked: bool
) -> pl.DataFrame:
    """A table of an export, with the columns of a schema and in their types."""
    unpacked = Path(archive.extract(name, folder))
    if unpacked.suffix == ".parquet":
        frame = pl.read_parquet(unpacked)
    else:
        frame = pl.read_csv(unpacked, schema_overrides=schema, infer_schema_length=0)
        frame = unmarked_frame(frame) if is_marked else frame
    newer = [pl.lit(None).alias(column) for column in NEWER_COLUMNS if column not in frame.columns]
    return frame.with_columns(newer).select(pl.col(column).cast(dtype) for column, dtype in schema.items())


# ---------------------------------------------------------------------- what is written


def order_rerating(service: Service, ladder: int, actor: str | None) -> None:
    """Have what the log amends rated by a job, unless one is ordered already."""
    with service.database.writing() as connection:
        row = find_ladder(connection, ladder_of_number(connection, ladder).slug, lock=True)
        enqueue_rerating(connection, row, actor)
