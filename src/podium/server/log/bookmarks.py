"""Bookmarks: up to where somebody has read a log, as a number with a mark by which its entry is known again.

A number alone does not say of which log it is. After an older backup was restored, other entries get the
numbers that a follower has read already, and a follower that only kept the number would skip them. The mark
is the checksum of the entry's row. It covers when the entry was received, so no other entry of that number
has it. A log that was restored up to the entry or further still has it: the follower just goes on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlalchemy import Connection, select

from podium.errors import ParameterError
from podium.server.problems import OtherLogError
from podium.server.storage import tables
from podium.server.storage.ladder_rows import LadderRow
from podium.text import shorten

LONGEST_BOOKMARK = 40
"""Characters of a bookmark as text, and some to spare."""
_TEXT = re.compile(r"(\d{1,18})(?:-([0-9a-f]{16}))?", re.ASCII)
FROM_THE_START = "read the log again from the beginning, with since=0"


class Bookmark(NamedTuple):
    """The last entry of a log that was read; number 0 is before the first one."""

    number: int
    mark: str | None = None
    """By what the entry is known again; None if only the number was kept."""

    def __str__(self) -> str:
        """The bookmark as answers have it, and as `since` takes it.

        >>> str(Bookmark(7, mark_of(-2))), str(Bookmark(7))
        ('7-fffffffffffffffe', '7')
        """
        return str(self.number) if self.mark is None else f"{self.number}-{self.mark}"

    @property
    def checksum(self) -> int | None:
        """The checksum of the entry's row.

        >>> Bookmark(7, mark_of(-2)).checksum
        -2
        """
        found = None if self.mark is None else int(self.mark, 16)
        return found if found is None or found < 2**63 else found - 2**64


def bookmark_of(number: int, checksum: int | None) -> Bookmark:
    """The bookmark of an entry whose row has this checksum; without one, only its number."""
    return Bookmark(number, None if checksum is None else mark_of(checksum))


def mark_of(checksum: int) -> str:
    """The mark of an entry whose row has this checksum."""
    return f"{checksum % 2**64:016x}"


def read_bookmark(text: str) -> Bookmark:
    """A bookmark, or a plain number; refused if it is neither.

    >>> read_bookmark("7-fffffffffffffffe"), read_bookmark("7")
    (Bookmark(number=7, mark='fffffffffffffffe'), Bookmark(number=7, mark=None))
    """
    if (found := _TEXT.fullmatch(text)) is None:
        raise ParameterError(
            f"{shorten(text)!r} is not a place in a log",
            hint="give the `bookmark` of the last entry that you have read, or 0",
        )
    return Bookmark(int(found[1]), found[2])


def bookmark_at(connection: Connection, row: LadderRow, number: int) -> Bookmark:
    """The bookmark of an entry that is there."""
    return bookmark_of(number, _checksum(connection, row, number))


def last_bookmark(row: LadderRow) -> Bookmark:
    """The bookmark of the last entry of a log, as its ladder's row has it."""
    return bookmark_of(row.head, row.last_checksum)


def goes_on_from(connection: Connection, row: LadderRow, bookmark: Bookmark) -> bool:
    """Whether a log has the entry of a bookmark, as far as anybody can tell."""
    number, mark = bookmark
    if number >= row.head:
        return number == row.head and mark in (None, last_bookmark(row).mark)
    return mark is None or mark == bookmark_at(connection, row, number).mark


def check_bookmark(
    connection: Connection, row: LadderRow, bookmark: Bookmark, hint: str = FROM_THE_START
) -> None:
    """Refuse a bookmark of another log: what follows it there is not what follows it here."""
    number, mark = bookmark
    if number > row.head:
        raise OtherLogError(
            f"the log of {row.slug!r} ends at {row.head}, and you have read up to {number}: "
            "an older backup was restored, or it is another log",
            hint=hint,
        )
    if mark is not None and bookmark_at(connection, row, number).mark != mark:
        raise OtherLogError(
            f"entry {number} of the log of {row.slug!r} is not the one that you have read: "
            "an older backup was restored, or it is another log",
            hint=hint,
        )


def place_to_follow(connection: Connection, row: LadderRow, text: str) -> Bookmark:
    """From where somebody follows a log: a bookmark of it, or 0.

    Another plain number is refused, because it does not say of which log it is.
    """
    place = read_bookmark(text)
    check_bookmark(connection, row, place)
    if place.mark is None and place.number:
        raise ParameterError(
            f"{place.number} is the number of an entry, but not its bookmark",
            hint=f"its bookmark is {bookmark_at(connection, row, place.number)}. If an older backup was "
            "restored since you read the entry, read the log again with since=0",
        )
    return place


def _checksum(connection: Connection, row: LadderRow, number: int) -> int | None:
    table = tables.event
    query = select(table.c.checksum).where(table.c.ladder == row.id, table.c.seq == number)
    return connection.execute(query).scalar_one_or_none()
