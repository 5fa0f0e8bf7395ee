"""Forms by which people report and correct: what they mean, who may send them, what they show first."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import html5lib
import pytest

import podium
from pages.small_sites import NAMES
from podium.errors import InputError
from podium.server.access import own_reports
from podium.server.correcting import near_amendments
from podium.server.live_pages.report_forms import FORMS, report_of_form
from server.callers import Caller
from server.guarded_services import HERE, form_token, log_in, new_key, new_link
from server.test_imports import run_jobs

HOSTILE = [*NAMES[:6], "'; DROP TABLE event; --", '{{ 7 * 7 }}"><img src=x onerror=alert(1)><!--']
MATCH = {"what": "match", "a": "ann", "b": "bob", "result": "win"}
FILLED = {
    "match": {"a": "ann", "b": "bob", "result": "win"},
    "standings": {"lines": "ann\nbob"},
    "rename": {"player": "ann", "into": "annie"},
    "merge": {"player": "ann", "into": "bob"},
    "set-rating": {"player": "ann", "display": "1650"},
    "void": {"number": "1"},
    "correct": {"number": "1", "lines": "bob\nann"},
    "disqualify": {"number": "3", "players": "cat"},
    "season": {"keep": "half"},
}
"""A form of each kind that says something of the ladder below."""


@pytest.fixture
def club(caller: Caller) -> Caller:
    """A service with a ladder that somebody may report to."""
    caller.bulk(
        [
            {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01"},
            {"ranks": {"bob": 1, "ann": 2}, "time": "2026-05-02"},
            {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": "2026-05-03"},
        ]
    )
    return caller


def filled(caller: Caller, what: str, **fields: str) -> Any:
    """The answer to a form."""
    return caller.client.post("/ladders/chess/admin", data={"what": what, **fields}, headers=HERE)


def pressed(caller: Caller, text: str, **more: str) -> Any:
    """The answer to the button of a page."""
    (held,) = re.findall(r'name="report" value="([^"]*)"', text)
    sent = {"report": unescape(held), "csrf": form_token(text), **more}
    return caller.client.post("/ladders/chess/admin/record", data=sent, headers=HERE, follow_redirects=False)


def shown(text: str) -> dict[str, tuple[str, str]]:
    """The ratings before and after that a page shows, by player."""
    rows = html5lib.parse(text, namespaceHTMLElements=False).findall(".//tbody/tr")
    cells = [["".join(cell.itertext()) for cell in row] for row in rows]
    return {name: (before, after) for name, before, after, *_ in cells}


# ---------------------------------------------------------------------- what forms mean


@pytest.mark.parametrize(
    ("form", "meant"),
    [
        ({"what": "match", "a": "ann", "b": " bob ", "result": "win"}, {"ranks": {"ann": 1, "bob": 2}}),
        ({"what": "match", "a": "ann", "b": "bob", "result": "loss"}, {"ranks": {"ann": 2, "bob": 1}}),
        ({"what": "match", "a": "ann", "b": "bob", "score": "1 : 3"}, {"scores": {"ann": 1, "bob": 3}}),
        (
            {"what": "match", "a": "ann", "b": "bob", "score": "2½-½", "result": "win"},
            {"scores": {"ann": 2.5, "bob": 0.5}},
        ),
        (
            {"what": "match", "a": "ann", "b": "bob", "score": "11-8 9-11 11-5", "result": ""},
            {"scores": {"ann": 2, "bob": 1}},
        ),
        (
            {"what": "match", "a": "ann", "a2": "cat", "b": "bob", "b2": " dan ", "result": "draw"},
            {"teams": [["ann", "cat"], ["bob", "dan"]], "ranks": [1, 1]},
        ),
        (
            {"what": "match", "a": "ann", "a2": "cat", "b": "bob", "score": "3:1"},
            {"teams": [["ann", "cat"], ["bob"]], "scores": [3, 1]},
        ),
        (
            {**MATCH, "time": "2026-05-01T18:30", "offset": "120"},
            {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01T18:30+02:00"},
        ),
        (
            {**MATCH, "time": "2026-05-01T18:30", "offset": "junk"},
            {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01T18:30Z"},
        ),
        (
            {
                "what": "standings",
                "lines": "ann\n\n bob \n= cat\ndan",
                "name": "cup",
                "time": "2026-05-01T18:30",
            },
            {"ranks": {"ann": 1, "bob": 2, "cat": 2, "dan": 4}, "time": "2026-05-01T18:30Z", "name": "cup"},
        ),
        (
            {"what": "standings", "lines": "ann + bob\ncat + dan", "time": "2026-05-01", "late": "1"},
            {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2], "time": "2026-05-01", "late": True},
        ),
        (
            {"what": "standings", "lines": "ann\n+ bob\n+eve + fay\n= cat\n+dan\n+gus"},
            {"teams": [["ann", "bob", "eve", "fay"], ["cat", "dan"], ["+gus"]], "ranks": [1, 1, 3]},
        ),
        (
            {"what": "correct", "number": "7", "lines": "bob\nann"},
            {"correct": 7, "ranks": {"bob": 1, "ann": 2}},
        ),
        ({"what": "disqualify", "number": "7", "players": "bob\n"}, {"disqualify": ["bob"], "event": 7}),
        (
            {"what": "standings", "lines": "Emil   Tor\n=  Ida\t Berg\nOtto  Zwirn"},
            {"ranks": {"Emil Tor": 1, "Ida Berg": 1, "Otto  Zwirn": 3}},
        ),
        ({"what": "void", "number": "7", "name": "cup"}, {"void": 7}),
        (
            {"what": "set-rating", "player": " ann ", "display": "1650,5"},
            {"adjustment": "set-rating", "player": "ann", "display": 1650.5},
        ),
        ({"what": "void", "number": " spring cup "}, {"void": "spring cup"}),
    ],
)
def test_forms_mean_reports(form: dict[str, str], meant: dict[str, Any]) -> None:
    report = report_of_form(form, {"+gus", "Otto  Zwirn"}.__contains__)  # as players are called
    assert report == meant


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"what": "nothing"},
        {"what": "match", "a": "ann", "b": "", "result": "win"},
        {"what": "match", "a": "ann", "b": "ann", "result": "win"},
        {"what": "match", "a": "ann", "b": "bob", "result": "won"},
        {"what": "match", "a": "ann", "b": "bob", "result": ""},
        {"what": "match", "a": "ann", "b": "bob", "score": "three to one"},
        {"what": "match", "a": "ann", "b": "bob", "score": "1:3", "result": "win"},
        {"what": "match", "a": "ann", "a2": "bob", "b": "bob", "score": "3:1"},
        {"what": "match", "a": "ann", "a2": "ann", "b": "bob", "score": "3:1"},
        {"what": "standings", "lines": "+ ann\nbob\ncat"},
        {"what": "match", "a": "ann", "b": "bob", "result": "win", "late": "1"},
        {"what": "standings", "lines": "ann"},
        {"what": "standings", "lines": "ann\nbob\nann"},
        {"what": "standings", "lines": "ann lee\nbob\nann  lee"},
        {"what": "void", "number": " "},
        {"what": "disqualify", "number": "1", "players": " "},
        {"what": "rename", "player": "ann"},
        {"what": "set-rating", "player": "ann", "display": "much"},
    ],
)
def test_forms_that_say_nothing_are_refused(form: dict[str, str]) -> None:
    with pytest.raises(InputError):
        report_of_form(form)


# ---------------------------------------------------------------------- consequences, then the button


def test_consequences_are_shown_and_nothing_is_recorded_before_the_button(club: Caller) -> None:
    """They are what a ladder of the history as it is meant says."""
    events = [{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"bob": 1, "ann": 2}}]
    events.append({"ranks": {"ann": 1, "bob": 2, "cat": 3}})
    meant = {
        "match": [*events, {"ranks": {"ann": 1, "bob": 2}}],
        "void": events[1:],
        "correct": [{"ranks": {"bob": 1, "ann": 2}}, *events[1:]],
        "disqualify": [*events[:2], {"ranks": {"ann": 1, "bob": 2}}],
    }
    for what, history in meant.items():
        ratings = podium.rate(podium.History.from_events(history), "elo").ladder
        after = {name: now for name, (_, now) in shown(filled(club, what, **FILLED[what]).text).items()}
        for name in ("ann", "bob"):
            assert float(after[name]) == pytest.approx(ratings.rating(name).display, abs=0.5), what
    assert club.get("")["head"] == 3
    page = filled(club, "void", **FILLED["void"]).text
    for _ in range(2):  # pressed twice, it counts once
        answer = pressed(club, page)
        assert (answer.status_code, answer.headers["location"]) == (303, "/ladders/chess/events/4")
    assert club.get("")["head"] == 4
    assert club.get("events/1")["status"] == "void"
    club.verified()


def test_a_time_that_does_not_count_is_shown_with_the_one_that_does(club: Caller) -> None:
    early = {**FILLED["match"], "time": "2026-05-01T10:00"}
    said = "It will be rated at 2026-05-03, because the ladder is already rated up to that time."
    page = filled(club, "match", **early).text
    assert said in page
    assert "tick “Late report”" in page
    pressed(club, page)
    assert club.get("events/4")["rated_time"] == "2026-05-03"
    for kept in ({**early, "late": "1"}, {**early, "time": "2026-05-03T10:00"}, FILLED["match"]):
        assert "It will be rated at" not in filled(club, "match", **kept).text


def test_the_new_name_of_a_player_is_no_new_player(club: Caller) -> None:
    page = filled(club, "rename", player="bob", into="Bob").text
    assert "bob is renamed to Bob." in page
    assert "New on this ladder" not in page
    assert "New on this ladder" in filled(club, "match", a="Bob", b="ann", result="win").text


def test_blanks_inside_a_name_are_one(club: Caller) -> None:
    club.report({"ranks": {"Emil Tor": 1, "Otto  Zwirn": 2}})
    page = filled(club, "match", a="Emil  Tor", b="Otto  Zwirn", result="win").text
    assert "New on this ladder" not in page


def test_every_form_is_recorded(club: Caller) -> None:
    for what in ("set-rating", "standings", "correct", "disqualify", "void", "rename"):
        answer = pressed(club, filled(club, what, **FILLED[what]).text)
        assert answer.status_code == 303, what
        assert club.client.get(answer.headers["location"]).status_code == 200
    for what, form in (("merge", {"player": "annie", "into": "bob"}), ("season", FILLED["season"])):
        assert pressed(club, filled(club, what, **form).text).status_code == 303
    assert FILLED.keys() == FORMS.keys()
    assert [entry["entry"] for entry in club.log()][3:] == [
        *("adjustment", "event", "correction", "disqualification", "void", *["adjustment"] * 3)
    ]
    club.verified()


def test_a_correction_leaves_what_its_form_does_not_ask_for(club: Caller) -> None:
    guests = {"name": "Spring cup", "weight": 0.5, "unrated": ["dan"], "home": "ann"}
    club.report({"scores": {"ann": 3, "bob": 2, "dan": 1}, **guests})
    page = filled(club, "correct", number="Spring cup", lines="bob\nann\ndan").text
    for words in (
        "Event 4 is corrected",
        "Name: Spring cup.",
        "Weight: 0.5.",
        "At home: ann.",
        "Not rated: dan.",
        "This form removes its scores",
    ):
        assert words in page
    assert pressed(club, page).status_code == 303
    found = club.get("events/4")
    event = found["rated_event"]
    assert {word: event[word] for word in guests} == guests
    assert [(side["players"], side["rank"]) for side in event["sides"]] == [
        (["bob"], 1),
        (["ann"], 2),
        (["dan"], 3),
    ]
    pressed(club, filled(club, "correct", number="4", lines="bob\ncat").text)
    again = club.get("events/4")["rated_event"]
    assert (again["name"], again["home"], again["unrated"]) == ("Spring cup", None, [])
    club.verified()


def test_what_goes_far_back_is_found_out_by_a_job(club: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    near = shown(filled(club, "void", number="1").text)
    monkeypatch.setattr(near_amendments, "NEAR_ROWS", 0)
    answer = club.client.post(
        "/ladders/chess/admin", data={"what": "void", "number": "1"}, headers=HERE, follow_redirects=False
    )
    where = answer.headers["location"]
    assert where.startswith("/ladders/chess/admin/jobs/")
    assert "Record without waiting" in club.client.get(where).text
    run_jobs(club)
    assert shown(club.client.get(where).text) == near != {}
    elsewhere = where.replace("chess", "darts")
    club.create("darts")
    assert club.client.get(elsewhere).status_code == 404


# ---------------------------------------------------------------------- who may, and what is refused


def test_a_narrow_link_reports_results_and_amends_nothing(club: Caller) -> None:
    new_key(club, "admin")
    assert club.client.get("/ladders/chess/admin", headers={"Accept": "text/html"}).status_code == 401
    assert filled(club, "match", **FILLED["match"]).status_code == 401
    log_in(club, new_link(club, "read", "report", ladder="chess"))
    page = club.client.get("/ladders/chess/admin").text
    assert "Your reports" not in page  # the three results were reported by others
    assert "Take an event back" not in page
    event = club.client.get("/ladders/chess/events/1", headers={"Accept": "text/html"})
    assert "Correct or take back" not in event.text
    assert '<a href="/login">Account</a>' in event.text
    token = form_token(page)
    for what, fields in FILLED.items():
        answer = filled(club, what, **fields, csrf=token)
        assert answer.status_code == (200 if what in ("match", "standings") else 403), what
    late = filled(club, "match", **FILLED["match"], time="2026-05-01T12:00", late="1", csrf=token)
    assert late.status_code == 403
    text = filled(club, "match", **FILLED["match"], csrf=token).text
    sent = {"report": '{"void": 1}', "csrf": token}
    club.client.post("/ladders/chess/admin/record", data=sent, headers=HERE)
    assert club.get("events/1")["status"] == "in force"
    assert pressed(club, text).status_code == 303


def test_forms_of_other_sites_are_refused(club: Caller) -> None:
    new_key(club, "read")
    log_in(club, new_link(club, "admin", once=True))
    page = club.client.get("/ladders/chess/admin").text
    assert filled(club, "match", **FILLED["match"]).status_code == 403
    assert filled(club, "match", **FILLED["match"], csrf="x" + form_token(page)[1:]).status_code == 403
    text = filled(club, "match", **FILLED["match"], csrf=form_token(page)).text
    assert text.count(form_token(page)) == 1  # not in what the page holds of the form
    assert pressed(club, text, csrf="").status_code == 403
    assert club.get("")["head"] == 3


@pytest.mark.parametrize("what", FILLED)
def test_hostile_text_stays_text_in_every_field(club: Caller, what: str) -> None:
    """Shown back with a refusal, shown before the button, and recorded."""
    for field in FILLED[what]:
        for name in HOSTILE:
            answer = filled(club, what, **{**FILLED[what], field: name})
            assert answer.status_code in (200, 400, 404, 409, 422), answer.text
            tree = html5lib.parse(answer.text, namespaceHTMLElements=False)
            assert [script.text for script in tree.iter("script")] == [None]
            assert not list(tree.iter("img"))
            assert not [key for one in tree.iter() for key in one.attrib if key.startswith("on")]
    if what == "match":
        for name in HOSTILE:
            text = filled(club, "match", a=name, b="bob", result="win").text
            assert pressed(club, text).status_code == 303
        listed = {row["player"] for row in club.client.get("/ladders/chess/?format=json").json()["rows"]}
        assert set(HOSTILE) <= listed


def test_refusals_are_shown_with_what_was_filled_in(club: Caller) -> None:
    answer = filled(club, "rename", player="nobody", into="somebody")
    assert answer.status_code == 404
    assert 'role="alert"' in answer.text
    assert 'value="nobody"' in answer.text
    club.client.patch("/api/v1/ladders/chess", json={"archived": True})
    assert filled(club, "match", **FILLED["match"]).status_code == 409
    assert "accepts no reports" in club.client.get("/ladders/chess/admin").text
    for address, sent in (("record", {"report": "{"}), ("form", {"form": "["}), ("form", {"form": "[1]"})):
        assert club.client.post(f"/ladders/chess/admin/{address}", data=sent, headers=HERE).status_code == 400


def test_whoever_goes_back_finds_the_form_as_it_was(club: Caller) -> None:
    for what, fields in FILLED.items():
        text = filled(club, what, **fields).text
        (held,) = re.findall('name="form" value="([^"]*)"', text)
        back = club.client.post("/ladders/chess/admin/form", data={"form": unescape(held)}, headers=HERE)
        assert back.status_code == 200
        for field in fields.values():
            assert field in unescape(back.text), what
    assert club.get("")["head"] == 3


def test_the_form_of_a_correction_keeps_ranks_of_a_larger_field(club: Caller) -> None:
    club.bulk([{"ranks": {"ann": 12, "bob": 57, "3. Liga": 57, "cat": 58}}])
    number = club.get("")["head"]
    form = club.client.get(f"/ladders/chess/admin?event={number}").text
    lines = "12. ann\n57. bob\n= 3. Liga\ncat"
    assert lines in form
    corrected = lines.replace("12.", "13.")
    shown = filled(club, "correct", number=str(number), lines=corrected).text
    assert "13. ann, 57. bob, 57. 3. Liga, 58. cat." in shown
    assert "Before: 12. ann, 57. bob, 57. 3. Liga, 58. cat." in shown
    assert pressed(club, shown).status_code == 303
    ranks = {change["player"]: change["rank"] for change in club.get(f"events/{number}")["changes"]}
    assert ranks == {"ann": 13, "bob": 57, "3. Liga": 57, "cat": 58}


# ---------------------------------------------------------------------- an evening at a club


def member(club: Caller, *scopes: str) -> tuple[str, dict[str, str]]:
    """A browser that came by a link: its token, and its cookies."""
    club.client.cookies.clear()
    log_in(club, new_link(club, *scopes, ladder="chess"))
    return form_token(club.client.get("/ladders/chess/admin").text), dict(club.client.cookies)


def test_a_result_can_be_taken_back_from_the_phone_that_reported_it(club: Caller) -> None:
    new_key(club, "admin")
    token, first = member(club, "read", "report")
    fields = {"a": "ann", "b": "bob", "score": "3:1"}
    answer = pressed(club, filled(club, "match", **fields, csrf=token).text)
    assert answer.headers["location"] == "/ladders/chess/admin?recorded=4"
    page = club.client.get(answer.headers["location"]).text
    assert "Recorded: <bdi>ann beat bob 3:1.</bdi>" in page
    assert '<a href="/ladders/chess/events/4">' in page
    assert club.get("events/4")["rated_event"]["sides"][0]["score"] == 3
    second_token, _ = member(club, "read", "report")
    assert "Take back" not in club.client.get("/ladders/chess/admin").text
    assert filled(club, "void", number="4", csrf=second_token).status_code == 403
    club.client.cookies.clear()
    club.client.cookies.update(first)
    assert filled(club, "void", number="3", csrf=token).status_code == 403  # reported by somebody else
    assert filled(club, "disqualify", number="4", players="bob", csrf=token).status_code == 403
    shown_before = filled(club, "void", number="4", csrf=token)
    assert {name: now for name, (_, now) in shown(shown_before.text).items()}.keys() == {"ann", "bob"}
    assert pressed(club, shown_before.text).status_code == 303
    assert club.get("events/4")["status"] == "void"
    assert "Take back" not in club.client.get("/ladders/chess/admin").text


def test_a_day_later_only_an_admin_takes_a_result_back(club: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    new_key(club, "admin")
    token, _ = member(club, "read", "report")
    pressed(club, filled(club, "match", **FILLED["match"], csrf=token).text)
    assert filled(club, "void", number="4", csrf=token).status_code == 200
    monkeypatch.setattr(own_reports, "DAY_MICROS", 0)
    assert filled(club, "void", number="4", csrf=token).status_code == 403


def test_a_likely_repeat_is_asked_about(club: Caller) -> None:
    asked = "The same result was reported just now"
    assert asked not in filled(club, "match", a="cat", b="bob", score="3:1").text
    pressed(club, filled(club, "match", a="cat", b="bob", score="3:1").text)
    again = filled(club, "match", a="bob", b="cat", result="loss").text  # the same from the other side
    assert asked in again
    assert "cat beat bob 3:1." in again
    assert asked not in filled(club, "match", a="bob", b="cat", result="win").text
    assert asked not in filled(club, "match", a="bob", b="ann", result="loss").text
    assert pressed(club, again).status_code == 303  # they played again
    assert club.get("")["head"] == 5


def test_a_misspelt_name_is_mended_by_one_button(club: Caller) -> None:
    club.report({"ranks": {"Vera Lange": 1, "Otto  Zwirn": 2}})
    page = filled(club, "match", a="Vera  Lnge", b="bob", score="3:1").text
    assert "I meant <bdi>Vera Lange</bdi>" in page
    (form,) = {unescape(one) for one in re.findall(r'name="form" value="([^"]*)"', page)}
    (name,) = [unescape(one) for one in re.findall(r'name="name" value="([^"]*)"', page)]
    sent = {"form": form, "name": name}
    mended = club.client.post("/ladders/chess/admin/meant", data=sent, headers=HERE)
    assert "Vera Lange beat bob 3:1." in unescape(mended.text)
    assert "New on this ladder" not in mended.text
    for broken in ({"form": form}, {"name": name}, {"form": "[", "name": "["}):
        assert club.client.post("/ladders/chess/admin/meant", data=broken, headers=HERE).status_code == 400


def test_forms_offer_the_players_who_played_last(club: Caller) -> None:
    club.report({"ranks": {"dan": 1, "<eve>": 2}})
    page = html5lib.parse(club.client.get("/ladders/chess/admin").text, namespaceHTMLElements=False)
    offered = [one.attrib["value"] for one in page.findall(".//datalist/option")]
    assert offered == ["dan", "<eve>", "ann", "bob", "cat"]
    club.client.patch("/api/v1/ladders/chess", json={"private": True})
    new_key(club, "admin")
    member(club, "report")
    assert '<datalist id="names"></datalist>' in club.client.get("/ladders/chess/admin").text


def test_a_player_is_managed_from_the_player_s_page(club: Caller) -> None:
    page = club.client.get("/ladders/chess/players/1").text
    (address,) = re.findall(r'href="([^"]*admin[?]player=1)"', page)
    forms = html5lib.parse(club.client.get(address).text, namespaceHTMLElements=False)
    filled_in = [one.attrib["value"] for one in forms.iter("input") if one.attrib.get("name") == "player"]
    assert filled_in == ["bob", "bob", "bob"]
    preview = filled(club, "set-rating", player="bob", display="1650").text
    assert "The rating of bob is set to 1650." in unescape(preview)
    assert shown(preview)["bob"][1] == "1650"
    assert pressed(club, preview).status_code == 303
    assert club.get("rating", player="bob")["display"] == pytest.approx(1650.0)
    assert club.client.get("/ladders/chess/admin?player=99").status_code == 200
    new_key(club, "admin")
    member(club, "read", "report")
    assert "admin?player=" not in club.client.get("/ladders/chess/players/1").text
    assert "Set a rating" not in club.client.get("/ladders/chess/admin?player=1").text
