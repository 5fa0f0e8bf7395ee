"""Who is meant by a name, followed back through renames and merges, and the rows of that player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Longs
from podium.errors import UnknownPlayerError
from podium.history.adjustments import Adjustment, Merge, Rename
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.history.history import History


def earlier_names(adjustments: Sequence[Adjustment], name: str) -> list[str | None]:
    """What the player who is called `name` after these adjustments was called before each, and after all.

    None where the name was still another player's.

    >>> from podium import Rename
    >>> earlier_names([Rename(player="bob", into="rob"), Rename(player="rob", into="robin")], "robin")
    ['bob', 'rob', 'robin']
    >>> earlier_names([Rename(player="bob", into="rob")], "bob")
    [None, 'bob']
    """
    called: str | None = name
    names = [called]
    for adjustment in reversed(adjustments):
        if isinstance(adjustment, (Rename, Merge)) and called is not None:
            if adjustment.player == called:
                called = None  # the name became free here: another player had it before
            elif adjustment.into == called and isinstance(adjustment, Rename):
                called = adjustment.player
        names.append(called)
    return names[::-1]


def merged_names(adjustments: Sequence[Adjustment], names: Sequence[str | None]) -> list[list[str | None]]:
    """Like `names`, which `earlier_names` gave of a player, for each account merged into the player's.

    Those of the latest merge first; None from its merge on.
    """
    found = []
    for number in range(len(adjustments) - 1, -1, -1):
        one = adjustments[number]
        if isinstance(one, Merge) and one.into == names[number + 1]:
            own = earlier_names(adjustments[:number], one.player)
            gone: list[str | None] = [None] * (len(names) - len(own))
            found += [own + gone] + [inner + gone for inner in merged_names(adjustments[:number], own)]
    return found


def rows_called(history: History, names: Sequence[str | None]) -> Longs:
    """The rows of the player with these names: before each adjustment of the history, and after the last."""
    starts = [0, *(int(history.offsets[placed.before]) for placed in history.adjustments)]
    parts = [np.zeros(0, np.int64)]
    for start, stop, name in zip(starts, [*starts[1:], history.rows], names, strict=True):
        index = None if name is None else history.players.find(name)
        if index is not None and start < stop:
            parts.append(start + np.flatnonzero(history.player[start:stop] == index))
    return np.concatenate(parts)


def names_meant(history: History, name: str) -> list[str | None]:
    """The names, as `rows_called` takes them, of the player who is called `name` at the end of a history.

    If nobody is called so at the end, those of the players who were.
    """
    adjustments = [placed.adjustment for placed in history.adjustments]
    names = earlier_names(adjustments, name)
    again = any(name in one.players for one in adjustments[names.count(None) :])
    return names if again or len(rows_called(history, names)) else [name] * len(names)


def rows_under_all_names(history: History, name: str) -> Longs:
    """The rows of the player whom `names_meant` finds, in order, also from before a rename.

    >>> from podium import History, Rename
    >>> first, second = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "rob": 2}}
    >>> history = History.from_events([first, Rename(player="bob", into="rob"), second])
    >>> rows_under_all_names(history, "rob").tolist()
    [1, 3]
    """
    found = rows_called(history, names_meant(history, name))
    if not len(found):
        hint = did_you_mean(name, history.players.to_list())
        raise UnknownPlayerError(f"{shorten(name)!r} is in no event", hint=hint)
    return found
