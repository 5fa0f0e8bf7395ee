"""The renames and merges of a ladder in their order, for those who know its players by name.

A waiting pool must follow when the ladder gives a name to somebody else. The ladder cannot tell it: the pool
has a lock of its own, and is taken first. So the changes are a chain. The ladder knows its last link, a pool
the last one that it followed, and walks from there; links that nobody has to follow any more are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from podium.history import Adjustment, Merge, Rename
from podium.systems.contract.explained_ratings import PlayedMatch


class NameChange:
    """A link of the chain: whatever was known of `player` is now known of `into`."""

    __slots__ = ("following", "into", "player")

    def __init__(self, player: str = "", into: str = "") -> None:
        self.player, self.into = player, into
        self.following: NameChange | None = None

    def __reduce__(self) -> tuple[type[NameChange], tuple[()]]:
        return NameChange, ()  # a copy of a ladder begins a chain of its own

    def then(self, changes: Iterable[tuple[str, str]]) -> NameChange:
        """Add links behind this one; returns the last, from which on they count."""
        last = self
        for player, into in changes:
            last.following = last = NameChange(player, into)
        return last

    def until(self, last: NameChange) -> Iterator[NameChange]:
        """The links behind this one, to the last one."""
        here = self
        while here is not last:
            assert here.following is not None
            here = here.following
            yield here


class LatestNames:
    """What the players of earlier matches of one player, who is called `own` now, are called by now.

    It goes back in time: each adjustment is told, the latest first, before the matches from before it.

    >>> names = LatestNames("ann")
    >>> names.before(Rename(player="bob", into="rob"))
    >>> print(names.told(PlayedMatch(("bob",), "win", 0.43)))
    beat rob, chance 43%
    """

    def __init__(self, own: str) -> None:
        self._own = own
        self._latest: dict[str, str] = {}

    def before(self, adjustment: Adjustment | None) -> None:
        """What follows was before this adjustment."""
        if isinstance(adjustment, (Rename, Merge)):
            self._latest[adjustment.player] = self._latest.get(adjustment.into, adjustment.into)

    def told(self, match: PlayedMatch | None) -> PlayedMatch | None:
        """A match with the names of now; other accounts of the player keep theirs."""
        if match is None or not self._latest:
            return match
        opponents, partners = (tuple(map(self._name, side)) for side in (match.opponents, match.partners))
        return replace(match, opponents=opponents, partners=partners)

    def _name(self, then: str) -> str:
        latest = self._latest.get(then, then)
        return then if latest == self._own else latest


def name_changes(adjustments: Iterable[Adjustment | None]) -> list[Rename | Merge]:
    """The renames and merges among these."""
    return [one for one in adjustments if isinstance(one, (Rename, Merge))]


def renamed(adjustments: Iterable[Adjustment]) -> list[tuple[str, str]]:
    """Whose name passes to whom, by the renames and merges among these."""
    return [(one.player, one.into) for one in name_changes(adjustments)]


def taken_back(adjustments: Iterable[Adjustment], is_known: Callable[[str], bool]) -> list[tuple[str, str]]:
    """What taking these back, the last one first, does to names; `is_known` says who is there afterwards.

    A merge that is taken back leaves everything with the account that it went to, as nobody knows any more
    what belonged to whom; unless there is no such account then.
    """
    return [
        (one.into, one.player)
        for one in reversed([*adjustments])
        if isinstance(one, Rename) or (isinstance(one, Merge) and not is_known(one.into))
    ]


def corrected(
    before: list[Adjustment], after: list[Adjustment], is_known: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """What a correction does to names: what it changes in the middle is taken back, and done as it is now."""
    same = 0
    while same < min(len(before), len(after)) and before[same] == after[same]:
        same += 1
    end = 0
    while end < min(len(before), len(after)) - same and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[same : len(before) - end], after[same : len(after) - end]
    return taken_back(old, is_known) + renamed(new)
