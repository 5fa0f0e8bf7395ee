"""Ratings in scikit-learn: features for models of your own, and a classifier by ratings alone.

Needs scikit-learn (``pip install podium[sklearn]``). A row of X is a match: two players and perhaps a time. y
is the result of the first player, from loss to win.

>>> import numpy as np
>>> from podium.sklearn import RatingClassifier
>>> X = np.array([["ann", "bob"], ["ann", "bob"], ["bob", "cat"]])
>>> RatingClassifier("elo").fit(X, [1, 1, 0]).predict_proba([["ann", "bob"], ["cat", "bob"]]).round(2)
array([[0.39, 0.61],
       [0.41, 0.59]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from podium.errors import ParameterError
from podium.evaluation.row_predictions import predicted_rows, predicted_unplayed
from podium.history import History
from podium.history.history import is_frame
from podium.systems import System, system_for
from podium.tables.dataframes import in_polars
from podium.tables.forms.result_words import is_draw, is_loss, is_win
from podium.text import listed

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import (
        assert_all_finite,
        check_consistent_length,
        check_is_fitted,
        column_or_1d,
        validate_data,
    )
except ImportError as error:
    raise ParameterError("podium.sklearn needs scikit-learn", hint="pip install 'podium[sklearn]'") from error

if TYPE_CHECKING:
    import polars as pl

PLAYERS = ("player_a", "player_b")
TIMES = ("time", "date")
SHARES = {2: (0.0, 1.0), 3: (0.0, 0.5, 1.0)}
"""The first player's part of the point, for each number of different results."""
Column = str | int
Numbers = NDArray[Any]


