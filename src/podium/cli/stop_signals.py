"""Ctrl-C and the other signals that end a program: heeded within about a second, and never lost.

Python calls the handler of a signal in the main thread, between two steps of Python code. Two things can go
wrong. The main thread may be inside a kernel or the compiler for a long time, where it takes no such step.
And the exception that the handler raises may be dropped: by Python in a destructor, by a library in a
callback. So a second thread hears of the signal at once and watches the main thread. If that goes on working,
the handler is called again; if no exception is on its way for a second, the process is ended.
"""

from __future__ import annotations

import _thread
import gc
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType
from typing import Any

from podium.files.atomic import remove_unfinished

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
PATIENCE_SECONDS = 1.0
"""How long the main thread may be busy with anything but ending, once a signal has come."""
LOOK_SECONDS = 0.05
"""Time between two looks at the main thread."""
INTERRUPTED_MESSAGE = "interrupted: no file is incomplete"
NO_BAR = "\r\x1b[2K\x1b[?25h"
"""What a terminal is told to erase a progress bar and to show its cursor again."""

_watch: SignalWatch | None = None


@contextmanager
def heeding_signals() -> Iterator[None]:
    """While the block runs, Ctrl-C raises KeyboardInterrupt, and the other signals SystemExit."""
    global _watch
    _watch = SignalWatch()
    try:
        yield
    finally:
        _watch.end()
        _watch = None


@contextmanager
def unheeded_signals() -> Iterator[None]:
    """While the block runs, signals are its own to handle: nothing is raised, and nobody watches it end."""
    global _watch
    heeded = _watch is not None
    if _watch is not None:
        _watch.end()
        _watch = None
    try:
        yield
    finally:
        if heeded:
            _watch = SignalWatch()


@contextmanager
def unmasked_signals() -> Iterator[None]:
    """An interrupt may leave a library as another error; raise what was meant.

    One that comes while a kernel returns becomes a SystemError, one inside Polars a TypeError.
    """
    try:
        yield
    except Exception:
        raise_if_dropped()
        raise


def raise_if_dropped() -> None:
    """Raise once more what a signal raised before; whoever calls this goes on working, so it was dropped."""
    if _watch is not None and _watch.raised is not None:
        raise _exception(_watch.raised)


class SignalWatch:
    """Handlers of the signals, and the thread that sees to it that they have an effect."""

    def __init__(self) -> None:
        self.raised: int | None = None
        """The signal for which an exception was raised."""
        self._main = threading.get_ident()
        self._over = threading.Event()
        self._collected_before = gc.isenabled()
        self._ear, mouth = socket.socketpair()
        mouth.setblocking(False)
        self._mouth = mouth  # Python writes a signal's number into it at once, whatever the main thread does
        self._wakeup_before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        self._hook_before, sys.unraisablehook = sys.unraisablehook, self._tell_dropped
        self._handlers_before = {
            number: signal.signal(number, self._handle)
            for number in STOPPING
            if signal.getsignal(number) is not signal.SIG_IGN  # as nohup leaves it
        }
        self._thread = threading.Thread(target=self._listen, name="podium signals", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Put everything back as it was."""
        signal.set_wakeup_fd(self._wakeup_before)
        self._over.set()
        self._mouth.close()
        self._thread.join()
        self._ear.close()
        for number, handler in self._handlers_before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        sys.unraisablehook = self._hook_before
        if self._collected_before:
            gc.enable()
        # After an interrupt that came through an exec(), Python ends by the signal and not with the exit
        # status given, unless another exec() follows.
        exec("")

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """End the command with an exception; a second signal does not interrupt the cleanup."""
        if self.raised is None or not self._is_ending():
            self.raised = number
            raise _exception(number)

    def _tell_dropped(self, unraisable: Any) -> None:
        """Python calls this with each exception that it drops: nothing is said of a signal's."""
        if self.raised is None or unraisable.exc_type is not type(_exception(self.raised)):
            self._hook_before(unraisable)

    def _listen(self) -> None:
        """Wait for signals until the block is over."""
        while heard := self._ear.recv(1):
            if heard[0] in self._handlers_before:
                self._look_after(heard[0])

    def _look_after(self, number: int) -> None:
        """See to it that the main thread ends: by the exception on its way, by another, or at once."""
        gc.disable()  # a collection inside `sys._current_exceptions` may deadlock (python/cpython#106883)
        last_sign = monotonic()
        while not self._over.wait(LOOK_SECONDS):
            if self._is_ending():
                last_sign = monotonic()
            elif monotonic() > last_sign + PATIENCE_SECONDS:
                _end_process(number)
            elif self.raised is not None:  # the exception was dropped
                _thread.interrupt_main(signal.Signals(number))

    def _is_ending(self) -> bool:
        """Whether the main thread is handling the exception of a signal, or one that came of it."""
        active: Any = sys._current_exceptions().get(self._main)
        error = active[1] if isinstance(active, tuple) else active  # a tuple before Python 3.12
        while error is not None:
            if self.raised is not None and type(error) is type(_exception(self.raised)):
                return True
            error = error.__context__
        return False


def _exception(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else SystemExit(128 + number)


def _end_process(number: int) -> None:
    """End without the main thread: no half-written file remains, and worker processes end with this one."""
    remove_unfinished()
    if number == signal.SIGINT:
        with suppress(OSError):
            os.write(2, f"{NO_BAR if os.isatty(2) else ''}podium: {INTERRUPTED_MESSAGE}\n".encode())
    os._exit(128 + number)
