"""The rows of a rated history by column, ready for pages: one gathering for all players and events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from podium.arrays import NO_TIME, Bools, Floats, Ints, Longs
from podium.evaluation.event_predictions import predict_matches, predictions_of_trace
from podium.evaluation.standings import Standings, standings_of
from podium.history import History, Merge, Rename, SetRating
from podium.history.adjustments import Placed
from podium.history.concatenation import concatenated
from podium.history.event_lookup import called
from podium.history.times import time_words, to_iso
from podium.ladder.bulk import Run
from podium.ladder.place_history import ANY_NUMBER, NOBODY, RatingMoves, places_after
from podium.ladder.sides_before import NO_SIDE
from podium.systems import RatingSystem
from podium.systems.contract.ratings import AdjustedRatings, Trace

BAND = 2.0
"""Deviations that the band around a rating reaches on both sides: about 95%."""
SHOWN_DECIMALS = 2
"""Decimals of ratings in documents beyond those that pages show."""
KEPT_DECIMALS = 6
"""Decimals of chances, shares and expected ranks in documents; pages show at most two."""


def kept(values: Floats, decimals: int) -> Floats:
    """Ratings rounded for documents so that pages, which round them once more, show what they are.

    >>> kept(np.array([1499.4962, 1499.5038, 1499.51]), 2).tolist()
    [1499.49, 1499.5, 1499.51]
    """
    shown = decimals - SHOWN_DECIMALS
    rounded = values.round(decimals)
    astray = np.flatnonzero(np.isfinite(values) & (rounded.round(shown) != values.round(shown)))
    toward = np.sign(values[astray] - rounded[astray]) * 10.0**-decimals
    rounded[astray] = (rounded[astray] + toward).round(decimals)
    return rounded


def kept_number(value: float, decimals: int) -> float:
    """The same for one number, such as a change that is shown without its ratings.

    >>> kept_number(19.4962, 2), kept_number(-0.0004, 2)
    (19.49, 0.0)
    """
    return float(kept(np.array([value]), decimals)[0]) + 0.0


@dataclass(frozen=True)
class PlayedRows:
    """What each row of a rated history was to its player; numbers are rounded as documents show them."""

    history: History
    """Its players are numbered as on the ladder."""
    rated: Bools
    """Whether the event counted for the player."""
    shown: Ints
    """The player each row names: whose it is, or one of two accounts of that player in the same event."""
    whose: Ints
    """The player each row belongs to at the end, after renames, or who it was if nobody is called so."""
    before: Floats
    """Displayed rating before the event."""
    display: Floats
    """Displayed rating after it."""
    gain: Floats
    """What the event changed, not rounded: sums of it are exact."""
    low: Floats
    """The ends of the band around the rating after it; length 0 if the system has no deviations."""
    high: Floats
    sigma: Floats
    """The deviation after it, or length 0; likewise `performance`."""
    performance: Floats
    place: Ints
    """The player's place right after the event; 0 if there is none."""
    expected: Floats
    """The mean score that the row's side could expect against the others."""
    score: Floats
    """The mean score that it got."""
    chances: Floats
    """Chances of win, draw and loss of the first side of each match, as columns."""
    match_of_event: Longs
    """The row of `chances` of each event; −1 if it has more than two sides."""
    by_player: Longs
    """Rows ordered by their player, and for each player by time."""
    owners: Ints
    """The players who have rows, in the order of `by_player`."""
    starts: Longs
    """Where the rows of each of them begin in `by_player`; and the end."""
    numbers: Longs
    """The number that pages give to each event: counted from 1 on a website, its number in the log of a
    service."""
    names: list[str]
    """The name of each event."""
    times: list[str | None]
    """The time of each event as documents write it."""
    labels: list[str]
    """What each event is called in a sentence: its name and time; of a match without a name, the time."""
    by_rank: Longs
    """Rows ordered by event, and inside each by rank."""
    standing: Longs
    """The position of each row in `by_rank`."""
    adjusted: list[AdjustedPlayers]
    """What was done to ratings beside events, in order."""
    heirs: dict[int, int]
    """The accounts that were merged into others, each with the player whose its results are."""
    account_names: Sequence[str] = ()
    """Names of accounts with numbers beyond those of names, which tell them from other players."""
    rated_before: frozenset[int] = frozenset()
    """The players who had a rating before the first of these events, so that their start is not known."""

    @classmethod
    def of(cls, run: Run, decimals: int, min_events: int) -> PlayedRows:
        """Gather the rows of a run that has a trace; places are among those with enough rated events."""
        names = run.ladder.players
        parts = run._traced()
        history = parts[0][0] if len(parts) == 1 else concatenated([part for part, _ in parts])
        history = history.with_players(names)
        trace = parts[0][1] if len(parts) == 1 else Trace.joined([part for _, part in parts])
        if len(trace.draw) and not _has_draws(history):
            trace = replace(trace, draw=np.zeros_like(trace.draw))  # the game seems to have none
        owner, adjusted, heirs, at_first, former = Accounts.of(history, trace.adjusted)
        display = _displayed(run.ladder.system, trace)[1]
        whose, shown = _whose_and_shown(history, owner, heirs, len(names))
        players = len(names) + len(history.adjustments)  # each of which may leave one more account
        moves = RatingMoves.joined([one.moves for one in adjusted])
        return cls.gathered(
            run.ladder.system,
            history,
            trace,
            decimals,
            owner=owner,
            shown=shown,
            whose=whose,
            numbers=np.arange(1, len(history) + 1),
            place=places_after(history.offsets, owner, display, trace.rated, players, moves, min_events),
            adjusted=adjusted,
            heirs=heirs,
            account_names=_account_names(history, owner, former),
            rated_before=frozenset(at_first[: run._players_before].tolist()),
        )

    @classmethod
    def gathered(
        cls,
        system: RatingSystem,
        history: History,
        trace: Trace,
        decimals: int,
        *,
        owner: Ints,
        shown: Ints,
        whose: Ints,
        numbers: Longs,
        place: Ints,
        adjusted: list[AdjustedPlayers],
        heirs: dict[int, int],
        account_names: Sequence[str] = (),
        rated_before: frozenset[int] = frozenset(),
    ) -> PlayedRows:
        """Gather the rows of some events, of which the trace is known, and who is who in them."""
        standings = standings_of(history)
        before, display = _displayed(system, trace)
        by_player = np.argsort(owner, kind="stable")
        owners, starts = np.unique(owner[by_player], return_index=True)
        by_rank = np.argsort((history.event_of_row << 32) + history.rank, kind="stable")
        standing = np.empty_like(by_rank)
        standing[by_rank] = np.arange(len(by_rank))
        low = high = np.empty(0)
        if system.has_sigma:
            low, high = trace.mu - BAND * trace.sigma, trace.mu + BAND * trace.sigma
        matches = standings.counts == 2
        event_names = [history.event_name(event) for event in range(len(history))]
        times = iso_times(history.time)
        return cls(
            history=history,
            rated=trace.rated,
            shown=shown,
            whose=whose,
            before=kept(before, decimals),
            display=kept(display, decimals),
            gain=display - before,
            low=kept(low, decimals),
            high=kept(high, decimals),
            sigma=kept(trace.sigma, decimals),
            performance=kept(trace.performance, decimals),
            place=place,
            expected=_by_row(standings, predictions_of_trace(system, standings, trace).expected),
            score=_by_row(standings, standings.score),
            chances=predict_matches(system, standings, trace).chances if matches.any() else np.empty((0, 3)),
            match_of_event=np.where(matches, np.cumsum(matches) - 1, -1),
            by_player=by_player,
            owners=owners,
            starts=np.append(starts, len(by_player)),
            numbers=numbers,
            names=event_names,
            times=times,
            labels=list(map(event_label, event_names, history.time.tolist(), standings.counts.tolist())),
            by_rank=by_rank,
            standing=standing,
            adjusted=adjusted,
            heirs=heirs,
            account_names=account_names,
            rated_before=rated_before,
        )

    @cached_property
    def event(self) -> Longs:
        """The event of each row, counted from 0."""
        return self.history.event_of_row

    @cached_property
    def disqualified(self) -> dict[tuple[str, int], list[str]]:
        """By name and time of events, the players whose rows were left out while reading."""
        found: dict[tuple[str, int], list[str]] = {}
        for reading in self.history.readings:
            for event, time, player in reading.disqualified:
                found.setdefault((event, time), []).append(player)
        return found

    @cached_property
    def sides(self) -> Longs:
        """The number of sides of each event."""
        return self.history.sides_per_event

    @cached_property
    def side(self) -> Longs:
        """The number of each row's side inside its event."""
        if self.history.side is not None:
            return self.history.side.astype(np.int64)
        return np.arange(self.history.rows) - self.history.offsets[self.event]

    @cached_property
    def home_side(self) -> Longs:
        """The side of each event that is at home; `NO_SIDE` if none is."""
        found = np.full(len(self.names), NO_SIDE)
        if self.history.home is not None:
            at_home = self.history.player == self.history.home[self.event]
            found[self.event[at_home]] = self.side[at_home]
        return found

    def rows_in(self, event: int) -> slice:
        """The rows of an event."""
        return slice(*self.history.offsets[event : event + 2].tolist())

    @cached_property
    def expected_rank(self) -> Floats:
        """The rank that each row's side could expect."""
        sides = self.sides[self.event]
        ranks: Floats = (1.0 + (sides - 1) * (1.0 - self.expected)).round(KEPT_DECIMALS)
        return ranks

    @cached_property
    def place_in_field(self) -> Longs:
        """The place of each row's side among those of its event; its rank may be that of a larger field."""
        standings = standings_of(self.history)
        return 1 + _by_row(standings, standings.better.astype(np.float64)).astype(np.int64)

    @cached_property
    def mean_place(self) -> Floats:
        """The place that compares with the expected rank: a tie is the mean of the places that it covers."""
        places: Floats = (1.0 + (self.sides[self.event] - 1) * (1.0 - self.score)).round(KEPT_DECIMALS)
        return places

    def rows_of(self, player: int) -> Longs:
        """The rows of a player, oldest first."""
        found = int(np.searchsorted(self.owners, player))
        if found == len(self.owners) or self.owners[found] != player:
            return self.by_player[:0]
        return self.by_player[self.starts[found] : self.starts[found + 1]]

    def results_of(self, player: int) -> tuple[Longs, list[str | None]]:
        """The rows of a player and of all accounts that were merged into the player's, oldest first.

        Also the name of the account for each of them, None for the player's own.
        """
        own = self.rows_of(player)
        merged = [(account, self.rows_of(account)) for account, heir in self.heirs.items() if heir == player]
        if not merged:
            return own, [None] * len(own)
        names = (*self.history.players, *self.account_names)
        account_of: dict[int, str | None] = dict.fromkeys(own.tolist())
        for account, of_account in merged:
            account_of |= dict.fromkeys(of_account.tolist(), names[account])
        rows = np.sort(np.concatenate([own, *(of_account for _, of_account in merged)]))
        return rows, [account_of[row] for row in rows.tolist()]

    def number(self, event: int) -> int:
        """The number that pages give to an event, which is counted from 0."""
        return int(self.numbers[event])


