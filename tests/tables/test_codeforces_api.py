"""Saved answers of the Codeforces API: standings, rating changes, and answers to other questions."""

from __future__ import annotations

from typing import Any

import pytest

from podium.errors import InputError
from podium.tables.sources.codeforces_api import CODEFORCES_SCHEMA, codeforces_table, is_codeforces
from podium.tables.sources.contest_json import CONTEST_SCHEMA, is_contest

START, DURATION = 1_611_066_900, 7_200
END = (START + DURATION) * 1_000_000


def row(*handles: str, rank: int = 1, kind: str = "CONTESTANT", **party: Any) -> dict[str, Any]:
    members = [{"handle": handle} for handle in handles]
    return {
        "party": {"contestId": 1474, "members": members, "participantType": kind, "ghost": False, **party},
        "rank": rank,
        "points": 4126.0,
        "penalty": 0,
        "successfulHackCount": 0,
        "unsuccessfulHackCount": 0,
        "problemResults": [{"points": 492.0, "rejectedAttemptCount": 0, "type": "FINAL"}],
    }


def standings(*rows: Any, **contest: Any) -> dict[str, Any]:
    about = {
        "id": 1474,
        "name": "Codeforces Round #696 (Div. 2)",
        "type": "CF",
        "phase": "FINISHED",
        "frozen": False,
        "durationSeconds": DURATION,
        "startTimeSeconds": START,
        "relativeTimeSeconds": 1_010_322,
    }
    return {"status": "OK", "result": {"contest": about | contest, "problems": [], "rows": list(rows)}}


def change(
    handle: str, rank: int, contest: int = 1474, name: str = "Round 696", **more: Any
) -> dict[str, Any]:
    return {
        "contestId": contest,
        "contestName": name,
        "handle": handle,
        "rank": rank,
        "ratingUpdateTimeSeconds": 1_611_081_300,
        "oldRating": 1500,
        "newRating": 1600,
    } | more


def changes(*result: Any) -> dict[str, Any]:
    return {"status": "OK", "result": list(result)}


def refusal(document: object) -> InputError:
    with pytest.raises(InputError) as caught:
        codeforces_table(document, "1474.json")
    assert caught.value.source == "1474.json"
    assert caught.value.hint
    return caught.value


# contest.standings --------------------------------------------------------------------------------


def test_standings() -> None:
    table = codeforces_table(standings(row("ann"), row("bob", rank=2), row("cat", rank=2)), "1474.json")
    assert table.schema == CODEFORCES_SCHEMA
    assert table.columns == [*CONTEST_SCHEMA.names(), "rated", "team"]
    name = "Codeforces Round #696 (Div. 2)"
    assert table.rows() == [
        (name, END, 1.0, None, "ann", 1, 0, True, None),
        (name, END, 1.0, None, "bob", 2, 1, True, None),
        (name, END, 1.0, None, "cat", 2, 2, True, None),
    ]


def test_who_is_rated_who_is_not_and_who_is_left_out() -> None:
    table = codeforces_table(
        standings(
            row("setter", kind="MANAGER"),
            row("ann"),
            row("guest", rank=2, kind="OUT_OF_COMPETITION"),
            row("ann", rank=2, kind="VIRTUAL"),
            row("bob", rank=3),
            row("cat", rank=0, kind="PRACTICE"),
        ),
        "1474.json",
    )
    assert table.select("player", "rank", "rated", "position").rows() == [
        ("ann", 1, True, 1),
        ("guest", 2, False, 2),
        ("bob", 3, True, 4),
    ]


def test_teams() -> None:
    table = codeforces_table(
        standings(
            row("ann", "bob", "cat", teamId=5, teamName="The Aces"),
            row("dan", "eve", rank=2, teamId=6),
            row("fay", rank=3, teamId=7, teamName="One-woman show"),
            row("guy", rank=4),
            row("hal", "ivy", rank=5),
        ),
        "1474.json",
    )
    assert table.select("player", "team", "rank", "position").rows() == [
        ("ann", "The Aces", 1, 0),
        ("bob", "The Aces", 1, 0),
        ("cat", "The Aces", 1, 0),
        ("dan", "team 6", 2, 1),
        ("eve", "team 6", 2, 1),
        ("fay", "One-woman show", 3, 2),
        ("guy", None, 4, 3),
        ("hal", "team hal, ivy", 5, 4),
        ("ivy", "team hal, ivy", 5, 4),
    ]


