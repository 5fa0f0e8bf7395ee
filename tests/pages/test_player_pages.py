"""A player's page: places, records, streaks, reasons; nothing that others' later results change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import podium
from pages.page_histories import CUP, MATCHES, TEAMS, elo_gain, elo_run
from podium import Elo, EloMMR, Glicko2, History, Merge, Rename, Reset, SetRating
from podium.pages.ladder_pages import LadderPages, ladder_pages
from podium.pages.page_pictures import history_picture
from podium.pages.player_results import LARGE_EVENT, NEIGHBOURS
from podium.systems.tiers import Tier

FIRST = elo_gain(1500, 1500, 1)


def page_of(pages: LadderPages, name: str) -> dict[str, Any]:
    return dict(pages.player(pages.names.index(name)))


@pytest.fixture(scope="module")
def cup() -> LadderPages:
    run = podium.rate(History.from_events(CUP), podium.EloMMR(), trace=True)
    return ladder_pages(run, tiers=(Tier("Gold", 1600.0, "#d4a017"), Tier("Jade", 2500.0, "#00a86b")))


OLD_RATINGS = {"eve": 2000.0, "ann": 1600.0, "bob": 1500.0}


def test_places_right_after_each_event(cup: LadderPages) -> None:
    """By hand from the ratings after each event: who had played until then, best first."""
    shown: dict[str, float] = {}
    for number, contest in enumerate(CUP):
        for standing in cup.event(number + 1)["standings"]:
            shown[standing["player"]] = standing["display"]
        for name in contest["ranks"]:  # type: ignore[attr-defined]
            history = page_of(cup, name)["history"]
            here = history["event"].index(number + 1)
            assert history["place"][here] == 1 + sum(other > shown[name] for other in shown.values())
            assert history["display"][here] == shown[name]


def test_places_are_those_of_the_leaderboard() -> None:
    """A newcomer with one lucky event is not ranked, and takes no place from those who are."""
    level = {"ann": 1, "bob": 1, "cat": 3}
    events = [{"ranks": level, "time": f"2026-01-0{day}"} for day in range(1, 5)]
    events.append({"ranks": {"eve": 1, "ann": 2, "bob": 3, "cat": 4}, "time": "2026-01-09"})
    for system in (podium.Elo(k=300), podium.EloMMR()):
        run = podium.rate(History.from_events(events), system, trace=True)
        pages = ladder_pages(run, min_events=3)
        board = {row["player"]: row["place"] for row in pages.leaderboard(1)["rows"]}
        for name in ("ann", "bob", "cat"):
            places = page_of(pages, name)["history"]["place"]
            assert (places[:2], places[-1]) == ([None, None], board[name])
        eve = page_of(pages, "eve")
        assert (board["eve"], eve["best_place"], eve["history"]["place"]) == (None, None, [None])
        assert eve["place_rule"] == "among players with at least 3 rated events by then"


def test_events_played_elsewhere_count_for_places() -> None:
    """Imported players are on the leaderboard at once, so places over time count them too."""
    old = [podium.SetRating(player=name, display=rating, events=40) for name, rating in OLD_RATINGS.items()]
    match = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-02"}
    run = podium.rate(History.from_events([*old, match]), podium.Elo(), trace=True)
    pages = ladder_pages(run, min_events=5)
    board = {row["player"]: row["place"] for row in pages.leaderboard(1)["rows"]}
    assert board == {"eve": 1, "ann": 2, "bob": 3}
    for name in ("ann", "bob"):
        page = page_of(pages, name)
        assert page["history"]["place"][-1] == board[name]
        assert page["best_place"] is not None


def test_events_that_did_not_count_are_in_no_number() -> None:
    ranks = {"ann": 1, "bob": 2, "cat": 3, "dan": 4}
    events: list[dict[str, object]] = [
        {"ranks": ranks, "time": "2026-01-01", "unrated": ["ann"]},
        {"ranks": ranks, "time": "2026-02-01"},
        {"ranks": ranks, "time": "2026-03-01"},
        {"ranks": ranks, "time": "2027-03-01", "unrated": ["ann"]},
    ]
    system = podium.EloMMR(display_k=2, drift_per_day=10)
    ann = page_of(ladder_pages(podium.rate(History.from_events(events), system, trace=True)), "ann")
    assert (ann["events"], ann["first_time"], ann["last_time"]) == (2, "2026-02-01", "2026-03-01")
    assert ann["history"]["rated"] == [False, True, True, False]
    picture = history_picture(ann, 0)  # type: ignore[arg-type]
    assert f"to {ann['display']:.0f} in 2 events" in picture
    assert "skill " in picture
    assert {streak["longest"] for streak in ann["streaks"]} == {2}


def test_a_page_in_numbers(cup: LadderPages) -> None:
    ann = page_of(cup, "ann")
    assert ann["history"]["rank"] == [1, 2, 1]
    assert ann["history"]["name"] == ["spring", "summer", "autumn"]
    assert ann["history"]["sides"] == [4, 4, 4]
    for low, high, sigma in zip(*(ann["history"][key] for key in ("low", "high", "sigma")), strict=True):
        assert high - low == pytest.approx(4 * sigma, abs=0.03)
    assert [result["event"] for result in ann["results"]] == [3, 2, 1]
    assert ann["results"][0]["words"] == "rank 1 of 4"
    assert ann["results"][1]["change"] == pytest.approx(
        ann["history"]["display"][1] - ann["results"][1]["before"], abs=0.011
    )
    assert (ann["first_time"], ann["last_time"], ann["events"]) == ("2026-03-01", "2026-09-01", 3)
    assert ann["peak"]["display"] == max(ann["history"]["display"])
    assert ann["tier"]["name"] == "Gold"
    assert ann["next_tier"]["name"] == "Jade"
    assert ann["opponents"] == [
        {"player": "bob", "met": 3, "wins": 2, "draws": 0, "losses": 1},
        {"player": "cat", "met": 2, "wins": 2, "draws": 0, "losses": 0},
        {"player": "dan", "met": 2, "wins": 1, "draws": 1, "losses": 0},
        {"player": "eve", "met": 2, "wins": 2, "draws": 0, "losses": 0},
    ]
    podiums = next(streak for streak in ann["streaks"] if streak["what"] == "podiums")
    assert (podiums["longest"], podiums["current"], podiums["first_event"], podiums["last_event"]) == (
        3,
        3,
        1,
        3,
    )
    assert podiums["words"] == "3 podiums in a row, from 2026-03-01 to 2026-09-01 (3 now)"
    assert [(one["what"], one["result"]["name"]) for one in ann["highlights"]][:1] == [("gain", "spring")]
    assert {one["what"] for one in ann["highlights"]} >= {"gain", "rank", "upset"}


def test_a_podium_is_one_of_more_than_three() -> None:
    """The loser of a match is not on one, and neither ends nor makes a run; so the last of three."""
    four = {"ann": 2, "bob": 1, "cat": 3, "dan": 4}
    lost, last = {"bob": 1, "ann": 2}, {"bob": 1, "cat": 2, "ann": 3}
    history = History.from_events([{"ranks": ranks} for ranks in (four, lost, last, four, lost)])
    pages = ladder_pages(podium.rate(history, EloMMR(), trace=True))
    streaks = {one["what"]: one for one in pages.player(0)["streaks"]}
    assert history.players[0] == "ann"
    assert (streaks["podiums"]["longest"], streaks["podiums"]["current"]) == (2, 2)
    assert (streaks["podiums"]["first_event"], streaks["podiums"]["last_event"]) == (1, 4)


def test_pulls_balance_and_name_their_events(cup: LadderPages) -> None:
    why = page_of(cup, "ann")["why"]
    assert why["form"] == "performances"
    assert [line["event"] for line in why["lines"]][-3:] == [1, 2, 3]
    assert sum(line["points"] for line in why["lines"]) == pytest.approx(0.0, abs=0.05)
    assert sum(line["share"] for line in why["lines"]) == pytest.approx(1.0, abs=1e-3)
    assert why["lines"][-1]["words"] == "autumn, 2026-09-01: rank 1 of 4"
    mu = page_of(cup, "ann")["mu"]
    assert sum(line["share"] * line["value"] for line in why["lines"]) == pytest.approx(mu, abs=0.5)


def test_matches_of_a_player() -> None:
    ann = page_of(ladder_pages(elo_run(*MATCHES)), "ann")
    last, first = ann["results"]
    assert first["match"] == {
        "opponents": ["bob"],
        "partners": [],
        "result": "win",
        "score": 2.0,
        "opponent_score": 1.0,
        "at_home": False,
        "chance": 0.5,
    }
    assert first["words"] == "beat bob 2:1 away"
    assert last["match"]["result"] == "draw"
    assert last["match"]["chance"] == pytest.approx(0.547, abs=0.001)  # 1516 against 1483.3
    assert first["expected_rank"] == 1.5
    points = [line["points"] for line in ann["why"]["lines"]]
    assert points == pytest.approx([1500, FIRST, last["change"]], abs=0.011)
    assert ann["why"]["words"][0] == "The rating 1514 is the starting rating 1500 and +14 from 2 events."


def test_the_sum_of_changes_is_the_rating_with_adjustments_between() -> None:
    """A reset in the middle, and a rating set at the end, have lines of their own."""
    events = [MATCHES[0], Reset(keep=0.5), MATCHES[1], MATCHES[2], SetRating(player="ann", mu=1700)]
    pages = ladder_pages(elo_run(*events))
    for name in ("ann", "bob", "cat"):
        page = page_of(pages, name)
        assert sum(line["points"] for line in page["why"]["lines"]) == pytest.approx(
            page["display"], abs=0.03
        )
    words = [line["words"] for line in page_of(pages, "ann")["why"]["lines"]]
    assert words[2].startswith("reset keep=0.5")
    assert words[-1].startswith("set-rating player=ann, mu=1700")


def test_many_changes_are_told_in_one_line() -> None:
    page = page_of(ladder_pages(elo_run(*[{"ranks": {"ann": 1, "bob": 2}}] * 14)), "ann")
    lines = page["why"]["lines"]
    assert lines[1]["words"] == "4 earlier matches in all"
    assert len(lines) == 12
    assert sum(line["points"] for line in lines) == pytest.approx(page["display"], abs=0.1)
    assert page["streaks"][0]["words"] == "14 wins in a row (14 now)"  # without times


def test_reasons_begin_where_the_explanation_does_and_keep_its_order() -> None:
    """An imported rating counts events that are no results; what is told in one line is where it was."""
    imported = SetRating(player="ann", display=1800, events=40)
    lost = [{"ranks": {"bob": 1, "ann": 2}}] * 14
    run = elo_run(imported, *lost[:2], Reset(keep=0.5), *lost[2:])
    why = page_of(ladder_pages(run), "ann")["why"]
    explained = run.explain("ann")
    assert isinstance(explained, podium.Explanation)
    words = [line["words"].partition(" display")[0] for line in why["lines"]]
    assert words[:5] == [
        "start",
        "set-rating player=ann,",
        "2 earlier matches in all",
        "reset keep=0.5",
        "2 earlier matches in all",
    ]
    parts = [part.change for part in explained.contributions]
    told = [explained.newcomer, parts[0], sum(parts[1:3]), parts[3], sum(parts[4:6]), *parts[6:]]
    assert [line["points"] for line in why["lines"]] == pytest.approx(told, abs=0.02)
    assert not any("latest" in one for one in why["words"])


def test_a_rating_from_before_the_run_is_not_the_start_of_a_renamed_player() -> None:
    ladder = elo_run({"ranks": {"ann": 1, "bob": 2}}).ladder
    later = History.from_events([Rename(player="ann", into="eve"), {"ranks": {"eve": 1, "cat": 2}}])
    pages = ladder_pages(podium.rate(later, ladder=ladder, trace=True))
    firsts = [page_of(pages, name)["why"]["lines"][0]["words"] for name in ("eve", "cat")]
    assert firsts == ["where newcomers start", "start"]


def test_what_moved_a_rating_most_is_found_among_all_results() -> None:
    """The first of sixty wins in a row gave most: half of k = 32."""
    page = page_of(ladder_pages(elo_run(*[{"ranks": {"ann": 1, "bob": 2}}] * 60)), "ann")
    assert page["why"]["words"][1:] == ["Most up: event 1: beat bob (+16.0)."]


def test_a_reset_and_a_set_rating_change_places() -> None:
    """After the reset all are at 1500, so that one win is the first place; dan is second, behind nobody."""
    won, lost = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"cat": 1, "dan": 2}}
    pages = ladder_pages(elo_run(won, won, Reset(keep=0.0), lost, SetRating(player="ann", mu=1400), lost))
    assert page_of(pages, "cat")["history"]["place"] == [1, 1]
    assert page_of(pages, "dan")["history"]["place"] == [4, 3]  # 1484 is behind 1500, and before 1400
    assert page_of(pages, "ann")["history"]["place"] == [1, 1, None, None]


def test_teams() -> None:
    run = podium.rate(History.from_events(TEAMS), podium.TrueSkill(), trace=True)
    pages = ladder_pages(run)
    ann = page_of(pages, "ann")
    assert ann["results"][1]["match"]["partners"] == ["bob"]
    assert ann["results"][1]["match"]["opponents"] == ["cat", "dan"]
    assert ann["opponents"] == [{"player": "dan", "met": 2, "wins": 1, "draws": 0, "losses": 1}]
    assert ann["history"]["time"] == [None, None]
    assert pages.compare_player(0, pages.player(0))["met"] == {
        "event": [1, 2],
        "rank": [1, 2],
        "side": [0, 0],
    }
    assert pages.digits == 1


def test_a_renamed_player_keeps_all_results() -> None:
    events = [
        MATCHES[0],
        Rename(player="bob", into="rob"),
        {"ranks": {"rob": 1, "cat": 2}, "time": "2026-02-01"},
    ]
    pages = ladder_pages(elo_run(*events))
    rob = page_of(pages, "rob")
    assert rob["history"]["event"] == [1, 2]
    assert page_of(pages, "ann")["results"][0]["match"]["opponents"] == ["rob"]
    assert [pages.names[number] for number in pages.players()] == ["ann", "rob", "cat"]
    assert pages.event(1)["standings"][1]["player"] == "rob"


def test_a_merged_account_has_no_place_any_more() -> None:
    """ann is first, then gone: her events and her place are cat's, as on the leaderboard after each event."""
    events = [
        {"ranks": {"ann": 1, "bob": 2}},
        Merge(player="ann", into="cat"),
        {"ranks": {"bob": 2, "dan": 1}},
        {"ranks": {"bob": 1, "dan": 2}},
    ]
    pages = ladder_pages(elo_run(*events))
    places = page_of(pages, "bob")["history"]["place"]
    boards = [elo_run(*events[:until]).leaderboard() for until in (1, 3, 4)]
    assert places == [board.filter(player="bob")["place"].item() for board in boards]
    assert places == [2, 3, 3]


