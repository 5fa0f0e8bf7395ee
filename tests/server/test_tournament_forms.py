"""What the forms of a tournament's pages mean, and who may send them."""

from __future__ import annotations

from typing import Any

import pytest

from podium.errors import InputError
from podium.pages.tournament_views import decisive
from podium.server.access.rights import ADMIN, REPORT
from podium.server.live_pages.tournament_forms import finder, new_tournament, steps_of_form
from podium.tournaments.happenings import InClub, step_words
from podium.tournaments.tournament import Tournament
from server.callers import Caller
from server.guarded_services import HERE, form_token, log_in, new_key, new_link

PAGE = "/ladders/chess/tournaments"


def evening(*names: str) -> Tournament:
    """An evening with these players."""
    tournament = Tournament("evening")
    for name in names:
        tournament.join(name)
    return tournament


def steps(form: dict[str, str], *here: str, known: list[str] | None = None) -> list[dict[str, Any]]:
    return steps_of_form(form, evening(*here), finder(known or list(here)))


def test_only_changed_ticks_count() -> None:
    """Somebody else has let Dan in, and Bob out, since this page was made."""
    form = {"what": "here", "key": "k", "was": '["ann", "bob", "cat"]', "here-1": "ann", "here-9": "eve"}
    assert steps(form, "ann", "cat", "dan") == [
        {"join": ["eve"], "key": "k-join"},
        {"leave": ["cat"], "key": "k-leave"},
    ]
    assert steps({**form, "was": "no list"}, "ann") == [{"join": ["eve"], "key": "k-join"}]


def test_newcomers_are_found_by_first_name() -> None:
    form = {"what": "here", "was": "[]", "newcomers": "ann\n\n Bob \nnew one\nann lee"}
    found = steps(form, known=["Ann Lee", "Bob Ray", "Bob Kay"])
    assert found == [{"join": ["Ann Lee", "Bob", "new one"]}]


def test_clubs_behind_names_and_names_that_are_written_twice() -> None:
    form = {"what": "here", "was": '["cat"]', "here-1": "cat"}
    found = steps(
        {**form, "newcomers": "ann (5a)\nbob ( )\nFox (b)\nCat (5b)"}, "cat", known=["cat", "Fox (b)"]
    )
    assert found == [
        {"join": [{"player": "ann", "club": "5a"}, "bob ( )", "Fox (b)"]},
        {"clubs": {"cat": "5b"}},
    ]
    for text in ("Lukas\nlukas", "Lukas (5a)\nLukas (5b)", "Reds: ann, bob\nReds: cat, dan"):
        with pytest.raises(InputError, match="written twice"):
            steps({**form, "newcomers": text})


def test_a_round_is_paired_with_those_who_are_written_and_ticked() -> None:
    form = {"what": "pair", "key": "k", "was": '["ann", "bob"]', "here-1": "ann", "newcomers": "cat"}
    assert steps({**form, "places": "2"}, "ann", "bob") == [
        {"join": ["cat"], "key": "k-join"},
        {"leave": ["bob"], "key": "k-leave"},
        {"pair": {"places": 2, "rematches": False, "clubmates": False}, "key": "k-pair"},
    ]


def test_a_knockout_of_the_best(caller: Caller) -> None:
    client = caller.client
    client.post(PAGE, data={"name": "Day", "format": "swiss", "rounds": "1"}, headers=HERE)
    form = {"what": "pair", "was": "[]", "newcomers": "ann (5a)\nbob (5a)\ncat\ndan"}
    client.post(f"{PAGE}/day/run", data=form, headers=HERE)
    for match in "12":
        result = {"what": "result", "round": "1", "match": match, "score": "0:1"}
        told = client.post(f"{PAGE}/day/run", data=result, headers=HERE)
    assert "Knockout of the best" in told.text
    best = {"name": "Day: knockout", "format": "knockout", "of": "day", "best": "2"}
    client.post(PAGE, data=best, headers=HERE)
    day, cup = (client.get(f"/api/v1{PAGE}/{slug}").json() for slug in ("day", "day-knockout"))
    assert [(one["player"], one["seed"]) for one in cup["entrants"]] == [
        (row["player"], row["place"]) for row in day["standings"][:2]
    ]
    assert client.post(PAGE, data={**best, "of": "none"}, headers=HERE).status_code == 404


