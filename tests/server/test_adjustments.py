"""Adjustments: previewed, answered, kept and explained with what they changed, as a ladder says."""

from __future__ import annotations

import json
import re
from contextlib import ExitStack
from html import unescape
from typing import cast

import pytest

from podium import Ladder
from podium.documents.rating_documents import ChangeDocument
from podium.history.adjustments import make_adjustment
from podium.server.correcting.rerating import Rerated, build_generation
from podium.server.live_pages.expected_moves import expected_moves
from podium.server.log.reports import report_of
from podium.server.storage.database import Database
from podium.server.storage.migrating import migrate
from podium.systems import make_system
from podium.systems.contract.ratings import Changes
from server.callers import Caller, Plain, called_service
from server.recorded import executed

MATCHES: list[Plain] = [
    {"ranks": {"ann": 1, "bob": 2}},
    {"ranks": {"ann2": 1, "bob": 2}},
    {"ranks": {"cat": 1, "ann": 2}},
    {"ranks": {"ann2": 1, "cat": 2}},
]
ADJUSTMENTS: list[Plain] = [
    {"adjustment": "merge", "player": "ann2", "into": "ann"},
    {"adjustment": "reset", "keep": 0.5},
    {"adjustment": "set-rating", "player": "dan", "mu": 1700.0},
    {"adjustment": "anchor", "player": "bob", "mu": 1450.0},
    {"adjustment": "release", "player": "bob"},
]


def plain(changes: Changes) -> list[ChangeDocument]:
    """The changes of a ladder as the service answers them."""
    return [
        {
            "player": one.player,
            "rank": one.rank,
            "mu_before": one.mu_before,
            "sigma_before": one.sigma_before,
            "display_before": one.display_before,
            "performance": one.performance,
            "mu": one.mu,
            "sigma": one.sigma,
            "display": one.display,
            "gain": one.gain,
        }
        for one in changes
    ]


def adjusted(ladder: Ladder, sent: Plain) -> Changes:
    values = {word: value for word, value in sent.items() if word != "adjustment"}
    return ladder.adjust(make_adjustment(sent["adjustment"], values))


@pytest.mark.parametrize("system", ["elo", "glicko2", "elo-mmr"])
def test_an_adjustment_is_previewed_and_answered_with_what_it_changes(caller: Caller, system: str) -> None:
    caller.create("other", system=system, fill_times=False)
    ladder = Ladder(make_system(system))
    for sent in MATCHES:
        caller.report(sent, ladder="other")
        ladder.record(**sent)
    for sent in ADJUSTMENTS:
        previewed = caller.report(sent, ladder="other", dry_run=True)
        reported = caller.report(sent, ladder="other")
        expected = sorted(plain(adjusted(ladder, sent)), key=lambda change: change["player"])
        for changes in (
            previewed["changes"],
            reported["changes"],
            caller.get(f"events/{reported['number']}", ladder="other")["changes"],
        ):
            assert sorted(changes, key=lambda change: change["player"]) == expected
        assert expected
    again = caller.report({**ADJUSTMENTS[1], "keep": 1.0}, ladder="other")  # which moves nobody
    assert again["changes"] == []
    mine = caller.get("history", ladder="other", player="bob")["events"]
    assert [one["adjustment"] for one in mine[:3]] == [
        "release player=bob",
        "anchor player=bob, mu=1450.0",
        "reset keep=0.5",
    ]
    assert [one["rank"] for one in mine] == [None, None, None, 2, 2]
    assert mine[-1]["adjustment"] is None
    assert mine[1]["display"] == ladder.rating("bob").display
    found = caller.get("head-to-head", ladder="other", a="ann", b="bob")
    assert (found["wins"], found["draws"], len(found["meetings"])) == (2, 0, 2)  # a reset is none
    caller.verified("other")


