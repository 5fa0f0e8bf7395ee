"""What becomes of proposed matches: they start or are cancelled, and those that started end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from podium.arrays import Bools
from podium.errors import InputError
from podium.matchmaking.join_checks import name_of
from podium.matchmaking.known_matches import MatchColumns
from podium.matchmaking.lineups import LineUps
from podium.matchmaking.pool_changes import all_or_nothing
from podium.matchmaking.pool_people import Remembering
from podium.matchmaking.proposals import Match, Proposals, Tick, check_match, score_sides
from podium.matchmaking.tickets import NOBODY
from podium.text import shorten


class Playing(Remembering):
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
            self._forget_oldest()
            return
        if not isinstance(match, (Match, Iterable)):
            raise InputError(f"{shorten(repr(match))} is no match", hint="one of tick.matches, or the tick")
        found = [match] if isinstance(match, Match) else list(match)
        columns: dict[int, MatchColumns] = {}
        for one in found:
            known = self._check_open(one)
            if one.number in columns:
                raise InputError(f"match {one.number} is there twice")
            columns[one.number] = known
        for known in columns.values():
            self._begin(known)
        self._forget_oldest()

    @all_or_nothing
    def cancel(self, match: Match, by: str | None = None) -> None:
        """Cancel a proposed match: the player who cancels leaves, the others wait again, at the front.

        They keep the time at which they joined. Without `by` all players wait again, and unless a better
        match is possible, the next tick proposes the same one. To avoid that, say who declined, or `block`
        the two.
        """
        known = self._check_open(match)
        tickets = self._store.people["ticket"][known.player]
        slot = None if by is None else int(tickets[self._place_of(name_of(by), known, match)])
        self._dissolve(np.unique(tickets), slot)
        self._forget_oldest()

    @all_or_nothing
    def finish(
        self,
        match: Match,
        *,
        winner: str | int | None = None,
        side: int | None = None,
        draw: bool = False,
        scores: Sequence[float] | None = None,
        void: bool = False,
    ) -> None:
        """End a started match: its players may join again, and the policy's win rates count the result.

        `winner` is a player of the winning side, or `side` its number, from 0; `scores` are from 0 to 1, one
        for each side; a `void` match has no result. For those who have started another match since, or are
        forgotten, it is not counted. A forgotten player can be the `winner` if `match` still names them, as
        values of before do.
        """
        known = self._known(match)
        people = self._store.people
        here = np.flatnonzero(known.player != NOBODY)
        here = here[people["playing"][known.player[here]] == match.number]
        if not len(here):
            raise InputError(
                f"match {match.number} is not being played",
                hint="it was never started, is finished, or all its players started another one since",
            )
        player, first = np.unique(known.player[here], return_index=True)
        result = None
        if not void:
            won = None if winner is None else known.side_of(self._place_of(name_of(winner), known, match))
            result = score_sides(self._shown(known), won, side, draw, scores)
        elif not (winner is None and side is None and scores is None) or draw:
            raise InputError("a void match has no result", hint="void, or one of winner, side, draw, scores")
        self._keep(people.keep(player, ("playing",)), *self._memory.keep(player))
        people["playing"][player] = NOBODY
        self._counters = self._counters.finished(1)
        if result is not None:
            self._memory.record_scores(player, np.repeat(result, np.diff(known.members))[here[first]])

    # ------------------------------------------------------------------ behind them

    def _start_open(self, matches: Proposals) -> None:
        """Begin those of a tick that are still proposed."""
        if matches.pool != self._identity:
            raise InputError("another pool proposed these matches")
        names = self._store.names
        for known in self._matches.between(matches.start, matches.start + len(matches)):
            still = self._are_open(known)
            if matches.names is not names:  # the pool was loaded since, or has forgotten somebody
                for row in np.flatnonzero(still).tolist():
                    proposed = matches[int(known.numbers[row]) - matches.start]
                    still[row] = known.one(row).is_of(proposed.players, names)
            self._begin(known.some(still))

    def _begin(self, matches: MatchColumns) -> None:
        """Let the tickets of matches go, all of them proposed, and remember who met whom."""
        store, player = self._store, matches.player
        slot = store.people["ticket"][player]
        filled = store.table["request"][slot] != NOBODY
        known = filled & (store.people["playing"][player] != NOBODY)
        slots = np.unique(slot)
        self._keep(*store.keep(slots, player), *self._memory.keep(player))
        waited = self._waited(slots[store.table["request"][slots] == NOBODY], self._now)
        self._counters = self._counters.started(len(matches.numbers), waited)
        store.remove(slots)
        store.people["playing"][player] = matches.per_player
        lineups = LineUps(player, slot, matches.sides, matches.members, matches.numbers)
        self._memory.remember_matches(lineups, known)

    def _are_open(self, matches: MatchColumns) -> Bools:
        """Whether each match is still proposed to all of its players."""
        still = self._store.proposal_of(matches.player) == matches.per_player
        return np.logical_and.reduceat(still, matches.members[matches.sides[:-1]])

    def _known(self, match: Match) -> MatchColumns:
        """A match as the pool knows it; refused if another pool proposed it, or it ended long ago."""
        check_match(match)
        if match.pool != self._identity:
            raise InputError(f"another pool proposed match {match.number}")
        known = self._matches.find(match.number)
        if known is None or not known.is_of(match.players, self._store.names):
            raise _not_open(match.number)
        return known

    def _check_open(self, match: Match) -> MatchColumns:
        """A match that is proposed."""
        known = self._known(match)
        if not self._are_open(known)[0]:
            raise _not_open(match.number)
        return known

    def _place_of(self, name: str, known: MatchColumns, match: Match) -> int:
        """Which player of a match has this name, or had it when the match was proposed.

        The pool has no name of a player whom it has forgotten; the caller's value of the match may have it.
        """
        names, players = self._store.names, known.player.tolist()
        is_whole = len(match.players) == len(players)
        now = (i for i, player in enumerate(players) if player != NOBODY and names[player] == name)
        then = (i for i in range(len(players)) if name in known.names_of(i, names))
        gone = (i for i, player in enumerate(players) if player == NOBODY and match.players[i] == name)
        place = next(chain(now, then, gone if is_whole else ()), None)
        if place is None:
            raise InputError(
                f"{shorten(name)!r} is not in match {known.numbers[0]}",
                hint="players of it are forgotten; side= is the number of the side that won"
                if NOBODY in players
                else None,
            )
        return place


def _not_open(number: int) -> InputError:
    return InputError(
        f"match {number} is not proposed",
        hint="it has been started or cancelled already, or it was proposed after the pool was saved",
    )
