"""Systems in ordinary Python: a class says how one event moves ratings and who is expected to win.

An author writes `rate(event)` and `predict(a, b)` and decorates the class with `podium.simple_system`. Some
of podium's own systems are written like that too: rules of federations, which have many cases and few games.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from functools import cache
from inspect import cleandoc
from typing import Any, ClassVar, NamedTuple, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.arrays import DAY, NO_TIME, EventColumns, Floats
from podium.errors import InputError, ParameterError
from podium.parameters import parameter
from podium.systems.contract.capabilities import Capabilities
from podium.systems.contract.column_ranges import POSITIVE, Range
from podium.systems.contract.ratings import Trace
from podium.systems.contract.sides import Sides, team_belief
from podium.systems.contract.state import Row, State
from podium.systems.contract.system import RatingSystem
from podium.text import listed

Numbers = float | Mapping[str, float]
"""A rating as an author gives it: `mu` alone, or some of its numbers by name."""
SPREAD_AT = 0.75
"""The expected score at which the scatter of performances is fitted to predictions."""


class Believed(NamedTuple):
    """What `predict` knows of a player."""

    mu: float
    sigma: float | None = None


class SimplePlayer(NamedTuple):
    """A player of an event, as `rate` gets it."""

    rating: Any
    """The numbers of the rating before the event, by name: `rating.mu`."""
    rank: int
    side: int
    events: int
    """Rated events so far."""
    rated: bool
    """False for an opponent whose own rating stays."""
    home: bool
    play: float
    share: float

    def score(self, other: SimplePlayer) -> float:
        """1 for a win against another player, ½ for a tie, 0 for a defeat; or the share of the point."""
        if not math.isnan(self.share):
            return self.share
        return 0.5 * (1.0 + (self.rank < other.rank) - (self.rank > other.rank))


class SimpleEvent(NamedTuple):
    """An event, as `rate` gets it."""

    players: tuple[SimplePlayer, ...]
    """All players, side by side."""
    weight: float
    day: float | None
    """Days since 1970; None without a time."""

    @property
    def sides(self) -> list[list[SimplePlayer]]:
        """The players of each side."""
        found: dict[int, list[SimplePlayer]] = {}
        for player in self.players:
            found.setdefault(player.side, []).append(player)
        return list(found.values())


@dataclass(frozen=True, kw_only=True)
class SimpleSystem(RatingSystem):
    """A system that rates event by event in Python."""

    ranges: ClassVar[Mapping[str, Range]] = {"sigma": POSITIVE}

    # ------------------------------------------------------------------ what differs

    @abstractmethod
    def first(self) -> dict[str, float]:
        """The numbers of a newcomer's rating, `mu` among them."""

    @abstractmethod
    def rate(self, event: SimpleEvent) -> Sequence[Numbers]:
        """The rating of each player after an event; numbers that are left out stay."""

    @abstractmethod
    def chance(self, a: Any, b: Any) -> float:
        """The expected score of one player against another, of whom `mu` and `sigma` are known."""

    def aged(self, rating: Any, days: float) -> Numbers | None:
        """What of a rating has changed after days away; None if nothing has."""
        return None

    # ------------------------------------------------------------------ the contract

    def newcomer(self) -> dict[str, Row]:
        """A column for each number of a rating."""
        return {name: np.float64(value) for name, value in self.first().items()}

    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        """Rate events in order, in place."""
        names = tuple(self.first())
        columns = [state[name] for name in names]
        with np.errstate(over="ignore"):
            for e in range(len(events.time)):
                self._rate_event(state, events, e, (names, columns), trace)

    def _rate_event(
        self, state: State, ev: EventColumns, e: int, kept: tuple[tuple[str, ...], list[Any]], trace: Trace
    ) -> None:
        names, columns = kept
        rows = list(range(int(ev.offsets[e]), int(ev.offsets[e + 1])))
        if len(ev.side):
            rows.sort(key=lambda row: (int(ev.side[row]), row))
        time, home = int(ev.time[e]), int(ev.home[e]) if len(ev.home) else -1
        sides = {row: int(ev.side[row]) if len(ev.side) else number for number, row in enumerate(rows)}
        at_home = {sides[row] for row in rows if int(ev.player[row]) == home}
        players = []
        for row in rows:
            p = int(ev.player[row])
            rating = _record(names)(*[column[p] for column in columns])
            players.append(
                SimplePlayer(
                    rating=self._as_of(rating, int(state["last_time"][p]), time),
                    rank=int(ev.rank[row]),
                    side=sides[row],
                    events=int(state["events"][p]),
                    rated=not (len(ev.held) and ev.held[row]),
                    home=sides[row] in at_home,
                    play=float(ev.play[row]) if len(ev.play) else 1.0,
                    share=float(ev.share[row]) if len(ev.share) else math.nan,
                )
            )
        weight = float(ev.weight[e]) if len(ev.weight) else 1.0
        after = self.rate(SimpleEvent(tuple(players), weight, None if time == NO_TIME else time / DAY))
        if len(after) != len(rows):
            raise InputError(f"{self.name}: rate returned {len(after)} ratings for {len(rows)} players")
        for row, player, numbers in zip(rows, players, after, strict=True):
            p, given = int(ev.player[row]), _numbers(numbers)
            performance = given.pop("performance", math.nan)
            new = self._checked(player.rating, given) if player.rated else player.rating
            if player.rated:
                for name, column in zip(names, columns, strict=True):
                    column[p] = getattr(new, name)
                state["events"][p] += 1
                if time != NO_TIME:
                    state["last_time"][p] = time
            if len(trace.mu):
                trace.mu_before[row], trace.mu[row] = player.rating.mu, new.mu
            if len(trace.sigma):
                trace.sigma_before[row], trace.sigma[row] = player.rating.sigma, new.sigma
            if len(trace.performance):
                trace.performance[row] = performance

    def _as_of(self, rating: Any, last: int, time: int) -> Any:
        """A rating as an event at a time finds it."""
        if last == NO_TIME or time <= last:
            return rating
        changed = self.aged(rating, (time - last) / DAY)
        return rating if changed is None else self._checked(rating, _numbers(changed))

    def _checked(self, rating: Any, given: Mapping[str, float]) -> Any:
        """The rating with some numbers changed; refused if they cannot be those of a rating."""
        if unknown := [name for name in given if name not in rating._fields]:
            raise InputError(
                f"{self.name}: a rating has no number {unknown[0]!r}", hint=f"it has {listed(rating._fields)}"
            )
        for name, value in given.items():
            if not math.isfinite(value) or (name == "sigma" and value <= 0.0):
                raise InputError(f"{self.name}: {name} became {value}", hint="check rate and predict")
        return rating._replace(**given)

    def view(self, state: State, players: NDArray[np.int64] | slice, at: int) -> tuple[Floats, Floats | None]:
        """`mu` and `sigma`, aged until a time."""
        index = np.arange(state.size)[players]
        found = {name: state[name][index].copy() for name in self.first()}
        if type(self).aged is not SimpleSystem.aged and at != NO_TIME:
            last = state["last_time"][index].tolist()
            for i in np.flatnonzero(state.days_away(index, at)).tolist():
                rating = _record(tuple(found))(*[column[i] for column in found.values()])
                aged = self._as_of(rating, last[i], at)
                for name, column in found.items():
                    column[i] = getattr(aged, name)
        return found["mu"], found.get("sigma")

    def win_probability(
        self,
        mu_a: ArrayLike,
        sigma_a: ArrayLike | None,
        mu_b: ArrayLike,
        sigma_b: ArrayLike | None,
        home: ArrayLike = 0.0,
    ) -> Floats:
        """`chance` for each pair; a parameter `home_advantage` is added at home."""
        advantage, side = getattr(self, "home_advantage", 0.0), np.asarray(home, np.float64)
        mu_a = np.asarray(mu_a, np.float64) + advantage * np.maximum(side, 0.0)
        mu_b = np.asarray(mu_b, np.float64) + advantage * np.maximum(-side, 0.0)
        given = [mu_a, mu_b] if sigma_a is None or sigma_b is None else [mu_a, mu_b, sigma_a, sigma_b]
        pairs = np.broadcast(*[np.asarray(one, np.float64) for one in given])
        chances = np.empty(pairs.size)
        with np.errstate(over="ignore"):
            for i, (a, b, *sure) in enumerate(pairs):
                one, other = sure if sure else (None, None)
                chances[i] = self.chance(Believed(a, one), Believed(b, other))
        if not np.all((chances >= 0.0) & (chances <= 1.0)):
            raise InputError(f"{self.name}: predict returned an expected score outside 0 to 1")
        return chances.reshape(pairs.shape)

    def set_belief(
        self, state: State, players: NDArray[np.int64] | slice, mu: ArrayLike, sigma: ArrayLike | None
    ) -> None:
        """Set `mu`, and `sigma` where it is given; other numbers stay."""
        index = np.arange(state.size)[players]
        state["mu"][index] = mu
        if sigma is not None and self.has_sigma:
            state["sigma"][index] = sigma

    def joined(self, mu: Floats, sigma: Floats | None, sides: Sides) -> tuple[Floats, Floats | None]:
        """A team as the mean of its members, for predictions."""
        if not self.supports.teams:
            return super().joined(mu, sigma, sides)
        return team_belief(mu, sigma, sides, "mean", self.first()["mu"])

    def performance_spread(self, sigma: Floats | None, noise: Floats) -> tuple[str, Floats]:
        """Gumbel performances that win three of four games where predictions say so."""
        deviations, where = np.unique(np.zeros(len(noise)) if sigma is None else sigma, return_inverse=True)
        mu = np.full(len(deviations), self.first()["mu"])
        rivals = self.opponent_rating(SPREAD_AT, mu, deviations if self.has_sigma else None)
        return "gumbel", ((mu - rivals) / math.log(SPREAD_AT / (1.0 - SPREAD_AT)))[where]