def test_ladders_of_an_older_podium_are_rated_again_once(database_address: str) -> None:
    with called_service(database_address) as caller:
        caller.create()
        caller.create("plain")
        caller.report(MATCHES[0], ladder="plain")
        for sent in [*MATCHES, *ADJUSTMENTS]:
            caller.report(sent)
        told = caller.get("explanation", player="bob")
    database = Database(database_address)
    migrate(database, "0003")  # as it was before adjustments were kept
    assert executed(database_address, "SELECT count(*) FROM change WHERE rank < 0") == [0]
    migrate(database)
    database.close()
    assert executed(database_address, "SELECT ladder FROM job WHERE kind = 'rerate'") == [1]
    with called_service(database_address) as caller:
        caller.verified()  # what is not there is no damage
        service = caller.service

        def built(slug: str) -> Rerated | None:  # as the job does that was ordered
            return build_generation(lambda do, *given: do(service, *given), service.database, slug)

        rerated = built("chess")
        assert rerated is not None
        assert rerated.changed == len(ADJUSTMENTS) + 2
        assert built("chess") is built("plain") is None
        caller.verified()
        assert caller.get("explanation", player="bob") == told
        caller.report({"void": 5})  # of the merge: nobody knows the name any more
        assert set(ratings(caller)) == {"ann", "player 2", "bob", "cat", "dan"}


def test_the_page_of_a_player_tells_adjustments(caller: Caller) -> None:
    for sent in [*MATCHES, *ADJUSTMENTS[1:4], {"ranks": {"dan": 1, "ann": 2}}]:
        caller.report(sent)
    number = 0  # of ann, who came first
    page = caller.client.get(f"/ladders/chess/players/{number}", params={"format": "json"}).json()
    rating = caller.get("rating", player="ann")["display"]
    lines = page["why"]["lines"]
    assert sum(line["points"] for line in lines) == pytest.approx(rating, abs=0.01)  # each is rounded
    assert [line["words"] for line in lines if line["event"] == 5] == ["reset keep=0.5"]
    assert "from 3 events and 1 adjustment" in page["why"]["words"][0]
    results = page["results"]
    assert [one["adjustment"] for one in results] == [None, "reset keep=0.5", None, None]
    assert [one["rank"] for one in results] == [2, None, 2, 1]
    assert page["history"]["adjustment"] == [None, None, "reset keep=0.5", None]
    assert page["history"]["display"][2] == results[1]["display"] != results[2]["display"]
    shown = caller.client.get(f"/ladders/chess/players/{number}").text
    assert "reset keep=0.5 · " in shown  # in the picture
    entry = caller.client.get("/ladders/chess/events/5").text
    assert "Rating changes" in entry
    seeded = caller.client.get("/ladders/chess/players/4", params={"format": "json"}).json()
    assert seeded["peak"]["display"] > 1700 == seeded["history"]["display"][0]


def test_the_page_of_a_player_begins_where_the_explanation_does(caller: Caller) -> None:
    """The games of an imported rating are no results that are missing."""
    caller.report({"adjustment": "set-rating", "player": "ann", "display": 1800.0, "events": 40})
    for _ in range(12):
        caller.report({"ranks": {"bob": 1, "ann": 2}})
    lines = caller.client.get("/ladders/chess/players/0", params={"format": "json"}).json()["why"]["lines"]
    told = caller.get("explanation", player="ann")["explanation"]
    parts = [part["change"] for part in told["contributions"]]
    assert [line["points"] for line in lines] == pytest.approx(
        [told["newcomer"], parts[0], sum(parts[1:3]), *parts[3:]], abs=0.02
    )


def test_the_page_of_an_adjustment_shows_the_time_that_counts(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}, "time": "2026-06-01"})
    caller.report({"adjustment": "set-rating", "player": "cat", "mu": 1800.0, "time": "2025-01-01"})
    html = caller.client.get("/ladders/chess/events/2").text
    assert '<p class="lead">1 Jun 2026.' in re.sub("</?time[^>]*>", "", html)
    assert re.search("<dt>Reported time</dt><dd>.*1 Jan 2025", html)


