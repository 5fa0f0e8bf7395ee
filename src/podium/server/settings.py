"""How a service runs: where its database is, where it listens, and what it takes at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

MEGABYTE = 1_000_000
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
"""Names of this machine that lead nowhere else."""
EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses to listen at that mean all of this machine."""

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
    follow_seconds: float = 0.5
    """How often a worker looks for what other workers have appended, while somebody listens."""

    public_address: str | None = None
    """Where people reach the service from outside, such as https://ladder.example.org: the only name under
    which it answers beside those of this machine, and what links begin with."""
    requests_per_second: float = 200.0
    """Requests that one address may make of one worker without a key; 0 for no limit."""
    requests_per_second_of_keys: float = 0.0
    """Requests that one key or session may make of one worker; 0 for no limit."""

    @property
    def is_reached_from_outside(self) -> bool:
        """Whether others than this machine reach the service: then nobody may do everything without a key."""
        name = urlsplit(self.public_address or "").hostname
        return self.host not in LOCAL_NAMES or (name is not None and name not in LOCAL_NAMES)

    @property
    def shown_address(self) -> str:
        """What links begin with."""
        return (self.public_address or self.address).rstrip("/")

    @property
    def is_encrypted(self) -> bool:
        """Whether people reach it by https."""
        return (self.public_address or "").startswith("https://")

    @property
    def local_address(self) -> str:
        """Where programs of this machine reach it."""
        host = "127.0.0.1" if self.host in EVERYWHERE else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def address(self) -> str:
        """Where the service answers."""
        return f"http://{self.host}:{self.port}"
