"""A job process as its keeper sees it: started, served, watched, ended, and what it died of."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from podium.cluster.processes import imported_modules
from podium.files.kinds import in_words
from podium.server import machine
from podium.server.jobs.job_frames import PROGRAM, answered, receive_frame, send_frame, start_words
from podium.server.jobs.job_leases import holder_name
from podium.server.settings import ServerSettings

if TYPE_CHECKING:
    from podium.server.service import Service


KILLED_FIRST = 1000
"""What Linux adds to a process's claim to be killed when memory runs out: it goes before all others."""


def resident_bytes(process: int | None = None) -> int:
    """The memory that a process takes, or this one; 0 if it is gone or the system does not tell."""
    try:
        pages = Path(f"/proc/{process or 'self'}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def kills_for_memory() -> int:
    """How many processes of this machine were killed because it had no memory left."""
    with suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def be_killed_first() -> None:
    """If memory runs out, have the system kill this process rather than one that answers."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(KILLED_FIRST))


ENDED_BY_OTHERS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals by which people and systems end processes; the others come from what the process does."""


class Death(NamedTuple):
    """Why a process ended before its job did."""

    reason: str
    is_of_job: bool
    """Whether the job is to blame, so that it would only happen again."""


class KeptProcess:
    """A process that does jobs.

    Its temporary files are in a folder of its own, which goes with it, however it ends. On SQLite `service`
    is the one that writes: a thread calls what the process asks for.
    """

    def __init__(
        self, settings: ServerSettings, keeper: str, number: int, folder: Path, service: Service | None
    ) -> None:
        self._settings, self._service = settings, service
        self.holder = holder_name(keeper, number)
        self.began = machine.monotonic()
        self.status: int | None = None
        """With what it ended; None as long as it runs."""
        self._death: Death | None = None
        self.job: int | None = None
        """The job that it held when somebody last looked."""
        self._job_began = self.began
        self._kills_before = kills_for_memory()
        self._folder = folder / str(number)
        self._folder.mkdir()
        searched = [folder for folder in sys.path if isinstance(folder, str) and folder]
        places = {"PYTHONPATH": os.pathsep.join(searched), "TMPDIR": str(self._folder)}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | places,
            process_group=0,  # Ctrl-C at a terminal reaches the keeper alone
        )
        self.pid = self._process.pid
        self._words = start_words(settings, keeper, number, imported_modules())
        self._thread = machine.Thread(target=self._serve, name=f"job process {number}", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Kill it, and wait until it is gone."""
        self._process.kill()
        self._thread.join()

    def check_memory(self) -> None:
        """Kill it if it takes more memory than it may."""
        most = self._settings.job_memory
        if self._death is None and resident_bytes(self.pid) > most:
            reason = f"it needs more memory than the setting job_memory allows ({in_words(most)})"
            self._kill_for(Death(reason, is_of_job=True))

    def check_time(self, job: int | None) -> None:
        """Kill it if it does the same job for longer than it may; `job` is the one that it holds now."""
        if job != self.job:
            self.job, self._job_began = job, machine.monotonic()
        most = self._settings.job_seconds
        if self._death is None and job is not None and machine.monotonic() - self._job_began > most:
            reason = f"it takes longer than the setting job_seconds allows ({most:,.0f} s)"
            self._kill_for(Death(reason, is_of_job=True))

    def drop_job(self) -> None:
        """Kill it because its job was cancelled, which it would notice only when it next writes something."""
        self._kill_for(Death("its process was still running a cancelled job", is_of_job=False))

    def _kill_for(self, death: Death) -> None:
        self._death = death
        self._process.kill()

    def death(self) -> Death | None:
        """Why it ended; None if it did so by itself and in order."""
        if self._death is not None or not self.status:
            return self._death
        if self.status > 0:
            return Death(f"its process failed with status {self.status}", is_of_job=False)
        if self.status == -signal.SIGKILL and kills_for_memory() > self._kills_before:
            return Death("its process was killed because the machine ran out of memory", is_of_job=True)
        if self.status == -signal.SIGABRT:
            most = in_words(self._settings.job_memory)
            cause = f"The usual cause is too little memory (setting job_memory: {most})"
            return Death(f"its process ended with SIGABRT. {cause}", is_of_job=True)
        name = signal.Signals(-self.status).name
        if -self.status in ENDED_BY_OTHERS:
            return Death(f"its process was ended by {name}", is_of_job=False)
        return Death(f"its process crashed with {name}", is_of_job=True)

    def _serve(self) -> None:
        """Do what the process asks for until it is gone, and remove what it leaves behind."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(EOFError, OSError):
            send_frame(process.stdin, self._words)
            if self._service is None:
                process.stdout.read()
            else:
                while True:
                    function, args = receive_frame(process.stdout)
                    send_frame(process.stdin, answered(self._service, function, args))
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()
        status = process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        self.status = status
