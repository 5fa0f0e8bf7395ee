"""Rating in bulk: all at once, in pieces, with and without a trace, on from a ladder; always the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ladder.helpers import DAY, START, SYSTEMS, content, label, some_season
from podium import (
    Anchor,
    Elo,
    Event,
    Glicko2,
    History,
    InputError,
    Ladder,
    Merge,
    OrderError,
    ParameterError,
    Rename,
    Reset,
    SetRating,
    UnknownPlayerError,
    rate,
    read_chunks,
    read_history,
    write_history,
)
from podium.history import ragged
from podium.ladder import bulk as run_module
from podium.systems import RatingSystem

TRACE = ["event", "time", "player", "rank", "performance", "mu_before", "sigma_before", "display_before"]
TRACE += ["mu", "sigma", "display", "row"]


def season(n_events: int = 120, seed: int = 7) -> History:
    """Contests, teams, home sides, unrated rows and adjustments."""
    chance = np.random.default_rng(seed)
    names = [f"p{i}" for i in range(30)]
    items: list[Any] = []
    for number in range(n_events):
        time = START + number * 0.7 * DAY
        who = chance.permutation(names)[: chance.integers(2, 9)].tolist()
        sides = [who[: len(who) // 2], who[len(who) // 2 :]] if number % 5 == 0 else [[name] for name in who]
        items.append(
            Event.of(
                teams=sides,
                ranks=chance.integers(1, 5, len(sides)).tolist(),
                time=time,
                weight=float(chance.choice([1.0, 0.5])),
                home=who[-1] if number % 3 == 0 else None,
                unrated=who[:1] if number % 7 == 0 else (),
                name=f"round {number}",
            )
        )
        if number == n_events // 3:
            items += [Rename(player="p1", into="p1 junior"), SetRating(player="p2", mu=1900, sigma=80)]
        if number == n_events // 2:
            items += [Reset(keep=0.6), Anchor(player="p3")]
        if number == 2 * n_events // 3:
            items += [Merge(player="p4", into="p5")]
    return History.from_events(items)


@pytest.fixture(scope="module")
def history() -> History:
    return season()


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_a_history_in_pieces_is_the_history(system: RatingSystem, history: History) -> None:
    whole = Ladder(system)
    whole.update(history)
    pieces = Ladder(system)
    for start in range(0, len(history), 17):
        pieces.update(history[start : start + 17])
    assert content(pieces) == content(whole)
    assert_frame_equal(pieces.ratings(), rate(history, system).ratings, check_exact=True)


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_recording_one_by_one_is_rating_in_bulk(system: RatingSystem, history: History) -> None:
    ladder = Ladder(system)
    changes = []
    adjustments = list(history.adjustments)
    for number, event in enumerate(history):
        while adjustments and adjustments[0].before == number:
            ladder.adjust(adjustments.pop(0).adjustment)
        changes += ladder.record_event(event)
    run = rate(history, system, trace=True)
    assert_frame_equal(run.ratings, ladder.ratings(), check_exact=True)
    assert (run.ladder.n_events, run.ladder.last_time) == (ladder.n_events, ladder.last_time)
    assert run.trace["player"].to_list() == [change.player for change in changes]
    for column in (
        "rank",
        "mu_before",
        "sigma_before",
        "display_before",
        "mu",
        "sigma",
        "display",
        "performance",
    ):
        assert run.trace[column].to_list() == [getattr(change, column) for change in changes]


@pytest.mark.parametrize("suffix", ["parquet", "csv.zst", "ndjson"])
@pytest.mark.parametrize("system", [Elo(), Glicko2(period="7d")], ids=label)
def test_every_way_to_trace_agrees(
    system: RatingSystem, suffix: str, history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = rate(history, system, trace=True)
    assert kept.trace.columns == TRACE
    assert len(kept.trace) == history.rows
    monkeypatch.setattr(run_module, "RATED_ROWS_AT_ONCE", 100)  # written in pieces
    path = tmp_path / f"trace.{suffix}"
    written = rate(history, system, trace=path)
    plain = rate(history, system)
    assert content(kept.ladder) == content(written.ladder) == content(plain.ladder)
    read = {"parquet": pl.read_parquet, "csv.zst": pl.read_csv, "ndjson": pl.read_ndjson}[suffix](path)
    assert read.columns == TRACE
    numbers = [name for name in TRACE if kept.trace[name].dtype.is_numeric()]
    assert_frame_equal(
        read.select("event", "player", pl.col(numbers).cast(pl.Float64)),
        kept.trace.select("event", "player", pl.col(numbers).cast(pl.Float64)),
        check_exact=True,
    )
    assert [path.name for path in tmp_path.iterdir()] == [f"trace.{suffix}"]
    for run in (written, plain):
        with pytest.raises(ParameterError, match="this run has no trace"):
            _ = run.trace


def test_the_trace_in_memory_does_not_depend_on_pieces(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rate(history, Glicko2(), trace=True).trace
    monkeypatch.setattr(run_module, "RATED_ROWS_AT_ONCE", 64)
    assert_frame_equal(rate(history, Glicko2(), trace=True).trace, whole, check_exact=True)


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_kernels_may_rate_a_few_events_at_a_time(
    system: RatingSystem, history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they do where a piece takes long: whatever the pieces are, ratings and trace are the same."""
    whole = rate(history, system, trace=True)
    monkeypatch.setattr(ragged, "FIRST_ROWS", 40)
    monkeypatch.setattr(ragged, "PIECE_SECONDS", 0.0)  # pieces become shorter and shorter
    done: list[int] = []
    pieces = rate(history, system, trace=True, progress=done.append)
    assert content(pieces.ladder) == content(whole.ladder)
    assert_frame_equal(pieces.trace, whole.trace, check_exact=True)
    assert sum(done) == history.rows
    assert len(done) > 100


