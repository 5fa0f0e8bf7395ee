"""Pages for members: they never mention keys, scopes, HTTP or entries of the log."""

from __future__ import annotations

import re
from html import unescape

import pytest

from podium.server import problems
from podium.server.problems import ServedError, for_people, plain_problem
from server.callers import Caller
from server.guarded_services import HERE, form_token, log_in, new_key, new_link

FOR_PROGRAMS = re.compile(
    r"(?:\b|(?=/))(API|HTTP|headers?|cookies?|tokens?|CSRF|scopes?|keys?|bearer|idempotency|"
    r"POST|/api/\w*|the log(?! loss)|entry|entries|void|seq|generation|endpoint|podium [a-z-]+-link)\b",
    re.IGNORECASE,
)
"""What only programs and admins need to know of."""
FILLED = [
    {"what": "match", "a": "ann", "b": "bob", "result": "win"},
    {"what": "match", "a": "ann", "b": "new", "result": "draw", "time": "2026-05-01T10:00"},
    {"what": "match", "a": "ann", "b": "bob", "result": "win", "csrf": "of another session"},
    {"what": "match", "a": "ann", "b": "ann", "result": "win"},
    {"what": "match", "a": "ann", "b": "", "result": "win"},
    {"what": "match", "a": "ann", "b": "bob"},
    {"what": "match", "a": "ann", "b": "bob", "result": "win", "late": "1"},
    {"what": "match", "a": "ann", "b": "bob", "result": "win", "late": "1", "time": "2026-05-01"},
    {"what": "match", "a": "ann", "b": "bob", "result": "win", "time": "2999-01-01"},
    {"what": "match", "a": "ann", "b": "bob", "result": "win", "time": "yesterday"},
    {"what": "standings", "lines": "ann\nbob\n= cat"},
    {"what": "standings", "lines": "ann"},
    {"what": "standings", "lines": "ann\nann"},
    {"what": "standings", "lines": "+ ann\nbob"},
    {"what": "void", "number": "1"},
    {"what": "rename", "player": "ann", "into": "anna"},
    {"what": "nonsense"},
]


def shown_text(page: str) -> str:
    """What a person reads on a page: no tags, and nothing of parameters, whose names are code."""
    body = page.partition("<body")[2].partition(">")[2]
    without = re.sub(r"<(script|style|code|title)\b.*?</\1>", " ", body, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", without))


@pytest.fixture
def member(caller: Caller) -> Caller:
    """Somebody who was sent a link to report to a private ladder, whose log has entries of every kind."""
    reports = [{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": f"2026-05-0{day}"} for day in (2, 3, 4)]
    caller.bulk(
        [
            *reports,
            {"adjustment": "set-rating", "player": "ann", "mu": 1600},
            {"adjustment": "merge", "player": "cat", "into": "bob"},
            {"adjustment": "rename", "player": "bob", "into": "Bob"},
        ]
    )
    caller.report({"void": 2, "reason": "played twice"})
    caller.report({"correct": 1, "ranks": {"ann": 2, "bob": 1, "dan": 3}})
    caller.report({"disqualify": ["ann"], "event": 3})
    caller.report({"ranks": {"eve": 1, "ann": 2}, "time": "2026-05-03", "late": True})
    caller.client.patch("/api/v1/ladders/chess", json={"private": True})
    new_key(caller, "admin")
    log_in(caller, new_link(caller, "read", "report", ladder="chess"))
    caller.client.headers["Accept"] = "text/html"
    return caller


def check(path: str, page: str) -> None:
    """Fail if a page has a word that is for programs."""
    if found := FOR_PROGRAMS.search(text := shown_text(page)):
        raise AssertionError(f"{path}: …{text[max(found.start() - 80, 0) : found.end() + 40]}…")


def test_no_page_of_a_member_is_for_programs(member: Caller) -> None:
    pending, seen = ["/", "/ladders/chess/", "/login", "/ladders/chess/search?q=ann"], set[str]()
    pending += ["/ladders/chess/events/999", "/ladders/other/", "/nowhere", "/links"]
    while pending:
        path = pending.pop()
        if path in seen or "format=" in path or "/assets/" in path or "/data/" in path:
            continue
        seen.add(path)
        answer = member.client.get(path)
        if answer.headers["content-type"].startswith("text/html"):
            check(path, answer.text)
            pending += [unescape(link) for link in re.findall(r'href="(/[^"#]*)', answer.text)]
    assert {"/ladders/chess/admin", "/ladders/chess/events/7", "/ladders/chess/about"} <= seen
    member.client.cookies.clear()
    for path in ("/ladders/chess/", "/ladders/chess/admin", "/links", "/login"):
        check(path, member.client.get(path).text)
    check("/login", log_in(member, "pod_of_nothing").text)


def test_no_form_of_a_member_is_answered_for_programs(member: Caller) -> None:
    token = form_token(member.client.get("/ladders/chess/admin").text)
    for form in FILLED:
        answer = member.client.post("/ladders/chess/admin", data={"csrf": token, **form}, headers=HERE)
        check(str(form), answer.text)


def test_problems_of_programs_have_words_for_people() -> None:
    """Every type of problem whose title is about keys has words of its own for pages."""
    kinds = {
        kind for kind in vars(problems).values() if isinstance(kind, type) and issubclass(kind, ServedError)
    }
    assert len(kinds) > 20
    for kind in kinds - {problems.UnknownKeyError}:  # no page manages keys
        shown = for_people(plain_problem(kind.name, kind.title, kind.status, "…", "…"))
        assert not FOR_PROGRAMS.search(shown["title"]), kind