def test_pupils_of_one_class_meet_where_the_teacher_ticks_it(caller: Caller) -> None:
    client = caller.client
    client.post(PAGE, data={"name": "Day", "format": "swiss", "rounds": "3"}, headers=HERE)
    form = {"what": "pair", "was": "[]", "newcomers": "ann (5a)\nbob (5a)\ncat (5a)\ndan"}
    told = client.post(f"{PAGE}/day/run", data=form, headers=HERE)
    assert "3 of the 4 entrants are of" in told.text
    assert "Let members of one club or class meet in this round" in told.text
    client.post(f"{PAGE}/day/run", data={"what": "pair", "clubmates": "1"}, headers=HERE)
    assert len(client.get(f"/api/v1{PAGE}/day").json()["rounds"]) == 1


def test_standings_show_what_decides_and_what_a_bye_counts(caller: Caller) -> None:
    client = caller.client
    client.post(PAGE, data={"name": "Day", "format": "swiss", "rounds": "3"}, headers=HERE)
    at, results = f"{PAGE}/day", ["2:0", "0:1", "5:0"]
    form = {"what": "pair", "was": "[]", "newcomers": "ann\nbob\ncat\ndan\neve\nfay"}
    client.post(f"{at}/run", data=form, headers=HERE)
    for match, score in enumerate(results, 1):
        result = {"what": "result", "round": "1", "match": str(match), "score": score}
        client.post(f"{at}/run", data=result, headers=HERE)
    page = client.get(at).text
    assert '<th scope="col" class="number">Difference</th>' in page  # 5:0, 2:0 and 1:0
    assert "A bye counts" not in page
    late = {"what": "pair", "was": "[]", "newcomers": "gus"}
    client.post(f"{at}/run", data=late, headers=HERE)
    page = client.get(at).text
    assert "A bye counts as a win, and in Buchholz as an opponent with the same points." in page
    assert "A missed round adds nothing." in page


@pytest.mark.parametrize("name", ["sonneborn_berger", "direct", "difference", "buchholz"])
def test_the_number_that_decides_is_named(name: str) -> None:
    row = {
        "points": 2.0,
        "buchholz": 3.0,
        "sonneborn_berger": 1.0,
        "direct": 0.0,
        "wins": 2,
        "difference": 0.0,
    }
    above: Any = {**row, "place": 1, name: row[name] + 1.0}
    document: Any = {"format": "swiss:3", "standings": [above, {**row, "place": 2}, {**row, "place": 2}]}
    assert decisive(document) == {name}


def test_only_changed_clubs_count() -> None:
    tournament = evening("ann", "bob", "cat")
    form = {"what": "clubs", "was": '[["ann", ""], ["bob", "5a"], ["cat", "5b"], ["zoe", ""], 3]'}
    form |= {"club-1": " 5a ", "club-2": "5a", "club-3": "", "club-4": "5a"}
    assert steps_of_form(form, tournament, finder([])) == [{"clubs": {"ann": "5a", "cat": None}}]
    assert steps_of_form({"what": "clubs", "was": "x"}, tournament, finder([])) == []


def test_all_clubs_are_removed_at_once() -> None:
    tournament = evening("ann")
    assert steps_of_form({"what": "no-clubs"}, tournament, finder([])) == []
    for name in ("bob", "cat"):
        tournament.join(name, club="5a")
    (step,) = steps_of_form({"what": "no-clubs"}, tournament, finder([]))
    assert step == {"clubs": {"bob": None, "cat": None}}


@pytest.mark.parametrize(
    ("form", "meant"),
    [
        ({"score": "1:0"}, {"score": "1:0"}),
        ({"score": "", "score-1": "21", "score-2": "15"}, {"score": [21.0, 15.0]}),
        ({"score": "", "score-1": "1,5", "score-2": "½"}, {"score": [1.5, 0.5]}),
        ({"score": "none", "correct": "1"}, {"score": None, "correct": True}),
    ],
)
def test_results(form: dict[str, str], meant: dict[str, Any]) -> None:
    (step,) = steps({"what": "result", "round": "2", "match": "3", **form})
    assert step == {"results": [{"match": 3, "round": 2, "correct": False, **meant}]}


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"what": "dance"},
        {"what": "pair", "places": "two"},
        {"what": "result", "match": "1", "round": "1", "score": ""},
        {"what": "result", "match": "1", "round": "1", "score-1": "x", "score-2": "1"},
    ],
)
def test_forms_that_mean_nothing_are_refused(form: dict[str, str]) -> None:
    with pytest.raises(InputError):
        steps(form)


def test_a_new_tournament_gets_a_free_address() -> None:
    made = new_tournament({"name": " Cup ", "format": "swiss", "rounds": "7", "private": "1"}, ["cup"])
    assert (made["slug"], made["name"], made["format"], made["private"]) == ("cup-2", "Cup", "swiss:7", True)
    assert new_tournament({"name": "🏆", "format": "evening"}, [])["slug"] == "tournament"


