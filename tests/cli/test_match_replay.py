"""`podium match --replay`: a recorded evening through another policy."""

from __future__ import annotations

import json
from pathlib import Path

from cli.command import podium_here

TICKETS = [
    {"time": 0, "join": "ann", "mu": 1500},
    {"time": 1, "join": "zoe", "mu": 1900},
    {"time": 2, "match": ["ann", "zoe"]},
    {"time": 3, "join": "bob", "mu": 1510},
    {"time": 40, "join": "kim", "mu": 1890},
    {"time": 40, "match": ["bob", "kim"]},
]
POLICY = "tolerance = 1.0\n[terms.rating-gap]\nmost = 50\n[terms.win-probability-gap]\n"


def test_a_replay_beside_the_record(tmp_path: Path) -> None:
    record, policy = tmp_path / "tickets.ndjson", tmp_path / "near.toml"
    record.write_text("\n".join(map(json.dumps, TICKETS)))
    policy.write_text(POLICY)
    said = podium_here("match", record, "--replay", "--policy", policy, "--every", "1", "--json")
    document = json.loads(said.stdout)
    then, now = document["outcomes"]
    assert (document["kind"], then["policy"], now["policy"]) == ("replay", "recorded", "near")
    assert (then["spread_median"], now["spread_median"]) == (390, 10)
    assert now["gap_mean"] < 0.1 < then["gap_mean"]
    table = podium_here("match", record, "--replay", "--policy", policy).stdout
    assert "recorded" in table
    assert "near" in table
    assert "wait_p90" in table
    refused = podium_here("match", record, "--replay")
    assert refused.returncode != 0
    assert "a replay needs a policy" in refused.stderr
