"""`podium serve` without a file: the service, from its first word until it has ended."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import typer

from podium.cli.databases import check_installed
from podium.cli.progress import Advance, progress
from podium.cli.stop_signals import unheeded_signals
from podium.text import counted

FIRST_STEPS = """\
programs report over HTTP, for example:
  curl {address}/api/v1/ladders -H 'Content-Type: application/json' -d '{{"slug": "chess"}}'
  curl {address}/api/v1/ladders/chess/events -H 'Content-Type: application/json' \\
    -d '{{"key": "game-1", "ranks": {{"ann": 1, "bob": 2}}}}'
  curl {address}/api/v1/ladders/chess/leaderboard"""


def start_service(given: Mapping[str, Any], assigned: Sequence[str], config: Path | None) -> None:
    """Serve the ladders of a database until a signal comes.

    `given` are settings by name, `assigned` those written as NAME=VALUE; others are in the file `config` or
    in the environment.
    """
    check_installed()
    with Waiting() as waiting:
        from podium.server.live_pages.club_look import check_club
        from podium.server.processes.service_processes import Surroundings, serve
        from podium.server.settings import gathered_settings, parsed_setting
        from podium.server.storage.database import Database

        given = {**dict(map(parsed_setting, assigned)), **given}
        settings = gathered_settings(given, os.environ, None if config is None else str(config))
        check_club(settings)
        workers, shown = settings.workers, Database(settings.database).shown_name

        def ready(address: str, ladders: int, login: str | None) -> None:
            waiting.end()
            processes = "" if workers == 1 else f", {workers} workers"
            typer.echo(f"podium serves {shown} at {address} (Ctrl-C stops): {_ladders(ladders)}{processes}")
            outside = settings.is_reached_from_outside
            if login is not None:
                typer.echo(f"to log in with a browser, open this link within a day (it works once): {login}")
                if outside and sys.stdout.isatty():
                    _print_qr(login)
            elif outside:
                typer.echo("to log in with a browser: podium login-link")
            if not outside:
                typer.echo(
                    "only this computer opens this address. For phones in the same network: --host 0.0.0.0"
                )
            if not ladders and not outside:
                typer.echo(FIRST_STEPS.format(address=address))
            sys.stdout.flush()

        serve(settings, Surroundings(waiting.told, ready, unheeded_signals))
        typer.echo("stopped: all confirmed reports are stored")


def _print_qr(link: str) -> None:
    """Print a link as a QR code, for the camera of a phone."""
    import segno

    segno.make(link, error="l", micro=False).terminal(compact=True)


def _ladders(count: int) -> str:
    return counted(count, "ladder") if count else "no ladders yet"


class Waiting:
    """Shows what a service is doing before it is ready: a bar at a terminal, a line if it has to compile."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._what, self._done, self._advance = "", 0, _stand_still

    def __enter__(self) -> Waiting:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def told(self, what: str, done: int, total: int) -> None:
        """So much of something is done."""
        from podium.server.settings import COMPILING

        if what != self._what:
            self.end()
            if what == COMPILING:
                typer.echo("compiling all rating systems for this machine, once: a minute or two")
                sys.stdout.flush()
            self._what = what
            self._advance = self._stack.enter_context(progress(what, total, unit="parts"))
        self._advance(done - self._done)
        self._done = done

    def end(self) -> None:
        """Take the bar away."""
        self._stack.close()
        self._what, self._done = "", 0


def _stand_still(rows: int, note: str = "", /) -> None:
    """There is no bar."""


_: Advance = _stand_still
