"""What kind of match people wait for: how many sides, how many players a side, and the roles they play.

>>> Mode.parse("5v5")
Mode('5v5')
>>> Mode.parse("ffa:8").players
8
>>> [(str(mode), after) for mode, after in Mode.parse("6v6, 5v5 after 60 s").variants]
[('6v6', 0.0), ('5v5', 60.0)]
>>> Mode.parse("5v5: tank, healer, 3 damage").role_names
('tank', 'healer', 'damage')
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from podium.errors import InputError, ParameterError
from podium.text import did_you_mean, shorten

MOST_A_SIDE = 50
"""The largest team; sets of sums of party sizes fit into a word of 64 bits."""
MOST_PLAYERS = 200
"""Players of the largest match: all of its pairs are looked at."""
MOST_ROLES = 6
"""Different roles of a mode: all sets of them are looked at."""

_HINT = 'teams such as "1v1", "5v5", "2v2v2v2" or "1v4", or a free-for-all such as "ffa:8"'
_ROLES_HINT = '"5v5: tank, healer, 3 damage", or a list for each team: "1v4: killer / 4 survivor"'
_ROLE = re.compile(r"(?:(\d{1,4})(?:\s*[×*]|\s*x(?=\s))?\s*)?([^\W\d_][\w -]*)")


_RELAXED_HINT = '"6v6, 5v5 after 60 s", "ffa:8, ffa:4-7 after 30 s", say'
_PIECES = re.compile(r",\s*(?=\d{1,4}\s*(?:v|vs\.?)\s*\d|ffa\b)", re.IGNORECASE)
_AFTER = re.compile(r"\s+after\s+(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(s|sec|seconds?|m|min|minutes?)\s*$")
_SPAN = re.compile(r"ffa\s*:?\s*(\d{1,4})\s*(?:-|–|to)\s*(\d{1,4})")


@dataclass(frozen=True)
class Mode:
    """Teams, a free-for-all of singles, or teams in which everybody has a role."""

    sizes: tuple[int, ...]
    """Number of players of each side."""
    roles: tuple[tuple[str, ...], ...] = ()
    """For each side, the role of each of its places; nothing where players have no roles."""
    relaxed: tuple[tuple[Mode, float], ...] = ()
    """Smaller matches that a ticket accepts, each after so many seconds of waiting."""

    def __post_init__(self) -> None:
        self._check_relaxed()
        for size in self.sizes:
            if isinstance(size, bool) or not isinstance(size, int):
                raise ParameterError(f"a side of {size!r} players", hint="a whole number")
            if not 1 <= size <= MOST_A_SIDE:
                raise ParameterError(f"teams of {size}", hint=f"a team must have 1 to {MOST_A_SIDE} players")
        if len(self.sizes) < 2:
            raise ParameterError(f"a match of {len(self.sizes)} sides", hint=_HINT)
        if self.players > MOST_PLAYERS:
            raise ParameterError(f"a match of {self.players} players", hint=f"at most {MOST_PLAYERS}")
        if not self.roles:
            return
        if tuple(map(len, self.roles)) != self.sizes:
            places = " and ".join(str(len(side)) for side in dict.fromkeys(self.roles))
            raise ParameterError(
                f"roles for {places} players in {_written(self.sizes)}",
                hint=f"every place needs one: {_ROLES_HINT}",
            )
        if len(self.role_names) > MOST_ROLES:
            raise ParameterError(
                f"{len(self.role_names)} different roles", hint=f"a mode has at most {MOST_ROLES}"
            )

    @classmethod
    def parse(cls, text: str | Mode) -> Mode:
        """The mode from its text, such as "5v5"; a mode is returned as it is."""
        if isinstance(text, Mode):
            return text
        if not isinstance(text, str):
            raise ParameterError(f"{text!r} is not a mode", hint=_HINT)
        pieces = [one for piece in _PIECES.split(text) for one in _one_by_one(piece)]
        first, *others = [(cls._parse_one(written), after) for written, after in pieces]
        if first[1]:
            raise ParameterError(
                f"{shorten(text)!r}: the first mode is for all tickets, from the beginning",
                hint=_RELAXED_HINT,
            )
        return replace(first[0], relaxed=tuple(others)) if others else first[0]

    @classmethod
    def _parse_one(cls, text: str) -> Mode:
        """A mode without smaller matches."""
        written = re.sub(r"(?<=\d)\s*(?:v|vs\.?)\s*(?=\d)", "v", text.strip().lower())
        written = re.sub(r"^ffa\s*:?\s*(?=\d)", "ffa:", written)
        if match := re.fullmatch(r"ffa:(\d{1,4})", written):
            if int(match[1]) < 3:
                raise ParameterError(
                    f"{text!r}: a free-for-all needs three players or more", hint='for two players, use "1v1"'
                )
            return cls((1,) * int(match[1]))
        sides, colon, roles = written.partition(":")
        if not re.fullmatch(r"\d{1,4}(v\d{1,4})+", sides.strip()):
            raise ParameterError(f"{shorten(text)!r} is not a mode", hint=_HINT)
        sizes = tuple(map(int, sides.strip().split("v")))
        return cls(sizes, _parse_roles(roles, len(sizes), text) if colon else ())

    def _check_relaxed(self) -> None:
        """Refuse matches that are no smaller, have other roles, or come earlier than those before."""
        before, since = self, 0.0
        for mode, after in self.relaxed:
            if mode.players >= before.players:
                raise ParameterError(
                    f"{mode} must be smaller than {_written(before.sizes)}", hint="the largest match first"
                )
            if not since <= after < math.inf:
                raise ParameterError(
                    f"{mode} after {after:g} s comes before a larger match", hint=_RELAXED_HINT
                )
            if mode.role_names != self.role_names:
                raise ParameterError(
                    f"{mode} has other roles than {_written(self.sizes)}",
                    hint="the same roles, in the same order",
                )
            before, since = mode, after

    @property
    def variants(self) -> tuple[tuple[Mode, float], ...]:
        """Each kind of match, the largest first, and the seconds after which a ticket accepts it."""
        return ((replace(self, relaxed=()), 0.0), *self.relaxed) if self.relaxed else ((self, 0.0),)

    def variant_of(self, sizes: tuple[int, ...]) -> int:
        """The place among the `variants` of the match with sides of these sizes; 0 if there is none."""
        return next((i for i, (mode, _) in enumerate(self.variants) if mode.sizes == sizes), 0)

    @property
    def sides(self) -> int:
        """The number of sides."""
        return len(self.sizes)

    @property
    def size(self) -> int:
        """The number of players of the largest side."""
        return max(self.sizes)

    @property
    def players(self) -> int:
        """The number of players of a match."""
        return sum(self.sizes)

    @property
    def is_duel(self) -> bool:
        """Whether one player meets one other, without roles."""
        return self.players == 2 and not self.roles

    @property
    def has_teams(self) -> bool:
        """Whether it matters who is on which side: sides have several members, or roles."""
        return self.size > 1 or bool(self.roles)

    @property
    def is_seated(self) -> bool:
        """Whether sides need more than a count of players: more than two teams, uneven ones, or roles."""
        return self.has_teams and (self.sides > 2 or len(set(self.sizes)) > 1 or bool(self.roles))

    @property
    def role_names(self) -> tuple[str, ...]:
        """The different roles, in the order of the mode."""
        return tuple(dict.fromkeys(role for side in self.roles for role in side))

    @property
    def any_role(self) -> int:
        """All roles as bits; a mode without roles has one that everybody plays."""
        return (1 << max(1, len(self.role_names))) - 1

    def roles_in(self, bits: int) -> tuple[str, ...]:
        """The roles that are these bits."""
        return tuple(role for number, role in enumerate(self.role_names) if bits >> number & 1)

    def role_bits(self, said: str | Sequence[str] | None) -> int:
        """The roles that a player would play, as bits; None means any."""
        if said is None:
            return self.any_role
        if not self.roles:
            raise InputError(f"{self} has no roles", hint=_ROLES_HINT)
        listed = [said] if isinstance(said, str) else said
        if not isinstance(listed, (list, tuple, set, frozenset)) or not listed:
            raise InputError(
                f"roles are {shorten(repr(said))}", hint='"tank", or several: ["tank", "healer"]'
            )
        bits = 0
        for role in listed:
            name = role.strip().lower() if isinstance(role, str) else role
            if name not in self.role_names:
                known = ", ".join(self.role_names)
                guess = did_you_mean(name, list(self.role_names)) if isinstance(name, str) else None
                raise InputError(
                    f"{self} has no role {shorten(repr(role))}", hint=guess or f"its roles are {known}"
                )
            bits |= 1 << self.role_names.index(name)
        return bits

    def check_party(self, members: int) -> None:
        """Refuse a party that is larger than the largest side."""
        if members > self.size:
            side = "side" if self.sides > 2 and not self.has_teams else "team"
            raise InputError(
                f"a party of {members} is larger than a {side} of {self}",
                hint=f"at most {self.size} (members may join one by one)",
            )

    def __str__(self) -> str:
        if self.relaxed:
            return _joined(self.variants)
        if not self.roles:
            return _written(self.sizes)
        sides = self.roles[:1] if len(set(self.roles)) == 1 else self.roles
        return f"{_written(self.sizes)}: {' / '.join(map(_listed, sides))}"

    def __repr__(self) -> str:
        return f"Mode({str(self)!r})"


def _written(sizes: tuple[int, ...]) -> str:
    if len(sizes) > 2 and max(sizes) == 1:
        return f"ffa:{len(sizes)}"
    return "v".join(map(str, sizes))


def _one_by_one(text: str) -> list[tuple[str, float]]:
    """The modes of a piece of text, the largest first, and the seconds after which they are accepted."""
    written, after = text, 0.0
    if match := _AFTER.search(text.lower()):
        written = text[: match.start()]
        after = float(match[1]) * (60.0 if match[2].startswith("m") else 1.0)
    if match := _SPAN.fullmatch(written.strip().lower()):
        low, high = int(match[1]), int(match[2])
        if not 3 <= low < high <= MOST_PLAYERS:
            raise ParameterError(f"{shorten(text)!r} is not a mode", hint='a span such as "ffa:4-8"')
        return [(f"ffa:{size}", after) for size in range(high, low - 1, -1)]
    return [(written, after)]


def _joined(variants: tuple[tuple[Mode, float], ...]) -> str:
    """Modes with their seconds as `Mode.parse` reads them; free-for-alls in a row as a span."""
    pieces = []
    for (after, is_ffa), some in groupby(variants, lambda one: (one[1], not one[0].has_teams)):
        modes = [mode for mode, _ in some]
        then = f" after {after:g} s" if after else ""
        sizes = [mode.players for mode in modes]
        is_span = is_ffa and len(sizes) > 1 and sizes[-1] > 2 and sizes[0] - sizes[-1] == len(sizes) - 1
        names = [f"ffa:{sizes[-1]}-{sizes[0]}"] if is_span else [str(mode) for mode in modes]
        pieces += [name + then for name in names]
    return ", ".join(pieces)


def _listed(places: tuple[str, ...]) -> str:
    """The roles of a side, with the number of places where that is not one."""
    counted = ((role, len(list(some))) for role, some in groupby(places))
    return ", ".join(role if count == 1 else f"{count} {role}" for role, count in counted)


def _parse_roles(text: str, sides: int, mode: str) -> tuple[tuple[str, ...], ...]:
    """The role of each place, for each side: one list for all sides, or one for each."""
    found = []
    for side in text.split("/"):
        places: list[str] = []
        for part in side.split(","):
            match = _ROLE.fullmatch(part.strip())
            if match is None:
                raise ParameterError(f"{shorten(mode)!r}: {part.strip()!r} is not a role", hint=_ROLES_HINT)
            count = int(match[1] or 1)
            if not 1 <= count <= MOST_A_SIDE:
                raise ParameterError(
                    f"{shorten(mode)!r}: {count} places of a role", hint=f"1 to {MOST_A_SIDE} of each"
                )
            places += [match[2].strip()] * count
        found.append(tuple(places))
    if len(found) not in (1, sides):
        raise ParameterError(
            f"{shorten(mode)!r}: {len(found)} lists of roles for {sides} teams", hint=_ROLES_HINT
        )
    return tuple(found * sides if len(found) == 1 else found)
