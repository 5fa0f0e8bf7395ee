"""What a ladder's log says, line by line: plain data with a checksum, and what it means.

Each line is a JSON object that ends with the checksum of all before it, so that a line which was only half
written is noticed. Events are in the words of `podium.documents`; what has its usual value is left out. What
is read passes the same checks as what is recorded, so nothing that a line says reaches a kernel unchecked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Literal, get_args

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history import Adjustment, Event
from podium.ladder.stored_events import content_of, plain_content

Kind = Literal["event", "adjustment", "batch", "undo", "void", "replacement", "insertion"]
KINDS: tuple[Kind, ...] = get_args(Kind)
ADDING: tuple[Kind, ...] = ("event", "adjustment", "batch")
"""Records that add to the end and change nothing before it."""

_DIGITS = 16
_MARK = b',"checksum":"'
_TAIL = len(_MARK) + _DIGITS + len(b'"}')


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
    """What one line of the log says."""

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

    def line(self) -> bytes:
        """The record as a line of the log."""
        plain: dict[str, Any] = {"number": self.number, "kind": self.kind}
        if self.targets:
            plain["targets"] = self.targets
        if self.kind == "batch":
            plain["entries"] = [_plain(one) for one in self.added]
        else:
            for one in self.added:
                plain |= _plain(one)
        return written_line(plain)

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> LogRecord:
        """The record that a line holds; an `InputError` says what podium cannot make of it."""
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


# ---------------------------------------------------------------------- lines


def written_line(plain: Mapping[str, Any]) -> bytes:
    """Plain data as one line of text that ends with its checksum."""
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    body = text.encode("utf-8", "surrogatepass")[:-1]
    return body + _MARK + _checksum(body) + b'"}\n'


def read_line(line: bytes) -> dict[str, Any] | None:
    """The plain data of a line without its end; None if the checksum does not match.

    >>> line = written_line({"number": 1})
    >>> line
    b'{"number":1,"checksum":"367025256683c623"}\\n'
    >>> read_line(line.rstrip()), read_line(line[:-3])
    ({'number': 1}, None)
    """
    body, tail = line[:-_TAIL], line[-_TAIL:]
    if tail != _MARK + _checksum(body) + b'"}':
        return None
    plain: dict[str, Any] = json.loads(body + b"}")
    return plain


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGITS // 2).hexdigest().encode()


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
