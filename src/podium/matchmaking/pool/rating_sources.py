"""Where the ratings of those who wait come from: a ladder, a service, or the tickets themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, Bools, Floats, Longs
from podium.errors import InputError, ParameterError, UnknownPlayerError
from podium.history import Merge, Rename
from podium.history.adjustments import LARGEST_RATING
from podium.ladder.ladder import Ladder
from podium.ladder.locking import locked
from podium.ladder.name_changes import NameChange
from podium.matchmaking.lobbies.team_balance import beliefs
from podium.matchmaking.pool.tickets import TicketStore
from podium.systems import RatingSystem, Sides, State, System, system_meant
from podium.systems.contract.calibration import Calibration, inexperience
from podium.systems.contract.ratings import Change, Rating
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

RATINGS_OF_LADDER = "the ratings come from the ladder"
LET_NEW_JOIN = 'to let new players join, use unknown="newcomer"'
NO_RATINGS = np.zeros(0)


class Learned(NamedTuple):
    """What a ladder has learned of its predictions, and the mean inexperience of each ticket's players."""

    calibration: Calibration
    lacking: Floats


class RatingSource(ABC):
    """Where a pool gets the ratings of players: from a ladder, or from the tickets."""

    system: RatingSystem
    newcomers = False
    """Whether players whom the ladder does not know may join."""
    seen = NameChange()
    """The last rename or merge that the pool has followed."""

    def name_changes(self) -> list[NameChange]:
        """The renames and merges that the pool has not followed yet; none without a ladder."""
        return []

    def refresh(self, waiting: Set[str]) -> None:  # noqa: B027 - most sources have nothing to ask for
        """Look for new ratings and names of these players, where that takes a request."""

    def are_newcomers(self, store: TicketStore, players: Longs) -> Bools:
        """Which players, by number, have the rating of a newcomer because the ladder does not know them.

        Also where it refuses such players: the ladder may have taken back the event by which it knew them.
        """
        return np.zeros(len(players), np.bool_)

    @abstractmethod
    def check(
        self, members: Sequence[str], mu: ArrayLike | None, sigma: ArrayLike | None
    ) -> tuple[Floats, Floats]:
        """The ratings to store for each player who joins; a player without a rating is refused."""

    @abstractmethod
    def ratings(self, store: TicketStore, players: Longs, at: int = NO_TIME) -> tuple[Floats, Floats | None]:
        """`mu` and `sigma` of players, given by number."""

    @abstractmethod
    def seats(self, store: TicketStore, players: Longs) -> tuple[State, Longs]:
        """A state that contains these players, and their rows in it."""

    def learned(self, store: TicketStore, slots: Longs) -> Learned | None:
        """What corrects win probabilities of these tickets; None if nothing does, as without a ladder."""
        return None


class FromLadder(RatingSource):
    """Current ratings of a ladder: results recorded while players wait count."""

    def __init__(self, ladder: Ladder, newcomers: bool) -> None:
        self.ladder, self.system, self.newcomers = ladder, ladder.system, newcomers
        self.seen = ladder._name_change

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self.seen = self.ladder._name_change  # a copied pool has followed, and a copied ladder begins anew

    def name_changes(self) -> list[NameChange]:
        """As in the base class."""
        return _pending(self.ladder, self.seen)

    def check(
        self, members: Sequence[str], mu: ArrayLike | None, sigma: ArrayLike | None
    ) -> tuple[Floats, Floats]:
        """Refuse players unknown to the ladder, unless newcomers are allowed; stores no ratings."""
        if mu is not None or sigma is not None:
            raise InputError(RATINGS_OF_LADDER, hint="a pool made of a system takes mu and sigma")
        if not self.newcomers:
            _check_known(self.ladder, members, self.seen)
        return NO_RATINGS, NO_RATINGS

    def are_newcomers(self, store: TicketStore, players: Longs) -> Bools:
        """As in the base class."""
        return _are_unknown(self.ladder, [store.names[player] for player in players.tolist()], self.seen)

    def ratings(self, store: TicketStore, players: Longs, at: int = NO_TIME) -> tuple[Floats, Floats | None]:
        """As in the base class; looked up by name each time, as an undo may renumber players."""
        return _ratings(self.ladder, [store.names[player] for player in players.tolist()], self.seen, at)

    def seats(self, store: TicketStore, players: Longs) -> tuple[State, Longs]:
        """As in the base class; a copy, as the ladder may record meanwhile."""
        names = [store.names[player] for player in players.tolist()]
        return _state(self.ladder, names, self.seen), np.arange(len(players))

    def learned(self, store: TicketStore, slots: Longs) -> Learned | None:
        """As in the base class."""
        if not self.system.is_calibrated:
            return None
        players, offsets = store.members(slots)
        names = [store.names[player] for player in players.tolist()]
        return _learned(self.ladder, names, offsets, self.seen)


