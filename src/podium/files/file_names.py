"""Files as people give them, by a path or open, and what messages call them."""

from __future__ import annotations

import os
from typing import IO

PathLike = str | os.PathLike[str]
Given = PathLike | IO[bytes] | IO[str]
"""What can be read: the name of a file, or a file that is open."""


def name_of(given: Given) -> str:
    """What messages call a file."""
    if isinstance(given, (str, os.PathLike)):
        return os.fspath(given)
    name = getattr(given, "name", None)
    return name.strip("<>") if isinstance(name, str) else "stream"