def test_a_helper_runs_it_and_a_visitor_sees_no_private_one(caller: Caller) -> None:
    client = caller.client
    client.post(PAGE, data={"name": "Cup", "format": "evening", "private": "1"}, headers=HERE)
    client.post(PAGE, data={"name": "Fun", "format": "evening"}, headers=HERE)
    new_key(caller, ADMIN)
    admin, helper = new_link(caller, ADMIN, once=True), new_link(caller, REPORT, ladder="chess")
    caller.service.access_control.forget()
    assert client.get(f"{PAGE}/cup").status_code == 404
    assert client.get(f"{PAGE}/fun").status_code == 200
    assert "Run it" not in client.get(f"{PAGE}/fun").text
    assert client.get(f"{PAGE}/cup/run", headers={"Accept": "text/html"}).status_code == 401
    log_in(caller, helper)
    text = client.get(f"{PAGE}/cup/run").text
    assert "New tournament" not in client.get(PAGE).text
    form = {"what": "here", "was": "[]", "newcomers": "ann\nbob", "csrf": form_token(text)}
    assert client.post(f"{PAGE}/cup/run", data={**form, "csrf": "x"}, headers=HERE).status_code == 403
    assert (
        '<span class="note">2 players</span>' in client.post(f"{PAGE}/cup/run", data=form, headers=HERE).text
    )
    again = client.post(PAGE, data={"name": "Mine", "format": "evening", **form}, headers=HERE)
    assert again.status_code == 403
    client.cookies.clear()
    log_in(caller, admin)
    text = client.get(PAGE).text
    made = client.post(
        PAGE, data={"name": "Third", "format": "knockout", "csrf": form_token(text)}, headers=HERE
    )
    assert "Pair round 1" in made.text


def test_what_the_pages_of_a_swiss_tournament_say(caller: Caller) -> None:
    client, page = caller.client, f"{PAGE}/day"
    client.post(PAGE, data={"name": "Day", "format": "swiss", "rounds": "2"}, headers=HERE)
    assert "Before round 1." not in client.get(page).text
    form = {"what": "pair", "was": "[]", "newcomers": "Al & Bo (5a)\ncat\ndan\neve\nfay"}
    run = client.post(f"{page}/run", data=form, headers=HERE).text
    assert 'aria-label="Al won"' in run
    assert "&lt;bdi" not in run
    assert "Bye (1 point): " in run
    assert "the player named first has white" in run
    assert "Remove all clubs" in run
    assert "During round 1, 2 results missing." in client.get(page).text
    screen = client.get(f"{page}/screen").text
    assert 'aria-label="Pages"' not in screen
    assert 'aria-label="Pages"' in client.get(f"{page}/rounds/1").text
    for match in "12":
        scored = {"what": "result", "round": "1", "match": match, "score": "1:0"}
        client.post(f"{page}/run", data=scored, headers=HERE)
    assert "After 1 round." in client.get(page).text


def test_teams_and_their_boards() -> None:
    form = {"what": "here", "was": "[]", "newcomers": "Reds: ann lee, bob\nno team:\nC: alone"}
    assert steps(form, known=["Ann Lee"]) == [
        {"join": ["no team:", "C: alone", {"player": "Reds", "members": ["Ann Lee", "bob"]}]}
    ]
    scored = {
        "what": "result",
        "round": "1",
        "match": "2",
        "score": "",
        "board-1": "1:0",
        "board-2": "0.5:0.5",
    }
    (step,) = steps(scored)
    assert step["results"][0]["boards"] == ["1:0", "0.5:0.5"]
    assert "score" not in step["results"][0]
    with pytest.raises(InputError, match="board 1 has no result"):
        steps({"what": "result", "round": "1", "match": "2", "score": "", "board-2": "1:0"})


def test_two_who_are_kept_apart() -> None:
    for word in ("forbid", "allow"):
        assert steps({"what": word, "first": "ann", "second": "bob"}) == [{word: ["ann", "bob"]}]
    with pytest.raises(InputError, match="two players"):
        steps({"what": "forbid", "first": "ann", "second": ""})


def test_what_the_last_step_did() -> None:
    tournament = evening("ann", "bob", "cat", "dan", "eve")
    assert step_words(tournament.happenings) == "ann, bob, cat and 2 more joined"
    tournament.pair(places=1)
    tournament.result(1, "2:1")
    assert step_words(tournament.happenings[-1:]) == "round 1, match 1 is 2:1"
    assert step_words(tournament.happenings[-2:-1]) == "the round was paired"
    assert step_words([InClub("ann", None), InClub("bob", "5a"), InClub("cat", None)]) == (
        "ann and cat are in no club, bob is in 5a"
    )
