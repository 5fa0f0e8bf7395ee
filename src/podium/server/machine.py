"""What the service takes from the machine it runs on: time, randomness, threads and sockets.

Modules of `server/` take these things here, always by the name of this module (`machine.monotonic()`). To
run the service under another clock or scheduler, replace the name here: every module then uses the
replacement. A test holds that no other module reaches past it.

Three things have their own place: connections to the database are made in `storage/database.py`, processes in
`jobs/kept_process.py` and `processes/worker_processes.py`, and requests run on the threads of anyio.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from secrets import token_hex, token_urlsafe
from socket import AF_INET, SOCK_DGRAM, socket
from threading import BoundedSemaphore, Condition, Event, Lock, RLock, Thread, Timer
from time import monotonic, perf_counter, sleep, time_ns

__all__ = [
    "BoundedSemaphore",
    "Condition",
    "Event",
    "Lock",
    "RLock",
    "SimpleQueue",
    "Thread",
    "ThreadPoolExecutor",
    "Timer",
    "monotonic",
    "network_address",
    "now_micros",
    "perf_counter",
    "sleep",
    "socket",
    "token_hex",
    "token_urlsafe",
]


ELSEWHERE = "192.0.2.1"
"""An address that no machine has: RFC 5737 keeps it for examples."""


def now_micros() -> int:
    """The time now, in microseconds since 1970 UTC."""
    return time_ns() // 1_000


def network_address() -> str:
    """The IP address by which others in the network reach this machine, or 127.0.0.1 without a network."""
    with socket(AF_INET, SOCK_DGRAM) as probe:
        try:
            probe.connect((ELSEWHERE, 9))  # chooses a way there, and sends nothing
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])
