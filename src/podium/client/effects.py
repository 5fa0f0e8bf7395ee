"""What the core of a client asks of a transport, and what comes back.

The core does no input or output. Each of its calls is a generator: it yields an effect, such as a request to
be sent or a pause, is sent what came of it, and returns the value that the caller wants. So whatever a call
needs (pages, retries, resuming) is written once, and a transport that blocks and one that awaits are both
short.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """A request; a `Reply` comes back, or a `Lost` if there was none."""

    method: str
    path: str
    """The path below the address of the service."""
    query: Mapping[str, str] = field(default_factory=dict)
    content: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True
    """Whether sending it twice does no more than sending it once: reads do not change anything, and a report
    is known again by its key."""
    quiet_seconds: float | None = None
    """How long the service may be silent; None for the client's own limit."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A request whose answer is read line by line; a `Reply` comes back, without content if it is good."""

    request: Request


@dataclass(frozen=True, slots=True)
class NextLine:
    """The next line of the answer that was opened last; None comes back at its end, a `Lost` if it broke."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Waiting for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """One value of many, for whoever iterates over them."""

    value: T


@dataclass(frozen=True, slots=True)
class Reply:
    """The service's answers as typed values."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """By names in small letters."""
    content: bytes = b""

    @property
    def is_good(self) -> bool:
        """Whether the service did what was asked."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Lost:
    """A request without an answer, or an answer that broke off."""

    reason: str
    was_sent: bool = True
    """Whether the service may have got the request."""


Effect = Request | Opening | NextLine | Pause
Sent = Reply | Lost | str | None
"""What is sent back to the core."""

Steps = Generator[Effect, Sent, T]
"""A call: effects come out, and in the end the value."""
Feed = Generator[Effect | Item[T], Sent, None]
"""A call that gives many values: effects and items come out."""


def sent_reply(request: Request | Opening) -> Generator[Any, Sent, Reply | Lost]:
    """Send a request once; what came of it."""
    found = yield request
    assert isinstance(found, (Reply, Lost))
    return found


def next_line() -> Generator[Any, Sent, str | Lost | None]:
    """The next line of the answer that is open."""
    found = yield NextLine()
    assert not isinstance(found, Reply)
    return found


def pause(seconds: float) -> Generator[Any, Sent, None]:
    """Wait."""
    yield Pause(seconds)
