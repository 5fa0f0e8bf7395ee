"""The chances of places in contests that have been rated, from the beliefs before each of them."""

from __future__ import annotations

import numpy as np

from podium.arrays import Bools, Floats
from podium.evaluation.event_predictions import members_before
from podium.ladder.predictions import MOST_PLACED
from podium.numerics.free_for_all.first_place import winning_chances
from podium.numerics.free_for_all.mean_places import fitted_locations
from podium.numerics.free_for_all.place_chances import rank_probabilities
from podium.numerics.free_for_all.top_chances import top_chances
from podium.systems import RatingSystem
from podium.systems.contract.ratings import Trace
from podium.systems.contract.side_scores import EventSides, Performances, performances, with_coin

FEW_PLACES = 3
"""Up to so many places, each is found for itself; from there on, all at once cost less."""


def first_chances(system: RatingSystem, met: EventSides, trace: Trace, out: Floats) -> None:
    """Fill the chance of the first place for each side of the events of more than two sides."""
    which = met.counts > 2
    if not which.any():
        return
    chosen, counts = np.repeat(which, met.counts), met.counts[which]
    offsets = np.concatenate(([0], np.cumsum(counts)))
    won = winning_chances(*_performances(system, met, trace, which), offsets)
    out[chosen] = with_coin(system, won, np.repeat(1.0 / counts, counts))


def place_chances(system: RatingSystem, met: EventSides, trace: Trace, expected: Floats, out: Floats) -> None:
    """Fill the chances of the first places, a column each; of two sides they are what is `expected`."""
    a = met.offsets[:-1][met.counts == 2]
    for side, other in ((a, a + 1), (a + 1, a)):
        out[side, 0] = expected[side]
        out[side, 1:2] = expected[other, None]
    which = met.counts > 2
    family, location, scale = _performances(system, met, trace, which)
    done = 0
    for event in np.flatnonzero(which).tolist():
        start, stop = met.offsets[event : event + 2].tolist()
        n = stop - start
        field = family, location[done : done + n], scale[done : done + n]
        done += n
        places = min(out.shape[1], n)
        out[start:stop, :places] = with_coin(system, _places(field, places), 1.0 / n)


def _places(field: Performances, places: int) -> Floats:
    """The chances of the first places in one contest."""
    if places > FEW_PLACES and len(field[1]) <= MOST_PLACED:
        return rank_probabilities(*field)[:, :places]
    among = [np.zeros(len(field[1])), *(top_chances(*field, k) for k in range(1, places + 1))]
    return np.diff(np.stack(among, axis=1), axis=1)


def _performances(system: RatingSystem, met: EventSides, trace: Trace, which: Bools) -> Performances:
    """How the sides of these contests perform: around their ratings, or what the system itself expected."""
    mu, sigma = system.joined(*members_before(system, met, trace), met.sides)
    chosen, counts = np.repeat(which, met.counts), met.counts[which]
    noise = system.noise_of(met.sides)[chosen]
    family, location, scale = performances(
        system, mu[chosen], None if sigma is None else sigma[chosen], noise
    )
    if len(trace.expected):
        told, start = trace.expected[met.first_rows][chosen], 0
        for n in counts.tolist():
            field = slice(start, start + n)
            if not np.isnan(told[start]):
                location[field] = fitted_locations(family, location[field], scale[field], told[field])
            start += n
    return family, location, scale
