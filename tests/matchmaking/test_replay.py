"""Recorded tickets through another policy, beside what was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import Elo, Glicko, InputError, Policy
from podium.matchmaking import Conduct, Needs, NoRematch, RatingGap, WaitingTime, WinProbabilityGap
from podium.matchmaking.replay import read_record, recorded_outcome, replay

OPEN = Policy((WinProbabilityGap(),), tolerance=1)


def written(folder: Path, *events: dict[str, Any] | str) -> Path:
    path = folder / "tickets.ndjson"
    lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def join(time: float, who: str | list[str], mu: float | list[float] = 1500, **said: Any) -> dict[str, Any]:
    return {"time": time, "join": who, "mu": mu, **said}


def test_waits_and_gaps_beside_what_was(tmp_path: Path) -> None:
    record = read_record(
        written(
            tmp_path,
            join(0, "ann"),
            join(1, "zoe", 1900),
            {"time": 2, "match": ["ann", "zoe"]},
            join(3, "bob", 1510),
            join(40, "kim", 1890),
            {"time": 40, "match": ["bob", "kim"]},
        )
    )
    then = recorded_outcome(record, Elo())
    gap = float(Elo().win_probability(1900.0, None, 1500.0, None)) - 0.5
    assert (then.matched, then.matches) == (4, 2)
    assert then.waits.tolist() == [2, 1, 37, 0]
    assert then.gaps[0] == pytest.approx(gap)
    assert then.spreads.tolist() == [400, 380]
    near = Policy((RatingGap(50), WinProbabilityGap()), tolerance=1)
    now = replay(record, Elo(), "1v1", near, every=1)
    assert now.waits.tolist() == [3, 39, 0, 0]
    assert now.spreads.tolist() == [10, 10]
    assert now.gaps.max() < 0.02
    assert now.row()["wait_median"] == 1.5


def test_who_left_leaves_if_still_waiting(tmp_path: Path) -> None:
    record = read_record(
        written(tmp_path, join(0, "ann"), {"time": 9, "leave": "ann"}, join(12, "bob"), join(30, "ann"))
    )
    assert (recorded_outcome(record, Elo()).left, recorded_outcome(record, Elo()).matched) == (1, 0)
    now = replay(record, Elo(), "1v1", OPEN, every=2)
    assert (now.left, now.matched, now.waits.tolist()) == (1, 2, [18, 0])


def test_answers_are_those_of_the_record(tmp_path: Path) -> None:
    """Whoever declined declines the first match, and an answer takes as long as it took."""
    record = read_record(
        written(
            tmp_path,
            join(0, "ann"),
            join(0, "bob"),
            {"time": 1, "decline": "bob"},
            join(5, "cat"),
            {"time": 9, "accept": "cat", "after": 4},
            {"time": 9, "match": ["ann", "cat"]},
        )
    )
    policy = Policy((WinProbabilityGap(),), tolerance=1, conduct=Conduct(declining=(600,)))
    now = replay(record, Elo(), "1v1", policy, every=1)
    assert (now.declined, now.matched) == (1, 2)
    assert now.waits.tolist() == [9, 4]


def test_a_player_joins_again_while_still_waiting(tmp_path: Path) -> None:
    record = read_record(written(tmp_path, join(0, "ann"), join(100, "ann"), join(100, "bob")))
    now = replay(record, Elo(), "1v1", OPEN, every=5)
    assert (now.tickets, now.matched, now.left) == (3, 2, 1)


@pytest.mark.parametrize("mode", ["2v2", "ffa:3", "2v2v2", "3v3, 2v2 after 20 s"])
def test_parties_needs_and_other_modes(tmp_path: Path, mode: str) -> None:
    chance = np.random.default_rng(1)
    events: list[dict[str, Any]] = []
    for i in range(60):
        said = {"sigma": 80.0, "attributes": {"lang": "en"}, "needs": {"lang": ["en"]}}
        who: str | list[str] = [f"a{i}", f"b{i}"] if i % 3 == 0 and "v" in mode else f"p{i}"
        mu = chance.normal(1500, 100, 2).tolist() if isinstance(who, list) else chance.normal(1500, 100)
        events.append(join(i, who, mu, **(said | {"sigma": [80.0, 70.0]} if isinstance(who, list) else said)))
    record = read_record(written(tmp_path, *events))
    policy = Policy((WinProbabilityGap(), Needs(), WaitingTime(), NoRematch(1)), tolerance=0.5)
    now = replay(record, Glicko(), mode, policy, every=5)
    assert now.matches > 3
    assert now.gaps.max() < 0.5
    again = replay(record, Glicko(), mode, policy, every=5)
    assert again.row() == now.row()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2: "),
        ("[]", "line 2: an event must be an object"),
        ('{"join": "bob", "mu": 1}', "line 2: the time is None"),
        ('{"time": -1, "join": "bob", "mu": 1}', "line 2: the event is of -1 s, before the 0 s"),
        ('{"time": 1}', "line 2: an event has one of join, leave"),
        ('{"time": 1, "leave": "bob"}', "line 2: 'bob' has not joined"),
        ('{"time": 1, "join": "bob"}', "line 2: the rating mu is missing"),
        ('{"time": 1, "join": "bob", "mu": 1, "rank": 2}', "line 2: a join has no 'rank'"),
        ('{"time": 1, "join": 3, "mu": 1}', "line 2: 3 is not a player"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(InputError, match=f"tickets.ndjson, {reason}"):
        read_record(written(tmp_path, join(0, "ann"), line))


def test_records_without_tickets_or_deviations(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the record has no tickets"):
        read_record(written(tmp_path, ""))
    record = read_record(written(tmp_path, join(0, "ann"), join(0, "bob")))
    with pytest.raises(InputError, match="'ann' joins without a deviation sigma"):
        replay(record, Glicko(), "1v1", OPEN)
    with pytest.raises(InputError, match="a tick every 0 seconds"):
        replay(record, Elo(), "1v1", OPEN, every=0)
