"""Estimators of scikit-learn: its own checks, no leakage, pipelines, and searches in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

import podium  # noqa: E402
from podium import InputError, Ladder, ParameterError  # noqa: E402
from podium.sklearn import RatingClassifier, RatingFeatures  # noqa: E402

NO_MATCHES = {
    "check_estimators_dtypes": "small numbers in two columns are players who meet themselves",
    "check_dtype_object": "y has four classes, and a match has three results",
    "check_array_api_input": "needs SciPy's switch for other arrays",
}
EXPECTED_TO_FAIL = {
    RatingClassifier: NO_MATCHES
    | {
        "check_classifier_data_not_an_array": "small numbers in two columns are players who meet themselves",
        "check_classifiers_classes": "y has the words one and two, and which of them is a win is not known",
    },
    RatingFeatures: NO_MATCHES
    | dict.fromkeys(
        ("check_transformer_general", "check_transformer_data_not_an_array"),
        "without times, rows that are told of again come after all that was fitted",
    ),
}


def checks() -> Iterator[Any]:
    for cls, known in EXPECTED_TO_FAIL.items():
        for estimator, check in estimator_checks_generator(cls("elo")):
            name = getattr(check, "func", check).__name__
            if name not in known:
                yield pytest.param(estimator, check, id=f"{cls.__name__}-{name}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", [*checks()])
def test_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def season() -> tuple[pd.DataFrame, np.ndarray]:
    """Matches of 12 players, four a day, in which a player who has rested wins more often."""
    rng = np.random.default_rng(3)
    n, skill = 400, rng.normal(0, 1, 12)
    pair = np.array([rng.choice(12, 2, replace=False) for _ in range(n)])
    rest = rng.integers(0, 8, (n, 2))
    edge = skill[pair[:, 0]] - skill[pair[:, 1]] + 0.4 * (rest[:, 0] - rest[:, 1])
    frame = pd.DataFrame({"player_a": pair[:, 0], "player_b": pair[:, 1], "rested": rest[:, 0] - rest[:, 1]})
    frame["time"] = pd.Timestamp("2025-01-01") + pd.to_timedelta(np.arange(n) // 4, "D")
    return frame, np.asarray(rng.random(n) < 1 / (1 + np.exp(-edge)), np.int64)


@pytest.mark.parametrize("system", ["elo", "glicko2", "matches"])
def test_features_do_not_know_what_comes(season: tuple[pd.DataFrame, np.ndarray], system: str) -> None:
    """Those of a row are the same whether it was fitted or not, and whatever was fitted after it."""
    frame, y = season
    whole = RatingFeatures(system).fit_transform(frame, y)
    np.testing.assert_array_equal(RatingFeatures(system).fit(frame, y).transform(frame), whole)
    past = RatingFeatures(system).fit(frame[:200], y[:200])
    np.testing.assert_array_equal(past.transform(frame[200:204]), whole[200:204])
    changed = np.concatenate([y[:200], 1 - y[200:]])
    np.testing.assert_array_equal(
        RatingFeatures(system).fit(frame, changed).transform(frame)[:204], whole[:204]
    )
    said = podium.predict(frame.drop(columns="rested").assign(score_a=y), system)
    names = past.get_feature_names_out().tolist()
    np.testing.assert_array_equal(whole[:, names.index("expected")], said["expected"])
    np.testing.assert_array_equal(whole[:, names.index("mu_a")], said["mu_a"])


def test_chances_are_a_ladders(season: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = season
    y = np.where(np.arange(len(y)) % 5 == 0, 0.5, y)
    ladder = Ladder("glicko2")
    for row, score in zip(frame.itertuples(), y, strict=True):
        pair = (row.player_a, row.player_b) if score != 0.0 else (row.player_b, row.player_a)
        ladder.record_match(str(pair[0]), str(pair[1]), draw=score == 0.5, time=str(row.time))
    model = RatingClassifier("glicko2").fit(pl.from_pandas(frame), y)
    new = pd.DataFrame({"player_a": [3, 99], "player_b": [4, 5], "rested": 0, "time": "2026-01-01"})
    chances = model.predict_proba(pl.from_pandas(new))
    for row, (a, b) in zip(chances, ((3, 4), (99, 5)), strict=True):
        wanted = ladder.outcomes(str(a), str(b), at="2026-01-01")
        assert row == pytest.approx([wanted.loss, wanted.draw, wanted.win], abs=1e-12)
    assert model.classes_.tolist() == [0.0, 0.5, 1.0]


def test_words_as_results() -> None:
    X = np.array([["ann", "bob"], ["bob", "cat"], ["ann", "cat"]])
    words = RatingClassifier("elo", outcomes=("L", "D", "W")).fit(X, ["W", "D", "W"])
    numbers = RatingClassifier("elo").fit(X, [1.0, 0.5, 1.0])
    assert words.classes_.tolist() == ["D", "W"]
    assert words.predict(X[:1]).tolist() == ["W"]
    np.testing.assert_array_equal(numbers.predict_proba(X), words.predict_proba(X))
    ladder = podium.rate(podium.History.from_matches(*X.T, [1.0, 0.5, 1.0]), "elo").ladder
    chances = ladder.outcomes("ann", "bob")
    assert words.predict_proba(X)[0] == pytest.approx([chances.draw, chances.win])


@pytest.mark.parametrize(
    "words",
    [
        ("W", "D", "L"),
        ("win", "draw", "loss"),
        ("Sieg", "Remis", "Niederlage"),
        ("H", "D", "A"),
        ("W", "T", "L"),
    ],
)
def test_words_mean_what_they_say(words: tuple[str, str, str]) -> None:
    X = np.array([["ann", "bob"], ["bob", "cat"], ["cat", "ann"]] * 5)
    y = [words[0], words[1], words[2]] * 5
    numbers = RatingFeatures("elo").fit_transform(X, [1.0, 0.5, 0.0] * 5)
    np.testing.assert_array_equal(RatingFeatures("elo").fit_transform(X, y), numbers)
    won = RatingFeatures("elo").fit_transform(X, [words[0], words[1], words[0]] * 5)
    np.testing.assert_array_equal(won, RatingFeatures("elo").fit_transform(X, [1.0, 0.5, 1.0] * 5))


@pytest.mark.parametrize("sides", [("1", "X", "2"), ("first", "second"), ("a", "b"), (1, 2), ("win", "W")])
def test_words_for_sides_need_their_order(sides: tuple[Any, ...]) -> None:
    X = np.array([["ann", "bob"], ["bob", "cat"], ["cat", "ann"]])
    y = [sides[i % len(sides)] for i in range(3)]
    with pytest.raises(ParameterError, match="cannot tell which is a win"):
        RatingClassifier("elo").fit(X, y)
    features = RatingFeatures("elo", outcomes=sides[::-1]).fit_transform(X, y)
    score = np.array([1.0, 0.5, 0.0] if len(sides) == 3 else [1.0, 0.0])[np.arange(3) % len(sides)]
    np.testing.assert_array_equal(features, RatingFeatures("elo").fit_transform(X, score))


def test_pipelines_and_searches(season: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = season
    own = make_column_transformer(
        (RatingFeatures(), ["player_a", "player_b", "time"]), ("passthrough", ["rested"])
    )
    how: dict[str, Any] = {"cv": TimeSeriesSplit(2), "scoring": "neg_log_loss", "error_score": "raise"}
    name = "columntransformer__ratingfeatures__system"
    model = make_pipeline(own, StandardScaler(), LogisticRegression())
    with_rest = GridSearchCV(model, {name: ["elo", podium.Glicko()]}, **how).fit(frame, y)
    alone = GridSearchCV(RatingClassifier(), {"system": ["elo", "glicko"]}, **how).fit(frame, y)
    assert with_rest.best_score_ > alone.best_score_ + 0.02
    named = RatingFeatures("glicko").set_output(transform="pandas").fit_transform(frame, y)
    assert named.index.equals(frame.index)
    assert "sigma_a" in named


def test_what_is_refused(season: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = season
    with pytest.raises(ParameterError, match="X has no column 'who'"):
        RatingFeatures("elo", players=("who", "player_b")).fit(frame, y)
    with pytest.raises(ParameterError, match="two or three classes, and y has 4 classes"):
        RatingClassifier("elo").fit(frame[:4], [0, 1, 2, 3])
    with pytest.raises(ParameterError, match="none of outcomes"):
        RatingClassifier("elo", outcomes=("L", "W")).fit(frame[:2], ["L", "D"])
    with pytest.raises(InputError, match="plays against itself"):
        RatingFeatures("elo").fit([["ann", "ann"]], [1.0])
