"""Histories from columns of matches."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from history.compare import facts
from podium.arrays import SECOND
from podium.errors import InputError, ParameterError
from podium.history import History
from podium.history.times import to_micros


def test_wins_draws_and_losses() -> None:
    history = History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"], [1, 0.5, 0])
    assert history.players.to_list() == ["ann", "bob", "cat"]
    assert history.player.tolist() == [0, 1, 1, 2, 0, 2]
    assert history.rank.tolist() == [1, 2, 1, 1, 2, 1]
    assert history.offsets.tolist() == [0, 2, 4, 6]
    assert history.share is None
    assert history.home is None
    assert history.score is None


def test_one_score_for_all() -> None:
    assert History.from_matches(["ann", "bob"], ["bob", "ann"]).rank.tolist() == [1, 2, 1, 2]
    assert History.from_matches(["ann", "bob"], ["bob", "ann"], 0.5).tied.all()


def test_shares_between() -> None:
    history = History.from_matches(["ann", "ann"], ["bob", "bob"], [0.75, 1])
    assert history.share is not None
    assert history.share[:2].tolist() == [0.75, 0.25]
    assert np.isnan(history.share[2:]).all()  # ranks say it all
    assert history.rank.tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pl.Series,
        lambda v: np.array(v, dtype=object),
        lambda v: pd.Series(v, index=[5, 5, 9]),
    ],
)
def test_columns_of_every_kind(convert: Any) -> None:
    expected = facts(
        History.from_matches(
            ["10", "9", "10"], ["9", "8", "8"], [1.0, 0.5, 0.0], time=[1, 2, 3], weight=[1.0, 2, 1]
        )
    )
    given_columns = (convert([10, 9, 10]), convert([9, 8, 8]), convert([1.0, 0.5, 0.0]))
    assert (
        facts(History.from_matches(*given_columns, time=convert([1, 2, 3]), weight=convert([1.0, 2.0, 1.0])))
        == expected
    )
    texts = (convert(["10", "9", "10"]), convert(["9", "8", "8"]), convert([1.0, 0.5, 0.0]))
    assert (
        facts(History.from_matches(*texts, time=convert([1, 2, 3]), weight=convert([1.0, 2.0, 1.0])))
        == expected
    )


def test_strings_and_integers_mixed() -> None:
    history = History.from_matches(["ann", 7], [7, "7up"])
    assert history.players.to_list() == ["ann", "7", "7up"]
    assert history.player.tolist() == [0, 1, 1, 2]
    assert History.from_matches(np.array([1, 2]), ["2", "x"]).players.to_list() == ["1", "2", "x"]


@pytest.mark.parametrize(
    "time",
    [
        ["2026-05-01", "2026-05-02"],
        [date(2026, 5, 1), date(2026, 5, 2)],
        [datetime(2026, 5, 1), "2026-05-02"],
        [datetime(2026, 5, 1), datetime(2026, 5, 2)],
        np.array(["2026-05-01", "2026-05-02"], "datetime64[D]"),
        np.array(["2026-05-01", "2026-05-02"], "datetime64[ns]"),
        pd.to_datetime(["2026-05-01", "2026-05-02"]),
        [1_777_593_600, 1_777_680_000],
        np.array([1_777_593_600.0, 1_777_680_000.0]),
    ],
)
def test_times_of_every_kind(time: Any) -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "ann"], time=time)
    assert history.time.tolist() == [to_micros("2026-05-01"), to_micros("2026-05-02")]


def test_matches_are_sorted_by_time_stably() -> None:
    history = History.from_matches(["a", "b", "c", "d"], ["x"] * 4, time=[20, 10, 20, 10])
    assert [event.sides[0][0] for event in history] == ["b", "d", "a", "c"]
    assert history.time.tolist() == [10 * SECOND, 10 * SECOND, 20 * SECOND, 20 * SECOND]


@pytest.mark.parametrize("home, hosts", [(None, [None, None]), ("a", ["ann", "bob"]), ("b", ["bob", "cat"])])
def test_home(home: Any, hosts: list[str | None]) -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "cat"], [1, 0], home=home)
    assert [event.home for event in history] == hosts
    assert history.player.tolist() == [0, 1, 1, 2]  # whoever is at home, rows keep their order
    assert history.rank.tolist() == [1, 2, 2, 1]


def test_home_with_numbers() -> None:
    history = History.from_matches(np.array([10, 20]), np.array([20, 30]), home="b")
    assert [event.home for event in history] == ["20", "30"]


@pytest.mark.parametrize(
    "columns, reason",
    [
        ({"player_a": ["ann"], "player_b": ["bob", "cat"]}, "player_b has 2 values and player_a 1"),
        ({"player_a": ["ann"], "player_b": ["bob"], "score_a": [1, 0]}, "score_a has 2 values"),
        ({"player_a": ["ann"], "player_b": ["bob"], "time": [1, 2]}, "time has 2 values"),
        ({"player_a": ["ann"], "player_b": ["bob"], "weight": [1.0, 2.0]}, "weight has 2 values"),
        ({"player_a": [], "player_b": []}, "no rows"),
        ({"player_a": ["ann", "bob"], "player_b": ["bob", "bob"]}, "row 2: 'bob' plays against itself"),
        ({"player_a": [7, 8], "player_b": ["7", "9"]}, "row 1: '7' plays against itself"),
        ({"player_a": ["ann", None], "player_b": ["bob", "cat"]}, "row 2: player_a is empty"),
        ({"player_a": ["ann", "bob"], "player_b": ["bob", " "]}, "row 2: player_b is empty"),
        ({"player_a": np.array([1.5]), "player_b": np.array([2.0])}, "row 1: player_a is 1.5, not a name"),
        ({"player_a": ["ann"], "player_b": ["bob"], "score_a": [2]}, "score_a is 2, and must be from 0"),
        ({"player_a": ["ann"], "player_b": ["bob"], "score_a": [-0.5]}, "score_a is -0.5"),
        ({"player_a": ["ann"], "player_b": ["bob"], "score_a": [np.nan]}, "score_a is empty"),
        ({"player_a": ["ann"], "player_b": ["bob"], "score_a": ["won"]}, "score_a is 'won', not a number"),
        ({"player_a": ["ann"], "player_b": ["bob"], "weight": [0.0]}, "weight is 0"),
        ({"player_a": ["ann"], "player_b": ["bob"], "time": ["soon"]}, "row 1: 'soon' is not a time"),
        (
            {"player_a": ["ann"] * 2, "player_b": ["bob"] * 2, "time": ["2026-05-01", ""]},
            "row 2: time is empty",
        ),
        ({"player_a": ["ann"], "player_b": ["bob"], "time": [2026]}, "'2026' is not a time"),
    ],
)
def test_what_is_refused(columns: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        History.from_matches(**columns)


def test_an_empty_weight_is_one() -> None:
    history = History.from_matches(["ann", "bob"], ["bob", "ann"], weight=[np.nan, 3.0])
    assert history.weight is not None
    assert history.weight.tolist() == [1.0, 3.0]


def test_home_is_one_of_the_sides() -> None:
    with pytest.raises(ParameterError, match="home is 'a', 'b' or None, not 'ann'"):
        History.from_matches(["ann"], ["bob"], home="ann")  # type: ignore[arg-type]


players = st.integers(0, 6)


@given(
    st.lists(
        st.tuples(players, players, st.sampled_from([0, 0.5, 1])).filter(lambda m: m[0] != m[1]), min_size=1
    )
)
def test_integers_and_their_texts_are_the_same(matches: list[tuple[int, int, float]]) -> None:
    a, b, score = zip(*matches, strict=True)
    numbers = History.from_matches(np.array(a), np.array(b), score)
    texts = History.from_matches([str(p) for p in a], [str(p) for p in b], score)
    events = History.from_events({"scores": {p: s, q: 1 - s}} for p, q, s in matches)
    assert facts(numbers) == facts(texts)
    assert numbers.players == events.players
    assert numbers.rank.tolist() == events.rank.tolist()
