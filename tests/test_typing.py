"""What a type checker says of programs that use podium: mistakes are found, and right ones pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

from podium.systems.elo_mmr.contest_system import OtherKeywords
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.elo_mmr.elo_mmx import EloMMX

ROOT = Path(__file__).parent.parent

WRONG = {
    "podium.Foo": 'no attribute "Foo"',
    "podium.Elo(kk=3)": 'Unexpected keyword argument "kk"',
    "podium.EloMMR.from_limits(rhoo=1.0)": 'Unexpected keyword argument "rhoo"',
    'podium.read_history("x.csv", colums={})': 'Unexpected keyword argument "colums"',
    'podium.rate("x.csv", "elo", trce=True)': 'Unexpected keyword argument "trce"',
    'podium.evaluate("x.csv", "elo", scope="everyone")': 'Unexpected keyword argument "scope"',
    'podium.Ladder("elo").preview(rank={})': 'Unexpected keyword argument "rank"',
    'podium.Client("http://x").record(rank={})': 'Unexpected keyword argument "rank"',
    'podium.Client("http://x").preview(rank={})': 'Unexpected keyword argument "rank"',
    'podium.Client("http://x").rating(5)': 'has incompatible type "int"; expected "str"',
    'podium.AsyncClient("http://x").rating("ann").mu': 'has no attribute "mu"',
    "podium.rate(5)": 'Argument 1 to "rate" has incompatible type "int"',
    "podium.Ladder(podium.Elo)": 'Argument 1 to "Ladder" has incompatible type "type[Elo]"',
    'podium.make_system("elo", k=object())': 'Argument "k" to "make_system"',
    "podium.History.from_frame(1)": 'Argument 1 to "from_frame" of "History" has incompatible type "int"',
}
RIGHT = """
import io
import polars as pl

frame = pl.DataFrame({"winner": ["ann"], "loser": ["bob"]})
given: podium.HistoryLike = frame
system: podium.System = "glicko2"
run = podium.rate(given, system, trace=True)
podium.rate(frame.lazy(), podium.Elo())
podium.rate([podium.read_history(frame)])
podium.evaluate(frame, {"mine": podium.EloMMR.from_limits(sigma_limit=60, rho=2.0), "elo": "elo"})
stream = io.BytesIO()
run.ladder.save(stream)
podium.Ladder.load(stream, system="elo").to_bytes()
podium.document(run.ladder.rating("ann"))["kind"].upper()
podium.make_system("elo", k="24").changed(k=32)
with podium.Client("http://x", system=podium.Elo(), fill_times=False) as client:
    gain: float = client.record(ranks={"ann": 1, "bob": 2})[0].gain
    client.update(frame, progress=lambda rows: None).refused[:1]
    names: list[str] = client.leaderboard(top=3)["player"].to_list()
    changes: list[podium.Change] = [change for entry in client.events() for change in entry.changes]


async def asked(client: podium.AsyncClient) -> float:
    async for entry in client.stream(since=0):
        return (await client.rating(entry.changes[0].player)).display
    return await client.expected_score("ann", ["bob", "cat"], at="2026-05-01")
"""


def test_mistakes_are_found_and_right_programs_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one run, with what the checker has kept of podium itself."""
    monkeypatch.chdir(ROOT)
    program = tmp_path / "program.py"
    program.write_text("import podium\n" + "\n".join(WRONG) + "\n" + RIGHT)
    said, failure, _ = api.run([str(program), "--no-error-summary", "--hide-error-context"])
    assert not failure
    found: dict[int, str] = {}
    for line in said.splitlines():
        match = re.fullmatch(r".*program\.py:(\d+): error: (.*)", line)
        if match is not None:
            found[int(match[1])] = match[2]
    assert found.keys() == set(range(2, 2 + len(WRONG))), said
    for number, expected in enumerate(WRONG.values(), start=2):
        assert expected in found[number]


def test_keywords_of_a_named_constructor_are_the_parameters() -> None:
    declared = (EloMMR.declared().keys() | EloMMX.declared().keys()) - EloMMR.limited
    assert OtherKeywords.__annotations__.keys() == declared
