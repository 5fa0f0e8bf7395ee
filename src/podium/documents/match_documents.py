"""Matches that a pool proposes, its ticks, and a table of players paired at once, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, TypedDict, cast

import numpy as np

from podium.documents.declarations import From, TimeText, kind
from podium.documents.plain_data import plain_form
from podium.documents.pool_documents import WaitingReasonsDocument, waiting_reasons_document
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.matchmaking.matchmaker import Matchmaker
    from podium.matchmaking.pairing import Pairing
    from podium.matchmaking.pool.proposals import Match, Proposals, Tick
    from podium.matchmaking.pool.tickets import Ticket
    from podium.matchmaking.pool.waiting_reasons import WaitingReasons
    from podium.matchmaking.replay import Outcome
    from podium.systems import RatingSystem

EVEN_CHANCES = (0.4, 0.6)
"""Expected scores that pass for even."""


class MatchSideDocument(TypedDict):
    """One side of a proposed match."""

    players: Annotated[list[str], "names of the side's players"]
    chance: Annotated[float, "expected score of the side. In a free-for-all, its probability to win"]
    wanted: Annotated[float, "the chance that the policy wants for the side"]
    waited: Annotated[list[float], "seconds that each player waited, in the order of players"]
    roles: Annotated[
        list[str] | None, "the role of each player, in the order of players, or null if the mode has no roles"
    ]


def _sides(match: Match) -> list[MatchSideDocument]:
    ends = list(accumulate(map(len, match.sides)))
    waited = [list(match.waited[end - len(side) : end]) for side, end in zip(match.sides, ends, strict=True)]
    roles = match.roles or [None] * len(match.sides)
    return [
        {
            "players": list(players),
            "chance": chance,
            "wanted": wanted,
            "waited": seconds,
            "roles": None if played is None else list(played),
        }
        for players, chance, wanted, seconds, played in zip(
            match.sides, match.chances, match.wanted, waited, roles, strict=True
        )
    ]


@kind("match")
class MatchDocument(TypedDict):
    """A proposed match: who would play whom.

    A proposed match: `match_document(match)`. In the table that `podium match --out` writes, matches
    are counted from 1.
    """

    number: Annotated[int, "number of the match in its pool, counted from 0"]
    sides: Annotated[list[MatchSideDocument], "who plays on each side", From(_sides)]
    cost: Annotated[float, "cost of the match by the policy"]
    region: Annotated[
        str | None, "server region with the best latency, or null if the policy does not use latency"
    ]
    backfill: Annotated[int | None, "number of the request it answers, if it fills a running match"]
    proposed: Annotated[float | None, "when it was proposed, in seconds of the pool's clock"]
    deadline: Annotated[
        float | None, "until when its players must accept it, or null if the policy sets no deadline"
    ]
    started: Annotated[float | None, "when it started, or null if it has not"]
    accepted: Annotated[list[str], "the players who have accepted it"]
    continues: Annotated[
        int | None, "number of the running match whose open places it fills, if this pool started that match"
    ]
    left: Annotated[dict[str, str], "the players who left while it was played, with the reason"]


@kind("tick")
class TickDocument(TypedDict):
    """The result of one tick of a pool.

    `tick_document(maker.tick(time))`.
    """

    time: Annotated[
        TimeText | None,
        "when it was, or null if the pool counts seconds instead of datetimes",
        From("moment"),
    ]
    seconds: Annotated[float, "the pool's clock. Seconds since 1970 if the pool uses datetimes", From("time")]
    matches: Annotated[list[MatchDocument], "the matches proposed"]
    expired: Annotated[list[list[str]], "the players of each ticket whose time was up"]
    waiting: Annotated[int, "number of tickets that keep waiting"]
    left: Annotated[
        int, "number of these that the tick did not get to within its budget (0 without a budget)"
    ]
    ended: Annotated[list[int], "numbers of the backfill requests whose time was up"]
    lapsed: Annotated[
        dict[str, list[str]],
        "the matches whose deadline has passed, by number: their players who had not answered",
        From(lambda tick: {str(number): list(names) for number, names in tick.lapsed.items()}),
    ]


@kind("ticket")
class TicketDocument(TypedDict):
    """A player or a party waiting for a match.

    `podium.document(maker.join("ann"))`.
    """

    number: Annotated[int, "number of the ticket, counted from 0"]
    players: Annotated[list[str], "the player, or the party"]
    seconds: Annotated[float, "when it joined, in seconds of the pool's clock", From("time")]
    attributes: Annotated[dict[str, str | float], "what other tickets may need of it"]
    match: Annotated[int | None, "number of the match proposed to it, or null if there is none"]
    backfill: Annotated[
        int | None, "number of the request, for a running match that asks for players. Else null"
    ]
    needs: Annotated[
        dict[str, list[str | float | None]],
        "the needs of others: texts of which one is enough, or the two ends of a range, or null for "
        "an open end",
    ]
    latency: Annotated[dict[str, float], "milliseconds to each region"]
    roles: Annotated[
        list[list[str]] | None,
        "the roles that each player would play, in the order of players, or null if the mode has no roles",
    ]
    side: Annotated[
        int | None,
        "the side that these players are, from 0, for a running match that asks for players. Else null",
    ]
    front: Annotated[bool, "whether it was in a match that was cancelled, and is served before others"]


@kind("pairing")
class PairingDocument(TypedDict):
    """Who plays whom, by number.

    `podium.document(pair_by_rating(mu, chance=1))`.
    """

    pairs: Annotated[
        list[list[int]],
        "two players each, by number",
        From(lambda pairing: zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)),
    ]
    out: Annotated[list[int], "players who sit out"]


@kind("matching")
class MatchingDocument(SystemDocument):
    """All waiting players, paired at once.

    `podium match --json` or `matching_document(maker, tick)`.
    """

    mode: Annotated[str, "kind of match: `1v1`, `2v2v2`, `ffa:8`, `2v2: tank, healer`, …"]
    policy: Annotated[str, "the policy, as TOML"]
    players: Annotated[int, "number of players who were waiting"]
    n_matches: Annotated[int, "number of matches"]
    n_alone: Annotated[int, "number of players without a match"]
    mean_gap: Annotated[float | None, "mean distance of win probabilities from the wanted ones"]
    worst_gap: Annotated[float | None, "largest mean distance of a match: the mean over its sides"]
    even: Annotated[
        float | None,
        "fraction of matches with an expected score from 0.4 to 0.6, or null if a match has more sides",
    ]
    matches: Annotated[list[MatchDocument], "the matches"]
    alone: Annotated[list[str], "names of the players without a match"]
    why: Annotated[
        WaitingReasonsDocument | None,
        "the number of players whom the player of `--why` may meet, or null without the option",
    ]


class ReplayOutcomeDocument(TypedDict):
    """What became of recorded tickets."""

    policy: Annotated[str, "name of the policy, or `recorded`"]
    tickets: Annotated[int, "number of tickets"]
    matched: Annotated[int, "number of tickets whose match started"]
    left: Annotated[int, "number of tickets that gave up waiting"]
    declined: Annotated[int, "number of tickets that declined a match"]
    matches: Annotated[int, "number of matches"]
    wait_median: Annotated[float | None, "median seconds that a matched ticket waited"]
    wait_p90: Annotated[float | None, "90% of the matched tickets waited no longer"]
    wait_p90_of_extremes: Annotated[
        float | None, "the same for the tickets with the highest and the lowest tenth of ratings"
    ]
    gap_mean: Annotated[float | None, "mean distance of the sides' chances from even ones"]
    gap_p90: Annotated[float | None, "90% of the matches have no larger gap"]
    spread_median: Annotated[float | None, "median difference of a match's highest and lowest rating"]


@kind("replay")
class ReplayDocument(SystemDocument):
    """Recorded tickets, and what another policy makes of them.

    `podium match --replay --json`.
    """

    mode: Annotated[str, "kind of match"]
    outcomes: Annotated[
        list[ReplayOutcomeDocument], "the recorded outcome, and then the outcome with the policy"
    ]


def replay_document(system: RatingSystem, mode: str, outcomes: Sequence[Outcome]) -> ReplayDocument:
    """Recorded tickets, and what policies make of them."""
    rows = [cast(ReplayOutcomeDocument, outcome.row()) for outcome in outcomes]
    return {**system_document(system), "mode": mode, "outcomes": rows}


def match_document(match: Match) -> MatchDocument:
    """A proposed match: who would play whom."""
    return plain_form(match, MatchDocument)


def tick_document(tick: Tick) -> TickDocument:
    """The result of one tick of a pool."""
    return plain_form(tick, TickDocument)


def ticket_document(ticket: Ticket) -> TicketDocument:
    """A player or a party waiting for a match."""
    return plain_form(ticket, TicketDocument)


def pairing_document(pairing: Pairing) -> PairingDocument:
    """Who plays whom, as `pair_by_rating` and its like say it."""
    return plain_form(pairing, PairingDocument)


def matching_document(
    maker: Matchmaker, tick: Tick, *, top: int | None = None, why: WaitingReasons | None = None
) -> MatchingDocument:
    """The matches of a pool's one tick, their quality, and the players without a match.

    `top` lists only the first.

    `why` is about a player who was asked for.
    """
    matches, alone = tick.matches, [name for ticket in maker.waiting() for name in ticket.players]
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
    """The share of matches with even chances. None where there are none, or some are not of two sides."""
    if not len(matches) or np.any(np.diff(matches.sides) != 2):
        return None
    low, high = EVEN_CHANCES
    chance = matches.chance[::2]
    return float(np.mean((chance >= low) & (chance <= high)))
