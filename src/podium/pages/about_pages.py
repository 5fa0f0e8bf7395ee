"""The page about a ladder: the system, its parameters, and how well it predicted the history."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from podium import __version__
from podium.documents.event_page_documents import (
    AboutPageDocument,
    CalibrationBinDocument,
    LadderCardDocument,
    ParameterRowDocument,
    PredictionQualityDocument,
)
from podium.documents.page_documents import tier_document
from podium.documents.plain_data import plain_parameter
from podium.evaluation.block_bootstrap import sum_in_bins
from podium.evaluation.metrics.calibration_bins import bin_edges, calibrated_sides
from podium.evaluation.metrics.log_loss import log_losses
from podium.evaluation.order_accuracy import order_sides
from podium.evaluation.standings import standings_of
from podium.pages.board_pages import ranking_rule
from podium.pages.ladder_data import PageBasis, plain_moment
from podium.pages.played_rows import KEPT_DECIMALS, PlayedRows
from podium.systems import RatingSystem
from podium.text import counted, paragraphs, percent

CALIBRATION_BINS = 10
LEADERS = 3


class LadderPast(NamedTuple):
    """What is known of how a ladder came about."""

    rows: int | None
    skipped_rows: int | None
    start: str | None
    """Time of the first event, as documents write it."""
    played: PlayedRows | None
    """The events by which predictions are judged; None if they are not known."""


def about_page(data: PageBasis, players: int, past: LadderPast, computed: str) -> AboutPageDocument:
    """The page about a ladder; `computed` is when, as documents write times."""
    played = past.played
    return {
        "system": data.system.label,
        "words": system_words(data.system),
        "parameters": _parameters(data.system),
        "players": players,
        "events": data.n_events,
        "rows": past.rows,
        "skipped_rows": past.skipped_rows,
        "start": past.start,
        "now": plain_moment(data.now),
        "computed": computed,
        "version": __version__,
        "rule": ranking_rule(data),
        "tiers": [tier_document(tier) for tier in data.tiers],
        "quality": prediction_quality(played, data.n_events) if played is not None and played.names else None,
    }


def ladder_card(data: PageBasis, title: str, players: int, leaders: list[str]) -> LadderCardDocument:
    """A ladder in the list of ladders."""
    return {
        "title": title,
        "players": players,
        "events": data.n_events,
        "now": plain_moment(data.now),
        "system": data.system.label,
        "leaders": leaders,
    }


def _parameters(system: RatingSystem) -> list[ParameterRowDocument]:
    declared = type(system).declared()
    return [
        {
            "name": name,
            "value": plain_parameter(value),
            "default": plain_parameter(declared[name].default),
            "meaning": declared[name].meaning,
        }
        for name, value in system.parameters().items()
    ]


def prediction_quality(played: PlayedRows, events: int) -> PredictionQualityDocument:
    """How well each event was predicted before it was rated, from the trace's own predictions.

    There are so many `events` in all, of which these may be the latest.

    The log loss, the pairs in order and the bins of calibration are those of `podium.evaluate` for everyone.
    """
    standings = standings_of(played.history)
    expected = played.expected[standings.first_rows]
    scored = np.ones(len(expected), np.bool_)
    loss = float(log_losses(standings.score, expected).mean())
    ordered = order_sides(standings, expected, scored)
    decided = float(ordered.decided.sum())
    right = float(ordered.foretold.sum()) / decided if decided else None
    matches = bool((standings.counts == 2).all())
    sums = sum_in_bins(
        standings.offsets,
        np.zeros(len(standings), np.int64),
        1,
        calibrated_sides(standings, scored),
        expected,
        standings.score,
        bin_edges(expected, CALIBRATION_BINS),
    )[0]
    bins: list[CalibrationBinDocument] = [
        {
            "predicted": round(p / count, KEPT_DECIMALS),
            "happened": round(s / count, KEPT_DECIMALS),
            "count": int(count),
        }
        for count, p, s in sums.tolist()
        if count
    ]
    coin = math.log(2.0)
    what = counted(len(standings), "match" if matches else "event")
    each = f"the latest {what}" if len(standings) < events else what
    pairs = "matches with a winner" if matches else "pairs of players who did not tie"
    return {
        "matches": matches,
        "events": len(standings),
        "log_loss": round(loss, KEPT_DECIMALS),
        "coin_log_loss": round(coin, KEPT_DECIMALS),
        "right": None if right is None else round(right, KEPT_DECIMALS),
        "words": _quality_words(loss, coin, right, each, pairs),
        "bins": bins,
    }


def _quality_words(loss: float, coin: float, right: float | None, each: str, pairs: str) -> list[str]:
    """How good the predictions were, in sentences; `each` are the events, `pairs` what is foretold."""
    words = [f"For each of {each}, podium made a prediction from the ratings just before it."]
    if right is not None:
        words.append(
            f"The favourite finished ahead in {percent(right)} of {pairs}. A coin flip would reach 50%."
        )
    better = "better than" if loss < coin else "no better than"
    words.append(
        f"The log loss, a penalty for wrong predictions, is {loss:.3f}, {better} the {coin:.3f} of a coin "
        "flip. Lower is better."
    )
    return words


_SHOWN_CAREFULLY = """
The rating shown is below the system's best estimate while the system is unsure of a player. It rises as
certainty grows.
"""
_CALIBRATED = """
podium corrects the chances on these pages if its earlier predictions were too confident or too cautious.
This does not change ratings.
"""


def system_words(system: RatingSystem) -> list[str]:
    """How a system works, in paragraphs; its summary, if it explains no more.

    >>> from podium import Elo
    >>> len(system_words(Elo()))
    1
    """
    summary = system.summary[:1].upper() + system.summary[1:]
    words = paragraphs(system.explained or f"{summary.rstrip('.')}.")
    words += paragraphs(system.explained_choices)
    if getattr(system, "display_k", 0.0) > 0.0:
        words += paragraphs(_SHOWN_CAREFULLY)
    return words + (paragraphs(_CALIBRATED) if system.is_calibrated else [])
