"""Names that may be one player, proposed as aliases that somebody confirms; nothing is merged in silence.

Names are compared without case, accents and umlauts, in any order of their words, by initials, a nickname
with the only player whose first name it is like, and a last name with the only player who has it. Two names
that have met in one event are two players.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from podium.history.history import History
from podium.tables.columns.column_names import plain_accents
from podium.text import counted, shorten

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
_BRACKETS = re.compile(r"\(.*?\)|\[.*?\]|^#?\d+[.)]?\s+")
"""What changes next to a name: a seed, a rating, a country, the number of a runner."""
FEWEST_LETTERS = 3
"""Letters that a nickname must share with a first name."""
LONGEST_ENDING = 2
"""Letters that a nickname may have behind those, such as -i and -by."""


MOST_NAMES, MOST_ROWS = 500, 50_000
"""Names and rows of a club's results: of larger ones names are proposed only if somebody asks."""


class NameProposal(NamedTuple):
    """A name that may mean a player, and why."""

    alias: str
    player: str
    why: str


def propose_names(history: History) -> list[NameProposal]:
    """Aliases for the names of a history that may be one player's, in the order of the names.

    >>> history = History.from_matches(["Müller, Hans", "H. Müller"], ["Ann Lee", "Bob Ray"], [1, 1])
    >>> [tuple(one) for one in propose_names(history)]
    [('H. Müller', 'Müller, Hans', 'the initial of a first name')]
    """
    names = history.players.to_list()
    events = Counter(history.player.tolist())
    met = _met(history)
    number = {name: code for code, name in enumerate(names)}
    player_of: dict[str, NameProposal] = {}

    def may_be_one(one: str, other: str) -> bool:
        return number[other] not in met[number[one]]

    def propose(group: Sequence[str], why: str) -> None:
        """The best name of a group for the others of it, if none of them has met another."""
        left = [name for name in group if name not in player_of]
        if len(left) < 2:
            return
        best = max(left, key=lambda name: (_completeness(name), events[number[name]]))
        for name in left:
            if name != best and may_be_one(name, best):
                player_of[name] = NameProposal(name, best, why)

    for group in _groups(names):
        propose(group, _why(group))
    kept = [name for name in names if name not in player_of]
    for alias, player, why in [*_by_initials(kept), *_by_nickname(kept)]:
        if alias not in player_of and may_be_one(alias, player):
            player_of[alias] = NameProposal(alias, player, why)
    return [player_of[name] for name in names if name in player_of]


def proposals_warning(history: History) -> str | None:
    """What to say of names that may be one player's; those that differ little are warned of anyway.

    >>> proposals_warning(History.from_matches(["Lee, Ann", "A. Lee"], ["Bob", "Cid"], [1, 1]))
    "1 of 4 names may be another name of a player, as 'A. Lee' of 'Lee, Ann': podium names FILE lists them"
    """
    if len(history.players) > MOST_NAMES or len(history.player) > MOST_ROWS:
        return None
    found = [one for one in propose_names(history) if _bare(one.alias) != _bare(one.player)]
    if not found:
        return None
    names = counted(len(history.players), "name")
    return (
        f"{len(found):,} of {names} may be another name of a player, as {shorten(found[0].alias, 30)!r} of "
        f"{shorten(found[0].player, 30)!r}: podium names FILE lists them"
    )


def _bare(name: str) -> str:
    return re.sub(r"\s", "", plain_accents(name.casefold()))


def _met(history: History) -> dict[int, set[int]]:
    """For each player those who were in one event; of large contests nobody's name is looked at."""
    met: dict[int, set[int]] = defaultdict(set)
    for start, end in pairwise(history.offsets.tolist()):
        together = history.player[start:end].tolist()
        if len(together) <= 200:
            for one in together:
                met[one].update(together)
    return met


def _groups(names: Iterable[str]) -> list[list[str]]:
    """Names that share a key; each name has several."""
    by_key: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        for key in _same_words(name):
            by_key[key].append(name)
    return [group for group in by_key.values() if len(group) > 1]


