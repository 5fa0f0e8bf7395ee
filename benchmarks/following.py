"""Listeners of one ladder: how soon all of them hear of a report, and what that costs the service.

    python benchmarks/following.py                        # 200 listeners, 100 reports

The client is another process on the same machine. What is compared with is the same service to which nobody
listens.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from service import load, post, request_bytes, served

PAUSE_SECONDS = 0.02
"""Between two reports: fifty a second."""
LEVEL_MILLISECONDS = 100.0
"""Within which 99% of the listeners are to have heard of a report."""


def cpu_seconds(process: int) -> float:
    """How long a process has worked."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def listen(port: int, last: int, ready: asyncio.Semaphore, heard: dict[int, list[float]]) -> None:
    """Follow the ladder up to a number, and note when each entry was heard of."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request_bytes("/ladders/load/stream"))
    while True:
        line = await reader.readline()
        if line.startswith(b": podium"):
            ready.release()
        if line.startswith(b"id: "):
            number = int(line[4:].partition(b"-")[0])
            heard.setdefault(number, []).append(time.perf_counter())
            if number == last:
                break
    writer.close()
    await writer.wait_closed()


def report(port: int, reports: int) -> list[float]:
    """Send reports one after another; when each was sent."""
    sent = []
    content = request_bytes("/ladders/load/events?changes=false", {"ranks": {"ann": 1, "bob": 2}})
    for _ in range(reports):
        sent.append(time.perf_counter())
        once = iter([content])
        load(port, 1, lambda once=once: next(once, None), (201,))
        time.sleep(PAUSE_SECONDS)
    return sent


async def measure(
    port: int, process: int, listeners: int, first: int, reports: int
) -> tuple[float, list[float]]:
    """Processor time of the service for each report, and how long each listener waited for each."""
    ready, heard = asyncio.Semaphore(0), {}
    tasks = [asyncio.create_task(listen(port, first + reports, ready, heard)) for _ in range(listeners)]
    for _ in tasks:
        await ready.acquire()
    began = cpu_seconds(process)
    sent = await asyncio.to_thread(report, port, reports)
    await asyncio.gather(*tasks)
    used = (cpu_seconds(process) - began) / reports
    waits = [moment - sent[number - first - 1] for number, moments in heard.items() for moment in moments]
    return used, sorted(waits)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--reports", type=int, default=100)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(f"{folder}/podium.db", 1) as (port, (process,)):
        post(port, "/ladders", {"slug": "load", "system": "elo"})
        alone, _ = asyncio.run(measure(port, process, 0, 0, asked.reports))
        used, waits = asyncio.run(measure(port, process, asked.listeners, asked.reports, asked.reports))
    slow = 1e3 * waits[int(0.99 * len(waits))]
    print(f"a report without listeners: {1e3 * alone:.2f} ms of processor time")
    print(f"with {asked.listeners}: {1e3 * used:.2f} ms, {used / max(alone, 1e-9):.1f} times as much")
    verdict = "met" if slow < LEVEL_MILLISECONDS else "missed"
    print(f"heard of after {1e3 * median(waits):.1f} ms (median), 99% within {slow:.1f} ms: level {verdict}")


if __name__ == "__main__":
    main()
