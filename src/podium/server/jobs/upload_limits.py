"""How much a file to import may hold: a small one must not fill the machine's memory."""

from __future__ import annotations

import struct
import zlib
from os import SEEK_CUR
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

from podium.errors import InputError
from podium.files.expansion import in_words
from podium.files.kinds import SHEETS, FileKind, check_content, kind_of, open_binary

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
            f"{path.name} holds more than {in_words(limits.unpacked_bytes)} when it is decompressed",
            hint="cut it into several files; the setting unpacked_bytes is the limit",
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
                    hint="a line is one row of the table; the setting line_bytes is the limit",
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
