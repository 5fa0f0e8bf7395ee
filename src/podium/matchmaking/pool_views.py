"""What can be seen of a pool: its parts, who waits and why, its matches and its counters."""

from __future__ import annotations

import math
from typing import overload

import numpy as np

from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.policy import Policy
from podium.matchmaking.pool import matches
from podium.matchmaking.pool.cooldowns import cooldown_of
from podium.matchmaking.pool.counters import PoolCounters
from podium.matchmaking.pool.joins import name_of
from podium.matchmaking.pool.match_reasons import MatchReasons
from podium.matchmaking.pool.pool import Clock
from podium.matchmaking.pool.proposals import Match
from podium.matchmaking.pool.ticket_lists import TicketList, waiting_tickets
from podium.matchmaking.pool.tickets import NOBODY, Ticket
from podium.matchmaking.pool.ticks import match_reasons_of, reasons_of
from podium.matchmaking.pool.waiting_reasons import WaitingReasons
from podium.matchmaking.pool_calls import PoolOwner, looking, looking_at_ratings
from podium.notebooks import frame_html
from podium.systems import RatingSystem
from podium.text import counted


class PoolViews(PoolOwner):
    """The calls of a `Matchmaker` that change nothing."""

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
        """The seconds after which a ticket is removed. None for never."""
        return self._pool.timeout

    @property
    def effort(self) -> Effort | None:
        """The effort of the search for the best pairs. None lets the number of tickets decide."""
        return self._pool.effort

    @property
    def remembered(self) -> int:
        """How many players without a ticket are remembered at most."""
        return self._pool.remembered

    # ------------------------------------------------------------------ looking

    @property
    @looking
    def clock(self) -> float:
        """The latest time that the pool got, in seconds. −∞ if it got none."""
        return self._pool.now.seconds if self._pool.now.is_told else -math.inf

    @looking
    def __len__(self) -> int:
        """The number of players with a ticket, waiting or in a proposal."""
        return int(np.count_nonzero(self._pool.store.people["ticket"] != NOBODY))

    def __bool__(self) -> bool:
        return True  # a pool is something, also when nobody waits

    @looking
    def __contains__(self, player: object) -> bool:
        store = self._pool.store
        try:
            return store.slot_of(store.names.meant(player)) is not None
        except TypeError:
            return False

    @looking
    def __repr__(self) -> str:
        return f"<Matchmaker: {self.mode}, {self.system.label}, {counted(len(self), 'player')}>"

    @looking
    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.waiting().to_frame())

    @looking
    def ticket(self, player: str) -> Ticket:
        """The current ticket of a player. An error is raised if the player has none."""
        store = self._pool.store
        return store.ticket(store.known_slot(name_of(player, store.names)), self.mode)

    @looking_at_ratings
    def waiting(self) -> TicketList:
        """The waiting tickets not in a proposal, in the order in which they joined.

        They stay as they are now. `waiting().to_frame()` is a table with one row for each player: player,
        ticket, waited, mu, sigma, front, newcomer, party, roles, needs.
        """
        return waiting_tickets(self._pool)

    @overload
    def why(self, about: str, time: Clock | None = None) -> WaitingReasons: ...
    @overload
    def why(self, about: Match, time: Clock | None = None) -> MatchReasons: ...
    def why(self, about: str | Match, time: Clock | None = None) -> WaitingReasons | MatchReasons:
        """Why a player waits, or why a match is proposed.

        Of a player: whom each term forbids, who is acceptable first, and when. Of a proposed match: what each
        term adds to its cost, and the next best match.

        `time` is the time in question, by default the latest that you passed. It changes no clock.
        Tickets whose timeout has passed by then have no part in it: the next tick removes them.
        """
        if isinstance(about, Match):
            return self._why_match(about, time)
        return self._why_player(about, time)

    @looking_at_ratings
    def _why_match(self, match: Match, time: Clock | None) -> MatchReasons:
        return match_reasons_of(self._pool, match, time)

    @looking_at_ratings
    def _why_player(self, player: str, time: Clock | None) -> WaitingReasons:
        return reasons_of(self._pool, player, time)

    @looking
    def cooldown(self, player: str, time: Clock | None = None) -> float:
        """The seconds until a player may join again. They are 0 if the player may join now.

        `time` is the time in question, by default the latest that you passed.
        """
        name = name_of(player, self._pool.store.names)
        return cooldown_of(self._pool, name, self._pool.now.read(time)[1])

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