def test_the_results_of_a_merged_account_are_those_of_who_stays() -> None:
    events = [
        {"ranks": {"ann": 1, "bob": 2}},
        {"ranks": {"anne": 1, "bob": 2}},
        Merge(player="anne", into="ann"),
        Reset(keep=0.5),
        {"ranks": {"bob": 1, "ann": 2}},
    ]
    run = elo_run(*events)
    pages = ladder_pages(run)
    ann = page_of(pages, "ann")
    told = [(one["event"], one["account"], one["adjustment"]) for one in ann["results"]]
    merge, reset = events[2].describe(), events[3].describe()  # type: ignore[attr-defined]
    assert told == [
        (3, None, None),
        (None, None, reset),
        (None, None, merge),
        (2, "anne", None),
        (1, None, None),
    ]
    assert ann["history"]["event"] == [1, None, None, 3]  # what is drawn is one rating
    lines = ann["why"]["lines"]
    assert [line["words"] for line in lines][2:4] == [merge, reset]
    assert sum(line["points"] for line in lines) == pytest.approx(run.ladder.rating("ann").display, abs=0.01)
    assert [one["met"] for one in ann["opponents"]] == [3]
    assert page_of(pages, "bob")["results"][-2]["match"]["opponents"] == ["ann"]
    explained = run.explain("ann")
    assert sum(points for _, points in explained.lines) == pytest.approx(run.ladder.rating("ann").display)