def test_the_page_before_the_button_shows_the_same_changes(caller: Caller) -> None:
    caller.bulk(MATCHES)
    for sent in ADJUSTMENTS[:3]:
        moves = expected_moves(caller.service, "chess", report_of(sent))
        assert moves is not None
        told = {one["player"]: (one["display_before"], one["display"]) for one in moves.rows}
        previewed = caller.report(sent, dry_run=True)["changes"]
        assert told == {one["player"]: (one["display_before"], one["display"]) for one in previewed}
        assert moves.moved == len(told) > 0


def judge(*sent: Plain, system: str = "elo") -> dict[str, float]:
    """The ratings that a ladder gives."""
    ladder = Ladder(make_system(system))
    for one in sent:
        adjusted(ladder, one) if "adjustment" in one else ladder.record(**one)
    return {player: ladder.rating(player).display for player in ladder.players if player in ladder}


def ratings(caller: Caller) -> dict[str, float]:
    found = caller.get("leaderboard", everybody=True)["ratings"]
    return {one["player"]: one["display"] for one in found}


MERGE = ADJUSTMENTS[0]


def test_results_move_to_the_player_into_whom_an_account_is_merged(caller: Caller) -> None:
    for day, sent in enumerate([*MATCHES, MERGE, {"ranks": {"bob": 1, "ann": 2}}], start=1):
        caller.report({**sent, "time": f"2026-05-0{day}"})
    told = caller.get("history", player="ann")["events"]
    assert [(one["number"], one["account"]) for one in told] == [
        (6, None),
        (5, None),
        (4, "ann2"),
        (3, None),
        (2, "ann2"),
        (1, None),
    ]
    assert told[1]["adjustment"] == "merge player=ann2, into=ann"
    assert {one["player"] for one in told} == {"ann"}
    met = caller.get("head-to-head", a="bob", b="ann")
    assert (met["wins"], met["losses"], len(met["meetings"])) == (1, 2, 3)
    found = caller.get("explanation", player="ann")["explanation"]
    parts = found["contributions"]
    assert [part["event"] for part in parts] == ["1", "3", "merge player=ann2, into=ann", "6"]
    total = found["newcomer"] + found["older_results"] + found["absence"]
    total += sum(part["change"] for part in parts)
    assert total == pytest.approx(caller.get("rating", player="ann")["display"])
    theirs = caller.get("explanation", player="cat")["explanation"]["contributions"]
    assert [part["match"]["opponents"] for part in theirs] == [["ann"], ["ann"]]
    event = caller.get("events/2")
    assert [side["players"] for side in event["event"]["sides"]] == [["ann"], ["bob"]]
    assert {one["player"] for one in event["changes"]} == {"ann", "bob"}
    assert caller.get("explanation", player="ann", event=2)["event"]["player"] == "ann"
    gone = caller.client.get("/ladders/chess/players/2", params={"format": "json"}).json()
    page = caller.client.get("/ladders/chess/players/0", params={"format": "json"}).json()
    assert gone == page
    assert [(one["account"], one["adjustment"] is None) for one in page["results"]] == [
        (None, True),
        (None, False),
        ("ann2", True),
        (None, True),
        ("ann2", True),
        (None, True),
    ]
    assert page["history"]["event"] == [1, 3, 5, 6]
    assert "from 3 events and 1 adjustment" in page["why"]["words"][0]
    assert "2 events of the merged account" in page["why"]["words"][1]
    assert {one["player"]: one["met"] for one in page["opponents"]} == {"bob": 3, "cat": 2}
    for path in ["players/0", "players/1", "events", "events/2", "events/5", "compare?player=0&player=1"]:
        assert "(gone)" not in caller.client.get(f"/ladders/chess/{path}").text
    assert "ann2" in {one["player"] for one in caller.get("leaderboard", at="2026-05-02")["ratings"]}
    # Amendments of what the account did name the player.
    caller.report({"correct": 2, "ranks": {"bob": 1, "ann": 2}})
    beaten = {"ranks": {"bob": 1, "ann2": 2}}
    assert ratings(caller) == judge(MATCHES[0], beaten, *MATCHES[2:], MERGE, {"ranks": {"bob": 1, "ann": 2}})
    caller.report({"disqualify": ["ann"], "event": 2})
    assert ratings(caller) == judge(MATCHES[0], *MATCHES[2:], MERGE, {"ranks": {"bob": 1, "ann": 2}})
    caller.verified()


