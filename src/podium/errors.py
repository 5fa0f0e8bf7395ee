"""Everything podium refuses, as types.

An error says what was wrong, where, and what to do about it. All of them derive from `PodiumError`, so a
program that embeds podium can catch one type; the command line prints the message and no traceback.
"""

from __future__ import annotations

import sys
import warnings
from types import FrameType
from typing import Any

from podium.text import shorten

_NOT_THE_CALLERS = ("podium", "contextlib", "importlib")
"""Modules whose lines do not cause a warning: whoever called them did."""


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn of the line outside of podium that led here, through however many of podium's functions."""
    frame, level = sys._getframe(1), 2
    while _package(frame) in _NOT_THE_CALLERS and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


class PodiumError(Exception):
    """The root of podium's own errors.

    Args:
        reason: The fault.
        hint: The remedy.

    >>> import podium
    >>> try:
    ...     podium.Ladder("elo").rating("zoe")
    ... except podium.PodiumError as error:
    ...     print(error)
    there is no player 'zoe' on this ladder
    """

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(self._message())

    def _message(self) -> str:
        return self.reason if self.hint is None else f"{self.reason}\n  hint: {self.hint}"


class InputError(PodiumError):
    """Results that cannot be read in the format they are in.

    Args:
        reason: The fault.
        source: The file's name.
        row: The row of a dataframe.
        line: The line of a file.
        event: The event's name.
        hint: The remedy.

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
    """A parameter that a system or function does not accept.

    >>> import podium
    >>> podium.Elo(k=-1)
    Traceback (most recent call last):
        ...
    podium.errors.ParameterError: elo: k goes from 0 to 1,000,000, not -1
    """


class UnknownPlayerError(PodiumError, KeyError):
    """A player without recorded results.

    >>> import podium
    >>> podium.Ladder("elo").rating("zoe")
    Traceback (most recent call last):
        ...
    podium.errors.UnknownPlayerError: there is no player 'zoe' on this ladder
    """

    __str__ = Exception.__str__  # KeyError would show the repr of the message


class UnsupportedError(PodiumError):
    """Evidence that a rating system cannot use. It is refused by name rather than ignored.

    Args:
        reason: The fault.
        hint: The remedy.
        evidence: The kind of evidence, such as "teams".

    >>> import podium
    >>> teams = [["ann", "bob"], ["cat", "dan"]]
    >>> try:
    ...     podium.Ladder("codeforces").record(teams=teams, ranks=[1, 2])
    ... except podium.UnsupportedError as error:
    ...     print(error.reason)
    codeforces cannot use teams, as in event '1'
    """

    def __init__(self, reason: str, *, hint: str | None = None, evidence: str | None = None) -> None:
        self.evidence = evidence
        """What it is, in the word of `podium.systems.Capabilities`."""
        super().__init__(reason, hint=hint)


class OrderError(PodiumError):
    """An event earlier than one that has been rated already.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob", time="2026-05-02")
    >>> try:
    ...     ladder.record_match("ann", "bob", time="2026-05-01")
    ... except podium.OrderError as error:
    ...     print(error)
    the event of 2026-05-01 is earlier than the ladder's last event of 2026-05-02
      hint: undo the later events first, or rate the corrected history again
    """


class PastError(PodiumError):
    """A question about a time before the last event, asked of an object that holds only the present.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob", time="2026-05-02")
    >>> try:
    ...     ladder.rating("ann", at="2026-05-01")
    ... except podium.PastError as error:
    ...     print(error.reason)
    this ladder has ratings from 2026-05-02 on, and none for 2026-05-01
    """


class RepeatError(PodiumError):
    """An event or a file that has been rated already.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob", time="2026-05-02", name="final")
    >>> try:
    ...     ladder.record_match("ann", "bob", time="2026-05-02", name="final")
    ... except podium.RepeatError as error:
    ...     print(error)
    the event 'final' of 2026-05-02 is already rated
      hint: to rate it again, use --allow-repeat (allow_repeat=True)
    """


class CooldownError(PodiumError):
    """A player may not join a pool yet, because of matches that the player declined or left.

    Args:
        reason: The fault.
        hint: The remedy.
        player: The player's name.
        seconds: The seconds until the player may join again.

    >>> error = CooldownError("'dan' may join again in 60 s", player="dan", seconds=60.0)
    >>> error.player, error.seconds
    ('dan', 60.0)
    """

    def __init__(self, reason: str, *, hint: str | None = None, player: str, seconds: float) -> None:
        self.player = player
        """The player's name."""
        self.seconds = seconds
        """The seconds until the player may join again."""
        super().__init__(reason, hint=hint)


class StateError(PodiumError):
    """A saved state that is damaged, of another system, of other parameters, or of a newer format.

    >>> import podium
    >>> import io
    >>> podium.Ladder.load(io.BytesIO(b"no ladder"))
    Traceback (most recent call last):
        ...
    podium.errors.StateError: stream is not a file saved by podium
    """


class ServiceError(PodiumError):
    """An unexpected answer of a service that fits none of podium's other errors.

    Args:
        reason: The fault.
        hint: The remedy.
        status: The HTTP status.
        problem: The type of the problem, such as ``urn:podium:problem:archived``.
        outcomes: The outcome of each report of a request with several.

    >>> import podium
    >>> archived = "urn:podium:problem:archived"
    >>> error = podium.ServiceError("the ladder is archived", status=409, problem=archived)
    >>> error.status, error.problem
    (409, 'urn:podium:problem:archived')
    """

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
    """A service that does not answer, also not after some tries.

    >>> import podium
    >>> try:
    ...     podium.Client("http://127.0.0.1:1", retries=0).n_events
    ... except podium.UnreachableError as error:
    ...     print(error.reason.partition(":1 ")[2].partition(":")[0])
    does not answer
    """


class KeyConflictError(PodiumError):
    """A key that was used for another report already.

    Args:
        reason: The fault.
        hint: The remedy.
        differences: Each field that differs, with its first and its second value.
        number: The number of the first report in the log.

    >>> import podium
    >>> fields = (("winner", "ann", "bob"),)
    >>> error = podium.KeyConflictError("the key 'game 7' was used already", differences=fields, number=7)
    >>> error.number, error.differences
    (7, (('winner', 'ann', 'bob'),))
    """

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
