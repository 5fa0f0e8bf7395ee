"""Many threads on one ladder: nothing is lost, and nobody sees half an event."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Thread
from typing import Any

import pytest

from ladder.helpers import content
from podium import (
    Elo,
    EloMMR,
    History,
    Ladder,
    Matchmaker,
    Rename,
    RepeatError,
    SetRating,
    UnknownPlayerError,
)
from podium.systems import RatingSystem

THREADS, GAMES = 8, 12
PLAYERS = [f"p{i}" for i in range(24)]


def work(job: Callable[[int], None]) -> None:
    """Run a job on all threads, with the number of the thread."""
    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(job, number) for number in range(THREADS)]:
            done.result()


@pytest.mark.usefixtures("restless")
@pytest.mark.parametrize("system", [Elo(), EloMMR()], ids=lambda system: system.name)
def test_eight_threads_leave_the_ladder_of_one(system: RatingSystem) -> None:
    """Each event's changes tell what it found; so the order in which events were rated is known."""
    ladder = Ladder(system)
    recorded: list[list[tuple[int, list[Any]]]] = [[] for _ in range(THREADS)]

    def job(number: int) -> None:
        chance = Random(number)
        for game in range(GAMES):
            a, b = chance.sample(PLAYERS, 2)
            changes = ladder.record(ranks={a: 1, b: 2}, name=f"game {number}/{game}")
            recorded[number].append((game, changes))
            look(ladder, chance, a)

    work(job)
    assert ladder.n_events == GAMES * THREADS
    entries = list(ladder._journal._entries)
    assert sorted(entry.name for entry in entries) == sorted(
        f"game {number}/{game}" for number in range(THREADS) for game in range(GAMES)
    )
    answers = {f"game {n}/{game}": changes for n, games in enumerate(recorded) for game, changes in games}
    alone = Ladder(system)
    for entry in entries:
        ranks = {change.player: change.rank for change in answers[entry.name]}
        assert alone.record(ranks=ranks, name=entry.name) == answers[entry.name]
    assert content(alone) == content(ladder)
    assert sum(rating for rating in ladder.ratings()["events"]) == 2 * GAMES * THREADS


def look(ladder: Ladder, chance: Random, player: str) -> None:
    """Look at the ladder in some way; what is seen must fit together."""
    kind = chance.randrange(8)
    if kind == 0:
        table = ladder.leaderboard(min_events=0)
        assert table["events"].sum() % 2 == 0  # every event has two players
        if isinstance(ladder.system, Elo):  # one wins what the other loses
            assert table["mu"].mean() == pytest.approx(ladder.system.mu, abs=1e-9)
    elif kind == 1:
        assert ladder.rating(player).events > 0
    elif kind == 2:
        outcomes = ladder.outcomes(player, "nobody yet")
        assert outcomes.win + outcomes.draw + outcomes.loss == pytest.approx(1.0)
    elif kind == 3:
        assert Ladder.from_bytes(ladder.to_bytes()).ratings()["events"].sum() % 2 == 0
    elif kind == 4:
        assert str(ladder.explain(player)).startswith(player)
    elif kind == 5:
        assert pickle.loads(pickle.dumps(ladder)).ratings()["events"].sum() % 2 == 0
    elif kind == 6:
        assert len(ladder.rank_probabilities([player, "x", "y"]).matrix) == 3
    else:
        assert ladder.copy().ratings()["events"].sum() % 2 == 0


@pytest.mark.usefixtures("restless")
def test_undo_among_records() -> None:
    """As many undos as records: whatever they took back, nothing is left and counts are exact."""
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    before = content(ladder)

    def job(number: int) -> None:
        chance = Random(number)
        for game in range(25):
            ladder.record_match(f"a{number}", f"b{number}", name=f"{number}/{game}")
            look(ladder, chance, "ann")
            ladder.undo()

    work(job)
    assert content(ladder) == before
    assert len(ladder._journal) == 1
    assert len(ladder._repeats.hashes) == 0


@pytest.mark.usefixtures("restless")
def test_one_of_many_wins() -> None:
    """The same named event, and the same new name, are taken once."""
    ladder = Ladder(Elo())
    ladder.adjust(SetRating(player="ann", mu=1600))
    taken: list[int] = []

    def job(number: int) -> None:
        for game in range(10):
            try:
                ladder.record(ranks={"bob": 1, "cat": 2}, name=f"game {game}")
                taken.append(game)
            except RepeatError:
                pass
        try:
            ladder.adjust(Rename(player="ann", into="eve"))
            taken.append(-1)
        except UnknownPlayerError:
            pass

    work(job)
    assert sorted(taken) == [-1, *range(10)]
    assert ladder.n_events == 10


def test_a_pool_waits_for_the_ladder() -> None:
    """While a thread is in the middle of an event, a pool of the ladder looks up no ratings."""
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    maker = Matchmaker(ladder)
    maker.join_many(["ann", "bob"])
    assert len(maker.waiting()) == 2
    seen: list[float] = []

    def look_from_thread(rows: int) -> None:
        looking.start()
        looking.join(0.2)
        assert not seen

    looking = Thread(target=lambda: seen.append(maker.waiting().to_frame()["mu"].max()))
    history = History.from_events([{"ranks": {"bob": 1, "ann": 2}}])
    ladder.update(history, progress=look_from_thread)
    looking.join()
    assert seen == [max(ladder.rating("ann").mu, ladder.rating("bob").mu)]


def test_pickling_while_another_thread_looks() -> None:
    """What is computed and added between two objects of the pickle does not disturb it."""
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    history, _ = ladder._journal.latest.match

    class Disturbed(pickle.Pickler):
        def persistent_id(self, thing: object) -> None:
            if thing is history.offsets:
                assert history.sizes.tolist() == [2]
                assert history.event_of_row.tolist() == [0, 0]
                history.players.add_all([f"new {number}" for number in range(100)])

    stream = io.BytesIO()
    Disturbed(stream).dump(ladder)
    assert pickle.loads(stream.getvalue()).players[:2] == ["ann", "bob"]


def test_copies_have_a_lock_of_their_own() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    for twin in (copy.copy(ladder), copy.deepcopy(ladder), pickle.loads(pickle.dumps(ladder)), ladder.copy()):
        assert twin._lock is not ladder._lock
        twin.record_match("bob", "ann")
        assert ladder.n_events == 1
    assert pickle.loads(pickle.dumps(ladder))._journal.latest.name == "1"
