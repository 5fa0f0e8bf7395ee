"""Fits of ladders in the memory of a worker: strengths that do not change, from all events in force.

A fit belongs to a generation and a head of the log, so a kept one stays right until the next entry. As with
past dates, neither the ladder's lock nor a database's is held meanwhile. A worker makes one fit at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from podium.errors import InputError
from podium.fitting.fit import fit
from podium.fitting.fit_result import Fit
from podium.fitting.votes import Rankings, votes_of_history
from podium.history import Event, History
from podium.server import machine
from podium.server.correcting.amendments import current_amendments
from podium.server.ladders.followed_ladder import FollowedLadder, Look, read_entries
from podium.server.ladders.loaded_ladders import LoadedLadders
from podium.server.ladders.numbered_ladder import NumberedLadder
from podium.server.problems import NotFittedError, TooManyRequestsError
from podium.server.storage.ladder_rows import LadderRow
from podium.text import counted

MOST_PLAYERS = 500
"""A fit's memory grows with the square of its players, and its time with their cube."""
MOST_RESULTS = 400_000
"""Results of players in events, as of 200,000 matches: some ten seconds of reading the log."""
MOST_STEPS = 20_000
"""How often places of contests may be looked at in one pass over all: some ten seconds of fitting."""
WIDE_SQUARE = 14_000
"""The square of the players of a contest with whom a step takes twice as long."""
MOST_KEPT = 16
MOST_CALLERS = 4
"""Callers for whom a ladder is fitted, or who wait for that."""
RETRY_SECONDS = 2

FIT_IT_YOURSELF = "export the ladder and run podium arena"

Key = tuple[int, int, int]
"""Ladder, generation and head of the log."""


class FittedLook(NamedTuple):
    """A ladder and its fit."""

    row: LadderRow
    fit: Fit


class _Begun(NamedTuple):
    """What is taken from a ladder before its log is read."""

    look: Look
    numbered: NumberedLadder


class LadderFits:
    """The fits of a worker's ladders."""

    def __init__(self, ladders: LoadedLadders) -> None:
        self._ladders = ladders
        self._kept: OrderedDict[Key, Fit] = OrderedDict()
        self._lock, self._fitting = machine.Lock(), machine.Lock()
        self._callers = machine.BoundedSemaphore(MOST_CALLERS)

    def forget(self) -> None:
        """Forget all fits."""
        with self._lock:
            self._kept.clear()

    def find(self, row: LadderRow) -> Fit | None:
        """The fit of a ladder as its log is now, if it is kept."""
        with self._lock:
            return self._kept.get(_key(row))

    def look(self, slug: str) -> FittedLook:
        """The fit of a ladder, made if it is not kept."""
        if not self._callers.acquire(blocking=False):
            raise TooManyRequestsError("too many fits are running", seconds=RETRY_SECONDS)
        try:
            with self._fitting, self._ladders.sketched(slug, self._begin) as (connection, begun):
                if isinstance(begun, FittedLook):  # the caller before has made it
                    return begun
                found = _fitted(connection, begun)
            row = begun.look.row
            with self._lock:
                self._kept[_key(row)] = found
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return FittedLook(row, found)
        finally:
            self._callers.release()

    def _begin(self, live: FollowedLadder) -> _Begun | FittedLook:
        if (found := self.find(live.row)) is not None:
            return FittedLook(live.row, found)
        players, results = len(live.ladder.players), live.results
        if players > MOST_PLAYERS or results > MOST_RESULTS:
            raise NotFittedError(
                f"the service fits at most {MOST_PLAYERS} players and {MOST_RESULTS:,} results, and this "
                f"ladder has {players:,} and {results:,}",
                hint=FIT_IT_YOURSELF,
            )
        return _Begun(live.look(), live.ladder.numbered())


def _key(row: LadderRow) -> Key:
    return row.id, row.generation, row.head


def _fitted(connection: Connection, begun: _Begun) -> Fit:
    """The fit of all events in force; results of merged accounts are the survivor's."""
    look = begun.look
    amendments = current_amendments(connection, look.row)
    events, teams = [], 0
    for piece in read_entries(connection, look.row, begun.numbered, after=0, amendments=amendments):
        for event in filter(None, (entry.counted for entry in piece.entries)):
            if event.has_teams:
                teams += 1
                continue
            sides = tuple((look.name_of(int(number)),) for (number,) in event.sides)
            home = None if event.home is None else look.name_of(int(event.home))
            if len(set(sides)) == len(sides) > 1:  # accounts merged since may have met
                unrated = frozenset(look.name_of(int(number)) for number in event.unrated)
                events.append(Event(sides, event.ranks, weight=event.weight, home=home, unrated=unrated))
    if not events:
        raise NotFittedError("strengths need at least one event of single players")
    votes = votes_of_history(History.from_events(events))
    if isinstance(votes, Rankings) and (steps := _steps(votes)) > MOST_STEPS:
        raise NotFittedError(
            f"the contests are too large or too many for the service to fit: {steps / MOST_STEPS:,.1f} times "
            "as much work as it takes",
            hint=FIT_IT_YOURSELF,
        )
    if teams:
        votes = replace(votes, notes=(f"Left out: {counted(teams, 'event')} with teams.", *votes.notes))
    try:
        return fit(votes)
    except InputError as error:
        raise NotFittedError(error.reason, hint=error.hint) from error


def _steps(rankings: Rankings) -> float:
    """About how much work one pass over rankings is: for each place, and each number of players who tie
    anywhere, all pairs of those who are left.
    """
    sizes = np.diff(rankings.offsets).astype(np.float64)
    which = np.repeat(np.arange(len(rankings)), np.diff(rankings.offsets))
    _, together = np.unique(np.column_stack([which, rankings.rank]), axis=0, return_counts=True)
    ties = np.unique(together[together > 1])
    return float((sizes * (1 + len(ties) + (1 + ties.sum()) * sizes**2 / WIDE_SQUARE)).sum())
