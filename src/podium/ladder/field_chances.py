"""What pairs of sides say about a free-for-all: how often a side may win at most, and may tie.

No side wins a free-for-all more often than it would beat any one of the others. Many systems have pairwise
chances that no independent performances give exactly: Glicko's and Weng–Lin's with unequal deviations, a
curve that ends, a margin for draws. What is too much is exchanged, between the first and the second place,
with sides that have room.

Places come from performances of which no two are equal: a tie counts half for each of both orders. How often
two sides tie is known from the system's own draws. For more than two it is an approximation.
"""

from __future__ import annotations

import numpy as np

from podium.arrays import Floats, Longs
from podium.systems import RatingSystem, Sides, State
from podium.systems.contract.calibration import Calibration, inexperience, public_performances
from podium.systems.contract.side_scores import Performances, with_coin
from podium.systems.contract.sides import Opponent

ROUNDING = 1e-12
"""Chances above their limit by no more than this are left as they are."""


def has_exact_places(system: RatingSystem) -> bool:
    """Whether the pairwise chances of a system are those of its performances, so that no limit is needed."""
    return system.exact_places and not system.is_calibrated


def public_winning_chances(
    system: RatingSystem, state: State, sides: Sides, at: int, offsets: Longs
) -> Floats:
    """The chance of each side to win its free-for-all, which has the sides between two offsets.

    It is what `Ladder.top_chances` gives, but for systems that expect of a field something else than their
    ratings say: here ratings count.
    """
    from podium.numerics.free_for_all.first_place import winning_chances

    performed, sizes = public_performances(system, state, sides, at), np.diff(offsets)
    won = with_coin(system, winning_chances(*performed, offsets), np.repeat(1.0 / sizes, sizes))
    first = sides.taken(np.arange(offsets[1]))
    if has_exact_places(system) or system.expected_field(state, first, at) is not None:
        return won
    least = least_pairwise_chances(system, state, sides, at, offsets)
    family, location, scale = performed
    above = np.add.reduceat(np.maximum(won - least, 0.0), offsets[:-1]) > ROUNDING
    for start, stop in zip(offsets[:-1][above].tolist(), offsets[1:][above].tolist(), strict=True):
        one = slice(start, stop)
        first_place, second_place = first_two_places(system, (family, location[one], scale[one]))
        won[one] = first_place + moved_to_first(first_place, second_place, least[one])
    return won


def first_two_places(system: RatingSystem, performed: Performances) -> tuple[Floats, Floats]:
    """Each side's probability of the first place and of the second."""
    from podium.numerics.free_for_all.top_chances import top_chances

    n = len(performed[1])
    first, both = (with_coin(system, top_chances(*performed, k), k / n) for k in (1, 2))
    return first, both - first


def least_pairwise_chances(
    system: RatingSystem, state: State, sides: Sides, at: int, offsets: Longs
) -> Floats:
    """The expected score of each side against the opponent that is hardest for it in its field."""
    sizes = np.repeat(np.diff(offsets), np.diff(offsets))
    ours = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.cumsum(sizes)
    theirs = np.arange(ends[-1]) - np.repeat(ends - sizes - np.repeat(offsets[:-1], np.diff(offsets)), sizes)
    if system.two_numbers:
        one, other = believed_of(system, state, sides, at, ours, theirs)
        chances = system.expected_between(one, other, 0.0)
        if system.is_calibrated:
            lacking = inexperience(state["events"][sides.players], sides)
            chances = Calibration.of(state).applied(chances, lack=lacking[ours] - lacking[theirs])
    else:
        chances = system.predict(state, sides.taken(ours), sides.taken(theirs), at=at)
    chances = np.where(ours == theirs, 1.0, chances)
    least: Floats = np.minimum.reduceat(chances, ends - sizes)
    return least


def believed_of(
    system: RatingSystem, state: State, sides: Sides, at: int, ours: Longs, theirs: Longs
) -> tuple[Opponent, Opponent]:
    """The beliefs about these sides and those, for a system of which they are two numbers."""
    mu, sigma = system.side_belief(state, sides, at)
    noise = system.noise_of(sides)
    one, other = (
        Opponent(mu[i], None if sigma is None else sigma[i], sides.sizes[i], noise[i]) for i in (ours, theirs)
    )
    return one, other


def moved_to_first(first: Floats, second: Floats, least: Floats) -> Floats:
    """What each side's chance of the first place gains from its second place (or, negative, loses to it).

    Afterwards no chance is above its limit, and all of a place still sum to one. Should the others not have
    room for everything (pairwise chances that contradict each other), as much is moved as they have room for.

    >>> moved_to_first(np.array([0.98, 0.01, 0.01]), np.array([0.02, 0.49, 0.49]), np.array([0.9, 0.1, 0.1]))
    array([-0.08,  0.04,  0.04])
    """
    over = np.maximum(first - least, 0.0)
    if over.sum() <= ROUNDING:
        return np.zeros_like(first)
    room = np.where(over > 0.0, 0.0, np.minimum(least - first, second))
    moved = min(over.sum(), room.sum())
    if moved <= 0.0:
        return np.zeros_like(first)
    gained = moved * (room / room.sum() - over / over.sum())
    kept: Floats = np.maximum(gained, -first)  # rounding must leave no chance below 0
    return kept


MOST_DRAWN = 1.0 - 1e-12
"""A draw of two sides counts as no more certain than this, so that its logarithm is finite."""


def tie_chances(system: RatingSystem, state: State, sides: Sides, at: int) -> Floats:
    """The probability of each side to share its rank with another, as if draws of pairs were independent.

    For two sides it is their draw. For more, the pairs of a side are not quite independent, and this is a
    little too high: where equals draw a quarter of their matches, by 0.01 for three, 0.02 for four and 0.06
    for eight of them (performances that tie within a margin, simulated).
    """
    n = len(sides.offsets) - 1
    if not system.outcomes(state, sides, sides, at=at)[:, 1].any():  # not even equals draw
        return np.zeros(n)
    ours, theirs = np.triu_indices(n, 1)
    if system.two_numbers and not system.is_calibrated:
        chances = system.outcomes_between(*believed_of(system, state, sides, at, ours, theirs), 0.0)
    else:
        chances = system.outcomes(state, sides.taken(ours), sides.taken(theirs), at=at)
    drawn = chances[:, 1]
    if n == 2:
        return np.repeat(drawn, 2)
    apart = np.log1p(-np.minimum(drawn, MOST_DRAWN))
    tied: Floats = -np.expm1(np.bincount(ours, apart, n) + np.bincount(theirs, apart, n))
    return tied