def _same_words(name: str) -> set[tuple[str, ...]]:
    """The words of a name in alphabetical order, without accents; umlauts in both ways, and no brackets."""
    lower = name.casefold()
    found = set()
    for one in (lower, _BRACKETS.sub(" ", lower)):
        for text in (plain_accents(one), plain_accents(one.translate(_UMLAUTS))):
            if words := tuple(sorted(_WORDS.findall(text))):
                found.add(words)
    return found


def _why(group: Sequence[str]) -> str:
    bare = {" ".join(_WORDS.findall(plain_accents(name.casefold()))) for name in group}
    if any(map(_BRACKETS.search, group)):
        return "the same name, but for brackets or a number"
    if len(bare) == 1:
        return "the same letters"
    if len({tuple(sorted(words.split())) for words in bare}) == 1:
        return "the same words in another order"
    return "the same letters, with umlauts written out"


def _parts(name: str, *, umlauts: bool = False) -> tuple[str, str] | None:
    """The first name and the last one, as they are compared; None of a name of one word.

    With `umlauts`, these are written out: Müller is mueller.
    """
    swapped = name.count(",") == 1
    lower = name.casefold()
    words = _WORDS.findall(plain_accents(lower.translate(_UMLAUTS) if umlauts else lower))
    if len(words) < 2:
        return None
    return (words[-1], words[0]) if swapped else (words[0], words[-1])


def _both_parts(name: str) -> set[tuple[str, str]]:
    """The first name and the last one, with umlauts in both ways."""
    return {parts for out in (False, True) if (parts := _parts(name, umlauts=out)) is not None}


def _completeness(name: str) -> tuple[bool, int, bool, bool]:
    """Full names come before initials and brackets, the usual order before a comma, accents before none."""
    words = _WORDS.findall(name)
    is_bare = re.search(r"[,*†!?]", name) is None and _BRACKETS.search(name) is None
    return (
        is_bare and all(len(word) > 1 for word in words),
        len(words),
        not name.isascii(),
        not name.isupper(),
    )


def _by_initials(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """`H. Müller` and `Müller, H.` for the only Müller whose first name begins so."""
    full: dict[tuple[str, str], list[str]] = defaultdict(list)
    for name in names:
        for first, last in _both_parts(name):
            if len(first) > 1:
                full[first[0], last].append(name)
    found = []
    for name in names:
        parts = _parts(name)
        if parts is not None and len(parts[0]) == 1:
            players = list(dict.fromkeys(one for key in _both_parts(name) for one in full.get(key, [])))
            if len(players) == 1:
                found.append((name, players[0], "the initial of a first name"))
        elif parts is not None and len(parts[1]) == 1:  # Hans M.
            players = [
                one
                for one in names
                if (other := _parts(one)) is not None
                and len(other[1]) > 1
                and other[0] == parts[0]
                and other[1][0] == parts[1]
            ]
            if len(players) == 1:
                found.append((name, players[0], "the initial of a last name"))
    return found


def _by_nickname(names: Sequence[str]) -> list[tuple[str, str, str]]:
    """`Hansi` or `Hans` for the only player whose first name begins alike, `Beck` for the only Beck."""
    both = [(name, parts) for name in names if (parts := _parts(name)) is not None and len(parts[0]) > 1]
    found = []
    for name in names:
        words = _WORDS.findall(plain_accents(name.casefold()))
        if len(words) != 1 or len(words[0]) < FEWEST_LETTERS:
            continue
        like = [full for full, (first, _) in both if _is_like(words[0], first)]
        last = [full for full, (_, last) in both if words[0] == last]
        if len(like) + len(last) == 1:
            which = "like the first name" if like else "the last name"
            found.append((name, (like + last)[0], f"{which} of one player"))
    return found


def _is_like(nickname: str, first: str) -> bool:
    """Whether a nickname is a first name, shortened or with an ending such as -i."""
    shared = 0
    for one, other in zip(nickname, first, strict=False):
        if one != other:
            break
        shared += 1
    shorter = min(len(nickname), len(first))
    return shared >= max(FEWEST_LETTERS, shorter - 1) and len(nickname) - shared <= LONGEST_ENDING
