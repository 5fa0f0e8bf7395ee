"""Yuksel's system straight from the paper: Algorithms 1 and 2, Eq. (14) and (22), and Eq. (6)-(12).

Cem Yuksel, "Skill-Based Matchmaking for Competitive Two-Player Games" (2024), section 3. Where the text is
silent: a game of weight w counts w times; both players are updated from the state before the game; line 9's s
is the scaling factor, and the stored D keeps the full step; line 8 of Algorithm 2 asks for a change that is
not nothing, and rounding is nothing: which last digit a rating has must not decide it.
"""

import math
from dataclasses import dataclass, field

from .events import Event, Outcome, Row, home_sign, logistic, score
from .newcomers import Newcomers, told_by_others


@dataclass
class Player:
    """What is stored of a player."""

    r: float
    W: float
    R: float
    V: float = 0.0
    D: float = 0.0
    F: float = 0.0  # stored by the exact zero-sum form only, as is dr
    dr: float = 0.0
    told: float = 0.0  # D as Eq. (15) has it, never corrected: what the games told
    games: list[list[float]] = field(default_factory=list)  # batch: [omega, g(phi_i), r_i, s_i] of game i

    @property
    def phi(self) -> float:
        """Eq. (12)."""
        return math.sqrt(max(self.V, 0.0) / self.W)


@dataclass(frozen=True, kw_only=True)
class Yuksel:
    """The parameters, and the functions of section 3."""

    mu: float = 1500.0
    scale: float = 400.0
    home_advantage: float = 0.0
    form: str = "zero-sum"
    alpha: float = 2.0
    limit: float = 350.0
    step: float = 1.0
    forgetting: str = "published"
    sigma: float | None = None
    deviation: str = "phi"
    first_weight: float = 1e-6
    first_mean: str = "zero"
    curve: str = "logistic"
    newcomer_start: str = "fixed"

    @property
    def q(self) -> float:
        return math.log(10) / self.scale

    def newcomer(self, mu: float) -> Player:
        if self.sigma is None:
            return Player(mu, self.first_weight, mu if self.first_mean == "rating" else 0.0)
        # So many draws with equals as tell the rating so well: 1 / sigma^2 = q D, as Glicko has it.
        d = 1 / (self.q * self.sigma**2)
        n = d / self.slope(0.0)
        return Player(mu, n, mu, D=d, told=d, games=[[n, 1.0, mu, 0.5]])

    def g(self, phi: float) -> float:
        """Eq. (4)."""
        return 1 / math.sqrt(1 + 3 * self.q**2 * phi**2 / math.pi**2)

    def f(self, d: float) -> float:
        """The win curve of a difference in points: Eq. (1), or a normal one, which agrees at `scale`."""
        if self.curve == "logistic":
            return logistic(self.q * d)
        return 0.5 * math.erfc(-d * NORMAL_AT_TEN_TO_ONE / self.scale / math.sqrt(2))

    def slope(self, d: float) -> float:
        """df/dr (Appendix A)."""
        if self.curve == "logistic":
            return self.q * self.f(d) * self.f(-d)
        density = NORMAL_AT_TEN_TO_ONE / self.scale
        return density * math.exp(-0.5 * (d * density) ** 2) / math.sqrt(2 * math.pi)

    def surprise(self, s: float, d: float) -> float:
        """s - f, without the loss of digits where f is nearly s."""
        return s * self.f(-d) - (1 - s) * self.f(d)

    def omega(self, a: Player) -> float:
        """Eq. (8); or with phi scaled by the root of what the games told on average, in matched games."""
        phi = a.phi
        if self.forgetting == "stable":
            phi *= math.sqrt(min(a.told / (a.W * 0.85 * self.slope(0.0)), 1.0))
        return self.g(self.alpha * phi)

    def clamp(self, dr: float) -> float:
        return min(self.limit, max(-self.limit, dr))

    def update_stats(self, a: Player, dr: float, w: float) -> None:
        """Algorithm 1, lines 8-14."""
        omega = self.omega(a)
        a.r = a.r + self.step * dr
        a.W = omega * a.W + w
        delta = a.r - a.R
        a.R = a.R + w * delta / a.W
        a.V = omega * a.V + w * delta * (a.r - a.R)

    def independent(self, a: Player, b: Player, s: float, d: float, w: float) -> None:
        """Algorithm 1; b is as before the game."""
        F = w * self.g(b.phi) * self.surprise(s, d)
        a.D = w * self.g(b.phi) * self.slope(d) + self.omega(a) * a.D
        dr = self.clamp(quotient(F, a.D))
        if abs(dr) == self.limit:
            a.D = F / dr
        self.update_stats(a, dr, w)

    def zero_sum(self, a: Player, b: Player, s: float, d: float, w: float) -> None:
        """Algorithm 2, with lines 8-10 at the limit only, or with stored F: Eq. (14) and (22)."""
        exact = self.form == "zero-sum-exact"
        Fa = w * self.g(b.phi) * self.surprise(s, d)
        Fb = -w * self.g(a.phi) * self.surprise(s, d)
        if exact:
            Fa += self.omega(a) * (a.F - a.dr * a.D)
            Fb += self.omega(b) * (b.F - b.dr * b.D)
        a_slope, b_slope = w * self.g(b.phi) * self.slope(d), w * self.g(a.phi) * self.slope(-d)
        a.D = a_slope + self.omega(a) * a.D
        b.D = b_slope + self.omega(b) * b.D
        dr = self.clamp(quotient(a.D * Fa - b.D * Fb, a.D * a.D + b.D * b.D))
        if exact:
            a.F, b.F = Fa, Fb
            a.dr, b.dr = self.step * dr, -self.step * dr
        elif abs(dr) == self.limit or (
            abs(dr) > 1e-12 * (abs(a.r) + abs(b.r) + self.limit) and self.form != "zero-sum-at-limit"
        ):
            a.D, b.D = Fa / dr, -Fb / dr
        self.update_stats(a, dr, w)
        self.update_stats(b, -dr, w)

    def batch(self, a: Player, b: Player, s: float, d: float, w: float) -> None:
        """Eq. (6)-(8): the rating at which F vanishes, not more than the limit away; by bisection."""
        for game in a.games:
            game[0] *= self.omega(a)
        a.games.append([w, self.g(b.phi), a.r - d, s])
        a.games = [game for game in a.games if game[0] * game[1] >= 1e-18]

        def balance(r: float) -> float:
            return sum(omega * g * self.surprise(s_i, r - r_i) for omega, g, r_i, s_i in a.games)

        low, high = -self.limit, self.limit
        if balance(a.r + high) >= 0:
            low = high
        elif balance(a.r + low) <= 0:
            high = low
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if balance(a.r + middle) > 0 else (low, middle)
        dr = (low + high) / 2
        a.D = sum(omega * g * self.slope(a.r + dr - r_i) for omega, g, r_i, _ in a.games)
        self.update_stats(a, dr, w)

    def play(self, a: Player, b: Player, s: float, d: float, w: float) -> tuple[Player, Player]:
        """Both players after a game with score s of a, who is d stronger."""
        new_a, new_b = copy(a), copy(b)
        if self.form.startswith("zero-sum"):
            self.zero_sum(new_a, new_b, s, d, w)
        else:
            update = self.batch if self.form == "batch" else self.independent
            update(new_a, b, s, d, w)
            update(new_b, a, 1 - s, -d, w)
        for new, old, other in ((new_a, a, b), (new_b, b, a)):
            told = w * self.g(other.phi) * self.slope(d) + self.omega(old) * old.told
            new.told = new.D if self.form == "batch" else told
        return new_a, new_b

    def shown(self, a: Player) -> tuple[float, float]:
        """The rating, and phi; where phi is nothing, or not wanted, the deviation of Glicko."""
        if self.deviation == "information" or a.V == 0:
            unknown = self.limit if self.sigma is None else self.sigma
            return a.r, min(1 / math.sqrt(self.q * a.told), unknown) if a.told > 0 else unknown
        return a.r, max(a.phi, 1e-6)