def test_opponents_count_both_accounts_of_one_event() -> None:
    """bob met ann and anne in one event: merged since, they are one opponent met twice there."""
    events = [
        {"ranks": {"ann": 3, "bob": 2, "anne": 1}},
        Merge(player="anne", into="ann"),
        {"ranks": {"bob": 1, "ann": 2}},
    ]
    pages = ladder_pages(elo_run(*events))
    assert page_of(pages, "bob")["opponents"] == [
        {"player": "ann", "met": 3, "wins": 2, "draws": 0, "losses": 1}
    ]


def test_a_merged_account_is_told_apart_from_a_new_player_of_its_name() -> None:
    """The page of the event had fay twice, and fay's page called a result that of the new player."""
    events = [
        {"ranks": {"fay": 1, "cat": 2, "bob": 3}},
        Merge(player="cat", into="fay"),
        {"ranks": {"cat": 1, "bob": 2}},
    ]
    pages = ladder_pages(elo_run(*events))
    assert [one["player"] for one in pages.event(1)["standings"]] == ["fay", "cat (merged account)", "bob"]
    assert [one["player"] for one in pages.event(2)["standings"]] == ["cat", "bob"]
    accounts = [one["account"] for one in page_of(pages, "fay")["results"]]
    assert accounts == [None, "cat (merged account)", None]
    assert [one["event"] for one in page_of(pages, "cat")["results"]] == [2]


