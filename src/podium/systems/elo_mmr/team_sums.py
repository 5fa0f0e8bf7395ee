"""Teams whose performance adds up from their members' normal contributions.

A member contributes c ~ N(μ, σ² + β²), a team performs t = a + w Σ (c − a): with w = 1 the sum of what its
members are above a newcomer's a, with w = 1/n their mean. If t turns out to be P, then every contribution is
expected to be

    μ + κ (P − E t)/w      with κ = w² (σ² + β²)/Var t, the part of the scatter that is the member's own,

and the skill, which is the contribution less its noise, follows from a contribution of which only the part κ
was seen. All of that is exact: these variables are jointly normal. Alone, κ is 1 and P is the contribution.

The same belief follows from another view, which systems that remember performances take: a member whose
teammates contributed what was expected of them contributed

    μ + (P − E t)/w      with the noise β² + Σ (σ² + β²) over the teammates in place of β².
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium.arrays import EventColumns, Floats, Ints
from podium.numerics.event_sides import find_sides, side_of
from podium.numerics.jit import kernel, shared_kernel


class Teams(NamedTuple):
    """The sides of a contest; work space for as many as there are rows."""

    first: Ints
    """The first row of each, and likewise its number of rows and its rank."""
    size: Ints
    place: Ints
    strength: Floats
    """The mean of t, and likewise its deviation."""
    spread: Floats
    performance: Floats


@shared_kernel
def room_for_teams(rows: int) -> Teams:
    """Work space for contests of so many rows."""
    first, size, place = np.empty(rows, np.int32), np.empty(rows, np.int32), np.empty(rows, np.int32)
    return Teams(first, size, place, np.empty(rows), np.empty(rows), np.empty(rows))


@shared_kernel
def gather_teams(
    ev: EventColumns,
    e: int,
    mean_of_team: bool,
    newcomer: float,
    prior: Floats,
    deviation: Floats,
    teams: Teams,
) -> int:
    """Fill the sides of contest `e` and their t, from their members' ratings and deviations.

    Returns the number of sides.
    """
    side, rank, lo, hi = ev.side, ev.rank, ev.offsets[e], ev.offsets[e + 1]
    first, size, place, strength, spread, _ = teams
    sides = find_sides(side, lo, hi, first, size)
    for s in range(sides):
        strength[s], spread[s] = 0.0, 0.0
    for i in range(hi - lo):
        s = side_of(side, lo + i, lo)
        strength[s] += prior[i] - newcomer
        spread[s] += deviation[i] * deviation[i]
    for s in range(sides):
        w = 1.0 / size[s] if mean_of_team else 1.0
        strength[s], spread[s] = newcomer + w * strength[s], w * math.sqrt(spread[s])
    for i in range(hi - lo):  # who is alone is the team, to the last bit
        s = side_of(side, lo + i, lo)
        if size[s] == 1:
            strength[s], spread[s] = prior[i], deviation[i]
    for s in range(sides):
        place[s] = rank[first[s]]
    return sides


@kernel
def share_out(
    ev: EventColumns,
    e: int,
    mean_of_team: bool,
    prior: Floats,
    deviation: Floats,
    teams: Teams,
    contribution: Floats,
    own: Floats,
) -> None:
    """Fill each member's expected contribution to the team's performance, and κ."""
    side, lo, hi = ev.side, ev.offsets[e], ev.offsets[e + 1]
    _, size, _, strength, spread, performance = teams
    for i in range(hi - lo):
        s = side_of(side, lo + i, lo)
        if size[s] == 1:
            contribution[i], own[i] = performance[s], 1.0
            continue
        w = 1.0 / size[s] if mean_of_team else 1.0
        own[i] = (w * deviation[i] / spread[s]) ** 2
        contribution[i] = prior[i] + own[i] / w * (performance[s] - strength[s])


@shared_kernel
def blame_members(
    ev: EventColumns,
    e: int,
    prior: Floats,
    deviation: Floats,
    teams: Teams,
    shown: Floats,
    beta2: Floats,
) -> None:
    """Fill what each member showed if the teammates did what was expected, and add their scatter to β².

    For teams that perform as the mean of their members.
    """
    side, lo, hi = ev.side, ev.offsets[e], ev.offsets[e + 1]
    _, size, _, strength, spread, performance = teams
    for i in range(hi - lo):
        s = side_of(side, lo + i, lo)
        if size[s] == 1:
            shown[i] = performance[s]
            continue
        shown[i] = prior[i] + size[s] * (performance[s] - strength[s])
        beta2[i] += max((size[s] * spread[s]) ** 2 - deviation[i] ** 2, 0.0)