def _has_draws(history: History) -> bool:
    """Whether some event of two sides was a draw."""
    starts = history.offsets[:-1]
    level = np.minimum.reduceat(history.rank, starts) == np.maximum.reduceat(history.rank, starts)
    return bool(np.any(level & (history.sides_per_event == 2)))


def event_label(name: str, time: int, sides: int) -> str:
    """What an event is called in a sentence: its name and time; of a match without a name, the time.

    >>> event_label("cup", 0, 2), event_label("12", 0, 2)
    ('cup, 1970-01-01', '1970-01-01')
    """
    return time_words(time) if time != NO_TIME and sides == 2 and name.isdecimal() else called(name, time)


def iso_times(times: Longs) -> list[str | None]:
    """Times in microseconds as documents write them.

    >>> iso_times(np.array([0, NO_TIME]))
    ['1970-01-01', None]
    """
    return [None if time == NO_TIME else to_iso(time) for time in times.tolist()]


class AdjustedRating(NamedTuple):
    """What an adjustment did to one player."""

    number: int
    """The number that pages give to it; 0 if they give none."""
    words: str
    time: str | None
    before: float
    """Displayed rating before it; likewise after."""
    display: float
    mu: float
    sigma: float
    """0 if there are no deviations."""


class AdjustedPlayers(NamedTuple):
    """What an adjustment of a history did."""

    placed: Placed
    owner: Ints
    """Whose each of its rows is in the end, rising."""
    row: Longs
    """Which row of `moved` each of them is."""
    moved: AdjustedRatings
    account: int
    """The account that it merged into another one; `NOBODY` if there is none."""

    @property
    def before(self) -> int:
        """The event before which it was, counted from 0."""
        return self.placed.before

    @property
    def moves(self) -> RatingMoves:
        """The ratings that it changed."""
        count, adjustment = len(self.owner), self.placed.adjustment
        least, most = 0, ANY_NUMBER
        if isinstance(adjustment, SetRating):
            least, most = (adjustment.events_after(number) for number in (least, most))
        return RatingMoves(
            event=np.full(count, self.before, np.int64),
            player=self.owner.astype(np.int64),
            display=self.moved.after.display[self.row],
            account=np.full(count, self.account, np.int64),
            least_events=np.full(count, least, np.int64),
            most_events=np.full(count, most, np.int64),
        )

    def of_player(self, player: int) -> AdjustedRating | None:
        """What it did to a player, given by number; None if it was about others."""
        found = int(np.searchsorted(self.owner, player))
        if found == len(self.owner) or self.owner[found] != player:
            return None
        row, (_, before, after) = int(self.row[found]), self.moved
        (time,) = iso_times(np.array([self.placed.time]))
        sigma = 0.0 if after.sigma is None else float(after.sigma[row])
        words = self.placed.adjustment.describe()
        return AdjustedRating(
            0, words, time, float(before.display[row]), float(after.display[row]), float(after.mu[row]), sigma
        )


