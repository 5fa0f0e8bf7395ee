"""One grammar for every picture: the same colours, words and sizes, whatever is shown.

A rating is a blue dot or line; ± 2σ around it is where the true skill is with a chance of about 95%; what is
above something is blue and what is below is orange, colours that nearly everybody can tell apart. Charts are
Altair's and may be changed like any other. `save` writes them as PNG, SVG or HTML, `page` puts several into
one document; neither needs a browser or the network, to be made or to be read.

>>> import podium
>>> from podium import charts
>>> history = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "ann", "bob"])
>>> run = podium.rate(history, podium.Glicko(), trace=True)
>>> chart = charts.rating_history(run.trace, ["ann", "bob"])
>>> charts.save(chart, "history.tiff")
Traceback (most recent call last):
podium.errors.ParameterError: podium cannot write a picture as .tiff
  hint: give a name that ends in .png, .svg or .html
"""

from podium.charts.arena_charts import arena_matrix, arena_strengths
from podium.charts.attack_charts import attack_curves, attack_gains
from podium.charts.backtest_charts import calibration, metric_by_group, systems_compared
from podium.charts.belief_charts import distribution
from podium.charts.curve_charts import Axis, curves, dots, responses_to_change, responses_to_opponents
from podium.charts.explanation_charts import explanation
from podium.charts.grammar import PALETTE, THEME
from podium.charts.history_charts import rating_history, smoothed_history
from podium.charts.leaderboard_charts import leaderboard, ratings_spread
from podium.charts.live_game_charts import live_game, rating_errors, streaks, waiting_times, win_rates
from podium.charts.picture_files import MarkedTable, check_path, page, save

__all__ = [
    "PALETTE",
    "THEME",
    "Axis",
    "MarkedTable",
    "arena_matrix",
    "arena_strengths",
    "attack_curves",
    "attack_gains",
    "calibration",
    "check_path",
    "curves",
    "distribution",
    "dots",
    "explanation",
    "leaderboard",
    "live_game",
    "metric_by_group",
    "page",
    "rating_errors",
    "rating_history",
    "ratings_spread",
    "responses_to_change",
    "responses_to_opponents",
    "save",
    "smoothed_history",
    "streaks",
    "systems_compared",
    "waiting_times",
    "win_rates",
]
