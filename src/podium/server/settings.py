"""How a service runs: where its database is, where it listens, and what it takes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MEGABYTE = 1_000_000

Told = Callable[[str, int, int], None]
"""Called with what a worker is doing before it is ready, how much of it is done, and how much there is."""
LOADING_KERNELS, COMPILING, LOADING_LADDERS = "loading kernels", "compiling kernels", "loading ladders"
"""What a worker does before it is ready."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a service."""

    database: str = "podium.db"
    """A file of SQLite, or the address of a PostgreSQL database."""
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    body_bytes: int = 20 * MEGABYTE
    """The largest body; larger ones are refused."""
    body_seconds: float = 30.0
    """How long a body may take to arrive."""
    reports_at_once: int = 10_000
    """Most reports of one request."""
    page_rows: int = 1_000
    """Most rows of one page of a list."""
    checkpoint_rows: int = 100_000
    """Rows of events after which a ladder is saved, so that loading it does not begin at the first event."""
    import_bytes: int = 1_000 * MEGABYTE
    """The largest file that can be imported."""
    job_process: bool = True
    """Whether this service does jobs (imports, exports, ratings computed anew), or leaves them to others."""
    follow_seconds: float = 0.5
    """How often a worker looks for what other workers have appended, while somebody listens."""

    @property
    def address(self) -> str:
        """Where the service answers."""
        return f"http://{self.host}:{self.port}"
