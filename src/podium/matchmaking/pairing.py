"""Pairings of a group: players who want like opponents meet.

Yuksel (2024), section 4.2. Everybody is treated as if rated like the opponent they want; sorted by that
rating, neighbours play each other. So that the same two do not meet again and again, the sorted list is
shuffled within a window first (section 5.3).

>>> chance = np.random.default_rng(1)
>>> pairing = pair_by_target([1500, 1900, 1510, 1880], chance)
>>> sorted(sorted(pair) for pair in zip(pairing.first.tolist(), pairing.second.tolist()))
[[0, 2], [1, 3]]

That is a guess at the pairing in which the chances to win are as near as possible to those that everybody
wants; the optimisation itself, which the paper names and leaves out, is `pair_optimally`.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Bools, Floats, Longs
from podium.errors import InputError, ParameterError
from podium.matchmaking.graphs.candidates import plausible_meetings
from podium.matchmaking.graphs.matching import Effort, best_matching
from podium.matchmaking.policies.targets import mean_gap
from podium.notebooks import html_table
from podium.numerics.jit import kernel
from podium.systems.contract.system import RatingSystem
from podium.text import counted

Reach = Literal["around", "ahead"]

ALL_PAIRS_UP_TO = 1_000
"""Up to this number of players all pairs are considered, half a million: about a quarter of a second."""
EXACT_PAIRING_UP_TO = 10_000
"""Up to this number of players the pairing is the best among the candidates, above it nearly so."""
NEIGHBOURS_UP_TO_EXACT, NEIGHBOURS_ABOVE_EXACT = 24, 6
"""How many others each player is offered, in groups up to `EXACT_PAIRING_UP_TO` and above.

