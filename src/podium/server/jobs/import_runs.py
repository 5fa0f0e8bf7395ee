"""An import under way: pieces are rated here and written one after another, each in a short transaction.

While one piece is written, the next is rated already, on the assumption that nobody else reports to the
ladder. If others do, or correct or rebuild it, the piece is of no use: the ladder is loaded again, and for a
while each piece takes its turn among the reports, which wait until it is rated and written.

What is in memory goes on only from what is stored: a ladder with a piece that was not written is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, Protocol

from sqlalchemy import Connection

from podium.server import machine
from podium.server.jobs.imported_pieces import (
    EntryRows,
    ImportedPiece,
    Stored,
    hold_ladder,
    own_engine,
    release_ladder,
    save_ladder,
    store_imported,
    store_in_turn,
)
from podium.server.jobs.job_kinds import JobContext
from podium.server.ladders.followed_ladder import BuiltAnewError, FollowedLadder, load_ladder
from podium.server.ladders.numbered_ladder import ChangeColumns, NumberedLadder
from podium.server.log.bookmarks import Bookmark, last_bookmark
from podium.server.log.checkpoints import is_due
from podium.server.storage.inserting import names_by_number
from podium.server.storage.ladder_rows import LadderRow, ladder_of_number

ROWS_PER_PIECE = 48_000
"""Rows of events that are written together while there are no other writers. This takes some 0.15 s, in
which new writers wait: all of SQLite, or those to the same ladder on PostgreSQL. The more rows, the fewer
pages of the index of players are written again and again."""
ROWS_BESIDE_OTHERS = 8_000
"""The size of pieces while others write to SQLite, too."""
ROWS_IN_TURN = 4_000
"""The size of pieces that reports to the same ladder wait for: less than a tenth of a second."""
TURNS_BESIDE_OTHERS = 20
"""Pieces that take their turn after others have last written to the ladder."""
HELD_SECONDS = 5.0
"""How long reports to a ladder on SQLite wait for a piece at most, which is if the job process has died. If a
piece takes longer, the next one has twice as long."""
ROWS_PER_CHECKPOINT = 200_000
"""Rows after which the ladder is saved, so that whoever looks at it need not rate all of them; a large one
after more."""


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

    def begin(self, connection: Connection, live: FollowedLadder) -> int:
        """How many of its entries are in the log already; refused if it cannot be imported."""

    def forget_players(self) -> None:
        """Forget which numbers players have: the ladder is another than that of the last piece."""

    def rate(
        self, live: FollowedLadder, done: int, head: int, rows: int, *, is_rehearsal: bool = False
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
        self._rows_since_checkpoint = self._saved_bytes = 0
        self._rows = ROWS_PER_PIECE
        self._turns = 0
        """How many of the next pieces take their turn among reports."""
        self._held_seconds = HELD_SECONDS
        self._last: Bookmark
        """The last entry of the log that is in memory."""
        self._live: FollowedLadder

    def run(self) -> None:
        """Import everything that is not in the log yet."""
        done = self._load()
        if done == 0:
            self._rehearse()
            done = self._load()
        while done < self._source.total:
            if self._turns:
                done = self._take_turn(done)
                continue
            done = self._run_ahead(done)
            if done < self._source.total:
                done = self._load()
                self._turns = TURNS_BESIDE_OTHERS
        self._save(self._live.ladder.numbered(), self._live.row.generation, self._last)

    def _rehearse(self) -> None:
        """Rate everything once without recording it, so that what is refused is so before the first entry."""
        done, head = 0, self._last.number
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

    def _take(self, live: FollowedLadder) -> None:
        self._live, self._last = live, last_bookmark(live.row)
        self._source.forget_players()
        live.ladder.relabelled.clear()

    # ------------------------------------------------------------------ pieces

    def _rated(self, done: int, rows: int) -> ImportedPiece:
        live, source = self._live, self._source
        known = len(live.ladder.players)
        found = source.rate(live, done, self._last.number, rows)
        relabelled = sorted(number for number in live.ladder.relabelled if number < known)
        live.ladder.relabelled.clear()
        piece = ImportedPiece(
            ladder=self._ladder,
            generation=live.row.generation,
            behind=self._last,
            last=found.rows.end(self._last),
            job=self._context.job.id,
            done=found.done,
            total=source.total,
            engine=self._engine,
            events=live.ladder.n_events,
            players=len(live.ladder),
            last_time=live.ladder.last_time,
            amending=found.amending,
            times=list(found.times),
            changed=sum(len(columns.seq) for columns in found.changes),
            rows=found.rows,
            changes=ChangeColumns.joined(found.changes),
            fresh=names_by_number(live, range(known, len(live.ladder.players))),
            relabelled=names_by_number(live, relabelled),
        )
        return piece.stage() if self._context.database.kind == "sqlite" else piece

    def _run_ahead(self, done: int) -> int:
        """Write pieces, each while the next is rated; how far that went before somebody else reported."""
        with _writing_thread() as thread:
            under_way: Future[Stored] | None = None
            behind: tuple[NumberedLadder, int, Bookmark] | None = None
            written = done
            while done < self._source.total:
                piece = self._rated(done, self._rows)
                if under_way is not None and not self._is_written(under_way):
                    return written
                written = done
                self._last = piece.last
                done = piece.done
                self._rows_since_checkpoint += piece.changed
                under_way = thread.submit(self._context.write, store_imported, piece)
                if behind is not None:  # what this saves is written by now
                    self._save(*behind)
                checkpoint = self._due_checkpoint()
                behind = None if checkpoint is None else (checkpoint, piece.generation, piece.last)
            if under_way is not None and not self._is_written(under_way):
                return written
            return done

    def _is_written(self, under_way: Future[Stored]) -> bool:
        """Whether a piece was of use; the next ones are small while others have something to write."""
        stored = under_way.result()
        self._rows = ROWS_BESIDE_OTHERS if stored.others_wait else ROWS_PER_PIECE
        return stored.is_written

    def _take_turn(self, done: int) -> int:
        """Write one piece while reports to the ladder wait; how much of the source is in the log then."""
        try:
            piece = self._stored_in_turn(done)
        except BuiltAnewError:
            piece = None
        if piece is None:
            return self._load()
        self._last = piece.last
        self._live.advanced(self._last)
        self._rows_since_checkpoint += piece.changed
        if piece.done < self._source.total and (checkpoint := self._due_checkpoint()) is not None:
            self._save(checkpoint, piece.generation, self._last)
        return piece.done

    def _stored_in_turn(self, done: int) -> ImportedPiece | None:
        """A piece that is written; None if the log went on all the same."""
        write, ladder = self._context.write, self._ladder
        if self._context.database.kind == "postgresql":  # where this process writes itself
            return write(store_in_turn, ladder, partial(self._rated_behind, done))
        write(hold_ladder, ladder, self._held_seconds)
        try:
            with self._context.database.reading() as connection:
                piece = self._rated_behind(done, connection, ladder_of_number(connection, ladder))
            if write(store_imported, piece).is_written:
                return piece
            self._held_seconds *= 2
            return None
        finally:
            write(release_ladder, ladder)

    def _rated_behind(self, done: int, connection: Connection, row: LadderRow) -> ImportedPiece:
        """Follow the log to its end, and rate a piece behind it."""
        self._turns = TURNS_BESIDE_OTHERS if row.head > self._last.number else self._turns - 1
        self._live.follow(connection, row)
        self._take(self._live)
        return self._rated(done, ROWS_IN_TURN)

    def _due_checkpoint(self) -> NumberedLadder | None:
        """A copy of the ladder to save, if it is time for that."""
        if not is_due(self._rows_since_checkpoint, ROWS_PER_CHECKPOINT, self._saved_bytes):
            return None
        return self._live.ladder.numbered()

    def _save(self, checkpoint: NumberedLadder, generation: int, last: Bookmark) -> None:
        """Save a ladder as it was at some entry of the log."""
        content = checkpoint.to_bytes()
        self._context.write(save_ladder, self._ladder, generation, last, content)
        self._rows_since_checkpoint, self._saved_bytes = 0, len(content)


@contextmanager
def _writing_thread() -> Iterator[machine.ThreadPoolExecutor]:
    """A thread that writes pieces while the next one is rated."""
    with machine.ThreadPoolExecutor(1, "imported pieces") as thread:
        yield thread