@cache
def _record(names: tuple[str, ...]) -> Any:
    """The type of ratings with these numbers."""
    return namedtuple("Rating", names)


def _numbers(given: Numbers) -> dict[str, float]:
    """A rating as its author gave it, by name."""
    return dict(given) if isinstance(given, Mapping) else {"mu": given}


# ---------------------------------------------------------------------- classes of authors


@dataclass(frozen=True, kw_only=True)
class AuthoredSystem(SimpleSystem):
    """The system of an author's class: the same parameters, and what that class says."""

    author: ClassVar[type]

    def first(self) -> dict[str, float]:
        """The author's `start`: a number, numbers by name, or a method that returns them."""
        return _first(_author(self))

    def rate(self, event: SimpleEvent) -> Sequence[Numbers]:
        """The author's `rate`."""
        found: Sequence[Numbers] = _author(self).rate(event)
        return found

    def chance(self, a: Any, b: Any) -> float:
        """The author's `predict`."""
        return float(_author(self).predict(a, b))


class AgingSystem(AuthoredSystem):
    """The same for a class that says what days away change."""

    def aged(self, rating: Any, days: float) -> Numbers | None:
        """The author's `aged`."""
        found: Numbers | None = _author(self).aged(rating, days)
        return found


@cache
def _author(system: AuthoredSystem) -> Any:
    """The author's own object, with the system's parameters."""
    names = [one.name for one in fields(system.author)]
    return system.author(**{name: getattr(system, name) for name in names})


