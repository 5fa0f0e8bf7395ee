"""Why a player's rating is what it is, as lines and in sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from podium.arrays import NO_TIME
from podium.documents.page_documents import WhyDocument, WhyLineDocument
from podium.pages.ladder_data import PageBasis, PlayerNow
from podium.pages.played_rows import KEPT_DECIMALS
from podium.pages.player_results import PlayerResults
from podium.systems import RatingSystem, State
from podium.systems.contract.explained_ratings import LIKELIEST, MAIN_RESULTS, Shares, outlook
from podium.text import counted, rounded_gain, write_number

ROUNDING = 1e-6
"""Points that are no part of a rating, but rounding."""


class RatingState(NamedTuple):
    """What a system says of a player's rating beside the rating itself."""

    shares: Shares | None
    """The parts of an average; None if a rating is a sum of changes."""

    @classmethod
    def of(cls, system: RatingSystem, state: State, player: int) -> RatingState:
        """What the system says of a player, given by number; a fixed rating neither rises nor falls."""
        shares = system.shares(state, player, NO_TIME)
        if shares is not None and state.anchored[player]:
            shares = replace(shares, rise=0.0, fall=0.0, bounds=(0.0, 0.0))
        return cls(shares)


def rating_reasons(
    data: PageBasis, player: PlayerNow, results: PlayerResults | None, state: RatingState
) -> WhyDocument:
    """Why a rating is what it is, from the system's state and the results that are known."""
    if state.shares is None:
        return _changes(data, player, results)
    return _performances(data, player, results, state.shares)


# ---------------------------------------------------------------------- an average of performances


def _performances(
    data: PageBasis, player: PlayerNow, results: PlayerResults | None, shares: Shares
) -> WhyDocument:
    """The parts of an average with their shares and pulls; the performances that pull most one by one."""
    mu = player.mu
    lines: list[WhyLineDocument] = []
    for words, value, share in (
        (_start_words(results), shares.origin, shares.origin_share),
        ("remembered from before", shares.older, shares.older_share),
    ):
        if share > 0.0:
            lines.append(_line(data, words, None, share * (value - mu), value, share))
    counted_rows = [] if results is None else results.counted
    first = player.events - len(counted_rows) + 1
    performance, share_of = shares.performance.tolist(), shares.share.tolist()
    pull = [share * (value - mu) for value, share in zip(performance, share_of, strict=True)]
    # Of two alike the later one is told.
    order = sorted(range(len(pull)), key=lambda i: abs(pull[i]))
    rest = order[: max(len(pull) - MAIN_RESULTS, 0)]
    numbers = shares.number.tolist()
    for i in sorted(order[len(rest) :]):
        number = numbers[i] - first
        words, event = f"no. {numbers[i]}", None
        if results is not None and 0 <= number < len(counted_rows):
            words, event = results.told(counted_rows[number]), results.number[counted_rows[number]]
        lines.append(_line(data, words, event, pull[i], performance[i], share_of[i]))
    if rest:
        share, pulled = math.fsum(share_of[i] for i in rest), math.fsum(pull[i] for i in rest)
        mean = mu + (pulled / share if share > 0.0 else 0.0)
        lines.append(_line(data, counted(len(rest), "other event"), None, pulled, mean, share))

    def told(i: int) -> str:
        return f"{lines[i]['words']} ({write_number(lines[i]['points'], f'+.{data.digits + 1}f')})"

    return {
        "form": "performances",
        "words": [
            _balance_words(data, player, len(pull)),
            *([LIKELIEST] if shares.skewed else []),
            *_extremes([line["points"] for line in lines], told),
            outlook(shares.rise, shares.fall, _what_moves(data, player)),
        ],
        "lines": lines,
    }


def _start_words(results: PlayerResults | None) -> str:
    """Where an average starts: an adjustment that moved the rating is a new start."""
    if results is None:
        return "start"
    moves = [results.adjustment[i] for i in results.moves if results.adjustment[i] and results.change[i]]
    return f"start, by {moves[-1]}" if moves else "start"


def _balance_words(data: PageBasis, player: PlayerNow, performances: int) -> str:
    mu, display = data.rating_text(player.mu), data.rating_text(player.display)
    shown = "" if display == mu else f" (shown as {display})"
    return (
        f"The rating {mu}{shown} is a weighted average of {counted(performances, 'performance')} and the "
        "starting rating. Better performances pull it up and worse ones pull it down."
    )


def _what_moves(data: PageBasis, player: PlayerNow) -> str:
    """The number that limits are of, if it is not the one shown."""
    mu = data.rating_text(player.mu)
    return "it" if mu == data.rating_text(player.display) else mu


