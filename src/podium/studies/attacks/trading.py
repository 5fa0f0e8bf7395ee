"""Trading accounts: a new one instead of the old, or many that lose to one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from podium.arrays import Longs
from podium.history import History, Names
from podium.studies.attacks.altered_histories import Own
from podium.studies.attacks.strategy import Altered, Goal, Phase, Trading, event_count

NOBODY = -1
"""The account of somebody who has none yet."""


@dataclass(frozen=True)
class FreshAccount(Trading):
    """A new account instead of the old one: is it rated higher, and for how long?"""

    name: ClassVar[str] = "fresh-account"
    summary: ClassVar[str] = "leave the old account and go on honestly with a new one"

    honest: int = event_count(45, "honest events before")
    after: int = event_count(60, "events of the new account")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The old account, the new one."""
        return Phase("old account", self.honest), Phase("new account", self.after)

    @property
    def accounts(self) -> int:
        """One new account."""
        return 1

    def rewrite(self, history: History, own: Own) -> Altered:
        """The rows after the first phase belong to somebody new."""
        names, new = _with_new(history.players, own, 1)
        player = history.player.copy()
        player[own.rows[self.honest :]] = new[0]
        home = None if history.home is None else history.home.copy()
        if home is not None:
            later = own.events[self.honest :]
            home[later] = np.where(home[later] == own.player, new[0], home[later])
        accounts = np.where(np.arange(len(own.rows)) < self.honest, NOBODY, new[0])
        return Altered(replace(history, players=names, player=player, home=home), own.events, accounts)


@dataclass(frozen=True)
class Smurf(FreshAccount):
    """A new account to be underestimated with: how far below, and how soon found?

    It is measured after `early` events of the new account: how far below the old one it still is.
    """

    name: ClassVar[str] = "smurf"
    summary: ClassVar[str] = "begin again on a new account, to be taken for a beginner"
    goal: ClassVar[Goal] = "lower"

    early: int = event_count(5, "events of the new account after which it is measured")

    @property
    def measured(self) -> int:
        """The last of the early events."""
        return min(self.honest + max(self.early, 1), self.events) - 1


@dataclass(frozen=True)
class Ring(Trading):
    """A collusion ring: new accounts that only lose to the boss, a few at each event.

    In contests they enter and come in behind everybody; in matches each of them loses one game to the boss
    before the boss's own.
    """

    name: ClassVar[str] = "ring"
    summary: ClassVar[str] = "bring new accounts that lose on purpose"

    honest: int = event_count(45, "honest events before")
    colluding: int = event_count(10, "events to which mules are brought")
    mules: int = event_count(5, "new accounts brought to each of them")
    after: int = event_count(0, "honest events after")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Honest, with mules, and perhaps honest again."""
        return Phase("honest", self.honest), Phase("colluding", self.colluding), Phase("honest", self.after)

    @property
    def accounts(self) -> int:
        """All mules."""
        return self.colluding * self.mules

    def rewrite(self, history: History, own: Own) -> Altered:
        """The history with the mules in it."""
        joined = own.events[self.honest : self.honest + self.colluding]
        names, mules = _with_new(history.players, own, self.accounts)
        history = replace(history, players=names)
        fields = history.sides_per_event[joined] > 2
        after = own.events.copy()
        where = np.repeat(joined, self.mules)
        in_contest = np.repeat(fields, self.mules)
        # Matches are put in from the last to the first place, so that earlier numbers stay true.
        history = _with_rows(history, where[in_contest], mules[in_contest])
        matched = where[~in_contest]
        history = _with_matches(history, matched, own.player, mules[~in_contest])
        after += np.searchsorted(matched, after, "right")
        return Altered(history, after, np.full(len(after), own.player))


def _with_new(names: Names, own: Own, number: int) -> tuple[Names, Longs]:
    """The names with so many new ones, and where those are."""
    known, boss = Names(names), names[own.player]
    new: list[int] = []
    for _ in range(number):
        called, tries = f"{boss}'s {len(new) + 1}", 0
        while called in known:
            tries += 1
            called = f"{boss}'s {len(new) + 1} ({tries})"
        new.append(known.add(called))
    return known, np.array(new, np.int64)


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
