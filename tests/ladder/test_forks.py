"""A forked process has working copies of ladders and pools, whatever other threads were doing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")

BEGIN = """
import os, signal, sys, threading
import podium

def child(work):
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    signal.alarm(30)  # a process that hangs ends with it
    try:
        work()
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)
    os._exit(0)
"""

RECORDING = """
def match(number):
    return f"player {number % 50}", f"player {(number * 7 + 1) % 50 + 50}"

ladder, stop = podium.Ladder("glicko2"), threading.Event()
maker = podium.Matchmaker(ladder, unknown="newcomer")

def record():
    number = 100
    while not stop.is_set():
        if number == 200:
            ladder.undo()
            number -= 1
        ladder.record_match(*match(number))
        number += 1
        maker.join("somebody")
        maker.leave("somebody")

def check():
    assert len(ladder) == 100  # the first call takes back what was under way
    same = podium.Ladder("glicko2")
    for number in range(ladder.n_events):
        same.record_match(*match(number))
    for player in same.players:
        assert ladder.rating(player) == same.rating(player), player
    ladder.record_match("ann", "bob")
    maker.join("ann")
    maker.leave("ann")

for number in range(100):
    ladder.record_match(*match(number))
thread = threading.Thread(target=record)
thread.start()
ended = [child(check) for _ in range(20)]
stop.set()
thread.join()
assert ended == [0] * 20, ended
"""

TABLES = """
ladder = podium.Ladder("elo")
ladder.record_match("ann", "bob")
assert child(ladder.leaderboard) == 0
ladder.leaderboard()

def refused():
    ladder.record_match("ann", "bob")
    for table in (ladder.leaderboard, ladder.ratings):
        try:
            table()
        except podium.InputError as error:
            assert "does not survive" in str(error)
        else:
            raise AssertionError("a table was made")

assert child(refused) == 0
assert len(ladder.leaderboard()) == 2
"""

LOGGED = """
ladder = podium.Ladder.open(sys.argv[1], system="elo")
ladder.record_match("ann", "bob")

def refused():
    assert ladder.rating("ann").events == 1
    for change in (lambda: ladder.record_match("ann", "bob"), ladder.undo, ladder.checkpoint):
        try:
            change()
        except podium.InputError as error:
            assert "opened by another process" in str(error)
        else:
            raise AssertionError("a copy recorded")
    ladder.close()

assert child(refused) == 0
ladder.record_match("ann", "bob")
ladder.close()
assert podium.Ladder.load(sys.argv[1]).n_events == 2
"""


@pytest.mark.parametrize("code", [RECORDING, TABLES, LOGGED], ids=["recording", "tables", "logged"])
def test_forked(code: str, tmp_path: os.PathLike[str]) -> None:
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BEGIN + code, f"{tmp_path}/season"]
    answer = subprocess.run(words, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr
