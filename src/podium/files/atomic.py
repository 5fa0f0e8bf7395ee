"""Files that are whole or not there; what is no file is written through.

A regular file, or a path where there is nothing yet, gets a new file in one step; a link to one keeps being a
link. A pipe, a terminal, `/dev/null`, `/dev/stdout` and other devices of characters are written through, as
`cp` and the shell do: they stay what they are. Folders, disks and sockets are refused.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from podium.errors import InputError, PodiumError
from podium.files.leftovers import PARTS, locked_temporary, sweep
from podium.files.panics import PanicError, catching_panics

_unfinished: set[Path] = set()
"""The files and folders of the blocks of `removed_at_end` that are running."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    Whatever happens before that, `path` stays as it was: the new content is written and flushed to the disk
    under another name first, and renaming is one step. A link is followed, and permissions are kept. Pipes
    and devices stay in their place: the whole content is written through them when the block ends well.
    """
    if is_stream(path):
        with _through(path) as temporary:
            yield temporary
        return
    target = Path(os.path.realpath(path))
    with (
        writing(path),
        _locked_beside(target) as temporary,
        removed_at_end(temporary),
        removed_at_end(f"{temporary}{PARTS}"),
    ):
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        yield temporary
        _flush(temporary)
        os.replace(temporary, target)
    _flush(target.parent)


@contextmanager
def _locked_beside(target: Path) -> Iterator[Path]:
    """A temporary file beside the target; what killed processes left of earlier ones is removed first."""
    sweep(target)
    with locked_temporary(target) as temporary:
        yield temporary


@contextmanager
def removed_at_end(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file or folder that is there for the time of the block, and removed however the block ends."""
    temporary = Path(path)
    _unfinished.add(temporary)
    try:
        yield temporary
    finally:
        _remove(temporary)
        _unfinished.discard(temporary)


def remove_unfinished() -> None:
    """Remove what blocks of `removed_at_end` would remove, for a process that ends before their end."""
    for path in list(_unfinished):
        with suppress(OSError):
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _through(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file whose content goes through a pipe or a device at the end: formats need to seek."""
    with writing(path), removed_at_end(tempfile.mkdtemp(prefix="podium-")) as folder:
        temporary = Path(folder, "content")
        temporary.touch()
        yield temporary
        with temporary.open("rb") as content, open_stream(path) as stream:
            shutil.copyfileobj(content, stream)


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Where the disk is full, or the system fails otherwise, say which file could not be written and why."""
    try:
        with catching_panics():
            yield
    except PodiumError:
        raise
    except Exception as error:
        reason = _failure(error)
        if reason is None:
            raise
        raise InputError(f"cannot write {path}: {reason}") from error


def _failure(error: Exception) -> str | None:
    """Why the system failed, such as `No space left on device`; None for errors of another kind.

    Libraries written in Rust, such as Polars, give the number of the failure only in their message.

    >>> _failure(RuntimeError("underlying IO error: no room (os error 28)"))
    'No space left on device'
    """
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    if number := re.search(r"\(os error (\d+)\)", str(error)):
        return os.strerror(int(number[1]))
    return str(error).partition("\n")[0] if isinstance(error, (OSError, PanicError)) else None


def _flush(path: Path) -> None:
    """To the disk, so that a crash after renaming cannot leave an empty file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:
        if not path.is_dir():  # some systems cannot flush folders; a file that cannot be flushed is not whole
            raise
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Make a folder, unless it is there, that a crash does not take away again."""
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
        _flush(path.parent)


_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(self|thread-self|\d+)(/task/\d+)?/fd")
"""Folders whose entries are open files of a process."""
_REFUSED = {
    stat.S_IFDIR: "is a folder",
    stat.S_IFBLK: "is a disk",
    stat.S_IFSOCK: "is a socket",
}


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether what is written to the path flows through it; what podium does not write to is refused."""
    try:
        mode = os.stat(path).st_mode
    except OSError:  # nothing there, or not to be looked at: whoever writes will say so
        return False
    if (reason := _REFUSED.get(stat.S_IFMT(mode))) is not None:
        raise InputError(f"{os.fspath(path)} {reason}", hint="give the name of a file")
    return not stat.S_ISREG(mode) or _open_file(path) is not None


def open_stream(path: str | os.PathLike[str]) -> BinaryIO:
    """A stream to write to; bytes follow what this process wrote there before, as in `> file`."""
    entry = _open_file(path)
    own = {f"/proc/{os.getpid()}/fd", "/proc/self/fd", "/dev/fd"}
    if entry is not None and str(entry.parent) in own and entry.name.isdecimal():
        return os.fdopen(os.dup(int(entry.name)), "wb")
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND), "wb")


def _open_file(path: str | os.PathLike[str]) -> Path | None:
    """The entry among the open files of a process that the path leads to, such as `/dev/stdout` does."""
    current = Path(os.path.abspath(path))
    for _ in range(40):  # as many links as the system itself follows
        parent = os.path.realpath(current.parent)
        current = Path(parent, current.name)
        if _DESCRIPTORS.fullmatch(parent):
            return current
        if not current.is_symlink():
            return None
        current = Path(parent, os.readlink(current))
    return None
