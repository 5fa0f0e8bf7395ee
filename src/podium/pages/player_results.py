"""The results of one player, as documents of pages tell them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from podium.arrays import Longs
from podium.documents.explanation_documents import played_match_document
from podium.documents.page_documents import (
    BriefResultDocument,
    HistoryColumnsDocument,
    MomentDocument,
    OpponentDocument,
    ResultDocument,
)
from podium.ladder.sides_before import NO_SIDE, row_scores
from podium.pages.ladder_data import PageBasis, plain_list
from podium.pages.played_rows import BAND, KEPT_DECIMALS, AdjustedRating, PlayedRows, kept, kept_number
from podium.systems.contract.explained_ratings import PlayedMatch, match_result
from podium.text import rank_words

MOST_OPPONENTS = 10
LEAST_MEETINGS = 2
LARGE_EVENT = 50
"""Sides of an event above which not everybody counts as met."""
NEIGHBOURS = 25
"""In a large event those count as met who are so many places before or behind, or fewer."""
OPPONENTS_RULE = (
    f"In events of more than {LARGE_EVENT} sides, only players within {NEIGHBOURS} lines of the standings "
    "count."
)


def opponents(data: PageBasis, played: PlayedRows, rows: Longs) -> tuple[list[OpponentDocument], str | None]:
    """The record of a player, who has these rows, against those met most often.

    Beside it, who counts as met if not everybody does.
    """
    rule = OPPONENTS_RULE if (played.sides[played.event[rows]] > LARGE_EVENT).any() else None
    if len(rows) < LEAST_MEETINGS:
        return [], rule
    history = played.history
    events = played.event[rows]
    first, last = history.offsets[events], history.offsets[events + 1]
    large = played.sides[events] > LARGE_EVENT
    here = played.standing[rows]
    first = np.where(large, np.maximum(first, here - NEIGHBOURS), first)
    last = np.where(large, np.minimum(last, here + NEIGHBOURS + 1), last)
    sizes = last - first
    own = np.repeat(rows, sizes)
    met = played.by_rank[np.arange(len(own)) + np.repeat(first - (np.cumsum(sizes) - sizes), sizes)]
    apart = met != own if history.side is None else history.side[met] != history.side[own]
    apart &= ~np.isin(met, rows)  # another account of the player, which was merged since
    own, met = own[apart], met[apart]
    who, number = np.unique(played.whose[met], return_inverse=True)
    count = np.bincount(number)
    often = np.argsort(-count, kind="stable")[:MOST_OPPONENTS]
    often = often[count[often] >= LEAST_MEETINGS]
    if not len(often):
        return [], rule
    ahead = np.sign(history.rank[met] - history.rank[own])
    wins = np.bincount(number[ahead > 0], minlength=len(who))
    draws = np.bincount(number[ahead == 0], minlength=len(who))
    return [
        {
            "player": data.names[int(who[i])],
            "met": int(count[i]),
            "wins": int(wins[i]),
            "draws": int(draws[i]),
            "losses": int(count[i] - wins[i] - draws[i]),
        }
        for i in often.tolist()
    ], rule


Value = TypeVar("Value")
Match = Callable[[int], PlayedMatch | None]
"""The match that a result is of, by its position; None if its event has more than two sides."""


@dataclass(frozen=True, slots=True)
class PlayerResults:
    """The results of a player and what was adjusted between them, as columns, oldest first."""

    number: list[int]
    """The number that pages give to the event; 0 for an adjustment that has none."""
    name: list[str]
    time: list[str | None]
    label: list[str]
    """What the event is called in a sentence."""
    adjustment: list[str | None]
    """What was adjusted, in words; None for an event."""
    account: list[str | None]
    """The account that a result is of, if that was merged into the player's later: its rating is another."""
    rank: list[int]
    """0 for an adjustment; likewise the sides."""
    sides: list[int]
    before: list[float]
    display: list[float]
    change: list[float]
    sigma: list[float] | None
    """The deviation after it, and the ends of the band around the rating; None if there are no deviations."""
    low: list[float] | None
    high: list[float] | None
    performance: list[float | None] | None
    """None if the system does not say."""
    place: list[int]
    """The place right after the event; 0 if it is not known."""
    points: list[float | None]
    """The score, as it was reported."""
    score: list[float | None]
    """The mean score against the others of the event, and the one that was to be expected; None where the
    others are not known."""
    expected: list[float | None]
    rated: list[bool]
    match: Match
    opponents: list[OpponentDocument]
    opponents_rule: str | None
    """Who counts as met, if not everybody does."""
    older: int = 0
    """Results before the first of these."""
    rated_before: bool = False
    """Whether the player had a rating before anything that is known here."""

    def __len__(self) -> int:
        """The number of results and adjustments."""
        return len(self.number)

    @property
    def events(self) -> list[int]:
        """The positions of the results."""
        return [i for i, words in enumerate(self.adjustment) if words is None]

    @property
    def counted(self) -> list[int]:
        """The positions of the results that counted for the rating."""
        return [i for i in self.events if self.rated[i]]

    @property
    def moves(self) -> list[int]:
        """The positions of all that could move the rating: own results that counted, and adjustments."""
        return [i for i, rated in enumerate(self.rated) if rated and self.account[i] is None]

    def surprise(self, position: int) -> float:
        """The mean score less the expected one; 0 if they are not known."""
        score, expected = self.score[position], self.expected[position]
        return 0.0 if score is None or expected is None else score - expected

    def expected_rank(self, position: int) -> float | None:
        """The rank that was to be expected; None if it is not known."""
        expected = self.expected[position]
        return (
            None
            if expected is None
            else round(1.0 + (self.sides[position] - 1) * (1.0 - expected), KEPT_DECIMALS)
        )

    def words(self, position: int, match: PlayedMatch | None) -> str:
        """A result in words, given the match it is of."""
        if (adjusted := self.adjustment[position]) is not None:
            return adjusted
        return rank_words(self.rank[position], self.sides[position]) if match is None else match.words

    def told(self, position: int) -> str:
        """An event and its result in words; what was adjusted."""
        if (adjusted := self.adjustment[position]) is not None:
            return adjusted
        return f"{self.label[position]}: {self.words(position, self.match(position))}"

    def brief(self, position: int) -> BriefResultDocument:
        """How an event ended, as plain data."""
        match = self.match(position)
        return {
            "event": self.number[position] or None,
            "name": self.name[position],
            "time": self.time[position],
            "rank": self.rank[position] or None,
            "sides": self.sides[position],
            "match": played_match_document(match),
            "words": self.words(position, match),
        }

    def document(self, position: int) -> ResultDocument:
        """A result as plain data."""
        return {
            **self.brief(position),
            "adjustment": self.adjustment[position],
            "account": self.account[position],
            "score": self.points[position],
            "expected_rank": self.expected_rank(position),
            "before": self.before[position],
            "display": self.display[position],
            "change": self.change[position],
            "performance": None if self.performance is None else self.performance[position],
            "place": self.place[position] or None,
            "rated": self.rated[position],
        }

    def moment(self, position: int) -> MomentDocument:
        """The player right after a result."""
        return {
            "event": self.number[position] or None,
            "name": self.name[position],
            "time": self.time[position],
            "display": self.display[position],
            "place": self.place[position] or None,
        }

    def columns(self) -> HistoryColumnsDocument:
        """All by column that is of the player's own rating."""
        own = [i for i, account in enumerate(self.account) if account is None]

        def column(values: list[Value]) -> list[Value]:
            return [values[i] for i in own]

        def some(values: list[Value] | None) -> list[Value] | None:
            return None if values is None else column(values)

        return {
            "event": [self.number[i] or None for i in own],
            "name": column(self.name),
            "time": column(self.time),
            "adjustment": column(self.adjustment),
            "rank": [self.rank[i] or None for i in own],
            "sides": column(self.sides),
            "rated": column(self.rated),
            "display": column(self.display),
            "sigma": some(self.sigma),
            "low": some(self.low),
            "high": some(self.high),
            "performance": some(self.performance),
            "place": [self.place[i] or None for i in own],
        }


