"""Ctrl-C is heeded at once, in the middle of a kernel too, and never lost."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from podium.cli.progress import Advance, progress
from podium.cli.stop_signals import (
    LOOK_SECONDS,
    PATIENCE_SECONDS,
    STOPPING,
    heeding_signals,
    unmasked_signals,
)

LONG = 20.0
"""Seconds until a test gives up."""


def wait_in_vain() -> None:
    """Go on working, as somebody does who has not heard of an interrupt."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        time.sleep(0.001)


def wait_briefly() -> None:
    """Clean up, with an error in between, as long as somebody would look several times."""
    with suppress(ZeroDivisionError):
        raise ZeroDivisionError
    time.sleep(4 * LOOK_SECONDS)


class Rubbish:
    """Ctrl-C comes while its destructor runs, where Python drops whatever is raised."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def work_with_rubbish() -> None:
    Rubbish()
    wait_in_vain()


def call_a_library_that_swallows() -> None:
    with suppress(BaseException):
        signal.raise_signal(signal.SIGINT)


def work_with_a_library_that_swallows() -> None:
    call_a_library_that_swallows()
    wait_in_vain()


def advance_with_a_library_that_swallows(advance: Advance) -> None:
    advance(1)
    call_a_library_that_swallows()
    advance(1)


@pytest.mark.parametrize("number, raised", [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)])
def test_a_signal_raises(number: signal.Signals, raised: type[BaseException]) -> None:
    with pytest.raises(raised) as caught, heeding_signals():
        signal.raise_signal(number)
    if isinstance(caught.value, SystemExit):
        assert caught.value.code == 143


def test_everything_is_put_back() -> None:
    def found() -> list[Any]:
        handlers = [signal.getsignal(number) for number in STOPPING]
        return [*handlers, sys.unraisablehook, threading.active_count(), gc.isenabled()]

    before = found()
    with heeding_signals():
        assert found() != before
    assert found() == before


def test_no_garbage_is_collected_while_the_program_ends() -> None:
    """A collection could deadlock with the look at the main thread's exceptions."""
    collecting = None

    def interrupted() -> None:
        nonlocal collecting
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            wait_briefly()
            collecting = gc.isenabled()

    with pytest.raises(KeyboardInterrupt), heeding_signals():
        interrupted()
    assert collecting is False
    assert gc.isenabled()


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with heeding_signals():
            signal.raise_signal(signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_ctrl_c_that_meets_a_destructor_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt), heeding_signals():
        work_with_rubbish()


def test_ctrl_c_that_a_library_swallows_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt), heeding_signals():
        work_with_a_library_that_swallows()
    with pytest.raises(KeyboardInterrupt), heeding_signals(), progress("rating", 10) as advance:
        advance_with_a_library_that_swallows(advance)  # at once


def test_ctrl_c_that_a_kernel_turns_into_another_error() -> None:
    """As compiled code does if the interrupt comes while its result becomes a Python object."""

    def return_from_a_kernel() -> None:
        call_a_library_that_swallows()
        raise SystemError("returned a result with an exception set")

    with pytest.raises(KeyboardInterrupt), heeding_signals(), unmasked_signals():
        return_from_a_kernel()
    with pytest.raises(SystemError), heeding_signals(), unmasked_signals():
        raise SystemError("without an interrupt")


def test_an_interrupt_that_a_library_turns_into_another_error() -> None:
    """Polars says so of a type whose name it was asking for when the signal came."""

    def name_a_type() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        except SystemExit:
            raise TypeError("is not a Polars data type") from None

    with pytest.raises(SystemExit) as ended, heeding_signals(), unmasked_signals():
        name_a_type()
    assert ended.value.code == 128 + signal.SIGTERM
    with pytest.raises(TypeError), heeding_signals(), unmasked_signals():
        raise TypeError("without an interrupt")


def test_a_second_ctrl_c_does_not_interrupt_the_cleanup() -> None:
    cleaned = False

    def interrupted() -> None:
        nonlocal cleaned
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGTERM)
            wait_briefly()
            cleaned = True

    with pytest.raises(KeyboardInterrupt), heeding_signals():
        interrupted()
    assert cleaned


def test_other_errors_of_destructors_are_still_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))

    class Failing:
        def __del__(self) -> None:
            raise ZeroDivisionError

    with heeding_signals():
        Failing()
    assert told == [ZeroDivisionError]


# Much of what libraries generate runs inside exec().
INTERRUPTED_INSIDE_EXEC = """
import sys
from podium.cli.stop_signals import heeding_signals

with heeding_signals():
    try:
        exec("import signal; signal.raise_signal(signal.SIGINT)")
    except KeyboardInterrupt:
        sys.exit(130)
"""


def test_the_exit_status_after_ctrl_c_inside_exec(tmp_path: Path) -> None:
    """Python would end by the signal instead, though somebody caught the interrupt."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_INSIDE_EXEC)
    assert subprocess.run([sys.executable, "-m", "interrupted"], cwd=tmp_path).returncode == 130


# A kernel that sees no signal for minutes, while a table is half written.
BUSY = """
import hashlib, sys
from pathlib import Path
from podium.cli.stop_signals import heeding_signals
from podium.files.atomic import removed_at_end, replacing

with heeding_signals(), replacing("table.csv") as table, removed_at_end("parts") as parts:
    parts.mkdir()
    (parts / "one").write_text("half")
    table.write_text("half")
    print("busy", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""


def test_ctrl_c_inside_a_kernel(tmp_path: Path) -> None:
    """The process ends without waiting for it, and leaves no half-written file."""
    (tmp_path / "table.csv").write_text("an older file")
    command = [sys.executable, "-c", BUSY]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        time.sleep(0.05)  # until it is inside
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LONG + PATIENCE_SECONDS)
    assert process.returncode == 130
    assert said == "podium: interrupted: no file is incomplete\n"
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]
    assert (tmp_path / "table.csv").read_text() == "an older file"