def test_comparisons_draw_adjustments_and_know_the_results_of_merged_accounts() -> None:
    set_rating = SetRating(player="ann", mu=1700)
    run = elo_run(
        {"ranks": {"ann": 1, "bob": 2}},
        {"ranks": {"cat": 1, "annie": 2}},
        set_rating,
        Merge(player="annie", into="ann"),
    )
    pages = ladder_pages(run)
    page = page_of(pages, "ann")
    compared = pages.compare_player(pages.names.index("ann"), page)  # type: ignore[arg-type]
    assert compared["display"] == page["history"]["display"]
    assert (compared["event"], compared["rank"]) == ([1, None, None], [1, None, None])
    assert compared["met"] == {"event": [1, 2], "rank": [1, 2], "side": None}


def test_in_a_large_event_only_neighbours_are_met() -> None:
    """Everybody has the same rank twice: the last player meets those right above, and nobody else."""
    ranks = {f"player {number:03}": number for number in range(1, LARGE_EVENT + 11)}
    pages = ladder_pages(elo_run({"ranks": ranks}, {"ranks": ranks}))
    last = pages.player(len(ranks) - 1)
    assert last["opponents_rule"] is not None
    assert [(one["met"], one["losses"]) for one in last["opponents"]] == [(2, 2)] * 10
    nearest = {int(one["player"].split()[1]) for one in last["opponents"]}
    assert min(nearest) == len(ranks) - NEIGHBOURS
    assert last["marks"] == []  # which would take long


