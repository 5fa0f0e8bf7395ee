"""What a path that is written to names: a file to replace, or something that content flows through.

A regular file, or a path where there is nothing yet, gets a new file in one step; a link to one keeps being a
link. A pipe, a terminal, `/dev/null`, `/dev/stdout` and other devices of characters are written through, as
`cp` and the shell do: they stay what they are. Folders, disks and sockets are refused.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import BinaryIO

from podium.errors import InputError

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
