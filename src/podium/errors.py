"""Everything podium refuses, as types.

An error says what was wrong, where, and what to do about it. All of them derive from `PodiumError`, so a
program that embeds podium can catch one type; the command line prints the message and no traceback.
"""

from __future__ import annotations

from typing import Any

from podium.text import shorten


class PodiumError(Exception):
    """The root of podium's own errors."""

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(self._message())

    def _message(self) -> str:
        return self.reason if self.hint is None else f"{self.reason}\n  hint: {self.hint}"


class InputError(PodiumError):
    """Results that cannot be read in the format they are in.

    >>> print(InputError("rank is empty", source="may.csv", line=7, event="round 3", hint="give it a rank"))
    may.csv, line 7, event 'round 3': rank is empty
      hint: give it a rank
    """

    def __init__(
        self,
        reason: str,
        *,
        source: str | None = None,
        row: int | None = None,
        line: int | None = None,
        event: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.source, self.row, self.line, self.event = source, row, line, event
        super().__init__(reason, hint=hint)

    def _message(self) -> str:
        where = [
            self.source,
            None if self.line is None else f"line {self.line}",
            None if self.row is None else f"row {self.row}",
            None if self.event is None else f"event {shorten(self.event)!r}",
        ]
        place = ", ".join(part for part in where if part is not None)
        return f"{place}: {super()._message()}" if place else super()._message()


class ParameterError(PodiumError, ValueError):
    """A parameter that a system or function does not accept."""


class UnknownPlayerError(PodiumError, KeyError):
    """A player without recorded results."""

    __str__ = Exception.__str__  # KeyError would show the repr of the message


class UnsupportedError(PodiumError):
    """Evidence a rating system has no use for, refused by name rather than ignored."""

    def __init__(self, reason: str, *, hint: str | None = None, evidence: str | None = None) -> None:
        self.evidence = evidence
        """What it is, in the word of `podium.systems.Capabilities`."""
        super().__init__(reason, hint=hint)


class OrderError(PodiumError):
    """An event earlier than one that has been rated already."""


class PastError(PodiumError):
    """A question about a time before the last event, asked of an object that holds only the present."""


class RepeatError(PodiumError):
    """An event or a file that has been rated already."""


class StateError(PodiumError):
    """A saved state that is damaged, of another system, of other parameters, or of a newer format."""


class ServiceError(PodiumError):
    """An unexpected answer of a service that fits none of podium's other errors."""

    def __init__(
        self,
        reason: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        problem: str | None = None,
        outcomes: tuple[Any, ...] = (),
    ) -> None:
        self.status = status
        """The HTTP status; None if no answer came."""
        self.problem = problem
        """The name of the problem, such as "unknown-ladder"; None if the answer was not podium's."""
        self.outcomes = outcomes
        """What became of each of several reports, as documents, where they were refused together."""
        super().__init__(reason, hint=hint)


class UnreachableError(ServiceError, ConnectionError):
    """A service that does not answer, also not after some tries."""


class KeyConflictError(PodiumError):
    """A key that was used for another report already."""

    def __init__(
        self,
        reason: str,
        *,
        hint: str | None = None,
        differences: tuple[tuple[str, str, str], ...] = (),
        number: int | None = None,
    ) -> None:
        self.differences = differences
        """What differs: the field, what was recorded, and what was reported now."""
        self.number = number
        """The number of the event that has the key."""
        super().__init__(reason, hint=hint)
