"""Several tickets as a call of the pool returns them: a sequence, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from podium.arrays import Bools, Floats, Longs
from podium.matchmaking.lobbies.modes import Mode
from podium.matchmaking.policies.terms import described_needs
from podium.matchmaking.pool.pool import Pool
from podium.matchmaking.pool.tickets import NOBODY, Ticket

if TYPE_CHECKING:
    import polars as pl


class TicketList(Sequence[Ticket]):
    """Tickets as they were when the pool returned them; `Ticket` values are made when accessed."""

    def __init__(self, pool: Pool, slots: Longs) -> None:
        self._store, self._mode = pool.store.copy_of(slots), pool.mode
        self._waited: Floats = pool.waited(slots, pool.now)
        players = np.arange(len(self._store.names))
        self._ratings = pool.source.ratings(self._store, players, pool.now.micros)
        self._newcomer: Bools = pool.source.are_newcomers(self._store, players)

    def __len__(self) -> int:
        return len(self._waited)

    @overload
    def __getitem__(self, index: int) -> Ticket: ...
    @overload
    def __getitem__(self, index: slice) -> list[Ticket]: ...
    def __getitem__(self, index: int | slice) -> Ticket | list[Ticket]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        return self._store.ticket(range(len(self))[index], self._mode)

    def __repr__(self) -> str:
        return f"<Tickets: {len(self):,}>"

    def to_frame(self) -> pl.DataFrame:
        """One row for each player: player, ticket, waited, mu, sigma, front, newcomer, party, roles, needs.

        `ticket` is the number of the ticket and `party` its number of players. `newcomer` is whether the
        ladder does not know the player, so that the rating is a newcomer's. `roles` and `needs` are texts, or
        null if there are none.
        """
        import polars as pl

        store, (mu, sigma) = self._store, self._ratings
        ticket = np.repeat(np.arange(len(self)), store.table["size"])
        return pl.DataFrame(
            {
                "player": pl.Series(store.names.to_list(), dtype=pl.String),
                "ticket": store.table["number"][ticket],
                "waited": self._waited[ticket],
                "mu": mu,
                "sigma": pl.Series([None] * len(mu) if sigma is None else sigma, dtype=pl.Float64),
                "front": store.table["front"][ticket],
                "newcomer": self._newcomer,
                "party": store.table["size"][ticket],
                "roles": pl.Series(_described_roles(self._mode, store.people["roles"]), dtype=pl.String),
                "needs": pl.Series(described_needs(store.attributes, ticket), dtype=pl.String),
            }
        )


def waiting_tickets(pool: Pool) -> TicketList:
    """The tickets that wait for a new match and are in no proposal, in the order in which they joined."""
    slots = pool.store.waiting()
    return TicketList(pool, slots[pool.store.table["request"][slots] == NOBODY])


def _described_roles(mode: Mode, roles: Longs) -> list[str | None]:
    """The roles that each player would play, as a text; None without roles."""
    text = {bits: "; ".join(mode.roles_in(bits)) or None for bits in range(mode.any_role + 1)}
    return [text[bits] for bits in roles.tolist()]