class Accounts(NamedTuple):
    """Who is who in a history with renames and merges."""

    owner: Ints
    """Whose each row is in the end. A row from before a rename belongs to the later name; an account that was
    merged into another one has a number of its own, beyond those of the names."""
    adjusted: list[AdjustedPlayers]
    """What was done to ratings beside events, in order."""
    heirs: dict[int, int]
    """The accounts that were merged, each with the one whose its results are in the end."""
    at_first: Ints
    """Whose each name was before the first event, as `owner` numbers them."""
    former: list[str]
    """The names that accounts with numbers beyond those of names had, in the order of these numbers."""

    @classmethod
    def of(cls, history: History, moved: Sequence[AdjustedRatings] = ()) -> Accounts:
        """Follow the names of a history back from its end; `moved` is what each of its adjustments did.

        >>> first, second = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "rob": 2}}
        >>> history = History.from_events([first, Rename(player="bob", into="rob"), second])
        >>> [history.players[player] for player in Accounts.of(history).owner]
        ['ann', 'rob', 'ann', 'rob']
        """
        names = history.players.index_of
        heir = np.arange(len(history.players), dtype=np.int32)
        owner, until, former = np.empty(history.rows, np.int32), history.rows, list[str]()
        adjusted: list[AdjustedPlayers] = []
        heirs: dict[int, int] = {}
        for number, placed in reversed(list(enumerate(history.adjustments))):
            adjustment, others = placed.adjustment, len(heir) + len(former)
            if moved and len(moved[number].players):
                owners = heir[moved[number].players]
                order = np.argsort(owners, kind="stable")
                account = others if isinstance(adjustment, Merge) else NOBODY
                adjusted.append(AdjustedPlayers(placed, owners[order], order, moved[number], account))
            if not isinstance(adjustment, (Rename, Merge)):
                continue
            start = int(history.offsets[placed.before])
            owner[start:until] = heir[history.player[start:until]]
            until = start
            old, new = names[adjustment.player], names[adjustment.into]
            if isinstance(adjustment, Rename):
                heir[old], heir[new] = heir[new], others
                former.append(adjustment.into)
            else:
                heir[old], into = others, int(heir[new])
                heirs[others] = heirs.get(into, into)
                former.append(adjustment.player)
        owner[:until] = heir[history.player[:until]]
        return cls(owner, adjusted[::-1], heirs, heir, former)