def test_two_teams_of_one_name_stay_two() -> None:
    table = codeforces_table(
        standings(
            row("ann", "bob", teamId=5, teamName="Aces"),
            row("cat", "dan", rank=2, teamId=6, teamName="Aces"),
            row("eve", "fay", rank=3, teamId=7, teamName="Kings"),
        ),
        "1474.json",
    )
    assert table["team"].to_list() == ["Aces (5)", "Aces (5)", "Aces (6)", "Aces (6)", "Kings", "Kings"]


def test_teams_of_one_are_individuals_where_nobody_has_a_partner() -> None:
    table = codeforces_table(
        standings(
            row("ann", teamId=5, teamName="The Ace"),
            row("bob", rank=2),
            row("cat", "dan", rank=2, kind="VIRTUAL", teamId=6),
        ),
        "1474.json",
    )
    assert table["team"].to_list() == [None, None]
    assert table.schema == CODEFORCES_SCHEMA


def test_ghosts_without_a_handle_are_left_out() -> None:
    table = codeforces_table(standings(row(ghost=True, teamName="SPb SU 1"), row("ann", rank=2)), "1474.json")
    assert table["player"].to_list() == ["ann"]


def test_a_contest_without_a_start_has_no_time() -> None:
    document = standings(row("ann"), row("bob", rank=2))
    del document["result"]["contest"]["startTimeSeconds"]
    assert codeforces_table(document, "1474.json")["time"].to_list() == [None, None]


@pytest.mark.parametrize("phase", ["CODING", "PENDING_SYSTEM_TEST", "SYSTEM_TEST"])
def test_standings_that_may_still_change_are_refused(phase: str) -> None:
    error = refusal(standings(row("ann"), phase=phase))
    assert phase in error.reason
    assert error.event == "Codeforces Round #696 (Div. 2)"


@pytest.mark.parametrize("rows", [[], [row("ann", kind="VIRTUAL"), row("bob", kind="PRACTICE")]])
def test_standings_of_nobody_are_refused(rows: list[Any]) -> None:
    assert f"there are {len(rows)} rows" in refusal(standings(*rows)).reason


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        ("ann", 'rows[1] is "ann", not an object'),
        ({"rank": 2}, 'rows[1]: "party" is missing, not an object'),
        (
            row("bob", kind="SPECTATOR"),
            'rows[1].party: "participantType" is "SPECTATOR", and must be one of CONTESTANT',
        ),
        (row("bob", participantType=None), 'rows[1].party: "participantType" is null, not a string'),
        (row(), "rows[1].party has no members"),
        (row("bob", members="bob"), 'rows[1].party: "members" is "bob", not a list'),
        (row("bob", members=[{}]), 'rows[1].party.members[0]: "handle" is missing, not a string'),
        (row("bob", " "), 'rows[1].party.members[1]: "handle" is empty'),
        (row("bob") | {"rank": "2"}, 'rows[1]: "rank" is "2", not a whole number'),
        (row("bob") | {"rank": True}, 'rows[1]: "rank" is true, not a whole number'),
        (row("bob", rank=0), 'rows[1]: "rank" is 0, not a place in the standings'),
        (row("bob", rank=10**30), 'rows[1]: "rank" is 1000000000000000000000000000000, not a place'),
        (row("bob", teamId="5"), 'rows[1].party: "teamId" is "5", not a whole number'),
        (row("bob", teamId=5, teamName=5), 'rows[1].party: "teamName" is 5, not a string'),
    ],
)
def test_a_faulty_row_is_named(faulty: Any, reason: str) -> None:
    assert refusal(standings(row("ann"), faulty)).reason.startswith(reason)


@pytest.mark.parametrize(
    ("contest", "reason"),
    [
        ({"name": None}, 'contest: "name" is null, not a string'),
        ({"name": ""}, 'contest: "name" is empty'),
        ({"startTimeSeconds": "now"}, 'contest: "startTimeSeconds" is "now", not a whole number'),
        ({"startTimeSeconds": START * 1000}, 'contest: "startTimeSeconds" is 1611066900000'),
        ({"durationSeconds": None}, 'contest: "durationSeconds" is null, not a whole number'),
    ],
)
def test_a_faulty_contest(contest: dict[str, Any], reason: str) -> None:
    assert refusal(standings(row("ann"), **contest)).reason.startswith(reason)


# contest.ratingChanges ----------------------------------------------------------------------------


