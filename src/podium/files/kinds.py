"""What kind of file a path names, and its bytes.

A file's name says what it is; its first bytes must agree, so that a renamed file is refused with the reason
instead of being read as nonsense.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from podium.errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Format = Literal["csv", "tsv", "parquet", "ndjson", "json", "pgn", "contests"]
Compression = Literal["gzip", "zstd"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
    ".pgn": "pgn",
}
TABLE_FORMATS: tuple[Format, ...] = ("csv", "tsv", "ndjson", "parquet")
COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}

_MAGIC = {
    b"\x1f\x8b": "a gzip file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}
_EXPECTED = {"gzip": "a gzip file", "zstd": "a zstd file", "parquet": "a Parquet file"}


@dataclass(frozen=True)
class FileKind:
    """The format and the compression of a file, by its name."""

    format: Format
    compression: Compression | None = None


def kind_of(path: str | os.PathLike[str]) -> FileKind:
    """The kind of file by its name.

    >>> kind_of("games.pgn.zst")
    FileKind(format='pgn', compression='zstd')
    """
    path = Path(path)
    if path.is_dir():
        return FileKind("contests")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    last = suffixes[-2:-1] if compression else suffixes[-1:]
    if not last or last[0] not in FORMATS or (compression and last[0] == ".parquet"):
        raise InputError(
            f"podium cannot tell what {path.name!r} is from its name",
            hint=f"it knows {', '.join(FORMATS)}, each but parquet also with .gz or .zst, "
            "and folders of contest JSON",
        )
    return FileKind(FORMATS[last[0]], compression)


def check_content(path: Path, kind: FileKind) -> None:
    """Refuse a file that is not there, is empty, or is not what its name says."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror}", source=str(path)) from error
    if not start:
        raise InputError("the file is empty", source=str(path))
    _compare(path, start, _EXPECTED.get(kind.compression or kind.format), kind)
    if kind.compression is not None:
        with open_binary(path, kind) as inner:
            start = inner.read(4)
        if not start:
            raise InputError("there is nothing in the compressed file", source=str(path))
        _compare(path, start, None, kind)


def _compare(path: Path, start: bytes, expected: str | None, kind: FileKind) -> None:
    """Refuse content whose first bytes are those of something else."""
    found = next((what for magic, what in _MAGIC.items() if start.startswith(magic)), None)
    if found == expected:
        return
    said = expected or f"{kind.format} text"
    hint = "save it as UTF-8" if found == "UTF-16 text" else "give it the name of what it is"
    raise InputError(
        f"the name says {said}, but the content is {found or 'something else'}", source=str(path), hint=hint
    )


@contextmanager
def open_binary(path: Path, kind: FileKind) -> Iterator[BinaryIO]:
    """The decompressed bytes of a file; damage found while they are read is an error about the file."""
    opened: dict[Compression | None, Any] = {"gzip": gzip.open, "zstd": zstd.open, None: open}
    try:
        with opened[kind.compression](path, "rb") as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError) as error:
        raise InputError(
            f"the compressed data is damaged or cut short: {error}", source=str(path), hint="fetch it again"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror or error}", source=str(path)) from error
