"""Kill a game with three queues, again and again, and look whether each answered call counted once.

    python killed_game.py FOLDER KILLS SEED

A child joins players, ticks, lets players leave their matches and fills their places, reports results, and
says each call that was answered. After each kill the pools must have every answered ticket with the time at
which it joined, every match its players, and the ladder every answered result once; a match is rated if and
only if its pool has ended it, and no player is in two matches.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from typing import Any

from podium import Ladder, Matchmaker

QUEUES = {"duel": "1v1", "teams": "2v2", "free": "ffa:4"}
BOTS = 60
PATIENCE = 30.0
"""Seconds a child has for an answer."""


def opened(folder: str, ladder: Ladder) -> dict[str, Matchmaker]:
    return {
        name: Matchmaker.open(folder, ladder, mode, name=name, unknown="newcomer")
        for name, mode in QUEUES.items()
    }


def play(folder: str, answers: int, seed: int) -> None:
    """Go on with the game until somebody kills the process."""
    chance = random.Random(seed)

    def say(*told: object) -> None:
        os.write(answers, json.dumps(told).encode() + b"\n")

    with Ladder.open(folder, checkpoint_rows=200) as ladder:
        pools = opened(folder, ladder)
        now = max(0.0, *(maker.clock for maker in pools.values()))
        while True:
            now += 1.0
            for name, maker in pools.items():
                maker.tick(now)
                idle = {f"{name} {i}" for i in range(BOTS)} - {p for m in maker.running() for p in m.players}
                for player in sorted(player for player in idle if player not in maker)[
                    : chance.randint(0, 9)
                ]:
                    say("join", name, player, maker.join(player).time)
                maker.tick()
                for match in maker.proposed():
                    if match.continues is None and chance.random() < 0.2:
                        gone = match.players[0]
                        maker.cancel(match, by=gone)
                        say("left", name, gone)
                for match in maker.proposed():
                    maker.start(match)
                    say(
                        "start",
                        name,
                        match.number if match.continues is None else match.continues,
                        match.players,
                    )
                for match in maker.running():
                    if name == "teams" and not match.left and chance.random() < 0.3:
                        maker.leave_match(match, chance.choice(match.players), reason="excused")
                        say("ask", name, maker.backfill(match).match)
                    elif chance.random() < 0.7:
                        places = range(1, len(match.sides) + 1)
                        changes = maker.result(match, ranks=chance.sample(places, len(places)))
                        say("result", name, match.number, changes.number)


def told_by_a_child(folder: str, lines: int, seed: int) -> list[list[Any]]:
    """What a child said before it was killed, some time after so many lines."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        play(folder, writing, seed)
    os.close(writing)
    said = b""
    while said.count(b"\n") < lines and select.select([reading], [], [], PATIENCE)[0]:
        said += os.read(reading, 1 << 12)
    time.sleep(random.Random(seed).uniform(0.0, 0.01))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answers:
        said += answers.read()
    return [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith(b"\n")]


def main(folder: str, kills: int, seed: int) -> None:
    """Kill and look, so many times."""
    chance, path = random.Random(seed), f"{folder}/game"
    waiting: dict[tuple[str, str], float] = {}
    rated: dict[tuple[str, int], int] = {}
    players: dict[tuple[str, int], set[str]] = {}
    filled = 0
    Ladder.open(path, system="elo").close()
    Ladder("elo").record_match("a", "b")  # so that children need not load the kernel
    for kill in range(kills):
        for what, name, *told in told_by_a_child(path, chance.randint(1, 60), 1000 * seed + kill):
            if what == "join":
                waiting[name, told[0]] = told[1]
            elif what == "left":
                del waiting[name, told[0]]
            elif what == "start":
                before = players.get((name, told[0]), set())
                filled += bool(before)
                for player in set(told[1]) - before:
                    del waiting[name, player]
                players[name, told[0]] = set(told[1])
            elif what == "ask":
                assert len(players[name, told[0]]) == 4
            else:
                assert (name, told[0]) not in rated, "answered twice"
                rated[name, told[0]] = told[1]
        with Ladder.open(path) as ladder:
            pools = opened(path, ladder)
            numbers = [one.number for one in ladder.numbered_events()]
            assert len(numbers) == ladder.n_events
            assert set(rated.values()) <= set(numbers)
            ended = 0
            for name, maker in pools.items():
                found = maker.running()
                here = [player for match in found for player in match.players if player not in match.left]
                playing, running = set(here), {match.number for match in found}
                assert len(here) == len(playing), "a player is in two matches"
                changed = [
                    match
                    for match in found
                    if players.setdefault((name, match.number), set(match.players)) != set(match.players)
                ]
                assert len(changed) <= 1, "only the call without an answer may have filled a match"
                players |= {(name, match.number): set(match.players) for match in changed}
                assert not {number for queue, number in rated if queue == name} & running
                ended += maker.counters().matches_finished
                mine = {player: when for (queue, player), when in waiting.items() if queue == name}
                gone = [player for player in mine if player not in maker and player not in playing]
                assert len(gone) <= 1, "only the call without an answer may have taken a player out"
                for player, when in mine.items():
                    assert player not in maker or maker.ticket(player).time == when
            assert ended == ladder.n_events, "a match is rated if and only if it has ended"
            waiting = {
                (name, player): maker.ticket(player).time
                for name, maker in pools.items()
                for player in (f"{name} {i}" for i in range(BOTS))
                if player in maker and maker.ticket(player).backfill is None
            }
    assert len(rated) > kills, "no results were reported"
    assert filled or kills < 20, "no match was filled"
    print(len(rated))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
