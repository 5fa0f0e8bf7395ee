"""What requests cost: large ones are refused or take turns, and many of medium size are limited too."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from threading import Event
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts

from cli.command import PATIENCE
from podium import Auto, Elo, Ladder
from podium.server.access import request_costs
from podium.server.access.access_control import RequestLimits
from podium.server.access.request_costs import charge
from podium.server.access.requirements import Needs
from podium.server.access.rights import READ
from podium.server.http import answers, event_routes, heavy_work, log_routes, questions
from podium.server.http.app import make_app
from podium.server.http.heavy_work import HeavyWork
from podium.server.http.http_answers import plain_response
from podium.server.http.questions import cost_of_places
from podium.server.ladders.numbered_ladder import HINTED_PLAYERS
from podium.server.live_pages import expected_moves
from podium.server.live_pages.report_forms import report_of_form
from podium.server.problems import TooManyRequestsError
from podium.server.settings import ServerSettings
from podium.server.storage.ladder_rows import create_ladder
from server.callers import Caller, called_service, problem
from server.guarded_services import bearing, new_key

LADDER = "/api/v1/ladders/chess"


def scores(players: int) -> dict[str, Any]:
    """The standings of a contest."""
    return {"scores": {f"player {number}": number for number in range(players)}}


def sides(number: int) -> dict[str, Any]:
    """A free-for-all."""
    return {"sides": [f"player {side}" for side in range(number)]}


@pytest.fixture
def guarded(sqlite_address: str) -> Iterator[tuple[Caller, dict[str, str]]]:
    """Somebody without a key, and the headers of a key, at a service with low limits."""
    limits = {"request_cost": 100.0, "requests_per_second": 100.0}
    with called_service(sqlite_address, **limits) as caller:
        caller.create("chess")
        caller.report({"ranks": {"ann": 1, "bob": 2}})
        yield caller, bearing(new_key(caller, "admin"))


HEAVY: list[tuple[str, Any]] = [
    ("preview", scores(4_000)),
    ("rank-probabilities", sides(400)),
    ("top-chances", {**sides(400), "k": 1}),
    ("expected-ranks", sides(5_000)),
    ("chances", {"a": [f"a{number}" for number in range(5_000)], "b": ["bob"]}),
    ("ranks-to-reach", {"ratings": [1500, 1600], **scores(110)}),
    ("rank-to-reach", {"player": "player 1", "rating": 1500, **scores(4_000)}),
]


@pytest.mark.parametrize("path, sent", HEAVY, ids=[path for path, _ in HEAVY])
def test_one_request_may_cost_less_without_a_key(
    guarded: tuple[Caller, dict[str, str]], path: str, sent: Any
) -> None:
    caller, key = guarded
    found = problem(caller.client.post(f"{LADDER}/{path}", json=sent), 413, "too-large")
    assert "setting request_cost" in found["detail"]
    assert "use an API key" in found["hint"]
    assert caller.client.post(f"{LADDER}/{path}", json=sent, headers=key).status_code == 200


def test_a_large_body_is_refused_by_its_length_alone(guarded: tuple[Caller, dict[str, str]]) -> None:
    caller, _ = guarded

    def never_ends() -> Iterator[bytes]:
        raise AssertionError("the body was asked for")
        yield b""

    headers = {"Content-Type": "application/json", "Content-Length": "5000000"}
    answer = caller.client.post(f"{LADDER}/preview", content=never_ends(), headers=headers)
    problem(answer, 413, "too-large")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert caller.client.post("/login", content=b"%41" * 300_000, headers=form).status_code == 413


@pytest.mark.parametrize("limit", ["1000", "+1000", " 1000", "1_000", "1000.0", "9999999999", "01000"])
def test_a_list_costs_by_its_rows_however_the_limit_is_written(sqlite_address: str, limit: str) -> None:
    """Of one request a second, such a list uses up those of 25."""
    with called_service(sqlite_address, requests_per_second=1.0) as caller:
        new_key(caller, "admin")
        with caller.service.database.writing() as connection:
            create_ladder(connection, {"slug": "chess", "system": "elo"})
        first, next_one = (
            caller.client.get(f"{LADDER}/leaderboard", params={"limit": limit}) for _ in range(2)
        )
    assert first.status_code == 200
    problem(next_one, 429, "too-many-requests")
    assert int(next_one.headers["Retry-After"]) > 15


def test_millions_of_values_are_refused_before_they_are_made(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("podium.server.http.bodies._without_repeats", None)
    content, kind = b"[" + b"{}," * 1_100_000 + b"{}]", {"Content-Type": "application/json"}
    for path in ("preview", "events", "events/bulk", "chances"):
        answer = caller.client.post(f"{LADDER}/{path}", content=content, headers=kind)
        found = problem(answer, 413, "too-large")
        assert found["detail"] == "the largest body allowed has 2,000,000 values"


@pytest.mark.parametrize(
    "sent",
    [{"x" * 10_000_000: 1}, {"adjustment": "x" * 1_000_000}, {"ranks": {"x" * 1_000_000: 1, "ann": 2}}],
    ids=["key", "value", "name"],
)
def test_a_reason_does_not_repeat_megabytes(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, sent: Any
) -> None:
    def compared(word: str, *more: Any, **options: Any) -> list[str]:
        assert len(word) < 10_000, "compared with known words"
        return []

    monkeypatch.setattr("difflib.get_close_matches", compared)
    answer = caller.sent(sent)
    problem(answer, 400, "input")
    assert len(answer.content) < 5_000


def test_many_medium_requests_are_limited_and_those_of_keys_are_not(
    guarded: tuple[Caller, dict[str, str]],
) -> None:
    caller, key = guarded
    asked = [caller.client.post(f"{LADDER}/preview", json=scores(2_000)) for _ in range(8)]
    assert asked[0].status_code == 200
    refused = problem(asked[-1], 429, "too-many-requests")
    assert (
        refused["detail"] == "more than 100 requests a second, which the setting requests_per_second allows"
    )
    assert int(asked[-1].headers["Retry-After"]) >= 1
    problem(caller.client.get(f"{LADDER}/rating?player=ann"), 429, "too-many-requests")
    for _ in range(8):
        answer = caller.client.post(f"{LADDER}/preview", json=scores(2_000), headers=key)
        assert answer.status_code == 200


def test_chances_of_a_tournament_cost_by_its_matches(guarded: tuple[Caller, dict[str, str]]) -> None:
    """Of 40 entrants and 11 rounds, one simulation costs 11."""
    caller, key = guarded
    cup = f"{LADDER}/tournaments/cup"
    for path, sent in (
        (f"{LADDER}/tournaments", {"slug": "cup", "format": "swiss:11"}),
        (f"{cup}/steps", {"join": [f"player {number}" for number in range(40)]}),
    ):
        assert caller.client.post(path, json=sent, headers=key).status_code == 201
    found = problem(caller.client.get(f"{cup}/chances?simulations=20"), 413, "too-large")
    assert "about 22" in found["detail"]
    usual = caller.client.get(f"{cup}/chances")
    assert usual.json()["simulations"] == 8, usual.text
    assert caller.client.get(f"{cup}/chances", headers=key).json()["simulations"] == 200
    joined = {"join": [f"player {number}" for number in range(40, 5_000)]}
    assert caller.client.post(f"{cup}/steps", json=joined, headers=key).status_code == 201
    problem(caller.client.get(f"{cup}/chances?simulations=1", headers=key), 413, "too-large")


def test_a_large_tournament_costs_more_to_look_at(sqlite_address: str) -> None:
    with called_service(sqlite_address, requests_per_second=10.0) as caller:
        caller.create("chess")
        key = bearing(new_key(caller, "admin"))
        joined = {"join": [f"player {number}" for number in range(5_000)]}
        tournaments = f"{LADDER}/tournaments"
        sent = {"slug": "cup", "format": "swiss:3"}
        assert caller.client.post(tournaments, json=sent, headers=key).status_code == 201
        assert caller.client.post(f"{tournaments}/cup/steps", json=joined, headers=key).status_code == 201
        assert caller.client.get(f"{tournaments}/cup").status_code == 200
        refused = problem(caller.client.get(f"{tournaments}/cup"), 429, "too-many-requests")
        assert "10 requests a second" in refused["detail"]


def test_one_address_cannot_take_all_connections(sqlite_address: str) -> None:
    """Bodies of which only a part is sent, by callers without a key; and streams that nobody ends."""
    with called_service(sqlite_address, requests_at_once=3) as caller:
        caller.create("chess")
        key = bearing(new_key(caller, "read"))
        asyncio.run(_flood(caller.client.app, key["Authorization"]))


def test_one_key_cannot_take_all_connections(sqlite_address: str) -> None:
    """Streams that nobody ends, from many addresses, as behind a proxy."""
    with called_service(sqlite_address, requests_at_once_of_keys=3) as caller:
        caller.create("chess")
        keys = [bearing(new_key(caller, "read"))["Authorization"] for _ in range(2)]
        asyncio.run(_flood_by_key(caller.client.app, *keys))


class Requests:
    """Requests to an application that stay open until their callers hang up."""

    def __init__(self, app: Any) -> None:
        self._app, self._tasks = app, list[asyncio.Task[None]]()
        self.is_read, self._is_hung_up = asyncio.Event(), asyncio.Event()

    async def _receive(self) -> dict[str, Any]:
        self.is_read.set()
        await self._is_hung_up.wait()
        return {"type": "http.disconnect"}

    async def status(self, path: str, address: str, method: str = "GET", **headers: str) -> int:
        """The status of one more."""
        sent: asyncio.Queue[Any] = asyncio.Queue()
        scope = {"type": "http", "method": method, "path": path, "client": (address, 1), "query_string": b""}
        pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
        task = asyncio.create_task(self._app({**scope, "headers": pairs}, self._receive, sent.put))
        self._tasks.append(task)
        async with asyncio.timeout(PATIENCE):
            found: int = (await sent.get())["status"]
        return found

    async def hang_up(self) -> None:
        """Let all callers hang up."""
        self._is_hung_up.set()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _flood_by_key(app: Any, key: str, other: str) -> None:
    requests, stream = Requests(app), f"{LADDER}/stream"
    for place in range(5):
        expected = 200 if place < 3 else 429
        assert await requests.status(stream, f"192.0.2.{place}", authorization=key) == expected
    assert await requests.status(LADDER, "192.0.2.0", authorization=key) == 429
    assert await requests.status(LADDER, "192.0.2.0", authorization=other) == 200
    assert await requests.status(LADDER, "192.0.2.0") == 200
    await requests.hang_up()
    assert await requests.status(LADDER, "192.0.2.0", authorization=key) == 200


async def _flood(app: Any, key: str) -> None:
    requests = Requests(app)
    status = requests.status
    stream, rating = f"{LADDER}/stream", LADDER
    form = {"method": "POST", "content-type": "application/x-www-form-urlencoded"}
    held = asyncio.create_task(status("/login", "2001:db8::1", **form))
    await requests.is_read.wait()
    assert await status(stream, "2001:db8::2") == 200
    assert await status(stream, "2001:db8::3") == 200
    for path in (stream, rating, "/login"):
        assert await status(path, "2001:db8::4") == 429
    for address, headers in (("2001:db8:0:1::4", {}), ("2001:db8::4", {"authorization": key}), ("::1", {})):
        assert await status(rating, address, **headers) == 200
    held.cancel()
    await requests.hang_up()
    assert await status(rating, "2001:db8::4") == 200


def test_a_bucket_owes_what_a_large_request_costs() -> None:
    now = 0.0
    limits = RequestLimits(clock=lambda: now)
    limits.take("ann", 10.0, "rate")
    limits.take("ann", 10.0, "rate", cost=100.0, paid=1.0)
    with pytest.raises(TooManyRequestsError, match="the setting rate") as refused:
        limits.take("ann", 10.0, "rate")
    assert refused.value.seconds == 9  # 81 are owed, and one is needed
    limits.take("bob", 10.0, "rate")
    now = 8.25
    limits.take("ann", 10.0, "rate")
    with pytest.raises(TooManyRequestsError):
        limits.take("ann", 10.0, "rate", cost=5.0)
    limits.take("ann", 10.0, "rate", cost=5.0, paid=1.0)  # it was let in before


def test_whatever_grows_with_what_is_asked_for_costs_more(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each route that lists rows, or answers a body without a scope, is charged by its size."""
    charged: list[float] = []

    def note(request: Any, cost: float, **more: Any) -> None:
        charge(request, cost, **more)
        charged.append(cost)

    charging = ("access.requirements", "http.bodies", "http.heavy_work", "http.questions")
    for module in (*charging, "http.reading_routes", "http.prediction_routes"):
        monkeypatch.setattr(f"podium.server.{module}.charge", note)
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    pair = {"player": "player 1", "rating": 1500}
    asked: dict[str, tuple[Any, Any]] = {
        "POST /preview": (scores(2), scores(40)),
        "POST /chances": ({"a": "ann", "b": "bob"}, {"a": [f"a{i}" for i in range(40)], "b": "bob"}),
        "POST /rank-probabilities": (sides(2), sides(40)),
        "POST /expected-ranks": (sides(2), sides(40)),
        "POST /top-chances": ({**sides(2), "k": 1}, {**sides(40), "k": 1}),
        "POST /rank-to-reach": ({**pair, **scores(2)}, {**pair, **scores(40)}),
        "POST /ranks-to-reach": ({"ratings": [1], **scores(2)}, {"ratings": [1], **scores(40)}),
        "POST /events?dry_run=true": (scores(2), scores(40)),
        "POST /events/bulk?dry_run=true": ([scores(2)], [scores(40)]),
        "GET /leaderboard?limit=": (1, 900),
        "GET /history?player=ann&limit=": (1, 900),
        "GET /head-to-head?a=ann&b=bob&limit=": (1, 900),
        "GET /events?limit=": (1, 900),
        "GET /tournaments?limit=": (1, 900),
        "GET /ladders?limit=": (1, 900),
        "GET /jobs?limit=": (1, 900),
        "GET /audit?limit=": (1, 900),
    }
    known = {key.partition("?")[0] for key in asked}
    growing = [name for name in map(named, growing_routes()) if name not in known]
    assert not growing, "give each a cost, and a line above"
    for key, (small, large) in asked.items():
        method, _, path = key.partition(" ")
        base = "/api/v1" if path.startswith(("/ladders", "/jobs", "/audit")) else LADDER
        costs = []
        for given in (small, large):
            charged.clear()
            where = f"{base}{path}{given if method == 'GET' else ''}"
            answer = caller.client.request(method, where, json=None if method == "GET" else given)
            assert answer.status_code == 200, answer.text
            costs.append(sum(charged))
        assert 1.0 <= costs[0] < costs[1], key