def _whose_and_shown(history: History, owner: Ints, heirs: dict[int, int], players: int) -> tuple[Ints, Ints]:
    """The player each row belongs to in the end, or the account that is gone; and the player it names."""
    player = history.player
    whose = np.where(owner < players, owner, player)
    for account, heir in heirs.items():
        if heir < players:
            whose[owner == account] = heir
    if not heirs:
        return whose, whose
    is_gone = ~np.isin(player, owner)  # otherwise the name is another player's by now
    return whose, told_apart(history, whose, np.where(is_gone, player, owner))


def _account_names(history: History, owner: Ints, former: Sequence[str]) -> list[str]:
    """The former names of accounts; where a name is another player's by now, it is told apart."""
    names = history.players
    now = {names[number] for number in np.unique(owner[owner < len(names)]).tolist()}
    return [f"{name} (merged account)" if name in now else name for name in former]


def told_apart(history: History, shown: Ints, account: Ints) -> Ints:
    """Whom rows name, where two of one event are one player's by now: each names its own account there.

    `account` is the number of the name that each row had in its event.
    """
    key = (history.event_of_row << 32) + shown
    _, group, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.where(count[group] > 1, account, shown).astype(np.int32)


def _displayed(system: RatingSystem, trace: Trace) -> tuple[Floats, Floats]:
    """The displayed rating of each row before and after its event."""
    if not system.has_sigma:
        return system.display(trace.mu_before, None), system.display(trace.mu, None)
    return system.display(trace.mu_before, trace.sigma_before), system.display(trace.mu, trace.sigma)


def _by_row(standings: Standings, of_sides: Floats) -> Floats:
    """A number of each side, for each row of the history."""
    if standings.rows_are_sides:
        return of_sides
    of_rows = np.empty(len(standings.sides.players))
    of_rows[standings.sides.players] = np.repeat(of_sides, standings.sides.sizes)
    return of_rows
