"""What becomes of proposed matches, as a game reports it: the calls of a `Matchmaker` about one match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podium.history.times import Time
from podium.matchmaking.pool import accepting, matches, results
from podium.matchmaking.pool.cooldowns import pardon_players
from podium.matchmaking.pool.joins import Party, split_parties
from podium.matchmaking.pool.pool import Clock
from podium.matchmaking.pool.proposals import Match, Proposals, Tick
from podium.matchmaking.pool_calls import all_or_nothing
from podium.matchmaking.pool_views import PoolViews
from podium.systems.contract.ratings import Changes


class MatchCalls(PoolViews):
    """The calls of a `Matchmaker` about its matches, each of which may be given by its number."""

    @all_or_nothing
    def start(self, match: Match | int | Proposals | Tick | Iterable[Match | int]) -> None:
        """Start one proposed match or several. Their tickets leave, and the pool remembers the opponents.

        Given a tick, its matches that are still proposed start. Others were cancelled or started meanwhile. A
        match given alone or in a list must still be proposed, and either all of them start or none.
        """
        matches.start_matches(self._pool, match)

    @all_or_nothing
    def accept(self, match: Match | int, player: str, *, time: Clock | None = None) -> Match:
        """Accept a proposed match for one of its players. When all players have accepted, the match starts.

        Returns the match as it is now: `started` is set once it has started, and `accepted` are the players
        who have accepted. The same answer again changes nothing. After the policy's deadline
        (`Conduct.answer_within`) it is refused. In a match that fills open places, only the newcomers have to
        accept.
        """
        return accepting.accept_match(self._pool, match, player, time)

    @all_or_nothing
    def decline(self, match: Match | int, player: Party, *, time: Clock | None = None) -> None:
        """Decline a proposed match for a player, or a list of players, who leave the pool.

        A party leaves as a whole. The others wait again at the front, with the time at which they joined.
        Another player may still decline the same match later, until the next tick proposes another. Each
        decline counts for the policy's cooldowns (`Conduct.declining`). `leave` during a proposal counts too.
        """
        accepting.decline_match(self._pool, match, player, time)

    @all_or_nothing
    def pardon(self, player: Party) -> None:
        """Forget the declined and abandoned matches of a player, or a list of players, and the cooldowns."""
        pardon_players(self._pool, split_parties([player], self._pool.store.names)[0])

    @all_or_nothing
    def cancel(self, match: Match | int, by: str | None = None) -> None:
        """Cancel a proposed match: the player who cancels leaves, the others wait again, at the front.

        This is your decision as the operator, and counts for no cooldown. Players answer with `accept` and
        `decline`. The others keep the time at which they joined. Without `by` all players wait again, and
        unless a better match is possible, the next tick proposes the same one. To avoid that, say who
        declined, or `block` the two.
        """
        matches.cancel_match(self._pool, match, by)

    @all_or_nothing
    def leave_match(
        self, match: Match | int, player: str, *, reason: str = "abandon", time: Clock | None = None
    ) -> Match:
        """Let a player leave a match that is played, and may join again. The others play on.

        An "abandon" is a loss for the policy's win rates, and counts for its cooldowns (`Conduct.leaving`).
        The reason "excused" has neither effect: a server that broke down, for example. Returns the match as
        it is now: `left` are the players who left, with their reasons. `backfill` asks for players to take
        the open places. `finish` counts the result for those who stayed.
        """
        self._pool.tell_time(time)
        return matches.leave_match(self._pool, match, player, reason)

    @all_or_nothing
    def result(
        self,
        match: Match | int,
        *,
        winner: str | None = None,
        ranks: Sequence[int] | None = None,
        scores: Sequence[float] | None = None,
        play: Mapping[str, float] | None = None,
        weight: float = 1.0,
        time: Time | None = None,
    ) -> Changes:
        """Rate a started match with the pool's ladder and end it: both happen, or nothing.

        The same result of a match again gives the same answer and counts once. Another result of it is a
        `KeyConflictError`. To end a match without rating it, or to rate it elsewhere, call `finish`.

        Args:
            match: The match, or its number.
            winner: A player of the side that won. All other sides share the second place.
            ranks: The rank of each side, 1 is best. Equal ranks are ties.
            scores: The points of each side. Higher is better.
            play: The part of the match that players took part in, for those who did not play all of it.
            weight: How much the match counts.
            time: When it was played. Default: the pool's time, if it is a datetime. It is rated at the time
                of the ladder's last event if that is later.

        Returns:
            The rating changes, as `Ladder.record` returns them.

        >>> import podium
        >>> ladder = podium.Ladder("elo")
        >>> maker = podium.Matchmaker(ladder, unknown="newcomer")
        >>> tickets = [maker.join(name) for name in ("ann", "bob")]
        >>> (match,) = maker.tick().matches
        >>> maker.start(match)
        >>> [(change.player, change.gain) for change in maker.result(match, winner="ann")]
        [('ann', 16.0), ('bob', -16.0)]
        >>> changes = maker.result(match, winner="ann")
        >>> ladder.n_events
        1
        """
        return results.rate_result(
            self._pool,
            match,
            winner=winner,
            ranks=ranks,
            scores=scores,
            play=play,
            weight=weight,
            time=time,
        )

    @all_or_nothing
    def finish(
        self,
        match: Match | int,
        *,
        winner: str | int | None = None,
        side: int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
        void: bool = False,
    ) -> None:
        """End a started match: its players may join again, and the policy's win rates count the result.

        It rates nothing: `result` rates the match too, in the same step.

        `winner` is a player of the winning side, or `side` its number, from 0. `scores` are from 0 to 1, one
        for each side. A `void` match has no result. For those who have started another match since, or are
        forgotten, it is not counted. A forgotten player can be the `winner` if `match` still names them, as
        values of before do.
        """
        matches.finish_match(self._pool, match, winner=winner, side=side, draw=draw, scores=scores, void=void)
