"""The rows of a file in pieces, with little more than one piece in memory at a time."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

import polars as pl

from podium.files.panics import catching_panics
from podium.tables.columns.shapes import ROW
from podium.tables.sources.separators import LONGEST_LINE

BLANK = "podium:blank"
"""The column that says which lines of a text file have no cell at all."""
_BLOCK_BYTES = 8 << 20
"""Bytes of text that Polars reads at once where a file is read in pieces."""
_ROWS_STREAMED = 1 << 17
"""Most rows that Polars hands over at once: it holds several such lots ready, and their memory adds up."""

FRAMES_AHEAD = 2
"""Frames that are made before they are needed, of some ten megabytes each: a piece of a million matches has
five, and one whole piece ahead raised the peak by 75 MB."""


def header_line(stream: BinaryIO, lines_above: int) -> bytes:
    """The line with the names of the columns; the stream stands behind it then."""
    for _ in range(lines_above):
        stream.readline()
    header = b"\n"
    while header in (b"\n", b"\r\n"):  # blank lines before the header are nothing
        header = stream.readline().removeprefix(codecs.BOM_UTF8)
    return header


def first_lines(stream: BinaryIO, lines_above: int, count: int) -> bytes:
    """The header and the first lines after it."""
    return b"".join(
        [header_line(stream, lines_above), *(stream.readline(LONGEST_LINE) for _ in range(count))]
    )


def line_blocks(stream: BinaryIO, lines_above: int) -> Iterator[bytes]:
    """The lines after the header, some megabytes at a time, each time with the header above them."""
    header = header_line(stream, lines_above)
    parts = [header]
    while block := stream.read(_BLOCK_BYTES):
        end = block.rfind(b"\n") + 1
        parts.append(block[:end])
        if end:
            yield b"".join(parts)
            parts = [header]
        parts.append(block[end:])
    if any(parts[1:]):
        yield b"".join(parts)


def collected(lazy: pl.LazyFrame) -> pl.DataFrame:
    """All rows of a query."""
    with catching_panics():
        return lazy.collect(engine="streaming", optimizations=_optimizations())


def _optimizations() -> pl.QueryOptFlags:
    """How to plan a query: moving a filter over thousands of columns into the reader takes Polars minutes."""
    return pl.QueryOptFlags(predicate_pushdown=False)


def streamed(lazy: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """The rows of a query as Polars hands them over, at most so many at a time."""
    with catching_panics():
        size = min(rows, _ROWS_STREAMED)
        batches = iter(
            lazy.collect_batches(chunk_size=size, maintain_order=True, optimizations=_optimizations())
        )
    while True:
        with catching_panics():
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def pieces(frames: Iterator[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in frames of exactly `rows` rows, but for the last one."""
    held: list[pl.DataFrame] = []
    for frame in frames:
        held.append(frame)
        del frame  # or two pieces are in memory while the next one is read
        while sum(map(len, held)) >= rows:
            yield _taken(held, rows)
    if any(map(len, held)):
        yield _taken(held, rows)


def read_ahead(frames: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """The same frames; while one is used, another thread makes the next few: Polars needs no Python."""
    thread = ThreadPoolExecutor(1, "podium read ahead")
    following: deque[Future[pl.DataFrame | None]] = deque()
    try:
        following.extend(thread.submit(next, frames, None) for _ in range(FRAMES_AHEAD))
        while (frame := following.popleft().result()) is not None:
            following.append(thread.submit(next, frames, None))
            yield frame
            del frame  # or one more is in memory while the next is read
    finally:
        # Nobody reads on, but the thread is not waited for: whoever stops early may be the garbage collector,
        # in a thread that is just being started and holds the lock that the end of another one needs.
        for late in following:
            if not late.cancel():
                late.exception()
        thread.shutdown(wait=False)


def _taken(held: list[pl.DataFrame], rows: int) -> pl.DataFrame:
    """The first rows of several frames, of which they are taken away."""
    whole = pl.concat(held, how="vertical_relaxed")  # some may have numbers, and later ones text
    held[:] = [whole[rows:]] if len(whole) > rows else []
    return whole[:rows]


def without_blank(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame without lines that have no cell: these are no rows."""
    if BLANK not in frame.columns:
        return frame
    blank = frame[BLANK]
    frame = frame.drop(BLANK)
    return frame.filter(~blank) if blank.any() else frame


def text_frame(rows: list[list[Any]], names: list[str]) -> pl.DataFrame:
    """A frame of text; of columns with one name the first has it."""
    first = {name: i for i, name in reversed(list(enumerate(names)))}
    distinct = [name if first[name] == i else f"{name}_duplicated_{i}" for i, name in enumerate(names)]
    return pl.DataFrame(rows, schema={ROW: pl.UInt32} | dict.fromkeys(distinct, pl.String), orient="row")
