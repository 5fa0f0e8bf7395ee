"""What somebody may do: scopes, on one ladder or on all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from podium.errors import ParameterError
from podium.text import did_you_mean, shorten

Scope = Literal["read", "report", "match", "admin"]
READ: Scope = "read"
REPORT: Scope = "report"
MATCH: Scope = "match"
ADMIN: Scope = "admin"
SCOPES: tuple[Scope, ...] = (READ, REPORT, MATCH, ADMIN)
"""Look at private ladders; report events; run a waiting pool; everything. Public ladders need no scope to be
read."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who asks, and what they may do."""

    actor: str
    """Who it is, as the log and the audit trail say it, such as ``key 3fa9c1d2``."""
    scopes: frozenset[Scope] = frozenset()
    ladder: int | None = None
    """The only ladder that the scopes are for; None if they are for all."""
    csrf: str | None = None
    """What forms of this session carry, so that no other site can send them; None if it is no session."""

    def may(self, scope: Scope, ladder: int | None) -> bool:
        """Whether something is allowed on a ladder; with None, on the whole service.

        >>> access = Access("key 3fa9c1d2", frozenset({REPORT}), ladder=1)
        >>> access.may(REPORT, 1), access.may(REPORT, 2), access.may(ADMIN, 1)
        (True, False, False)
        """
        return (scope in self.scopes or ADMIN in self.scopes) and self.ladder in (None, ladder)

    def reads(self, ladder: int, *, private: bool) -> bool:
        """Whether ratings of a ladder may be told to them, in any answer.

        >>> access = Access("key 3fa9c1d2", frozenset({REPORT}), ladder=1)
        >>> access.reads(1, private=True), access.sees(1, private=True), access.reads(2, private=False)
        (False, True, True)
        """
        return not private or self.may(READ, ladder)

    def sees(self, ladder: int, *, private: bool) -> bool:
        """Whether a ladder is there for them: public ones are, and private ones that they have a scope on."""
        return not private or (bool(self.scopes) and self.ladder in (None, ladder))


LOCAL = Access("local", frozenset({ADMIN}))
"""Whoever works on the machine itself: its commands, and everybody on it as long as there are no keys."""
ANYBODY = Access("anybody")
"""Somebody who has shown nothing."""


def checked_scopes(given: Iterable[str]) -> frozenset[Scope]:
    """Scopes by name; refused if there is none, or one that podium does not know.

    >>> sorted(checked_scopes(["read", "report"]))
    ['read', 'report']
    """
    wanted = list(given)
    for name in wanted:
        if name not in SCOPES:
            hint = did_you_mean(name, list(SCOPES)) or f"use {', '.join(SCOPES)}"
            raise ParameterError(f"{shorten(name)!r} is not a scope", hint=hint)
    if not wanted:
        raise ParameterError("the scopes are missing", hint=f"give one or more of {', '.join(SCOPES)}")
    return frozenset(scope for scope in SCOPES if scope in wanted)


def scopes_text(scopes: frozenset[Scope]) -> str:
    """Scopes as the tables keep them."""
    return ",".join(scope for scope in SCOPES if scope in scopes)