@locked
def _pending(ladder: Ladder, seen: NameChange) -> list[NameChange]:
    """The renames and merges of a ladder behind the one that was seen."""
    return list(seen.until(ladder._name_change))


@locked
def _are_unknown(ladder: Ladder, names: Sequence[str], seen: NameChange) -> Bools:
    """Which players, by their names, a ladder does not know."""
    seats, known = _seats(ladder, names, seen), ladder.state["known"]
    new: Bools = seats < 0
    new[~new] = ~known[seats[~new]]
    return new


@locked
def _check_known(ladder: Ladder, members: Sequence[str], seen: NameChange) -> None:
    """Refuse players whom a ladder does not know."""
    new = _are_unknown(ladder, members, seen)
    if new.any():
        name = members[int(np.flatnonzero(new)[0])]
        few = len(ladder.players) < 10_000
        guess = did_you_mean(name, ladder.players.to_list()) if few else None
        raise UnknownPlayerError(
            f"the ladder has no player {shorten(name)!r}",
            hint=f"{guess} {LET_NEW_JOIN}" if guess else LET_NEW_JOIN,
        )


@locked
def _ratings(ladder: Ladder, names: list[str], seen: NameChange, at: int) -> tuple[Floats, Floats | None]:
    """Ratings of players by their names; newcomers have the rating of one."""
    seats, state, system = _seats(ladder, names, seen), ladder.state, ladder.system
    new = seats < 0
    if not new.any():
        return system.view(state, seats, at)
    mu0, sigma0 = system.start(state)
    mu = np.full(len(seats), mu0[0])
    sigma = None if sigma0 is None else np.full(len(seats), sigma0[0])
    if not new.all():
        known_mu, known_sigma = system.view(state, seats[~new], at)
        mu[~new] = known_mu
        if sigma is not None and known_sigma is not None:
            sigma[~new] = known_sigma
    return mu, sigma


@locked
def _learned(ladder: Ladder, names: list[str], offsets: Longs, seen: NameChange) -> Learned:
    """What a ladder has learned, and the mean inexperience of groups of players; newcomers have none."""
    seats = _seats(ladder, names, seen)
    played = np.zeros(len(seats), np.int32)
    played[seats >= 0] = ladder.state["events"][seats[seats >= 0]]
    return Learned(Calibration.of(ladder.state), inexperience(played, Sides(seats, offsets)))


@locked
def _state(ladder: Ladder, names: list[str], seen: NameChange) -> State:
    """A state that has players by their names, one after another."""
    return ladder.state.take(_seats(ladder, names, seen))


def _seats(ladder: Ladder, names: Sequence[str], seen: NameChange) -> Longs:
    """Where a ladder has these players; −1 for those it has not met.

    Whoever was renamed in the middle of a tick is found under the new name.
    """
    for change in seen.until(ladder._name_change):
        names = [change.into if name == change.player else name for name in names]
    index = ladder.players.index_of
    return np.array([index.get(name, -1) for name in names], np.int64)


class LadderProgress(Protocol):
    """How far a service's ladder is."""

    @property
    def head(self) -> int:
        """The number of its last entry."""

    @property
    def generation(self) -> int:
        """How often all was rated again."""

    @property
    def pending(self) -> int:
        """Amendments that are not in the ratings yet."""


class LadderEntry(Protocol):
    """An entry of a service's log."""

    @property
    def changes(self) -> Iterable[Change]:
        """The rating changes by it."""

    @property
    def adjustment(self) -> Mapping[str, str | float] | None:
        """The kind of an adjustment under "adjustment", and its values; None for an event."""

    @property
    def bookmark(self) -> str:
        """Where the log is read on after it."""


@runtime_checkable
class RatingService(Protocol):
    """A ladder on a service, as `podium.Client` is."""

    @property
    def system(self) -> RatingSystem:
        """The ladder's system."""

    def ladder(self) -> LadderProgress:
        """How far it is."""

    def rating(self, player: str) -> Rating:
        """A player's rating now."""

    def history(self, player: str, *, last: int | None = None) -> pl.DataFrame:
        """A player's last events and adjustments."""

    def event(self, number: int) -> LadderEntry:
        """One entry of its log."""

    def events(self, since: int | str) -> Iterable[LadderEntry]:
        """The entries of its log after a bookmark."""


