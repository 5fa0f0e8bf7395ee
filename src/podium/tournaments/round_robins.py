"""Round robins by Berger's tables (FIDE Handbook C.05, annex 1): every entrant meets every other one.

In round r of n entrants (n even), two of the numbers 1 to n − 1 meet if their sum is r + 1 modulo n − 1; the
one that is left meets n. With an odd number of entrants, one rests in each round.
"""

from __future__ import annotations

from itertools import combinations

from podium.errors import InputError
from podium.tournaments.happenings import Field, Paired, Side


def berger_round(size: int, number: int) -> list[tuple[int, int]]:
    """The pairs of a round, counted from 1, of an even number of entrants; the first one has the first side.

    >>> berger_round(6, 2)
    [(6, 4), (5, 3), (1, 2)]
    """
    modulus = size - 1
    alone = next(i for i in range(1, size) if (2 * i - number - 1) % modulus == 0)
    pairs = [(alone, size) if number % 2 else (size, alone)]
    below = [i for i in range(1, size) if i != alone]
    for low in below:
        high = (number + 1 - low) % modulus or modulus
        if low < high:
            pairs.append((low, high) if (low + high) % 2 else (high, low))
    # The published order goes round the table from the pair of n.
    return pairs[:1] + sorted(pairs[1:], key=lambda pair: (pair[0] - pairs[0][number % 2 == 0]) % modulus)


def total_rounds(entrants: int, laps: int) -> int:
    """How many rounds a round robin takes."""
    return laps * (entrants - 1 + entrants % 2)


def pair_round_robin(field: Field, laps: int) -> Paired:
    """The next round; entrants are numbered in the order in which they joined."""
    players = list(field.entrants)
    size = len(players) + len(players) % 2
    if len(players) < 2:
        raise InputError("a round robin needs two entrants")
    number = len(field.rounds)
    if number >= total_rounds(len(players), laps):
        raise InputError("all rounds of the round robin are paired")
    lap, number = divmod(number, size - 1)
    if not number and not any(field.may_meet(a, b) for a, b in combinations(players, 2)):
        raise InputError(
            "no match is left: all entrants are kept apart", hint="let entrants of other clubs join"
        )
    matches: list[tuple[Side, Side]] = []
    resting: list[str] = []
    apart: list[tuple[str, str]] = []
    for pair in berger_round(size, number + 1):
        first, second = pair if lap % 2 == 0 else pair[::-1]
        playing = [
            players[i - 1]
            for i in (first, second)
            if i <= len(players) and field.entrants[players[i - 1]].here
        ]
        add_match(field, playing, matches, resting, apart)
    return Paired(tuple(matches), resting=tuple(resting), apart=tuple(apart))


def add_match(
    field: Field,
    playing: list[str],
    matches: list[tuple[Side, Side]],
    resting: list[str],
    apart: list[tuple[str, str]],
) -> None:
    """Let two entrants play, or rest if only one of them is here or if they are kept apart."""
    if len(playing) == 2 and field.may_meet(*playing):
        matches.append(((playing[0],), (playing[1],)))
        return
    resting += playing
    if len(playing) == 2:
        apart.append((playing[0], playing[1]))