def growing_routes() -> Iterator[Any]:
    """The routes of the API whose work grows with what is asked of them."""
    app = make_app(ServerSettings())
    for route in iter_route_contexts(app.routes):
        needed = [one.dependency for one in getattr(route, "dependencies", None) or ()]
        reads = any(isinstance(one, Needs) and one.scope == READ for one in needed)
        lists = any(field.alias == "limit" for field in route.dependant.query_params)
        if str(route.path).startswith("/api/") and (lists or (reads and "POST" in route.methods)):
            yield route


def named(route: Any) -> str:
    """A route as it is asked for below its ladder."""
    (method,) = route.methods
    return f"{method} {route.path.removeprefix('/api/v1').removeprefix('/ladders/{ladder}')}"


def test_a_system_that_rates_by_many_costs_more() -> None:
    assert cost_of_places(sides(10), Auto()) > 5 * cost_of_places(sides(10), Elo())


# ---------------------------------------------------------------------- taking turns


def test_heavy_requests_leave_threads_for_others(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """With as many heavy requests as a worker has threads, others are still answered."""
    gate, usual, number = Event(), event_routes._previewed, 45

    def previewed(*given: Any, **more: Any) -> Any:
        gate.wait(PATIENCE)
        return usual(*given, **more)

    monkeypatch.setattr(event_routes, "_previewed", previewed)
    monkeypatch.setattr(heavy_work, "MOST_WAITING", 2)
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    with ThreadPoolExecutor(number + 1) as threads:
        heavy = [threads.submit(caller.ask, "preview", scores(1_200)) for _ in range(number)]
        try:
            refused = [one.result() for one in islice(as_completed(heavy, PATIENCE), number - 3)]
            assert threads.submit(caller.get, "rating", player="ann").result(PATIENCE)["events"] == 1
            sent = threads.submit(caller.report, {"ranks": {"ann": 1, "bob": 2}})
            assert sent.result(PATIENCE)["number"] == 2
        finally:
            gate.set()
        answered = [one.result().status_code for one in heavy]
    assert answered.count(200) == 3  # one that runs and two that wait
    problem(refused[0], 429, "too-many-requests")


def test_threads_change_places_quickly_while_something_heavy_runs() -> None:
    usual, work = sys.getswitchinterval(), HeavyWork(1)
    sys.setswitchinterval(0.005)
    try:
        with work.giving_way():
            with work.giving_way():
                assert sys.getswitchinterval() == pytest.approx(heavy_work.SWITCH_SECONDS)
            assert sys.getswitchinterval() == pytest.approx(heavy_work.SWITCH_SECONDS)
        assert sys.getswitchinterval() == pytest.approx(0.005)
    finally:
        sys.setswitchinterval(usual)


@pytest.mark.parametrize(
    "plain",
    [
        {},
        {"rows": []},
        {"rows": [{"player": f"é {number}", "rank": number, "sigma": None} for number in range(2_500)]},
        {"sides": [{"players": ["ann"], "chances": [0.5, 0.25] * 600}] * 7, "k": 1},
        {"numbers": [number / 7 for number in range(5_001)], "inner": {"list": [[1, 2]] * 1_500}},
        [1, "two", None],
    ],
    ids=str,
)
def test_answers_are_encoded_in_pieces(plain: Any) -> None:
    assert json.loads(bytes(plain_response(plain).body)) == plain


# ---------------------------------------------------------------------- what is stored


def test_nobody_waits_for_a_ladder_whose_log_is_read(
    any_caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading hundreds of contests takes seconds, in which reports are rated."""
    for number in range(3):
        any_caller.report({"ranks": {"ann": 1, "bob": 2}, "name": f"round {number}"})
    live = any_caller.service.ladders.find("chess")
    assert live is not None
    free: list[bool] = []

    def watched(function: Any) -> Any:
        def read(*given: Any, **more: Any) -> Any:
            with ThreadPoolExecutor(1) as other:
                free.append(other.submit(live.lock.acquire, blocking=False).result())
                other.submit(live.lock.release)
            return function(*given, **more)

        return read

    for name in ("events_of_player", "meetings", "named_entry", "changes_of_matches"):
        monkeypatch.setattr(answers, name, watched(getattr(answers, name)))
    monkeypatch.setattr(answers, "named_entry", watched(answers.named_entry))
    asked = ["history?player=ann", "explanation?player=ann", "head-to-head?a=ann&b=bob", "events/2"]
    for path in [*asked, "explanation?player=ann&event=2"]:
        free.clear()
        assert any_caller.client.get(f"{LADDER}/{path}").status_code == 200
        assert free, path
        assert all(free), path


def test_what_is_read_of_the_log_is_charged_by_the_size_of_its_events(
    guarded: tuple[Caller, dict[str, str]],
) -> None:
    caller, key = guarded
    for number in range(3):
        sent = {**scores(3_000), "name": f"round {number}"}
        assert caller.client.post(f"{LADDER}/events", json=sent, headers=key).status_code == 201
    for path in ("history?player=player 1", "explanation?player=player 1", "events/2", "events"):
        caller.service.access_control.limits = RequestLimits(clock=lambda: 0.0)
        asked = [caller.client.get(f"{LADDER}/{path}").status_code for _ in range(30)]
        assert asked[0] == 200, path
        assert asked[-1] == 429, path


@pytest.mark.parametrize(
    "path", [f"{LADDER}/head-to-head?a=ann&b=bob&limit=1", "/ladders/chess/compare?name=ann&name=bob"]
)
@pytest.mark.parametrize("players", [3_000, 2])
def test_two_players_are_compared_at_the_cost_of_the_log_that_is_read(
    guarded: tuple[Caller, dict[str, str]], monkeypatch: pytest.MonkeyPatch, path: str, players: int
) -> None:
    """That is all their results, and of events in which they had one rank the sides: not as many as shown."""
    if players == 2:
        monkeypatch.setattr(questions, "SCANNED_ROWS", 0.25)
    caller, key = guarded
    level = dict.fromkeys(["ann", "bob", *(f"player {number}" for number in range(players - 2))], 7)
    for _ in range(3):
        sent = caller.client.post(f"{LADDER}/events", json={"scores": level}, headers=key)
        assert sent.status_code == 201
    caller.service.access_control.limits = RequestLimits(clock=lambda: 0.0)
    asked = [caller.client.get(path).status_code for _ in range(9)]
    assert asked[0] == 200
    assert asked[-1] == 429


def test_a_page_of_the_log_has_few_entries_of_many_players(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        caller.report({**scores(10), "name": f"round {number}"})
    monkeypatch.setattr(log_routes, "PAGE_PLAYERS", 30)
    for order in ("newest", "oldest"):
        found: list[int] = []
        cursor: dict[str, str] = {}
        while True:
            page = caller.get("events", limit=100, order=order, **cursor)
            assert len(page["entries"]) <= 3
            found += [entry["number"] for entry in page["entries"]]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        assert sorted(found) == [1, 2, 3, 4, 5, 6, 7]


def test_a_long_answer_is_sent_as_fast_as_it_is_paid_for(
    sqlite_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, waited = 0.0, []

    async def sleep(seconds: float) -> None:
        nonlocal now
        waited.append(seconds)
        now += seconds

    monkeypatch.setattr(request_costs.asyncio, "sleep", sleep)
    monkeypatch.setattr("podium.server.log.log_reading.ENTRIES_AT_ONCE", 10)
    with called_service(sqlite_address, requests_per_second=1.0) as caller:
        caller.create("chess")
        caller.bulk([{"ranks": {"ann": 1, "bob": 2}} for _ in range(30)])
        new_key(caller, "admin")
        caller.service.access_control.limits = RequestLimits(clock=lambda: now)
        assert len(caller.log()) == 30
    assert waited


# ---------------------------------------------------------------------- names that nobody has


def test_a_wrong_name_is_not_compared_with_thousands(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    caller.report({"ranks": {"ann": 1, "bob": 2}})
    found = problem(caller.client.get(f"{LADDER}/rating?player=anne"), 404, "unknown-player")
    assert found["hint"] == "did you mean 'ann'?"
    caller.report(scores(HINTED_PLAYERS))
    monkeypatch.setattr("difflib.get_close_matches", None)
    found = problem(caller.client.get(f"{LADDER}/rating?player=anne"), 404, "unknown-player")
    assert "search" in found["hint"]
    many = "\n".join(f"stranger {number}" for number in range(1_000))

    def compared(name: str, known: list[str], most: int) -> list[str]:
        assert not known
        return known

    monkeypatch.setattr(expected_moves, "get_close_matches", compared)
    form = {"what": "standings", "lines": many}
    assert report_of_form(form)["ranks"]["stranger 7"] == 8
    answer = caller.client.post("/ladders/chess/admin", data=form, headers={"Origin": "http://testserver"})
    assert answer.status_code == 200
    assert Ladder("elo").record(ranks={"ann": 1, "bob": 2})  # the library compares as before
