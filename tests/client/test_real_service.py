"""Both clients at a real service over HTTP: what they give is what a ladder gives."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterator
from doctest import DocTestFinder, DocTestRunner
from itertools import count
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest
from polars.testing import assert_frame_equal

import podium
from client.real_service import running_service
from podium import AsyncClient, Client, Elo, EloMMR, Glicko2, History, Ladder
from podium.client.service_values import Amended
from podium.named import temporary_registrations
from test_documentation import check_document

PAGE = Path(__file__).parents[2] / "docs" / "client.md"
SLUGS = (f"ladder-{number}" for number in count())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_service(tmp_path_factory.mktemp("service")) as address:
        yield address


@pytest.fixture
def elo(address: str) -> Iterator[Client]:
    with Client(address, ladder=next(SLUGS), system=Elo(), fill_times=False) as client:
        yield client


def test_the_examples_of_the_page_run_against_a_service(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the one line that the page tells to change, and nothing else."""
    text = PAGE.read_text(encoding="utf-8")
    here = "ladder = podium.Ladder(podium.Glicko2())\n"
    (there,) = re.findall(r"^ladder = podium\.Client\(.*\n", text, re.MULTILINE)
    assert text.count(here) == 1
    page = tmp_path / "client.md"
    page.write_text(text.replace(here, there.replace("http://127.0.0.1:8000", address)), encoding="utf-8")
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)
    with temporary_registrations():
        check_document(page, module.__dict__)
    assert isinstance(module.ladder, Client)
    module.ladder.close()


def test_the_examples_of_docstrings_run_against_a_service(address: str) -> None:
    found = DocTestFinder(recurse=False).find(Client) + DocTestFinder(recurse=False).find(AsyncClient)
    examples = [example for one in found for example in one.examples]
    assert len(examples) == 6
    for example in examples:
        example.source = example.source.replace("http://127.0.0.1:8000", address)
    runner = DocTestRunner()
    for one in found:
        runner.run(one)
    assert runner.failures == 0


@pytest.mark.parametrize("system", [Elo(), Glicko2(), EloMMR()], ids=lambda system: system.name)
def test_a_season_is_the_same_here_and_there(address: str, system: podium.RatingSystem) -> None:
    ladder = Ladder(system)
    with Client(address, ladder=next(SLUGS), system=system, fill_times=False) as client:
        for day in range(1, 9):
            words = {"time": f"2026-05-{day:02}T12:00", "name": f"round {day}"}
            scores = {name: (7 * day + place) % 5 for place, name in enumerate(("ann", "bob", "cat", "dan"))}
            here, there = ladder.record(scores=scores, **words), client.record(scores=scores, **words)
            assert (here, there.number) == (there, day)
            if day == 5:
                past = ladder.copy()
        for player in ("ann", "bob", "cat", "dan"):
            assert client.rating(player) == ladder.rating(player)
            assert str(client.explain(player)) == str(ladder.explain(player))
            assert client.history(player).height == 8
        assert_frame_equal(client.leaderboard(), ladder.leaderboard())
        assert_frame_equal(client.ratings(), ladder.ratings())
        assert_frame_equal(client.leaderboard(top=2), ladder.leaderboard(top=2))
        at = "2026-05-06T11:59"
        assert client.rating("ann", at=at) == past.rating("ann", at=at)
        assert client.outcomes("ann", "eve", at=at) == past.outcomes("ann", "eve", at=at)
        for asked in ({"top": 2}, {"min_events": 6, "provisional": True}):
            assert_frame_equal(client.leaderboard(**asked, at=at), past.leaderboard(**asked, at=at))
        assert_frame_equal(client.ratings(at=at), past.ratings(at=at))
        assert client.outcomes("ann", "eve") == ladder.outcomes("ann", "eve")
        assert client.preview(ranks={"eve": 1, "ann": 2}) == ladder.preview(ranks={"eve": 1, "ann": 2})
        assert (len(client), client.n_events, client.last_time) == (4, 8, ladder.last_time)
        assert client.verify()["clean"]


