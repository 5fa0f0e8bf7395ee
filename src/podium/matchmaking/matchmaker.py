"""The waiting pool: tickets come and go, and each tick proposes matches.

>>> from podium import Elo, Matchmaker
>>> maker = Matchmaker(Elo())
>>> for player, mu in (("ann", 1500), ("bob", 1510), ("cat", 2100)):
...     _ = maker.join(player, mu=mu, time=0)
>>> tick = maker.tick(time=1)
>>> [match.sides for match in tick.matches], tick.waiting
([(('ann',), ('bob',))], 1)
>>> maker.start(tick.matches)
>>> len(maker)
1
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from typing import IO, Any, Self

from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.errors import InputError, ParameterError, StateError
from podium.files.kinds import PathLike
from podium.ladder.ladder import Ladder
from podium.matchmaking.graphs.matching import EFFORTS, Effort
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Roles
from podium.matchmaking.match_calls import MatchCalls
from podium.matchmaking.policies.policy import Policy, with_system
from podium.matchmaking.pool import joins
from podium.matchmaking.pool.file_reading import fill_pool, refusals_named, saved_options
from podium.matchmaking.pool.files import policy_form, read_pool, write_pool
from podium.matchmaking.pool.joins import (
    Agreed,
    Given,
    Party,
    Recent,
    check_options,
    split_parties,
    ticket_values,
)
from podium.matchmaking.pool.matches import request_places
from podium.matchmaking.pool.pool import REMEMBERED, Clock, Pool, forget_players
from podium.matchmaking.pool.pool_log import PoolLog, call_again, saved_in
from podium.matchmaking.pool.proposals import Backfill, Match, Tick
from podium.matchmaking.pool.rating_sources import RatingService, source_of
from podium.matchmaking.pool.ticket_lists import TicketList
from podium.matchmaking.pool.tickets import Ticket
from podium.matchmaking.pool.ticks import decider_of, run_tick
from podium.matchmaking.pool_calls import all_or_nothing, looking
from podium.systems import System
from podium.text import shorten


class Matchmaker(MatchCalls):
    """A waiting pool: tickets wait for a match, and the pool chooses the opponents.

    A pool of a ladder uses the ladder's ratings at each tick. A pool of a rating system uses the ratings
    given with the tickets. Players `join`, alone or as a party. `tick` proposes matches, and each is started
    or cancelled. A call that is refused changes nothing. With the same `seed`, the same calls give the same
    matches. Several threads may use one pool: each call has it alone.

    A ticket that has waited for the policy's patience is overdue. Overdue tickets are served first, oldest
    first, with any opponent who is not forbidden. In 1v1, therefore, a tick leaves no overdue ticket that
    could play another waiting one. If nothing is forbidden, every ticket is paired at the first tick after
    its patience, however many others join. The only exception is the odd one left when all others are paired.

    Args:
        rated: A ladder, a client of a service's ladder, a rating system, or a system's name.
        mode: "1v1", teams such as "5v5", "2v2v2v2" or "1v4", or a free-for-all such as "ffa:8". Teams may
            have roles: "5v5: tank, healer, 3 damage". Sizes may relax while tickets wait: "6v6, 5v5 after 60
            s", or "ffa:4-8". `podium.matchmaking.lobbies` explains the choice of more than two players.
        policy: Who may meet, and the cost of a match. Default: even chances, and waiting time.
        seed: Seed of random choices.
        timeout: The seconds after which a ticket is removed. None never removes one.
        unknown: Players without a rating in the ladder are an "error", or rated as a "newcomer".
        effort: How hard to search for the best pairs. By default exactly for up to 300 tickets and quickly
            for more. "exact" considers all pairs of up to 1,000.
        remembered: The most players without a ticket whose last opponents and results are remembered. Those
            who left longest ago are forgotten first.

    >>> import podium
    >>> maker = podium.Matchmaker("elo", mode="1v1", seed=1)
    >>> for name, mu in [("ann", 1500.0), ("bob", 1520.0), ("cat", 1900.0)]:
    ...     ticket = maker.join(name, mu=mu, time=0)
    >>> tick = maker.tick(time=10)
    >>> [match.sides for match in tick.matches]
    [(('ann',), ('bob',))]
    >>> maker.start(tick)
    >>> [ticket.players for ticket in maker.waiting()]
    [('cat',)]
    """

    def __init__(
        self,
        rated: Ladder | RatingService | System,
        mode: str | Mode = "1v1",
        policy: Policy | None = None,
        *,
        seed: int = 0,
        timeout: float | None = None,
        unknown: str = "error",
        effort: Effort | None = None,
        remembered: int = REMEMBERED,
    ) -> None:
        source, mode = source_of(rated, unknown), Mode.parse(mode)
        self._deciders = [decider_of(variant, source.system) for variant, _ in mode.variants]
        policy = Policy() if policy is None else policy
        if not isinstance(policy, Policy):
            raise ParameterError(
                f"the policy is {shorten(repr(policy))}",
                hint="podium.Policy(...), or podium.Policy.from_file(path)",
            )
        check_options(seed, timeout, remembered)
        if effort is not None and effort not in EFFORTS:
            raise ParameterError(f"an effort of {effort!r}", hint="one of " + ", ".join(EFFORTS))
        self._pool = Pool(
            source,
            mode,
            with_system(policy, source.system),
            seed=int(seed),
            timeout=timeout,
            effort=effort,
            remembered=int(remembered),
        )

    # ------------------------------------------------------------------ who waits

    @all_or_nothing
    def join(
        self,
        player: Party,
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Agreed = None,
        needs: Agreed = None,
        latency: Agreed = None,
        recent: Recent | Sequence[Recent] = None,
        roles: Roles | Sequence[Roles] = None,
        playing: bool = False,
    ) -> Ticket:
        """Add a ticket for a player, or for a party given as a list of players.

        Without a `time`, it joins at the latest time that you passed, or at the first that you will pass.
        `attributes` are values that other tickets may need. `needs` are what this ticket needs of the
        attributes, `mu` or `sigma` of others: texts such as ["pad", "touch"], or a range such as (1400,
        1600). `latency` is in milliseconds by region. `recent` are a player's last results, newest last, such
        as "WLDWW". They replace those remembered from `finish`. `roles` are those that a player would play,
        such as "tank" or ["tank", "healer"]. None means any. For a party, ratings, recent results and roles
        are lists with one value for each player. Attributes, needs and latencies are for the whole party, or
        lists too: the party then has the attributes that all of its players have, needs what all of them
        accept, and is as far from each region as the farthest player. Players in a match that has not ended
        are refused. With `playing` they may wait for their next match.
        """
        given = Given(
            mu=mu,
            sigma=sigma,
            **ticket_values(player, attributes, needs, latency),
            recent=None if recent is None else _each(player, recent),
            roles=None if roles is None else _each(player, roles),
            playing=playing,
        )
        (slot,) = joins.join_pool(self._pool, [player], time, given)
        return self._pool.store.ticket(int(slot), self.mode)

    @all_or_nothing
    def join_many(
        self,
        players: Sequence[Party],
        *,
        time: Clock | Sequence[float] | Floats | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, Sequence[Any]] | None = None,
        needs: Mapping[str, Sequence[Any]] | None = None,
        latency: Mapping[str, Any] | None = None,
        recent: Sequence[Recent] | None = None,
        roles: Sequence[Roles] | None = None,
        playing: bool = False,
    ) -> TicketList:
        """Add many tickets at once: the arguments of `join`, as columns.

        Columns have one value for each ticket. Ratings, recent results and roles have one for each player.
        `playing` is one value for all.

        Either all join, or none. Returns the tickets in the order given, as `waiting` does: a sequence, with
        `to_frame()` for a table.
        """
        given = Given(mu, sigma, attributes or {}, needs or {}, latency, recent, roles, playing)
        return TicketList(self._pool, joins.join_pool(self._pool, players, time, given))

    @all_or_nothing
    def backfill(
        self,
        match: Match | int | Sequence[Party],
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, str | float] | None = None,
        needs: Mapping[str, Any] | None = None,
        latency: Mapping[str, float] | None = None,
        roles: Sequence[Roles] | None = None,
    ) -> Backfill:
        """Ask for players to fill the open places of a running match, after `leave_match`.

        The match continues with the newcomers under its own number. If it has asked already and still has
        open places, that request is returned again. A match that this pool did not start is given as its
        players now: teams are lists, some of which may be empty. A free-for-all is a list of
        players. The other arguments describe the match. Ratings and roles have one value for each player. By
        default they are those with which the players joined this pool. All open places are filled at
        once, before new matches are made. Single players and parties fill them, if they may meet all players
        in the match. The oldest request comes first. While it waits its players have tickets: `leave` of one
        of them withdraws the request.
        """
        given = Given(
            mu=mu,
            sigma=sigma,
            **ticket_values("", attributes, needs, latency),
            roles=roles,
        )
        return request_places(self._pool, match, time, given)

    @all_or_nothing
    def leave(self, player: str) -> None:
        """Remove a player's ticket (a party's as a whole). A match proposed to it is cancelled.

        If the player is in a running match that asks for players, the request is withdrawn.
        """
        joins.leave_pool(self._pool, player)

    @all_or_nothing
    def block(self, player: str, other: str) -> None:
        """Never match these two players again, until `unblock`."""
        joins.block_player(self._pool, player, other)

    @all_or_nothing
    def unblock(self, player: str, other: str) -> None:
        """Undo `block`."""
        joins.unblock_player(self._pool, player, other)

    @all_or_nothing
    def forget(self, player: Party) -> None:
        """Forget a player, or a list of players: names, opponents, recent results, blocks.

        A player with a ticket has to `leave` first. A match that is played continues without them.
        """
        forget_players(self._pool, split_parties([player], self._pool.store.names)[0])

    # ------------------------------------------------------------------ matches

    @all_or_nothing
    def tick(self, time: Clock | None = None, *, budget: float | None = None) -> Tick:
        """Remove tickets whose time is up, and propose matches among the waiting ones.

        `budget` limits a tick to so many seconds of this machine. A longer tick then looks at fewer tickets:
        those that have waited longest, those it has not looked at for longest, and some at random.
        `Tick.left` is the number of tickets it did not get to. A step that has begun is finished, which may
        take some milliseconds.
        """
        return run_tick(self._pool, self._deciders, time, budget)

    # ------------------------------------------------------------------ keeping it

    @looking
    def save(self, path: PathLike | IO[bytes]) -> None:
        """Write the pool to a file, atomically: a crash leaves either the old file or the new one.

        It holds the tickets, the matches that are proposed or played, and each player's last opponents and
        results. `path` may also be a file that is open for writing bytes. A ladder is not in it, and is saved
        by itself. Registered terms are saved by their names.
        """
        write_pool(path, self._pool)

    @classmethod
    def load(
        cls,
        path: PathLike | IO[bytes],
        rated: Ladder | RatingService | System | None = None,
        *,
        unknown: str | None = None,
        policy: Policy | None = None,
    ) -> Self:
        """Read a saved pool, which continues as if it had never stopped.

        A pool of a ladder is given its ladder as `rated`, so that there are not two copies of it. A pool of a
        rating system needs nothing. A ladder or a system with other parameters is refused. `unknown` replaces
        the saved treatment of players without a rating in the ladder, and `policy` the saved policy. A policy
        that the tickets do not fit is refused. Everything in the file is checked. It contains no code.
        """
        saved = read_pool(path)
        with refusals_named(saved.name):
            rated, options = saved_options(saved, rated)
            if unknown is not None:
                options["unknown"] = unknown
            if policy is not None:
                options["policy"] = policy
            maker = cls(rated, **options)
            fill_pool(maker._pool, saved)
        return maker

    @classmethod
    def open(
        cls,
        path: PathLike,
        ladder: Ladder,
        mode: str | Mode = "1v1",
        policy: Policy | None = None,
        *,
        name: str = "pool",
        seed: int = 0,
        timeout: float | None = None,
        unknown: str = "error",
        effort: Effort | None = None,
        remembered: int = REMEMBERED,
    ) -> Self:
        """Open a pool that lives in the folder of its ladder's log. Calls that returned survive a crash.

        Tickets keep their waiting time, and `result` rates a match and ends it in one transaction. Several
        pools of one ladder have different names. A pool that is there already keeps its options, but for the
        policy if you give one. Another mode is refused. The pool lives as long as its ladder is open.

        Args:
            path: The folder of the ladder's log.
            ladder: The ladder, opened with `Ladder.open`.
            mode: How many play in a match, as for a new pool.
            policy: Who may meet, and the cost of a match. None means the saved one. A policy that the
                tickets of the pool do not fit is refused.
            name: The pool's name.
            seed: Seed of random choices.
            timeout: The seconds after which a ticket is removed.
            unknown: Players without a rating in the ladder are an "error", or rated as a "newcomer".
            effort: How hard to search for the best pairs.
            remembered: The most players without a ticket who are remembered.

        >>> from tempfile import TemporaryDirectory
        >>> from podium import Ladder
        >>> with TemporaryDirectory() as folder:
        ...     with Ladder.open(folder, system="elo") as ladder:
        ...         maker = Matchmaker.open(folder, ladder, unknown="newcomer")
        ...         ticket = maker.join("ann", time=0)
        ...     with Ladder.open(folder) as ladder:
        ...         [ticket.players for ticket in Matchmaker.open(folder, ladder).waiting()]
        [('ann',)]
        """
        if not isinstance(ladder, Ladder) or not os.path.samefile(path, ladder._opened().writer.folder.path):
            raise InputError(
                f"{os.fspath(path)} is not the folder of this ladder's log",
                hint="give the folder that Ladder.open opened",
            )
        if name in (pools := ladder._opened().pools):
            raise InputError(f"the pool {shorten(name)!r} is already open", hint="give each pool its name=")
        content, calls = saved_in(ladder, name)
        if content is None:
            options: dict[str, Any] = {"seed": seed, "timeout": timeout, "unknown": unknown}
            maker = cls(ladder, mode, policy, **options, effort=effort, remembered=remembered)
        else:
            # A player whom the ladder renamed right before a crash waits on.
            maker = cls.from_bytes(content, ladder, unknown="newcomer")
            _check_mode(maker, mode, name)
            call_again(maker._pool, calls, partial(getattr, maker), f"the pool {shorten(name)!r}")
            maker = maker._under(policy, ladder, name)
            unknown = "newcomer" if read_pool(BytesIO(content)).header["newcomers"] else "error"
            maker._pool.source = source_of(ladder, unknown)
        log = PoolLog(maker._pool, ladder, name)
        log.save()
        maker._pool.log = pools[name] = log
        return maker

    def _under(self, policy: Policy | None, ladder: Ladder, name: str) -> Self:
        """The same pool with another policy, if there is one; refused if its tickets do not fit it."""
        if policy is None or policy_form(with_system(policy, self.system)) == policy_form(self.policy):
            return self
        try:
            return self.from_bytes(self.to_bytes(), ladder, unknown="newcomer", policy=policy)
        except StateError as error:
            raise InputError(
                f"the pool {shorten(name)!r} cannot have this policy: {error.reason.partition(': ')[2]}",
                hint="open it with the policy of before, and let these players leave first",
            ) from error

    @looking
    def to_bytes(self) -> bytes:
        """What `save` would write: to keep a pool in a database, or to send it."""
        content = BytesIO()
        write_pool(content, self._pool)
        return content.getvalue()

    @classmethod
    def from_bytes(
        cls,
        content: bytes,
        rated: Ladder | RatingService | System | None = None,
        *,
        unknown: str | None = None,
        policy: Policy | None = None,
    ) -> Self:
        """The pool that `to_bytes` wrote, with the checks of `load`."""
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise ParameterError(
                f"a pool is read from bytes, not from {type(content).__name__}",
                hint="Matchmaker.load reads a file",
            )
        return cls.load(BytesIO(content), rated, unknown=unknown, policy=policy)


def _check_mode(maker: Matchmaker, mode: str | Mode, name: str) -> None:
    """Refuse to open a pool as one of another mode."""
    if Mode.parse(mode) != maker.mode:
        raise InputError(
            f"the pool {shorten(name)!r} has the mode {maker.mode}, not {mode}",
            hint="give another name= to begin another pool",
        )


def _each(player: Party, said: Any) -> Sequence[Any]:
    """Recent results or roles with one value for each player, of a single player or of a party."""
    return said if isinstance(player, (list, tuple)) else [said]
