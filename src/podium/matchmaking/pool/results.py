"""A result of a match: rated by the pool's ladder, and the match ended, in one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.history import Event, Names
from podium.history.times import Moment, Time
from podium.matchmaking.pool.joins import name_of
from podium.matchmaking.pool.matches import finish_match, match_meant, played_match
from podium.matchmaking.pool.pool import Pool
from podium.matchmaking.pool.proposals import Match
from podium.matchmaking.pool.rating_sources import FromLadder
from podium.matchmaking.pool.tickets import NOBODY
from podium.systems.contract.ratings import Changes
from podium.text import shorten

Sides = Sequence[Sequence[str]]


def rate_result(
    pool: Pool,
    match: Match | int,
    *,
    winner: str | None,
    ranks: Sequence[int] | None,
    scores: Sequence[float] | None,
    play: Mapping[str, float] | None,
    weight: float,
    time: Time | None,
) -> Changes:
    """Rate a started match and end it; the same result again gives the same answer."""
    source = pool.source
    if not isinstance(source, FromLadder):
        raise InputError(
            "this pool has no ladder to rate matches",
            hint="make it with Matchmaker(ladder), or call finish and rate the match yourself",
        )
    if isinstance(match, Match) and match.pool != pool.identity:
        raise InputError(f"another pool proposed match {match.number}")
    if not isinstance(match, Match) and source.ladder._keys.find(_key(pool, match)) is None:
        match = match_meant(pool, match)
    value = match if isinstance(match, Match) else None
    number = match.number if isinstance(match, Match) else match
    if value is not None and value.continues is not None:
        number = value.continues
    recorded = source.ladder._keys.find(key := _key(pool, number))
    players = tuple(play or ()) if value is None else value.players

    def event_of(sides: Sides, at: Time | None) -> Event:
        placed = ranks if winner is None else _ranks_of(winner, sides, number, pool.store.names)
        unrated = set(players).difference(*sides)
        played = play if play is None else {name: part for name, part in play.items() if name not in unrated}
        return Event.of(teams=sides, ranks=placed, scores=scores, play=played, weight=weight, time=at)

    if (winner is not None) + (ranks is not None) + (scores is not None) != 1:
        raise InputError("give the result as a winner, ranks or scores", hint="one of them")
    if recorded is not None and isinstance(recorded.content, Event):
        given = event_of(recorded.content.sides, Moment(recorded.time) if time is None else time)
        answer = recorded.answer_to(key, given, given.time)
        if number in pool.live_matches():  # after an interrupt
            _end(pool, number, recorded.content)
            if pool.log is not None:
                pool.log.note("finish", (number,), {"scores": _scores(recorded.content)}, None)
        return answer
    known = played_match(pool, match_meant(pool, match))
    if NOBODY in known.player:
        raise InputError(f"the pool has forgotten players of match {number}", hint="finish(match, void=True)")
    now, at = pool.shown(known), _time_of(pool) if time is None else time
    event = event_of(now.sides, at)
    _end(pool, match, event)
    if pool.policy.conduct.abandoned == "leavers":
        event = event_of(_leavers_of_losing_sides(now, event), at)
    if pool.log is None:
        return source.ladder.record_event(event, late="last", key=key)
    ended = pool.log.statement("finish", (match,), {"scores": _scores(event)})
    opened = source.ladder._opened()
    changes = opened.record(event, allow_repeat=False, late="last", key=key, also=[ended])
    pool.log.wrote()
    return changes


def _key(pool: Pool, number: object) -> str:
    """The idempotency key of a match's result."""
    return f"pool {pool.identity} match {number}"


def _time_of(pool: Pool) -> Time | None:
    """The pool's time, if it is one that a ladder understands."""
    return None if pool.now.micros == NO_TIME else Moment(pool.now.micros)


def _ranks_of(winner: str, sides: Sides, number: int, known: Names) -> list[int]:
    """The winner's side comes first, and all others share the second place."""
    name = name_of(winner, known)
    ranks = [1 if name in side else 2 for side in sides]
    if 1 not in ranks:
        raise InputError(f"{shorten(name)!r} is not in match {number}")
    return ranks


def _leavers_of_losing_sides(match: Match, event: Event) -> Sides:
    """The sides that are rated where only those lose who abandoned a match that their side lost."""
    ranks = np.array(event.ranks)
    left = {player for player, reason in match.left.items() if reason == "abandon"}
    return [
        [player for player in side if player in left] if lost and left.intersection(side) else side
        for side, lost in zip(match.sides, (ranks > ranks.min()).tolist(), strict=True)
    ]


def _scores(event: Event) -> list[float]:
    """For each side, the share of the others that it has beaten."""
    ranks = np.array(event.ranks)
    beaten = (ranks[:, None] < ranks).sum(1) + 0.5 * ((ranks[:, None] == ranks).sum(1) - 1)
    shares: list[float] = (beaten / (len(ranks) - 1)).tolist()
    return shares


def _end(pool: Pool, match: Match | int, event: Event) -> None:
    """End the match with the result of its event."""
    scores = _scores(event)
    finish_match(pool, match, winner=None, side=None, draw=False, scores=scores, void=False)
