"""Cells that may name two players, such as `Ann / Bob`: teams, if the table shows that it knows both names.

A name is known if it stands in a cell of its own, or in two different pairs. Where only some are known, or
where half of all cells look like pairs, nobody can tell: podium asks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from shlex import quote
from typing import NamedTuple

import polars as pl

from podium.text import shorten

SIGNS = ("/", "&", "+", " und ", " and ", " et ", " y ", " e ", " en ", " i ", " и ", " ve ", ";", "|")
"""What people write between two players of a team."""
_IN_PAIR_COLUMNS = (*SIGNS, " - ", ",")
"""The same in a column that is called after pairs; elsewhere a comma stands in `Berg, Ann`."""
_ANY_SIGN = "|".join(re.escape(sign) for sign in (*SIGNS, "\n"))
MOST_MEMBERS = 6
"""Players of a team that people write into one cell."""
_MOST_ASKED = 0.05
"""Part of the names from which pairs of which some names are known are asked about; below they are named."""
_LETTER = re.compile(r"[^\W\d_]")


class PairCells(NamedTuple):
    """What the names of a table show."""

    sign: str | None = None
    """The text between two players of a team, where all of them are known."""
    unclear: str | None = None
    """What to say of cells that may be teams."""
    hint: str | None = None
    must_ask: bool = False
    """Whether reading them as names would change who is rated."""


def cells_of_pairs(names: Sequence[str]) -> PairCells:
    """The same for the cells of columns that are called after pairs: each names two, or they have names.

    >>> cells_of_pairs(["Ann, Bob", "Cid, Dora"]).sign
    ','
    >>> cells_of_pairs(["Ann, Bob", "Cid"]).unclear
    "'Cid' does not name two players, as 'Ann, Bob' may"
    """
    best = max(_IN_PAIR_COLUMNS, key=lambda sign: len(_pairs(names, sign)))
    pairs = _pairs(names, best)
    if not pairs:
        return PairCells()
    if len(pairs) == len(names):
        return PairCells(sign=best)
    alone = next(name for name in names if name not in pairs)
    unclear = f"{shorten(alone)!r} does not name two players, as {shorten(next(iter(pairs)))!r} may"
    return PairCells(unclear=unclear, hint=_hint(best), must_ask=True)


def pair_cells(names: Sequence[str], others: Iterable[str] = ()) -> PairCells:
    """Whether some of the names are teams of two; `others` are names that earlier pieces had.

    >>> pair_cells(["ann", "bob", "ann / bob"]).sign
    '/'
    >>> pair_cells(["Brighton & Hove Albion", "Leeds", "York"])
    PairCells(sign=None, unclear=None, hint=None, must_ask=False)
    """
    odd = _with_sign(names, _ANY_SIGN)
    lines = _pairs(odd, "\n")
    players = [player for pair in lines.values() for player in pair]
    if 2 * len(lines) >= len(names) and len(set(players)) < len(players):
        reason = f"{shorten(next(iter(lines)))!r} is on two lines, and may be two players"
        hint = "write them on one line, such as 'Ann / Bob': --teams-split / reads two players"
        return PairCells(unclear=reason, hint=f"{hint} (teams_split='/')", must_ask=True)
    by_sign = {sign: pairs for sign in SIGNS if (pairs := _pairs(odd, sign))}
    if not by_sign:
        return _unclear_commas(names)
    paired = {name for pairs in by_sign.values() for name in pairs}
    known = {*names, *others} - paired
    often = Counter(player for pairs in by_sign.values() for pair in set(pairs.values()) for player in pair)
    known |= {player for player, times in often.items() if times > 1}
    several = [sign for sign in by_sign if any(known & set(pair) for pair in by_sign[sign].values())]
    if len(several) > 1:
        shown = " and ".join(repr(sign.strip()) for sign in several[:2])
        hint = f"write all teams alike, for example with {several[0].strip()!r}. {_hint(several[0])}"
        return PairCells(unclear=f"cells with two of {shown} in them may be teams", hint=hint, must_ask=True)
    if several and all(known.issuperset(pair) for pair in by_sign[several[0]].values()):
        return PairCells(sign=several[0])
    partly = several[0] if several else None
    sign = partly or max(by_sign, key=lambda one: len(by_sign[one]))
    pairs = by_sign[sign]
    of_two = sum(len(pair) == 2 for pair in pairs.values())
    most = of_two > 1 and 2 * len(pairs) >= len(names)
    if partly is None and not most:
        return PairCells()
    example = next((name for name, pair in pairs.items() if known & set(pair)), next(iter(pairs)))
    return PairCells(
        unclear=f"{shorten(example)!r} may be two players or one name",
        hint=_hint(sign),
        must_ask=most or len(pairs) >= _MOST_ASKED * len(names),
    )


def unlike_pair(names: Sequence[str], sign: str) -> str | None:
    """A name of two known players with another sign between them than that of the table's teams.

    >>> unlike_pair(["ann", "bob", "ann + bob"], "/"), unlike_pair(["ann", "bob & co"], "/")
    ('ann + bob', None)
    """
    odd = [name for name in _with_sign(names, _ANY_SIGN) if sign not in name]
    known = set(names) if odd else set()
    pairs = (pair for other in SIGNS if other != sign for pair in _pairs(odd, other).items())
    return next((name for name, players in pairs if known.issuperset(players)), None)


def _with_sign(names: Sequence[str], pattern: str) -> list[str]:
    text = pl.Series(names, dtype=pl.String)
    return text.filter(text.str.contains(pattern)).to_list()


def _unclear_commas(names: Sequence[str]) -> PairCells:
    """Whether names such as `Ann, Bob` may be two players: their words stand alone, or on both sides.

    >>> [_unclear_commas(names).must_ask for names in (["Ann, Bob", "Cid, Ann"], ["Lee, Ann", "Lee"])]
    [True, False]
    """
    pairs = _pairs(_with_sign(names, ","), ",")
    if len(pairs) < 2:
        return PairCells()
    places = Counter(player for pair in pairs.values() for player in set(enumerate(pair)))
    several = Counter(player for _, player in places)
    players = set(names) | {player for player, times in several.items() if times > 1}
    odd = [name for name, pair in pairs.items() if players.intersection(pair)]
    if len(odd) < 2 or 2 * len(odd) < len(pairs):
        return PairCells()
    return PairCells(
        unclear=f"{shorten(odd[0])!r} may be several players or one name", hint=_hint(","), must_ask=True
    )


def _pairs(names: Sequence[str], sign: str) -> dict[str, tuple[str, ...]]:
    """The names that are several with this sign between them, by the whole name."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        parts = tuple(part.strip() for part in name.split(sign))
        different = len(set(parts)) == len(parts) and all(_LETTER.search(part) for part in parts)
        if different and 2 <= len(parts) <= MOST_MEMBERS:
            found[name] = parts
    return found


def _hint(sign: str) -> str:
    text = sign.strip() if len(sign.strip()) == 1 and not sign.strip().isalpha() else sign
    return (
        f"--teams-split {quote(text)} (teams_split={text!r}) reads two players; --teams-split none "
        "(teams_split='none') reads one name"
    )
