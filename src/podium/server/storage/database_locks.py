"""One process for each file of SQLite: a lock beside the file, which says who holds it and where it answers.

The lock ends with the process, however that ends. PostgreSQL needs none: any number of processes may write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from podium.errors import InputError
from podium.files.locks import OWNER_READS, file_lock
from podium.server import machine

PATIENCE_SECONDS = 2.0
"""How long a lock may be held before its file says by whom."""
LOOK_SECONDS = 0.02
SECRET_BYTES = 32


class Holder(NamedTuple):
    """Who works on a database."""

    pid: int
    address: str | None
    """Where it answers; None if it is a command that will be done soon."""
    secret: str | None = None
    """What whoever runs the server shows to it, to be let in without a key."""

    def __str__(self) -> str:
        what = "a command" if self.address is None else f"the server at {self.address}"
        return f"{what} (process {self.pid})"


class TakenError(InputError):
    """A file of SQLite that another process works on."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        self.holder = holder
        who = "another process" if holder is None else str(holder)
        hint = "only one process can use a SQLite file, so use that server or stop it first"
        if holder is not None and holder.address is None:
            hint = "wait until it has finished"
        super().__init__(f"{path} is in use by {who}", hint=hint)


@contextmanager
def held_database(path: Path, address: str | None) -> Iterator[str]:
    """Be the only process that writes to a file of SQLite; raises `TakenError` if another one is.

    The secret that it gives stands in the file of the lock, which only the owner of the process can read.
    """
    lock = lock_file(path)
    if not lock.parent.is_dir():
        raise InputError(f"there is no folder {lock.parent}", hint="create the folder first")
    secret = machine.token_urlsafe(SECRET_BYTES)
    content = json.dumps({"pid": os.getpid(), "address": address, "secret": secret}).encode()
    with file_lock(lock, lambda: TakenError(path, _holder(lock)), content, OWNER_READS):
        yield secret


def lock_file(path: Path) -> Path:
    """The file of the lock, beside the database that a path means, links followed."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}.lock")


def _holder(lock: Path) -> Holder | None:
    """What the file of a lock says; None if it stays silent."""
    end = machine.monotonic() + PATIENCE_SECONDS
    while machine.monotonic() < end:
        try:
            said = json.loads(lock.read_bytes())
            return Holder(int(said["pid"]), said["address"], said.get("secret"))
        except (OSError, ValueError, LookupError, TypeError):  # it is being written, or was given up just now
            machine.sleep(LOOK_SECONDS)
    return None
