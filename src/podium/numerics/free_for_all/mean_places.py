"""Expected places in a field of any size, in nearly linear time, and performances with given mean scores.

The expected place of i is ½ + ∫ fᵢ(x) S(x) dx with S(x) = Σⱼ P(j above x), one function for the whole field
(the ½ is 1 less the even chance against oneself, which S counts too). S is held at Gaussian nodes of panels
as wide as scales allow, and everybody adds to, and reads from, the panels within their reach only.

Somebody wide among many narrow ones would have to visit all of their narrow panels. So panels come in levels,
each twice as wide as the one below: everybody deals with the level of their own scale. What wide ones have
added is interpolated down to narrower panels, and what narrow panels weigh is gathered up to wider ones by
the transposed matrix, because a wide density is a polynomial there.

The error, which comes from the interpolation, is below 1e-10 of the number of players.

A mixture of systems says what each side of a free-for-all scores on average, and has no performances of its
own. Chances of places that agree with it are those of performances with these mean scores
(`fitted_locations`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from podium.arrays import Floats, Longs
from podium.numerics.free_for_all.noise import FAMILIES, MASS_BETWEEN, PANEL_WIDTH, chances_above, densities
from podium.numerics.free_for_all.quadrature import GAUSS, PANEL_NODES, closed_up
from podium.numerics.jit import kernel
from podium.numerics.threads import in_threads

THREAD_PARTS = 32
"""Pieces of work for threads; their number changes no result."""
PANELS_NARROWER_BY = 1.5
"""Panels are so much narrower than for integrals alone: interpolation has half the order."""


@dataclass
class _Level:
    """Players whose scales are within a factor of two, and the panels of their width."""

    width: float
    """The width of a panel: number k is the interval from k·width to (k + 1)·width."""
    players: Longs
    """The players in the order of their first panels."""
    first: Longs
    """For each player, the first panel in reach, as an index into `numbers`."""
    count: Longs
    """For each player, the number of panels in reach."""
    numbers: Longs
    """The numbers of all panels, ascending; all but the widest level halve panels of the next."""
    sums: Floats
    """S at the nodes of each panel."""

    @property
    def centre(self) -> Floats:
        """The centre of each panel."""
        return np.asarray((self.numbers + 0.5) * self.width, np.float64)

    def of_wider(self, wider: _Level) -> Longs:
        """The panels of the next level that this one's, in pairs, are the halves of."""
        return np.searchsorted(wider.numbers, self.numbers[::2] >> 1)


@kernel
def _add(
    family: int,
    location: Floats,
    scale: Floats,
    first: Longs,
    count: Longs,
    centre: Floats,
    node: Floats,
    start: int,
    stop: int,
    sums: Floats,
) -> None:
    """Add everybody's chances to the panels from `start` to `stop`, in the order of players."""
    z, chances = np.empty(len(node)), np.empty(len(node))
    for j in range(len(location)):
        for panel in range(max(first[j], start), min(first[j] + count[j], stop)):
            away = centre[panel] - location[j]
            for k in range(len(node)):
                z[k] = (away + node[k]) / scale[j]
            chances_above(family, z, chances)
            for k in range(len(node)):
                sums[panel, k] += chances[k]


@kernel
def _read(
    family: int,
    location: Floats,
    scale: Floats,
    first: Longs,
    count: Longs,
    centre: Floats,
    node: Floats,
    weighed: Floats,
    out: Floats,
) -> None:
    """Integrate each player's density against the weighted S at the nodes in reach."""
    z, density, total = np.empty(len(node)), np.empty(len(node)), np.empty(len(node))
    for i in range(len(location)):
        total[:] = 0.0
        for panel in range(first[i], first[i] + count[i]):
            away = centre[panel] - location[i]
            for k in range(len(node)):
                z[k] = (away + node[k]) / scale[i]
            densities(family, z, density)
            for k in range(len(node)):
                total[k] += density[k] * weighed[panel, k]
        out[i] = 0.0
        for k in range(len(node)):
            out[i] += total[k] / scale[i]


