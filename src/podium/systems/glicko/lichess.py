"""The rating of lichess: Glicko-2 in which fractions of rating periods pass between games.

From the source of scalachess (`GlickoCalculator`, `RatingCalculator`) and lila (`Glicko.scala`, and the
reader of `Perf`, which widens a deviation up to now). A game itself is no period (`skipDeviationIncrease`):
deviations grow with the time since a player's last game alone, and both players are seen so. Left out: the
floor of 400, the limit of 700 points a game, and the factors by which lila raises gains in some variants.

>>> from podium import Ladder
>>> changes = Ladder(Lichess()).record_match("ann", "bob")
>>> [(round(change.mu), round(change.sigma)) for change in changes]
[(1741, 397), (1259, 397)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from podium.parameters import parameter
from podium.systems.glicko.glicko import Glicko2

WHITE = 11.782457
"""Points by which the first move helps in standard chess (`ColorAdvantage.standard`)."""


@dataclass(frozen=True, kw_only=True)
class Lichess(Glicko2):
    """Glicko-2 as lichess runs it."""

    name: ClassVar[str] = "lichess"
    summary: ClassVar[str] = "Glicko-2 as lichess runs it: the time between games counts, not their number"
    usual_periods_per_day: ClassVar[float] = 0.21436
    """So that the deviation of a typical player goes from 60 to 110 in a year."""

    sigma: float = parameter(
        500.0, "deviation of a newcomer, in points", low=1e-3, high=1e6, search=(50.0, 800.0)
    )
    sigma_max: float = parameter(
        500.0, "largest deviation of a player who was away, in points", low=1e-3, high=1e6
    )
    sigma_min: float = parameter(45.0, "smallest deviation that an event leads to, in points", high=1e6)
    event_period: Literal["counted", "skipped"] = parameter(
        "skipped", "whether each game counts as a rating period"
    )
    home_advantage: float = parameter(
        WHITE, "points added to the side at home: White, in PGN files", search=(0.0, 200.0), needs="home"
    )
    volatility: float = parameter(
        0.09,
        "how much a newcomer's skill varies, in log-odds per rating period. A larger value follows "
        "changes faster",
        low=1e-6,
        high=10.0,
        search=(0.005, 0.3),
    )
    volatility_max: float | None = parameter(
        0.1, "largest volatility that an event leads to", low=1e-6, high=10.0
    )
    tau: float = parameter(
        0.75, "how fast volatilities change. 0 keeps them constant", high=10.0, search=(0.1, 1.5)
    )
