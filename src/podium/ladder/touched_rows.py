"""What a change in bulk touches of a state, as it was before: enough to take the change back."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from podium.history import History
from podium.systems.contract.state import Snapshot, State


class TouchedRows:
    """The rows of a state that a change has touched so far, each saved before its first touch.

    An event changes the rows of its players, and nothing else but what belongs to no player. Rows of players
    who come later than the change's beginning are not saved: they go when it is taken back.
    """

    def __init__(self, state: State, rewritten: Collection[str]) -> None:
        """`rewritten` are the columns of terms that events change, as the system declares them."""
        self._rewritten = rewritten
        self._is_saved = np.zeros(state.size, np.bool_)
        self._saved: list[Snapshot | State] = []

    def save(self, state: State, history: History) -> None:
        """Save what this history, whose players are numbered as in the state, is going to touch."""
        if history.adjustments:
            self.save_all(state)
            return
        fresh = np.zeros(len(self._is_saved), np.bool_)
        fresh[history.player[history.player < len(fresh)]] = True
        fresh &= ~self._is_saved
        players = np.flatnonzero(fresh).astype(np.int32)
        if len(players) or not self._saved:
            self._saved.append(state.snapshot(players, self._rewritten))
            self._is_saved[players] = True

    def save_all(self, state: State) -> None:
        """Save everything, for a change that may touch anybody."""
        self._make_whole()
        if not self._saved or not self._is_saved.all():
            self._saved.append(state.copy())
            self._is_saved[:] = True

    def _make_whole(self) -> None:
        for i, saved in enumerate(self._saved):
            self._saved[i] = saved if isinstance(saved, State) else saved.whole()

    def restored(self, state: State) -> State:
        """The state as it was; may be called again if an interrupt ended it early."""
        self._make_whole()
        for saved in reversed(self._saved):
            if isinstance(saved, State):
                state = saved
            else:
                state.restore(saved)
        return state
