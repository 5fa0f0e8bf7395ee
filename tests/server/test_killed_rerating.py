"""Ratings computed anew by a job process that is killed, while others report: all is as the log says."""

from __future__ import annotations

from random import Random
from unittest import mock

import pytest

from server.callers import Caller, Plain
from server.corrected_model import CorrectedModel
from server.test_correcting import NEAR, board
from server.test_job_process import busy, is_over, killed_until_over

MATCHES = 60
ROUNDS = 8


def matches(chance: Random, number: int) -> list[Plain]:
    pairs = [chance.sample([f"p{player}" for player in range(9)], 2) for _ in range(number)]
    return [{"ranks": {winner: 1, loser: 2}, "time": 1_750_000_000} for winner, loser in pairs]


def send(caller: Caller, model: CorrectedModel, sent: Plain) -> None:
    """Report something, of which the judge learns if it is acknowledged."""
    assert caller.report(sent)["status"] == "recorded"
    model.add(sent)


def check_killed(database: str, kills: int, seed: int) -> None:
    chance = Random(seed)
    model = CorrectedModel("elo")
    with busy(database) as caller, mock.patch(NEAR, -1):  # as if everything were far from the end
        for sent in matches(chance, MATCHES):
            send(caller, model, sent)
        for number in chance.sample(range(1, MATCHES), 2):
            send(caller, model, {"void": number})
            (job,) = caller.client.get("/api/v1/jobs", params={"limit": 1}).json()["jobs"]
            send(caller, model, matches(chance, 1)[0])
            found = killed_until_over(caller, job["number"], kills, chance)
            assert found["status"] == "done", found["reason"]
            kills = 0
        (job,) = caller.client.get("/api/v1/jobs", params={"limit": 1}).json()["jobs"]
        while not is_over(caller, job["number"]):
            pass
        assert caller.get("")["pending"] == 0
        assert board(caller) == model.ratings()
        assert caller.verified()["head"] == len(model.log)


@pytest.mark.long
def test_ratings_are_computed_anew_though_the_process_is_killed(sqlite_address: str) -> None:
    check_killed(sqlite_address, 1, 5)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_ratings_are_computed_anew_however_often_the_process_is_killed(
    database_address: str, seed: int
) -> None:
    check_killed(database_address, 4, seed)
