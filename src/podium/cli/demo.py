"""`podium demo`: who is the best, why, who wins tonight and who plays whom, answered from real results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from podium.cli.progress import progress
from podium.cli.terminal_tables import show_table
from podium.errors import ParameterError
from podium.numerics.compiler_choice import interpret_kernels
from podium.text import chance_words, counted

if TYPE_CHECKING:
    import polars as pl

    from podium.history import History
    from podium.ladder.bulk import Run
    from podium.systems.contract.explained_ratings import Explanation

FOOTBALL_SINCE = "2022-01-01"
"""Matches that are recent enough for tonight's, and few enough to be rated without the compiler."""
MIN_EVENTS = 5
"""Events after which a player's rating is judged, and a team is ranked."""
TONIGHT = ("England", "Germany")
WAITING = 100
"""National teams that wait for a match."""
SEED = 2026
SITE = "podium-demo"
ACTIVE_SINCE = "365d"
"""Who has driven since then is on the leaderboard of the website."""


def demo(
    out: Path = Path(SITE),
) -> None:
    """Show podium at work on real results: Formula 1 and football.

    Options:
        out (FOLDER): Write a website about Formula 1 to this folder.
    """
    from podium.pages.site_folders import checked_site

    checked_site(out)
    interpret_kernels()

    from podium.ladder.bulk import rate
    from podium.tables import sample

    races, matches = sample("formula-1"), sample("football").between(FOOTBALL_SINCE)
    with progress("rating", races.rows + matches.rows) as advance:
        drivers = rate(races, "elo", trace=True, progress=advance)
        teams = rate(matches, progress=advance)
    heights = _heights(drivers.trace)
    _show_drivers(drivers, races, heights)
    explained = _explained_height(drivers, str(heights["player"][0]), int(heights["races"][0]))
    typer.echo("\nWhy? print(run.explain(...)) lists every race. The last before that peak:")
    lines = str(explained).splitlines()
    typer.echo("\n".join([*lines[:3], "  …", *lines[-4:]]))
    _predict_race(drivers)
    _predict_match(teams, matches)
    _pair(teams)
    _write_site(out, drivers)
    typer.echo("\nYour turn, with these results or your own table (columns event, player, rank,")
    typer.echo("or winner, loser):")
    typer.echo("  podium rate sample:formula-1")
    typer.echo("  podium explain sample:football Brazil --chart why.png")
    typer.echo("  podium serve sample:football")
    typer.echo("  podium rate results.csv")


def _heights(trace: pl.DataFrame) -> pl.DataFrame:
    """Each player's highest rating, the event after which it was reached, and the events until then."""
    import polars as pl

    return (
        trace.with_columns(races=pl.int_range(1, pl.len() + 1).over("player"))
        .sort("display", descending=True, maintain_order=True)
        .unique("player", keep="first", maintain_order=True)
        .select("player", "display", "event", "races")
    )


def _show_drivers(run: Run, races: History, heights: pl.DataFrame) -> None:
    """The highest ratings ever, and how far to trust them."""
    from podium.evaluation.order_accuracy import accuracy

    typer.echo(
        f"Who is the best driver of all time? {len(races):,} races and sprints of Formula 1 since\n"
        f"1950, {len(races.players):,} drivers, rated with Elo. The highest ratings so far:"
    )
    columns = {"player": "driver", "display": "rating", "event": "after", "races": "races"}
    show_table(heights.head(5).rename(columns), names=["driver"])
    seen = accuracy(races, run.trace["mu_before"].to_numpy(), min_events=MIN_EVENTS)
    typer.echo("A rating covers the driver and the car together. Of two drivers in a race,")
    typer.echo(
        f"the higher rated one finished ahead in {seen.pairs_right:.1f}% of cases (from the sixth race on)."
    )


def _explained_height(run: Run, player: str, races: int) -> Explanation:
    """Why a player had the rating after so many races: the explanation of today's rating, cut there."""
    from podium.ladder.explanations import explain_changes
    from podium.systems.contract.explained_ratings import Explanation

    today = run.explain(player)
    assert isinstance(today, Explanation)
    parts = today.contributions[:races]
    rating = replace(today.rating, mu=parts[-1].after, display=parts[-1].after, events=races)
    return explain_changes(rating, today.newcomer, parts, from_start=True)


def _predict_race(run: Run) -> None:
    """Who of the best drivers of today comes in first."""
    best = run.leaderboard(top=3, active_since="30d")["player"].to_list()
    chances = run.ladder.rank_probabilities(best).top(1)
    typer.echo("\nWho wins among the three best drivers of today?")
    typer.echo("  ladder.rank_probabilities(names).top(1)")
    told = (f"{name} {chance_words(chance)}" for name, chance in zip(best, chances, strict=True))
    typer.echo(f"      {', '.join(told)}")


def _predict_match(run: Run, matches: History) -> None:
    """The chances of both sides and of a draw."""
    home, guest = TONIGHT
    typer.echo(
        f"\nWho wins tonight, {home} or {guest}? {len(matches):,} matches of national teams\n"
        f"since {FOOTBALL_SINCE[:4]}, rated with {run.ladder.system.label}:"
    )
    for option in (f', home="{home}"', ""):
        chances = run.ladder.outcomes(home, guest, home=home if option else None)
        typer.echo(f'  ladder.outcomes("{home}", "{guest}"{option})')
        typer.echo(
            f"      {home} wins {chance_words(chances.win)}, draw {chance_words(chances.draw)}, "
            f"{guest} wins {chance_words(chances.loss)}"
        )


def _pair(run: Run) -> None:
    """Many teams wait for a match at once."""
    from podium.matchmaking.matchmaker import Matchmaker

    maker = Matchmaker(run.ladder, seed=SEED)
    waiting = run.leaderboard(top=WAITING, min_events=MIN_EVENTS)["player"].to_list()
    maker.join_many(waiting, time=0.0)
    pairs = maker.tick(time=0.0).matches
    off = abs(pairs.chance - 0.5)
    typer.echo(f"\nWho plays whom? The {len(waiting)} best teams wait, and the pool proposes pairs:")
    typer.echo("  maker = podium.Matchmaker(ladder); maker.join_many(teams); maker.tick()")
    first = ", ".join(" – ".join(map(str, pairs[number].players)) for number in range(3))
    typer.echo(
        f"      {first} …\n"
        f"      {len(pairs)} pairs, {100 * off.mean():.1f}% away from even on average and "
        f"{100 * off.max():.0f}% at most"
    )


def _write_site(out: Path, drivers: Run) -> None:
    """The website of the races, where Jinja2 is installed."""
    from podium.pages.ladder_pages import ladder_pages
    from podium.pages.site_writing import SiteLadder, page_count, write_site

    ladders = [
        SiteLadder("Formula 1", ladder_pages(drivers, min_events=MIN_EVENTS, active_since=ACTIVE_SINCE))
    ]
    try:
        with progress(f"writing {out}", page_count(ladders), unit="pages") as advance:
            written = write_site(out, ladders, "Formula 1", progress=advance)
    except ParameterError as error:
        typer.echo(f"\nNo website: {error}")
        return
    typer.echo(f"\nwrote a website, {counted(written.pages, 'page')}. Open {written.index}")
