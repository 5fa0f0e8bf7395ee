"""What is studied: a declaration a data set, of what is read, tuned, judged and compared with.

Parameters are chosen on the first part of the events and judged on the rest. Parameters are
never fitted to the judged part; which lines there are was settled with both parts in view, as the page says.
The levels and the numbers of other programs are those of the data's own README.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import baselines

import podium

Values = Mapping[str, float]
"""Values by metric, and metrics of experienced players as "rank-deviation experienced"."""

ORDER = ("pairs-right", "rank-deviation")
CHANCES = ("log-loss", "brier", "accuracy", "calibration-error")
EXPERIENCED = " experienced"


@dataclass(frozen=True)
class Line:
    """One line of a table: a system, what of it stays, and how many trials are made to tune the rest."""

    system: str
    label: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    trials: int = 80

    @property
    def name(self) -> str:
        """What it is called in tables."""
        return f"{self.system}, {self.label}" if self.label else self.system


@dataclass(frozen=True)
class Other:
    """What another program reaches, as the data's README says."""

    name: str
    values: Values


@dataclass(frozen=True)
class DataSet:
    """A file of results and what is asked of it."""

    name: str
    title: str
    file: str
    lines: tuple[Line, ...]
    metrics: tuple[str, ...] = CHANCES
    """The first one is tuned and ranked by; `tuned_by` says otherwise."""
    tuned_by: str = "log-loss"
    first: float = 0.5
    """The part of the events that parameters are chosen on."""
    judged: Mapping[str, float] = field(default_factory=lambda: {"the second half": 0.5})
    """Parts that are judged: from which part of the events on, by what to call them."""
    scopes: tuple[str, ...] = ("everyone",)
    options: Mapping[str, Any] = field(default_factory=dict)
    """How the file is read."""
    sided: bool = False
    """Whether it matters who is named first: at home."""
    others: tuple[Other, ...] = ()
    levels: Values = field(default_factory=dict)
    baselines: Mapping[str, Callable[[Path, podium.History], Any]] = field(default_factory=dict)
    """Ratings that no system made: a number for every row, by what to call them."""
    draws: bool = False
    """Whether the chance of a draw is tuned afterwards, by the three-way log loss."""

    def read(self, data: Path) -> podium.History:
        """The events: matches of two sides where those are predicted, and no home side without reason."""
        history = podium.read_history(data / self.file, **self.options)
        if not self.sided:
            history = replace(history, home=None)
        if self.tuned_by == "log-loss":
            history = history.filter(history.sides_per_event == 2)
        return history


MODELS = ("bradley-terry-full", "thurstone-mosteller-full")
CONTEST = {"sigma": 350.0}
"""Ratings of contest systems have no scale but this one: searched too, all would be searched twice."""
START = {**CONTEST, "newcomer_start": "adaptive"}

DUELS = (
    Line("elo", trials=200),
    Line("elo", "as it learns", {"temperature": 1.0}, trials=200),
    Line("glicko", trials=200),
    Line("glicko", "as it learns", {"temperature": 1.0}, trials=200),
    Line("glicko2"),
    Line("trueskill"),
    Line("weng-lin", "Bradley–Terry", {"model": MODELS[0]}),
    Line("weng-lin", "Thurstone–Mosteller", {"model": MODELS[1]}),
    Line("elo-mmx", fixed=CONTEST),
    Line("codeforces", trials=40),
    Line("topcoder", trials=40),
    Line("yuksel", fixed={"form": "independent"}),
)

TEAMS = (
    Line("elo", "mean"),
    Line("elo", "sum", {"team": "sum"}),
    Line("glicko", "mean"),
    Line("glicko", "sum", {"team": "sum"}),
    Line("glicko2", "mean"),
    Line("trueskill"),
    Line("weng-lin", "Plackett–Luce"),
    Line("weng-lin", "Thurstone–Mosteller", {"model": MODELS[1]}),
    Line("elo-mmx", "mean", CONTEST),
    Line("elo-mmx", "sum", {**CONTEST, "team": "sum"}),
)

CONTESTS = (
    Line("elo-mmr", fixed=CONTEST),
    Line("elo-mmr", "adaptive start", START),
    Line("elo-mmx", fixed=CONTEST),
    Line("elo-mmx", "adaptive start", START),
    Line("elo-r", fixed=CONTEST, trials=30),
    Line("codeforces", trials=60),
    Line("topcoder", trials=60),
    Line("trueskill", trials=60),
    Line("glicko"),
    Line("glicko2"),
    Line("elo"),
    Line("weng-lin", "one match (BAR)", {"model": "one-match"}, trials=40),
    Line("weng-lin", "Plackett–Luce"),
)


def with_trials(lines: tuple[Line, ...], trials: Mapping[str, int]) -> tuple[Line, ...]:
    """The same with fewer trials of lines that take long, or more where much is searched; 0 tunes nothing."""
    return tuple(replace(line, trials=trials.get(line.name, line.trials)) for line in lines)


def both(pairs: float, ranks: float, scope: str = "") -> dict[str, float]:
    """Pairs right and rank deviation."""
    return {f"pairs-right{scope}": pairs, f"rank-deviation{scope}": ranks}


def loss(value: float) -> dict[str, float]:
    """A log loss."""
    return {"log-loss": value}


