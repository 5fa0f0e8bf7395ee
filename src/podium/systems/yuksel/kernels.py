"""Yuksel's rating updates, compiled: a Newton step a game, and running sums instead of past games.

Equations and algorithms are those of Cem Yuksel, "Skill-Based Matchmaking for Competitive Two-Player Games"
(2024), section 3. What is kept of a player lies in one row, which is one or two lines of memory.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from podium.arrays import NO_TIME, Bools, EventColumns, Floats, Ints, Longs
from podium.numerics.compiler_hints import ROWS_AHEAD, prefetch
from podium.numerics.event_sides import event_weight, is_held, score_between
from podium.numerics.jit import formula, kernel
from podium.numerics.newcomers import FIXED_MEAN, Newcomers, learn_first_results, newcomer_mean
from podium.systems.yuksel.win_curves import Curve, weaker_chance

MU, W, R, V, D, F, INFORMATION = range(7)
"""Places in a row: the rating; the sums of Eq. (9)-(11) and (15); F_a − Δr_a D_a of Eq. (14); and the sum of
Eq. (15) as it is without the corrections that keep Eq. (16)."""
ROW_LENGTH = 8
"""Numbers in a row."""

ZERO_SUM, INDEPENDENT, ZERO_SUM_EXACT, BATCH, ZERO_SUM_AT_LIMIT = range(5)
FORMS = {"zero-sum": ZERO_SUM, "independent": INDEPENDENT, "zero-sum-exact": ZERO_SUM_EXACT, "batch": BATCH}
FORMS |= {"zero-sum-at-limit": ZERO_SUM_AT_LIMIT}

MATCHED_INFORMATION = 0.85
"""What the games of a matchmaker (section 4 of the paper) tell on average, in even games."""

LEAST_DEVIATION = 1e-6
"""The smallest deviation shown: one of nothing would claim to know the rating exactly."""
LEAST_WEIGHT = 1e-18
"""The weight below which a remembered game is dropped."""
ROOT_PRECISION = 1e-14
"""Of the root of Eq. (6), in limits."""
ROUNDING = 1e-12
"""A change of so small a fraction of the ratings and the limit is rounding, and none in exact arithmetic."""


class YukselRules(NamedTuple):
    """The parameters of the system in the form kernels use."""

    form: int
    q: float
    """ln 10 / scale."""
    alpha: float
    stable: bool
    """Whether φ is weighted by the information in a player's games (forgetting=stable)."""
    matched: float
    """The information in a game between equals: the slope of the win curve, per rating point."""
    limit: float
    step: float
    home_advantage: float
    by_information: bool
    """Whether the deviation shown is that of the games' information instead of φ."""
    unknown: float
    """The deviation of a player of whom nothing is known."""
    mean_is_rating: bool
    """Whether the running mean before the first game is the rating; it is 0 otherwise."""


class RememberedGames(NamedTuple):
    """The past games of each player, for the batch form."""

    start: Longs
    length: Ints
    rival: Floats
    """The opponent's rating at the time, minus one's own home advantage."""
    score: Floats
    weight: Floats
    """ω g(φ) of Eq. (6)."""


class YukselGame(NamedTuple):
    """The values of both players before a match."""

    difference: float
    """How much stronger the first player is, including home advantage."""
    score: float
    counts: float
    certain_a: float
    """g(φ) of Eq. (4)."""
    certain_b: float
    forget_a: float
    """g(αφ) of Eq. (8), or the result of `faded`."""
    forget_b: float
    held_a: bool
    held_b: bool


@formula
def certainty(variance_sum: float, weight_sum: float, q: float) -> float:
    """g(φ) of Eq. (4), with φ² = V/W of Eq. (12)."""
    spread = 3.0 * q * q / (math.pi * math.pi)
    return math.sqrt(weight_sum / (weight_sum + spread * variance_sum))


@formula
def faded(
    variance_sum: float, weight_sum: float, information: float, alpha: float, matched: float, q: float
) -> float:
    """g(αφ √ρ), where ρ is the mean information of a player's games relative to even games, at most 1.

    Noise alone makes φ² about 1/ρ times what it is after as many well-matched games; that part is no reason
    to forget.
    """
    told = min(information / (weight_sum * matched), 1.0)
    return certainty(variance_sum * told, weight_sum, alpha * q)


@kernel
def shown_deviation(
    variance_sum: float, weight_sum: float, information: float, q: float, by_information: bool, unknown: float
) -> float:
    """φ; or 1/√(q D), Glicko's deviation after the same information, if wanted or if φ is 0."""
    if by_information or variance_sum == 0.0:
        return unknown if q * information * unknown * unknown <= 1.0 else 1.0 / math.sqrt(q * information)
    return max(math.sqrt(variance_sum / weight_sum), LEAST_DEVIATION)