With 24 of 2,000 players the best pairing is 0.2% worse than that of all pairs; 6 of 100,000 take two thirds
of the time of 8, for a pairing that is 3% worse."""
NEARLY_CERTAIN = 1e-6
"""Candidates are looked for as if nobody wanted to win with less than this chance, or one minus it."""


class Pairing(NamedTuple):
    """A pairing of players, by their numbers.

    Attributes:
        first: One player of each pair.
        second: The other player of each pair.
        out: Players who sit out: none, or one if the number of players is odd.

    >>> import podium
    >>> from podium.matchmaking.pairing import pair_by_rating
    >>> pairing = pair_by_rating([1500.0, 1510.0, 1900.0, 1880.0], 1)
    >>> sorted(sorted(pair) for pair in zip(pairing.first.tolist(), pairing.second.tolist()))
    [[0, 1], [2, 3]]
    """

    first: Longs
    second: Longs
    out: Longs

    def __repr__(self) -> str:
        return f"<Pairing: {counted(len(self.first), 'pair')}, {len(self.out):,} out>"

    def _repr_html_(self) -> str:
        return _pairs_html(self)


class OptimalPairing(NamedTuple):
    """A pairing of players, by their numbers, and its quality."""

    first: Longs
    second: Longs
    out: Longs
    """Players who sit out."""
    gap: float
    """Mean distance of win probabilities from the wanted ones, over the paired players; NaN if none."""
    cost: float
    """The same mean over all players, where sitting out costs `alone`; an odd player is not counted."""
    bound: float
    """A lower bound: no pairing of the pairs considered has a lower cost."""
    complete: bool
    """Whether all pairs were considered, so that the bound holds for every pairing."""

    def __repr__(self) -> str:
        pairs = counted(len(self.first), "pair")
        return f"<OptimalPairing: {pairs}, {len(self.out):,} out, cost {self.cost:.6g}>"

    def _repr_html_(self) -> str:
        return _pairs_html(self)


def _pairs_html(pairing: Pairing | OptimalPairing) -> str:
    pairs = zip(pairing.first.tolist(), pairing.second.tolist(), strict=True)
    return html_table(repr(pairing), ("first", "second"), pairs, count=len(pairing.first))


def pair_by_target(
    target: ArrayLike, chance: np.random.Generator | int, *, window: int = 0, reach: Reach = "around"
) -> Pairing:
    """Pair neighbours by the rating of the opponent they want, after a shuffle within `window` places.

    Who wants the same is in random order, so that the order of players cannot leak into the pairing. Where
    their number is odd, one of them, any with the same chance, sits out. `chance` is a generator, or the seed
    of one.
    """
    chance = np.random.default_rng(chance)
    wanted = np.asarray(target, np.float64)
    if wanted.ndim != 1 or np.any(np.isnan(wanted)):
        raise InputError("give one target rating per player")
    order = chance.permutation(len(wanted))
    order = order[np.argsort(wanted[order], kind="stable")]
    return _neighbours(swap_within(order, window, chance, reach=reach), chance)


def pair_by_rating(mu: ArrayLike, chance: np.random.Generator | int) -> Pairing:
    """Pair neighbours by rating, as if all players wanted an equal opponent."""
    return pair_by_target(mu, chance)


def pair_at_random(players: int, chance: np.random.Generator | int) -> Pairing:
    """Pair all players at random."""
    chance = np.random.default_rng(chance)
    return _neighbours(chance.permutation(players), chance)


def swap_within(
    order: ArrayLike, window: int, chance: np.random.Generator, *, reach: Reach = "around"
) -> Longs:
    """The list shuffled: going through its places, each swaps its player with one within the window.

    "Swapping each player with a randomly selected player within a window of 50 players" leaves open where the
    window lies. *around*: from half a window before to half a window after, as far as the list goes; players
    move by 0.41 windows (root mean square). *ahead*: the place itself or one of the next `window` − 1;
    players move by a whole window. Later swaps find what earlier ones left.
    """
    if window < 0 or window != int(window):
        raise ParameterError(f"a window of {window} players", hint="a whole number (0 does not shuffle)")
    if reach not in ("around", "ahead"):
        raise ParameterError(f"reach must be 'around' or 'ahead', not {reach!r}")
    shuffled = np.array(order, np.int64)
    place = np.arange(len(shuffled))
    window = int(window)
    before, after = (window // 2, window // 2) if reach == "around" else (0, max(window - 1, 0))
    low = np.maximum(place - before, 0)
    high = np.minimum(place + after, len(shuffled) - 1)
    _swap(shuffled, low, high, chance.random(len(shuffled)))
    return shuffled


@kernel
def _swap(order: Longs, low: Longs, high: Longs, chance: Floats) -> None:
    """Swap each place with one of low … high, chosen by a number in [0, 1)."""
    for i in range(len(order)):
        j = low[i] + int(chance[i] * (high[i] - low[i] + 1))
        order[i], order[j] = order[j], order[i]


def _neighbours(order: Longs, chance: np.random.Generator) -> Pairing:
    out = order[:0]
    if len(order) % 2:
        left_out = int(chance.integers(len(order)))
        out, order = order[left_out : left_out + 1].copy(), np.delete(order, left_out)
    return Pairing(order[0::2].copy(), order[1::2].copy(), out)


def pair_optimally(
    system: RatingSystem,
    mu: ArrayLike,
    wanted_probability: ArrayLike,
    sigma: ArrayLike | None = None,
    *,
    chance: np.random.Generator | int = 0,
    forbidden: ArrayLike | None = None,
    alone: float = 1.0,
    effort: Effort | None = None,
    neighbours: int | None = None,
) -> OptimalPairing:
    """The pairing whose win probabilities are closest to the wanted ones (section 4.2).

    What is minimised is the sum of |p − f(a, b)| over all players, f being the system's win probability. Up
    to a thousand players all pairs are looked at, and the pairing is the best there is. Above, each player is
    offered about `neighbours` others (`plausible_meetings`), and `effort` says how hard to look for the best
    pairing among those (`best_matching`): "exact" up to ten thousand, "near" beyond, where `bound` says how
    near it is.

    Two who are `forbidden` to meet, one pair a row, never do. Leaving somebody out costs `alone`: with 1 or
    more everybody is paired who can be, with less those stay out who would be served too badly. `chance`
    decides between pairings that are equally good.

    >>> from podium import Elo
    >>> best = pair_optimally(Elo(), [1500, 1600, 1700, 1800], [0.25, 0.25, 0.75, 0.75])
    >>> sorted(sorted(pair) for pair in zip(best.first.tolist(), best.second.tolist()))
    [[0, 2], [1, 3]]
    >>> round(best.gap, 3), round(best.bound, 3), best.complete
    (0.01, 0.01, True)
    """
    rating, p, deviation = _checked(mu, wanted_probability, sigma)
    if not 0.0 < alone < np.inf:
        raise ParameterError(
            f"the cost of leaving a player out is {alone}", hint="a probability above 0, such as 1"
        )
    players = len(rating)
    complete = neighbours is None and players <= ALL_PAIRS_UP_TO
    # In a random order, numbers of players say nothing about them.
    shuffled = np.random.default_rng(chance).permutation(players)
    if complete:
        a, b = np.triu_indices(players, 1)
    else:
        wish = np.clip(p, NEARLY_CERTAIN, 1.0 - NEARLY_CERTAIN)
        ideal = system.opponent_rating(wish, rating, deviation)
        if neighbours is None:
            neighbours = NEIGHBOURS_UP_TO_EXACT if players <= EXACT_PAIRING_UP_TO else NEIGHBOURS_ABOVE_EXACT
        a, b = plausible_meetings(rating[shuffled], ideal[shuffled], neighbours=neighbours)
    if effort is None:
        effort = "exact" if players <= EXACT_PAIRING_UP_TO else "near"
    allowed = _allowed(shuffled, a, b, forbidden)
    a, b = a[allowed], b[allowed]
    gap = pairing_gaps(system, rating, p, shuffled[a], shuffled[b], deviation)
    matching = best_matching(players, a, b, 2.0 * (alone - gap), effort=effort)
    paired = np.flatnonzero(matching.partner > np.arange(players))
    first, second = shuffled[paired], shuffled[matching.partner[paired]]
    out = shuffled[matching.partner < 0]
    if (
        not complete and 2 <= len(out) <= ALL_PAIRS_UP_TO
    ):  # they have no edge between them, and may have a pair
        rest = _pair_rest(system, rating, p, deviation, out, forbidden, alone)
        first, second = np.append(first, out[rest.first]), np.append(second, out[rest.second])
        out = out[rest.out]
    gaps = pairing_gaps(system, rating, p, first, second, deviation)
    counted = max(players - players % 2, 1)
    cost = (2.0 * gaps.sum() + alone * (len(out) - players % 2)) / counted
    bound = max(alone - matching.bound / counted, 0.0) if players > 1 else 0.0
    mean = float(gaps.mean()) if len(gaps) else np.nan
    return OptimalPairing(first, second, np.sort(out), mean, float(cost), bound, complete)


def pairing_gaps(
    system: RatingSystem,
    mu: ArrayLike,
    wanted_probability: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    sigma: ArrayLike | None = None,
) -> Floats:
    """The distance of both win probabilities from the wanted ones, averaged over each pair.

    >>> from podium import Elo
    >>> pairing_gaps(Elo(), [1500, 1900], [0.5, 0.5], [0], [1]).round(3).tolist()
    [0.409]
    """
    rating, p, deviation = _checked(mu, wanted_probability, sigma)
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    sure_a, sure_b = (None, None) if deviation is None else (deviation[a], deviation[b])
    f = system.win_probability(rating[a], sure_a, rating[b], sure_b)
    return mean_gap(f, p[a], p[b])


def _checked(
    mu: ArrayLike, wanted_probability: ArrayLike, sigma: ArrayLike | None
) -> tuple[Floats, Floats, Floats | None]:
    """One finite rating, one probability, and one deviation where there are any, of each player."""
    rating = np.asarray(mu, np.float64)
    if rating.ndim != 1 or not np.isfinite(rating).all():
        raise InputError("give one finite rating per player")
    p = np.asarray(wanted_probability, np.float64)
    if p.ndim > 1 or (p.ndim == 1 and p.shape != rating.shape) or np.any(~((p >= 0.0) & (p <= 1.0))):
        raise InputError("give one target win probability per player")
    deviation = None if sigma is None else np.asarray(sigma, np.float64)
    if deviation is not None:
        if deviation.ndim > 1 or np.any(~((deviation >= 0.0) & (deviation < np.inf))):
            raise InputError("give one finite deviation per player, 0 or more")
        deviation = np.broadcast_to(deviation, rating.shape)
    return rating, np.broadcast_to(p, rating.shape), deviation


def _allowed(players: Longs, a: Longs, b: Longs, forbidden: ArrayLike | None) -> Bools:
    """Which pairs, of places in a list of players, are not forbidden."""
    if forbidden is None:
        return np.ones(len(a), np.bool_)
    barred = np.asarray(forbidden, np.int64)
    if barred.size == 0:
        return np.ones(len(a), np.bool_)
    if barred.ndim != 2 or barred.shape[1] != 2:
        raise InputError("forbidden pairs need two players per row")
    size = int(max(barred.max(), players.max(initial=0))) + 1
    low, high = np.minimum(players[a], players[b]), np.maximum(players[a], players[b])
    return ~np.isin(low * size + high, barred.min(axis=1) * size + barred.max(axis=1))


def _pair_rest(
    system: RatingSystem,
    mu: Floats,
    wanted: Floats,
    sigma: Floats | None,
    players: Longs,
    forbidden: ArrayLike | None,
    alone: float,
) -> Pairing:
    """The best pairs of a few players, as places in the list of them."""
    a, b = np.triu_indices(len(players), 1)
    allowed = _allowed(players, a, b, forbidden)
    a, b = a[allowed], b[allowed]
    gap = pairing_gaps(system, mu, wanted, players[a], players[b], sigma)
    partner = best_matching(len(players), a, b, 2.0 * (alone - gap), effort="exact").partner
    first = np.flatnonzero(partner > np.arange(len(players)))
    return Pairing(first, partner[first], np.flatnonzero(partner < 0))
