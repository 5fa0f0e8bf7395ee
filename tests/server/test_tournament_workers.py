"""Two workers of one PostgreSQL take steps of one tournament at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from server.service_processes import Answer, Nursery, Worker

CUP = "/ladders/chess/tournaments/cup"
PLAYERS = [f"player {number:02}" for number in range(20)]
ROUNDS = 3


def at_once(calls: Iterable[Callable[[], Answer]]) -> list[Answer]:
    """The answers to calls that begin together."""
    waiting = list(calls)
    together = Barrier(len(waiting))

    def one(call: Callable[[], Answer]) -> Answer:
        together.wait()
        return call()

    with ThreadPoolExecutor(len(waiting)) as pool:
        return list(pool.map(one, waiting))


def sending(worker: Worker, **step: Any) -> Callable[[], Answer]:
    """A call that sends a step to a worker."""
    return lambda: worker.call("POST", f"/api/v1{CUP}/steps", step)


def test_two_workers_pair_at_once(nursery: Nursery, postgresql_address: str) -> None:
    """One pairs each round and the other is refused; every entrant and every result is there once."""
    workers = [nursery.worker(postgresql_address) for _ in range(2)]
    one, other = workers
    one.api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    one.api("POST", "/ladders/chess/tournaments", {"slug": "cup", "format": f"swiss:{ROUNDS}"})
    joined = at_once(sending(workers[i % 2], join=[name]) for i, name in enumerate(PLAYERS))
    assert [status for status, _ in joined] == [201] * len(PLAYERS), joined
    assert sorted(told["number"] for _, told in joined) == list(range(1, len(PLAYERS) + 1))
    for number in range(1, ROUNDS + 1):
        answers = at_once(sending(worker, pair={}) for worker in workers * 3)
        statuses = [status for status, _ in answers]
        assert sorted(statuses) == [201] + [400] * 5, answers
        assert all("has no result yet" in told["detail"] for status, told in answers if status == 400)
        paired = one.api("GET", CUP)["rounds"]
        assert [each["number"] for each in paired] == list(range(1, number + 1))
        matches = len(paired[-1]["games"])
        reported = at_once(
            sending(workers[match % 2], results=[{"match": match, "score": "1:0"}])
            for match in range(1, matches + 1)
        )
        assert [status for status, _ in reported] == [201] * matches
    shown = one.api("GET", CUP)
    assert shown == other.api("GET", CUP)
    assert sorted(one["player"] for one in shown["entrants"]) == PLAYERS
    met = [frozenset(name for side in game["sides"] for name in side) for game in games(shown)]
    assert len(set(met)) == len(met) == ROUNDS * len(PLAYERS) // 2
    assert shown["finished"]
    assert shown["head"] == shown["reported"] == len(PLAYERS) + ROUNDS * (1 + len(PLAYERS) // 2)
    assert one.api("GET", "/ladders/chess")["head"] == len(met)


def test_a_key_sent_to_two_workers_at_once_pairs_once(nursery: Nursery, postgresql_address: str) -> None:
    """Also for an evening, which may pair again before its results are in."""
    workers = [nursery.worker(postgresql_address) for _ in range(2)]
    workers[0].api("POST", "/ladders", {"slug": "chess", "system": "elo"})
    workers[0].api("POST", "/ladders/chess/tournaments", {"slug": "cup", "format": "evening"})
    workers[0].api("POST", f"{CUP}/steps", {"here": PLAYERS})
    for number in range(1, 6):
        answers = at_once(sending(worker, pair={}, key=f"round {number}") for worker in workers * 2)
        assert sorted(status for status, _ in answers) == [200, 200, 200, 201]
        assert {told["number"] for _, told in answers} == {number + 1}
    shown = [worker.api("GET", CUP) for worker in workers]
    assert shown[0] == shown[1]
    assert len(shown[0]["rounds"]) == 5


def games(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """All matches of a tournament."""
    return [game for each in shown["rounds"] for game in each["games"]]
