"""What becomes of proposed matches, as a game reports it: the calls of a `Matchmaker` about one match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podium.matchmaking.pool import matches
from podium.matchmaking.pool.proposals import Match, Proposals, Tick
from podium.matchmaking.pool_calls import all_or_nothing
from podium.matchmaking.pool_views import PoolViews


class MatchCalls(PoolViews):
    """The calls of a `Matchmaker` about its matches."""

    @all_or_nothing
    def start(self, match: Match | Proposals | Tick | Iterable[Match]) -> None:
        """Start one proposed match or several. Their tickets leave, and the pool remembers the opponents.

        Given a tick, its matches that are still proposed start. Others were cancelled or started meanwhile. A
        match given alone or in a list must still be proposed, and either all of them start or none.
        """
        matches.start_matches(self._pool, match)

    @all_or_nothing
    def cancel(self, match: Match, by: str | None = None) -> None:
        """Cancel a proposed match: the player who cancels leaves, the others wait again, at the front.

        They keep the time at which they joined. Without `by` all players wait again, and unless a better
        match is possible, the next tick proposes the same one. To avoid that, say who declined, or `block`
        the two.
        """
        matches.cancel_match(self._pool, match, by)

    @all_or_nothing
    def finish(
        self,
        match: Match,
        *,
        winner: str | int | None = None,
        side: int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
        void: bool = False,
    ) -> None:
        """End a started match: its players may join again, and the policy's win rates count the result.

        `winner` is a player of the winning side, or `side` its number, from 0. `scores` are from 0 to 1, one
        for each side. A `void` match has no result. For those who have started another match since, or are
        forgotten, it is not counted. A forgotten player can be the `winner` if `match` still names them, as
        values of before do.
        """
        matches.finish_match(self._pool, match, winner=winner, side=side, draw=draw, scores=scores, void=void)