ATCODER = DataSet(
    name="atcoder",
    title="AtCoder",
    file="atcoder_2016_2023.results.parquet",
    lines=with_trials(
        CONTESTS, {"elo-r": 0, "weng-lin, one match (BAR)": 0, "trueskill": 24, "glicko": 60, "glicko2": 60}
    ),
    metrics=ORDER,
    tuned_by="rank-deviation",
    first=0.2,
    judged={"the whole file": 0.0, "all after the first fifth": 0.2},
    scopes=("everyone", "experienced"),
    options={"columns": {"rated": None}},
    others=(
        Other("the site's own rating", both(79.16, 14.02) | both(82.18, 12.20, EXPERIENCED)),
        Other("Elo-MMR of its authors", both(78.72, 14.61) | both(82.87, 11.76, EXPERIENCED)),
        Other("Elo-MMχ of its authors", both(78.62, 14.69) | both(82.89, 11.76, EXPERIENCED)),
        Other("mean past percentile", both(77.31, 15.55) | both(81.54, 12.71, EXPERIENCED)),
    ),
    levels=both(80.3, 13.6) | both(82.95, 11.70, EXPERIENCED),
    baselines={
        "the site's own rating": baselines.old_rating,
        "mean past percentile": baselines.mean_percentile,
    },
)

F1 = DataSet(
    name="f1",
    title="Formula 1",
    file="f1.results.csv.gz",
    lines=(
        *CONTESTS,
        Line("elo-mmr", "long bad days", {**CONTEST, "performance": "gumbel-min"}, trials=40),
        Line("elo-mmr", "long bad days, adaptive start", {**START, "performance": "gumbel-min"}, trials=40),
    ),
    metrics=ORDER,
    tuned_by="rank-deviation",
    first=0.1,
    judged={"all after the first tenth": 0.1},
    scopes=("everyone", "experienced"),
    options={"columns": {"team": None}},
    others=(
        Other("Codeforces, of Elo-MMR's authors", both(66.52, 24.26) | both(66.75, 24.25, EXPERIENCED)),
        Other("Elo-MMR of its authors", both(66.32, 24.30)),
    ),
    levels=both(66.6, 24.2),
    baselines={"mean past percentile": baselines.mean_percentile},
)

TENNIS = DataSet(
    name="tennis",
    title="Tennis",
    file="tennis_atp.matches.csv.gz",
    lines=(
        *DUELS,
        Line("elo-mmr", fixed=CONTEST, trials=12),
        Line("elo-r", fixed=CONTEST, trials=0),
        Line("luck", trials=12),
    ),
    others=(
        Other("riix Glicko-2, weekly", loss(0.6145)),
        Other("riix Glicko, tuned", loss(0.6147)),
        Other("Elo, tuned", loss(0.6208)),
        Other("openskill", loss(0.6614)),
    ),
    levels=loss(0.6140),
)

FOOTBALL = DataSet(
    name="football",
    title="Football",
    file="intl_football.matches.csv.gz",
    lines=(
        *with_trials(DUELS, {"glicko2": 200}),
        Line("elo", "who won only", {"margin": None}, trials=200),
        Line("glicko", "who won only", {"margin": None}, trials=200),
        Line("glicko", "no home side", {"home_advantage": 0.0}),
        Line("elo-mmr", fixed=CONTEST, trials=60),
        Line("elo-r", fixed=CONTEST, trials=10),
        Line("luck", trials=40),
    ),
    metrics=(*CHANCES, "three-way-log-loss"),
    options={"columns": {"score_a": "goals_a", "score_b": "goals_b"}},
    sided=True,
    draws=True,
    others=(
        Other("Elo with home advantage, K 48, 100 points", loss(0.5622)),
        Other("Glicko, tuned, no home side", loss(0.5711)),
        Other("Elo, tuned, no home side", loss(0.5807)),
        Other("openskill, no home side", loss(0.6038)),
    ),
    levels=loss(0.5620),
)

SMASH = DataSet(
    name="smash",
    title="Smash",
    file="smash_ultimate.matches.csv.gz",
    lines=(
        *DUELS,
        Line("elo-mmr", fixed=CONTEST),
        Line("elo-r", fixed=CONTEST, trials=30),
        Line("luck", trials=60),
    ),
    others=(
        Other("Elo, tuned, K 64", loss(0.6456)),
        Other("Weng–Lin", loss(0.6477)),
        Other("Glicko-2", loss(0.6526)),
    ),
)

ROCKETLEAGUE = DataSet(
    name="rocketleague",
    title="Rocket League",
    file="rocketleague.teams.csv.gz",
    lines=TEAMS,
    others=(
        Other("Elo on team means, K 64", loss(0.6014)),
        Other("trueskill", loss(0.6133)),
        Other("openskill, Thurstone–Mosteller", loss(0.6398)),
        Other("openskill, Plackett–Luce", loss(0.6484)),
    ),
    levels=loss(0.6000),
)

HALO2 = DataSet(
    name="halo2",
    title="Halo 2",
    file="halo2_largeteam.teams.csv.gz",
    lines=TEAMS,
    others=(Other("Elo on team means, K 64", loss(0.6826)), Other("openskill, Plackett–Luce", loss(0.7015))),
)

DATA_SETS = {one.name: one for one in (ATCODER, F1, TENNIS, FOOTBALL, SMASH, ROCKETLEAGUE, HALO2)}
