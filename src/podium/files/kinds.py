"""What kind of file a path names, and its bytes.

A file's name says what it is; its first bytes must agree, so that a renamed file is refused with the reason
instead of being read as nonsense.

Tables of results compress to between a fifth and a fiftieth of their size. A compressed file that holds a
thousand times its own size is one row repeated, or made to do harm: it must not fill the memory or the disk.
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
from typing import IO, Any, BinaryIO, Literal

from podium.errors import InputError

PathLike = str | os.PathLike[str]
Given = PathLike | IO[bytes] | IO[str]
"""What can be read: the name of a file, or a file that is open."""


def name_of(given: Given) -> str:
    """What messages call a file."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    name = getattr(given, "name", None)
    return name.strip("<>") if isinstance(name, str) else "stream"


if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Format = Literal["csv", "tsv", "txt", "parquet", "ndjson", "json", "pgn", "xlsx", "ods", "folder"]
Compression = Literal["gzip", "zstd"]

FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".parquet": "parquet",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "json",
    ".pgn": "pgn",
    ".xlsx": "xlsx",
    ".ods": "ods",
}
WRITTEN_FORMATS: tuple[Format, ...] = ("csv", "tsv", "ndjson", "parquet")
"""Tables that podium writes; it reads them all."""
SHEETS: tuple[Format, ...] = ("xlsx", "ods")
BINARY_FORMATS: tuple[Format, ...] = ("parquet", *SHEETS)
"""Formats whose content is no text; they are compressed inside."""
TABLE_FORMATS: tuple[Format, ...] = (*WRITTEN_FORMATS, "txt", *SHEETS)
COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}

_GZIP, _ZSTD, _PARQUET = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PAR1"
_ZIP = b"PK\x03\x04"
_WORKBOOK = "a zip archive or an Excel workbook"
_OLD_WORKBOOK = "an Excel workbook in the old format (.xls)"
_MAGIC = {
    _GZIP: "a gzip file",
    _ZSTD: "a zstd file",
    _PARQUET: "a Parquet file",
    _ZIP: _WORKBOOK,
    b"\xd0\xcf\x11\xe0": _OLD_WORKBOOK,
}
_EXPECTED = {
    "gzip": "a gzip file",
    "zstd": "a zstd file",
    "parquet": "a Parquet file",
    "xlsx": _WORKBOOK,
    "ods": _WORKBOOK,
}


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
        return FileKind("folder")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    last = suffixes[-2:-1] if compression else suffixes[-1:]
    format = FORMATS.get(last[0]) if last else None
    if format is None or (compression and format in BINARY_FORMATS):
        raise InputError(
            f"podium cannot tell what {path.name!r} is from its name",
            hint="save it as .xlsx" if last[:1] == [".xls"] else _KNOWN_NAMES,
        )
    return FileKind(format, compression)


_KNOWN_NAMES = f"the name must end in {', '.join(FORMATS)}. Text files can be compressed: .csv.gz or .csv.zst"


def kind_of_content(path: Path, name: str) -> FileKind:
    """The kind of a file that has no name, by its first bytes; text that looks like nothing else is CSV."""
    start = _start(path, name, FileKind("csv"))
    compression: Compression | None = None
    if start.startswith((_GZIP, _ZSTD)):
        compression = "gzip" if start.startswith(_GZIP) else "zstd"
        start = _start(path, name, FileKind("csv", compression))
    elif start.startswith(_PARQUET):
        return FileKind("parquet")
    elif start.startswith(_ZIP):
        return FileKind("ods" if b"opendocument.spreadsheet" in start else "xlsx")
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return FileKind("json" if text[1:].lstrip().startswith((b"{", b"[")) else "pgn", compression)
    if text.startswith(b"{"):
        first = text.partition(b"\n")[0].rstrip()
        # A contest and an answer of Codeforces are one object, over many lines or on a single long one.
        one_a_line = first.endswith(b"}") and b'"standings"' not in first and b'"status"' not in first
        return FileKind("ndjson" if one_a_line else "json", compression)
    return FileKind("csv", compression)


def _start(path: Path, name: str, kind: FileKind) -> bytes:
    with open_binary(path, kind, name) as stream:
        return stream.read(_START)


_START = 1 << 16
"""Bytes that say what a file is."""


def check_content(path: Path, kind: FileKind, name: str) -> None:
    """Refuse a file that is empty, or is not what its name says; `name` is what messages call it."""
    start = _start(path, name, FileKind(kind.format))
    if not start:
        raise InputError("the file is empty", source=name)
    _compare(name, start, _EXPECTED.get(kind.compression or kind.format), kind)
    if kind.compression is not None:
        start = _start(path, name, kind)
        if not start:
            raise InputError("the compressed file is empty", source=name)
        _compare(name, start, None, kind)


def _compare(name: str, start: bytes, expected: str | None, kind: FileKind) -> None:
    """Refuse content whose first bytes are those of something else."""
    found = next((what for magic, what in _MAGIC.items() if start.startswith(magic)), None)
    if found == expected:
        return
    said = expected or f"{kind.format} text"
    raise InputError(
        f"the name ends in {said}, but the content is {found or 'something else'}",
        source=name,
        hint="save it as .xlsx" if found == _OLD_WORKBOOK else "rename the file to match its content",
    )


@contextmanager
def open_binary(path: Path, kind: FileKind, name: str) -> Iterator[BinaryIO]:
    """The decompressed bytes of a file; damage found while they are read is an error about `name`."""
    opened: dict[Compression | None, Any] = {"gzip": gzip.open, "zstd": zstd.open, None: open}
    try:
        with opened[kind.compression](path, "rb") as stream:
            yield stream
    except (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError) as error:
        raise InputError(
            f"the compressed data is damaged or cut short: {error}", source=name, hint="download it again"
        ) from error
    except OSError as error:
        raise InputError(f"cannot read it: {error.strerror or error}", source=name) from error


MAX_RATIO = 1000.0
"""Bytes that a byte of a compressed file may hold; more is refused unless somebody allows it."""
ANY_RATIO_UP_TO = 1 << 30
"""Decompressed bytes up to which no ratio is refused: any computer can take them."""
IN_MEMORY_BYTES = 512 * 1024**2
"""Decompressed bytes up to which a file is read at once; larger ones are read in pieces."""


def check_expansion(path: Path, name: str, size: int, max_ratio: float) -> None:
    """Refuse a file that holds `size` bytes or more, decompressed, if that is out of proportion."""
    if size <= ANY_RATIO_UP_TO:
        return
    packed = path.stat().st_size
    if size > max_ratio * packed:
        raise InputError(
            f"its {in_words(packed)} unpack to more than {in_words(size)}, {size / packed:,.0f} "
            "times as much, which no normal table does",
            source=name,
            hint="if you trust the file, use --max-ratio inf (max_ratio=math.inf)",
        )


def in_words(size: int) -> str:
    """A number of bytes for people.

    >>> in_words(999), in_words(524_288), in_words(6_400_000_000)
    ('999 bytes', '524 KB', '6.4 GB')
    """
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"
