"""Who is on a ladder: names with their indices, and how the players of a history are found among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from podium.arrays import Ints
from podium.history import History, Names

_NONE_YET = np.zeros(0, np.int32)


class Roster:
    """Every name a ladder has met, whether or not there is somebody behind it now; the state knows that."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._met: tuple[Names, Ints, bool] = (names, _NONE_YET, True)
        """The names of the history translated last, what index each has here, and whether it is the same."""

    def truncate(self, n_names: int) -> None:
        """Forget the names after the first so many."""
        self.names.truncate(n_names)
        self._met = (self.names, _NONE_YET, True)

    def translate(self, history: History) -> History:
        """The history with this roster's indices; names that are new join.

        Pieces of one history share their names, which are looked up once.
        """
        if history.players is self.names:
            return history
        index = self._index_of(history.players)
        if index is None:
            return replace(history, players=self.names)
        home = history.home
        return replace(
            history,
            players=self.names,
            player=index[history.player],
            home=None if home is None else np.where(home < 0, -1, index[home]).astype(np.int32),
        )

    def _index_of(self, names: Names) -> Ints | None:
        """What index each of `names` has here; None where it is the same as there."""
        known, index, same = self._met
        if known is not names:
            index, same = _NONE_YET, False
        if not len(self.names):  # the first ones: their numbers are as good as any
            self.names = Names(names)
            index, same = np.arange(len(names), dtype=np.int32), True
        elif len(index) < len(names):
            index = np.concatenate([index, self.names.add_all(names[len(index) :])])
            same = np.array_equal(index, np.arange(len(index)))
        self._met = (names, index, same)
        return None if same else index
