"""Everything podium refuses, as types.

An error says what was wrong, where, and what to do about it. All of them derive from `PodiumError`, so a
program that embeds podium can catch one type; the command line prints the message and no traceback.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from numbers import Integral


class PodiumError(Exception):
    """The root of podium's own errors."""

    def __init__(self, reason: str, *, hint: str | None = None) -> None:
        self.reason = reason
        self.hint = hint
        super().__init__(self._message())

    def _message(self) -> str:
        return self.reason if self.hint is None else f"{self.reason}\n  hint: {self.hint}"


class InputError(PodiumError):
    """Results that cannot be read as what they claim to be.

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
    """A parameter outside what a system or function accepts."""


class UnknownPlayerError(PodiumError, KeyError):
    """A player nobody has recorded a result for."""

    __str__ = Exception.__str__  # KeyError would show the repr of the message


class UnsupportedError(PodiumError):
    """Evidence a rating system has no use for, refused by name rather than ignored."""

    def __init__(self, reason: str, *, hint: str | None = None, evidence: str | None = None) -> None:
        self.evidence = evidence
        """What it is, in the word of `podium.systems.Capabilities`."""
        super().__init__(reason, hint=hint)


class OrderError(PodiumError):
    """An event earlier than one that has been rated already."""


class StateError(PodiumError):
    """A saved state that is damaged, of another system, of other parameters, or of a newer format."""


def shorten(text: str, limit: int = 60) -> str:
    """`text` cut to a length that fits into a message; names may be kilobytes long."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def paragraphs(text: str) -> list[str]:
    """A text as lines of a page: an empty line begins a new one, and other breaks mean nothing.

    >>> paragraphs("One\\nsentence.\\n\\nAnother.")
    ['One sentence.', 'Another.']
    """
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def did_you_mean(name: str, known: Sequence[str]) -> str | None:
    """A hint at the known name that looks most like this one, whatever its case; none for very many names."""
    if len(known) > 50_000:
        return None
    by_lower = {item.lower(): item for item in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {shorten(by_lower[close[0]])!r}?" if close else None


def known_names(name: str, names: Iterable[str]) -> str:
    """A hint for a name that is none of these: the one that looks most like it, and all there are.

    >>> known_names("glico", ["elo", "glicko"])
    "did you mean 'glicko'? there are elo, glicko"
    """
    known = list(names)
    guess, there_are = did_you_mean(name, known), "there are " + ", ".join(known)
    return there_are if guess is None else f"{guess} {there_are}"


def check_whole(name: str, value: object, least: int) -> int:
    """The value as a whole number; refused where it is none, or below `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name} is {value!r}", hint=f"a whole number, from {least}")
    return int(value)