NORMAL_AT_TEN_TO_ONE = 1.3351777361189367
"""Where a normal number lies below with chance 10/11."""


def quotient(above: float, below: float) -> float:
    """above / below, where both may be nothing."""
    if above == 0:
        return 0.0
    return above / below if below else math.copysign(math.inf, above)


def copy(a: Player) -> Player:
    return Player(a.r, a.W, a.R, a.V, a.D, a.F, a.dr, a.told, [list(game) for game in a.games])


def rate(events: list[Event], **parameters) -> Outcome:
    """Rate the players of matches of two."""
    system = Yuksel(**parameters)
    players: dict[str, Player] = {}
    newcomers = Newcomers(system.mu, system.newcomer_start == "adaptive")
    trace = []
    for event in events:
        names = event.players()
        new = [name for name in names if name not in players]
        before = [players.get(name, system.newcomer(newcomers.start())) for name in names]
        d = before[0].r - before[1].r + system.home_advantage * home_sign(event, 0, 1)
        # As in Elo, every first game counts as one newcomer, by the slope of the curve between equals.
        surprise = system.surprise(score(event, 0, 1), d) / system.slope(0.0)
        performances = [
            (1.0, newcomers.start() + above)
            for name, above in zip(names, (surprise, -surprise), strict=True)
            if name in new and name not in event.held
        ]
        newcomers.learn(told_by_others(names, new, performances))
        after = system.play(*before, score(event, 0, 1), d, event.weight)
        for name, old, new in zip(names, before, after, strict=True):
            now = old if name in event.held else new
            if name not in event.held:
                players[name] = now
            trace.append(Row(name, *system.shown(old), *system.shown(now)))
    return Outcome({name: system.shown(player) for name, player in players.items()}, trace)