@pytest.mark.parametrize("system", [Elo(), EloMMR()])
def test_a_ladder_that_goes_on_names_the_results_it_knows(system: podium.systems.RatingSystem) -> None:
    """The first contest was rated before: it is what was there, and the later two have pages."""
    history = History.from_events(CUP)
    ladder = podium.rate(history[:1], system).ladder
    pages = ladder_pages(podium.rate(history[1:], ladder=ladder, trace=True))
    bob = page_of(pages, "bob")
    assert (bob["events"], bob["history"]["name"]) == (3, ["summer", "autumn"])
    lines = {line["event"]: line["words"] for line in bob["why"]["lines"]}
    assert lines[1] == "summer, 2026-06-01: rank 1 of 4"
    assert lines[2] == "autumn, 2026-09-01: rank 3 of 4"
    words = [line["words"] for line in bob["why"]["lines"]]
    if bob["why"]["form"] == "changes":
        assert words[:2] == ["where newcomers start", "everything before"]
        said = bob["why"]["words"]
        assert said[0].startswith("Newcomers start at 1500. ")
        assert said[0].endswith(", after 3 events.")
        assert all(" in the latest 2 changes: " in one for one in said[1:])
        assert sum(line["points"] for line in bob["why"]["lines"]) == pytest.approx(bob["display"], abs=0.03)
    else:
        assert "no. 1" in words


