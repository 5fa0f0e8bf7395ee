"""`podium demo`: a season of contests, from the first standings to an explained rating and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.progress import progress
from podium.cli.terminal_tables import show_table
from podium.errors import ParameterError
from podium.numerics.compiler_choice import interpret_kernels

if TYPE_CHECKING:
    from podium.ladder.bulk import Run

PLAYERS, CONTESTS, PARTICIPANTS = 150, 40, 50
"""A season so small that all of it takes seconds without the compiler."""
SEED = 2026
SYSTEMS = ("elo-mmr", "elo-mmx", "elo-r", "elo")
PAGE = "podium-demo.html"


def demo(
    page: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Write the page with the charts to this file.", dir_okay=False),
    ] = Path(PAGE),
) -> None:
    """Show podium at work on a simulated season of contests."""
    interpret_kernels()

    import polars as pl

    from podium.ladder.bulk import rate
    from podium.simulation.populations import synthetic_contests
    from podium.systems import make_system

    history, skill = synthetic_contests(PLAYERS, CONTESTS, PARTICIPANTS, seed=SEED)
    typer.echo(
        f"A season of {CONTESTS} contests, {PARTICIPANTS} of {PLAYERS:,} players in each. It is simulated,"
    )
    typer.echo("so for once the true skill of everybody is known. What do systems make of it?\n")
    with progress("rating", len(SYSTEMS) * history.rows) as advance:
        runs = {name: rate(history, make_system(name), trace=True, progress=advance) for name in SYSTEMS}
    scores = _scores(runs, history, skill)
    show_table(pl.DataFrame(scores), digits=2)
    typer.echo("Before each contest: pairs that come in as their ratings have it, and how far")
    typer.echo("places are from the predicted ones (players with 5 contests or more); ratings")
    typer.echo("against true skill in the last quarter of the season (standard deviation).\n")
    run = runs["elo-mmr"]
    board = run.leaderboard(top=5, min_events=5)
    typer.echo("The best by Elo-MMR, podium's default:")
    show_table(board.select("place", "player", "mu", "sigma", "events"), names=["player"])
    best = str(board["player"][0])
    _ask(run, best)
    _pair(run)
    _draw(page, run, best)
    typer.echo("\nYour turn, with a table of results (event, player, rank; or winner, loser):")
    typer.echo("  podium rate results.csv")
    typer.echo("  podium explain results.csv PLAYER --chart why.png")
    typer.echo("  podium match players.csv")


def _scores(runs: dict[str, Run], history: Any, skill: Any) -> list[dict[str, Any]]:
    """How well each system predicted the season, and how far from the truth it was."""
    import numpy as np

    from podium.evaluation.order_accuracy import accuracy

    rows = []
    late = slice(int(history.offsets[-1 - CONTESTS // 4]), None)
    for name, run in runs.items():
        before = run.trace["mu_before"].to_numpy()
        seen = accuracy(history, before, min_events=5)
        rows.append(
            {
                "system": name,
                "pairs right %": seen.pairs_right,
                "places off %": seen.rank_deviation,
                "points off": float(np.std(before[late] - skill[late])),
            }
        )
    return rows


def _ask(run: Run, best: str) -> None:
    """What one can ask a ladder, in Python, and its answers."""
    ladder = run.ladder
    second, third = (str(name) for name in ladder.leaderboard(top=3, min_events=5)["player"][1:3])
    standings = {second: 1, third: 2, best: 3}
    goal = ladder.rating(best).display + 10
    rank = ladder.rank_to_reach(best, goal, ranks=standings)
    gain = ladder.preview(ranks=standings)[2].gain
    answers = {
        f'ladder.expected_score("{best}", "{second}")': f"{ladder.expected_score(best, second):.2f}",
        f'ladder.rank_probabilities(["{best}", "{second}", "{third}"]).top(1)': " ".join(
            f"{chance:.2f}" for chance in ladder.rank_probabilities([best, second, third]).top(1)
        ),
        f'ladder.rank_to_reach("{best}", {goal:.0f}, ranks=standings)': str(rank),
        f"ladder.preview(ranks=standings)[2].gain  # {best} third": f"{gain:+.1f}",
    }
    typer.echo("What one can ask, in Python:")
    for question, answer in answers.items():
        typer.echo(f"  {question}\n      {answer}")
    typer.echo("\nWhy that rating? print(run.explain(...)), its last lines:")
    lines = str(run.explain(best)).splitlines()
    typer.echo("\n".join([lines[0], "  …", *lines[-6:]]))


def _pair(run: Run) -> None:
    """Everybody who played in the season waits for a match."""
    from podium.matchmaking.matchmaker import Matchmaker

    maker = Matchmaker(run.ladder, seed=SEED)
    players = run.ladder.ratings()["player"].to_list()
    maker.join_many(players, time=0.0)
    matches = maker.tick(time=0.0).matches
    chance = abs(matches.chance - 0.5)
    typer.echo(f"\nWho plays whom? All {len(players):,} of them wait, and the pool proposes pairs:")
    typer.echo("  maker = podium.Matchmaker(ladder); maker.join_many(players); maker.tick()")
    typer.echo(
        f"      {len(matches):,} pairs, {' and '.join(matches[0].players)} the first; chances to win are\n"
        f"      {100 * chance.mean():.1f}% from even in the mean, {100 * chance.max():.0f}% at most"
    )


def _draw(path: Path, run: Run, best: str) -> None:
    """The page with the pictures, where charts are installed."""
    from podium import charts
    from podium.files.atomic import replacing

    board = run.leaderboard(top=20, min_events=5)
    try:
        sections = [
            (
                "The twenty best",
                "Ratings, and twice their deviation to both sides.",
                charts.leaderboard(board),
            ),
            (
                "How they got there",
                "Each line is a rating, each dot what the player performed in one contest. One bad day moves "
                "a rating little; a series of them does.",
                charts.rating_history(run.trace, board["player"][:3].to_list()),
            ),
            (
                f"Why {best} has this rating",
                "A rating is an average of performances. Later ones count more, and flukes less; older "
                "results are what earlier contests have left behind together.",
                charts.explanation(run.explain(best)),
            ),
        ]
        text = charts.page("A season, rated by podium", sections)
    except ParameterError as error:
        typer.echo(f"\nNo page with pictures: {error}")
        return
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    typer.echo(f"\nwrote {path}: a leaderboard, rating histories, an explained rating")
