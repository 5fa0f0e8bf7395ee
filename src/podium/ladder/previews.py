"""What an event would do to a ladder, and what rank somebody would need in it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import starmap
from typing import Unpack

from podium.arrays import Floats
from podium.errors import InputError
from podium.history import Event, History, Names
from podium.history.events import EventKeywords
from podium.history.history import history_of_values
from podium.ladder.locking import locked
from podium.ladder.needed_ranks import NeededRanks, without_scores
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
        """The changes that `record` would make, without recording. The arguments are the same."""
        return self._preview(Event.of(**event).tidied())

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
        keep their order, and the player (or the player's team) is placed between them, without ties. The
        answer is on the scale of the ranks given: between 12 and 57 it is 56. None if no rank is enough. A
        better rank can lower the displayed rating with `display_k` in some systems, or if only neighbours in
        rank count. A better rank than this may then fail. All ranks are tried in that case, from the last one
        up, which takes long in a contest of thousands.

        >>> from podium import EloMMR, Ladder
        >>> ladder = Ladder(EloMMR())
        >>> ladder.rank_to_reach("ann", 1550, ranks={"bob": 1, "cat": 2, "ann": 3, "dan": 4})
        2
        """
        me, standings = self.players.meant(player), Event.of(**event).tidied()
        mine = next((side for side, members in enumerate(standings.sides) if me in members), None)
        if mine is None:
            raise InputError(f"{shorten(me)!r} is not in these standings")
        return self._needed_ranks(standings).of_one(me, mine, [float(rating)])[0]

    @locked
    def ranks_to_reach(
        self, ratings: Iterable[float], **event: Unpack[EventKeywords]
    ) -> dict[str, tuple[int | None, ...]]:
        """For each player of this event, the worst rank that is enough for each of the `ratings`.

        Each rank is what `rank_to_reach` gives for that player and rating. Elo-MMR and Elo-R with logistic
        performances, and Codeforces as in its experiments, answer for thousands of single players in about a
        second. Other systems, and events with teams, take as long as `rank_to_reach` for each player.

        >>> from podium import EloMMR, Ladder
        >>> ladder = Ladder(EloMMR())
        >>> ladder.ranks_to_reach([1450, 1550], ranks={"ann": 1, "bob": 2, "cat": 3})
        {'ann': (2, 1), 'bob': (2, 1), 'cat': (2, 1)}
        """
        wanted = [float(rating) for rating in ratings]
        return self._needed_ranks(Event.of(**event).tidied()).of_all(wanted)

    @locked
    def _needed_ranks(self, standings: Event) -> NeededRanks:
        """What `ranks_to_reach` asks; it stays as the ladder is now."""
        self._check_order(standings.time, standings.name)
        names = Names()
        history = history_of_values((without_scores(standings),), names)
        return NeededRanks(self.system, self._seats(names), standings, history)

    def _displayed(self, trace: Trace) -> tuple[Floats, Floats]:
        """The numbers to show for each row, before and after."""
        display = self.system.display
        if not self.system.has_sigma:
            return display(trace.mu_before, None), display(trace.mu, None)
        return display(trace.mu_before, trace.sigma_before), display(trace.mu, trace.sigma)


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
