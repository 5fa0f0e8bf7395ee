"""Ratings of the service equal those of `podium.Ladder` bit for bit, however the service came by them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from podium.documents.explanation_documents import explained_document
from podium.documents.plain_data import stamped
from podium.errors import PodiumError
from podium.systems import list_systems, make_system
from server.callers import Caller, called_service
from server.ladder_model import LadderModel, Plain, iso, random_reports

SYSTEMS = sorted(list_systems())
ON_POSTGRESQL = ["auto", "elo", "elo-mmr", "trueskill"]
"""Systems of every kind of state; a database does not see more of them."""


def tell(caller: Caller, model: LadderModel, reports: Sequence[Plain], ladder: str = "chess") -> None:
    """Report to both, who must agree on what is refused."""
    for sent in reports:
        if (error := refusal_by(model, sent)) is not None:
            answer = caller.sent(sent, ladder=ladder)
            assert 400 <= answer.status_code < 500, (sent, error, answer.text)
        else:
            outcome = caller.report(sent, ladder=ladder)
            assert (outcome["status"], outcome["number"]) == ("recorded", model.head)


def refusal_by(model: LadderModel, sent: Plain) -> PodiumError | None:
    """Why a ladder refuses a report, or None if it has recorded it."""
    try:
        model.record(sent)
    except PodiumError as error:
        return error
    return None


def compare(caller: Caller, model: LadderModel, ladder: str = "chess") -> None:
    """The whole board, and every number of every rating."""
    found = caller.get("leaderboard", ladder=ladder, min_events=0, limit=1000)
    assert found["ratings"] == model.ratings()
    assert found["head"] == model.head
    assert caller.get("", ladder=ladder)["events"] == model.ladder.n_events


@pytest.mark.parametrize(
    "kind, system",
    [("sqlite", system) for system in SYSTEMS] + [("postgresql", system) for system in ON_POSTGRESQL],
)
def test_ratings_are_those_of_a_ladder(request: pytest.FixtureRequest, kind: str, system: str) -> None:
    database_address = request.getfixturevalue(f"{kind}_address")
    chance = Random(f"{system} on {kind}")
    model = LadderModel(system)
    reports = random_reports(make_system(system), chance, 24)
    with called_service(database_address) as caller:
        caller.create(system=system)
        tell(caller, model, reports[:10])
        compare(caller, model)
        caller.service.checkpoints.write("chess")
        tell(caller, model, reports[10:16])
        caller.service.ladders.drop("chess")  # from the checkpoint and what came after it
        compare(caller, model)
        tell(caller, model, reports[16:20])
    with called_service(database_address) as caller:
        compare(caller, model)
        if database_address.startswith("postgresql"):
            with called_service(database_address) as other:  # which follows what the first one appends
                compare(other, model)
                tell(caller, model, reports[20:22])
                compare(other, model)
                tell(other, model, reports[22:])
                compare(other, model)
        compare(caller, model)
        caller.verified()
        assert caller.client.post("/api/v1/ladders/chess/rebuild").json()["changed"] == 0
        compare(caller, model)
        caller.verified()


@pytest.mark.parametrize("system", SYSTEMS)
def test_explanations_are_those_of_a_ladder(caller: Caller, system: str) -> None:
    model = LadderModel(system)
    caller.create("other", system=system)
    # Names are beside the log: it tells of a set rating by the name that the player has now.
    reports = [
        sent
        for sent in random_reports(make_system(system), Random(system), 30)
        if sent.get("adjustment") != "rename"
    ]
    assert any("adjustment" in sent for sent in reports)
    tell(caller, model, reports, ladder="other")
    for player in model.ladder.players:
        if player in model.ladder:
            found = caller.get("explanation", ladder="other", player=player)
            told = stamped("explanation", explained_document(model.ladder.explain(player)))
            assert without_names(found) == without_names(told)
            if found["explanation"]["form"] == "changes":
                assert found["explanation"]["contributions"]
                assert rating_of(found["explanation"]) == pytest.approx(model.ladder.rating(player).display)


def without_names(found: Plain) -> Plain:
    """An explanation without the names of others, whose accounts may have been merged since."""
    told = found["explanation"]
    if "start_words" in told:
        told["start_words"] = told["start_words"].split("player=")[0]
    for part in told.get("contributions", told.get("performances")):
        part["event"] = part["event"].split("player=")[0]
        if part["match"] is not None:
            part["match"] |= {side: len(part["match"][side]) for side in ("opponents", "partners")}
    return found


def rating_of(explanation: Plain) -> float:
    """The sum of an explanation's lines."""
    changes = sum(part["change"] for part in explanation["contributions"])
    return float(explanation["newcomer"] + explanation["older_results"] + changes + explanation["absence"])