def played_results(data: PageBasis, played: PlayedRows, player: int) -> PlayerResults:
    """The results of a player, given by number, among the rows of a history."""
    rows, accounts = played.results_of(player)
    events = played.event[rows]
    numbers = events.tolist()
    before, display = played.before[rows], played.display[rows]
    history, has_sigma = played.history, len(played.sigma) > 0
    met, rule = opponents(data, played, rows)
    found = PlayerResults(
        number=played.numbers[events].tolist(),
        name=[played.names[event] for event in numbers],
        time=[played.times[event] for event in numbers],
        label=[played.labels[event] for event in numbers],
        adjustment=[None] * len(rows),
        account=accounts,
        rank=history.rank[rows].tolist(),
        sides=played.sides[events].tolist(),
        before=before.tolist(),
        display=display.tolist(),
        change=kept(played.gain[rows], data.decimals).tolist(),
        sigma=played.sigma[rows].tolist() if has_sigma else None,
        low=played.low[rows].tolist() if has_sigma else None,
        high=played.high[rows].tolist() if has_sigma else None,
        performance=plain_list(played.performance[rows]) if len(played.performance) else None,
        place=[
            place if account is None else 0
            for place, account in zip(played.place[rows].tolist(), accounts, strict=True)
        ],
        points=[None] * len(rows) if history.score is None else plain_list(history.score[rows]),
        score=played.score[rows].tolist(),
        expected=played.expected[rows].tolist(),
        rated=played.rated[rows].tolist(),
        match=partial(_match_at, data, played, rows.tolist(), numbers),
        opponents=met,
        opponents_rule=rule,
        rated_before=player in played.rated_before,
    )
    behind = np.searchsorted(events, [one.before for one in played.adjusted]).tolist()
    moves = zip(behind, (one.of_player(player) for one in played.adjusted), strict=True)
    return with_adjustments(found, [(at, move) for at, move in moves if move is not None], data.decimals)


