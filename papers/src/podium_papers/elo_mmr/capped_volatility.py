"""Topcoder with one change that takes most of the gain out of farming: the cap also limits the volatility."""

from __future__ import annotations

import numpy as np

from podium.history import History
from podium.history.ragged import Progress
from podium.systems.contract.ratings import Trace
from podium.systems.contract.state import State
from podium.systems.topcoder.topcoder import LEAST_VOLATILITY, Topcoder, contest_pace


class CappedVolatility(Topcoder):
    """Topcoder in which a volatility grows with the move that was made.

    In Topcoder, here and in the authors' program, it grows with the move before the cap: a last place of the
    best counts in full, although it moves the rating by the cap only. For contests of weight 1 in which all
    are rated.
    """

    def update(
        self, state: State, history: History, *, trace: bool = True, progress: Progress | None = None
    ) -> Trace:
        """Rate contest by contest, and set the volatilities anew after each."""
        out = super().update(state, history[:0], trace=False)
        for number in range(len(history)):
            event = history[number : number + 1]
            rating, spread = self.view(state, event.player.astype(np.int64), int(event.time[0]))
            out = super().update(state, event, trace=False, progress=progress)
            contests = state["events"][event.player]
            step = self.weight * np.array(
                [contest_pace(*pair) for pair in zip(rating, contests, strict=True)]
            )
            move = state["mu"][event.player] - rating
            grown = np.hypot(move, np.sqrt(step / (1.0 + step)) * spread) / np.sqrt(step)
            state["volatility"][event.player] = np.maximum(grown, LEAST_VOLATILITY)
        return out
