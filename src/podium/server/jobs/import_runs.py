"""An import under way: pieces are rated here and written one after another, each in a short transaction.

While one piece is written, the next is rated already, on the assumption that nobody else reports to the
ladder. If somebody does, the piece is of no use: the ladder is loaded again, and for a while pieces are small
and none is rated before the one before it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from podium.server.jobs.imported_pieces import (
    EntryRows,
    ImportedPiece,
    Stored,
    own_engine,
    save_ladder,
    store_imported,
)
from podium.server.jobs.job_kinds import JobContext
from podium.server.ladders.live_ladder import LiveLadder, load_ladder
from podium.server.ladders.served_ladder import ChangeColumns
from podium.server.storage.inserting import names_by_number
from podium.server.storage.ladder_rows import ladder_of_number

ROWS_PER_PIECE = 24_000
"""Rows of events that are written together: about a tenth of a second, for which all other writers of SQLite
wait, and whoever reports to the same ladder on PostgreSQL. The more there are, the fewer pages of the index
of players are written again and again."""
ROWS_BESIDE_OTHERS = 8_000
"""The size of pieces while others write to SQLite, too."""
ROWS_IN_CAUTION, PIECES_IN_CAUTION = 200, 50
"""The size of pieces after somebody else has reported to the ladder, and for how many of them."""
ROWS_PER_CHECKPOINT = 200_000
"""Rows after which the ladder is saved, so that whoever looks at it need not rate all of them."""


class StaleError(Exception):
    """The log has gone on since a piece was rated."""


class RatedPiece(NamedTuple):
    """Entries that were rated on a ladder, as rows, and how far the source has come with them."""

    rows: EntryRows
    changes: list[ChangeColumns]
    done: int
    amending: int = 0
    """How many of them amend others or come late."""
    times: Sequence[tuple[int, int]] = ()
    """Entries that are rated at other times than those of their rows, until what amends them counts."""


class Source(Protocol):
    """What is imported."""

    total: int
    """Its entries."""

    def begin(self, connection: Connection, live: LiveLadder) -> int:
        """How many of its entries are in the log already; refused if it cannot be imported."""

    def forget_players(self) -> None:
        """Forget which numbers players have: the ladder is another than that of the last piece."""

    def rate(
        self, live: LiveLadder, done: int, head: int, rows: int, *, is_rehearsal: bool = False
    ) -> RatedPiece:
        """Rate its next entries behind `done`, which have about so many rows; the log stands at `head`.

        In a rehearsal nobody needs what would be written.
        """


class ImportRun:
    """The import of a source into a ladder."""

    def __init__(self, context: JobContext, source: Source) -> None:
        self._context, self._source = context, source
        assert context.job.ladder is not None
        self._ladder = context.job.ladder
        self._engine = context.write(own_engine)
        self._rows_since_checkpoint = 0
        self._rows = ROWS_PER_PIECE
        self._head = 0
        self._live: LiveLadder

    def run(self) -> None:
        """Import everything that is not in the log yet."""
        done = self._load()
        if done == 0:
            self._rehearse()
            done = self._load()
        caution = 0
        while done < self._source.total:
            if caution:
                done = self._go_cautiously(done)
                caution -= 1
                continue
            done = self._run_ahead(done)
            if done < self._source.total:
                done = self._load()
                caution = PIECES_IN_CAUTION
        self._save()

    def _rehearse(self) -> None:
        """Rate everything once without recording it, so that what is refused is so before the first entry."""
        done, head = 0, self._head
        while done < self._source.total:
            piece = self._source.rate(self._live, done, head, ROWS_PER_CHECKPOINT, is_rehearsal=True)
            head += piece.done - done
            done = piece.done
            self._context.progress(0, self._source.total)

    def _load(self) -> int:
        """Load the ladder as it is stored; how much of the source is in its log."""
        with self._context.database.reading() as connection:
            live = load_ladder(connection, ladder_of_number(connection, self._ladder))
            done = self._source.begin(connection, live)
        self._take(live)
        return done

    def _take(self, live: LiveLadder) -> None:
        self._live, self._head = live, live.head
        self._source.forget_players()
        live.ladder.relabelled.clear()

    # ------------------------------------------------------------------ pieces

    def _rated(self, done: int, rows: int) -> ImportedPiece:
        live, source = self._live, self._source
        known = len(live.ladder.players)
        found = source.rate(live, done, self._head, rows)
        relabelled = sorted(number for number in live.ladder.relabelled if number < known)
        live.ladder.relabelled.clear()
        piece = ImportedPiece(
            ladder=self._ladder,
            generation=live.row.generation,
            head=self._head,
            job=self._context.job.id,
            done=found.done,
            total=source.total,
            engine=self._engine,
            events=live.ladder.n_events,
            players=len(live.ladder),
            last_time=live.ladder.last_time,
            entries=len(found.rows.rows),
            amending=found.amending,
            times=list(found.times),
            changed=sum(len(columns.seq) for columns in found.changes),
            rows=found.rows,
            changes=found.changes,
            fresh=names_by_number(live, range(known, len(live.ladder.players))),
            relabelled=names_by_number(live, relabelled),
        )
        return piece.stage() if self._context.database.kind == "sqlite" else piece

    def _run_ahead(self, done: int) -> int:
        """Write pieces, each while the next is rated; how far that went before somebody else reported."""
        with _writing_thread() as thread:
            under_way: Future[Stored] | None = None
            written = done
            while done < self._source.total:
                piece = self._rated(done, self._rows)
                if under_way is not None and not self._is_written(under_way):
                    return written
                written = done
                under_way = thread.submit(self._context.write, store_imported, piece)
                self._head += piece.entries
                done = piece.done
                self._rows_since_checkpoint += piece.changed
                if self._rows_since_checkpoint >= ROWS_PER_CHECKPOINT and self._is_written(under_way):
                    self._save()
            if under_way is not None and not self._is_written(under_way):
                return written
            return done

    def _is_written(self, under_way: Future[Stored]) -> bool:
        """Whether a piece was of use; the next ones are small while others have something to write."""
        stored = under_way.result()
        self._rows = ROWS_BESIDE_OTHERS if stored.others_wait else ROWS_PER_PIECE
        return stored.is_written

    def _go_cautiously(self, done: int) -> int:
        """Write one piece, as small as can be, unless somebody else reports again meanwhile."""
        with self._context.database.reading() as connection:
            self._live.follow(connection, ladder_of_number(connection, self._ladder))
        self._take(self._live)
        relabels = False

        def rate_and_write() -> ImportedPiece:
            nonlocal relabels
            piece = self._rated(done, ROWS_IN_CAUTION)
            relabels = bool(piece.relabelled)
            if not self._context.write(store_imported, piece).is_written:
                raise StaleError
            return piece

        try:
            piece = self._live.ladder.tried(rate_and_write)
        except StaleError:
            if relabels:
                self._load()
            return done
        self._head += piece.entries
        self._live.advanced(self._head)
        return piece.done

    def _save(self) -> None:
        """Save the ladder as it is now."""
        content = self._live.ladder.numbered().to_bytes()
        self._context.write(save_ladder, self._ladder, self._live.row.generation, self._head, content)
        self._rows_since_checkpoint = 0


@contextmanager
def _writing_thread() -> Iterator[ThreadPoolExecutor]:
    """A thread that writes pieces while the next one is rated."""
    with ThreadPoolExecutor(1, "imported pieces") as thread:
        yield thread