def expected_ranks(family: str, location: Floats, scale: Floats) -> Floats:
    """The mean rank of every player.

    >>> expected_ranks("normal", np.array([0.0, 0.0, 9e9]), np.ones(3)).round(9).tolist()
    [2.5, 2.5, 1.0]
    """
    number, n = FAMILIES[family], len(location)
    location, _, _ = closed_up(number, location, scale)
    levels = _make_levels(number, location, scale)
    # To which side everybody is certain to be: they count in full on the panels left of their reach.
    starts = np.sort(np.concatenate([level.numbers[level.first] * level.width for level in levels]))
    for i, level in reversed(list(enumerate(levels))):
        if i + 1 < len(levels):
            level.sums[:] = (levels[i + 1].sums[level.of_wider(levels[i + 1])] @ _HALVES).reshape(
                -1, PANEL_NODES
            )
        _add_players(number, location, scale, level)
    out = np.empty(n)
    narrower, gathered = levels[0], np.empty(0)
    for i, level in enumerate(levels):
        sure = n - np.searchsorted(starts, (level.numbers + 1) * level.width)
        weighed = (level.sums + sure[:, None]) * GAUSS[1] * (level.width / 2.0)
        if i > 0:  # a panel with halves has what they have, and the sums of all narrower players in it
            weighed[narrower.of_wider(level)] = gathered.reshape(-1, 2 * PANEL_NODES) @ _HALVES.T
        _read_players(number, location, scale, level, weighed, out)
        narrower, gathered = level, weighed
    return out + 0.5


def _make_levels(family: int, location: Floats, scale: Floats) -> list[_Level]:
    low, high = MASS_BETWEEN[family]
    narrowest = float(scale.min())
    level_of = np.floor(np.log2(scale / narrowest)).astype(np.int64)
    height = int(level_of.max()) + 1
    width = narrowest * PANEL_WIDTH[family] / (PANELS_NARROWER_BY if height > 1 else 1.0)
    levels: list[_Level] = []
    for i in range(height):
        players = np.flatnonzero(level_of == i)
        here, spread = location[players], scale[players]
        first = np.floor((here + low * spread) / width).astype(np.int64)
        last = np.floor((here + high * spread) / width).astype(np.int64)
        order = np.argsort(first, kind="stable")
        players, first, last = players[order], first[order], last[order]
        wanted = [(first, last)] + [(below.numbers[::2] >> 1,) * 2 for below in levels[-1:]]
        numbers = _gapless(*(np.concatenate(ends) for ends in zip(*wanted, strict=True)), even=i + 1 < height)
        place = np.searchsorted(numbers, first)
        sums = np.zeros((len(numbers), PANEL_NODES))
        levels.append(_Level(width, players, place, last - first + 1, numbers, sums))
        width *= 2.0
    return levels


def _gapless(first: Longs, last: Longs, *, even: bool) -> Longs:
    """All numbers in any of these ranges, ascending; where they must be `even`, 2k comes with 2k + 1."""
    if even:
        first, last = first & ~1, last | 1
    order = np.argsort(first, kind="stable")
    first, last = first[order], np.maximum.accumulate(last[order])
    gaps = np.flatnonzero(first[1:] > last[:-1])
    starts, stops = first[np.r_[0, gaps + 1]], last[np.r_[gaps, len(last) - 1]] + 1
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    numbers: Longs = np.arange(lengths.sum()) + np.repeat(starts - before, lengths)
    return numbers


