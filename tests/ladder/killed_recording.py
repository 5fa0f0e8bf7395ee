"""Kill a process that records into a log, again and again, and look whether what it acknowledged is there.

    python killed_recording.py FOLDER KILLS SEED

A child records a season, from where the last one was killed, and says after each call that it has returned.
After each kill the log must hold all of that and at most one change more, and be bit for bit what a ladder
holds that nobody interrupted.
"""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable

from podium import Elo, Ladder, Rename

START = 1_700_000_000
CHECKPOINT_ROWS = 30
PATIENCE = 30.0
"""Seconds a child has for its first call."""


def change(number: int) -> Callable[[Ladder], object]:
    """What the season's call with this number does to a ladder with a log, the same in every process."""
    chance = random.Random(number)
    a, b = chance.sample([f"player {i}" for i in range(12)], 2)
    kind = chance.random()
    if kind < 0.05 and number > 20:
        return lambda ladder: ladder.undo()
    if kind < 0.10 and number > 20:
        late = START + 60 * (number - 9)
        return lambda ladder: ladder.record_match(b, a, time=late, late="insert")
    if kind < 0.15:
        return lambda ladder: (
            ladder.adjust(Rename(player=a, into=f"former {number}"))
            if a in ladder
            else (ladder.record_match(a, b))
        )
    return lambda ladder: ladder.record_match(a, b, time=START + 60 * number)


def record(folder: str, first: int, answers: int) -> None:
    """Go on with the season until somebody kills the process."""
    with Ladder.open(folder, checkpoint_rows=CHECKPOINT_ROWS) as ladder:
        number = first
        while True:
            change(number)(ladder)
            os.write(answers, number.to_bytes(8, "little"))
            number += 1


def acknowledged(folder: str, first: int, seconds: float, *, is_patient: bool) -> int:
    """The last call that a child said was done before it was killed, perhaps while it opened the log."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        record(folder, first, writing)
    os.close(writing)
    if is_patient:
        select.select([reading], [], [], PATIENCE)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answers:
        said = answers.read()
    return int.from_bytes(said[-8:], "little") if said else first - 1


def main(folder: str, kills: int, seed: int) -> None:
    """Kill and look, so many times."""
    chance = random.Random(seed)
    log, twin_log = f"{folder}/season", f"{folder}/twin"
    Ladder.open(log, system=Elo()).close()
    Ladder(Elo()).record_match("a", "b")  # so that children need not load the kernel
    done = 0
    with Ladder.open(twin_log, system=Elo(), sync=False) as twin:
        for kill in range(kills):
            told = acknowledged(log, done + 1, chance.uniform(0.0, 0.1), is_patient=kill % 5 > 0)
            ladder = Ladder.load(log)
            while done < told:
                done += 1
                change(done)(twin)
            if ladder.to_bytes() != twin.to_bytes():
                done += 1
                change(done)(twin)
            assert ladder.to_bytes() == twin.to_bytes(), f"kill {kill}, after {told} acknowledged changes"
            twin.checkpoint()  # waits for a thread that a child would inherit half
    assert done > kills, "nothing was recorded"
    print(done)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