@formula
def newton_step(surprise: float, slope: float, limit: float) -> float:
    """F/D, at most the limit; the limit if the slope D is unknown."""
    if abs(surprise) >= slope * limit:
        return math.copysign(limit, surprise) if surprise != 0.0 else 0.0
    return surprise / slope


@formula
def zero_sum_step(f_a: float, d_a: float, f_b: float, d_b: float, limit: float) -> float:
    """Eq. (22), at most the limit. Divided by the larger D, as its square might underflow."""
    largest = max(d_a, d_b)
    if largest == 0.0:
        return newton_step(f_a - f_b, 0.0, limit)
    u, v = d_a / largest, d_b / largest
    return newton_step((u * f_a - v * f_b) / (u * u + v * v), largest, limit)


@formula
def settle(rows: Floats, p: int, change: float, forget: float, counts: float, step: float) -> None:
    """UpdateStats of Algorithm 1: move the rating and update its running mean and variance."""
    rating = rows[p, MU] + step * change
    old = forget * rows[p, W]
    weight = old + counts  # Eq. (9)
    away = rating - rows[p, R]
    rows[p, MU] = rating
    rows[p, W] = weight
    rows[p, R] += counts * away / weight  # Eq. (10)
    # Eq. (11): r' − R' is (r' − R) ω W / W', which cannot come out negative.
    rows[p, V] = forget * rows[p, V] + counts * away * away * (old / weight)


@kernel
def rate_duels(
    ev: EventColumns,
    rows: Floats,
    memory: RememberedGames,
    events: Ints,
    last_time: Longs,
    newcomers: Newcomers,
    curve: Curve,
    rules: YukselRules,
    mu_before: Floats,
    sigma_before: Floats,
    mu_after: Floats,
    sigma_after: Floats,
) -> None:
    """Rate matches of two in order, in place; both players are updated from the values before the match."""
    offsets, player, rank, _, held, time, weight, home, share, _, _, _ = ev
    q, alpha, matched = rules.q, rules.alpha, rules.matched
    flat = rows.reshape(-1)
    unknown, learned = newcomers
    tracing, learning = len(mu_before) > 0, len(learned) > 0
    for e in range(len(offsets) - 1):
        lo = offsets[e]
        for r in range(lo + ROWS_AHEAD, min(lo + ROWS_AHEAD + 2, len(player))):
            prefetch(flat, ROW_LENGTH * player[r])
            prefetch(flat, ROW_LENGTH * player[r] + INFORMATION)
            prefetch(events, player[r])
        a, b = player[lo], player[lo + 1]
        if learning:
            place(rows, a, unknown, newcomer_mean(learned), rules)
            place(rows, b, unknown, newcomer_mean(learned), rules)
        if tracing:
            write_beliefs(rows, player, lo, rules, mu_before, sigma_before)
        advantage = 0.0
        if len(home) > 0 and home[e] == a:
            advantage = rules.home_advantage
        elif len(home) > 0 and home[e] == b:
            advantage = -rules.home_advantage
        forget_a = certainty(rows[a, V], rows[a, W], alpha * q)
        forget_b = certainty(rows[b, V], rows[b, W], alpha * q)
        if rules.stable:
            forget_a = faded(rows[a, V], rows[a, W], rows[a, INFORMATION], alpha, matched, q)
            forget_b = faded(rows[b, V], rows[b, W], rows[b, INFORMATION], alpha, matched, q)
        game = YukselGame(
            difference=rows[a, MU] - rows[b, MU] + advantage,
            score=score_between(rank, share, lo, lo + 1),
            counts=event_weight(weight, e),
            certain_a=certainty(rows[a, V], rows[a, W], q),
            certain_b=certainty(rows[b, V], rows[b, W], q),
            forget_a=forget_a,
            forget_b=forget_b,
            held_a=is_held(held, lo),
            held_b=is_held(held, lo + 1),
        )
        if rules.form == BATCH:
            solve_both(rows, memory, a, b, game, curve, rules)
        else:
            step_both(rows, a, b, game, curve, rules)
        for r in range(lo, lo + 2):
            if not is_held(held, r):
                events[player[r]] += 1
                if time[e] != NO_TIME:
                    last_time[player[r]] = time[e]
        if tracing:
            write_beliefs(rows, player, lo, rules, mu_after, sigma_after)
        if learning and (unknown[a] or unknown[b]):
            learn_first_game(rows, a, b, newcomers, game, curve, rules)


