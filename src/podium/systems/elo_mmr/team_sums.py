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

from podium.arrays import Floats, Ints
from podium.numerics.event_sides import side_of
from podium.numerics.jit import kernel, shared_kernel


@shared_kernel
def gather_teams(
    lo: int,
    hi: int,
    side: Ints,
    size: Ints,
    sides: int,
    mean_of_team: bool,
    newcomer: float,
    prior: Floats,
    deviation: Floats,
    strength: Floats,
    spread: Floats,
) -> None:
    """Fill the mean and the deviation of each side's t, from its members' ratings and deviations."""
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


@kernel
def share_out(
    lo: int,
    hi: int,
    side: Ints,
    size: Ints,
    mean_of_team: bool,
    prior: Floats,
    deviation: Floats,
    strength: Floats,
    spread: Floats,
    performance: Floats,
    contribution: Floats,
    own: Floats,
) -> None:
    """Fill each member's expected contribution to the team's performance, and κ."""
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
    lo: int,
    hi: int,
    side: Ints,
    size: Ints,
    prior: Floats,
    deviation: Floats,
    strength: Floats,
    spread: Floats,
    performance: Floats,
    shown: Floats,
    beta2: Floats,
) -> None:
    """Fill what each member showed if the teammates did what was expected, and add their scatter to β².

    For teams that perform as the mean of their members.
    """
    for i in range(hi - lo):
        s = side_of(side, lo + i, lo)
        if size[s] == 1:
            shown[i] = performance[s]
            continue
        shown[i] = prior[i] + size[s] * (performance[s] - strength[s])
        beta2[i] += max((size[s] * spread[s]) ** 2 - deviation[i] ** 2, 0.0)