def with_adjustments(
    results: PlayerResults, moves: Sequence[tuple[int, AdjustedRating]], decimals: int
) -> PlayerResults:
    """The results with adjustments between them, each before the result of its position."""
    if not moves:
        return results
    sources: list[int | AdjustedRating] = []
    waiting = list(moves)
    for position in range(len(results) + 1):
        while waiting and waiting[0][0] <= position:
            sources.append(waiting.pop(0)[1])
        sources += [position] if position < len(results) else []

    def column(values: list[Any], made: Callable[[AdjustedRating], Any]) -> list[Any]:
        return [values[one] if isinstance(one, int) else made(one) for one in sources]

    def rounded(values: list[float] | None, made: Callable[[AdjustedRating], float]) -> list[float] | None:
        return None if values is None else column(values, lambda one: kept_number(made(one), decimals))

    def match(position: int) -> PlayedMatch | None:
        source = sources[position]
        return results.match(source) if isinstance(source, int) else None

    before, display = (
        column(values, lambda one, name=name: kept_number(getattr(one, name), decimals))  # type: ignore[misc]
        for name, values in (("before", results.before), ("display", results.display))
    )
    return replace(
        results,
        number=column(results.number, lambda one: one.number),
        name=column(results.name, lambda one: one.words),
        time=column(results.time, lambda one: one.time),
        label=column(results.label, lambda one: one.words),
        adjustment=column(results.adjustment, lambda one: one.words),
        account=column(results.account, lambda _: None),
        rank=column(results.rank, lambda _: 0),
        sides=column(results.sides, lambda _: 0),
        before=before,
        display=display,
        change=column(results.change, lambda one: kept_number(one.display - one.before, decimals)),
        sigma=rounded(results.sigma, lambda one: one.sigma),
        low=rounded(results.low, lambda one: one.mu - BAND * one.sigma),
        high=rounded(results.high, lambda one: one.mu + BAND * one.sigma),
        performance=None if results.performance is None else column(results.performance, lambda _: None),
        place=column(results.place, lambda _: 0),
        points=column(results.points, lambda _: None),
        score=column(results.score, lambda _: None),
        expected=column(results.expected, lambda _: None),
        rated=column(results.rated, lambda _: True),
        match=match,
    )


def _match_at(
    data: PageBasis, played: PlayedRows, rows: list[int], events: list[int], position: int
) -> PlayedMatch | None:
    event = events[position]
    return None if played.sides[event] != 2 else played_match(data, played, rows[position], event)


def played_match(data: PageBasis, played: PlayedRows, row: int, event: int) -> PlayedMatch:
    """What an event of two sides was to the player of one of its rows."""
    history, names, side = played.history, data.names, played.side
    there, home = played.rows_in(event), int(played.home_side[event])
    mine = int(side[row])
    sides = side[there].tolist()
    opponents = [there.start + i for i, number in enumerate(sides) if number != mine]
    partners = [
        there.start + i for i, number in enumerate(sides) if number == mine and there.start + i != row
    ]
    other = opponents[0]
    score, opponent_score = row_scores(history, row, other)
    return PlayedMatch(
        opponents=tuple(names[int(played.shown[one])] for one in opponents),
        result=match_result(int(history.rank[row]), int(history.rank[other])),
        chance=round(float(played.expected[row]), KEPT_DECIMALS),
        score=score,
        opponent_score=opponent_score,
        at_home=None if home == NO_SIDE else home == mine,
        partners=tuple(names[int(played.shown[one])] for one in partners),
    )
