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

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats, Longs
from podium.errors import ParameterError
from podium.files.kinds import PathLike
from podium.ladder.ladder import Ladder
from podium.matchmaking.graphs.matching import EFFORTS, Effort
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.lobbies.open_places import Roles
from podium.matchmaking.policies.policy import Policy, with_system
from podium.matchmaking.pool import joins, matches
from podium.matchmaking.pool.counters import PoolCounters
from podium.matchmaking.pool.file_reading import fill_pool, refusals_named, saved_options
from podium.matchmaking.pool.files import read_pool, write_pool
from podium.matchmaking.pool.joins import (
    Given,
    Party,
    Recent,
    check_options,
    is_name,
    name_of,
    split_parties,
)
from podium.matchmaking.pool.pool import REMEMBERED, Clock, Pool, forget_players
from podium.matchmaking.pool.proposals import Backfill, Match, Proposals, Tick
from podium.matchmaking.pool.rating_sources import source_of
from podium.matchmaking.pool.tickets import NOBODY, Ticket
from podium.matchmaking.pool.ticks import decider_of, reasons_of, run_tick, waiting_table
from podium.matchmaking.pool.waiting_reasons import WaitingReasons
from podium.notebooks import frame_html
from podium.systems import RatingSystem, System
from podium.text import counted, shorten

if TYPE_CHECKING:
    import polars as pl

Arguments = ParamSpec("Arguments")
Answer = TypeVar("Answer")


