"""The results of one player, as documents of pages tell them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podium.arrays import Longs
from podium.documents.explanation_documents import played_match_document
from podium.documents.page_documents import (
    BriefResultDocument,
    HistoryColumnsDocument,
    MomentDocument,
    ResultDocument,
)
from podium.ladder.sides_before import NO_SIDE, row_scores
from podium.pages.ladder_data import LadderData, plain_list
from podium.pages.played_rows import PlayedRows
from podium.systems.contract.played_matches import PlayedMatch, match_result


@dataclass(frozen=True, slots=True)
class PlayerResults:
    """The rows of a player as lists, oldest first; events are counted from 0."""

    data: LadderData
    played: PlayedRows
    rows: Longs
    event: list[int]
    rank: list[int]
    sides: list[int]
    before: list[float]
    display: list[float]
    change: list[float]
    performance: list[float | None]
    """Empty if the system does not say."""
    place: list[int]
    expected_rank: list[float]
    surprise: list[float]
    """The mean score less the expected one."""
    rated: list[bool]

    @classmethod
    def of(cls, data: LadderData, played: PlayedRows, player: int) -> PlayerResults:
        """The results of a player, given by number."""
        rows = played.rows_of(player)
        events = played.event[rows]
        before, display = played.before[rows], played.display[rows]
        return cls(
            data=data,
            played=played,
            rows=rows,
            event=events.tolist(),
            rank=played.history.rank[rows].tolist(),
            sides=played.sides[events].tolist(),
            before=before.tolist(),
            display=display.tolist(),
            change=(display - before).round(data.decimals).tolist(),
            performance=plain_list(played.performance[rows]) if len(played.performance) else [],
            place=played.place[rows].tolist(),
            expected_rank=played.expected_rank[rows].tolist(),
            surprise=(played.score[rows] - played.expected[rows]).tolist(),
            rated=played.rated[rows].tolist(),
        )

    def __len__(self) -> int:
        """The number of results."""
        return len(self.event)

    @property
    def counted(self) -> list[int]:
        """The positions of the results that counted for the rating."""
        return [i for i, rated in enumerate(self.rated) if rated]

    def match(self, position: int) -> PlayedMatch | None:
        """The match that a result is of; None if its event has more than two sides."""
        if self.sides[position] != 2:
            return None
        return played_match(self.data, self.played, int(self.rows[position]), self.event[position])

    def words(self, position: int, match: PlayedMatch | None) -> str:
        """A result in words, given the match it is of."""
        return f"rank {self.rank[position]:,} of {self.sides[position]:,}" if match is None else match.words

    def told(self, position: int) -> str:
        """An event and its result in words."""
        label = self.played.labels[self.event[position]]
        return f"{label}: {self.words(position, self.match(position))}"

    def brief(self, position: int) -> BriefResultDocument:
        """How an event ended, as plain data."""
        event, match = self.event[position], self.match(position)
        return {
            "event": event + 1,
            "name": self.played.names[event],
            "time": self.played.times[event],
            "rank": self.rank[position],
            "sides": self.sides[position],
            "match": played_match_document(match),
            "words": self.words(position, match),
        }

    def document(self, position: int) -> ResultDocument:
        """A result as plain data."""
        score = None if self.played.history.score is None else self.played.history.score[self.rows[position]]
        return {
            **self.brief(position),
            "score": None if score is None or np.isnan(score) else float(score),
            "expected_rank": self.expected_rank[position],
            "before": self.before[position],
            "display": self.display[position],
            "change": self.change[position],
            "performance": self.performance[position] if self.performance else None,
            "place": self.place[position] or None,
            "rated": self.rated[position],
        }

    def moment(self, position: int) -> MomentDocument:
        """The player right after a result."""
        event = self.event[position]
        return {
            "event": event + 1,
            "name": self.played.names[event],
            "time": self.played.times[event],
            "display": self.display[position],
            "place": self.place[position] or None,
        }

    def columns(self) -> HistoryColumnsDocument:
        """All results by column."""
        played, rows, has_sigma = self.played, self.rows, len(self.played.sigma) > 0
        return {
            "event": [event + 1 for event in self.event],
            "name": [played.names[event] for event in self.event],
            "time": [played.times[event] for event in self.event],
            "rank": self.rank,
            "sides": self.sides,
            "display": self.display,
            "sigma": played.sigma[rows].tolist() if has_sigma else None,
            "low": played.low[rows].tolist() if has_sigma else None,
            "high": played.high[rows].tolist() if has_sigma else None,
            "performance": self.performance if len(played.performance) else None,
            "place": [place or None for place in self.place],
        }


def played_match(data: LadderData, played: PlayedRows, row: int, event: int) -> PlayedMatch:
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
        opponents=tuple(names[played.shown[one]] for one in opponents),
        result=match_result(int(history.rank[row]), int(history.rank[other])),
        chance=round(float(played.expected[row]), 4),
        score=score,
        opponent_score=opponent_score,
        at_home=None if home == NO_SIDE else home == mine,
        partners=tuple(names[played.shown[one]] for one in partners),
    )
