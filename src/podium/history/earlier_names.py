"""The rows of a player under all names that the player has had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Longs
from podium.errors import UnknownPlayerError
from podium.history.adjustments import Merge, Rename
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.history.history import History


def rows_under_all_names(history: History, name: str) -> Longs:
    """The rows of the player who is called `name` at the end, in order, also from before a rename.

    If nobody is called so at the end, those of the players who were.

    >>> from podium import History, Rename
    >>> first, second = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "rob": 2}}
    >>> history = History.from_events([first, Rename(player="bob", into="rob"), second])
    >>> rows_under_all_names(history, "rob").tolist()
    [1, 3]
    """
    parts, until, called = [], history.rows, name

    def rows(first: int) -> Longs:
        index = history.players.find(called)
        found = history.player[first:until] == (-1 if index is None else index)
        return first + np.flatnonzero(found)

    for placed in reversed(history.adjustments):
        start, adjustment = int(history.offsets[placed.before]), placed.adjustment
        if not isinstance(adjustment, (Rename, Merge)):
            continue
        if adjustment.player == called:  # the name became free here: whoever had it before is somebody else
            parts.append(rows(start))
            until = start
            break
        if adjustment.into == called and isinstance(adjustment, Rename):
            parts.append(rows(start))
            until, called = start, adjustment.player
    else:
        parts.append(rows(0))
    found = np.concatenate(parts[::-1])
    if not len(found):
        until, called = history.rows, name
        found = rows(0)
    if not len(found):
        hint = did_you_mean(name, history.players.to_list())
        raise UnknownPlayerError(f"{shorten(name)!r} is in no event", hint=hint)
    return found
