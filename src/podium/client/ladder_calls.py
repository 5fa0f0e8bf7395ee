"""The calls of a client: what is asked of a service, and what the answer means; nothing is sent here.

`Client` and `AsyncClient` have the methods of `Calls`, with these arguments and this documentation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack, cast
from uuid import uuid4

import numpy as np

from podium.arrays import Floats
from podium.client.answered_values import (
    board_frame,
    changes_value,
    distribution_value,
    explanation_value,
    history_frame,
    rank_probabilities_value,
    value_of,
    with_others,
)
from podium.client.connection import PAGE_ROWS, Connection, Query, rows_of
from podium.client.effects import Steps
from podium.client.sent_words import (
    Late,
    adjustment_document,
    plain_event,
    plain_moment,
    plain_side,
    plain_sides,
    plain_since,
    report_document,
)
from podium.client.service_values import HeadToHead, PreviewKeywords
from podium.documents.prediction_documents import DistributionDocument, RankProbabilitiesDocument
from podium.documents.rating_documents import ChangeDocument
from podium.errors import InputError, ParameterError, UnknownPlayerError
from podium.history import Adjustment, Event
from podium.history.events import EventKeywords
from podium.history.names import player_name
from podium.history.times import Time
from podium.ladder.event_explanations import EventExplanation
from podium.ladder.predictions import Side
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.explained_ratings import Explanation, PerformanceExplanation
from podium.systems.contract.ratings import Changes, Outcomes, RankProbabilities, Rating
from podium.text import shorten

if TYPE_CHECKING:
    import polars as pl


class RecordingCalls(Connection):
    """Reporting results, and asking what they would do."""

    def record(
        self,
        *,
        ranks: Mapping[str, int] | Sequence[int] | None = None,
        scores: Mapping[str, float] | Sequence[float] | None = None,
        teams: Sequence[Collection[str]] | None = None,
        share: float | None = None,
        lower_is_better: bool = False,
        time: Time | None = None,
        weight: float = 1.0,
        home: str | None = None,
        unrated: Iterable[str] = (),
        play: Mapping[str, float] | None = None,
        ceiling: float | None = None,
        name: str | None = None,
        allow_repeat: bool = False,
        disqualified: Iterable[str] = (),
        rated: bool = True,
        late: Late = "last",
        key: str | None = None,
    ) -> Steps[Changes]:
        """Rate one event. Arguments as in `Ladder.record`. Returns the changes, with the event's number.

        `key` names the report: the same key with the same content is recorded once, however often it is sent,
        and with other content it is refused. Without a key the client makes one, so that trying again after a
        failure is safe. `disqualified` players are kept in the event and not rated. An event that is not
        `rated` is only kept. `late` is for an event earlier than the last one, as in `Ladder`: "insert" rates
        it at its own time and all later events again. Far back that takes the service a while, and the
        changes are not known yet. "last" rates it at the time of the last event. A service never refuses it.
        """
        event = Event.of(
            ranks=ranks,
            scores=scores,
            teams=teams,
            share=share,
            lower_is_better=lower_is_better,
            time=time,
            weight=weight,
            home=home,
            unrated=unrated,
            play=play,
            ceiling=ceiling,
            name=name,
        )
        return (
            yield from self.record_event(
                event, allow_repeat=allow_repeat, disqualified=disqualified, rated=rated, late=late, key=key
            )
        )

    def record_match(
        self,
        winner: str,
        loser: str,
        *,
        draw: bool = False,
        time: Time | None = None,
        weight: float = 1.0,
        home: str | None = None,
        name: str | None = None,
        allow_repeat: bool = False,
        late: Late = "last",
        key: str | None = None,
    ) -> Steps[Changes]:
        """Rate a match of two players. `key` is the idempotency key, and `late` is as in `record`."""
        event = Event.of_match(winner, loser, draw=draw, time=time, weight=weight, home=home, name=name)
        return (yield from self.record_event(event, allow_repeat=allow_repeat, late=late, key=key))

    def record_event(
        self,
        event: Event,
        *,
        allow_repeat: bool = False,
        disqualified: Iterable[str] = (),
        rated: bool = True,
        late: Late = "last",
        key: str | None = None,
    ) -> Steps[Changes]:
        """Rate one event. The arguments are as in `record`. If it is refused, nothing changes."""
        report = report_document(
            event,
            key=fresh_key() if key is None else key,
            disqualified=disqualified,
            rated=rated,
            allow_repeat=allow_repeat,
            late=late,
        )
        outcome = yield from self._ask("POST", "/events", body=report)
        return changes_value(in_order(event, outcome["changes"]), outcome["number"])

    def adjust(
        self, adjustment: Adjustment, *, time: Time | None = None, key: str | None = None
    ) -> Steps[Changes]:
        """Set a rating, anchor, release, reset, rename or merge. Returns the changes.

        `key` is as in `record`.
        """
        report = adjustment_document(adjustment, time=time, key=fresh_key() if key is None else key)
        outcome = yield from self._ask("POST", "/events", body=report)
        return changes_value(outcome["changes"], outcome["number"])

    def preview(self, **event: Unpack[PreviewKeywords]) -> Steps[Changes]:
        """Preview the changes of `record` without recording. Takes the same arguments."""
        words = dict(event)
        disqualified = cast(Iterable[str], words.pop("disqualified", ()))
        standings = Event.of(**cast(EventKeywords, words))
        asked = report_document(standings, disqualified=disqualified)
        told = yield from self._ask("POST", "/preview", body=asked)
        return changes_value(in_order(standings, told["changes"]))

    def rank_to_reach(self, player: str, rating: float, **event: Unpack[EventKeywords]) -> Steps[int | None]:
        """The worst rank after which a player of this event would be displayed at `rating` or above.

        `event` has the arguments of `record`, such as the standings of a contest still running. None if no
        rank is enough.
        """
        asked = {"player": player_name(player), "rating": float(rating), **report_document(Event.of(**event))}
        told = yield from self._ask("POST", "/rank-to-reach", body=asked)
        return cast(int | None, told["rank"])

    def ranks_to_reach(
        self, ratings: Iterable[float], **event: Unpack[EventKeywords]
    ) -> Steps[dict[str, tuple[int | None, ...]]]:
        """For each player of this event, the worst rank that is enough for each of the `ratings`.

        Each is what `rank_to_reach` gives for that player and rating. One call computes all of them.
        """
        wanted = [float(rating) for rating in ratings]
        asked = {"ratings": wanted, **report_document(Event.of(**event))}
        told = yield from self._ask("POST", "/ranks-to-reach", body=asked)
        return {one["player"]: tuple(one["ranks"]) for one in told["players"]}


class LookingCalls(Connection):
    """Looking at ratings, and at why they are what they are."""

    def rating(self, player: str, *, at: Time | None = None) -> Steps[Rating]:
        """A player's rating now. With `at`, the rating from which an event at that time would start."""
        return value_of(Rating, (yield from self._asked_of("/rating", player, at)))

    def has_player(self, player: str) -> Steps[bool]:
        """Whether the ladder has this player."""
        try:
            yield from self.rating(player)
        except UnknownPlayerError:
            return False
        return True

    def distribution(self, player: str, *, at: Time | None = None) -> Steps[Distribution]:
        """The probability distribution of a player's rating."""
        told = yield from self._asked_of("/distribution", player, at)
        return distribution_value(cast(DistributionDocument, told))

    def explain(
        self, player: str, event: int | str | None = None
    ) -> Steps[Explanation | PerformanceExplanation | EventExplanation]:
        """Explain a player's rating: what each event did to it, or how much each performance counts.

        With an `event`, explain why that one changed the rating. It is given by its number or name, by
        "name:…", or by "key:…", the key of its report.
        """
        query = {"player": player_name(player), "event": None if event is None else plain_event(event)}
        told = yield from self._ask("GET", "/explanation", query=query)
        if event is not None:
            return value_of(EventExplanation, told["event"])
        return explanation_value(told["explanation"])

    def history(self, player: str, *, last: int | None = None) -> Steps[pl.DataFrame]:
        """A player's events and adjustments, oldest first, all or the `last` ones.

        The columns are number, event, adjustment, account, time, player, rank and the ratings before and
        after. `adjustment` is null for an event. `account` is the other account, if a merge brought the
        result, and otherwise null.
        """
        query = {"player": player_name(player)}
        pages = yield from self._pages("/history", "events", query=query, most=last)
        rows = list(rows_of(pages, "events"))
        return history_frame(reversed(rows))

    def arena(self) -> Steps[pl.DataFrame]:
        """Strengths that do not change, fitted to all events: the columns of `Fit.strengths`."""
        import polars as pl

        told = yield from self._ask("GET", "/arena")
        return pl.DataFrame(told["strengths"])

    def head_to_head(self, a: str, b: str, *, last: int | None = None) -> Steps[HeadToHead]:
        """The record of two players against each other. With `last`, only so many meetings are listed."""
        query = {"a": player_name(a), "b": player_name(b)}
        pages = yield from self._pages("/head-to-head", "meetings", query=query, most=last)
        return value_of(HeadToHead, {**pages[0], "meetings": rows_of(pages, "meetings")})

    def leaderboard(
        self,
        *,
        min_events: int | None = None,
        active_since: Time | None = None,
        max_sigma: float | None = None,
        provisional: bool = False,
        top: int | None = None,
        around: str | None = None,
        limit: int | None = None,
        at: Time | None = None,
    ) -> Steps[pl.DataFrame]:
        """The ladder's players with a place, best first, as `Ladder.leaderboard`.

        A filter that is not given is that of the ladder's settings. With `provisional`, players who do not
        pass follow after those who do, with null for a place. With `around`, the rows are one page with that
        player in its middle, of `limit` rows (50 by default, 1,000 at most). With `at` it is the leaderboard
        of that time, in the past too.
        """
        check_page(around, limit, top, provisional)
        if top is not None and top <= 0:
            return board_frame([])
        query = {
            "min_events": min_events,
            "active_since": plain_since(active_since),
            "max_sigma": max_sigma,
            "at": plain_moment(at),
        }
        if around is not None:
            page = {**query, "around": player_name(around), "limit": limit}
            return ordered_board((yield from self._ask("GET", "/leaderboard", query=page))["ratings"])
        board = yield from self._board(query, top)
        if not provisional or (top is not None and len(board) >= top):
            return board
        everybody = yield from self.ratings(at=at)
        whole = with_others(board, everybody)
        return whole if top is None else whole.head(top)

    def ratings(self, players: Iterable[str] | None = None, *, at: Time | None = None) -> Steps[pl.DataFrame]:
        """All players, best first, equals by name: player, mu, sigma, display, events, last_time.

        With `players`, a list of names, the table has a row for each of them, in the order given. An unknown
        player is an error. Each name is one short request, so a few players of a large ladder come quickly.
        """
        if players is not None:
            if isinstance(players, str):
                raise InputError(f"players is {shorten(players)!r}, not a list of names")
            found = []
            for player in players:
                found.append((yield from self._asked_of("/rating", player, at)))
            return board_frame(found).drop("place")
        asked: dict[str, Query] = {"everybody": True, "at": plain_moment(at)}
        return (yield from self._board(asked, None)).drop("place")

    def _board(self, query: Mapping[str, Query], top: int | None) -> Steps[pl.DataFrame]:
        """The players who pass these filters, all or the first ones, in the order of `Ladder`."""
        pages = yield from self._pages("/leaderboard", "ratings", query=query, most=top)
        # Who moves down while pages are read may be on two of them.
        rows = {row["player"]: row for row in rows_of(pages, "ratings")}
        return ordered_board(rows.values())

    def _asked_of(self, path: str, player: str, at: Time | None) -> Steps[dict[str, Any]]:
        query = {"player": player_name(player), "at": plain_moment(at)}
        return (yield from self._ask("GET", path, query=query))