@kernel
def place(rows: Floats, p: int, unknown: Bools, mu: float, rules: YukselRules) -> None:
    """Place a player of whom nothing is known, for one game or, if it is rated, for good."""
    if unknown[p]:
        rows[p, MU] = mu
        rows[p, R] = mu if rules.mean_is_rating else 0.0


@kernel
def learn_first_game(
    rows: Floats, a: int, b: int, newcomers: Newcomers, game: YukselGame, curve: Curve, rules: YukselRules
) -> None:
    """Learn where newcomers are; all first games count alike, by the curve's slope between equals.

    Who was held stays a newcomer.
    """
    unknown, learned = newcomers
    kind, width, low, slopes = curve
    weak, strong, _ = weaker_chance(kind, width, low, slopes, abs(rules.q * game.difference))
    win, loss = (strong, weak) if game.difference >= 0.0 else (weak, strong)
    surprise = game.score * loss - (1.0 - game.score) * win
    above_start = surprise * MATCHED_INFORMATION / rules.matched
    if unknown[a] != unknown[b] and not (game.held_a if unknown[a] else game.held_b):
        learn_first_results(learned, 2, 1, 1.0, above_start if unknown[a] else -above_start, True)
    for p, is_held_here in ((a, game.held_a), (b, game.held_b)):
        if is_held_here:
            place(rows, p, unknown, learned[FIXED_MEAN], rules)
        unknown[p] = unknown[p] and is_held_here


@kernel
def write_beliefs(rows: Floats, player: Ints, lo: int, rules: YukselRules, mu: Floats, sigma: Floats) -> None:
    """Write the ratings and deviations of both players of a match."""
    for r in range(lo, lo + 2):
        p = player[r]
        mu[r] = rows[p, MU]
        sigma[r] = shown_deviation(
            rows[p, V], rows[p, W], rows[p, INFORMATION], rules.q, rules.by_information, rules.unknown
        )


@formula
def step_both(rows: Floats, a: int, b: int, game: YukselGame, curve: Curve, rules: YukselRules) -> None:
    """One Newton step for both players: Algorithm 1 for each, or Algorithm 2."""
    kind, width, low, slopes = curve
    weak, strong, slope = weaker_chance(kind, width, low, slopes, abs(rules.q * game.difference))
    win, loss = (strong, weak) if game.difference >= 0.0 else (weak, strong)
    surprise = game.counts * (game.score * loss - (1.0 - game.score) * win)  # s − f, to the last digit
    slope *= game.counts * rules.q
    f_a, f_b = game.certain_b * surprise, -game.certain_a * surprise  # Eq. (17)
    tell_a, tell_b = game.certain_b * slope, game.certain_a * slope
    d_a = tell_a + game.forget_a * rows[a, D]  # Eq. (15)
    d_b = tell_b + game.forget_b * rows[b, D]
    if rules.form == INDEPENDENT:
        change_a, change_b = newton_step(f_a, d_a, rules.limit), newton_step(f_b, d_b, rules.limit)
        d_a = abs(f_a) / rules.limit if abs(change_a) == rules.limit else d_a  # so that Eq. (16) holds
        d_b = abs(f_b) / rules.limit if abs(change_b) == rules.limit else d_b
    else:
        if rules.form == ZERO_SUM_EXACT:
            f_a += game.forget_a * rows[a, F]  # Eq. (14)
            f_b += game.forget_b * rows[b, F]
        change_a = zero_sum_step(f_a, d_a, f_b, d_b, rules.limit)
        change_b = -change_a
        limited = rules.form == ZERO_SUM_AT_LIMIT and abs(change_a) == rules.limit
        # Line 8 of Algorithm 2: a draw of equals changes nothing, and must not correct D by a last digit.
        rounding = ROUNDING * (abs(rows[a, MU]) + abs(rows[b, MU]) + rules.limit)
        if limited or (rules.form == ZERO_SUM and abs(change_a) > rounding):
            d_a, d_b = f_a / change_a, f_b / change_b  # so that Eq. (16) holds for both
    if not game.held_a:
        rows[a, D] = d_a
        rows[a, INFORMATION] = tell_a + game.forget_a * rows[a, INFORMATION]
        rows[a, F] = f_a - rules.step * change_a * d_a
        settle(rows, a, change_a, game.forget_a, game.counts, rules.step)
    if not game.held_b:
        rows[b, D] = d_b
        rows[b, INFORMATION] = tell_b + game.forget_b * rows[b, INFORMATION]
        rows[b, F] = f_b - rules.step * change_b * d_b
        settle(rows, b, change_b, game.forget_b, game.counts, rules.step)


