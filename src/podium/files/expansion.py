"""How much a compressed file holds, so that a small one cannot fill the memory or the disk.

Tables of results compress to between a fifth and a fiftieth of their size. A file that holds a thousand times
its own size is one row repeated, or made to do harm.
"""

from __future__ import annotations

from pathlib import Path

from podium.errors import InputError

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
            f"its {in_words(packed)} hold more than {in_words(size)}, {size / packed:,.0f} times as much: "
            "no honest table does",
            source=name,
            hint="if you trust it, --max-ratio inf (max_ratio=math.inf) reads it",
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
