"""Knockouts: seeds from ratings, byes to the highest, winners meet along the bracket.

The bracket is a list of slots, in which neighbours meet. Seed 1 and seed 2 can only meet in the final, the
first four only in the last two rounds, and so on; a slot without an entrant is a bye.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podium.arrays import Bools
from podium.errors import InputError
from podium.tournaments.happenings import Field, Paired, Round, Side
from podium.tournaments.kept_apart import has_rivals, places_apart, rivals_of

Slots = list[str | None]


def seed_order(slots: int) -> list[int]:
    """The seed in each slot of a bracket of 2, 4, 8 … slots, counted from 1.

    >>> seed_order(8)
    [1, 8, 4, 5, 2, 7, 3, 6]
    """
    order = [1]
    while len(order) < slots:
        order = [seed for each in order for seed in (each, 2 * len(order) + 1 - each)]
    return order


def first_slots(players: list[str]) -> Slots:
    """The bracket of these players, the best one first."""
    size = 1 << max(len(players) - 1, 0).bit_length()
    return [players[seed - 1] if seed <= len(players) else None for seed in seed_order(size)]


def starting_players(field: Field) -> list[str]:
    """Those of the first round, or those who are here now: by seed, then the highest rating first."""
    if field.rounds:
        started = field.rounds[0]
        players = {player for game in started.games for player in game.players}
        players |= {*started.byes, *started.resting}
    else:
        players = {entrant.player for entrant in field.here}
    order = [player for player in field.entrants if player in players]
    seeds = {player: field.entrants[player].seed for player in order}
    return sorted(order, key=lambda player: (seeds[player] or np.inf, -field.entrants[player].mu))


def starting_slots(field: Field) -> Slots:
    """The bracket of the first round: of the entrants who played in it, or of those who are here now."""
    if 1 in field.draws:
        return list(field.draws[1][0])
    players = starting_players(field)
    if field.rounds or not has_rivals(field, players):
        return first_slots(players)
    return slots_apart(players, rivals_of(field, players))


def slots_apart(players: list[str], rivals: Bools) -> Slots:
    """The bracket of these players, in which rivals meet as late as possible. Byes stay with the highest.

    How bad a meeting is: 1 in the first round, and a quarter of it with each later one.
    """
    order = seed_order(len(first_slots(players)))
    slot = np.empty(len(order), np.int64)
    slot[np.array(order) - 1] = np.arange(len(order))
    _, lap = np.frexp(np.bitwise_xor.outer(np.arange(len(order)), np.arange(len(order))))
    soon = np.where(lap > 0, 4.0 ** (1.0 - lap), 0.0)
    byes = len(order) - len(players)
    ends = {min(1 << k, len(players)) for k in range(len(order).bit_length())} | {byes} - {0}
    slots: Slots = [None] * len(order)
    for player, place in zip(
        players, places_apart(slot[: len(players)], sorted(ends), soon, rivals).tolist(), strict=True
    ):
        slots[place] = player
    return slots


def slots_after(slots: Slots, rounds: Sequence[Round]) -> Slots:
    """The slots of the next round of a knockout; one slot if it is over."""
    for each in rounds:
        through = {player for game in each.games for player in game.winner or ()}.union(each.byes)
        slots = [
            next((player for player in pair if player in through), None)
            for pair in zip(slots[::2], slots[1::2], strict=True)
        ]
    return slots


@dataclass(frozen=True, slots=True)
class BracketMatch:
    """A match of a bracket, also one that is not paired yet.

    Attributes:
        part: Where it is: `main`, `losers`, `final` or `third`.
        column: Number of the round within its part, counted from 1.
        row: Place from the top of its column, counted from 1.
        sides: The two entrants. None where there is none, or where it is not known yet.
        points: The score. None without a result.
        winner: The entrant who wins it or has a bye. None as long as that is open.
    """

    part: str
    column: int
    row: int
    sides: tuple[str | None, str | None]
    points: tuple[float, ...] | None = None
    winner: str | None = None


def bracket(slots: Slots, rounds: Sequence[Round]) -> list[BracketMatch]:
    """All matches of a knockout, from the first round to the final."""
    found = []
    for column in range(1, len(slots).bit_length()):
        is_paired = column <= len(rounds)
        games = {frozenset(game.players): game for game in rounds[column - 1].games} if is_paired else {}
        through: Slots = []
        for row, (first, second) in enumerate(zip(slots[::2], slots[1::2], strict=True), 1):
            game = games.get(frozenset((str(first), str(second))))
            points = None if game is None or game.points is None else game.points
            if points is not None and game is not None and game.sides[0] != (first,):
                points = points[::-1]
            going = next(iter(game.winner or ()), None) if game is not None else None
            if is_paired and going is None:
                going = next((one for one in (first, second) if one in rounds[column - 1].byes), None)
            found.append(BracketMatch("main", column, row, (first, second), points, going))
            through.append(going)
        slots = through
    return found


def pair_knockout(field: Field, slots: Slots, *, is_first: bool) -> Paired:
    """The next round: an entrant whose opponent has left, or never was, has a bye."""
    if len(slots) < 2:
        raise InputError("the knockout is over" if field.rounds else "a knockout needs two entrants")
    matches: list[tuple[Side, Side]] = []
    byes: list[str] = []
    for pair in zip(slots[::2], slots[1::2], strict=True):
        playing = [player for player in pair if player is not None and field.entrants[player].here]
        if len(playing) == 2:
            matches.append(((playing[0],), (playing[1],)))
        else:
            byes += playing
    begins = is_first and has_rivals(field, [slot for slot in slots if slot is not None])
    return Paired(tuple(matches), tuple(byes), draw=(tuple(slots),) if begins else ())
