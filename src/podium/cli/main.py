"""`podium`: the commands, and how they end.

Errors go to stderr without a traceback: exit status 1 for bad input, 2 for bad usage, 130 for Ctrl-C. Heavy
imports happen inside the commands, so that help and completion answer at once.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Annotated, Any, NoReturn

import typer

import podium
from podium.cli import (
    advise,
    arena_board,
    attack,
    audit,
    backup,
    changes,
    chart,
    demo,
    evaluate,
    explain,
    keys,
    login_link,
    match,
    name_aliases,
    predict,
    rate,
    rebuild,
    restore,
    serve,
    simulate,
    site,
    smooth,
    systems,
    tournament_commands,
    tune,
    verify,
    warmup,
    what_if,
)
from podium.cli.exit_codes import BAD_INPUT, BAD_USAGE, INTERRUPTED, PIPE_CLOSED
from podium.cli.help_pages import HelpfulCommand, HelpfulGroup
from podium.cli.option_words import without_keywords
from podium.cli.stop_signals import INTERRUPTED_MESSAGE, unmasked_signals
from podium.errors import ParameterError, PodiumError


class Commands(HelpfulGroup):
    """podium's commands and those that other packages add; errors become messages and exit statuses."""

    sections = {
        "Start here": "demo rate site serve",
        "Understand ratings": "explain changes what-if chart predict",
        "Play": "match tournament",
        "Prepare results and choose a rating system": "names advise systems",
        "Look after the service": "keys login-link audit backup restore verify rebuild",
        "For analysts": "evaluate tune smooth arena simulate attack reproduce warmup",
    }

    def list_commands(self, ctx: Any) -> list[str]:
        """List podium's commands, then the added ones."""
        self._add()
        return super().list_commands(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, among the added ones too if podium has none of that name."""
        if cmd_name not in self.commands:
            self._add()
        return super().get_command(ctx, cmd_name)

    def _add(self) -> None:
        from podium.cli.added_commands import added_commands

        self.commands.update(added_commands(self.commands))

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command and turn its errors into messages."""
        try:
            with unmasked_signals():
                return super().invoke(ctx)
        except ParameterError as error:
            _end(BAD_USAGE, str(error))
        except PodiumError as error:
            _end(BAD_INPUT, str(error))
        except KeyboardInterrupt:
            _end(INTERRUPTED, INTERRUPTED_MESSAGE)
        except BrokenPipeError:  # the reader of a pipe has gone, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _end(PIPE_CLOSED)
        except OSError as error:  # a full disk, a file that was taken away
            _end(BAD_INPUT, f"{error.filename or 'stdout'}: {error.strerror or error}")
        except MemoryError:
            _end(BAD_INPUT, "not enough memory\n  hint: read the file in pieces with --chunk-rows")


app = typer.Typer(
    name="podium",
    cls=Commands,
    help="Rate players and match them.",
    epilog="podium COMMAND --help describes a command and shows examples. podium[site], podium[charts] and "
    "the like are optional parts. Install one with: pip install 'podium[site]'",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("rate", cls=HelpfulCommand)(rate.rate)
app.command("changes", cls=HelpfulCommand)(changes.changes)
app.command("what-if", cls=HelpfulCommand)(what_if.what_if)
app.command("explain", cls=HelpfulCommand)(explain.explain)
app.command("site", cls=HelpfulCommand)(site.site)
app.command("serve", cls=HelpfulCommand)(serve.serve)
app.command("verify", cls=HelpfulCommand)(verify.verify)
app.command("rebuild", cls=HelpfulCommand)(rebuild.rebuild)
app.command("backup", cls=HelpfulCommand)(backup.backup)
app.command("restore", cls=HelpfulCommand)(restore.restore)
app.add_typer(keys.app, name="keys")
app.command("login-link", cls=HelpfulCommand)(login_link.login_link)
app.command("audit", cls=HelpfulCommand)(audit.audit)
app.command("chart", cls=HelpfulCommand)(chart.chart)
app.command("match", cls=HelpfulCommand)(match.match)
app.add_typer(tournament_commands.app, name="tournament")
app.command("advise", cls=HelpfulCommand)(advise.advise)
app.command("arena", cls=HelpfulCommand)(arena_board.arena)
app.command("evaluate", cls=HelpfulCommand)(evaluate.evaluate)
app.command("names", cls=HelpfulCommand)(name_aliases.names)
app.command("predict", cls=HelpfulCommand)(predict.predict)
app.command("tune", cls=HelpfulCommand)(tune.tune)
app.add_typer(simulate.app, name="simulate")
app.command("attack", cls=HelpfulCommand)(attack.attack)
app.command("smooth", cls=HelpfulCommand)(smooth.smooth)
app.command("systems", cls=HelpfulCommand)(systems.systems)
app.command("warmup", cls=HelpfulCommand)(warmup.warmup)
app.command("demo", cls=HelpfulCommand)(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"podium {podium.__version__}")
        raise typer.Exit


@app.callback()
def _podium(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    imports: Annotated[
        list[str],
        typer.Option(
            "--import",
            metavar="MODULE",
            help="For programmers: import this Python module or .py file first, for example with your own "
            "rating systems. Repeatable.",
        ),
    ] = [],  # noqa: B006
) -> None:
    """Rate players and match them."""
    if imports:
        from podium.cli.own_code import import_code

        for module in imports:
            import_code(module)


@cache
def commands() -> Any:
    """The commands with all their options; Typer takes 35 ms to make them."""
    return typer.main.get_command(app)


def _end(status: int, message: str | None = None) -> NoReturn:
    if message is not None:
        print(f"podium: {without_keywords(message)}", file=sys.stderr)
    sys.exit(status)
