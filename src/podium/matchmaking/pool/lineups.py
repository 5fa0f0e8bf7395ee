"""Who plays in matches that begin, in columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from podium.arrays import Bools, Longs


class LineUps(NamedTuple):
    """The players of some matches, in the columns of `Matches`."""

    player: Longs
    slot: Longs
    sides: Longs
    members: Longs
    numbers: Longs

    @property
    def first(self) -> Longs:
        """The first player of each match, and the end of the last."""
        return self.members[self.sides]

    def some(self, these: Bools) -> LineUps:
        """The line-ups of these matches only."""
        in_match, in_side = np.diff(self.sides), np.diff(self.members)
        side, player = np.repeat(these, in_match), np.repeat(these, np.diff(self.first))
        sides = np.concatenate([[0], np.cumsum(in_match[these])])
        members = np.concatenate([[0], np.cumsum(in_side[side])])
        return LineUps(self.player[player], self.slot[player], sides, members, self.numbers[these])
