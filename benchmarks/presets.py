"""How well the presets predict real results: what somebody gets who names no system.

    python benchmarks/presets.py ../shared/data

Each set is rated by the preset that podium chooses for it, and by the other presets that can use it. Every
event is predicted before it is rated. Matches and teams are judged on the second half of the file, races
after the first tenth, contests as a whole. The slope is that of a logistic regression of results on predicted
log odds: 1 is calibrated, less is too sure, more is not sure enough.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import podium
from podium.arrays import Floats
from podium.errors import UnsupportedError
from podium.evaluation.event_predictions import predict_events
from podium.presets import PRESETS, preset_for

SETS = {
    "AtCoder": ("atcoder_2016_2023.results.parquet", 0.0),
    "Formula 1": ("f1.results.csv.gz", 0.1),
    "Tennis": ("tennis_atp.matches.csv.gz", 0.5),
    "Football": ("intl_football.matches.csv.gz", 0.5),
    "Smash": ("smash_ultimate.matches.csv.gz", 0.5),
    "Rocket League": ("rocketleague.teams.csv.gz", 0.5),
    "Halo 2": ("halo2_largeteam.teams.csv.gz", 0.5),
}
"""The file of each set, and the part of its events before the judged ones."""
LEFT_OUT = {"AtCoder": ["rated"], "Formula 1": ["finished"]}
"""Columns that are not read: everybody who took part is rated."""
COIN = float(np.log(2.0))


def main() -> None:
    """Print a table for docs/real-data.md."""
    warnings.simplefilter("ignore")
    folder = Path(sys.argv[1])
    print("| data | preset | pairs in order / ranks off, all players | experienced | log loss | slope |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, (file, since) in SETS.items():
        if not (folder / file).exists():
            print(f"{file} is not there", file=sys.stderr)
            continue
        history = podium.read_history(folder / file, columns=dict.fromkeys(LEFT_OUT.get(name, [])))
        chosen = preset_for(history).name
        for preset in sorted(PRESETS, key=lambda one: one != chosen):
            system = podium.make_system(preset)
            try:
                system.check(history)
            except UnsupportedError:
                continue
            label = f"**{preset}**" if preset == chosen else preset
            print(f"| {name} | {label} | {' | '.join(judged(history, system, since))} |", flush=True)


def judged(history: podium.History, system: podium.RatingSystem, since: float) -> list[str]:
    """The numbers of one preset on one set, as text."""
    found = podium.evaluate(history, {"preset": system}, since=since, resamples=2).summary
    orders = []
    for scope in ("everyone", "experienced"):
        row = found.filter(pl.col("scope") == scope).row(0, named=True)
        orders.append(f"{row['pairs_right']:.2f} / {row['rank_deviation']:.2f}")
    loss = found.filter(pl.col("scope") == "everyone")["log_loss"][0]
    predicted = predict_events(history, system, round(since * len(history)), outcomes=False)
    slope = _slope(predicted.expected, predicted.standings.score)
    return [*orders, f"{loss:.4f}{', worse than a coin' if loss > COIN else ''}", f"{slope:.2f}"]


def _slope(expected: Floats, score: Floats) -> float:
    """The slope of a logistic regression without intercept, by Newton's method."""
    p = np.clip(expected, 1e-9, 1.0 - 1e-9)
    x = np.log(p / (1.0 - p))
    slope = 1.0
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-slope * x))
        slope += ((score - chance) * x).sum() / (chance * (1.0 - chance) * x * x).sum()
    return slope


if __name__ == "__main__":
    main()
