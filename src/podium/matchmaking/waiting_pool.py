"""What all parts of a waiting pool share: its tickets, its memory and its clock, and how to look at them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from podium.arrays import Floats, Longs
from podium.errors import InputError
from podium.matchmaking.clocks import PoolTime
from podium.matchmaking.join_checks import is_name, name_of
from podium.matchmaking.known_matches import KnownMatches, MatchColumns
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.needs import described_needs
from podium.matchmaking.policy import Policy
from podium.matchmaking.pool_changes import Changing, PutBack, looking
from podium.matchmaking.pool_counters import PoolCounters
from podium.matchmaking.pool_memory import PoolMemory
from podium.matchmaking.proposals import Match
from podium.matchmaking.rating_sources import RatingSource
from podium.matchmaking.tickets import GONE, NOBODY, PROPOSED, Ticket, TicketStore
from podium.systems import RatingSystem
from podium.text import counted, frame_html, shorten

if TYPE_CHECKING:
    import polars as pl


class WaitingPool(Changing):
    """The tickets of a pool; who joins and who plays is said by the classes that derive from it."""

    def __init__(self, source: RatingSource, mode: Mode, policy: Policy, remembered: int) -> None:
        super().__init__()
        self._source, self.mode, self.policy, self.remembered = source, mode, policy, remembered
        self._identity = uuid4().hex
        """Tells its matches from those of other pools; a saved pool keeps it."""
        self._now = PoolTime()
        self._store = TicketStore()
        target = policy.target
        self._memory = PoolMemory(policy.rematch_games, 0 if target is None else target.games)
        self._ticks = 0
        self._proposed = 0
        self._requests = 0
        self._matches = KnownMatches()
        self._counters = PoolCounters()
        self._merged: list[tuple[str, ...]] = []
        """Players of the tickets that merges have removed since the last tick."""

    @property
    def system(self) -> RatingSystem:
        """The rating system that predicts the matches."""
        return self._source.system

    def _keep_numbers(self) -> PutBack:
        now, ticks, proposed, requests = self._now, self._ticks, self._proposed, self._requests
        store, merged, counters = self._store.keep_numbers(), self._merged, self._counters

        def put_back() -> None:
            store()
            self._merged, self._counters = merged, counters
            self._now, self._ticks, self._proposed, self._requests = now, ticks, proposed, requests

        return put_back

    # ------------------------------------------------------------------ looking

    @property
    @looking
    def clock(self) -> float:
        """The latest time the pool was told, in seconds; −∞ if it was told none."""
        return self._now.seconds if self._now.is_told else -math.inf

    @looking
    def __len__(self) -> int:
        """The number of players with a ticket, waiting or in a proposal."""
        return int(np.count_nonzero(self._store.people["ticket"] != NOBODY))

    def __bool__(self) -> bool:
        return True  # a pool is something, also when nobody waits

    @looking
    def __contains__(self, player: object) -> bool:
        return is_name(player) and self._store.slot_of(name_of(player)) is not None

    @looking
    def __repr__(self) -> str:
        return f"<Matchmaker: {self.mode}, {self.system.label}, {counted(len(self), 'player')}>"

    @looking
    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.waiting())

    @looking
    def ticket(self, player: str) -> Ticket:
        """The current ticket of a player; raises if there is none."""
        return self._store.ticket(self._store.known_slot(name_of(player)), self.mode)

    @looking
    def waiting(self) -> pl.DataFrame:
        """The waiting players not in a proposal, a row each, in the order in which their tickets joined.

        `ticket` is the number of the ticket and `party` how many players it has; `newcomer` says whether the
        rating is that of one because the ladder does not know the player; `roles` and `needs` are texts, null
        if there are none.
        """
        import polars as pl

        store, slots = self._store, self._store.waiting()
        slots = slots[store.table["request"][slots] == NOBODY]
        players, offsets = store.members(slots)
        mu, sigma = self._source.ratings(store, players, self._now.micros)
        ticket = np.repeat(slots, np.diff(offsets))
        return pl.DataFrame(
            {
                "player": pl.Series([store.names[i] for i in players.tolist()], dtype=pl.String),
                "ticket": store.table["number"][ticket],
                "waited": self._waited(ticket, self._now),
                "mu": mu,
                "sigma": pl.Series([None] * len(mu) if sigma is None else sigma, dtype=pl.Float64),
                "front": store.table["front"][ticket],
                "newcomer": self._source.are_newcomers(store, players),
                "party": store.table["size"][ticket],
                "roles": pl.Series(self._described_roles(players), dtype=pl.String),
                "needs": pl.Series(described_needs(store.attributes, ticket), dtype=pl.String),
            }
        )

    def _described_roles(self, players: Longs) -> list[str | None]:
        """The roles that each player would play, as in a table of those who wait; None without roles."""
        text: dict[int, str | None] = {
            bits: "; ".join(self.mode.roles_in(bits)) or None for bits in range(self.mode.any_role + 1)
        }
        return [text[bits] for bits in self._store.people["roles"][players].tolist()]

    @looking
    def counters(self) -> PoolCounters:
        """What the pool has done so far, counted: tickets, matches, waits, costs, refusals, ticks."""
        return self._counters

    @looking
    def match(self, number: int) -> Match:
        """A match that is proposed or played, by its number; raises if there is none.

        Players have the names that they have now, and those who were forgotten are left out.
        """
        found = self._matches.find(number) if isinstance(number, (int, np.integer)) else None
        if found is None or number not in self._live_matches():
            raise InputError(f"match {shorten(repr(number))} is neither proposed nor played")
        return self._shown(found)

    @looking
    def proposed(self) -> list[Match]:
        """The matches that are proposed and neither started nor cancelled, in the order of their numbers."""
        table = self._store.table
        return self._all_shown(table["proposal"][table["state"] == PROPOSED])

    @looking
    def running(self) -> list[Match]:
        """The matches that were started and have not ended, in the order of their numbers."""
        return self._all_shown(self._store.people["playing"])

    def _all_shown(self, numbers: Longs) -> list[Match]:
        found = (self._matches.find(number) for number in np.unique(numbers[numbers != NOBODY]).tolist())
        return [self._shown(columns) for columns in found if columns is not None]

    def _shown(self, match: MatchColumns) -> Match:
        regions = tuple(self._store.delays.regions)
        return match.to_match(self._store.names, regions, self.mode.role_names, self._identity)

    # ------------------------------------------------------------------ behind several calls

    def _waited(self, slots: Longs, now: PoolTime) -> Floats:
        """The seconds that tickets have waited at a time, none if it is the first that the pool is told."""
        if now.is_told and not self._now.is_told:
            return np.zeros(len(slots))
        waited: Floats = now.seconds - self._store.table["time"][slots]
        return waited

    def _tell(self, times: Floats, now: PoolTime) -> None:
        """Let it be later; if it was told no time before, all who are here came at the first of `times`."""
        if now.is_told and not self._now.is_told:
            table = self._store.table
            slots = np.flatnonzero(table["state"] != GONE)
            self._keep(table.keep(slots, ("time",)))
            table["time"][slots] = times.min()
        self._now = now

    def _live_matches(self) -> Longs:
        """The numbers of the matches that are proposed or played."""
        store = self._store
        proposed = store.table["proposal"][store.table["state"] == PROPOSED]
        return np.unique(np.concatenate([proposed, store.people["playing"]]))

    def _withdraw(self, slot: int) -> None:
        """Remove a ticket, with all of a request; a match proposed to it is cancelled."""
        proposal = int(self._store.table["proposal"][slot])
        if proposal == NOBODY:
            slots = self._store.together(slot)
            self._keep(*self._store.keep(slots, self._store.members(slots)[0]))
            self._remove(slots)
        else:
            self._dissolve(self._store.proposed(proposal), slot)

    def _dissolve(self, slots: Longs, leaving: int | None) -> None:
        """End a proposal: one ticket may leave, the others wait again."""
        assert np.all(self._store.table["state"][slots] == PROPOSED)
        self._keep(*self._store.keep(slots, self._store.members(slots)[0]))
        self._store.put_back(slots)
        self._counters = self._counters.cancelled(1)
        if leaving is not None:
            self._remove(self._store.together(leaving))

    def _remove(self, slots: Longs) -> None:
        """Let tickets leave."""
        waiting = self._store.table["request"][slots] == NOBODY
        self._store.remove(slots)
        self._counters = self._counters.left(int(np.count_nonzero(waiting)))