def test_an_interrupt_between_two_pieces_changes_nothing(
    history: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ragged, "FIRST_ROWS", 40)
    ladder = some_season(Elo())
    before, calls = content(ladder), []

    def interrupt(rows: int) -> None:
        calls.append(rows)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rate(history.between(START + 30 * DAY), ladder=ladder, progress=interrupt)
    assert len(calls) == 2
    assert content(ladder) == before


def test_a_run_computes_everybodys_ratings_once(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    run = rate(history, Glicko2())
    wanted = {"min_events": 3, "active_since": START + 40 * DAY, "max_sigma": 200.0, "top": 4}
    theirs = run.ladder.leaderboard(**wanted)
    looked = []
    ratings = Ladder.ratings
    monkeypatch.setattr(Ladder, "ratings", lambda self, **at: looked.append(at) or ratings(self, **at))
    assert_frame_equal(run.leaderboard(**wanted), theirs, check_exact=True)
    assert run.leaderboard()["player"].to_list() == run.ratings["player"].to_list()
    assert len(looked) == 1


def test_going_on_from_a_ladder(history: History) -> None:
    first = rate(history[:50], Elo()).ladder
    run = rate(history[50:], Elo(), ladder=first, trace=True)
    assert run.ladder is first
    assert content(first) == content(rate(history, Elo()).ladder)
    assert_frame_equal(
        run.trace, rate(history, Elo(), trace=True).trace.tail(len(run.trace)), check_exact=True
    )


def test_going_on_with_other_names_in_another_order() -> None:
    """Players are found by name, whatever number each history gives them; so is the home side."""
    ladder = Ladder(Elo(home_advantage=50))
    ladder.record_match("zoe", "ann")
    other = History.from_matches(["bob", "ann"], ["zoe", "zoe"], [1, 0.5], home="b")
    ladder.update(other)
    by_hand = Ladder(Elo(home_advantage=50))
    by_hand.record_match("zoe", "ann")
    by_hand.record_match("bob", "zoe", home="zoe")
    by_hand.record_match("ann", "zoe", draw=True, home="zoe")
    assert_frame_equal(ladder.ratings(), by_hand.ratings(), check_exact=True)


def test_a_history_is_not_changed_by_what_the_ladder_learns(history: History) -> None:
    names = history.players.to_list()
    ladder = rate(history, Elo()).ladder
    ladder.record_match("somebody", "new")
    assert history.players.to_list() == names
    ladder.update(history[-1:], allow_repeat=True)
    assert ladder.rating("somebody").events == 1


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")  # old names come again on purpose
@pytest.mark.parametrize(("rows", "events"), [(1, 30), (7, 30), (100, None), (10_000, None)])
def test_a_file_in_chunks(rows: int, events: int | None, history: History, tmp_path: Path) -> None:
    write_history(history[:events], tmp_path / "season.csv")
    whole = rate(read_history(tmp_path / "season.csv"), Glicko2(), trace=True)
    chunks = rate(read_chunks(tmp_path / "season.csv", rows=rows), Glicko2(), trace=True)
    assert_frame_equal(chunks.ratings, whole.ratings, check_exact=True)
    assert_frame_equal(chunks.trace, whole.trace, check_exact=True)
    late = "round 25" if events else "round 100"
    somebody = whole.trace.filter(event=late)["player"][0]
    assert chunks.explain(somebody, event=late) == whole.explain(somebody, event=late)


@pytest.mark.parametrize("trace", [False, True, "file"])
def test_progress_counts_every_row(
    trace: bool | str, history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_module, "RATED_ROWS_AT_ONCE", 100)
    done: list[int] = []
    rate(history, Elo(), trace=tmp_path / "trace.csv" if trace == "file" else trace, progress=done.append)
    assert sum(done) == history.rows
    assert len(done) > 3


def test_the_ladder_must_be_of_the_system(history: History) -> None:
    with pytest.raises(ParameterError, match="the ladder is of"):
        rate(history, Elo(k=10), ladder=Ladder(Elo()))


@pytest.mark.parametrize("trace", [False, True])
def test_nothing_to_rate(trace: bool) -> None:
    with pytest.raises(InputError, match="there is no history to rate"):
        rate([], Elo(), trace=trace)
    adjusted = rate(History.from_events([SetRating(player="ann", mu=1700)]), Elo(), trace=trace)
    assert adjusted.ratings["mu"].to_list() == [1700]
    if trace:
        assert adjusted.trace.height == 0
        assert adjusted.trace.columns == TRACE


# ---------------------------------------------------------------------- what fails half-way


def failing(history: History) -> Iterator[History]:
    yield history[:40]
    raise InputError("line 2000 is bad")


@pytest.mark.parametrize("trace", ["trace.parquet", "trace.csv", "trace.ndjson.gz", True, False])
def test_a_failing_run_leaves_nothing(trace: str | bool, tmp_path: Path) -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    later = season(60)
    later = History.from_events(
        [{"ranks": {"x": 1, "y": 2}, "time": START + 40 * DAY + i} for i in range(60)]
    )
    with pytest.raises(InputError, match="line 2000"):
        rate(
            failing(later), Elo(), ladder=ladder, trace=tmp_path / trace if isinstance(trace, str) else trace
        )
    assert content(ladder) == before
    assert list(tmp_path.iterdir()) == []


def test_a_failing_run_keeps_an_older_trace(history: History, tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    rate(history[:10], Elo(), trace=path)
    before = path.read_bytes()
    with pytest.raises(InputError):
        rate(failing(history), Elo(), trace=path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_trace_that_cannot_be_written_stops_before_rating(history: History, tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    for path in (tmp_path / "nowhere" / "trace.csv", tmp_path / "trace.xlsx", tmp_path):
        with pytest.raises(InputError):
            rate(history, Elo(), trace=path, ladder=ladder)
    assert content(ladder) == content(Ladder(Elo()))
    assert list(tmp_path.iterdir()) == []


def test_an_early_event_in_a_later_piece_is_refused(history: History) -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    with pytest.raises(OrderError):
        rate([history[60:], history[:60]], Elo(), ladder=ladder)
    assert content(ladder) == before


def test_an_adjustment_before_the_ladders_last_event_is_refused() -> None:
    ladder = some_season(Elo())
    history = History.from_matches(["ann"], ["bob"], time=["2030-01-01"])
    with pytest.raises(OrderError):
        ladder.update(history.with_adjustments([("2020-01-01", Reset())]))


# ---------------------------------------------------------------------- explaining one event


def test_an_event_explained() -> None:
    events = [
        {"ranks": {"ann": 1, "bob": 2}, "name": "semi"},
        {"ranks": {"ann": 2, "bob": 1, "cat": 2}, "name": "final"},
    ]
    run = rate(History.from_events(events), Elo(), trace=True)
    told = run.explain("ann", event="final")
    assert (told.rank, told.sides, told.mu_before) == (2, 3, 1516)
    assert told.actual_score == 0.25  # lost to bob, tied with cat
    against = [run.ladder.system.win_probability(1516, None, mu, None).item() for mu in (1484, 1500)]
    assert told.expected_score == pytest.approx(sum(against) / 2)
    assert told.expected_rank == pytest.approx(3 - sum(against))
    assert told.mu - told.mu_before == pytest.approx(32 * (told.actual_score - told.expected_score))
    assert (told.sigma_before, told.sigma, told.performance) == (None, None, None)
    assert str(told).startswith("ann in final: rank 2 of 3 (tied, 2.5 on average), 1.9 expected; scored 25%")


@pytest.mark.parametrize("team", ["mean", "sum"])
def test_a_team_explained_is_predicted_as_the_system_does(team: str) -> None:
    system = Glicko2(team=team, home_advantage=30)
    history = History.from_events(
        [
            SetRating(player="ann", mu=1700, sigma=60),
            SetRating(player="bob", mu=1600, sigma=60),
            {"teams": [["ann", "bob"], ["cat"]], "ranks": [1, 2], "home": "cat", "share": 0.6},
        ]
    )
    told = rate(history, system, trace=True).explain("bob", event=1)
    before = Ladder(system)
    before.adjust(SetRating(player="ann", mu=1700, sigma=60))
    before.adjust(SetRating(player="bob", mu=1600, sigma=60))
    expected = before.expected_score(["ann", "bob"], "cat", home="cat")
    assert told.expected_score == pytest.approx(expected, abs=1e-12)
    assert (told.actual_score, told.sides) == (0.6, 2)


def test_explaining_what_is_not_there(history: History) -> None:
    run = rate(history, Elo(), trace=True)
    with pytest.raises(InputError, match="there is no event 'round 999'"):
        run.explain("p7", event="round 999")
    with pytest.raises(InputError, match="'nobody' did not take part"):
        run.explain("nobody", event="round 1")
    with pytest.raises(UnknownPlayerError):
        run.ladder.explain("nobody")
    with pytest.raises(ParameterError, match="rate with trace=True"):
        rate(history, Elo()).explain("p7", event="round 1")


def test_events_without_names_are_found_by_number() -> None:
    history = History.from_matches([1, 2, 3], [2, 3, 1])
    run = rate([history[:2], history[2:]], Elo(), trace=True)
    assert run.explain(3, event=3).rank == 1
    assert run.explain("3", event="2").rank == 2