def _add_players(family: int, location: Floats, scale: Floats, level: _Level) -> None:
    """Sum over players, panel by panel in a fixed order, so that threads do not change the result."""
    if not len(level.players):
        return
    here, spread, centre = location[level.players], scale[level.players], level.centre
    node, most = GAUSS[0] * (level.width / 2.0), int(level.count.max())
    jobs = []
    for start, stop in _parts(len(level.numbers)):
        a, b = np.searchsorted(level.first, (start - most, stop))
        columns = (here[a:b], spread[a:b], level.first[a:b], level.count[a:b])
        jobs.append((family, *columns, centre, node, start, stop, level.sums))
    in_threads(_add, jobs)


def _read_players(
    family: int, location: Floats, scale: Floats, level: _Level, weighed: Floats, out: Floats
) -> None:
    here, spread, centre = location[level.players], scale[level.players], level.centre
    node, found = GAUSS[0] * (level.width / 2.0), np.empty(len(level.players))
    jobs = []
    for a, b in _parts(len(found)):
        columns = (here[a:b], spread[a:b], level.first[a:b], level.count[a:b])
        jobs.append((family, *columns, centre, node, weighed, found[a:b]))
    in_threads(_read, jobs)
    out[level.players] = found


def _parts(n: int) -> list[tuple[int, int]]:
    edges = np.unique(np.linspace(0, n, THREAD_PARTS + 1).astype(np.int64)).tolist()
    return list(pairwise(edges))


def _halves() -> Floats:
    """From a polynomial's values at a panel's nodes to those at the nodes of its two halves, side by side.

    Through Legendre polynomials, whose values at Gaussian nodes are orthogonal.
    """
    nodes, weights = GAUSS
    degree = np.arange(PANEL_NODES) + 0.5
    values = np.polynomial.legendre.legvander(nodes, PANEL_NODES - 1)
    halves = np.concatenate([(nodes - 1.0) / 2.0, (nodes + 1.0) / 2.0])
    return (weights[:, None] * values * degree) @ np.polynomial.legendre.legvander(halves, PANEL_NODES - 1).T


_HALVES = _halves()


MOST_LOGIT = 12.0
"""Log odds of mean scores beyond are taken as these: 0.999994."""
CLOSE = 1e-5
"""Log odds that are met as closely as this are met."""
MOST_STEPS = 40
"""Steps until the best so far has to do: scores that no performances have are not met."""
REMEMBERED = 5
"""Earlier steps that a step learns from."""


def fitted_locations(family: str, location: Floats, scale: Floats, scores: Floats) -> Floats:
    """The locations of performances of this family and these scales with these mean scores.

    It starts from `location`. Scores whose mean is not ½ belong to no performances: all of them then miss in
    log odds by the same, so that the order and the distances are those that are wanted.

    >>> found = fitted_locations("gumbel", np.zeros(3), np.ones(3), np.array([0.7, 0.5, 0.3]))
    >>> ((3 - expected_ranks("gumbel", found, np.ones(3))) / 2).round(5).tolist()
    [0.7, 0.5, 0.3]
    """
    n, wanted = len(scores), _log_odds(scores)
    at: Floats = location - location.mean()
    best = at
    least, moved, closed = np.inf, np.empty((0, n)), np.empty((0, n))
    for _ in range(MOST_STEPS):
        gap = wanted - _log_odds((n - expected_ranks(family, at, scale)) / (n - 1))
        gap -= gap.mean()
        missed = float(np.abs(gap).max())
        if missed < least:
            least, best = missed, at
        if missed < CLOSE:
            break
        step = scale * gap
        if len(moved):  # Anderson (1965): the last steps tell how far this one should go
            closed[-1] -= gap
            part = np.linalg.lstsq(closed.T, gap, rcond=None)[0]
            step = step + part @ (moved - scale * closed)
        moved = np.vstack([moved, step])[-REMEMBERED:]
        closed = np.vstack([closed, gap])[-REMEMBERED:]
        at = at + step
    return best


def _log_odds(scores: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        odds: Floats = np.clip(np.log(scores / (1.0 - scores)), -MOST_LOGIT, MOST_LOGIT)
    return odds
