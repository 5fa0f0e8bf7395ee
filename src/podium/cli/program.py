"""The program `podium`: Ctrl-C ends it with a word even before anything heavy is imported."""

from __future__ import annotations

import atexit
import gc
import io
import sys

from podium.cli.exit_codes import INTERRUPTED
from podium.cli.stop_signals import INTERRUPTED_MESSAGE, heeding_signals

OBJECTS_PER_COLLECTION = 50_000
"""Imports make some hundred thousand objects that stay: looking for garbage among them every 700 objects, as
Python does, takes a tenth of a short command's time."""

# Nor does Python go through them all once more when the process ends, which takes another tenth of a second.
atexit.register(gc.freeze)


def main() -> None:
    """Run the command line; the entry point of the program."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that cannot show a name still shows the rest
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    usual = gc.get_threshold()
    gc.set_threshold(OBJECTS_PER_COLLECTION, *usual[1:])
    try:
        with heeding_signals():
            from podium.cli.main import commands

            commands()(prog_name="podium")
    except KeyboardInterrupt:
        print(f"podium: {INTERRUPTED_MESSAGE}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        gc.set_threshold(*usual)
