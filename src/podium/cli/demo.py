"""`podium demo`: a small league, from its first match to an explained rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from podium.cli.shared import announce_compilation, show_table

if TYPE_CHECKING:
    import polars as pl

    from podium.history import History
    from podium.run import Run

NAMES = ["ann", "bob", "cat", "dan", "eve", "finn", "gus", "hal", "ida", "jim"]
NAMES += ["kim", "leo", "mia", "ned", "ola", "pia", "quin", "ray", "sue", "tom"]
MATCHES = 1500
SYSTEMS = ("elo", "glicko", "glicko2")


def demo() -> None:
    """Show podium at work on a simulated league."""
    from podium.run import rate
    from podium.systems import make_system

    history, truth = _league()
    typer.echo(
        f"A league of {len(NAMES)} players and {MATCHES:,} matches in a year. It is simulated, so for once"
    )
    typer.echo("everybody's true skill is known, and we can see what rating systems make of it:\n")
    announce_compilation(SYSTEMS)
    runs = {name: rate(history, make_system(name), trace=True) for name in SYSTEMS}
    _show_ratings(truth, runs)
    _show_questions(runs["glicko2"])
    typer.echo("\nYour turn, with a table of results (event, player, rank; or winner, loser):")
    typer.echo("  podium rate results.csv --system glicko2")
    typer.echo("  podium systems")


def _league() -> tuple[History, pl.DataFrame]:
    """Matches won by chance, as the players' skills have it; and these skills."""
    import numpy as np
    import polars as pl

    from podium.history import History

    chance = np.random.default_rng(2026)
    skill = np.sort(chance.normal(1500, 250, len(NAMES)))[::-1]
    a = chance.integers(0, len(NAMES), MATCHES)
    b = (a + chance.integers(1, len(NAMES), MATCHES)) % len(NAMES)
    won = chance.random(MATCHES) < 1 / (1 + 10 ** ((skill[b] - skill[a]) / 400))
    day = np.sort(chance.integers(0, 365, MATCHES))
    history = History.from_matches(
        [NAMES[i] for i in a], [NAMES[i] for i in b], won.astype(float), time=1_735_689_600 + 86_400 * day
    )
    return history, pl.DataFrame({"player": NAMES, "true skill": skill})


def _show_ratings(truth: pl.DataFrame, runs: dict[str, Run]) -> None:
    """The best as they are and as each system sees them, and how far off it is."""
    import polars as pl

    board = truth
    for name, run in runs.items():
        seen = run.ratings.select("player", pl.col("mu").alias(name), pl.col("sigma").alias(f"± {name}"))
        board = board.join(seen, on="player", how="left", maintain_order="left")
    show_table(board.select("player", "true skill", *runs, "± glicko2").head(8), names=["player"], digits=0)
    errors = {name: (board[name] - board["true skill"]).std(ddof=0) for name in runs}
    said = ", ".join(f"{name} {error:.0f}" for name, error in errors.items())
    typer.echo("Ratings of all 20 are off by so many points (root mean square, once the averages")
    typer.echo(f"are lined up, as only differences matter): {said}.")


def _show_questions(run: Run) -> None:
    """What one can ask a ladder, in Python, and its answers."""
    import polars as pl

    ladder, ann, bob, cat, tom = run.ladder, NAMES[0], NAMES[1], NAMES[2], NAMES[-1]
    rating = ladder.rating(ann)
    score = ladder.expected_score(ann, bob)
    first = ladder.rank_probabilities([ann, bob, cat]).top(1)
    loss = ladder.preview(ranks={tom: 1, ann: 2})[1].gain
    match = run.trace.filter(pl.col("player") == ann)["event"][-1]
    why = run.explain(ann, event=match)
    answers = {
        f'ladder.rating("{ann}")': f"{rating.mu:.0f} ± {rating.sigma:.0f} after {rating.events} matches",
        f'ladder.expected_score("{ann}", "{bob}")': f"{ann} wins {100 * score:.0f}% of the time",
        f'ladder.rank_probabilities(["{ann}", "{bob}", "{cat}"])': "first: "
        + ", ".join(f"{100 * chance:.0f}%" for chance in first),
        f'ladder.preview(ranks={{"{tom}": 1, "{ann}": 2}})': f"{ann} would lose {-loss:.0f} points",
        f'run.explain("{ann}", event="{match}")': f"scored {why.actual_score:.0f}, expected "
        f"{why.expected_score:.2f}: {why.mu - why.mu_before:+.0f}",
    }
    typer.echo("\nWhat one can ask, in Python:")
    for question, answer in answers.items():
        typer.echo(f"  {question:48} {answer}")
