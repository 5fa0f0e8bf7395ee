"""`podium site`: files of results in, a website out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from podium.cli.leaderboards import ActiveSince, MaxSigma
from podium.cli.options import Jobs, Settings, System, with_reading_options
from podium.cli.site_ladders import SITE_FILES, SiteMinEvents, SiteSources, Title, say_site, site_board


@with_reading_options
def site(
    files: Annotated[list[Path], SITE_FILES],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Write the website to this folder. The folder must be new, empty, or hold a website "
            "that podium wrote, which podium replaces.",
        ),
    ] = Path("public"),
    system: System = None,
    settings: Settings = [],  # noqa: B006
    title: Title = None,
    min_events: SiteMinEvents = None,
    active_since: ActiveSince = None,
    max_sigma: MaxSigma = None,
    reading: dict[str, Any] = {},  # noqa: B006
    jobs: Jobs = None,
) -> None:
    """Write a website about a file of results: leaderboard, players, events, comparisons.

    This command needs podium[site].
    """
    board = site_board(min_events, active_since, max_sigma)
    sources = SiteSources(files, system, settings, reading, board, title, jobs)
    sources.check(out)
    written = sources.write(out)
    say_site(written)
    typer.echo(f"open {written.index}")