def test_predictions_are_those_of_a_ladder(caller: Caller) -> None:
    model = LadderModel("trueskill")
    caller.create("other", system="trueskill")
    reports = random_reports(model.ladder.system, Random(5), 20, adjusting=False)
    tell(caller, model, reports, ladder="other")
    ladder = model.ladder
    found = caller.ask("chances", {"a": ["p1", "p2"], "b": ["p3", "who"]}, ladder="other").json()
    assert found["expected_score"] == ladder.expected_score(["p1", "p2"], ["p3", "who"])
    outcomes = ladder.outcomes(["p1", "p2"], ["p3", "who"])
    assert found["outcomes"] == {"win": outcomes.win, "draw": outcomes.draw, "loss": outcomes.loss}
    sides = ["p1", "p2", ["p3", "p4"]]
    found = caller.ask("expected-ranks", {"sides": sides}, ladder="other").json()
    assert found["expected_ranks"] == ladder.expected_ranks(sides).tolist()
    found = caller.ask("top-chances", {"sides": sides, "k": 2}, ladder="other").json()
    assert found["chances"] == ladder.top_chances(sides, 2).tolist()
    found = caller.ask("rank-probabilities", {"sides": sides}, ladder="other").json()
    assert found["podium"] == 1
    running = {"ranks": {"p1": 1, "p2": 2, "new": 3}}
    found = caller.ask("preview", running, ladder="other").json()
    expected = ladder.preview(**running)
    assert [(one["player"], one["display"]) for one in found["changes"]] == [
        (one.player, one.display) for one in expected
    ]
    rank = caller.ask("rank-to-reach", {"player": "p2", "rating": 20, **running}, ladder="other").json()[
        "rank"
    ]
    assert rank == ladder.rank_to_reach("p2", 20, **running)
    found = caller.ask("ranks-to-reach", {"ratings": [20, 30], **running}, ladder="other").json()
    assert {one["player"]: tuple(one["ranks"]) for one in found["players"]} == {
        player: tuple(ladder.rank_to_reach(player, rating, **running) for rating in (20, 30))
        for player in running["ranks"]
    }
    at = "2030-01-01"
    found = caller.get("rating", ladder="other", player="p1", at=at)
    assert (found["mu"], found["sigma"]) == (ladder.rating("p1", at=at).mu, ladder.rating("p1", at=at).sigma)
    compare(caller, model, ladder="other")  # asking has changed nothing
    assert iso(None) is None


@pytest.mark.parametrize("fill_times", [True, False])
def test_a_rank_to_reach_is_the_worst_with_which_a_preview_reaches_it(
    caller: Caller, fill_times: bool
) -> None:
    """After years without an event, what one more changes depends on when it is: now, if nothing is said."""
    caller.create("old", "glicko", parameters={"c": 60.0, "periods_per_day": 0.01}, fill_times=fill_times)
    names = [f"p{number}" for number in range(6)]
    for _ in range(6):
        ranks = {name: place for place, name in enumerate(names, 1)}
        caller.report({"ranks": ranks, "time": "2020-01-01"}, ladder="old")

    def reached(rank: int) -> float:
        order = [name for name in names if name != "p3"]
        order.insert(rank - 1, "p3")
        ranks = {name: place for place, name in enumerate(order, 1)}
        changes = caller.ask("preview", {"ranks": ranks}, ladder="old").json()["changes"]
        return float(next(change["display"] for change in changes if change["player"] == "p3"))

    running = {"ranks": {name: place for place, name in enumerate(names, 1)}}
    for rank in range(1, 7):
        asked = {"player": "p3", "rating": reached(rank) - 0.5, **running}
        assert caller.ask("rank-to-reach", asked, ladder="old").json()["rank"] == rank


def test_an_explanation_leaves_out_events_that_did_not_count(caller: Caller) -> None:
    caller.create("season", system="elo")
    caller.report({"ranks": {"ann": 1, "bob": 2}, "name": "one"}, ladder="season")
    caller.report({"ranks": {"bob": 1, "ann": 2}, "name": "show", "unrated": ["ann"]}, ladder="season")
    explained = caller.get("explanation", ladder="season", player="ann")["explanation"]
    assert [part["event"] for part in explained["contributions"]] == ["one"]
    assert len(caller.get("explanation", ladder="season", player="bob")["explanation"]["contributions"]) == 2