def check_page(around: str | None, limit: int | None, top: int | None, provisional: bool) -> None:
    """Refuse arguments of `leaderboard` that do not go together."""
    if around is None and limit is not None:
        raise ParameterError("limit needs around=", hint="top= gives the first rows")
    if around is not None and (top is not None or provisional):
        raise ParameterError(
            "around does not go with " + ("top" if top is not None else "provisional"),
            hint="limit= is the number of rows around a player",
        )
    if limit is not None and not 1 <= limit <= PAGE_ROWS:
        raise ParameterError(f"limit is {limit}", hint=f"a number from 1 to {PAGE_ROWS:,}")


def ordered_board(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Rows of a leaderboard as a table in the order of `Ladder`."""
    return board_frame(rows).sort("display", "player", descending=[True, False])


class PredictingCalls(Connection):
    """What is to be expected of events to come; unknown players count as newcomers."""

    def expected_score(
        self,
        a: Side,
        b: Side,
        *,
        home: str | None = None,
        play: Mapping[str, float] | None = None,
        at: Time | None = None,
    ) -> Steps[float]:
        """The expected score of `a` against `b`, players or teams. Unknown players count as newcomers."""
        return float((yield from self._chances(a, b, home, play, at))["expected_score"])

    def outcomes(
        self,
        a: Side,
        b: Side,
        *,
        home: str | None = None,
        play: Mapping[str, float] | None = None,
        at: Time | None = None,
    ) -> Steps[Outcomes]:
        """The probabilities that `a` wins, draws and loses against `b`, with the same arguments."""
        return value_of(Outcomes, (yield from self._chances(a, b, home, play, at))["outcomes"])

    def rank_probabilities(
        self, sides: Iterable[Side], *, at: Time | None = None
    ) -> Steps[RankProbabilities]:
        """The probability of each rank for each side of a free-for-all: players or teams (lists)."""
        told = yield from self._field("/rank-probabilities", sides, at)
        return rank_probabilities_value(cast(RankProbabilitiesDocument, told))

    def expected_ranks(self, sides: Iterable[Side], *, at: Time | None = None) -> Steps[Floats]:
        """The expected rank of each side of a free-for-all, in the order given."""
        told = yield from self._field("/expected-ranks", sides, at)
        return np.array(told["expected_ranks"], np.float64)

    def top_chances(self, sides: Iterable[Side], k: int, *, at: Time | None = None) -> Steps[Floats]:
        """The probability of each side of a free-for-all to have rank `k` or better, in the order given."""
        told = yield from self._field("/top-chances", sides, at, k=k)
        return np.array(told["chances"], np.float64)

    def _chances(
        self, a: Side, b: Side, home: str | None, play: Mapping[str, float] | None, at: Time | None
    ) -> Steps[dict[str, Any]]:
        asked: dict[str, Any] = {"a": plain_side(a), "b": plain_side(b), "at": plain_moment(at)}
        asked["home"] = None if home is None else player_name(home)
        asked["play"] = {player_name(name): part for name, part in play.items()} if play else None
        return (yield from self._ask("POST", "/chances", body=asked))

    def _field(self, path: str, sides: Iterable[Side], at: Time | None, **more: Any) -> Steps[dict[str, Any]]:
        asked = {"sides": plain_sides(sides), "at": plain_moment(at), **more}
        return (yield from self._ask("POST", path, body=asked))


def in_order(event: Event, changes: Iterable[ChangeDocument]) -> list[ChangeDocument]:
    """The changes by an event in the order of its players, whatever their names have become."""
    order = {name: number for number, name in enumerate(chain(*event.sides))}
    return sorted(changes, key=lambda change: order.get(change["player"], len(order)))


def fresh_key() -> str:
    """A key that nobody has used."""
    return uuid4().hex