class _Rated(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both estimators have: a history of matches, made of X and y."""

    def __init__(
        self,
        system: System | None = "auto",
        *,
        players: Sequence[Column] | None = None,
        time: Column | None = None,
        home: Literal["a", "b"] | None = None,
        outcomes: Sequence[Any] | None = None,
    ) -> None:
        self.system = system
        self.players = players
        self.time = time
        self.home = home
        self.outcomes = outcomes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.string = True
        return tags

    def _fit_history(self, X: Any, y: Any) -> None:
        """Rate what is given, checked."""
        columns, y = self._checked(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.shares_ = _shares(y, self.classes_.tolist(), self.outcomes, type(self).__name__)
        share = np.array([self.shares_[one] for one in self.classes_.tolist()])[codes]
        self.history_ = self._history(columns, share)
        self.system_ = system_for(self.system, self.history_)

    def _predicted(self, X: Any) -> pl.DataFrame:
        """What is known of new matches from those fitted that came before them, in the order of X."""
        check_is_fitted(self)
        fixtures = self._history(self._checked(X)[0], 0.5)
        return predicted_unplayed(self.history_, fixtures, self.system_).sort("row")

    def _checked(self, X: Any, y: Any = None) -> tuple[list[list[Any]], Any]:
        """The columns of X, and y if it is fitted."""
        how: dict[str, Any] = {"reset": y is not None or not hasattr(self, "history_")}
        if is_frame(X):  # which may have a type for each column
            validate_data(self, X, skip_check_array=True, **how)
            frame = in_polars(X)
            if y is not None:
                y = column_or_1d(y)
                check_consistent_length(X, y)
            return [frame[name].to_list() for name in self.feature_names_in_.tolist()], y
        how |= {"dtype": None, "ensure_all_finite": False}
        if how["reset"]:
            X, y = validate_data(self, X, y, ensure_min_features=2, **how)
        else:
            X = validate_data(self, X, **how)
        if X.dtype.kind == "f":  # of texts, players and times are looked at when they are read
            assert_all_finite(X)
        return [column.tolist() for column in X.T], y

    def _history(self, columns: list[list[Any]], share: Any) -> History:
        """Matches as a history."""
        names, width = [*getattr(self, "feature_names_in_", [])], len(columns)
        usual: Sequence[Column] = PLAYERS if set(PLAYERS) <= set(names) else (0, 1)
        a, b = (columns[_position(one, names, width)] for one in self.players or usual)
        when = next((one for one in TIMES if one in names), None) if self.time is None else self.time
        time = None if when is None else columns[_position(when, names, width)]
        return History.from_matches(_named(a), _named(b), share, time=time, home=self.home)


class RatingFeatures(TransformerMixin, _Rated):  # type: ignore[misc]
    """Ratings and chances before each match as features. No row knows its own result or a later one.

    `transform` uses, for each row, the fitted matches before its time. So the fitted rows get the same
    features from `transform` and `fit_transform`: matches of one time do not know each other. Rows without
    times come after all fitted rows, and there `fit_transform` alone is free of leakage.

    Args:
        system: A rating system or its name. None is the preset for matches.
        players: The columns of both players, by name or number. By default player_a and player_b, or the
            first two.
        time: The column of times. By default time or date, if there is one.
        home: The player who is at home in all matches: "a", "b" or None.
        outcomes: The values of y from loss to win, such as ("B", "A"). By default numbers are in their
            order, and words have their meaning: loss, draw and win in any of podium's languages, L, D and W,
            or A, D and H. Other words, and 1 and 2 alone, need it.

    >>> import podium
    >>> import numpy as np
    >>> from podium.sklearn import RatingFeatures
    >>> X = np.array([["ann", "bob"], ["ann", "bob"], ["bob", "cat"]])
    >>> features = RatingFeatures("elo")
    >>> features.fit_transform(X, [1, 1, 0]).shape
    (3, 7)
    >>> features.get_feature_names_out().tolist()
    ['expected', 'draw', 'mu_difference', 'mu_a', 'mu_b', 'new_a', 'new_b']
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Rate the matches of X with the results y."""
        self._fit_history(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Numbers:
        """Rate the matches, and give each row what was known before it."""
        self.fit(X, y)
        return self._features(predicted_rows(self.history_, self.system_).sort("row"))

    def transform(self, X: Any) -> Numbers:
        """What the fitted matches before each row's time say of it."""
        return self._features(self._predicted(X))

    def get_feature_names_out(self, input_features: Any = None) -> Numbers:
        """The names of the features."""
        check_is_fitted(self)
        names = ["expected", "draw", "mu_difference", "mu_a", "mu_b", "new_a", "new_b"]
        return np.array(names + ["sigma_a", "sigma_b"] * self.system_.has_sigma, object)

    def _features(self, found: pl.DataFrame) -> Numbers:
        import polars as pl

        found = found.with_columns((pl.col("mu_a") - pl.col("mu_b")).alias("mu_difference"))
        return found.select(pl.col(self.get_feature_names_out().tolist()).cast(pl.Float64)).to_numpy()


class RatingClassifier(ClassifierMixin, _Rated):  # type: ignore[misc]
    """Results of matches by ratings alone: the chances of loss, draw and win of the first player.

    Results are of two kinds or three. Of two, the expected score is the chance of the larger one.

    Args:
        system: A rating system or its name. None is the preset for matches.
        players: The columns of both players, as for `RatingFeatures`.
        time: The column of times, as for `RatingFeatures`.
        home: The player who is at home in all matches: "a", "b" or None.
        outcomes: The values of y from loss to win, as for `RatingFeatures`.

    >>> import podium
    >>> import numpy as np
    >>> from podium.sklearn import RatingClassifier
    >>> X = np.array([["ann", "bob"], ["ann", "bob"], ["bob", "cat"]])
    >>> RatingClassifier("elo").fit(X, [1, 1, 0]).predict([["ann", "bob"], ["cat", "bob"]]).tolist()
    [1, 1]
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where columns are no players
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Rate the matches of X with the results y."""
        self._fit_history(X, y)
        if len(self.classes_) < 2:
            raise ParameterError("y has one class, so there is nothing to predict")
        return self

    def predict_proba(self, X: Any) -> Numbers:
        """The chance of each of `classes_`, from the fitted matches before each row's time."""
        found = self._predicted(X)
        chances = {0.0: found["loss"], 0.5: found["draw"], 1.0: found["win"]}
        if len(self.shares_) == 2:
            chances = {0.0: 1.0 - found["expected"], 1.0: found["expected"]}
        return np.stack([chances[self.shares_[one]].to_numpy() for one in self.classes_.tolist()], axis=1)

    def predict(self, X: Any) -> Numbers:
        """The most probable result of each match."""
        chances = self.predict_proba(X)
        likely: Numbers = self.classes_[np.argmax(chances, axis=1)]
        return likely


def _shares(y: Numbers, classes: list[Any], outcomes: Sequence[Any] | None, name: str) -> dict[Any, float]:
    """The first player's part of the point for each result that there may be."""
    is_score = y.dtype.kind in "fiub" and set(classes) <= {0.0, 0.5, 1.0}
    if not is_score:
        check_classification_targets(y)
    if outcomes is None and not is_score and _need_meaning(classes):
        return _meanings(classes)
    order = [*outcomes] if outcomes is not None else classes
    if outcomes is None and is_score:
        order = [0.0, 0.5, 1.0] if 0.5 in classes else [0.0, 1.0]
    if len(order) not in SHARES:
        raise ParameterError(
            f"{name} needs results of two or three classes, and y has {len(order)} "
            f"{'class' if len(order) == 1 else 'classes'}",
            hint="loss and win, or loss, draw and win",
        )
    if unknown := set(classes) - set(order):
        raise ParameterError(f"y has {min(unknown)!r}, which is none of outcomes")
    return dict(zip(order, SHARES[len(order)], strict=True))


def _need_meaning(classes: list[Any]) -> bool:
    """Whether the order of results says nothing about who won: words, and the numbers of both sides."""
    return len(classes) in SHARES and (set(classes) == {1, 2} or any(isinstance(c, str) for c in classes))


def _meanings(classes: list[Any]) -> dict[Any, float]:
    """The first player's part of the point by the words for it."""
    found = {one: _meaning(one) if isinstance(one, str) else None for one in classes}
    shares = {one: share for one, share in found.items() if share is not None}
    if len(set(shares.values())) < len(classes):
        raise ParameterError(
            f"y has {listed([repr(one) for one in classes])}, and podium cannot tell which is a win",
            hint='name them from loss to win, such as outcomes=("L", "D", "W")',
        )
    return shares


def _meaning(word: str) -> float | None:
    """0 if a word means a loss, 0.5 for a draw, 1 for a win; None if it is unknown."""
    letter = word.strip().casefold()
    for share, is_meant, letters in (
        (0.0, is_loss, ("l", "a", "away")),
        (0.5, is_draw, ("d", "t", "x")),
        (1.0, is_win, ("w", "h", "home")),
    ):
        if is_meant(word) or letter in letters:
            return share
    return None


def _position(column: Column, names: Sequence[str], width: int) -> int:
    """The number of a column."""
    if isinstance(column, str):
        if column not in names:
            raise ParameterError(
                f"X has no column {column!r}", hint=f"it has {', '.join(names) or 'no names'}"
            )
        return names.index(column)
    if not 0 <= column < width:
        raise ParameterError(f"X has no column {column}", hint=f"it has {width}, counted from 0")
    return column


def _named(players: list[Any]) -> list[str]:
    """Players by name; whole numbers by their digits."""
    return [str(int(one)) if isinstance(one, float) and one.is_integer() else str(one) for one in players]
