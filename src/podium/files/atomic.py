"""Files that are whole or not there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from podium.errors import InputError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well.

    Whatever happens before that, `path` stays as it was: the new content is written and flushed to the disk
    under another name first, and renaming is one step. A link is followed, and permissions are kept.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path} is a folder", hint="give the name of a file")
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.tmp")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        yield temporary
        _flush(temporary)
        os.replace(temporary, target)
    except OSError as error:
        if error.errno is None:
            raise
        raise InputError(f"cannot write {path}: {os.strerror(error.errno)}") from error
    finally:
        temporary.unlink(missing_ok=True)
    _flush(target.parent)


def _flush(path: Path) -> None:
    """To the disk, so that a crash after renaming cannot leave an empty file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError:  # a folder on a system that cannot flush folders
        pass
    finally:
        os.close(descriptor)
