"""`podium serve`: the website of files of results at a local address, made anew when the files change.

Without a file it is the service (`service_start`), which has its own options.
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.databases import DEFAULT_DATABASE, ServiceDatabase
from podium.cli.inputs import STDIN
from podium.cli.leaderboards import USUAL, ActiveSince, MaxSigma
from podium.cli.option_words import without_keywords
from podium.cli.options import Jobs, System, with_reading_options
from podium.cli.service_start import start_service
from podium.cli.site_ladders import (
    SITE_FILES,
    SiteMinEvents,
    SiteSources,
    SiteTiers,
    Title,
    Tournaments,
    say_site,
    site_board,
)
from podium.cli.watched_files import WatchedFiles
from podium.errors import PodiumError
from podium.files.atomic import removed_at_end

if TYPE_CHECKING:
    from podium.pages.site_server import SiteServer

FIRST_PORT = 8000
MOST_WORKERS = 256
SETTING_OPTIONS = ("database", "host", "port", "workers", "log_format", "log_level")
"""Options that are settings of the service, by the same names."""
SERVICE_OPTIONS = frozenset({*SETTING_OPTIONS, "config", "settings"})
SHARED_OPTIONS = frozenset({"port", "settings"})
"""Options of both, the website and the service."""


SITE_OR_SERVICE = typer.Argument(
    metavar="FILE",
    help=f"{SITE_FILES.help} Without a file, podium starts the service.",
)


@with_reading_options
def serve(
    ctx: typer.Context,
    files: Annotated[list[Path] | None, SITE_OR_SERVICE] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Port of the web address, for example 8080 for http://127.0.0.1:8080. Default: "
            f"{FIRST_PORT}, or the next free one for a website.",
            min=1,
            max=65535,
        ),
    ] = None,
    out: Path | None = None,
    system: System = None,
    settings: Annotated[list[str], typer.Option("--set")] = [],  # noqa: B006
    title: Title = None,
    tiers: SiteTiers = None,
    min_events: SiteMinEvents = None,
    active_since: ActiveSince = USUAL,
    max_sigma: MaxSigma = None,
    tournaments: Tournaments = [],  # noqa: B006
    reading: dict[str, Any] = {},  # noqa: B006
    jobs: Jobs = None,
    database: ServiceDatabase = DEFAULT_DATABASE,
    workers: Annotated[int, typer.Option(min=1, max=MOST_WORKERS)] = 1,
    host: str | None = None,
    config: Path | None = None,
    log_format: str | None = None,
    log_level: str | None = None,
) -> None:
    """Show a website about a file of results on this computer (needs podium[site]), or a website on which
    players report results.

    With a file, podium updates the website whenever the file changes.

    Without a file, podium starts the service (needs podium[server]): a website on which players and programs
    report results. It keeps them in a database. Ctrl-C stops it, and nothing reported is lost.

    Options:
        out (FOLDER): Keep the website in this folder, as podium site does. Default: a temporary folder.
        settings (NAME=VALUE): Change a parameter (a setting) of the system, or a setting of the service.
            Repeatable.
        workers (N): Number of processes that answer requests. SQLite allows one, PostgreSQL any number.
        host (ADDRESS): Who can reach the service: 127.0.0.1, only this computer (the default), or 0.0.0.0,
            others in the network too.
        config (FILE): File with the service's settings, in the format TOML. Default: the file in the
            environment variable PODIUM_CONFIG.
        log_format (text|json): Format of the service's messages. Default: text.
        log_level (LEVEL): The messages to print: error, warning, info (includes each request) or debug.
            Default: warning.
    """
    _check_options(ctx, SERVICE_OPTIONS if not files else None)
    if not files:
        given = {name: ctx.params[name] for name in SETTING_OPTIONS if _is_given(ctx, name)}
        start_service(given, settings, config)
        return
    if STDIN in files:
        raise typer.BadParameter(
            "podium serve needs a file, not stdin (-): podium site writes a website of stdin once",
            param_hint="FILE",
        )
    board = site_board(min_events, active_since, max_sigma)
    sources = SiteSources(files, system, settings, reading, board, title, jobs, tournaments, tiers)
    sources.check(out)

    from podium.pages.site_server import serving

    with ExitStack() as stack:
        if out is None:
            folder = stack.enter_context(removed_at_end(tempfile.mkdtemp(prefix="podium-site-")))
            out = folder / "site"
        watched = WatchedFiles(sources.watched())  # before they are read: a later change is seen
        say_site(sources.write(out))
        server = stack.enter_context(serving(out, port, FIRST_PORT))
        typer.echo(f"open {server.address} (Ctrl-C stops)")
        _follow(watched, sources, out, server)


def _check_options(ctx: typer.Context, allowed: frozenset[str] | None) -> None:
    """Refuse options of the website for the service, and the other way round."""
    for parameter in ctx.command.params:
        if not _is_given(ctx, parameter.name or ""):
            continue
        if allowed is None and parameter.name in SERVICE_OPTIONS - SHARED_OPTIONS:
            raise typer.BadParameter(
                "this option belongs to the service, which starts without a FILE",
                param_hint=parameter.opts[0],
            )
        if allowed is not None and parameter.name not in allowed:
            raise typer.BadParameter(
                "this option belongs to a website of results: give a FILE", param_hint=parameter.opts[0]
            )


def _is_given(ctx: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _follow(watched: WatchedFiles, sources: SiteSources, out: Path, server: SiteServer) -> None:
    """Make the site anew whenever a file has changed; what cannot be read leaves it as it was."""
    while True:
        sys.stdout.flush()
        watched.wait_for_change()
        try:
            say_site(sources.write(out))
        except PodiumError as error:
            print(f"podium: {without_keywords(str(error))}", file=sys.stderr)
            print("the website stays unchanged", file=sys.stderr)
        else:
            server.version += 1
