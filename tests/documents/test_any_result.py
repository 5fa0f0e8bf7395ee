"""`podium.document`: every type of result that podium shows has a document, and JSON holds it."""

from __future__ import annotations

import dataclasses
import inspect
import json
from typing import Any

import pandas as pd
import pytest

import podium
from documents.declared_types import check
from podium import Elo, EloMMR, History, Ladder, Matchmaker
from podium.documents import KINDS
from podium.matchmaking.pairing import pair_by_rating
from podium.studies.attacks import Farming, SimulatedContests
from podium.studies.attacks.attack_documents import AttackDocument

MATCHES = {"winner": ["ann", "bob", "cat"] * 3, "loser": ["bob", "cat", "ann"] * 3}


def results() -> dict[str, Any]:
    """One result of each type, by the name of its document's kind and type."""
    history = podium.read_history(pd.DataFrame(MATCHES))
    run = podium.rate(history, "elo", trace=True)
    ladder = Ladder(EloMMR())
    backtest = podium.evaluate(history, ["elo", "glicko"], resamples=2, scopes="everyone")
    maker = Matchmaker("elo")
    tickets = [maker.join(name, mu=1500.0, time=0.0) for name in ("ann", "bob", "cat")]
    tick = maker.tick(1.0)
    made = [
        ("rating", run.ladder.rating("ann")),
        ("change", ladder.record_match("ann", "bob")[0]),
        ("leaderboard", ladder),
        ("leaderboard", run),
        ("ladders", podium.rate_ladders({"here": history}, system="elo", jobs=1)),
        ("contest", podium.changes(history, "elo")),
        ("what-if", podium.what_if(history, "elo", without=1)),
        ("explanation", run.explain("ann")),
        ("explanation", ladder.explain("ann")),
        ("event-explanation", run.explain("ann", 1)),
        ("distribution", ladder.distribution("ann")),
        ("event", history.event(0)),
        ("history", history),
        ("table", run.trace),
        ("table", run.leaderboard()),
        ("table", pd.DataFrame(MATCHES)),
        ("table", Ladder("elo").update(history, trace=True)),
        ("outcomes", ladder.outcomes("ann", "bob")),
        ("rank-probabilities", ladder.rank_probabilities(["ann", "bob", "cat"])),
        ("match", tick.matches[0]),
        ("tick", tick),
        ("ticket", tickets[0]),
        ("pairing", pair_by_rating([1.0, 2.0, 3.0], 1)),
        ("advice", podium.advise(history)),
        ("arena", podium.fit(history)),
        ("backtest", backtest),
        ("comparison", backtest.compare("elo", "glicko")),
        ("tuning", podium.tune(history, "elo", trials=1, jobs=1)),
        ("smoothing", podium.smooth(history, "elo-mmx")),
        ("system", Elo(k=24)),
        (
            "attack",
            podium.attack(["elo"], [Farming(3, 2, 1)], world=SimulatedContests(8, 8), seeds=2, jobs=1),
        ),
    ]
    return {f"{kind} of {type(result).__name__}": result for kind, result in made}


BESIDE = {
    *("Contribution", "Performance"),  # parts of an explanation
    *("Adjustment", "Anchor", "Merge", "Release", "Rename", "Reset", "SetRating"),  # what people give
    *("Conduct", "Metric", "Policy", "Split", "RollingSplit", "LuckFunction", "WinCurve", "Term"),
    *("Reading", "Skipped"),  # notes on a file
}
"""Values of podium that are no results."""


def test_every_result_has_a_document() -> None:
    made = results()
    for name, result in made.items():
        kind = name.partition(" of ")[0]
        document = podium.document(result)
        assert document == {"podium": 1, "kind": kind, **document}
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        declared = {key: value for key, value in document.items() if key not in ("podium", "kind")}
        check(declared, {**KINDS, "attack": AttackDocument}[kind], name)
    public = {name: getattr(podium, name) for name in podium.__all__}
    values = {cls for cls in public.values() if dataclasses.is_dataclass(cls) and inspect.isclass(cls)}
    named = {cls.__name__ for cls in values if not issubclass(cls, podium.RatingSystem)}
    assert named - BESIDE <= {type(result).__name__ for result in made.values()}


def test_the_document_says_what_its_own_function_says() -> None:
    ladder = Ladder("elo")
    ladder.record_match("ann", "bob", time="2026-05-01")
    assert podium.document(ladder.rating("ann"))["last_time"] == "2026-05-01"
    assert [row["player"] for row in podium.document(ladder)["ratings"]] == ["ann", "bob"]
    assert podium.document(History.from_matches(["a"], ["b"]))["events"] == 1
    assert podium.document(ladder.ratings())["rows"][0]["last_time"] == "2026-05-01"


def test_a_system_of_your_own_has_the_document_of_systems() -> None:
    class Own(Elo):
        pass

    assert podium.document(Own())["kind"] == "system"


def test_what_has_no_document() -> None:
    with pytest.raises(podium.ParameterError, match="there is no document of int"):
        podium.document(7)
    with pytest.raises(podium.ParameterError, match="a list has no document") as caught:
        podium.document(Ladder("elo").record_match("ann", "bob"))
    assert "for one in results" in str(caught.value.hint)
