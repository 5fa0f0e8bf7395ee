"""A file that somebody gave, by name or open, made ready to be read: on disk, of a known kind, in UTF-8."""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from podium.errors import InputError, ParameterError
from podium.files.atomic import removed_at_end
from podium.files.kinds import (
    BINARY_FORMATS,
    COMPRESSIONS,
    FORMATS,
    IN_MEMORY_BYTES,
    FileKind,
    Given,
    PathLike,
    check_content,
    kind_of,
    kind_of_content,
    name_of,
)
from podium.files.text_encoding import UTF8, WINDOWS, inspected, utf8_blocks
from podium.tables.columns.shapes import ReadOptions
from podium.tables.reading_notes import ReadingNotes
from podium.tables.sources.sample_files import sample_path

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.*)", re.DOTALL)
_FETCHING = {"s3": "aws s3 cp {} .", "gs": "gcloud storage cp {} ."}


@dataclass(frozen=True)
class ReadableFile:
    """A file whose content podium can read."""

    name: str
    """What messages call it."""
    path: Path
    """Where its bytes are; a copy if they had to be decompressed or changed."""
    kind: FileKind
    digest: str
    guess: str | None = None
    """What was decided about its letters without being certain."""
    has_quotes: bool = True
    """Whether a text may have quotes, so that a record can take several lines."""
    size: int = 0
    """How many bytes it holds, decompressed."""

    @property
    def stem(self) -> str:
        """The name without folders and suffixes: `spring` of `results/spring.csv.gz`."""
        path = Path(self.name)
        path = path.with_suffix("") if path.suffix.lower() in COMPRESSIONS else path
        return path.stem if path.suffix.lower() in FORMATS else path.name

    def notes(self) -> ReadingNotes:
        """The notes on reading it, with what is known already."""
        notes = ReadingNotes(self.name, self.digest)
        if self.guess is not None:
            notes.guess(self.guess)
        return notes


def existing_path(given: PathLike) -> Path:
    """The path of a file or folder that is there, or of a sample; podium fetches nothing from elsewhere.

    A file or folder that is called like a sample comes first: a `Path` forgets the `./` that would tell.
    """
    path = Path(given)
    if path.exists():
        return path
    if (sample := sample_path(given)) is not None:
        return sample
    if address := _URL.fullmatch(os.fspath(given)):
        raise _no_fetching(address[1].lower(), address[2])
    raise InputError("there is no such file or folder", source=str(path))


def _no_fetching(scheme: str, rest: str) -> InputError:
    if scheme == "file":
        return InputError("podium reads files by their path", hint=f"give it /{rest}")
    url = f"{scheme}://{rest}"
    command = _FETCHING.get(scheme, "curl -LO {}").format(url)
    return InputError("podium does not download files", source=url, hint=f"download it first: {command}")


@contextmanager
def readable(given: Given, options: ReadOptions) -> Iterator[ReadableFile]:
    """A file ready to be read; copies that this needs are gone when the block ends."""
    with ExitStack() as stack:
        name = name_of(given)
        if isinstance(given, (str, os.PathLike)) and existing_path(given).is_fifo():
            given = stack.enter_context(open(given, "rb"))  # a pipe can be read only once
        if isinstance(given, (str, os.PathLike)):
            path = existing_path(given)
            kind = kind_of(path)
            if kind.format == "folder":
                raise InputError("it is a folder", source=name, hint="give the name of a file")
        else:
            path = stack.enter_context(_copied(_blocks_of(given, name), name))
            if not path.stat().st_size:
                raise InputError("there is nothing to read", source=name)
            kind = kind_of_content(path, name)
        check_content(path, kind, name)
        if kind.compression is None or kind.format in BINARY_FORMATS:
            content = inspected(path, kind, name, options.encoding, options.max_ratio)
        else:
            copy = _PlainCopy(stack)
            content = inspected(path, kind, name, options.encoding, options.max_ratio, copy.add)
            if (plain := copy.path()) is not None:
                path, kind = plain, FileKind(kind.format)
        by_header = kind.format == "pgn" and content.encoding == WINDOWS and options.encoding is None
        if (content.encoding != UTF8 or content.ends_in_cr) and not by_header:
            path = stack.enter_context(_copied(utf8_blocks(path, kind, name, content), name))
            kind = FileKind(kind.format)
        yield ReadableFile(
            name,
            path,
            kind,
            content.digest,
            content.guess,
            content.has_quotes,
            content.size,
        )


def _blocks_of(stream: IO[Any], name: str) -> Iterator[bytes]:
    """What is left to read of an open file; text as UTF-8."""
    if not hasattr(stream, "read"):
        raise ParameterError(
            f"{type(stream).__name__} is not a file",
            hint="give the path of a file, an open file, or a dataframe",
        )
    try:
        while block := stream.read(1 << 20):
            yield block.encode() if isinstance(block, str) else block
    except (OSError, UnicodeError, io.UnsupportedOperation) as error:
        raise InputError(f"cannot read it: {error}", source=name) from error


@contextmanager
def _copied(blocks: Iterator[bytes], name: str) -> Iterator[Path]:
    """The path of a temporary file with these bytes."""
    with removed_at_end(tempfile.mkdtemp(prefix="podium-")) as folder:
        path = folder / "copy"
        try:
            with path.open("wb") as file:
                file.writelines(blocks)
        except OSError as error:  # of writing: what is wrong with the blocks is an InputError already
            raise InputError(
                f"cannot copy it to {folder}: {error.strerror}",
                source=name,
                hint="set TMPDIR to a folder on a disk with more room",
            ) from error
        yield path


class _PlainCopy:
    """A decompressed copy of a file, written while its bytes are looked at: nobody decompresses it again.

    There is none of a file that is too large, and none for want of room.
    """

    def __init__(self, stack: ExitStack) -> None:
        self._file: io.FileIO | None = None
        with suppress(OSError):
            folder = stack.enter_context(removed_at_end(tempfile.mkdtemp(prefix="podium-")))
            # Without a buffer, which a full disk would leave unwritten until the file is closed.
            self._file = stack.enter_context((folder / "copy").open("wb", buffering=0))

    def add(self, block: bytes) -> None:
        """Write the next bytes of the file."""
        if self._file is None:
            return
        with suppress(OSError):
            if self._file.tell() + len(block) <= IN_MEMORY_BYTES and self._file.write(block) == len(block):
                return
        self._file.truncate(0)
        self._file = None

    def path(self) -> Path | None:
        """Where the copy of all bytes is, if there is one."""
        return None if self._file is None else Path(str(self._file.name))
