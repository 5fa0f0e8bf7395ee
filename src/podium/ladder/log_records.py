"""What the records of a ladder's log say, as plain data, and what it means.

Events are in the words of `podium.documents`; what has its usual value is left out. What is read passes the
same checks as what is recorded, so nothing that a record says reaches a kernel unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.ladder.stored_events import content_of, json_text, plain_content

Kind = Literal["event", "adjustment", "batch", "undo", "void", "replacement", "insertion"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDING: tuple[Kind, ...] = ("event", "adjustment", "batch")
"""Records that add to the end and change nothing before it."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event or adjustment with its number in the log, by which it can be voided or replaced."""

    number: int
    content: Event | Adjustment
    time: int = NO_TIME
    """Microseconds since 1970 UTC, or `NO_TIME`."""
    allow_repeat: bool = False
    files: tuple[int, ...] = ()
    """Hashes of the files that were rated from here on."""

    @property
    def rows(self) -> int:
        """The rows it would have in a history."""
        return sum(map(len, self.content.sides)) if isinstance(self.content, Event) else 1

    @property
    def event(self) -> Event:
        """The event, which is called by its number if it has no name."""
        assert isinstance(self.content, Event)
        if self.content.name is not None:
            return self.content
        return replace(self.content, name=str(self.number), named=False)

    def describe(self) -> str:
        """What messages call it."""
        if isinstance(self.content, Adjustment):
            return f"adjustment {self.number} ({self.content.describe()})"
        return f"event {self.number}" + ("" if self.content.name is None else f" ({self.content.name})")


@dataclass(frozen=True, slots=True)
class LogRecord:
    """What one record of the log says."""

    number: int
    kind: Kind
    added: tuple[Numbered, ...] = ()
    """What comes in; in a batch each has a number of its own, counted from that of the record."""
    targets: tuple[int, ...] = ()
    """The numbers of what is voided or replaced."""

    @property
    def last_number(self) -> int:
        """The last of the numbers that the record uses up."""
        return self.number + max(len(self.added), 1) - 1

    def text(self) -> str:
        """What it says beside its number and kind, as JSON."""
        plain: dict[str, Any] = {}
        if self.targets:
            plain["targets"] = self.targets
        if self.kind == "batch":
            plain["entries"] = [_plain(one) for one in self.added]
        else:
            for one in self.added:
                plain |= _plain(one)
        return json_text(plain)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> LogRecord:
        """The record that plain data says; an `InputError` says what podium cannot make of it."""
        try:
            number, kind = plain["number"], plain["kind"]
            if type(number) is not int or number < 1 or kind not in KINDS:
                raise InputError(
                    f"record {number!r} has the kind {kind!r}, which this version of podium cannot read"
                )
            targets = tuple(plain.get("targets", ()))
            if not all(type(target) is int for target in targets):
                raise InputError(f"record {number} refers to {targets!r}, which are not numbers")
            of_target = targets[0] if kind == "replacement" else number
            found = plain["entries"] if kind == "batch" else [plain] if kind not in ("undo", "void") else []
            added = tuple(_numbered(one, of_target + place) for place, one in enumerate(found))
            return cls(number, kind, added, targets)
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"the record is not in podium's format: {error!r}") from error


# ---------------------------------------------------------------------- events and adjustments


def _plain(one: Numbered) -> dict[str, Any]:
    """An event or adjustment as plain data, without its number."""
    plain = plain_content(one.content, one.time)
    if one.allow_repeat:
        plain["allow_repeat"] = True
    if one.files:
        plain["files"] = [f"{digest:016x}" for digest in one.files]
    return plain


def _numbered(plain: Mapping[str, Any], number: int) -> Numbered:
    repeats, files = plain.get("allow_repeat", False) is True, plain.get("files", ())
    hashes = tuple(int(digest, 16) & (2**64 - 1) for digest in files)
    return Numbered(number, *content_of(plain), repeats, hashes)
