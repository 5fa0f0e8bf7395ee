"""Reading and writing histories.

`read_history` takes any file podium knows and gives one history; `read_chunks` gives the same history in
pieces, for files larger than memory. They are loaded when they are used, as saving a ladder needs no tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podium.tables.reading import read_chunks, read_history, write_history

__all__ = ["read_chunks", "read_history", "write_history"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'podium.tables' has no attribute {name!r}")
    from podium.tables import reading

    return getattr(reading, name)
