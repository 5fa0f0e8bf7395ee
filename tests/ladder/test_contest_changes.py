"""`podium.changes`: a contest as it is published, rated already or not yet."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import podium
from ladder.helpers import content
from podium import Elo, EloMMR, Glicko2, History, InputError, Ladder, OrderError, ParameterError, RepeatError
from podium.history import Adjustment, Rename, SetRating

THREE = {"ann": 1, "bob": 2, "cat": 3}


def contest(number: int, ranks: dict[str, int] = THREE, **more: Any) -> dict[str, Any]:
    return {"ranks": ranks, "name": f"round {number}", "time": f"2026-05-{number:02}", **more}


SEASON: list[dict[str, Any] | Adjustment] = [
    contest(1),
    contest(2, {"bob": 1, "cat": 1, "dan": 3}),
    contest(3, {"dan": 1, "ann": 2, "cat": 3, "eve": 3}, unrated=["cat"]),
]


def test_elo_by_hand() -> None:
    """K is 32 for a whole score, which is the mean over opponents: (1 − 1/2) · 32 = 16 for the first round.

    In round 2 bob (1500) and cat (1484) are tied before dan (1500). Against dan bob expects 1/2, and against
    cat 1/(1 + 10^(−16/400)) = 0.5230: he scores (1/2 + 1)/2 and gains 32 (0.75 − 0.5115) = 7.632.
    """
    found = podium.changes(History.from_events(SEASON[:2]), Elo())
    bob = found.frame.row(0, named=True)
    assert (bob["player"], bob["rank"], bob["new"], bob["rated"]) == ("bob", 1, False, True)
    assert bob["display_before"] == 1500.0
    assert bob["gain"] == pytest.approx(32 * (0.75 - (0.5 + 1 / (1 + 10 ** (-16 / 400))) / 2))
    assert found.frame["new"].to_list() == [False, False, True]
    assert found.title == "round 2, 2026-05-02"


@pytest.mark.parametrize("system", [Elo(), EloMMR(), Glicko2(period="7d")], ids=lambda system: system.name)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_contest_is_as_the_whole_season_traced_it(system: podium.RatingSystem, number: int) -> None:
    history = History.from_events(SEASON)
    trace = podium.rate(history, system, trace=True).trace.filter(pl.col("event") == f"round {number}")
    found = podium.changes(history, system, event=f"round {number}").frame
    assert found["player"].to_list() == trace["player"].to_list()
    for column in ("mu_before", "mu", "display", "rank"):
        assert found[column].to_list() == trace[column].to_list()
    assert found["performance"].null_count() == (0 if system.has_performance else found.height)
    assert (found["gain"] - (trace["display"] - trace["display_before"])).abs().max() == 0.0


def test_the_expected_place_is_what_the_ladder_says() -> None:
    ladder = podium.rate(History.from_events(SEASON[:2]), EloMMR()).ladder
    found = podium.changes(History.from_events(SEASON), EloMMR())
    players = found.frame["player"].to_list()
    assert found.frame["expected_rank"].to_list() == ladder.expected_ranks(players).tolist()
    assert found.frame["expected_rank"].sum() == pytest.approx(1 + 2 + 3 + 4)


def test_notes() -> None:
    table = podium.changes(History.from_events(SEASON), Elo()).table()
    assert table.columns == ["place", "player", "old", "new", "gain", "expected", "note"]
    notes = dict(zip(table["player"], table["note"], strict=True))
    assert notes == {"dan": "", "ann": "", "cat": "unrated", "eve": "new"}
    assert table.row(2)[3:5] == ("–", "–")  # an unrated event sets no rating
    assert "performance" in podium.changes(History.from_events(SEASON), EloMMR()).table().columns


def test_order_and_number() -> None:
    found = podium.changes(History.from_events(SEASON), Elo())
    gains = found.sorted("gain")["gain"].to_list()
    assert gains == sorted(gains, reverse=True)
    assert found.sorted("gain", 2).height == found.table(top=2).height == 2
    assert found.table(top=0).columns == found.table().drop("note").columns
    assert found.table(digits=3)["new"][0] == f"{found.frame['display'][0]:.3f}"
    with pytest.raises(ParameterError, match="'place' or 'gain'"):
        found.sorted("name")  # type: ignore[arg-type]


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_a_published_row_adds_up(digits: int) -> None:
    for row in (
        podium.changes(History.from_events(SEASON), EloMMR()).table(digits=digits).iter_rows(named=True)
    ):
        if row["note"] == "unrated":
            continue
        old, new, gain = (float(row[name].replace("−", "-")) for name in ("old", "new", "gain"))
        assert old + gain == pytest.approx(new, abs=1e-9)


def test_adjustments_before_the_contest_count() -> None:
    season = [*SEASON[:2], SetRating(player="ann", mu=1900), Rename(player="bob", into="rob")]
    history = History.from_events([*season, contest(3, {"ann": 1, "rob": 2, "bob": 3})])
    found = podium.changes(history, Elo()).frame
    assert found["display_before"][0] == 1900.0
    assert found["new"].to_list() == [False, False, True]  # who took the name over is somebody else
    assert found["display_before"][2] == 1500.0


def test_matches_of_one_day() -> None:
    days = ["2026-05-01", "2026-05-08", "2026-05-08"]
    history = History.from_matches(
        ["ann", "ann", "bob"], ["bob", "cat", "dan"], [1, 0.5, 0], time=days, home="a"
    )
    found = podium.changes(history, Elo(home_advantage=100))
    assert found.is_matches
    assert found.title == "2 matches of 2026-05-08"
    assert found.frame.select("player", "opponent", "result", "new").rows() == [
        ("ann", "cat", "draw", False),
        ("cat", "ann", "draw", True),
        ("dan", "bob", "win", True),
        ("bob", "dan", "loss", False),
    ]
    ladder = podium.rate(history[:1], Elo(home_advantage=100)).ladder
    score = ladder.expected_score("ann", "cat", home="ann")
    assert found.frame["expected_rank"].to_list()[:2] == [2 - score, 1 + score]
    assert found.table()["expected"][0] == f"{100 * score:.0f}%"
    assert podium.changes(history, Elo(), event=2).frame.height == 2  # that match alone


def test_a_player_of_two_matches_of_a_day_goes_on_from_the_first() -> None:
    history = History.from_matches(["ann", "ann"], ["bob", "cat"], time=["2026-05-01"] * 2)
    found = podium.changes(history, Elo()).frame.filter(pl.col("player") == "ann")
    assert found["display_before"].to_list() == [1500.0, 1516.0]
    assert found["new"].to_list() == [True, False]


def test_without_times_it_is_the_last_match() -> None:
    found = podium.changes(History.from_matches(["ann", "bob"], ["bob", "cat"]), Elo())
    assert found.frame["player"].to_list() == ["bob", "cat"]
    assert found.title == "event 2"


def test_teams() -> None:
    teams = [["ann", "bob"], ["cat", "dan"], ["eve", "fay"]]
    three = podium.changes(History.from_events([{"teams": teams, "ranks": [2, 1, 3]}]), Elo())
    assert three.frame["rank"].to_list() == [1, 1, 2, 2, 3, 3]
    assert three.frame["expected_rank"].to_list() == pytest.approx([2.0] * 6)
    assert three.frame["team"].to_list() == ["2", "2", "1", "1", "3", "3"]
    two = podium.changes(History.from_events([{"teams": teams[:2], "ranks": [1, 2]}]), Elo())
    assert two.frame["opponent"].to_list() == ["cat + dan", "cat + dan", "ann + bob", "ann + bob"]


def test_a_preview_changes_nothing() -> None:
    ladder = podium.rate(History.from_events(SEASON[:2]), EloMMR()).ladder
    before = content(ladder)
    found = podium.changes(History.from_events(SEASON[2:]), ladder=ladder)
    assert content(ladder) == before
    assert found.preview
    recorded = ladder.record(**SEASON[2])  # type: ignore[arg-type]
    assert dict(zip(found.frame["player"], found.frame["mu"], strict=True)) == {
        change.player: change.mu for change in recorded
    }


def test_several_contests_that_are_not_rated_yet() -> None:
    ladder = podium.rate(History.from_events(SEASON[:1]), Elo()).ladder
    found = podium.changes(History.from_events(SEASON[1:]), ladder=ladder)
    assert found.frame.equals(podium.changes(History.from_events(SEASON), Elo()).frame)


def test_refusals() -> None:
    history, ladder = History.from_events(SEASON), Ladder(Elo())
    with pytest.raises(InputError, match="there is no event 'round 4'"):
        podium.changes(history, Elo(), event="round 4")
    with pytest.raises(InputError, match="there are no events"):
        podium.changes(history[:0], Elo())
    with pytest.raises(ParameterError, match="the ladder is of"):
        podium.changes(history, EloMMR(), ladder=ladder)
    ladder.update(history)
    with pytest.raises(RepeatError, match="'round 3' of 2026-05-03 is already rated"):
        podium.changes(history[2:], ladder=ladder)
    assert podium.changes(history[2:], ladder=ladder, allow_repeat=True).frame.height == 4
    with pytest.raises(OrderError, match="earlier than"):
        podium.changes(History.from_events([contest(1, name="late")]), ladder=ladder)


def test_as_text() -> None:
    many = {f"player {number}": number for number in range(1, 26)}
    said = str(podium.changes(History.from_events([contest(1, many)]), Elo())).splitlines()
    assert said[0] == "round 1, 2026-05-01: 25 players"
    assert said[1] == "    1  player 1 (new): 1500.0 + 16.0 = 1516.0"
    assert said[-1] == "… and 5 more"
    assert len(said) == 22


def test_a_copy_of_a_ladder_goes_its_own_way() -> None:
    ladder = podium.rate(History.from_events(SEASON[:2]), Glicko2()).ladder
    before, twin = content(ladder), ladder.copy()
    assert content(twin) == before
    twin.record(ranks={"ann": 1, "new": 2}, time="2026-06-01")
    assert content(ladder) == before
    with pytest.raises(RepeatError):
        twin.record(ranks=THREE, name="round 1", time="2026-05-01")
    assert np.isfinite(twin.rating("new").mu)


def test_in_a_notebook() -> None:
    events = [{"ranks": {"ann": 1, "<b>": 2, "cat": 3}, "name": "cup"}]
    found = podium.changes(History.from_events(events), Elo())
    assert repr(found) == "<ContestChanges: cup: 3 players>"
    shown = found._repr_html_()
    assert shown.count("<tr>") == 4  # the head and three players
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown


def test_ranks_of_a_larger_field_have_a_place_beside_them() -> None:
    ranks = {"ann": 12, "bob": 57, "cat": 103}
    found = podium.changes(History.from_events([contest(1, ranks)]), Elo())
    assert found.table().select("place", "rank").rows() == [("1", "12"), ("2", "57"), ("3", "103")]
    assert str(found).splitlines()[1].startswith("    1  ann")
    level = podium.changes(History.from_events([contest(1, {"ann": 1, "bob": 1, "cat": 3})]), Elo())
    assert "rank" not in level.table().columns
    assert level.expected_words.endswith("A tie counts as the mean of the tied places.")
    run = podium.rate(History.from_events([contest(1, ranks)]), Elo(), trace=True)
    assert "rank 3 of 3 (reported as 103), 2.0 expected" in str(run.explain("cat", event="round 1"))
    assert "rank 103 (3 in the results)" in str(run.explain("cat"))


def test_members_count_with_the_part_they_play_in_contests_of_teams_too() -> None:
    teams, ranks = [["a", "b"], ["c", "d"], ["e", "f"]], [1, 2, 3]
    first = podium.Event.of(teams=teams, ranks=ranks, name="first")
    second = podium.Event.of(teams=teams, ranks=ranks, name="second", play={"b": 0.2})
    history = History.from_events([first, second])
    told = podium.changes(history, "trueskill", event="second").frame
    predicted = podium.predict(history, "trueskill").filter(pl.col("event") == "second")
    expected = dict(predicted.select("player", "expected_rank").iter_rows())
    for player, rank in told.select("player", "expected_rank").iter_rows():
        assert rank == pytest.approx(expected[player], abs=1e-9)