def test_the_page_around_a_player_and_the_ratings_of_some(elo: Client) -> None:
    ladder = Ladder("elo")
    for number in range(12):
        for one in (elo, ladder):
            one.record_match(f"p{number}", f"p{(5 * number + 1) % 12}x")
            one.record_match(f"p{number}", "everyone's first", time=f"2026-05-{number + 1:02}")
    board, everybody = ladder.leaderboard(), ladder.ratings()
    for place in (0, 7, board.height - 1):
        player = board["player"][place]
        page = elo.leaderboard(around=player, limit=5)
        assert page.height == 5
        assert_frame_equal(page, board.slice(max(0, min(place - 2, board.height - 5)), 5))
    assert_frame_equal(elo.leaderboard(around="p3"), board)
    some = ["p7", "p0", "everyone's first", "p7"]
    found = elo.ratings(some)
    assert found["player"].to_list() == some
    assert_frame_equal(
        found.unique(), everybody.filter(everybody["player"].is_in(some)), check_row_order=False
    )
    assert elo.ratings([]).schema == everybody.schema
    past = elo.ratings(["everyone's first"], at="2026-05-04T12:00")["events"].to_list()
    assert past == [elo.rating("everyone's first", at="2026-05-04T12:00").events] == [4]
    with pytest.raises(podium.UnknownPlayerError, match="'eve'"):
        elo.ratings(["p7", "eve"])
    with pytest.raises(podium.UnknownPlayerError, match="'eve'"):
        elo.leaderboard(around="eve")
    with pytest.raises(podium.InputError, match="'p7', not a list of names"):
        elo.ratings("p7")
    for words, arguments in {
        "needs around": {"limit": 5},
        "go with top": {"around": "p7", "top": 3},
        "go with provisional": {"around": "p7", "provisional": True},
        "limit is 0": {"around": "p7", "limit": 0},
    }.items():
        with pytest.raises(podium.ParameterError, match=words):
            elo.leaderboard(**arguments)


def test_a_key_counts_once(elo: Client) -> None:
    first = elo.record_match("ann", "bob", key="a")
    assert elo.record_match("ann", "bob", key="a") == first
    assert elo.n_events == 1
    with pytest.raises(podium.KeyConflictError) as caught:
        elo.record_match("bob", "ann", key="a")
    assert caught.value.number == first.number == 1
    assert caught.value.differences


def test_an_upload_that_is_run_again_records_what_is_missing(elo: Client) -> None:
    history = History.from_matches(["ann", "bob", "cat"] * 9, ["bob", "cat", "ann"] * 9)
    rows: list[int] = []
    elo.update(history[:20], key="season", batch=7, progress=rows.append)
    upload = elo.update(history, key="season", batch=7, progress=rows.append)
    assert (upload.recorded, upload.known, sum(rows)) == (7, 20, 2 * 20 + 2 * 27)
    ladder = Ladder("elo")
    ladder.update(history)
    assert_frame_equal(elo.leaderboard(), ladder.leaderboard())
    assert str(elo.update(history, key="season")) == "0 events recorded, 27 known already"


def test_a_refused_event_of_an_upload(elo: Client) -> None:
    good, bad = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "bob": 2}, "play": {"bob": 0.5}}
    with pytest.raises(podium.PodiumError, match="elo") as caught:
        elo.update([good, good, bad, good], batch=2)
    assert "event '3'" in str(caught.value)
    assert elo.n_events == 2
    upload = elo.update([good, bad], key="again", on_refused="skip")
    assert (upload.recorded, upload.refused[0].place) == (1, 2)
    with pytest.raises(podium.PodiumError):
        elo.update([good, bad], key="third", atomic=True)
    assert elo.n_events == 3


def test_the_log_is_read_and_followed(elo: Client) -> None:
    elo.record_match("ann", "bob", key="first", time="2026-05-01")
    elo.adjust(podium.Rename(player="bob", into="rob"))
    elo.record(ranks={"ann": 1, "rob": 2, "cat": 3}, disqualified=["ann"])
    entries = list(elo.events())
    assert [one.number for one in entries] == [1, 2, 3]
    assert entries[1].adjustment is not None
    assert entries[1].adjustment["adjustment"] == "rename"
    assert entries[2].disqualified == {"ann"}
    assert [one.number for one in elo.events(since=entries[1].bookmark)] == [3]
    assert elo.event(1) == elo.event(key="first") == entries[0]
    stream = elo.stream(since=entries[1].bookmark)
    assert next(stream) == entries[2]
    reporter = Thread(target=elo.record_match, args=("cat", "ann"))
    reporter.start()
    assert next(stream).number == 4
    reporter.join()
    stream.close()
    found = elo.head_to_head("ann", "cat")
    assert (found.wins, found.losses) == (0, 1)
    assert elo.arena()["rank_high"].max() == elo.arena().height


def test_ladders_are_made_changed_and_archived(address: str) -> None:
    slug = next(SLUGS)
    with Client(address, ladder=slug) as client:
        with pytest.raises(podium.ServiceError, match=slug) as caught:
            client.rating("ann")
        assert caught.value.problem == "unknown-ladder"
        made = client.create_ladder(slug, Elo(k=24), title="Darts", min_events=2)
        assert made == client.ladder()
        assert client.system == Elo(k=24)
        assert slug in [one.slug for one in client.ladders()]
        client.record_match("ann", "bob")
        assert client.leaderboard().height == 0
        assert client.leaderboard(min_events=1).height == 2
        assert client.leaderboard(provisional=True)["place"].to_list() == [None, None]
        assert client.change(title="Office", min_events=1).title == "Office"
        assert client.leaderboard().height == 2
        assert client.archive().archived
        with pytest.raises(podium.ServiceError) as refused:
            client.record_match("ann", "bob")
        assert refused.value.problem == "archived"
        assert client.reopen().last_time is not None
        assert client.rebuild()["changed"] == 0
        assert client.service()["database"] == "sqlite"
    with Client(address, ladder=slug, system=Elo()) as other, pytest.raises(podium.StateError, match="k=24"):
        other.rating("ann")


