"""What becomes of proposed matches: they start or are cancelled, and those that started end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from podium.arrays import Longs
from podium.errors import InputError
from podium.matchmaking.join_checks import name_of
from podium.matchmaking.lineups import LineUps
from podium.matchmaking.pool_changes import all_or_nothing
from podium.matchmaking.proposals import Match, Proposals, Tick, check_match, score_sides
from podium.matchmaking.tickets import NOBODY
from podium.matchmaking.waiting_pool import WaitingPool
from podium.text import shorten


class Playing(WaitingPool):
    """The part of a pool by which matches start, are cancelled and end."""

    @all_or_nothing
    def start(self, match: Match | Proposals | Tick | Iterable[Match]) -> None:
        """Start one proposed match or several: their tickets leave, and who met whom is remembered.

        Given a tick, its matches that are still proposed start; others were cancelled or started meanwhile. A
        match given alone or in a list must still be proposed, and either all of them start or none.
        """
        if isinstance(match, Tick):
            match = match.matches
        if isinstance(match, Proposals):
            self._start_open(match)
            return
        if not isinstance(match, (Match, Iterable)):
            raise InputError(f"{shorten(repr(match))} is no match", hint="one of tick.matches, or the tick")
        found = [match] if isinstance(match, Match) else list(match)
        seen = set()
        for one in found:
            self._check_open(one)
            if one.number in seen:
                raise InputError(f"match {one.number} is there twice")
            seen.add(one.number)
        for one in found:
            names, people = self._store.names, self._store.people
            player = np.array([names.index_of[name] for name in one.players], np.int64)
            members = np.cumsum([0, *map(len, one.sides)])
            ends = np.array([0, len(one.sides)])
            self._begin(LineUps(player, people["ticket"][player], ends, members, np.array([one.number])))

    @all_or_nothing
    def cancel(self, match: Match, by: str | None = None) -> None:
        """Cancel a proposed match: the player who cancels leaves, the others wait again, at the front.

        They keep the time at which they joined. Without `by` all players wait again, and unless a better
        match is possible, the next tick proposes the same one. To avoid that, say who declined, or `block`
        the two.
        """
        slots = self._check_open(match)
        slot = None
        if by is not None:
            name = name_of(by)
            if name not in match.players:
                raise InputError(f"{shorten(name)!r} is not in match {match.number}")
            slot = self._store.known_slot(name)
        self._dissolve(slots, slot)

    @all_or_nothing
    def finish(
        self,
        match: Match,
        *,
        winner: str | int | None = None,
        side: int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
    ) -> None:
        """Record the result of a started match, for the win rates that the policy aims at.

        `winner` is a player of the winning side, or `side` its number, from 0; `scores` are from 0 to 1, one
        for each side.
        """
        check_match(match)
        result = score_sides(match, None if winner is None else name_of(winner), side, draw, scores)
        names, people = self._store.names, self._store.people
        found = [names.find(name) for name in match.players]
        player = np.array([-1 if i is None else i for i in found], np.int64)
        if np.any(player < 0) or np.any(people["playing"][player] != match.number):
            raise InputError(
                f"match {match.number} is not being played",
                hint="it was never started, is finished, or somebody started another one since",
            )
        self._keep(people.keep(player, ("playing",)), *self._memory.keep(player))
        people["playing"][player] = NOBODY
        self._memory.record_scores(player, np.repeat(result, [len(side) for side in match.sides]))

    # ------------------------------------------------------------------ behind them

    def _start_open(self, matches: Proposals) -> None:
        """Begin those of a tick that are still proposed."""
        store = self._store
        if matches.names is not store.names:
            raise InputError("another pool proposed these matches")
        lineups = matches.lineups
        player, slot = lineups.player, lineups.slot
        number = np.repeat(lineups.numbers, np.diff(lineups.first))
        still = (store.people["ticket"][player] == slot) & (store.table["proposal"][slot] == number)
        self._begin(lineups if still.all() else lineups.some(np.isin(lineups.numbers, number[still])))

    def _begin(self, lineups: LineUps) -> None:
        """Let the tickets of matches go, all of them proposed, and remember who met whom."""
        store, player = self._store, lineups.player
        filled = store.table["request"][lineups.slot] != NOBODY
        known = filled & (store.people["playing"][player] != NOBODY)
        slots = np.unique(lineups.slot)
        self._keep(*store.keep(slots, player), *self._memory.keep(player))
        store.remove(slots)
        store.people["playing"][player] = np.repeat(lineups.numbers, np.diff(lineups.first))
        self._memory.remember_matches(lineups, known)

    def _check_open(self, match: Match) -> Longs:
        """The tickets of a match that is proposed."""
        store = self._store
        check_match(match)
        slots = [store.slot_of(name) for name in match.players]
        if any(s is None or store.table["proposal"][s] != match.number for s in slots):
            raise _not_open(match.number)
        return np.unique(np.array(slots, np.int64))


def _not_open(number: int) -> InputError:
    return InputError(
        f"match {number} is not proposed",
        hint="it has been started or cancelled already, or another pool proposed it",
    )