class FromService(RatingSource):
    """Ratings of a ladder on a service: those of players who join, and again when its log has grown."""

    def __init__(self, client: RatingService, newcomers: bool) -> None:
        self.client, self.system, self.newcomers = client, client.system, newcomers
        self._told: dict[str, Rating | None] = {}
        """By name, the rating that the service gave last; None for a newcomer."""
        self._last: dict[str, tuple[Any, ...] | None] = {}
        """By name, the last event when the player was asked for, by which they are known after a rename."""
        self.seen = self._names = NameChange()
        self._seen = client.ladder()
        self._bookmark = self._bookmark_of(self._seen)

    def check(
        self, members: Sequence[str], mu: ArrayLike | None, sigma: ArrayLike | None
    ) -> tuple[Floats, Floats]:
        """Ask for the players who join; an unknown one is refused, unless newcomers are allowed."""
        if mu is not None or sigma is not None:
            raise InputError(RATINGS_OF_LADDER, hint="a pool made of a system takes mu and sigma")
        for name in members:
            self._ask(name)
            if self._told[name] is None and not self.newcomers:
                raise UnknownPlayerError(f"the ladder has no player {shorten(name)!r}", hint=LET_NEW_JOIN)
        return NO_RATINGS, NO_RATINGS

    def are_newcomers(self, store: TicketStore, players: Longs) -> Bools:
        """As in the base class."""
        return np.array([one is None for one in self._ratings(store, players)], np.bool_)

    def ratings(self, store: TicketStore, players: Longs, at: int = NO_TIME) -> tuple[Floats, Floats | None]:
        """As in the base class: those of the last look at the service's log."""
        return self._columns(store, players)

    def seats(self, store: TicketStore, players: Longs) -> tuple[State, Longs]:
        """A state made of the ratings that the service gave last."""
        return beliefs(self.system, *self._columns(store, players)), np.arange(len(players))

    def _columns(self, store: TicketStore, players: Longs) -> tuple[Floats, Floats | None]:
        mu0, sigma0 = self.system.start(self.system.new_state(1))
        told = self._ratings(store, players)
        mu = np.array([mu0[0] if one is None else one.mu for one in told], np.float64)
        if sigma0 is None:
            return mu, None
        return mu, np.array([sigma0[0] if one is None else one.sigma for one in told], np.float64)

    def _ratings(self, store: TicketStore, players: Longs) -> list[Rating | None]:
        names = [store.names[player] for player in players.tolist()]
        for name in names:
            if name not in self._told:
                self._ask(name)
        return [self._told[name] for name in names]

    def refresh(self, waiting: Set[str]) -> None:
        """Ask again for the players whom entries of the log have moved since the last look, or for all."""
        seen, ladder = self._seen, self.client.ladder()
        if ladder == seen:
            return
        new = list(self.client.events(since=self._bookmark))
        moved = waiting & {change.player for entry in new for change in entry.changes}
        adjusted = [entry.adjustment for entry in new if entry.adjustment is not None]
        kinds = Rename.kind, Merge.kind
        names = {str(one.get("into", one["player"])): None for one in adjusted if one["adjustment"] in kinds}
        renamed = [(old, name) for name in names for old in self._known_before(name, waiting)]
        bookmark = self._bookmark_of(ladder)
        if (ladder.generation, ladder.pending) != (seen.generation, seen.pending):
            moved = waiting
            self._last.clear()
        for name in moved - {old for old, _ in renamed}:
            self._ask(name)
        gone = self._told.keys() - waiting | {name for pair in renamed for name in pair}
        for name in gone:
            self._told.pop(name, None)
            self._last.pop(name, None)
        self._names = self._names.then(swapped(renamed))
        self._seen, self._bookmark = ladder, bookmark

    def name_changes(self) -> list[NameChange]:
        """As in the base class."""
        return list(self.seen.until(self._names))

    def _known_before(self, name: str, waiting: Set[str]) -> list[str]:
        """The waiting players who have this name now: their last event is one of that player."""
        entries = set(map(_event_of, self.client.history(name, last=MOST_SINCE).to_dicts()))
        found = [one for one in sorted(waiting) if one != name and self._last.get(one) in entries]
        return found if len(found) < 2 else [one for one in found if self._is_unknown(one)]

    def _is_unknown(self, name: str) -> bool:
        try:
            self.client.rating(name)
        except UnknownPlayerError:
            return True
        return False

    def _bookmark_of(self, ladder: LadderProgress) -> int | str:
        """The bookmark of the last entry of the log, after which it is read next."""
        return self.client.event(ladder.head).bookmark if ladder.head else 0

    def _ask(self, name: str) -> None:
        """A player who is not on the ladder any more keeps the rating told last."""
        try:
            self._told[name] = self.client.rating(name)
        except UnknownPlayerError:
            self._told.setdefault(name, None)
            return
        if name not in self._last:
            last = self.client.history(name, last=1).to_dicts()
            self._last[name] = _event_of(last[0]) if last else None


