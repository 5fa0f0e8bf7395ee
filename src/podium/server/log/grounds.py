"""Why the log is amended: a reason in words, and a link to where it was decided. Both may be left out.

They are kept in the entry and in the audit trail, and shown to everybody who reads the ladder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from podium.errors import InputError
from podium.text import shorten

_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Control characters, ends of lines, and halves of characters, which are none."""


def check_text(text: str, what: str, longest: int) -> None:
    """Refuse what no database or page could show: control characters, halves of characters, and novels."""
    if len(text) > longest:
        raise InputError(f"{what} has at most {longest:,} characters, not {len(text):,}")
    if _UNSHOWN.search(text):
        raise InputError(
            f"{what} contains characters that cannot be shown: {shorten(ascii(text))}",
            hint="remove line breaks and control characters",
        )


LONGEST_REASON, LONGEST_LINK = 1_000, 2_000
"""Characters of a reason and of a link."""
WEB = ("http", "https")
"""Schemes of links: a browser would run others, such as javascript, as a program."""


class Grounds(NamedTuple):
    """Why an entry of the log amends another one."""

    reason: str | None = None
    link: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """What of it is given, by name."""
        return {name: value for name, value in self._asdict().items() if value is not None}

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Grounds:
        """Those in plain data, such as a report or the payload of an entry."""
        return cls(plain.get("reason"), plain.get("link"))

    def check(self) -> None:
        """Refuse what no page could show, or must not lead to."""
        if self.reason is not None:
            check_text(self.reason, "a reason", LONGEST_REASON)
        if self.link is not None:
            check_text(self.link, "a link", LONGEST_LINK)
            if not _is_of_the_web(self.link):
                raise InputError(
                    f"{shorten(self.link)!r} is not a web link",
                    hint="give the full URL, such as https://example.org/decisions/7",
                )


def _is_of_the_web(link: str) -> bool:
    """Whether a browser would open this as a page.

    >>> [_is_of_the_web(link) for link in ("https://example.org/7", "javascript:alert(1)", "//example.org")]
    [True, False, False]
    """
    try:
        parts = urlsplit(link)
        return parts.scheme in WEB and bool(parts.hostname) and " " not in link
    except ValueError:
        return False


NO_GROUNDS = Grounds()
"""Those of whoever gives none."""
