"""`podium`: the commands, and how they end.

Errors go to stderr without a traceback: exit status 1 for bad input, 2 for bad usage, 130 for Ctrl-C. Heavy
imports happen inside the commands, so that help and completion answer at once.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from types import FrameType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

import podium
from podium.cli import (
    attack,
    chart,
    demo,
    evaluate,
    explain,
    match,
    rate,
    reproduce,
    simulate,
    smooth,
    systems,
    tune,
    warmup,
)
from podium.cli.exit_codes import BAD_INPUT, BAD_USAGE, INTERRUPTED, PIPE_CLOSED
from podium.errors import ParameterError, PodiumError

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Commands(TyperGroup):
    """podium's commands; errors become messages and exit statuses."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command and turn its errors into messages."""
        try:
            return super().invoke(ctx)
        except ParameterError as error:
            _end(BAD_USAGE, str(error))
        except PodiumError as error:
            _end(BAD_INPUT, str(error))
        except KeyboardInterrupt:
            _end(INTERRUPTED, "interrupted; every file is as it was, or whole")
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
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("rate")(rate.rate)
app.command("explain")(explain.explain)
app.command("chart")(chart.chart)
app.command("match")(match.match)
app.command("evaluate")(evaluate.evaluate)
app.command("tune")(tune.tune)
app.add_typer(simulate.app, name="simulate")
app.command("attack")(attack.attack)
app.command("smooth")(smooth.smooth)
app.command("reproduce")(reproduce.reproduce)
app.command("systems")(systems.systems)
app.command("warmup")(warmup.warmup)
app.command("demo")(demo.demo)


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
            help="Import this Python module or .py file first: it can register your own systems and "
            "functions. Repeatable.",
        ),
    ] = [],  # noqa: B006
) -> None:
    """Rate players and match them."""
    if imports:
        from podium.cli.own_code import import_code

        for module in imports:
            import_code(module)


def _end(status: int, message: str | None = None) -> NoReturn:
    if message is not None:
        print(f"podium: {message}", file=sys.stderr)
    sys.exit(status)


def _stop(number: int, frame: FrameType | None) -> None:
    """Exit as after an error, with cleanup; a second signal does not interrupt the cleanup."""
    for stopping in STOPPING:
        signal.signal(stopping, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    sys.exit(128 + number)


def main() -> None:
    """Run the command line; the entry point of the program `podium`."""
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, _stop)
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a name still shows the rest
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app(prog_name="podium")