MOST_SINCE = 200
"""Events of a player who is renamed on a service, among which is the last one of before they joined."""


def _event_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells an event of a player from all others, whatever the player is called."""
    return row["number"], row["rank"], row["mu_before"], row["mu"]


def swapped(renamed: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Renames all at once, as steps one after another: those who take another's name step aside first.

    >>> swapped([("ann", "bob")])
    [('ann', 'bob')]
    >>> len(swapped([("ann", "bob"), ("bob", "ann")]))
    4
    """
    if not {old for old, _ in renamed} & {new for _, new in renamed}:
        return list(renamed)
    aside = [(old, f"\0{old}", new) for old, new in renamed]
    return [(old, between) for old, between, _ in aside] + [(between, new) for _, between, new in aside]


class FromTickets(RatingSource):
    """Ratings given with the tickets."""

    def __init__(self, system: RatingSystem) -> None:
        self.system = system

    def check(
        self, members: Sequence[str], mu: ArrayLike | None, sigma: ArrayLike | None
    ) -> tuple[Floats, Floats]:
        """A rating for each player, and a deviation if the system has deviations."""
        if mu is None or (sigma is None and self.system.has_sigma):
            what = "mu and sigma" if self.system.has_sigma else "mu"
            raise InputError(
                f"a ticket needs {what}, because this pool uses {self.system.name} without a ladder",
                hint="a pool made of a ladder looks ratings up",
            )
        ours = _column("mu", mu, -LARGEST_RATING, len(members))
        theirs = NO_RATINGS if sigma is None else _column("sigma", sigma, 0.0, len(members))
        return ours, theirs if self.system.has_sigma else NO_RATINGS

    def ratings(self, store: TicketStore, players: Longs, at: int = NO_TIME) -> tuple[Floats, Floats | None]:
        """The ratings given when the players joined."""
        sigma = store.people["sigma"][players] if self.system.has_sigma else None
        return store.people["mu"][players], sigma

    def seats(self, store: TicketStore, players: Longs) -> tuple[State, Longs]:
        """A state made of the ratings given."""
        return beliefs(self.system, *self.ratings(store, players)), np.arange(len(players))


def _column(name: str, given: ArrayLike, low: float, rows: int) -> Floats:
    """A number for each player from `low` to `LARGEST_RATING`, beyond which chances would not be numbers."""
    try:
        column = np.array(given, np.float64).ravel()
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} is {shorten(repr(given))}, not one number per player") from None
    if len(column) not in (1, rows):
        raise InputError(f"{name} has {len(column)} numbers for {rows} players")
    inside = (low <= column) & (column <= LARGEST_RATING)  # which NaN is not
    if not inside.all():
        outside = column[~inside][0]
        what = f"{outside:g}" if np.isfinite(outside) else "not finite"
        raise InputError(f"{name} is {what}", hint=f"a number from {low:g} to {LARGEST_RATING:g}")
    return np.broadcast_to(column, rows)


def source_of(rated: Ladder | RatingService | System, unknown: str) -> RatingSource:
    """The source of ratings for a pool made of a ladder, a client or a system."""
    if unknown not in ("error", "newcomer"):
        raise ParameterError(f"unknown must be 'error' or 'newcomer', not {unknown!r}")
    if isinstance(rated, Ladder):
        return FromLadder(rated, unknown == "newcomer")
    if isinstance(rated, (RatingSystem, str)):
        return FromTickets(system_meant(rated))
    if isinstance(rated, RatingService):
        return FromService(rated, unknown == "newcomer")
    raise ParameterError(
        f"a pool needs a ladder, a client or a system, not {shorten(repr(rated))}",
        hint="for example podium.Ladder.load(path), or the name 'elo'",
    )