def test_a_rating_set_before_what_is_known_is_not_said_to_come_from_events(tmp_path: Path) -> None:
    """The page of a saved ladder said "+300 from 40 events" of a rating that was imported."""
    ladder = podium.Ladder("elo")
    ladder.adjust(podium.SetRating(player="ann", display=1800, events=40))
    ladder.save(tmp_path / "club.podium")
    why = page_of(ladder_pages(podium.Ladder.load(tmp_path / "club.podium")), "ann")["why"]
    assert why is not None
    assert why["words"] == ["Newcomers start at 1500. The rating 1800 differs by +300, after 40 events."]


def test_out_of_competition() -> None:
    """Somebody who has never counted has no place, and no change."""
    pages = ladder_pages(elo_run({"ranks": {"ann": 1, "bob": 2}, "unrated": ["ann"]}))
    ann = page_of(pages, "ann")
    assert ann["history"]["place"] == [None]
    assert (ann["results"][0]["rated"], ann["results"][0]["change"]) == (False, 0.0)
    assert ann["missing"] == "1 more event"


@pytest.mark.parametrize("system", [Elo(), EloMMR(newcomer_start="adaptive"), Glicko2()])
def test_others_results_change_no_page(system: podium.systems.RatingSystem) -> None:
    """dan was last seen in the second contest: the third one leaves the page as it was, but for what-if."""
    before, after = (
        ladder_pages(podium.rate(History.from_events(CUP)[:stop], system, trace=True)) for stop in (2, 3)
    )
    dan = page_of(after, "dan")
    assert {**page_of(before, "dan"), "marks": dan["marks"]} == dan
    assert {**before.event(2), "next": 3} == after.event(2)  # which is no longer the last event
    assert before.compare_player(3, before.player(3)) == after.compare_player(3, after.player(3))


def test_marks_are_what_the_ladder_says() -> None:
    run = podium.rate(History.from_events(CUP), podium.EloMMR(), trace=True)
    pages = ladder_pages(run, tiers=(Tier("Gold", 5000.0, "#d4a017"),))
    bob = page_of(pages, "bob")
    hundred, gold = bob["marks"]
    assert 0 < hundred["mark"] - bob["display"] <= 100
    assert hundred["mark"] % 100 == 0
    assert hundred["rank"] == run.ladder.rank_to_reach("bob", hundred["mark"], ranks=CUP[2]["ranks"])
    assert (gold["tier"], gold["rank"], gold["event"]) == ("Gold", None, 3)
    assert gold["words"] == "No rank in an event like autumn would bring the rating to Gold (5000) at once."


def test_a_match_of_accounts_that_are_one_player_now_gives_no_marks() -> None:
    """There can be no match like it."""
    match = {"ranks": {"ann": 1, "bob": 2}}
    pages = ladder_pages(
        elo_run(match, {"ranks": {"cat": 1, "dan": 2}}, match, Merge(player="bob", into="ann"))
    )
    assert page_of(pages, "ann")["marks"] == []
    assert page_of(pages, "ann")["events"] == 4


def test_only_who_played_lately_has_marks() -> None:
    """A win takes ann from 1590 to 1606; dan's match was more than a year before the last one."""
    events = [
        {"ranks": {"cat": 1, "dan": 2}, "time": "2025-01-01"},
        SetRating(player="ann", mu=1590),
        SetRating(player="bob", mu=1590),
        {"ranks": {"ann": 1, "bob": 1}, "time": "2026-05-01"},
    ]
    pages = ladder_pages(elo_run(*events))
    assert page_of(pages, "dan")["marks"] == []
    (mark,) = page_of(pages, "ann")["marks"]
    assert (mark["mark"], mark["rank"]) == (1600.0, 1)
    assert mark["words"] == "A win in a match like the last one would bring the rating to 1600."
