"""Names that may mean one player: they differ only in case, accents, blanks, or letters that look alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from podium.arrays import Ints, Longs
from podium.history.key_numbers import KeyNumbers, Keys
from podium.history.names import INVISIBLE
from podium.tables.names.aliases import Aliases
from podium.tables.names.player_numbers import are_ascii, is_ascii
from podium.text import shorten

MOST_SHOWN = 3
"""Pairs named in a warning; the others are counted."""
MOST_NEAR_WARNINGS = 3
"""Pieces of a file that say which of their names may mean one player; enough to make people look."""

_ACCENTS = r"[\u{300}-\u{36f}]"  # marks of other scripts, as of Japanese, make another letter
_BLANKS = r"[\s" + "".join(f"\\u{{{ord(sign):x}}}" for sign in INVISIBLE) + "]"
_SPELLINGS = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ı": "i", "þ": "th"}
_SPELLINGS |= dict.fromkeys("‘’ʼ`´", "'") | dict.fromkeys("‐‑‒–—−", "-")

_LATIN = "ABEKMHOPCTXYSIJQWGZNaeopcxysijhqwvdkuABEZHIKMNOPTYXoviupkax"
_OTHERS = "АВЕКМНОРСТХУЅІЈԚԜԌΖΝаеорсхуѕіјһԛԝѵԁкцΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιυρκαχ"
LOOK_ALIKE = dict(zip(_OTHERS, _LATIN, strict=True))
"""Cyrillic and Greek letters, and the Latin letter each looks like."""


class NearNames:
    """All names met so far; finds those among new ones that are near to another.

    >>> NearNames().pairs(["anna", "Bob", "Anna"])
    [('anna', 'Anna')]
    """

    def __init__(self, known: Sequence[str] = ()) -> None:
        self._names: list[str] = []
        self._keys = KeyNumbers()
        self._owners: list[Longs] = []
        """The number of the name that had each key first."""
        if len(known):
            self.pairs(known)

    def pairs(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """Remember new names; each with the first name it is near to, in the order of the new ones."""
        if not len(names):
            return []
        keys, owners = _keys(names)
        known = len(self._keys)
        codes, first = self._keys.add(keys)
        found: dict[int, str] = {}
        if len(first) < len(keys):
            met = np.flatnonzero(codes < known)
            found = self._nearest(codes[met], owners[met])
            again = np.flatnonzero(codes >= known)
            whose = owners[first[codes[again] - known]]
            for place in np.flatnonzero(whose != owners[again]).tolist():
                one, other = sorted((int(whose[place]), int(owners[again[place]])))
                found.setdefault(other, names[one])
        self._owners.append(owners[first] + len(self._names))
        self._names.extend(names)
        return [(found[number], names[number]) for number in sorted(found)]

    def pairs_with_known(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """New names that are near to a known one, each with that; nothing is remembered."""
        keys, owners = _keys(names)
        codes = self._keys.find(keys)
        met = np.flatnonzero(codes >= 0)
        return [
            (one, names[number]) for number, one in sorted(self._nearest(codes[met], owners[met]).items())
        ]

    def _nearest(self, codes: Ints, owners: Longs) -> dict[int, str]:
        """By the number of a new name, the known name that had its key first."""
        if not len(codes):
            return {}
        known = np.concatenate(self._owners)[codes]
        return {number: self._names[one] for number, one in zip(owners.tolist(), known.tolist(), strict=True)}


class NearFiles:
    """Finds names of one file that are near to names of the files before it."""

    def __init__(self, aliases: Aliases | None) -> None:
        self._near = NearNames()
        self._known: set[str] = set() if aliases is None else set(aliases.own_names)
        self._warnings = 0

    def warning(self, names: Iterable[str]) -> str | None:
        """What to say of the names of the next file; None if there is nothing to say."""
        fresh = [name for name in names if name not in self._known]
        pairs = self._near.pairs_with_known(fresh)
        self._near.pairs(fresh)
        self._known.update(fresh)
        if not pairs or self._warnings == MOST_NEAR_WARNINGS:
            return None
        self._warnings += 1
        return near_warning(pairs, " of an earlier file")


ALIASES_HINT = "merge them with --aliases FILE (aliases=)"


def near_warning(pairs: Sequence[tuple[str, str]], known: str = "", hint: str = ALIASES_HINT) -> str:
    """What to say of names that are near to each other; `known` tells where the first of each pair is.

    >>> near_warning([("anna", "Anna")])
    "'anna' and 'Anna' may be one player: merge them with --aliases FILE (aliases=)"
    """
    shown = ", ".join(
        f"{shorten(one, 30)!r}{known} and {shorten(other, 30)!r}" for one, other in pairs[:MOST_SHOWN]
    )
    each = " each" if len(pairs[:MOST_SHOWN]) > 1 else ""
    more = len(pairs) - MOST_SHOWN
    others = f" ({more:,} more pair{'s' if more > 1 else ''} like this)" if more > 0 else ""
    return f"{shown} may be one player{each}{others}: {hint}"


def _keys(names: Sequence[str]) -> tuple[Keys, Longs]:
    """Hashes that names near to each other share, and the number of the name each belongs to.

    Every name has one of its letters as they are, and one more of what they look like if that is another.
    """
    text = pl.Series(names, dtype=pl.String)
    numbers = np.arange(len(names))
    keys = [_folded(text).hash(seed=0).to_numpy()]
    if are_ascii(text):
        return keys[0], numbers
    odd = (~is_ascii(text)).arg_true()
    strange = text.gather(odd)
    looks = strange.str.replace_many(LOOK_ALIKE)
    alike = (looks != strange).arg_true()
    keys.append(_folded(looks.gather(alike)).hash(seed=0).to_numpy())
    return np.concatenate(keys), np.concatenate([numbers, odd.gather(alike).to_numpy()])


def _folded(names: pl.Series) -> pl.Series:
    """Names in lower case without accents and blanks; a blank between digits stays."""
    text = names
    if not are_ascii(text):
        text = text.str.normalize("NFKD").str.replace_all(_ACCENTS, "").str.to_lowercase()
        text = text.str.replace_many(_SPELLINGS)
    else:
        text = text.str.to_lowercase()
    if text.str.contains(_BLANKS).any():
        if text.str.contains(r"\d\s+\d").any():
            text = text.str.replace_all(r"(\d)\s+(\d)", "${1}_${2}")
        text = text.str.replace_all(_BLANKS, "")
    return text
