"""What an organiser does to ratings by hand, as events of the history.

A rating set by hand, a fixed anchor, a soft reset between seasons, a renamed or merged account: each is a
value with a place in the history, so that replaying the history replays it too. What each does to a state is
said in `podium.systems.contract.system`; here they are only data, and rows of a table (`KINDS` names the
column values). Who is meant by a name is followed back through renames and merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium.arrays import Longs
from podium.errors import InputError, UnknownPlayerError
from podium.history.names import Names, player_name, tidy_name
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    from podium.history.history import History


LARGEST_RATING = 1e9
SMALLEST_SIGMA = 1e-9
"""Ratings beyond this are refused: sums of their squares would leave double precision."""
MOST_EVENTS = 1_000_000_000
"""Events that a player may have played elsewhere: with as many again, the count is still a 32-bit number."""


@dataclass(frozen=True, kw_only=True)
class Adjustment:
    """A change of ratings that is not a result, such as an anchor, a reset or a merge.

    >>> import podium
    >>> adjustment = podium.Anchor(player="ann", mu=1800.0)
    >>> isinstance(adjustment, podium.Adjustment)
    True
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.adjust(adjustment)
    >>> ladder.rating("ann").mu
    1800.0
    """

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for given in fields(self):
            value = getattr(self, given.name)
            if given.name in ("player", "into"):
                name = player_name(value)
                if not name.strip():
                    raise InputError(f"{self.kind} needs the name of a player in {given.name!r}")
                object.__setattr__(self, given.name, name)
            elif value is not None or given.default is not None:
                self._check_number(given.name, value)
        if len(set(self.players)) < len(self.players):
            raise InputError(f"{self.kind} needs two players, not {shorten(self.players[0])!r} twice")

    def _check_number(self, name: str, value: float) -> None:
        limits = {
            "mu": (-LARGEST_RATING, LARGEST_RATING),
            "display": (-LARGEST_RATING, LARGEST_RATING),
            "toward": (-LARGEST_RATING, LARGEST_RATING),
            "sigma": (SMALLEST_SIGMA, LARGEST_RATING),
            "volatility": (1e-6, 10.0),  # as the parameter of Glicko-2
            "events": (0, MOST_EVENTS),
            "keep": (0.0, 1.0),
        }
        low, high = limits[name]
        if not (isinstance(value, Real) and low <= value <= high):
            raise InputError(
                f"{name} of {self.kind} must be a number from {low:g} to {high:g}, not {shorten(repr(value))}"
            )

    @property
    def players(self) -> tuple[str, ...]:
        """The players named by the adjustment."""
        return tuple(getattr(self, f.name) for f in fields(self) if f.name in ("player", "into"))

    def tidied(self) -> Adjustment:
        """The adjustment with new names as tables have them: without blanks around them, in NFC.

        A player who must be known keeps the name: an older ladder may have one with blanks.

        >>> SetRating(player="ann ", mu=1800.0).tidied().player
        'ann'
        """
        known = ("player", "into") if isinstance(self, Merge) else ("player",)
        keep = known if isinstance(self, OF_KNOWN_PLAYERS) else ()
        names = {f.name: getattr(self, f.name) for f in fields(self) if f.name in ("player", "into")}
        tidy = {field: tidy_name(name) for field, name in names.items() if field not in keep}
        return replace(self, **tidy) if any(names[field] != name for field, name in tidy.items()) else self

    def describe(self) -> str:
        """The adjustment as one line of text, such as "set-rating player=ann, mu=1800"."""
        values = ((f.name, getattr(self, f.name)) for f in fields(self))
        return f"{self.kind} " + ", ".join(f"{name}={shorten(str(v))}" for name, v in values if v is not None)


@dataclass(frozen=True, kw_only=True)
class SetRating(Adjustment):
    """Set the player's rating: an imported one, a known strength.

    Set either `mu`, or the number to `display`. A displayed rating without `sigma` gets the deviation of a
    regular player where the system has one (`sigma_limit`), and counts as at least one event. Anything else
    that is not given stays as it is. The deviation grows from the adjustment's time on. A system that has no
    deviation or no volatility does not use it.

    Attributes:
        player: The player's name.
        mu: The rating.
        sigma: The deviation.
        display: The displayed rating, in place of `mu`.
        volatility: The volatility of Glicko-2.
        events: The number of events that the player has played so far, here and elsewhere.

    >>> import podium
    >>> ladder = podium.Ladder("glicko2")
    >>> _ = ladder.adjust(podium.SetRating(player="ann", mu=1820.0, sigma=60.0))
    >>> ladder.rating("ann").mu, ladder.rating("ann").sigma
    (1820.0, 60.0)
    """

    kind: ClassVar[str] = "set-rating"
    player: str
    mu: float | None = None
    sigma: float | None = None
    display: float | None = None
    volatility: float | None = None
    events: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.mu is None) == (self.display is None):
            reason = "needs mu or display" if self.mu is None else "takes mu or display, not both"
            raise InputError(
                f"{self.kind} {reason}",
                hint="display is the published number, and mu is the system's estimate",
            )
        if self.events is not None:
            if self.events != int(self.events):
                raise InputError(f"events of {self.kind} must be a whole number, not {self.events:g}")
            object.__setattr__(self, "events", int(self.events))

    def events_after(self, played: int) -> int:
        """The number of events of a player who has played so many, once the rating is set."""
        if self.events is not None:
            return self.events
        return played if self.display is None else max(played, 1)


Seed = SetRating
"""What `SetRating` was called before 0.2."""


@dataclass(frozen=True, kw_only=True)
class Anchor(Adjustment):
    """Fix the player's rating where it is (or at `mu`, `sigma`): results no longer change it.

    Attributes:
        player: The player's name.
        mu: The rating to fix. None keeps the present one.
        sigma: The deviation to fix. None keeps the present one.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.adjust(podium.Anchor(player="engine", mu=2000.0))
    >>> winner, loser = ladder.record_match("ann", "engine")
    >>> round(winner.mu), loser.mu
    (1530, 2000.0)
    """

    kind: ClassVar[str] = "anchor"
    player: str
    mu: float | None = None
    sigma: float | None = None


@dataclass(frozen=True, kw_only=True)
class Release(Adjustment):
    """End an anchor: results change the player's rating again.

    Attributes:
        player: The player's name.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.adjust(podium.Anchor(player="engine", mu=2000.0))
    >>> _ = ladder.adjust(podium.Release(player="engine"))
    >>> winner, loser = ladder.record_match("ann", "engine")
    >>> round(winner.mu), round(loser.mu)
    (1530, 1970)
    """

    kind: ClassVar[str] = "release"
    player: str


@dataclass(frozen=True, kw_only=True)
class Reset(Adjustment):
    """A new season: all players keep the fraction `keep` of their distance from `toward`.

    `toward` is the rating of a newcomer unless given. Uncertainty goes the same way: the variance becomes
    keep² of the old one plus (1 − keep²) of a newcomer's, so 1 changes nothing and 0 makes all newcomers.

    Attributes:
        keep: The fraction of the distance to keep, from 0 to 1.
        toward: The rating to move toward. None is a newcomer's.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob")
    >>> _ = ladder.adjust(podium.Reset(keep=0.5))
    >>> ladder.rating("ann").display, ladder.rating("bob").display
    (1508.0, 1492.0)
    """

    kind: ClassVar[str] = "reset"
    keep: float = 0.5
    toward: float | None = None


@dataclass(frozen=True, kw_only=True)
class Rename(Adjustment):
    """Call the player `into` from now on. A new player may then use the old name.

    Attributes:
        player: The present name.
        into: The new name.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob")
    >>> _ = ladder.adjust(podium.Rename(player="ann", into="anna"))
    >>> ladder.rating("anna").display
    1516.0
    """

    kind: ClassVar[str] = "rename"
    player: str
    into: str


@dataclass(frozen=True, kw_only=True)
class Merge(Adjustment):
    """Join two accounts of one person as `into`, with the evidence of both. The old name becomes free.

    Attributes:
        player: The account to close.
        into: The account that keeps the results of both.

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> _ = ladder.record_match("ann", "bob")
    >>> _ = ladder.record_match("annie", "bob")
    >>> _ = ladder.adjust(podium.Merge(player="annie", into="ann"))
    >>> ladder.rating("ann").events, "annie" in ladder
    (2, False)
    """

    kind: ClassVar[str] = "merge"
    player: str
    into: str


OF_KNOWN_PLAYERS = Release, Rename, Merge
"""Adjustments of a player who must be known; others make the player known."""
KINDS: dict[str, type[Adjustment]] = {c.kind: c for c in (SetRating, Anchor, Release, Reset, Rename, Merge)}
FORMER_KINDS = {"seed": SetRating.kind}
"""What tables of podium 0.1 call a kind; both are read."""
IMPORTED = ("display", "volatility", "events")
"""Columns of a table that belong to ratings from elsewhere."""
COLUMNS = ("mu", "sigma", "keep", "toward", "into", *IMPORTED)
"""Columns of a table that belong to adjustments, beside `adjustment` (the kind), `player` and `time`."""


def make_adjustment(kind: str, values: dict[str, Any]) -> Adjustment:
    """The adjustment that a row of a table describes; empty values are None.

    >>> make_adjustment("set-rating", {"player": "ann", "mu": 1800.0, "sigma": None})
    SetRating(player='ann', mu=1800.0, sigma=None, display=None, volatility=None, events=None)
    """
    kind = FORMER_KINDS.get(kind, kind)
    if kind not in KINDS:
        raise InputError(f"{kind!r} is not an adjustment", hint="known are " + ", ".join(KINDS))
    cls = KINDS[kind]
    known = {f.name: f.default is MISSING for f in fields(cls)}  # whether it must be given
    given = {name: value for name, value in values.items() if value is not None and value != ""}
    if unknown := [name for name in given if name not in known]:
        raise InputError(f"{kind} cannot use {', '.join(unknown)}", hint=f"it takes {', '.join(known)}")
    if missing := [name for name, needed in known.items() if needed and name not in given]:
        raise InputError(f"{kind} needs {', '.join(missing)}")
    return cls(**given)


@dataclass(frozen=True)
class Placed:
    """An adjustment and when it applies: before event number `before`, at `time`."""

    before: int
    time: int
    adjustment: Adjustment
    where: str | None = field(default=None, compare=False, repr=False)
    """The file and row it was read from."""
    of_selection: bool = field(default=False, compare=False, repr=False)
    """Whether events were left out of its history: its player may be unknown because of that."""

    def moved(self, events: int) -> Placed:
        """The same adjustment, `events` events later."""
        return replace(self, before=self.before + events)

    def register(self, names: Names) -> None:
        """Add the players it names to `names`."""
        for name in self.adjustment.players:
            names.add(name)


def earlier_names(adjustments: Sequence[Adjustment], name: str) -> list[str | None]:
    """What the player who is called `name` after these adjustments was called before each, and after all.

    None where the name was still another player's.

    >>> from podium import Rename
    >>> earlier_names([Rename(player="bob", into="rob"), Rename(player="rob", into="robin")], "robin")
    ['bob', 'rob', 'robin']
    >>> earlier_names([Rename(player="bob", into="rob")], "bob")
    [None, 'bob']
    """
    called: str | None = name
    names = [called]
    for adjustment in reversed(adjustments):
        if isinstance(adjustment, (Rename, Merge)) and called is not None:
            if adjustment.player == called:
                called = None  # the name became free here: another player had it before
            elif adjustment.into == called and isinstance(adjustment, Rename):
                called = adjustment.player
        names.append(called)
    return names[::-1]


def merged_names(adjustments: Sequence[Adjustment], names: Sequence[str | None]) -> list[list[str | None]]:
    """Like `names`, which `earlier_names` gave of a player, for each account merged into the player's.

    Those of the latest merge first; None from its merge on.
    """
    found = []
    for number in range(len(adjustments) - 1, -1, -1):
        one = adjustments[number]
        if isinstance(one, Merge) and one.into == names[number + 1]:
            own = earlier_names(adjustments[:number], one.player)
            gone: list[str | None] = [None] * (len(names) - len(own))
            found += [own + gone] + [inner + gone for inner in merged_names(adjustments[:number], own)]
    return found


def rows_called(history: History, names: Sequence[str | None]) -> Longs:
    """The rows of the player with these names: before each adjustment of the history, and after the last."""
    starts = [0, *(int(history.offsets[placed.before]) for placed in history.adjustments)]
    parts = [np.zeros(0, np.int64)]
    for start, stop, name in zip(starts, [*starts[1:], history.rows], names, strict=True):
        index = None if name is None else history.players.find(name)
        if index is not None and start < stop:
            parts.append(start + np.flatnonzero(history.player[start:stop] == index))
    return np.concatenate(parts)


def names_meant(history: History, name: str) -> list[str | None]:
    """The names, as `rows_called` takes them, of the player who is called `name` at the end of a history.

    If nobody is called so at the end, those of the players who were.
    """
    adjustments = [placed.adjustment for placed in history.adjustments]
    names = earlier_names(adjustments, name)
    again = any(name in one.players for one in adjustments[names.count(None) :])
    return names if again or len(rows_called(history, names)) else [name] * len(names)


def rows_under_all_names(history: History, name: str) -> Longs:
    """The rows of the player whom `names_meant` finds, in order, also from before a rename.

    >>> from podium import History, Rename
    >>> first, second = {"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "rob": 2}}
    >>> history = History.from_events([first, Rename(player="bob", into="rob"), second])
    >>> rows_under_all_names(history, "rob").tolist()
    [1, 3]
    """
    found = rows_called(history, names_meant(history, name))
    if not len(found):
        hint = did_you_mean(name, history.players.to_list())
        raise UnknownPlayerError(f"{shorten(name)!r} is in no event", hint=hint)
    return found
