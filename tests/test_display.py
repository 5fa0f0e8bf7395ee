"""What values look like at a prompt and in a notebook: short, however much they hold, and escaped."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

import podium
from podium import Event, History, Ladder, Matchmaker, notebooks
from podium.matchmaking.pairing import pair_by_rating
from podium.notebooks import Chance, html_table, spans
from podium.systems.contract.ratings import RankProbabilities, Trace

EVIL = "<script>alert(1)</script> & co"
MANY = 900  # NumPy itself cuts arrays above 1,000
LONGEST = 1_500
"""Letters of the longest `repr`; most have a tenth of that."""


def values() -> dict[str, Any]:
    """A value of every type that can hold much, holding much, with a player who is called badly."""
    names = [EVIL, *(f"player {number}" for number in range(1, MANY))]
    ranks = dict(zip(names, range(1, MANY + 1), strict=True))
    history = History.from_events([{"ranks": ranks, "name": EVIL}])
    matches = pl.DataFrame({"winner": names, "loser": names[1:] + names[:1]})
    run = podium.rate(history, "elo", trace=True)
    ladder = Ladder("elo")
    for _ in range(100):
        changes = ladder.record_match(EVIL, "bob", name=EVIL, allow_repeat=True)
    robust = Ladder("elo-mmr")
    for number in range(100):
        robust.record_match(EVIL, "bob", name=f"{EVIL} {number}")
    maker = Matchmaker("elo")
    maker.join_many(names, mu=np.linspace(1000, 2000, MANY), time=0.0)
    game = History.from_matches([EVIL], ["bob"])
    games = {f"{EVIL} {number}": game for number in range(50)}
    return {
        "history": history,
        "event": history.event(0),
        "run": run,
        "ladder": run.ladder,
        "state": run.ladder.state,
        "rating": ladder.rating(EVIL),
        "change": changes[0],
        "explanation": ladder.explain(EVIL),
        "contest": podium.changes(history, "elo"),
        "what-if": podium.what_if(matches, "elo", without=1),
        "performances": robust.explain(EVIL),
        "trace": Trace.for_rows(MANY, sigma=True, performance=True),
        "distribution": robust.distribution(EVIL),
        "chances": RankProbabilities(tuple(names), np.full((MANY, MANY), 1 / MANY), np.zeros(MANY)),
        "ticket": maker.ticket(EVIL),
        "matchmaker": maker,
        "tick": maker.tick(1.0),
        "pairing": pair_by_rating(np.arange(float(MANY)), 1),
        "policy": podium.Policy(),
        "ladders": podium.rate_ladders(games, by=EVIL, system="elo", jobs=1),
        "backtest": podium.evaluate(matches, {EVIL: "elo", "b": "glicko"}, scopes="everyone", resamples=2),
        "reading": podium.Reading("x.csv", unused=tuple(names)),
    }


class Tags(HTMLParser):
    """The tags of a page; an unknown one shows text that was not escaped."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


SMALL_TAGS = {"p", "table", "tr", "th", "td", "svg", "path", "circle"}


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    return values()


def test_no_repr_is_long(shown: dict[str, Any]) -> None:
    lengths = {name: len(repr(value)) for name, value in shown.items()}
    lengths["result"] = len(repr(shown["backtest"].results))
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_tables_in_notebooks_are_short_and_escaped(shown: dict[str, Any]) -> None:
    pages = {name: value._repr_html_() for name, value in shown.items() if hasattr(value, "_repr_html_")}
    backtest = shown["backtest"]
    pages["comparison"] = backtest.compare(EVIL, "b")._repr_html_()
    assert pages.keys() >= {
        *("history", "run", "ladder", "ladders", "rating", "change", "explanation", "performances"),
        *("chances", "matchmaker", "tick", "pairing", "policy", "backtest", "comparison"),
        *("contest", "what-if"),
    }
    for name, page in pages.items():
        tags = Tags()
        tags.feed(page)
        assert tags.seen <= SMALL_TAGS, name
        assert not tags.open, name
        assert page.count("<tr>") <= 11, name
        assert len(page) < 5_000, name
    for name in (
        "history",
        "run",
        "contest",
        "what-if",
        "rating",
        "change",
        "ladders",
        "backtest",
        "comparison",
    ):
        assert "&lt;script&gt;" in pages[name], name
    assert "… 890 more" in pages["run"]


def test_small_results_show_themselves() -> None:
    history = podium.History.from_matches([EVIL, EVIL], ["b", "c"])
    run = podium.rate(history, podium.EloMMX(), trace=True)
    pages = {
        "outcomes": run.ladder.outcomes(EVIL, "b")._repr_html_(),
        "event": run.explain(EVIL, event="1")._repr_html_(),
        "distribution": run.ladder.distribution(EVIL)._repr_html_(),
        "smoothing": podium.smooth(history, podium.EloMMX())._repr_html_(),
    }
    for name, page in pages.items():
        tags = Tags()
        tags.feed(page)
        assert tags.seen <= SMALL_TAGS, name
        assert len(page) < 5_000, name
        assert ("&lt;script&gt;" in page) == (name != "outcomes"), name


