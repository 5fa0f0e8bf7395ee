"""The simplest prediction there is: everybody does as well as in the past. What a system has to beat.

Of a player with n results of mean score s/n so far, (s + 1)/(n + 2) is expected: of a newcomer one half. A
team has the mean of its members. A side of strength a that meets others of mean strength b is expected to
score a(1 − b) / (a(1 − b) + b(1 − a)), as Bill James has it for teams of two win rates.
"""

from __future__ import annotations

import time

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.evaluation.event_predictions import Predictions
from podium.evaluation.standings import following_renames, standings_of
from podium.history import History
from podium.numerics.jit import kernel

MEAN_PAST_RESULT = "mean past result"
"""What tables call it."""


def predict_by_means(history: History, start: int, stop: int) -> Predictions:
    """What past results say of each side of the events from `start` to before `stop`.

    >>> history = History.from_matches(["ann", "ann"], ["bob", "bob"])
    >>> predict_by_means(history, 0, 2).expected.round(3).tolist()
    [0.5, 0.5, 0.8, 0.2]
    """
    standings, began = standings_of(history), time.perf_counter()
    members, firsts = standings.sides.players, standings.sides.offsets
    player = history.player[members]
    unrated = np.zeros(len(player), np.bool_) if history.unrated is None else history.unrated[members]
    total, played = np.zeros(len(history.players)), np.zeros(len(history.players))
    strength, expected = np.empty(len(standings.score)), np.empty(len(standings.score))
    for events in following_renames(history, total, played):
        if events.start < stop:
            offsets = standings.offsets[events.start : min(events.stop, stop) + 1]
            _expect(offsets, firsts, player, unrated, standings.score, total, played, strength, expected)
    measured = standings.between(start, stop)
    expected = expected[int(standings.offsets[start]) : int(standings.offsets[stop])]
    return Predictions(
        standings=measured,
        expected=expected,
        happened=np.full(len(measured), np.nan),
        rating=expected,  # in an event, the order is that of the strengths
        sigma=np.empty(0),
        draws=False,
        seconds=time.perf_counter() - began,
    )


@kernel
def _expect(
    offsets: Longs,
    firsts: Longs,
    player: Ints,
    unrated: Bools,
    score: Floats,
    total: Floats,
    played: Floats,
    strength: Floats,
    expected: Floats,
) -> None:
    """Fill the strength and the expected score of each side; count what happened after each event."""
    for e in range(len(offsets) - 1):
        start, stop = offsets[e], offsets[e + 1]
        field = 0.0
        for i in range(start, stop):
            mean = 0.0
            for m in range(firsts[i], firsts[i + 1]):
                mean += (total[player[m]] + 1.0) / (played[player[m]] + 2.0)
            strength[i] = mean / (firsts[i + 1] - firsts[i])
            field += strength[i]
        for i in range(start, stop):
            a, b = strength[i], (field - strength[i]) / (stop - start - 1)
            expected[i] = a * (1.0 - b) / (a * (1.0 - b) + b * (1.0 - a))
            for m in range(firsts[i], firsts[i + 1]):
                if not unrated[m]:
                    total[player[m]] += score[i]
                    played[player[m]] += 1.0
