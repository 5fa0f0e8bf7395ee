"""Letting one win: new accounts that only lose, and strong players who come in behind on purpose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from podium.arrays import Bools, Longs
from podium.history import History
from podium.studies.attacks.altered_histories import Own, ranks_behind
from podium.studies.attacks.rating_walk import Walk
from podium.studies.attacks.strategy import Altered, Phase, Trading, event_count
from podium.studies.attacks.trading import with_new_accounts
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True)
class Ring(Trading):
    """A collusion ring: new accounts that only lose to the boss, a few at each event.

    In contests they enter and come in behind everybody; in matches each of them loses one game to the boss
    before the boss's own.
    """

    name: ClassVar[str] = "ring"
    summary: ClassVar[str] = "bring new accounts that lose on purpose"

    honest: int = event_count(45, "honest events before")
    colluding: int = event_count(10, "number of events with new accounts that lose on purpose")
    mules: int = event_count(5, "number of new accounts in each of these events")
    after: int = event_count(0, "honest events after")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, with mules, and perhaps honest again."""
        return Phase("honest", self.honest), Phase("colluding", self.colluding), Phase("honest", self.after)

    @property
    def accounts(self) -> int:
        """All mules."""
        return self.colluding * self.mules

    def rewrite(self, history: History, own: Own, system: RatingSystem) -> Altered:
        """The history with the mules in it."""
        joined = own.events[self.honest : self.honest + self.colluding]
        names, mules = with_new_accounts(history.players, own, self.accounts)
        where = np.repeat(joined, self.mules)
        in_contest = history.sides_per_event[where] > 2
        history = _with_rows(replace(history, players=names), where[in_contest], mules[in_contest])
        return _with_arranged(
            history, own, where[~in_contest], mules[~in_contest], np.isin(history.player, mules)
        )


