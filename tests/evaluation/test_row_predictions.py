"""A prediction for each row of a table: what was known before it, and nothing of what came later."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import podium
from podium import Elo, History, InputError, Ladder, ParameterError, make_system
from podium.arrays import DAY
from podium.evaluation.asked_events import AskedEvents
from podium.inventory import INVENTORY
from podium.simulation.populations import synthetic_contests

TOGETHER, IN_ORDER = "together", "in-order"


def matches(seed: int = 1, days: int = 30, a_day: int = 6) -> pl.DataFrame:
    """A season of matches of 14 players, several a day."""
    rng = np.random.default_rng(seed)
    n = days * a_day
    a = rng.integers(0, 14, n)
    b = (a + 1 + rng.integers(0, 13, n)) % 14
    return pl.DataFrame(
        {
            "date": [f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}" for day in np.arange(n) // a_day],
            "player_a": [f"p{i}" for i in a],
            "player_b": [f"p{i}" for i in b],
            "score_a": rng.choice([0.0, 0.5, 1.0], n, p=[0.4, 0.2, 0.4]),
        }
    )


def contests(number: int = 24, players: int = 8) -> pl.DataFrame:
    """Contests of half of the players, two a day."""
    rng = np.random.default_rng(4)
    event = np.repeat(np.arange(number), players // 2)
    drawn = [rng.choice(players, players // 2, replace=False) for _ in range(number)]
    return pl.DataFrame(
        {
            "event": [f"e{i}" for i in event],
            "date": [f"2026-01-{1 + i // 2:02d}" for i in event],
            "player": [f"p{i}" for i in np.concatenate(drawn)],
            "score": rng.integers(0, 20, len(event)).astype(float),
        }
    )


@pytest.mark.parametrize("same_time", [TOGETHER, IN_ORDER])
@pytest.mark.parametrize("calibration", ["off", "learned"])
@pytest.mark.parametrize("name", [*INVENTORY])
def test_no_row_knows_what_came_later(name: str, calibration: Any, same_time: Any) -> None:
    """The later rows shuffled, and their results changed: what was said of the earlier ones is bit-equal."""
    system = make_system(name).changed(calibration=calibration)
    tables, cut = [matches(days=16)], 48
    if system.supports.many:
        tables.append(contests())
    for frame in tables:
        rng = np.random.default_rng(7)
        later = frame[cut:].sample(fraction=1.0, shuffle=True, seed=3)
        column, values = ("score_a", [0.0, 1.0]) if "score_a" in frame.columns else ("score", np.arange(20.0))
        later = later.with_columns(pl.Series(column, rng.choice(values, later.height)))
        one = podium.predict(frame, system, same_time=same_time)
        other = podium.predict(pl.concat([frame[:cut], later]), system, same_time=same_time)
        assert one[:cut].equals(other[:cut])
        assert not one[cut:].equals(other[cut:])


def test_rows_of_one_day_do_not_know_each_other() -> None:
    """Together, the results and the order of a day change nothing of what is said of it; in order they do."""
    frame = matches()
    day = slice(60, 66)
    changed = frame.with_columns(
        score_a=pl.when(pl.int_range(pl.len()).is_between(60, 65)).then(1.0).otherwise("score_a")
    )
    turned = pl.concat([frame[:60], frame[60:66][::-1], frame[66:]])
    one = podium.predict(frame, "elo")[day]
    assert one.equals(podium.predict(changed, "elo")[day])
    assert one.equals(podium.predict(turned, "elo")[day][::-1])
    assert not one.equals(podium.predict(changed, "elo", same_time=IN_ORDER)[day])


def test_times_of_day_order_the_rows_of_a_day() -> None:
    frame = matches()
    clock = pl.int_range(pl.len()) % 6 + 10
    timed = frame.with_columns(date=pl.concat_str("date", pl.lit("T"), clock, pl.lit(":00")))
    assert podium.predict(timed, "elo").equals(podium.predict(frame, "elo", same_time=IN_ORDER))


@pytest.mark.parametrize("name", [*INVENTORY])
@pytest.mark.parametrize("calibration", ["off", "learned"])
def test_asking_before_a_day_changes_no_rating(name: str, calibration: str) -> None:
    """What is rated between the copies is rated as if they were not there: bit for bit."""
    system = make_system(name).changed(calibration=calibration)
    histories = [podium.read_history(matches(days=8))]
    if system.supports.many:
        history, _ = synthetic_contests(players=30, contests=12, participants=8, seed=1)
        histories.append(replace(history, time=history.time // (30 * DAY) * 30 * DAY))
    for history in histories:
        [(asked, rows)] = AskedEvents.of(history, TOGETHER).pieces(history.rows)
        assert rows is not None
        assert len(asked) > len(history)
        plain = system.update(system.new_state(), history, trace=True)
        copied = system.update(system.new_state(), asked, trace=True)
        of_rated = copied.at(~asked.unrated)
        for column in ("mu_before", "sigma_before", "mu", "sigma", "expected", "draw"):
            one, other = getattr(plain, column), getattr(of_rated, column)
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("start", ["fixed", "adaptive"])
def test_matches_out_of_competition_are_rated_alike_in_both_kernels(start: Any) -> None:
    """Matches of two have a faster kernel; one event of three sends the same matches through the other."""
    history = podium.read_history(matches())
    out = np.random.default_rng(5).random(len(history)) < 0.5
    history = replace(history, unrated=np.repeat(out, 2))
    field = History.from_events([{"ranks": {"p0": 1, "p1": 2, "p2": 3}, "time": "2027-01-01"}])
    system = Elo(newcomer_start=start)
    fast, slow = (
        system.update(system.new_state(), one, trace=True)
        for one in (history, History.concat([history, field]))
    )
    for column in ("mu_before", "mu", "rated"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(slow, column)[: history.rows])
    assert (fast.mu_before == fast.mu)[~fast.rated].all()


@pytest.mark.parametrize("same_time", [TOGETHER, IN_ORDER])
@pytest.mark.parametrize("name", ["elo", "glicko2", "auto"])
def test_the_same_numbers_as_evaluate_scores(name: str, same_time: Any) -> None:
    frame = matches()
    history = podium.read_history(frame)
    report = podium.evaluate(history, name, since=60, scopes="everyone", same_time=same_time)
    said = report.predictions()
    assert said["expected"].equals(podium.predict(frame, name, same_time=same_time)["expected"][60:])
    score, p = (said[column].to_numpy() for column in ("score_a", "expected"))
    loss = -np.mean(score * np.log(p) + (1 - score) * np.log(1 - p))
    assert report.summary["log_loss"][0] == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(said["win"] + said["draw"] / 2, said["expected"], atol=1e-9)
    np.testing.assert_allclose(said["win"] + said["draw"] + said["loss"], 1.0, atol=1e-12)


def test_a_row_is_what_a_ladder_says_before_it() -> None:
    frame = matches(days=10)
    ladder, n = Ladder("glicko2"), 6
    said = podium.predict(frame, "glicko2")
    for start in range(0, frame.height, n):
        day = frame[start : start + n]
        for i, (date, a, b, _) in enumerate(day.iter_rows()):
            row = said.row(start + i, named=True)
            chances = ladder.outcomes(a, b, at=date)
            assert (row["win"], row["draw"], row["loss"]) == pytest.approx(
                (chances.win, chances.draw, chances.loss), abs=1e-12
            )
            assert row["new_a"] == (a not in ladder or ladder.rating(a).events == 0)
            if a in ladder:
                assert row["mu_a"] == pytest.approx(ladder.rating(a, at=date).mu, abs=1e-9)
        for date, a, b, score in day.iter_rows():
            winner, loser = (b, a) if score == 0.0 else (a, b)
            ladder.record_match(winner, loser, draw=score == 0.5, time=date)


@pytest.mark.parametrize("name", ["elo", "glicko", "glicko2", "lichess", "weng-lin", "trueskill", "auto"])
def test_an_explanation_expects_of_a_contest_what_was_predicted(name: str) -> None:
    history, _ = synthetic_contests(players=12, contests=12, participants=5, seed=3)
    run, said = podium.rate(history, name, trace=True), podium.predict(history, name)
    for row in said.iter_rows(named=True):
        found = run.explain(row["player"], event=row["event"])
        assert found.expected_score == pytest.approx(row["expected"], abs=1e-12)
        assert found.expected_rank == pytest.approx(row["expected_rank"], abs=1e-12)


@pytest.mark.parametrize("name", ["elo-mmr", "glicko2", "auto"])
def test_places_of_contests_are_a_ladders(name: str) -> None:
    history, _ = synthetic_contests(players=20, contests=9, participants=6, seed=2)
    said = podium.predict(history, name, places=3)
    ladder = podium.rate(history[:8], name).ladder
    last = said.filter(pl.col("event") == "9")
    names, at = last["player"].to_list(), last["time"][0]
    field = [None] * len(names)
    np.testing.assert_allclose(last["expected_rank"], ladder.expected_ranks(names, at=at), atol=1e-6)
    top = [ladder.top_chances(names, k, at=at) for k in (1, 2, 3)]
    np.testing.assert_allclose(last["win"], last["place_1"], atol=1e-6)
    np.testing.assert_allclose(last["place_2"] + last["place_3"], top[2] - top[0], atol=2e-2)
    np.testing.assert_allclose(last["place_1"], top[0], atol=2e-2)
    assert last["draw"].to_list() == last["loss"].to_list() == field
    assert podium.predict(history, name, places=6)["place_6"].null_count() == 0


def test_a_table_comes_back_as_what_it_was() -> None:
    frame = matches(days=4)
    expected = podium.predict(frame, "elo")
    index = pd.Index(np.arange(frame.height)[::-1] * 10)
    from_pandas = podium.predict(frame.to_pandas().set_index(index), "elo")
    assert isinstance(from_pandas, pd.DataFrame)
    assert from_pandas.index.equals(index)
    assert from_pandas["new_a"].dtype.kind == "b"
    from_arrow = podium.predict(frame.to_arrow(), "elo")
    assert isinstance(from_arrow, pa.Table)
    connection = duckdb.connect()
    connection.register("frame", frame.to_arrow())
    relation = podium.predict(connection.sql("SELECT * FROM frame"), "elo")
    assert isinstance(relation, duckdb.DuckDBPyRelation)
    assert relation.filter("new_a").aggregate("count(*)").fetchall() == [(expected["new_a"].sum(),)]
    for one in (pl.from_pandas(from_pandas), pl.from_arrow(from_arrow), relation.pl()):
        assert isinstance(one, pl.DataFrame)
        assert one["expected"].to_list() == expected["expected"].to_list()
        assert one.columns == expected.columns


def test_rows_keep_their_place() -> None:
    """A table that is not in the order of time, and a row that is no result."""
    frame = matches(days=6)
    expected = podium.predict(frame, "elo")
    order = np.arange(frame.height).reshape(6, 6)[[3, 1, 5, 0, 2, 4]].ravel()  # rows of a day stay in order
    shuffled = podium.predict(frame[order], "elo")
    assert shuffled.equals(expected[order])
    spoilt = pl.concat([frame[:3], frame[3:4].with_columns(score_a=pl.lit(None)), frame[3:]])
    found = podium.predict(spoilt, "elo", on_bad_row="skip")
    assert found.height == spoilt.height
    assert found[3].null_count().row(0) == (1,) * found.width
    assert pl.concat([found[:3], found[4:]])["expected"].to_list() == expected["expected"].to_list()
    with pytest.raises(InputError, match="row 4: score_a is empty"):
        podium.predict(spoilt, "elo")


def test_results_row_by_row() -> None:
    frame = pl.DataFrame(
        {
            "event": ["b", "a", "b", "a", "a"],
            "player": ["ann", "bob", "bob", "ann", "cat"],
            "rank": [1, 1, 2, 2, 3],
            "time": ["2026-05-02", "2026-05-01", "2026-05-02", "2026-05-01", "2026-05-01"],
        }
    )
    found = podium.predict(frame, "elo")
    assert found["new"].to_list() == [False, True, False, True, True]
    assert found["expected"].to_list()[1::2] == pytest.approx([0.5, 0.5])
    assert found["expected"][0] + found["expected"][2] == pytest.approx(1.0)
    assert found["loss"].to_list()[3:] == [None, None]
    assert found["win"][4] == pytest.approx(1 / 3)


def test_the_trace_has_the_row_it_came_from() -> None:
    frame = matches(days=3)[::-1]
    run = podium.rate(frame, "elo", trace=True)
    came_from = frame[run.trace["row"].to_list()]
    first = run.trace["row"].is_first_distinct()
    assert run.trace.filter(first)["player"].to_list() == came_from.filter(first)["player_a"].to_list()
    made = History.from_events([{"ranks": {"ann": 1, "bob": 2}}])
    assert podium.rate(made, Elo(), trace=True).trace["row"].to_list() == [None, None]


def test_what_cannot_be_predicted_is_said() -> None:
    with pytest.raises(ParameterError, match="'together' or 'in-order'"):
        podium.predict(matches(), "elo", same_time="by day")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="places is -1"):
        podium.predict(matches(), "elo", places=-1)
    report = podium.evaluate(podium.read_history(matches()), ["elo", "glicko"])
    with pytest.raises(ParameterError, match="which system"):
        report.predictions()
    with pytest.raises(ParameterError, match="no system 'elos'"):
        report.predictions("elos")


def test_a_result_needs_no_scope_where_there_is_one() -> None:
    history = podium.read_history(matches())
    report = podium.evaluate(history, "elo", scopes="everyone")
    assert report.result("elo") is report.result("elo", "everyone")
    with pytest.raises(ParameterError, match=r"which scope is meant\?\n.*everyone, experienced"):
        podium.evaluate(history, "elo").result("elo")


def test_tune_names_the_extra_before_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    for tune in (podium.tune, podium.evaluate_tuned):
        with pytest.raises(ParameterError, match=r"podium\[lab\]"):
            tune("no such file.csv", "elo")
