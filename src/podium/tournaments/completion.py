"""Whether the rounds that are left can be paired without a rematch.

Rounds without a rematch are perfect matchings of the pairs that have not met, no pair in two of them. They
always exist where every entrant can still meet at least half of the field in the last of these rounds, by
Dirac's theorem. Otherwise a search looks for them.
"""

from __future__ import annotations

from collections.abc import Iterator

MOST_STEPS = 20_000
"""Steps of one search; above, the question stays open. Fields of 10 need a few hundred."""

Opponents = list[int]
"""For each entrant the opponents left, as bits."""
Pairs = list[tuple[int, int]]


class SearchEndError(Exception):
    """The search has taken all its steps."""


def without(opponents: Opponents, pairs: Pairs) -> Opponents:
    """The opponents left after these pairs have met."""
    left = opponents.copy()
    for a, b in pairs:
        left[a] &= ~(1 << b)
        left[b] &= ~(1 << a)
    return left


def certain(entrants: int, fewest: int, rounds: int) -> bool:
    """Whether Dirac's theorem promises this many rounds, however the earlier ones of them are paired.

    Args:
        entrants: How many there are.
        fewest: The smallest number of opponents that an entrant has left.
        rounds: How many rounds are to be paired.
    """
    return entrants % 2 == 0 and fewest - (rounds - 1) >= entrants / 2


def remaining_rounds(opponents: Opponents, rounds: int, most_steps: int = MOST_STEPS) -> list[Pairs] | None:
    """This many rounds without a rematch, or None if there are none.

    Raises:
        SearchEndError: Neither was found within the steps allowed.

    >>> everybody = [0b1110, 0b1101, 0b1011, 0b0111]
    >>> len(remaining_rounds(everybody, 3)), remaining_rounds(everybody, 4)
    (3, None)
    """
    steps = [most_steps]
    size = len(opponents)

    def search(left: Opponents, rounds: int, below: int) -> list[Pairs] | None:
        if rounds == 0:
            return []
        if min(each.bit_count() for each in left) < rounds:
            return None
        for pairs in matchings(left, (1 << size) - 1, steps):
            # The order of rounds is free: opponents of the first entrant come in decreasing order.
            partner = next(b for a, b in pairs if a == 0)
            if partner < below and (rest := search(without(left, pairs), rounds - 1, partner)) is not None:
                return [pairs, *rest]
        return None

    return search(opponents, rounds, size) if size % 2 == 0 and size else None


def matchings(left: Opponents, free: int, steps: list[int]) -> Iterator[Pairs]:
    """All perfect matchings of the free entrants, each pair with the lower number first."""
    if not free:
        yield []
        return
    steps[0] -= 1
    if steps[0] < 0:
        raise SearchEndError
    entrants = [i for i in range(len(left)) if free >> i & 1]
    # The first entrant first, so that the caller's order cuts early; then the one with the fewest left.
    chosen = 0 if free & 1 else min(entrants, key=lambda i: (left[i] & free).bit_count())
    for other in reversed(entrants):
        if left[chosen] >> other & 1:
            pair = (min(chosen, other), max(chosen, other))
            for rest in matchings(left, free & ~(1 << chosen | 1 << other), steps):
                yield [pair, *rest]