def test_the_same_with_await(address: str) -> None:
    async def use() -> None:
        slug = next(SLUGS)
        async with AsyncClient(address, ladder=slug, system="elo", fill_times=False) as client:
            stream = client.stream(since=0)
            reports = (client.record_match("ann", f"p{number}", key=f"{number}") for number in range(8))
            made = await asyncio.gather(*reports)
            assert sorted(changes.number for changes in made) == list(range(1, 9))
            assert [(await anext(stream)).number for _ in range(8)] == list(range(1, 9))
            await stream.aclose()
            mark = (await client.event(5)).bookmark
            assert [one.number async for one in client.events(since=mark)] == [6, 7, 8]
            assert (await client.leaderboard(top=1))["player"].to_list() == ["ann"]
            assert (await client.leaderboard(around="ann", limit=1))["place"].to_list() == [1]
            assert (await client.ratings(["p3", "ann"]))["events"].to_list() == [1, 8]
            assert await client.has_player("p3")
            assert (await client.ladder()).events == 8
            assert await client.known_system() == Elo()
            with pytest.raises(podium.UnknownPlayerError):
                await client.rating("eve")

    asyncio.run(use())


def test_what_was_reported_is_corrected(elo: Client) -> None:
    """Ratings are those of a ladder that is given the corrected history."""
    for day, (winner, loser) in enumerate([("ann", "bob"), ("bob", "cat"), ("cat", "ann")], start=1):
        elo.record_match(winner, loser, time=f"2026-05-0{day}T12:00")
    told = elo.consequences(void=1)
    assert (told["moved"], elo.ladder().head) == (3, 3)
    taken_back = elo.void(1, key="v")
    assert (taken_back, elo.void(1, key="v")) == (Amended(4, False), taken_back)
    judge = Ladder("elo")
    judge.record_match("bob", "cat")
    judge.record_match("cat", "ann")
    assert {name: elo.rating(name).mu for name in ("ann", "bob", "cat")} == {
        name: judge.rating(name).mu for name in ("ann", "bob", "cat")
    }
    elo.void("key:v")
    elo.correct("2", ranks={"cat": 1, "bob": 2})
    elo.disqualify(3, ["ann"])
    late = elo.record(ranks={"dan": 1, "bob": 2}, time="2026-05-01T13:00", late="insert")
    judge = Ladder("elo")
    judge.record_match("ann", "bob")
    judge.record_match("dan", "bob")
    judge.record_match("cat", "bob")
    assert {name: elo.rating(name).mu for name in ("ann", "bob", "cat", "dan")} == {
        name: judge.rating(name).mu for name in ("ann", "bob", "cat", "dan")
    }
    assert [change.player for change in late] == ["dan", "bob"]
    entry = elo.event(2)
    assert entry.event is not None
    assert entry.rated_event is not None
    assert (entry.event.sides, entry.rated_event.sides) == ((("bob",), ("cat",)), (("cat",), ("bob",)))
    assert (entry.amended_by, entry.status, elo.event(late.number or 0).place) == ((6,), "in force", 1)
    assert elo.consequences(disqualify="dan", number=late.number)["rated_again"] == 3
    assert elo.consequences(correct=1, ranks={"bob": 1, "ann": 2})["moved"] >= 2
    with pytest.raises(podium.ServiceError, match="already void"):
        elo.void(4)
    assert elo.verify()["clean"]


def test_why_the_log_is_amended_is_kept(elo: Client) -> None:
    elo.record_match("ann", "bob")
    elo.void(1, reason="a test", link="https://example.org/")
    entry = elo.event(2)
    assert (entry.reason, entry.link) == ("a test", "https://example.org/")
    assert [one.number for one in elo.events(since=elo.event(1).bookmark)] == [2]


def test_one_event_is_explained_by_name(elo: Client) -> None:
    history = [{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "cup 1/2", "time": "2026-05-01"}]
    elo.record(**history[0], key="a")
    expected = podium.rate(History.from_events(history), "elo", trace=True).explain("bob", event="cup 1/2")
    for event in ("cup 1/2", "name:cup 1/2", "key:a", 1):
        assert elo.explain("bob", event=event) == expected
    assert elo.event("cup 1/2") == elo.event(1)
    elo.record_match("ann", "dan")
    with pytest.raises(podium.InputError, match="is not in this event"):
        elo.explain("bob", event=2)
