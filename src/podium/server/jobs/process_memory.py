"""How much memory processes take, and whether the system has killed some for want of it, as Linux tells.

Other systems do not tell it this way: there every number is zero.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

KILLED_FIRST = 1000
"""What Linux adds to a process's claim to be killed when memory runs out: it goes before all others."""


def resident_bytes(process: int | None = None) -> int:
    """The memory that a process takes, or this one; 0 if it is gone or the system does not tell."""
    try:
        pages = Path(f"/proc/{process or 'self'}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def kills_for_memory() -> int:
    """How many processes of this machine were killed because it had no memory left."""
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def be_killed_first() -> None:
    """If memory runs out, have the system kill this process rather than one that answers."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(KILLED_FIRST))