# ---------------------------------------------------------------------- a sum of changes


def _changes(data: PageBasis, player: PlayerNow, results: PlayerResults | None) -> WhyDocument:
    """A start and every change since."""
    display, newcomer = player.display, data.newcomer
    moves = [] if results is None else results.moves
    if results is None or not moves:
        lines = [_line(data, "where newcomers start", None, newcomer)]
        if abs(display - newcomer) > ROUNDING:
            lines.append(_line(data, "everything since", None, display - newcomer))
        return {"form": "changes", "words": [_since_words(data, player)], "lines": lines}
    first = results.before[moves[0]]
    all_known = not results.rated_before or len(results.counted) == player.events
    from_start = not results.older and all_known
    if from_start:
        lines = [_line(data, "start", None, first)]
    else:
        lines = [_line(data, "where newcomers start", None, newcomer)]
        lines.append(_line(data, "everything before", None, first - newcomer))
    counted_rows = [i for i in moves if results.adjustment[i] is None]
    earlier = set(counted_rows[: max(len(counted_rows) - MAIN_RESULTS, 0)])
    for is_earlier, group in groupby(moves, earlier.__contains__):
        some = list(group)
        lines += [_earlier(data, results, some)] if is_earlier else [_told(data, results, i) for i in some]
    befores = [*(results.before[i] for i in moves[1:]), display]
    away = math.fsum(before - results.display[i] for before, i in zip(befores, moves, strict=True))
    if abs(away) > ROUNDING:
        lines.append(_line(data, "while away", None, away))
    kinds = [(len(counted_rows), "event"), (len(moves) - len(counted_rows), "adjustment")]
    by = " and ".join(counted(count, what) for count, what in kinds if count)
    words = [_sum_words(data, display, first, by) if from_start else _since_words(data, player)]
    if merged := len(results.counted) - len(counted_rows):
        words.append(f"The line for the merge contains {counted(merged, 'event')} of the merged account.")

    def told(number: int) -> str:
        i = moves[number]
        return f"{results.told(i)} ({rounded_gain(0.0, results.change[i], data.digits + 1)})"

    among = "" if from_start else f" in the latest {counted(len(moves), 'change')}"
    words += _extremes([results.change[i] for i in moves], told, among)
    return {"form": "changes", "words": words, "lines": lines}


def _earlier(data: PageBasis, results: PlayerResults, positions: list[int]) -> WhyLineDocument:
    """Events that follow each other and are told in one line, which is where they were in time."""
    what = "match" if all(results.sides[i] == 2 for i in positions) else "event"
    total = math.fsum(_step(results, i) for i in positions)
    return _line(data, f"{counted(len(positions), f'earlier {what}')} in all", None, total)


def _told(data: PageBasis, results: PlayerResults, position: int) -> WhyLineDocument:
    """One event or adjustment."""
    number = results.number[position] or None
    return _line(data, results.told(position), number, _step(results, position))


def _step(results: PlayerResults, position: int) -> float:
    """The step between the ratings of a result as documents show them, so that lines add up to the rating."""
    return results.display[position] - results.before[position]


def _sum_words(data: PageBasis, display: float, start: float, by: str) -> str:
    rating, first = data.rating_text(display), data.rating_text(start)
    change = rounded_gain(start, display, data.digits)
    return f"The rating {rating} is the starting rating {first} and {change} from {by}."


def _since_words(data: PageBasis, player: PlayerNow) -> str:
    """The rating of a player whose start is not known."""
    rating, newcomer = data.rating_text(player.display), data.rating_text(data.newcomer)
    change, events = rounded_gain(data.newcomer, player.display, data.digits), counted(player.events, "event")
    return f"Newcomers start at {newcomer}. The rating {rating} differs by {change}, after {events}."


# ---------------------------------------------------------------------- both


def _line(
    data: PageBasis,
    words: str,
    event: int | None,
    points: float,
    value: float | None = None,
    share: float | None = None,
) -> WhyLineDocument:
    """A line."""
    return {
        "words": words,
        "event": event,
        "points": round(points, data.decimals),
        "value": None if value is None else round(value, data.decimals),
        "share": None if share is None else round(share, KEPT_DECIMALS),
    }


def _extremes(points: Sequence[float], told: Callable[[int], str], among: str = "") -> list[str]:
    """The parts that count most upwards and downwards, in words; `told` is by position."""
    found = []
    for direction, end, sign in (("up", max, 1.0), ("down", min, -1.0)):
        position = end(range(len(points)), key=points.__getitem__, default=None)
        if position is not None and sign * points[position] > 0.0:
            found.append(f"Most {direction}{among}: {told(position)}.")
    return found