def all_or_nothing(
    method: Callable[Concatenate[Matchmaker, Arguments], Answer],
) -> Callable[Concatenate[Matchmaker, Arguments], Answer]:
    """A method whose changes are taken back if an exception ends it; such methods do not call each other."""

    @wraps(method)
    def whole(self: Matchmaker, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return self._pool.change(partial(method, self, *args, **kwargs), method.__name__)

    return whole


def looking(
    method: Callable[Concatenate[Matchmaker, Arguments], Answer],
) -> Callable[Concatenate[Matchmaker, Arguments], Answer]:
    """A method that sees the pool as it is between two changes."""

    @wraps(method)
    def seen(self: Matchmaker, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        return self._pool.look(partial(method, self, *args, **kwargs))

    return seen


class Matchmaker:
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
        rated: A ladder, a rating system, or a system's name.
        mode: "1v1", teams such as "5v5", "2v2v2v2" or "1v4", or a free-for-all such as "ffa:8". Teams may
            have roles: "5v5: tank, healer, 3 damage". `podium.matchmaking.lobbies` explains the choice of
            more than two players.
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
    >>> maker.waiting()["player"].to_list()
    ['cat']
    """

    def __init__(
        self,
        rated: Ladder | System,
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
        self._decider = decider_of(mode, source.system)
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

    @property
    def system(self) -> RatingSystem:
        """The rating system that predicts the matches."""
        return self._pool.source.system

    @property
    def mode(self) -> Mode:
        """How many play in a match, and on which sides."""
        return self._pool.mode

    @property
    def policy(self) -> Policy:
        """Who may meet whom, and at what cost."""
        return self._pool.policy

    @property
    def seed(self) -> int:
        """What random choices begin with."""
        return self._pool.seed

    @property
    def timeout(self) -> float | None:
        """The seconds after which a ticket is removed; None for never."""
        return self._pool.timeout

    @property
    def effort(self) -> Effort | None:
        """How hard the best pairs are searched for; None leaves it to the number of tickets."""
        return self._pool.effort

    @property
    def remembered(self) -> int:
        """How many players without a ticket are remembered at most."""
        return self._pool.remembered

    # ------------------------------------------------------------------ who waits

    @all_or_nothing
    def join(
        self,
        player: Party,
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, str | float] | None = None,
        needs: Mapping[str, Any] | None = None,
        latency: Mapping[str, float] | None = None,
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
        are lists with one value for each player. Players in a match that has not ended are refused. With
        `playing` they may wait for their next match.
        """
        given = Given(
            mu=mu,
            sigma=sigma,
            attributes={name: [value] for name, value in (attributes or {}).items()},
            needs={name: [need] for name, need in (needs or {}).items()},
            latency=latency,
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
    ) -> Longs:
        """Add many tickets at once: the arguments of `join`, as columns.

        Columns have one value for each ticket. Ratings, recent results and roles have one for each player.
        `playing` is one value for all.

        Either all join, or none. Returns the numbers of the tickets.
        """
        given = Given(mu, sigma, attributes or {}, needs or {}, latency, recent, roles, playing)
        slots = joins.join_pool(self._pool, players, time, given)
        numbers: Longs = self._pool.store.table["number"][slots]
        return numbers

    @all_or_nothing
    def backfill(
        self,
        sides: Sequence[Party],
        *,
        time: Clock | None = None,
        mu: ArrayLike | None = None,
        sigma: ArrayLike | None = None,
        attributes: Mapping[str, str | float] | None = None,
        needs: Mapping[str, Any] | None = None,
        latency: Mapping[str, float] | None = None,
        roles: Sequence[Roles] | None = None,
    ) -> Backfill:
        """Ask for players to fill the open places of a running match. `sides` are its players now.

        Teams are lists, some of which may be empty. A free-for-all is a list of players. The other arguments
        describe the match. Ratings and roles have one value for each player. All open places are filled at
        once, before new matches are made. Single players and parties fill them, if they may meet all players
        in the match. The oldest request comes first. While it waits its players have tickets: `leave` of one
        of them withdraws the request.
        """
        given = Given(
            mu=mu,
            sigma=sigma,
            attributes={name: [value] for name, value in (attributes or {}).items()},
            needs={name: [need] for name, need in (needs or {}).items()},
            latency=latency,
            roles=roles,
        )
        return joins.request_backfill(self._pool, sides, time, given)

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
        forget_players(self._pool, split_parties([player])[0])

    # ------------------------------------------------------------------ matches

    @all_or_nothing
    def tick(self, time: Clock | None = None, *, budget: float | None = None) -> Tick:
        """Remove tickets whose time is up, and propose matches among the waiting ones.

        `budget` limits a tick to so many seconds of this machine. A longer tick then looks at fewer tickets:
        those that have waited longest, those it has not looked at for longest, and some at random.
        `Tick.left` is the number of tickets it did not get to. A step that has begun is finished, which may
        take some milliseconds.
        """
        return run_tick(self._pool, self._decider, time, budget)

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

    # ------------------------------------------------------------------ looking

    @property
    @looking
    def clock(self) -> float:
        """The latest time the pool was told, in seconds; −∞ if it was told none."""
        return self._pool.now.seconds if self._pool.now.is_told else -math.inf

    @looking
    def __len__(self) -> int:
        """The number of players with a ticket, waiting or in a proposal."""
        return int(np.count_nonzero(self._pool.store.people["ticket"] != NOBODY))

    def __bool__(self) -> bool:
        return True  # a pool is something, also when nobody waits

    @looking
    def __contains__(self, player: object) -> bool:
        return is_name(player) and self._pool.store.slot_of(name_of(player)) is not None

    @looking
    def __repr__(self) -> str:
        return f"<Matchmaker: {self.mode}, {self.system.label}, {counted(len(self), 'player')}>"

    @looking
    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.waiting())

    @looking
    def ticket(self, player: str) -> Ticket:
        """The current ticket of a player. An error is raised if the player has none."""
        return self._pool.store.ticket(self._pool.store.known_slot(name_of(player)), self.mode)

    @looking
    def waiting(self) -> pl.DataFrame:
        """The waiting players not in a proposal, a row each, in the order in which their tickets joined.

        `ticket` is the number of the ticket and `party` its number of players. `newcomer` is whether the
        ladder does not know the player, so that the rating is a newcomer's. `roles` and `needs` are texts, or
        null if there are none.
        """
        return waiting_table(self._pool)

    @looking
    def why(self, player: str, time: Clock | None = None) -> WaitingReasons:
        """Why a player waits: whom each term forbids, who is acceptable first, and when.

        `time` is the time in question, by default the latest that you passed. It changes no clock.
        Tickets whose timeout has passed by then have no part in it: the next tick removes them.
        """
        return reasons_of(self._pool, player, time)

    @looking
    def counters(self) -> PoolCounters:
        """Counts of the pool's work so far: tickets, matches, waits, costs, refusals, ticks."""
        return self._pool.counters

    @looking
    def match(self, number: int) -> Match:
        """A match that is proposed or played, by its number. An error is raised if there is none.

        Players have the names that they have now, and those who were forgotten are left out.
        """
        return matches.find_match(self._pool, number)

    @looking
    def proposed(self) -> list[Match]:
        """The matches that are proposed and neither started nor cancelled, in the order of their numbers."""
        return matches.proposed_matches(self._pool)

    @looking
    def running(self) -> list[Match]:
        """The matches that were started and have not ended, in the order of their numbers."""
        return matches.played_matches(self._pool)

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
        cls, path: PathLike | IO[bytes], rated: Ladder | System | None = None, *, unknown: str | None = None
    ) -> Self:
        """Read a saved pool, which continues as if it had never stopped.

        A pool of a ladder is given its ladder as `rated`, so that there are not two copies of it. A pool of a
        rating system needs nothing. A ladder or a system with other parameters is refused. `unknown` replaces
        the saved treatment of players without a rating in the ladder. Everything in the file is checked. It
        contains no code.
        """
        saved = read_pool(path)
        with refusals_named(saved.name):
            rated, options = saved_options(saved, rated)
            if unknown is not None:
                options["unknown"] = unknown
            maker = cls(rated, **options)
            fill_pool(maker._pool, saved)
        return maker

    @looking
    def to_bytes(self) -> bytes:
        """What `save` would write: to keep a pool in a database, or to send it."""
        content = BytesIO()
        write_pool(content, self._pool)
        return content.getvalue()

    @classmethod
    def from_bytes(
        cls, content: bytes, rated: Ladder | System | None = None, *, unknown: str | None = None
    ) -> Self:
        """The pool that `to_bytes` wrote, with the checks of `load`."""
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise ParameterError(
                f"a pool is read from bytes, not from {type(content).__name__}",
                hint="Matchmaker.load reads a file",
            )
        return cls.load(BytesIO(content), rated, unknown=unknown)


def _each(player: Party, said: Any) -> Sequence[Any]:
    """Recent results or roles with one value for each player, of a single player or of a party."""
    return said if isinstance(player, (list, tuple)) else [said]
