"""Matches do not depend on how this process hashes texts."""

from __future__ import annotations

import os
import subprocess
import sys

CODE = """
from podium import Elo, Matchmaker, Policy
from podium.matchmaking.policies.terms import BlockList, Latency, Needs, SameAttribute, WinProbabilityGap

terms = (WinProbabilityGap(), Needs(), SameAttribute("map"), Latency(), BlockList())
maker = Matchmaker(Elo(), policy=Policy(terms, tolerance=1))
for i in range(40):
    maker.join(
        f"p{i}", mu=1500, time=i, latency={"eu": 20, "us": 30},
        attributes={"map": "ab"[i % 2], "input": ("pad", "touch", "mouse")[i % 3]},
        needs={"input": {"pad", "touch", "mouse"} - {("pad", "touch", "mouse")[i % 5 % 3]}},
    )
    maker.block(f"p{i}", f"p{i // 2}x")
print([match.players for match in maker.tick(50).matches])
"""


def test_two_processes_that_hash_otherwise_propose_the_same() -> None:
    said = []
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=env
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    assert said[0].count("(") >= 10
