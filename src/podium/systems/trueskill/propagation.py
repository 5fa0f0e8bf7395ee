"""What a ranking says about the performances of those ranked: expectation propagation along it.

Sides have normal performances. One that is ranked above another was better by more than a margin, two that
are tied are within it. As in TrueSkill (Herbrich, Minka and Graepel 2006) neighbours in the ranking are
compared: each comparison becomes a normal message about both its sides, found by matching the mean and
variance of the truncated difference, given what all other messages say; messages are passed down the ranking
and up again until none moves.

A chain needs an order, and inside a tie there is none: the published algorithm takes that of the rows, on
which its result then depends. Here a side listens to the tie above its own, to the tie below, and to the
others of its own, and each of the three is one opponent. The others of a tie are the product of their
distributions: they are where all of them can be. Another tie is anybody of it, with the mean and variance of
their mixture. Without a margin, where a tie means equal performances, that is exactly the published chain,
which then does not depend on the order either; so is a ranking without ties, and a draw of the only two
sides. With a margin, a tie of two or more among three or more sides is close to the mean over all orders.
Nothing depends on any order, equal sides learn equally, and the time is linear in their number, also where
all are tied.

Messages are about the distance from a side's own prior mean: a *precision* and a *pull* (precision times
distance). Means far from zero then cost no digits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.jit import kernel
from podium.numerics.normal import above, between

TOLERANCE = 1e-10
"""Messages are passed until no mean moves by more than this part of its deviation, and no variance by more
than this part of itself. A sweep gains a digit or two, so the last ones are cheap."""
ROUNDING_MOVE, ROUNDING_SWEEPS = 1e-4, 3
"""Moves below this that have not become smaller for so many sweeps are rounding, which adds up along a
ranking and with the distances in it."""
CONFIDENT_SWEEPS = 40
"""Sweeps after which messages become more and more cautious, a mean of the old and the new: upsets of many
deviations inside a tie with a margin can send them round in circles."""
MOST_SWEEPS = 300
"""The last word, also if messages still move. Without a margin that was never seen; with one it was in one of
a thousand rankings made to be hard, and where it drives ties of thousands hundreds of deviations apart."""

ABOVE, BELOW, BESIDE = 0, 1, 2
"""Where a message comes from."""


class Ranked(NamedTuple):
    """The sides of an event from best to worst, and what the ranking says about each; may have spare room."""

    mean: Floats
    variance: Floats
    unit: Floats
    """Two sides tie if they differ by less than √(u + v), where u and v are their units."""
    starts: Longs
    """The start of each tie; it ends before the next."""
    precision: Floats
    pull: Floats
    """The pull away from the mean."""
    told: Floats
    pulled: Floats
    """Precisions (`told`) and pulls of the messages, by source."""
    others: Floats
    """Mean, precision and unit of all other sides of a tie together, before the event."""


def room_for_ranking(sides: int) -> Ranked:
    """Work space for a ranking of up to `sides` sides."""
    mean, variance, unit, precision, pull = (np.empty(sides) for _ in range(5))
    told, pulled, others = (np.empty((3, sides)) for _ in range(3))
    starts = np.empty(sides + 1, np.int64)
    return Ranked(mean, variance, unit, starts, precision, pull, told, pulled, others)


@kernel
def learn_ranking(ranked: Ranked, sides: int, ties: int) -> int:
    """Fill what a ranking says about each side: a precision and a pull; returns the number of sweeps.

    Only differences of means matter: the one nearest to zero is subtracted from all, in place.
    """
    mean, variance, unit, starts, precision, pull, told, pulled, others = ranked
    origin = mean[0]
    for i in range(1, sides):
        origin = mean[i] if abs(mean[i]) < abs(origin) else origin
    for i in range(sides):
        mean[i] -= origin
        precision[i], pull[i] = 0.0, 0.0
        for source in range(3):
            told[source, i], pulled[source, i] = 0.0, 0.0
    for tie in range(ties):
        if starts[tie + 1] - starts[tie] > 1:
            pool_others(starts[tie], starts[tie + 1], mean, variance, unit, others)
    least, stalled = math.inf, 0
    for sweep in range(1, MOST_SWEEPS + 1):
        part = 0.5 ** min(sweep // CONFIDENT_SWEEPS, 3)
        pass_on(ABOVE, part, ties, mean, variance, unit, starts, told, pulled, others)
        pass_on(BELOW, part, ties, mean, variance, unit, starts, told, pulled, others)
        moved = 0.0
        for i in range(sides):
            heard = told[ABOVE, i] + told[BELOW, i] + told[BESIDE, i]
            drawn = pulled[ABOVE, i] + pulled[BELOW, i] + pulled[BESIDE, i]
            # The variance was v/a and is v/b; the mean is that times the pull.
            v = variance[i]
            a, b = 1.0 + v * precision[i], 1.0 + v * heard
            both = 1.0 / (a * b)
            mean_moved = abs(drawn * a - pull[i] * b) * both * math.sqrt(v * b)
            moved = max(moved, mean_moved, abs(b - a) * a * both)
            precision[i], pull[i] = heard, drawn
        stalled = 0 if moved < least else stalled + 1
        least = min(least, moved)
        if moved <= part * TOLERANCE or sides == 2:  # of two, each hears all there is to hear at once
            return sweep
        if moved <= ROUNDING_MOVE and stalled == ROUNDING_SWEEPS:
            return sweep
    return MOST_SWEEPS


@kernel
def pass_on(
    source: int,
    part: float,
    ties: int,
    mean: Floats,
    variance: Floats,
    unit: Floats,
    starts: Longs,
    told: Floats,
    pulled: Floats,
    others: Floats,
) -> None:
    """One sweep: down the ranking with messages from above, or up with messages from below."""
    down = source == ABOVE
    away = BELOW if down else ABOVE
    sign = -1.0 if down else 1.0
    their_mean, their_variance, their_unit = 0.0, 0.0, 0.0
    for step in range(ties):
        tie = step if down else ties - 1 - step
        lo, hi = starts[tie], starts[tie + 1]
        for i in range(lo, hi if step > 0 else lo):
            shift, spread = posterior(
                variance[i], told[away, i] + told[BESIDE, i], pulled[away, i] + pulled[BESIDE, i]
            )
            total = spread + their_variance
            deviation = math.sqrt(total)
            margin = math.sqrt(unit[i] + their_unit)
            lead, left, lost = above((margin - sign * (mean[i] + shift - their_mean)) / deviation)
            new, new_pull = message(shift, total, their_variance, sign * deviation * lead, left, lost)
            told[source, i] += part * (new - told[source, i])
            pulled[source, i] += part * (new_pull - pulled[source, i])
        if hi - lo > 1:
            compare_tied(lo, hi, part, mean, variance, unit, told, pulled, others)
        # Whoever of this tie the next one meets.
        first, inner, units, second = 0.0, 0.0, 0.0, 0.0
        for i in range(lo, hi):
            shift, spread = posterior(
                variance[i], told[source, i] + told[BESIDE, i], pulled[source, i] + pulled[BESIDE, i]
            )
            distance = mean[i] - mean[lo] + shift
            step_away = distance - first
            first += step_away / (i - lo + 1)
            second += step_away * (distance - first)
            inner += spread
            units += unit[i]
        their_mean = mean[lo] + first
        their_variance = (inner + second) / (hi - lo)
        their_unit = units / (hi - lo)


@kernel
def pool_others(lo: int, hi: int, mean: Floats, variance: Floats, unit: Floats, others: Floats) -> None:
    """All others of each side's tie, as the product of their distributions: those before it and those after.

    Nothing is subtracted from the whole tie, of which a single side can be nearly all.
    """
    for way in range(2):
        centre, known, units = 0.0, 0.0, 0.0
        for k in range(hi - lo):
            i = lo + k if way == 0 else hi - 1 - k
            if way == 0:
                others[0, i], others[1, i], others[2, i] = centre, known, units
            else:
                total = others[1, i] + known
                others[0, i] += (centre - others[0, i]) * (known / total)
                others[1, i] = total
                others[2, i] = (others[2, i] + units) / (hi - lo - 1)
            precision = 1.0 / variance[i]
            known += precision
            centre += (mean[i] - centre) * (precision / known)
            units += unit[i]


@kernel
def compare_tied(
    lo: int,
    hi: int,
    part: float,
    mean: Floats,
    variance: Floats,
    unit: Floats,
    told: Floats,
    pulled: Floats,
    others: Floats,
) -> None:
    """Compare every side of a tie with all others of it."""
    for i in range(lo, hi):
        their_mean, their_precision = others[0, i], others[1, i]
        margin = math.sqrt(unit[i] + others[2, i])
        if margin == 0.0:  # equal performances: whatever else is known, the message is what the others are
            new, new_pull = their_precision, (their_mean - mean[i]) * their_precision
        else:
            shift, spread = posterior(
                variance[i], told[ABOVE, i] + told[BELOW, i], pulled[ABOVE, i] + pulled[BELOW, i]
            )
            their_variance = 1.0 / their_precision
            total = spread + their_variance
            deviation = math.sqrt(total)
            difference = mean[i] - their_mean + shift
            lead, left, lost = between((-margin - difference) / deviation, (margin - difference) / deviation)
            new, new_pull = message(shift, total, their_variance, deviation * lead, left, lost)
        told[BESIDE, i] += part * (new - told[BESIDE, i])
        pulled[BESIDE, i] += part * (new_pull - pulled[BESIDE, i])


@kernel
def posterior(variance: float, precision: float, pull: float) -> tuple[float, float]:
    """Distance from the prior mean, and variance, of a prior with messages."""
    spread = variance / (1.0 + variance * precision)
    return spread * pull, spread


@kernel
def message(
    shift: float, total: float, their_variance: float, lead: float, left: float, lost: float
) -> tuple[float, float]:
    """Precision and pull that a comparison gives to one of its sides.

    The difference had the variance `total`; of that the part `left` is left and its mean moved by `lead`.
    Dividing by what the difference was before, and adding what the other side is, gives
    1/(total·left/lost + their variance) as the precision, here in a form that is finite also where all of
    the variance is lost, or nothing.
    """
    scale = total * left + lost * their_variance
    return lost / scale, (lost * shift + lead) / scale
