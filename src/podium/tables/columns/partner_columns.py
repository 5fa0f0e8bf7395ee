"""The columns of doubles: two players for each side of a match, each in a column.

`Player 1, Partner 1, Player 2, Partner 2`, `A1, A2, B1, B2` and `Winner 1, Winner 2, Loser 1, Loser 2` are
one layout under many names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from podium.tables.columns.column_names import (
    HOME_SIDES,
    NUMBERED,
    WINNING_SIDES,
    NamedColumns,
    plain_name,
    plain_names,
)

FOUR_PLAYERS = (
    "if two play two, name the columns: --column player_a=… --column partner_a=… --column player_b=… "
    "--column partner_b=… (columns={'player_a': …, 'partner_a': …, 'player_b': …, 'partner_b': …})"
)
PARTNERS = plain_names(
    "partner, teammate, team mate, mate, second player, Mitspieler, Mitspielerin, Doppelpartner, Partnerin, "
    "compañero, compañera, pareja, coéquipier, coéquipière, partenaire, équipier, compagno, compagna, "
    "parceiro, parceira, dupla, medespeler, partnerka, partner deblowy, партнер, напарник, eş, eşi, "
    "takım arkadaşı, ortak"
)
_PAIR_NOUNS = plain_names(
    "pair, couple, doubles, Paar, Doppel, paire, double, pareja, coppia, dupla, koppel, para, пара, çift, par"
)
_TEAM_NOUNS = (
    *_PAIR_NOUNS,
    *plain_names(
        "team, side, Mannschaft, équipe, equipo, squadra, equipa, ploeg, drużyna, команда, takım, lag, hold"
    ),
)
_NOUNS = sorted(
    {noun for noun in (*_TEAM_NOUNS, *NUMBERED) if len(noun) > 2 and not noun.isdigit()},
    key=len,
    reverse=True,
)
_MEMBERS = (("1", "2"), ("a", "b"))
_LETTERS_AND_DIGITS = re.compile("[abxy12][abc123]")


def is_of_pairs(column: str) -> bool:
    """Whether a column is called after pairs, such as `Pair 1` or `Doppel A`.

    >>> [is_of_pairs(name) for name in ("Pair 1", "Doppel A", "Paar", "Player 1", "Partner")]
    [True, True, True, False, False]
    """
    return re.sub(r"(?:[12ab]|one|two)$", "", plain_name(column)) in _PAIR_NOUNS


class SideColumns(NamedTuple):
    """The four columns of doubles, and what they say of the sides."""

    columns: tuple[str, str, str, str]
    """Both members of the first side, then both of the second."""
    at_home: bool = False
    """Whether the first side is at home."""
    by_winner: bool = False
    """Whether the first side is the one that won."""
    third: str | None = None
    """A column for a third member."""


def four_columns(columns: Iterable[str], taken: Collection[str]) -> SideColumns | None:
    """The four columns of doubles: what is left of their names numbers the sides and their members."""
    by_nouns: dict[tuple[str, ...], dict[str, str]] = {}
    for column in columns:
        left, nouns = _without_nouns(plain_name(column))
        if column not in taken and left:
            by_nouns.setdefault(nouns, {}).setdefault(left, column)
    for found in by_nouns.values():
        if len(found) >= 4 and (sides := _in_words(found) or _numbered(found)) is not None:
            return sides
    return None


def _without_nouns(name: str) -> tuple[str, tuple[str, ...]]:
    """What numbers a member in the name of a column, and the other words in it."""
    removed = []
    for noun in _NOUNS:
        if noun in name:
            name = name.replace(noun, "", 1)
            removed.append(noun)
    return re.sub("(?<=.)p(?=[12ab]$)", "", name), tuple(removed)  # team1_p1


def _in_words(found: Mapping[str, str]) -> SideColumns | None:
    """Sides called home and away, winner and loser, or red and blue."""
    homes = [(tuple(map(plain_name, sides)), "home") for sides in HOME_SIDES]
    others = [(sides, "won") for sides in (*WINNING_SIDES, ("winners", "losers"))]
    others += [(("red", "blue"), "coloured"), (("blue", "red"), "coloured")]
    for (sides, kind), members in product((*homes, *others), _MEMBERS):
        names = [side + member for side in sides for member in members]
        if all(name in found for name in names):
            a, b, c, d = (found[name] for name in names)
            third = found.get(sides[0] + "3") or found.get(sides[0] + "c")
            return SideColumns((a, b, c, d), kind == "home", by_winner=kind == "won", third=third)
    return None


def _numbered(found: Mapping[str, str]) -> SideColumns | None:
    """Sides called A and B, or 1 and 2. Of two numbers the columns' order tells which is the side."""
    codes = [code for code in found if _LETTERS_AND_DIGITS.fullmatch(code)]
    four = [code for code in codes if code[0] not in "c3" and code[1] not in "c3"]
    firsts, seconds = sorted({code[0] for code in four}), sorted({code[1] for code in four})
    if len(four) != 4 or len(firsts) != 2 or len(seconds) != 2:
        return None
    if firsts[0].isalpha():
        if not seconds[0].isdigit():
            return None
        side = 0
    else:
        side = 0 if four[0][0] == four[1][0] else 1
    ordered = sorted(four, key=lambda code: (code[side], code[1 - side]))
    third = next((found[code] for code in codes if code not in four), None)
    a, b, c, d = (found[code] for code in ordered)
    return SideColumns((a, b, c, d), third=third)


def partners_of(
    columns: Sequence[str], named: NamedColumns, first: str, second: str, taken: Collection[str]
) -> tuple[str, str] | None:
    """The columns of the partners of two sides: Partner 1 and Partner 2, or a Partner behind each."""
    ends = [(plain_name(first), plain_name(second))]
    ends += [pair for pair in (("1", "2"), ("a", "b"), ("one", "two")) if _end_in(ends[0], pair)]
    for noun, (a, b) in product(PARTNERS, ends):
        for one, other in ((noun + a, noun + b), (a + noun, b + noun)):
            found = named.first([one], taken), named.first([other], taken)
            if found[0] is not None and found[1] is not None:
                return found[0], found[1]
    free = [column for column in columns if plain_name(column) in PARTNERS and column not in taken]
    return (free[0], free[1]) if len(free) == 2 else None


def _end_in(names: tuple[str, str], ends: tuple[str, str]) -> bool:
    return all(name.endswith(end) for name, end in zip(names, ends, strict=True))
