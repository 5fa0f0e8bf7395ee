"""What an event would do to a ladder, and what rank somebody would need in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import starmap
from typing import Unpack

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError
from podium.history import Event, History, Names
from podium.history.events import EventKeywords
from podium.history.history import history_of_values
from podium.history.names import player_name
from podium.ladder.locking import locked
from podium.ladder.predictions import Predicting
from podium.systems import hinting_at_others
from podium.systems.contract.ratings import Change, Changes, Trace
from podium.text import shorten


class Previewing(Predicting):
    """The previews of a ladder."""

    def _check_order(self, time: int, what: str | None) -> None:
        """Refuse a time before the ladder's last event."""
        raise NotImplementedError

    @locked
    def preview(self, **event: Unpack[EventKeywords]) -> Changes:
        """The changes that `record` would make, without recording; takes the same arguments."""
        return self._preview(Event.of(**event))

    @locked
    def _preview(self, event: Event) -> Changes:
        self._check_order(event.time, event.name)
        names = Names()
        history = history_of_values((event,), names)
        with hinting_at_others():
            trace = self.system.update(self._seats(names), history)
        return changes_of(history, trace, *self._displayed(trace))

    @locked
    def rank_to_reach(self, player: str, rating: float, **event: Unpack[EventKeywords]) -> int | None:
        """The worst rank after which a player of this event would be displayed at `rating` or above.

        `event` has the arguments of `record`, such as the standings of a contest still running. The others
        keep their order, and the player (or the player's team) stands between them, tied with nobody. None if
        no rank is enough. Where a better rank can lower the displayed rating (with `display_k` in some
        systems, or if only neighbours in rank count), a better rank than this may fail; all ranks are tried
        then, from the last one up, which takes long in a contest of thousands.

        >>> from podium import EloMMR, Ladder
        >>> ladder = Ladder(EloMMR())
        >>> ladder.rank_to_reach("ann", 1550, ranks={"bob": 1, "cat": 2, "ann": 3, "dan": 4})
        2
        """
        me, standings = player_name(player), Event.of(**event)
        mine = next((side for side, members in enumerate(standings.sides) if me in members), None)
        if mine is None:
            raise InputError(f"{shorten(me)!r} is not in these standings")
        others = [rank for side, rank in enumerate(standings.ranks) if side != mine]
        groups = sorted(set(others))
        names = Names()
        doubled = replace(standings, ranks=tuple(2 * r for r in standings.ranks), scores=None, share=None)
        history, seats = history_of_values((doubled,), names), self._seats(names)
        self._check_order(standings.time, standings.name)
        own = np.isin(history.player, [names.index_of[member] for member in standings.sides[mine]])
        row = int(np.flatnonzero(history.player == names.index_of[me])[0])

        def is_enough(better: int) -> bool:
            """Whether a rank right behind the first `better` groups of tied sides is enough."""
            here = 2 * groups[better] - 1 if better < len(groups) else 2 * groups[-1] + 1
            event = replace(history, rank=np.where(own, here, history.rank).astype(np.int32))
            with hinting_at_others():
                trace = self.system.update(seats.copy(), event)
            return bool(self._displayed(trace)[1][row] >= rating)

        behind = (_last_by_halving if self.system.rank_raises_display else _last_of_all)(
            is_enough, len(groups)
        )
        if behind is None:
            return None
        return 1 + sum(rank < groups[behind] for rank in others) if behind < len(groups) else len(others) + 1

    def _displayed(self, trace: Trace) -> tuple[Floats, Floats]:
        """The numbers to show for each row, before and after."""
        display = self.system.display
        if not self.system.has_sigma:
            return display(trace.mu_before, None), display(trace.mu, None)
        return display(trace.mu_before, trace.sigma_before), display(trace.mu, trace.sigma)


def _last_by_halving(holds: Callable[[int], bool], most: int) -> int | None:
    """The last of 0 to `most` for which something holds that, once it fails, fails for all that follow."""
    low, high = -1, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return None if low < 0 else low


def _last_of_all(holds: Callable[[int], bool], most: int) -> int | None:
    """The last of 0 to `most` for which something holds."""
    return next((number for number in range(most, -1, -1) if holds(number)), None)


def changes_of(history: History, trace: Trace, before: Floats, after: Floats) -> Changes:
    """The `Change` of each row; `before` and `after` are the displayed ratings."""
    nothing = [None] * history.rows
    columns = (
        [history.players[p] for p in history.player.tolist()],
        history.rank.tolist(),
        trace.mu_before.tolist(),
        trace.sigma_before.tolist() or nothing,
        before.tolist(),
        trace.performance.tolist() or nothing,
        trace.mu.tolist(),
        trace.sigma.tolist() or nothing,
        after.tolist(),
    )
    return Changes(starmap(Change, zip(*columns, strict=True)))