def test_rating_changes() -> None:
    table = codeforces_table(changes(change("ann", 1), change("bob", 2), change("cat", 2)), "1474.json")
    assert table.schema == CODEFORCES_SCHEMA
    time = 1_611_081_300_000_000
    assert table.rows() == [
        ("Round 696", time, 1.0, None, "ann", 1, 0, True, None),
        ("Round 696", time, 1.0, None, "bob", 2, 1, True, None),
        ("Round 696", time, 1.0, None, "cat", 2, 2, True, None),
    ]


def test_several_contests_in_one_list_keep_the_order_of_the_file() -> None:
    table = codeforces_table(
        changes(
            change("ann", 1, contest=20, name="Second"),
            change("bob", 1, contest=10, name="First"),
            change("bob", 2, contest=20, name="Second"),
            change("ann", 2, contest=10, name="First"),
        ),
        "all.json",
    )
    assert table.select("event", "player", "rank", "position").rows() == [
        ("Second", "ann", 1, 0),
        ("Second", "bob", 2, 2),
        ("First", "bob", 1, 1),
        ("First", "ann", 2, 3),
    ]


def test_two_contests_of_one_name_stay_two() -> None:
    rounds = [change(handle, 1, contest=contest) for contest in (1, 2) for handle in ("ann", "bob")]
    other = [change("ann", 1, contest=3, name="Other")]
    table = codeforces_table(changes(*rounds, *other), "all.json")
    assert table["event"].unique(maintain_order=True).to_list() == ["Round 696 (1)", "Round 696 (2)", "Other"]


def test_a_row_updated_late_does_not_move_the_contest() -> None:
    late = change("ann", 1, ratingUpdateTimeSeconds=1_611_081_300 + 4 * 3600)
    table = codeforces_table(changes(late, change("bob", 2)), "1474.json")
    assert table["time"].to_list() == [1_611_081_300_000_000] * 2


def test_an_unrated_contest_has_no_changes() -> None:
    assert "empty" in refusal(changes()).reason


def test_one_contest_under_two_names_is_refused() -> None:
    error = refusal(changes(change("ann", 1), change("bob", 2, name="Round 697")))
    assert error.reason == "result[1]: contest 1474 is 'Round 697' here and 'Round 696' before"


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        ({"contestId": "1474"}, 'result[1]: "contestId" is "1474", not a whole number'),
        ({"contestName": None}, 'result[1]: "contestName" is null, not a string'),
        ({"handle": ""}, 'result[1]: "handle" is empty'),
        ({"rank": 0}, 'result[1]: "rank" is 0, not a place in the standings'),
        ({"ratingUpdateTimeSeconds": -5}, 'result[1]: "ratingUpdateTimeSeconds" is -5'),
    ],
)
def test_a_faulty_change_is_named(faulty: dict[str, Any], reason: str) -> None:
    assert refusal(changes(change("ann", 1), change("bob", 2) | faulty)).reason.startswith(reason)


# Other answers ------------------------------------------------------------------------------------


def test_a_failed_request_says_what_codeforces_said() -> None:
    error = refusal({"status": "FAILED", "comment": "contestId: Contest with id 9999 not found"})
    assert error.reason.endswith("contestId: Contest with id 9999 not found")


def test_the_history_of_one_user_is_no_contest() -> None:
    rounds = [change("tourist", 1, contest=i, name=f"Round {i}") for i in range(3)]
    for document in (changes(*rounds), changes(rounds[0])):
        error = refusal(document)
        assert "tourist" in error.reason
        assert "user.rating" in error.reason


@pytest.mark.parametrize(
    "result",
    [
        [{"handle": "tourist", "rating": 3800, "rank": "legendary grandmaster"}],  # user.info
        [{"id": 1474, "name": "Round 696", "phase": "FINISHED"}],  # contest.list
        {"problems": [], "problemStatistics": []},  # problemset.problems
        {"contest": {}},
        ["tourist"],
        "OK",
        None,
    ],
)
def test_answers_to_other_questions_are_refused(result: object) -> None:
    error = refusal({"status": "OK", "result": result})
    assert error.hint is not None
    assert "contest.standings" in error.hint
    assert "contest.ratingChanges" in error.hint


@pytest.mark.parametrize("document", [[], None, {}, {"status": "open", "result": []}, {"standings": []}])
def test_what_is_no_answer_of_codeforces(document: object) -> None:
    assert not is_codeforces(document)
    assert "not an answer of the Codeforces API" in refusal(document).reason


def test_formats_are_told_apart() -> None:
    for document in (standings(row("ann")), changes(), {"status": "FAILED", "comment": "no"}):
        assert is_codeforces(document)
        assert not is_contest(document)