def _first(author: Any) -> dict[str, float]:
    start = getattr(author, "start", 1500.0)
    return _numbers(start() if callable(start) else start)


def authored_class(cls: type) -> type[RatingSystem]:
    """The system of an author's class, for `podium.simple_system`."""
    for method in ("rate", "predict"):
        if not callable(getattr(cls, method, None)):
            raise ParameterError(f"{cls.__name__} has no method {method}", hint="it needs rate and predict")
    author: Any = dataclass(frozen=True, kw_only=True)(cls)
    numbers = _first(author())
    name = getattr(cls, "name", re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower())
    summary = cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ").removesuffix(".")
    usual = Capabilities(ties=True, time=hasattr(cls, "aged"), home=hasattr(author(), "home_advantage"))
    supports = getattr(cls, "supports", usual)
    hints = get_type_hints(cls)
    content: dict[str, Any] = {
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        "__annotations__": {one.name: hints[one.name] for one in fields(author)},
        **{one.name: _declared(one) for one in fields(author)},
        "name": name,
        "summary": summary,
        "supports": supports,
        "has_sigma": "sigma" in numbers,
        "has_performance": getattr(cls, "has_performance", False),
        "author": author,
    }
    base = AgingSystem if hasattr(cls, "aged") else AuthoredSystem
    made: type[RatingSystem] = dataclass(frozen=True, kw_only=True)(type(cls.__name__, (base,), content))
    return made


def _declared(one: Field[Any]) -> Any:
    """A field of an author's class as a parameter; a positive number is searched around its default."""
    if one.metadata:
        return field(default=one.default, metadata=one.metadata)
    default: Any = one.default
    search = (default / 4.0, default * 4.0) if isinstance(default, float) and default > 0.0 else None
    return parameter(default, one.name.replace("_", " "), low=-1e9, search=search)
