"""How well systems of two predict real matches: Elo, Glicko, Glicko-2, luck and Yuksel's in its forms.

    python benchmarks/matches.py ../shared/data [tennis] [football] [smash]

Each match is predicted before it is rated; printed is the log loss of the expected score over the second half
of each file (0.693 is a coin). Lines that are marked as tuned take the parameters that are best on the first.
Nobody is told who is at home. Beliefs of luck are taken as normal for the predictions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from common import REPOSITORY, console, print_machine, print_table
from numpy.typing import NDArray

import podium

DATA = REPOSITORY / "../shared/data"
FILES = {
    "tennis": "tennis_atp.matches.csv.gz",
    "football": "intl_football.matches.csv.gz",
    "smash": "smash_ultimate.matches.csv.gz",
}
FORMS: tuple[str, ...] = ("zero-sum", "independent", "zero-sum-exact")
LUCK = ((121.6, 5.2, 0.0), (200.0, 3.0, 3.0), (250.0, 8.0, 2.5), (100.0, 50.0, 3.5))
"""sigma, growth and growth_per_day to choose from: the first is Duelyst's."""


def luck_lines() -> Iterator[tuple[str, list[podium.RatingSystem]]]:
    """Lines of luck, by how much a coin decides."""
    for beta in (0.8, 0.9, 1.0):
        yield f"luck, beta {beta:g}", [podium.Luck(beta=beta)]
        yield (
            f"luck, beta {beta:g}, tuned",
            [podium.Luck(beta=beta, sigma=s, growth=(g,), growth_per_day=d) for s, g, d in LUCK],
        )


def tuned() -> Iterator[tuple[str, list[podium.RatingSystem]]]:
    """Lines whose parameters are chosen on the first half."""
    yield "elo, tuned", [podium.Elo(k=float(k)) for k in (16, 24, 32, 48, 64, 96)]
    yield (
        "yuksel independent, published, tuned",
        [
            podium.Yuksel(form="independent", alpha=a, step=s)
            for a, s in product((1.0, 1.5, 2.0), (0.5, 0.8, 1.0))
        ],
    )
    for forgetting in ("published", "stable"):
        yield (
            f"yuksel independent, {forgetting}, by information, tuned",
            [
                podium.Yuksel(
                    form="independent",
                    forgetting=forgetting,
                    deviation="information",
                    sigma=d,
                    alpha=a,
                    step=s,
                )
                for d, a, s in product((150.0, 250.0, 350.0), (1.5, 2.0, 2.3), (0.8, 1.0))
            ],
        )


def lines() -> Iterator[tuple[str, list[podium.RatingSystem]]]:
    """What is compared: a name, and the systems to choose from."""
    yield "elo, K 32", [podium.Elo()]
    yield "glicko", [podium.Glicko()]
    yield "glicko2", [podium.Glicko2()]
    yield from luck_lines()
    for form, step in product(FORMS, (1.0, 0.9)):
        yield f"yuksel {form}, published, step {step:g}", [podium.Yuksel(form=form, step=step)]
    yield "yuksel zero-sum as in riix", [podium.Yuksel(step=0.9, first_weight=0.01)]
    yield "yuksel batch, published", [podium.Yuksel(form="batch")]
    for form in FORMS:
        yield f"yuksel {form}, stable", [podium.Yuksel(form=form, forgetting="stable")]
    for form, sigma in product(FORMS[:2], (350.0, 250.0)):
        yield (
            f"yuksel {form}, stable, sigma {sigma:g}",
            [podium.Yuksel(form=form, forgetting="stable", sigma=sigma)],
        )
        yield (
            f"yuksel {form}, stable, sigma {sigma:g}, by information",
            [podium.Yuksel(form=form, forgetting="stable", sigma=sigma, deviation="information")],
        )
    yield from tuned()


def read(path: Path) -> podium.History:
    """Matches in order, with ids as text."""
    frame = pl.read_csv(path, schema_overrides={"player_a": pl.String, "player_b": pl.String})
    return podium.History.from_matches(
        frame["player_a"].to_list(),
        frame["player_b"].to_list(),
        frame["score_a"].to_numpy(),
        time=frame["time"].to_list(),
    )


def losses(history: podium.History, system: podium.RatingSystem) -> NDArray[np.float64]:
    """The log loss of each match."""
    trace = podium.rate(history, system, trace=True).trace
    mu = trace["mu_before"].to_numpy().reshape(-1, 2)
    sigma = trace["sigma_before"].to_numpy().reshape(-1, 2) if system.has_sigma else np.zeros(mu.shape)
    expected = system.win_probability(mu[:, 0], sigma[:, 0], mu[:, 1], sigma[:, 1])
    expected = np.clip(expected, 1e-12, 1.0 - 1e-12)
    first, second = history.rank.reshape(-1, 2).T
    score = 0.5 * (1.0 + (first < second) - (first > second))
    loss: NDArray[np.float64] = -score * np.log(expected) - (1.0 - score) * np.log(1.0 - expected)
    return loss


def best_line(history: podium.History, systems: Sequence[podium.RatingSystem]) -> str:
    """The loss on the second half, of the system that is best on the first."""
    found = [losses(history, system) for system in systems]
    half = len(history) // 2
    chosen = min(range(len(found)), key=lambda i: found[i][:half].mean())
    return f"{found[chosen][half:].mean():.4f}" + _chosen(systems, chosen)


def _chosen(systems: Sequence[podium.RatingSystem], chosen: int) -> str:
    """What was chosen, where there was a choice."""
    if len(systems) == 1:
        return ""
    every = [system.parameters() for system in systems]
    varied = [name for name in every[0] if len({str(one[name]) for one in every}) > 1]
    return " (" + ", ".join(f"{name} {_written(every[chosen][name])}" for name in varied) + ")"


def _written(value: float | tuple[float, ...]) -> str:
    return " ".join(f"{number:g}" for number in np.atleast_1d(value))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA)
    parser.add_argument("sets", nargs="*", choices=[[], *FILES], help="which; all if none is named")
    arguments = parser.parse_args()
    print_machine()
    histories = {}
    for name in arguments.sets or FILES:
        path = arguments.data / FILES[name]
        if path.exists():
            histories[name] = read(path)
        else:
            console.print(f"skipped: {path} does not exist")
    rows = [
        (name, *(best_line(history, systems) for history in histories.values())) for name, systems in lines()
    ]
    columns = ["system", *(f">{name}, {len(history):,}" for name, history in histories.items())]
    print_table("Log loss over the second half", columns, rows)


if __name__ == "__main__":
    main()