def test_head_to_head_tells_of_both_accounts_that_were_in_one_event(caller: Caller) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    caller.report({"ranks": {"ann": 1, "bob": 2, "ann2": 3}})
    caller.report({"ranks": {"bob": 1, "ann": 2, "cat": 3}})
    caller.report(MERGE)
    met = caller.get("head-to-head", a="ann", b="bob")
    assert (met["wins"], met["draws"], met["losses"]) == (2, 0, 2)
    told = [(one["number"], one["rank_a"], one["rank_b"]) for one in met["meetings"]]
    assert told == [(3, 2, 1), (2, 1, 2), (2, 3, 2), (1, 1, 2)]
    turned = caller.get("head-to-head", a="bob", b="ann")
    assert [(one["number"], one["rank_b"], one["rank_a"]) for one in turned["meetings"]] == told
    for limit in (1, 2, 3):
        pages, cursor = [], {}
        while True:
            page = caller.get("head-to-head", a="ann", b="bob", limit=limit, **cursor)
            pages += [(one["number"], one["rank_a"], one["rank_b"]) for one in page["meetings"]]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert pages == told


def test_comparisons_draw_the_own_rating_with_its_adjustments(caller: Caller) -> None:
    for sent in [*MATCHES, MERGE, {"adjustment": "set-rating", "player": "ann", "mu": 1700}]:
        caller.report(sent)
    page = caller.client.get("/ladders/chess/players/0", params={"format": "json"}).json()
    script = caller.client.get("/ladders/chess/data/players/0.js").text
    drawn = json.loads(script[script.index(",") + 1 : script.rindex(")")])["ann"]
    assert drawn["display"] == page["history"]["display"]
    assert drawn["event"] == [1, 3, 5, 6]


def test_partners_have_not_met(caller: Caller) -> None:
    """Of one side, they have one rank, and no draw; a correction may part them."""
    doubles = {"teams": [["ann", "bob"], ["cat", "dan"]], "ranks": [1, 2]}
    caller.create("doubles", "weng-lin")
    for sent in [doubles, {**doubles, "ranks": [1, 1]}, {"ranks": {"ann": 1, "bob": 1, "cat": 3}}]:
        caller.report(sent, ladder="doubles")

    def met(one: str, other: str) -> tuple[int, ...]:
        found = caller.get("head-to-head", ladder="doubles", a=one, b=other)
        page = caller.client.get(
            "/ladders/doubles/compare", params={"name": [one, other], "format": "json"}
        ).json()["pair"]
        counts = tuple(found[key] for key in ("wins", "draws", "losses"))
        assert counts == tuple(page[key] for key in ("wins", "draws", "losses"))
        assert sum(counts) == len(found["meetings"])
        return counts

    assert met("ann", "bob") == (0, 1, 0)  # the draw of three
    assert met("ann", "cat") == (2, 1, 0)
    assert met("cat", "dan") == (0, 0, 0)
    caller.report(
        {"correct": 2, "teams": [["ann", "cat"], ["bob", "dan"]], "ranks": [1, 1]}, ladder="doubles"
    )
    assert met("ann", "bob") == (0, 2, 0)
    assert met("ann", "cat") == (2, 0, 0)