@kernel
def solve_both(
    rows: Floats,
    memory: RememberedGames,
    a: int,
    b: int,
    game: YukselGame,
    curve: Curve,
    rules: YukselRules,
) -> None:
    """Eq. (6)-(8) over all games that both players remember."""
    mu_a, mu_b = rows[a, MU], rows[b, MU]
    if not game.held_a:
        start_list(rows, memory, a)
        remember(memory, a, mu_a - game.difference, game.score, game.counts * game.certain_b, game.forget_a)
        change, rows[a, D] = find_balance(memory, a, mu_a, curve, rules)
        rows[a, INFORMATION] = rows[a, D]
        settle(rows, a, change, game.forget_a, game.counts, rules.step)
    if not game.held_b:
        start_list(rows, memory, b)
        remember(
            memory, b, mu_b + game.difference, 1.0 - game.score, game.counts * game.certain_a, game.forget_b
        )
        change, rows[b, D] = find_balance(memory, b, mu_b, curve, rules)
        rows[b, INFORMATION] = rows[b, D]
        settle(rows, b, change, game.forget_b, game.counts, rules.step)


@kernel
def start_list(rows: Floats, memory: RememberedGames, p: int) -> None:
    """Represent what is known before the first remembered game by draws against equals."""
    start, length, rivals, scores, weights = memory
    if length[p] == 0 and rows[p, D] > 0.0:
        first = start[p]
        rivals[first], scores[first], weights[first] = rows[p, MU], 0.5, rows[p, W]
        length[p] = 1


@kernel
def remember(
    memory: RememberedGames, p: int, rival: float, score: float, weight: float, forget: float
) -> None:
    """Fade the past games (Eq. 8), and add one."""
    start, length, rivals, scores, weights = memory
    first, kept = start[p], start[p]
    for k in range(first, first + length[p]):
        faded = forget * weights[k]
        if faded >= LEAST_WEIGHT:
            rivals[kept], scores[kept], weights[kept] = rivals[k], scores[k], faded
            kept += 1
    rivals[kept], scores[kept], weights[kept] = rival, score, weight
    length[p] = kept + 1 - first


@kernel
def find_balance(
    memory: RememberedGames, p: int, rating: float, curve: Curve, rules: YukselRules
) -> tuple[float, float]:
    """The change of the rating at which F of Eq. (6) is zero, and D of Eq. (7) there.

    F falls as the rating rises: within the limit there is one root, or the limit is the answer. Newton's
    method, and where it leaves what is known to hold the root, halving.
    """
    f, d = balance(memory, p, rating, curve, rules.q)
    if f == 0.0:
        return 0.0, d
    near, far = 0.0, math.copysign(rules.limit, f)
    f_far, d_far = balance(memory, p, rating + far, curve, rules.q)
    if f * f_far >= 0.0:
        return far, d_far
    rising, change = f > 0.0, 0.0
    for _ in range(200):
        following = change + f / d if d > 0.0 else far
        if not min(near, far) < following < max(near, far):
            following = 0.5 * (near + far)
        if abs(following - change) <= ROOT_PRECISION * rules.limit:
            break
        change = following
        f, d = balance(memory, p, rating + change, curve, rules.q)
        if f == 0.0:
            break
        if (f > 0.0) == rising:
            near = change
        else:
            far = change
    return change, d


@kernel
def balance(memory: RememberedGames, p: int, rating: float, curve: Curve, q: float) -> tuple[float, float]:
    """F of Eq. (6) and D of Eq. (7) at a rating."""
    start, length, rivals, scores, weights = memory
    kind, width, low, slopes = curve
    surprise, slope_sum = 0.0, 0.0
    for k in range(start[p], start[p] + length[p]):
        difference = rating - rivals[k]
        weak, strong, slope = weaker_chance(kind, width, low, slopes, abs(q * difference))
        win, loss = (strong, weak) if difference >= 0.0 else (weak, strong)
        surprise += weights[k] * (scores[k] * loss - (1.0 - scores[k]) * win)
        slope_sum += weights[k] * q * slope
    return surprise, slope_sum


@kernel
def view_beliefs(rows: Floats, rules: YukselRules, mu: Floats, sigma: Floats) -> None:
    """The ratings and deviations of the players of these rows."""
    for i in range(len(rows)):
        mu[i] = rows[i, MU]
        sigma[i] = shown_deviation(
            rows[i, V], rows[i, W], rows[i, INFORMATION], rules.q, rules.by_information, rules.unknown
        )
