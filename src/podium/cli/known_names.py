"""Names of what podium has, for commands that check them before they read a file.

Systems and metrics are made of kernels, and whether these are compiled is chosen after reading
(`podium.cli.small_work`). So their names stand here once more, and a test holds that they are the same.
"""

from __future__ import annotations

_MATCHES = ("calibration", "mu", "scale", "home_advantage", "draw_rate", "margin")
_PERIODS = (*_MATCHES, "newcomer_start", "team", "period", "temperature")
_GLICKO = (*_PERIODS, "display_k", "sigma", "sigma_max", "pairs", "periods_per_day")
_BELIEFS = ("calibration", "display_k", "mu", "newcomer_start", "sigma")
_ELO_MMR = (*_BELIEFS, "drift_per_day", "newcomer_weights", "ties")
_TEAMS = (*_BELIEFS, "beta", "tau", "drift_per_day", "home_advantage")

PARAMETERS = {
    "elo-mmr": (*_ELO_MMR, "beta", "gamma", "rho", "performance", "sigma_limit", "weight_limit"),
    "elo-mmx": (*_ELO_MMR, "beta", "gamma", "team", "sigma_limit", "weight_limit"),
    "elo-r": (*_ELO_MMR, "noise", "beta", "sigma_limit"),
    "elo": (*_PERIODS, "k", "newcomer_k", "newcomer_events", "curve", "pairs"),
    "glicko": (*_GLICKO, "c"),
    "glicko2": (*_GLICKO, "volatility", "tau"),
    "trueskill": (*_TEAMS, "draw_rate"),
    "weng-lin": (*_TEAMS, "model", "gamma", "draw_margin", "kappa"),
    "codeforces": ("calibration", "mu", "beta", "weight", "variant"),
    "topcoder": ("calibration", "display_k", "mu", "sigma", "weight", "cap"),
    "luck": (
        *(*_MATCHES, "display_k", "luck", "beta", "sigma", "points", "reach", "growth", "growth_shares"),
        *("growth_family", "growth_per_day", "newcomer_growth", "newcomer_events", "adapt", "edge", "draws"),
        *("home_luck", "algorithm"),
    ),
    "yuksel": (
        *(*_MATCHES, "newcomer_start", "display_k", "form", "alpha", "limit", "step", "forgetting", "sigma"),
        *("deviation", "first_weight", "first_mean", "curve"),
    ),
    "auto": ("calibration", "experts", "share"),
}
"""The parameters of each system that `--set` takes."""
METRICS = (
    *("pairs-right", "rank-deviation", "log-loss", "brier", "accuracy", "calibration-error"),
    *("three-way-log-loss", "pair-inversion"),
)
"""The metrics of `podium evaluate`, by every name they have."""