def test_results_show_pictures() -> None:
    """Where a picture says more than digits: courses of ratings, intervals, curves and chances."""
    history = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"])
    run = podium.rate(history, "glicko", trace=True)
    assert run._repr_html_().count("<svg") == 6  # a course and an interval for each player
    assert run.ladder._repr_html_().count("<circle") == 3
    assert "<svg" not in podium.rate(history, "elo")._repr_html_()
    assert "<path" in run.ladder.distribution("ann")._repr_html_()
    assert podium.smooth(history, "elo-mmx")._repr_html_().count("<svg") == 3
    assert "linear-gradient" in run.ladder.outcomes("ann", "bob")._repr_html_()
    tournament = podium.Tournament("round-robin")
    for name in ("ann", EVIL):
        tournament.join(name)
    tournament.pair()
    assert "&lt;script&gt;" in tournament._repr_html_()
    assert "100.0%" in html_table("", ["chance"], [[Chance(1.0)]], count=1)
    assert spans([(0.0, 1.0, 2.0), (float("nan"), 1.0, 2.0)])[1] == ""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that a stand-in for a notebook's kernel was asked to show, as IPython is not installed."""
    pages: list[str] = []

    class Handle:
        update = staticmethod(pages.append)

    def display(page: str, *, display_id: bool) -> type[Handle]:
        pages.append(page)
        return Handle

    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    monkeypatch.setattr(notebooks, "BAR_AFTER_SECONDS", -1.0)
    monkeypatch.setattr(notebooks, "SHOWN_EVERY_SECONDS", -1.0)
    return pages


def test_long_work_shows_a_bar_in_notebooks(notebook: list[str]) -> None:
    table = pl.DataFrame(
        {"winner": ["ann", "bob", "cat"] * 8, "loser": ["bob", "cat", "ann"] * 8, "date": ["2026-05-01"] * 24}
    )
    doors: list[tuple[str, Callable[[], object]]] = [
        ("rating: 48 of 48 rows", lambda: podium.rate(table, "elo")),
        ("predicting: 96 of 96 rows", lambda: podium.predict(table, "elo")),
        ("evaluating: 96 of 96 rows", lambda: podium.evaluate(table, ["elo", "glicko"], scopes="everyone")),
        ("smoothing: 96 of 96 rows", lambda: podium.smooth(table, "elo-mmx")),
        ("rating twice: 94 of 96 rows", lambda: podium.what_if(table, "elo", disqualified=[("ann", 1)])),
        ("tuning: 2 of 2 trials", lambda: podium.tune(table, "elo", trials=2, jobs=1, search=["k"])),
    ]
    for said, door in doors:
        notebook.clear()
        door()
        assert any(said in page for page in notebook), (said, notebook)
        assert notebook[-1] == ""  # the bar is taken away
    notebook.clear()
    done: list[int] = []
    podium.rate(table, "elo", progress=done.append)  # shown by the caller
    assert (sum(done), notebook) == (48, [])
    with pytest.raises(podium.InputError):
        podium.rate(pl.DataFrame({"x": [1]}), "elo")
    podium.rate(table, "elo")
    assert notebook[-1] == ""


def test_there_are_no_bars_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert not notebooks.in_notebook()
    podium.rate(History.from_matches(["ann"], ["bob"]), "elo")
    assert capsys.readouterr() == ("", "")


def test_a_tuning_shows_what_it_found() -> None:
    frame = pl.DataFrame({"winner": ["ann", "bob", "cat"] * 8, "loser": ["bob", "cat", "ann"] * 8})
    tuning = podium.tune(frame, "elo", trials=1, jobs=1, search=["k"])
    assert repr(tuning).startswith("<Tuning: elo, 1 trial of log-loss; ")
    assert "<td>k</td>" in tuning._repr_html_()


def test_small_values_are_shown_whole() -> None:
    event = Event.of(ranks={"ann": 1, "bob": 2}, name="final")
    assert "sides=(('ann',), ('bob',)), ranks=(1, 2), scores=None" in repr(event)
    history = History.from_matches(["ann"], ["bob"])
    assert repr(podium.rate(history, "elo")) == "<Run: elo, 2 players, 1 event>"
    assert repr(Ladder("elo")) == "<Ladder: elo, 0 players, 0 events>"
    assert repr(history) == "<History: 1 event, 2 players, 2 rows (2.0 an event, at most 2), 0.0% tied>"
    ladder = podium.rate(history, "elo").ladder
    assert repr(ladder.explain("ann")) == "<Explanation: ann: 1516.0 after 1 event>"


def test_cells_of_a_table() -> None:
    page = html_table("t", ["a"], [[None], [1234], [0.12345678], [-1.5], [float("nan")], [True]], count=6)
    cells = [part.partition("</td>")[0].rpartition(">")[2] for part in page.split("<td")[1:]]
    assert cells == ["", "1,234", "0.123457", "−1.5", "–", "True"]