@pytest.mark.parametrize("near", [True, False])
def test_a_merge_can_be_voided(database_address: str, near: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    later = {"ranks": {"bob": 1, "ann": 2}}
    with ExitStack() as services:
        caller = services.enter_context(called_service(database_address))
        follower = caller
        if database_address.startswith("postgresql"):  # which only follows
            follower = services.enter_context(called_service(database_address))
        caller.create()
        for sent in [*MATCHES, MERGE, later]:
            caller.report(sent)
        told = caller.report({"void": 5}, dry_run=True)
        apart = judge(*MATCHES, later)
        assert {one["player"]: one["display"] for one in told["players"]} == {
            "ann": apart["ann"],
            "ann2": apart["ann2"],
            "bob": apart["bob"],
        }
        service = caller.service

        def void(number: int) -> None:
            caller.report({"void": number})
            if not near:
                build_generation(lambda do, *given: do(service, *given), service.database, "chess")

        if not near:
            monkeypatch.setattr("podium.server.correcting.near_amendments.NEAR_ROWS", -1)
        assert ratings(follower) == judge(*MATCHES, MERGE, later)
        void(5)
        assert ratings(caller) == ratings(follower) == apart
        assert [one["number"] for one in caller.get("history", player="ann2")["events"]] == [4, 2]
        assert [one["number"] for one in caller.get("history", player="ann")["events"]] == [6, 3, 1]
        caller.verified()
        # The name can be reported again, and the merge cannot simply come back then.
        void(7)
        assert ratings(caller) == ratings(follower) == judge(*MATCHES, MERGE, later)
        void(8)
        assert ratings(follower) == apart
        caller.report({"ranks": {"ann2": 1, "bob": 2}})
        caller.refused({"void": 9}, 409, "amendment")
        caller.verified()
    with called_service(database_address) as caller:
        assert ratings(caller) == judge(*MATCHES, later, {"ranks": {"ann2": 1, "bob": 2}})


def test_a_merge_comes_back_after_a_new_season(any_caller: Caller) -> None:
    """Its void is void. A reset in between moved the account like all others, and did not use it."""
    any_caller.create()
    season = {"adjustment": "reset", "keep": 0.5}
    later = {"ranks": {"bob": 1, "ann": 2}}
    for sent in [*MATCHES, MERGE, {"void": 5}, season, later]:
        any_caller.report(sent)
    assert ratings(any_caller) == judge(*MATCHES, season, later)
    any_caller.report({"void": 6})
    assert ratings(any_caller) == judge(*MATCHES, MERGE, season, later)
    any_caller.verified()


def test_an_account_keeps_its_number_while_the_void_of_its_merge_waits(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = {"ranks": {"ann2": 1, "bob": 2}}
    for sent in [*MATCHES, MERGE]:
        caller.report(sent)
    monkeypatch.setattr("podium.server.correcting.near_amendments.NEAR_ROWS", -1)
    caller.report({"void": 5})
    service = caller.service
    service.ladders.drop("chess")  # as after a restart: the ladder is loaded with the merge still in force
    caller.report(again)
    build_generation(lambda do, *given: do(service, *given), service.database, "chess")
    assert ratings(caller) == judge(*MATCHES, again)
    caller.verified()


def test_a_merge_is_not_voided_while_another_player_has_the_name(caller: Caller) -> None:
    for sent in [*MATCHES, MERGE, {"ranks": {"bob": 1, "ann2": 2}}]:
        caller.report(sent)
    before = ratings(caller)
    refused = caller.refused({"void": 5}, 409, "amendment")
    assert "another player is named 'ann2'" in refused["detail"]
    assert ratings(caller) == before
    caller.report({"adjustment": "rename", "player": "ann2", "into": "anna"})
    caller.report({"void": 5})
    assert set(ratings(caller)) == {"ann", "ann2", "anna", "bob", "cat"}
    caller.refused({"void": 7}, 409, "amendment")  # a rename is taken back by another one
    caller.verified()


def test_a_merged_account_is_never_shown_by_its_label(any_caller: Caller) -> None:
    """Not in the answer to the request that merges it, nor when its event is reported again."""
    first = {"ranks": {"ann": 1, "anna": 2}, "key": "a"}
    merge = {"adjustment": "merge", "player": "anna", "into": "cat"}
    told = any_caller.bulk([{"ranks": {"cat": 1, "ann": 2}}, first, merge, {"ranks": {"anna": 1, "ann": 2}}])
    named = [[change["player"] for change in one["changes"]] for one in told["outcomes"]]
    assert named == [["cat", "ann"], ["ann", "cat"], ["cat"], ["anna", "ann"]]
    again = any_caller.report(first)
    assert [change["player"] for change in again["changes"]] == named[1]
    other = any_caller.refused({**first, "ranks": {"ann": 2, "anna": 1}}, 409, "key-conflict")
    assert "gone" not in str(other)


def shared_event(caller: Caller) -> None:
    """Two accounts of one player were in events 1 to 3, and merged after them."""
    merge = {"adjustment": "merge", "player": "ann2", "into": "ann"}
    said: list[Plain] = [{"ranks": {"ann": 3, "bob": 2, "ann2": 1}}, {"ranks": {"ann": 1, "ann2": 2}}]
    said += [{"ranks": {"ann2": 1, "ann": 2}}, merge]
    assert caller.bulk(said)["refused"] == 0


def document(caller: Caller, path: str) -> Plain:
    answer = caller.client.get(f"/ladders/chess/{path}{'&' if '?' in path else '?'}format=json")
    assert answer.status_code == 200, answer.text
    return cast(Plain, answer.json())


def test_accounts_of_one_player_in_one_event_keep_their_own_results(any_caller: Caller) -> None:
    shared_event(any_caller)
    shown = document(any_caller, "players/0")
    told = [
        (one["event"], one["account"], one["words"]) for one in shown["results"] if one["event"] in (2, 3)
    ]
    assert sorted(told, key=str) == [
        (2, "ann2", "lost to ann"),
        (2, None, "beat ann2"),
        (3, "ann2", "beat ann"),
        (3, None, "lost to ann2"),
    ]
    ranks = {one["account"]: one["rank"] for one in shown["results"] if one["event"] == 1}
    assert ranks == {None: 3, "ann2": 1}
    assert [one["player"] for one in shown["opponents"]] == ["bob"]
    assert [one["player"] for one in document(any_caller, "events/1")["standings"]] == ["ann2", "bob", "ann"]
    logged = any_caller.get("events/1")
    assert [change["player"] for change in logged["changes"]] == ["ann", "bob", "ann2"]
    pair = document(any_caller, "compare?player=0&player=0")["pair"]
    assert (pair["wins"], pair["draws"], pair["losses"]) == (0, 0, 0)


def test_consequences_name_an_account_that_leaves(any_caller: Caller) -> None:
    """The void of a merge is void: ann2 leaves again. The preview called the account "#2 (gone)"."""
    shared_event(any_caller)
    any_caller.report({"void": 4})
    told = any_caller.report({"void": 5}, dry_run="true")
    assert [one["player"] for one in told["players"] if one["display"] is None] == ["ann2"]


def test_opponents_count_both_accounts_as_head_to_head_does(any_caller: Caller) -> None:
    """bob met ann twice in one event, as two accounts: his page counted none of the two."""
    shared_event(any_caller)
    any_caller.report({"ranks": {"bob": 1, "ann": 2}})
    (met,) = document(any_caller, "players/1")["opponents"]
    record = any_caller.get("head-to-head", a="bob", b="ann")
    assert met == {"player": "ann", "met": 3, "wins": 2, "draws": 0, "losses": 1}
    assert (record["wins"], record["draws"], record["losses"]) == (2, 0, 1)
    assert len(record["meetings"]) == 3


def test_a_player_is_disqualified_with_all_accounts(any_caller: Caller) -> None:
    shared_event(any_caller)
    any_caller.report({"ranks": {"bob": 1, "cat": 2}})
    any_caller.report({"disqualify": ["ann"], "event": 1})
    assert sorted(any_caller.get("events/1")["rated_disqualified"]) == ["ann", "ann2"]


def test_the_form_of_a_correction_tells_accounts_apart(any_caller: Caller) -> None:
    shared_event(any_caller)
    form = any_caller.client.get("/ladders/chess/admin?event=1").text
    assert "ann2\nbob\nann\n" in form.replace("</textarea>", "\n")


def test_a_merged_account_keeps_its_name_when_a_new_player_takes_it(any_caller: Caller) -> None:
    shared_event(any_caller)
    any_caller.report({"ranks": {"ann2": 1, "bob": 2}})
    ranked = [one["player"] for one in document(any_caller, "events/1")["standings"]]
    assert ranked == ["ann2 (merged account #2)", "bob", "ann"]
    for path in ("players/0", "events/1", "events/4", "events", "matches"):
        assert "(gone)" not in str(document(any_caller, path)), path
    for number in (1, 4):
        assert "(gone)" not in str(any_caller.get(f"events/{number}"))
    assert "(gone)" not in str(any_caller.get("history", player="ann"))


def test_the_page_of_an_adjustment_names_accounts_merged_since(any_caller: Caller) -> None:
    for match in MATCHES:
        any_caller.report(match)
    any_caller.report({"adjustment": "reset", "keep": 0.5})
    any_caller.report(MERGE)
    any_caller.report({"ranks": {"ann2": 1, "bob": 2}})
    page = any_caller.client.get("/ladders/chess/events/5")
    assert page.status_code == 200
    assert "(gone)" not in page.text


def test_the_former_name_of_a_player_is_stored_nowhere(caller: Caller) -> None:
    """Somebody who wants to be forgotten is renamed. The old name then means a new player."""
    caller.create()
    caller.bulk(
        [
            {"ranks": {"ann": 1, "Zebulon": 2}, "time": "2026-05-01"},
            {"adjustment": "rename", "player": "Zebulon", "into": "zed", "time": "2026-05-02"},
            {"ranks": {"zed": 1, "ann": 2}, "time": "2026-05-03"},
        ]
    )
    pages = ["", "events", "events/1", "events/2", "players/1", "matches", "search?q=e", "about"]
    shown = [caller.client.get(f"/ladders/chess/{page}") for page in pages]
    shown += [caller.client.get(f"/api/v1/{path}") for path in ("audit", "ladders/chess/events?since=0")]
    shown.append(caller.client.get("/api/v1/ladders/chess/history", params={"player": "zed"}))
    for answer in shown:
        assert answer.status_code == 200, answer.text
        assert "Zebulon" not in answer.text
    assert [one["number"] for one in caller.get("history", player="zed")["events"]] == [3, 1]
    caller.report({"ranks": {"Zebulon": 1, "ann": 2}, "time": "2026-05-04"})
    assert caller.get("rating", player="Zebulon")["events"] == 1


def test_members_read_adjustments_in_plain_words(caller: Caller) -> None:
    """The list of events, and the title of each one's own page."""
    for name in ("ann", "annie"):
        caller.report({"ranks": {name: 1, "bob": 2}, "time": "2026-05-01"})
    adjustments: list[tuple[Plain, str]] = [
        ({"adjustment": "rename", "player": "ann", "into": "Zoë"}, "A player is now called Zoë"),
        (
            {"adjustment": "merge", "player": "annie", "into": "Zoë"},
            "The results of annie now count for Zoë",
        ),
        (
            {"adjustment": "reset", "keep": 0.5},
            "A new season: all players kept 50% of their distance from a newcomer's rating",
        ),
        (
            {"adjustment": "set-rating", "player": "bob", "display": 1800},
            "The rating of bob was set to 1800",
        ),
        ({"adjustment": "anchor", "player": "bob"}, "The rating of bob was fixed"),
        ({"adjustment": "release", "player": "bob"}, "Results change the rating of bob again"),
    ]
    for sent, _ in adjustments:
        caller.report(sent)
    words = [words for _, words in adjustments]
    rows = caller.client.get("/ladders/chess/events", params={"format": "json"}).json()["rows"]
    assert [row["name"] for row in rows[:6]] == words[::-1]
    listed = caller.client.get("/ladders/chess/events").text
    assert "rename player=" not in listed
    for number, title in enumerate(words, start=3):
        page = caller.client.get(f"/ladders/chess/events/{number}").text
        heading = re.search("<h1>.*?</h1>", page, re.DOTALL)
        assert heading is not None
        assert unescape(re.sub("<[^>]*>", "", heading[0])) == title