@dataclass(frozen=True)
class Accomplices(Trading):
    """Strong players who let the cheat win, at some events.

    They are the best rated before the first of these events; in contests, those who take part in half of them
    or more come first. Whoever of them would come in ahead of the cheat comes in right behind, which costs
    them least. In matches each of them loses one game to the cheat before the cheat's own.
    """

    name: ClassVar[str] = "accomplices"
    summary: ClassVar[str] = "strong players come in behind the cheat, or lose games to the cheat, on purpose"
    means: ClassVar[str] = "having accomplices"

    honest: int = event_count(45, "honest events before")
    colluding: int = event_count(10, "events with accomplices")
    friends: int = event_count(5, "strong players who help")
    after: int = event_count(0, "honest events after")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, with accomplices, and perhaps honest again."""
        return Phase("honest", self.honest), Phase("colluding", self.colluding), Phase("honest", self.after)

    def rewrite(self, history: History, own: Own, system: RatingSystem) -> Altered:
        """The history in which they lose to the cheat."""
        chosen = slice(self.honest, self.honest + self.colluding)
        joined, rows = own.events[chosen], own.rows[chosen]
        in_contest = history.sides_per_event[joined] > 2
        friends = self._friends(history, own, joined, joined[in_contest], system)
        rank = history.rank.copy()
        for event, row in zip(joined[in_contest].tolist(), rows[in_contest].tolist(), strict=True):
            here = slice(*history.offsets[event : event + 2].tolist())
            side = np.arange(here.stop - here.start) if history.side is None else history.side[here]
            helping = np.unique(side[np.isin(history.player[here], friends)])
            rank[here] = ranks_behind(rank[here], side, int(side[row - here.start]), helping)
        lost = np.isin(history.player, friends) & (rank > history.rank)
        changed = history.event_of_row[rank != history.rank]
        history = replace(history, rank=rank, **_unscored(history, changed))
        matches = np.repeat(joined[~in_contest], len(friends))
        return _with_arranged(history, own, matches, np.tile(friends, int((~in_contest).sum())), lost)

    def _friends(
        self, history: History, own: Own, joined: Longs, contests: Longs, system: RatingSystem
    ) -> Longs:
        """The accomplices, best first: chosen by what is known when they begin, and by who takes part."""
        if not len(joined):
            return np.zeros(0, np.int64)
        walk, first = Walk(system, history), int(joined[0])
        walk.upto(first)
        rating = walk.displays(np.arange(len(history.players)), first)
        # Who has not played yet is no strong player.
        able = np.bincount(history.player[: history.offsets[first]], minlength=len(rating)) > 0
        able[own.player] = False
        attended = np.isin(history.event_of_row, contests)
        times = np.bincount(history.player[attended], minlength=len(rating))
        order = np.lexsort((-rating, 2 * times < len(contests)))
        return order[able[order]][: self.friends]


def _with_arranged(history: History, own: Own, before: Longs, losers: Longs, lost: Bools) -> Altered:
    """The history with matches that the cheat wins before these events, and where to look at the cheat.

    `lost` are the rows before in which somebody loses on purpose; the losers' rows are so, too.
    """
    after = own.events + np.searchsorted(before, own.events, "right")
    lost = np.insert(lost, np.repeat(history.offsets[before], 2), np.tile([False, True], len(before)))
    history = _with_matches(history, before, own.player, losers)
    return Altered(history, after, np.full((len(after), 1), own.player), lost)


def _unscored(history: History, events: Longs) -> dict[str, Any]:
    """The columns of scores, without those of events that went otherwise."""
    columns: dict[str, Any] = {}
    for name in ("score", "share"):
        if (old := getattr(history, name)) is not None:
            columns[name] = np.where(np.isin(history.event_of_row, events), np.nan, old)
    return columns


def _with_rows(history: History, events: Longs, players: Longs) -> History:
    """The history with more rows at the end of these events, in order, each behind all before it."""
    if not len(events):
        return history
    ends = history.offsets[events + 1]
    last = np.maximum.reduceat(history.rank, history.offsets[:-1])[events]
    place = np.arange(len(events)) - np.searchsorted(events, events)
    values: dict[str, Any] = {"player": players, "rank": last + 1 + place}
    if history.side is not None:
        values["side"] = history.sides_per_event[events] + place
    added = np.bincount(events, minlength=len(history))
    offsets = history.offsets + np.concatenate(([0], np.cumsum(added)))
    columns: dict[str, Any] = {
        name: np.insert(old, ends, values.get(name, _EMPTY.get(name, 0))) for name, old in _rows(history)
    }
    return replace(history, offsets=offsets, **columns)


def _with_matches(history: History, before: Longs, winner: int, losers: Longs) -> History:
    """The history with a match before each of these events, in order, which one player wins."""
    if not len(before):
        return history
    count = len(before)
    values: dict[str, Any] = {
        "player": np.column_stack((np.full(count, winner), losers)).ravel(),
        "rank": np.tile([1, 2], count),
        "side": np.tile([0, 1], count),
    }
    rows = np.repeat(history.offsets[before], 2)
    columns: dict[str, Any] = {
        name: np.insert(old, rows, values.get(name, _EMPTY.get(name, 0))) for name, old in _rows(history)
    }
    of_events: dict[str, Any] = {"time": history.time[before], "weight": 1.0, "home": -1, "ceiling": np.inf}
    of_events["named"] = False
    for name, value in of_events.items():
        if (old := getattr(history, name)) is not None:
            columns[name] = np.insert(old, before, value)
    sizes = np.insert(history.sizes, before, 2)
    named = history.event_names
    if named is not None:
        called = np.insert(np.array(named, object), before, [f"match {i + 1}" for i in range(count)])
        named = tuple(called.tolist())
    return replace(
        history,
        offsets=np.concatenate(([0], np.cumsum(sizes))),
        event_names=named,
        adjustments=tuple(
            placed.moved(int(np.searchsorted(before, placed.before, "left")))
            for placed in history.adjustments
        ),
        **columns,
    )


_EMPTY = {"score": np.nan, "share": np.nan, "team": -1, "unrated": False, "play": 1.0}
"""What columns hold of somebody of whom nothing else is known."""


def _rows(history: History) -> list[tuple[str, Any]]:
    """The columns that the history has of its rows."""
    names = ("player", "rank", *_EMPTY, "side")
    return [(name, column) for name in names if (column := getattr(history, name)) is not None]
