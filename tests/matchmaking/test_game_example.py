"""The game in `examples` loses no answered join and rates no match twice, though it is killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from podium import Ladder, Matchmaker

EXAMPLE = Path(__file__).parents[2] / "examples" / "game.py"
QUEUES = {"duel": "1v1", "teams": "2v2", "free": "ffa:4"}
BOTS, KILLS = 30, 3


@pytest.mark.compiled
def test_the_game_of_bots_continues_after_it_was_killed(tmp_path: Path) -> None:
    folder, chance, events = tmp_path / "game", random.Random(1), 0
    command = [sys.executable, str(EXAMPLE), str(folder), str(BOTS)]
    play(command, 20)
    for _ in range(KILLS):
        child = subprocess.Popen([*command, "1000000"])
        before = size(folder)
        while size(folder) == before and child.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.3))
        child.kill()
        child.wait()
        events = check(folder, events)
    said = play(command, 5)
    assert said.startswith(f"{check(folder, events)} matches after ")


def play(command: list[str], seconds: int) -> str:
    answer = subprocess.run([*command, str(seconds)], capture_output=True, text=True, encoding="utf-8")
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def size(folder: Path) -> list[int]:
    return [path.stat().st_size for path in sorted(folder.glob("*.db*"))]


def check(folder: Path, events: int) -> int:
    """What has to be true between two runs; the number of matches that are rated."""
    with Ladder.open(folder) as ladder:
        pools = [Matchmaker.open(folder, ladder, mode, name=name) for name, mode in QUEUES.items()]
        assert sum(maker.counters().matches_finished for maker in pools) == ladder.n_events >= events
        players = [bot for maker in pools for match in maker.running() for bot in match.players]
        players += [f"bot {i}" for i in range(BOTS) for maker in pools if f"bot {i}" in maker]
        assert len(players) == len(set(players)), "a bot is in two places"
        assert ladder.n_events > 0
        return ladder.n_events
