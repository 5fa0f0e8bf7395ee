"""Matches that a pool proposes, its ticks, and everybody of a table paired at once, as plain data."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from podium.documents.plain_data import plain_number, plain_time
from podium.documents.pool_documents import WaitingReasonsDocument, waiting_reasons_document
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.matchmaking.pairing import Pairing
    from podium.matchmaking.pool.proposals import Match, Proposals, Tick
    from podium.matchmaking.pool.tickets import Ticket
    from podium.matchmaking.pool.waiting_reasons import WaitingReasons

EVEN_CHANCES = (0.4, 0.6)
"""Expected scores that pass for even."""


class MatchSideDocument(TypedDict):
    """One side of a proposed match."""

    players: list[str]
    chance: float
    wanted: float
    waited: list[float]
    roles: list[str] | None


class MatchDocument(TypedDict):
    """A proposed match: who would play whom."""

    number: int
    sides: list[MatchSideDocument]
    cost: float
    region: str | None
    backfill: int | None


class TickDocument(TypedDict):
    """What a tick of a pool did."""

    time: str | None
    seconds: float
    matches: list[MatchDocument]
    expired: list[list[str]]
    waiting: int
    left: int
    ended: list[int]


class TicketDocument(TypedDict):
    """A player or a party waiting for a match."""

    number: int
    players: list[str]
    seconds: float
    attributes: dict[str, str | float]
    match: int | None
    backfill: int | None
    needs: dict[str, list[str | float | None]]
    latency: dict[str, float]
    roles: list[list[str]] | None
    side: int | None
    front: bool


class PairingDocument(TypedDict):
    """Who plays whom, by number."""

    pairs: list[list[int]]
    out: list[int]


class MatchingDocument(SystemDocument):
    """Everybody who waits, paired at once."""

    mode: str
    policy: str
    players: int
    n_matches: int
    n_alone: int
    mean_gap: float | None
    worst_gap: float | None
    even: float | None
    matches: list[MatchDocument]
    alone: list[str]
    why: WaitingReasonsDocument | None


def match_document(match: Match) -> MatchDocument:
    """A proposed match: who would play whom."""
    ends = list(accumulate(map(len, match.sides)))
    waited = [list(match.waited[end - len(side) : end]) for side, end in zip(match.sides, ends, strict=True)]
    roles = match.roles or [None] * len(match.sides)
    sides = zip(match.sides, match.chances, match.wanted, waited, roles, strict=True)
    return {
        "number": match.number,
        "sides": [
            {
                "players": list(players),
                "chance": chance,
                "wanted": wanted,
                "waited": seconds,
                "roles": None if played is None else list(played),
            }
            for players, chance, wanted, seconds, played in sides
        ],
        "cost": match.cost,
        "region": match.region,
        "backfill": match.backfill,
    }


def tick_document(tick: Tick) -> TickDocument:
    """What a tick of a pool did."""
    return {
        "time": plain_time(tick.moment),
        "seconds": tick.time,
        "matches": [match_document(match) for match in tick.matches],
        "expired": [list(players) for players in tick.expired],
        "waiting": tick.waiting,
        "left": tick.left,
        "ended": list(tick.ended),
    }


def ticket_document(ticket: Ticket) -> TicketDocument:
    """A player or a party waiting for a match."""
    return {
        "number": ticket.number,
        "players": list(ticket.players),
        "seconds": ticket.time,
        "attributes": dict(ticket.attributes),
        "match": ticket.match,
        "backfill": ticket.backfill,
        "needs": {name: [_plain_end(one) for one in need] for name, need in ticket.needs.items()},
        "latency": dict(ticket.latency),
        "roles": None if ticket.roles is None else [list(roles) for roles in ticket.roles],
        "side": ticket.side,
        "front": ticket.front,
    }


def _plain_end(needed: str | float) -> str | float | None:
    """A text that a ticket needs, or the end of a range; None if it is open."""
    return needed if isinstance(needed, str) else plain_number(needed)


def pairing_document(pairing: Pairing) -> PairingDocument:
    """Who plays whom, as `pair_by_rating` and its like say it."""
    pairs = zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)
    return {"pairs": [list(pair) for pair in pairs], "out": pairing.out.tolist()}


def matching_document(
    maker: Matchmaker, tick: Tick, *, top: int | None = None, why: WaitingReasons | None = None
) -> MatchingDocument:
    """The matches of a pool's one tick, how good they are, and who is in none; `top` lists only the first.

    `why` is about a player who was asked for.
    """
    matches, alone = tick.matches, maker.waiting()["player"].to_list()
    gap = matches.gap
    return {
        **system_document(maker.system),
        "mode": str(maker.mode),
        "policy": maker.policy.to_toml(),
        "players": len(matches.player) + len(alone),
        "n_matches": len(matches),
        "n_alone": len(alone),
        "mean_gap": float(gap.mean()) if len(gap) else None,
        "worst_gap": float(gap.max()) if len(gap) else None,
        "even": _even(matches),
        "matches": [match_document(match) for match in matches[:top]],
        "alone": alone,
        "why": None if why is None else waiting_reasons_document(why),
    }


def _even(matches: Proposals) -> float | None:
    """The share of matches with even chances; None where there are none, or some are not of two sides."""
    if not len(matches) or np.any(np.diff(matches.sides) != 2):
        return None
    low, high = EVEN_CHANCES
    chance = matches.chance[::2]
    return float(np.mean((chance >= low) & (chance <= high)))
