"""Tiers as a setting of a ladder: pages show them, and what makes no sense is refused."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sqlalchemy import select, update

from podium.server.storage import tables
from server.callers import Caller

TIERS = [{"name": "Gold", "lower": 1510, "colour": "#d4a017"}, {"name": "Bronze"}]


def change(caller: Caller, **settings: Any) -> Any:
    return caller.client.patch("/api/v1/ladders/chess", json=settings)


def shown(caller: Caller, path: str) -> Any:
    return caller.client.get(f"/ladders/chess{path}", params={"format": "json"}).json()


def test_tiers_are_kept_and_shown_on_every_page(any_caller: Caller) -> None:
    caller = any_caller
    caller.report({"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01"})
    assert change(caller, tiers=TIERS).status_code == 200
    kept = caller.client.get("/api/v1/ladders/chess").json()["tiers"]
    assert [(tier["name"], tier["lower"]) for tier in kept] == [("Bronze", None), ("Gold", 1510.0)]
    assert kept[1]["colour"] == "#d4a017"
    assert re.fullmatch("#[0-9a-f]{6}", kept[0]["colour"])  # which podium has chosen
    board = shown(caller, "/")
    assert [(row["player"], row["tier"]) for row in board["rows"]] == [("ann", "Gold"), ("bob", "Bronze")]
    assert [(tier["name"], tier["players"]) for tier in board["tiers"]] == [("Bronze", 1), ("Gold", 1)]
    bob = shown(caller, "/players/1")
    assert (bob["tier"]["name"], bob["next_tier"]["name"]) == ("Bronze", "Gold")
    assert [row["tier"] for row in shown(caller, "/events/1")["standings"]] == ["Gold", "Bronze"]
    page = caller.client.get("/ladders/chess/").text
    assert "#d4a017" in page
    assert change(caller, tiers=[]).json()["tiers"] == []
    assert [row["tier"] for row in shown(caller, "/")["rows"]] == [None, None]


@pytest.mark.parametrize(
    ("tiers", "words"),
    [
        ([{"name": "Gold"}, {"name": "Gold", "lower": 1}], "two tiers are called 'Gold'"),
        ([{"name": "Gold"}, {"name": "Silver"}], "both have no lower bound"),
        ([{"name": "Gold", "colour": "gold"}], "has the colour 'gold'"),
        ([{"name": f"Tier {n}", "lower": n} for n in range(51)], "there are 51 tiers"),
        ([{"name": " "}], "a tier has no name"),
        ([{"name": "Gold", "from": 1}], "from"),
        ([{"lower": 1}], "name"),
    ],
)
def test_tiers_that_make_no_sense_are_refused(caller: Caller, tiers: Any, words: str) -> None:
    answer = change(caller, tiers=tiers)
    assert answer.status_code == 400
    assert words in answer.text
    assert caller.client.get("/api/v1/ladders/chess").json()["tiers"] == []


def test_a_ladder_of_an_older_version_has_no_tiers(caller: Caller) -> None:
    with caller.service.database.writing() as connection:
        kept = json.loads(connection.execute(select(tables.ladder.c.settings)).scalar_one())
        del kept["tiers"]
        connection.execute(update(tables.ladder).values(settings=json.dumps(kept)))
    assert caller.client.get("/api/v1/ladders/chess").json()["tiers"] == []
    assert change(caller, title="Chess").json()["tiers"] == []


def test_tiers_can_be_chosen_by_name(caller: Caller) -> None:
    kept = change(caller, tiers="three").json()["tiers"]
    assert [(tier["name"], tier["lower"]) for tier in kept] == [
        ("Bronze", None),
        ("Silver", 1400.0),
        ("Gold", 1650.0),
    ]
    answer = change(caller, tiers="golden")
    assert (answer.status_code, "three, five" in answer.json()["hint"]) == (400, True)
