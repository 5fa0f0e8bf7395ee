"""The real command, run as people run it: with pipes, and at a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from unittest import mock

from podium.cli.program import main
from podium.numerics import jit  # noqa: F401 - what runs here stays compiled, however little it is

PATIENCE = 180.0
"""Seconds until a test gives up waiting; a machine that compiles meanwhile is slow."""
BAD_LINE = 60_002
"""Where the file `late_error` goes wrong."""
PODIUM = [sys.executable, "-m", "podium"]
Run = Callable[..., subprocess.CompletedProcess[str]]

# Makes the terminal on stdin the controlling one, so that a typed Ctrl-C is a signal, and turns into podium.
_AT_A_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def podium(
    *arguments: object, cwd: Path | None = None, columns: int = 80, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run podium with its output piped."""
    return subprocess.run(
        [*PODIUM, *map(str, arguments)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "COLUMNS": str(columns), **environment},
        timeout=PATIENCE,
    )


def podium_here(
    *arguments: object, cwd: Path | None = None, columns: int = 80
) -> subprocess.CompletedProcess[str]:
    """The same without a process of its own, which would spend most of its second on imports.

    For the many ways to call a command; what has to do with processes, signals or terminals is run for real.
    """
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    status: Any = 0
    with (
        contextlib.chdir(cwd or "."),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        mock.patch.object(sys, "argv", ["podium", *map(str, arguments)]),
        mock.patch.dict(os.environ, COLUMNS=str(columns)),
    ):
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    for stream in streams:
        stream.seek(0)
    return subprocess.CompletedProcess(arguments, status, *(stream.read() for stream in streams))


def succeeded(*arguments: object, run: Run = podium_here, **options: Any) -> str:
    """What podium prints, having nothing to complain about."""
    answer = run(*arguments, **options)
    assert (answer.returncode, answer.stderr) == (0, ""), answer.stderr
    return answer.stdout


def said_json(*arguments: object, **options: Any) -> Any:
    return json.loads(succeeded(*arguments, "--json", **options))


def failed(status: int, *arguments: object, run: Run = podium_here, **options: Any) -> str:
    """What podium complains about: on stderr only, and never with a traceback."""
    answer = run(*arguments, **options)
    assert answer.returncode == status, answer.stderr
    assert answer.stdout == ""
    assert answer.stderr
    assert "Traceback" not in answer.stderr
    return answer.stderr


class Terminal:
    """podium at a terminal of so many columns, which a test reads and types into."""

    def __init__(self, *arguments: object, cwd: Path, columns: int = 80, **more: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **more}
        for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _AT_A_TERMINAL, *PODIUM, *map(str, arguments)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=cwd,
            env=environment,
        )
        os.close(slave)
        self._seen = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)

    def wait_for(self, what: Callable[[], bool]) -> None:
        """Until something is so, reading on meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while not what():
            assert time.monotonic() < deadline, self.screen
            assert self.process.poll() is None, self.screen
            self._read(0.005)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def interrupt(self) -> int:
        """Type Ctrl-C, once; the exit status."""
        self.type(b"\x03")
        return self.finish()

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def finish(self) -> int:
        """The exit status."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.screen
            self._read(0.02)
        while self._read(0.0):
            pass
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        if not select.select([self._master], [], [], seconds)[0]:
            return False
        try:
            piece = os.read(self._master, 1 << 16)
        except OSError:  # nobody has the terminal open any more
            return False
        self._seen += piece
        return bool(piece)

    @property
    def raw(self) -> str:
        return self._seen.decode("utf-8", "replace")

    @property
    def screen(self) -> str:
        """Everything shown so far, without colours and movements of the cursor."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.raw).replace("\r\n", "\n")
