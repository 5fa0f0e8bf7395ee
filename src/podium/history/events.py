"""One event as a value: what `Ladder.record` takes and `History.from_events` collects as rows and columns."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from itertools import accumulate
from numbers import Real
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from podium.arrays import NO_TIME
from podium.errors import InputError, ParameterError
from podium.history.adjustments import Adjustment, Placed
from podium.history.names import Names, player_name, tidy_name
from podium.history.times import Time, to_micros
from podium.parameters import as_float
from podium.text import brief_repr, shorten

LARGEST_RANK = 10**9
"""Nobody comes in later; beyond it a number is something else than a place."""
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-9, 1e6
"""Heavier events are refused: they would drown every other result, and overflow after a few; and so are
lighter ones, which say nothing."""
LEAST_PLAY = 1e-3
"""Who took part in less of an event was not there."""
PLAY_HINT = "play is a fraction of the event, not minutes or percent. Leave out players who did not play"


class EventKeywords(TypedDict, total=False):
    """The keyword arguments of `Event.of`, for type checkers; `Ladder.record` says what each means."""

    ranks: Mapping[str, int] | Sequence[int] | None
    scores: Mapping[str, float] | Sequence[float] | None
    teams: Sequence[Collection[str]] | None
    share: float | None
    lower_is_better: bool
    time: Time | None
    weight: float
    home: str | None
    unrated: Iterable[str]
    play: Mapping[str, float] | None
    ceiling: float | None
    name: str | None


@dataclass(frozen=True, slots=True, repr=False)
class Event:
    """The sides of one event with their ranks. `Event.of` makes and checks it.

    Attributes:
        sides: The players of each side.
        ranks: The rank of each side. 1 is best, and equal ranks are a tie.
        scores: The score of each side, if scores are known.
        time: Microseconds since 1970 UTC. `NO_TIME` if it has no time.
        weight: How much it counts. 1 is usual.
        home: A player of the side with home or first-move advantage.
        share: The part of the point that the first of two sides got, if ranks alone do not tell it.
        unrated: Players out of competition: they count as opponents, and their own rating does not
            change.
        play: Players who took part in only a part of the event, each with that part (above 0, below 1).
        ceiling: The highest performance it can show. None if it has no ceiling.
        name: Its name.
        named: Whether the name, if there is one, was given by the user, and not a number that podium
            assigned.

    >>> event = Event.of(ranks={"ann": 1, "bob": 2, "cat": 2})
    >>> event.sides, event.ranks
    ((('ann',), ('bob',), ('cat',)), (1, 2, 2))
    """

    __repr__ = brief_repr

    sides: tuple[tuple[str, ...], ...]
    ranks: tuple[int, ...]
    scores: tuple[float, ...] | None = None
    time: int = NO_TIME
    weight: float = 1.0
    home: str | None = None
    share: float | None = None
    unrated: frozenset[str] = frozenset()
    play: tuple[tuple[str, float], ...] = ()
    ceiling: float | None = None
    name: str | None = None
    named: bool = field(default=True, compare=False)

    @property
    def has_teams(self) -> bool:
        """Whether some side has more than one member."""
        return any(len(side) > 1 for side in self.sides)

    def share_of(self, side: int) -> float:
        """The part of the point that a side got, or NaN where only the ranks count."""
        if self.share is None:
            return math.nan
        return self.share if side == 0 else 1.0 - self.share

    @classmethod
    def of(
        cls,
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
    ) -> Event:
        """An event from ranks (1 is best) or scores (higher is better), by player or by team.

        `share` is the part of the point that the first team got. In a mapping by player it belongs to the
        better placed player, who becomes the first side. The order of names in a mapping means nothing.

        >>> Event.of(ranks={"ann": 1, "bob": 2, "cat": 2}).ranks
        (1, 2, 2)
        >>> Event.of(scores={"ann": 3.5, "bob": 9}).ranks
        (2, 1)
        >>> Event.of(teams=[["ann", "bob"], ["cat"]], ranks=[2, 1]).sides
        (('ann', 'bob'), ('cat',))
        """
        place = _event_name(name)
        given = ranks if scores is None else scores
        if given is None or (ranks is not None and scores is not None):
            raise InputError("give either ranks or scores", event=place)
        sides, values = _sides_and_values(given, teams, place)
        _check_members(sides, place)
        if scores is None:
            checked = tuple(_rank(value, side, place) for value, side in zip(values, sides, strict=True))
            points = None
        else:
            points = tuple(_score(value, side, place) for value, side in zip(values, sides, strict=True))
            checked = ranks_of_scores(points, lower_is_better)
        if share is not None:
            share = check_share(share, sides, place)
            if teams is None and checked[0] > checked[1]:
                sides, checked = sides[::-1], checked[::-1]
                points = None if points is None else points[::-1]
            _check_agreement(share, sides, checked, place, by_team=teams is not None)
        guests = [unrated] if isinstance(unrated, str) else tuple(unrated)
        named = home is not None or guests or play  # only then somebody has to be one of them
        members = {member for side in sides for member in side} if named else set()
        return cls(
            sides=sides,
            ranks=checked,
            scores=points,
            time=to_micros(time),
            weight=check_weight(weight, place),
            home=None if home is None else _member(home, members, "the home side", place),
            share=share,
            unrated=frozenset(_member(guest, members, "unrated", place) for guest in guests)
            if guests
            else frozenset(),
            play=parts_played(play, members, place) if play else (),
            ceiling=None if ceiling is None else _ceiling(ceiling, place),
            name=place,
        )

    def tidied(self) -> Event:
        """The event with players' names as tables have them: without blanks around them, in NFC.

        >>> Event.of(ranks={"ann ": 1, "bob": 2}).tidied().sides
        (('ann',), ('bob',))
        """
        names = {name: tidy_name(name) for side in self.sides for name in side}
        if all(name == tidy for name, tidy in names.items()):
            return self
        sides = tuple(tuple(names[name] for name in side) for side in self.sides)
        _check_members(sides, self.name)
        return replace(
            self,
            sides=sides,
            home=None if self.home is None else names[self.home],
            unrated=frozenset(names[name] for name in self.unrated),
            play=tuple((names[name], part) for name, part in self.play),
        )

    @classmethod
    def of_match(
        cls,
        winner: str,
        loser: str,
        *,
        draw: bool,
        time: Time | None,
        weight: float,
        home: str | None,
        name: str | None,
    ) -> Event:
        """A match of two players: what `Ladder.record_match` takes."""
        a, b = player_name(winner), player_name(loser)
        place = _event_name(name)
        if not a.strip() or not b.strip():
            raise InputError("a player's name is empty", event=place)
        if a == b:
            raise InputError(f"{shorten(a)!r} cannot play against itself", event=place)
        return cls(
            sides=((a,), (b,)),
            ranks=(1, 1) if draw else (1, 2),
            time=to_micros(time),
            weight=check_weight(weight, place),
            home=None if home is None else _member(home, {a, b}, "the home side", place),
            name=place,
        )


def ranks_of_scores(scores: Sequence[float], lower_is_better: bool = False) -> tuple[int, ...]:
    """Ranks from scores, 1 for the best; equal scores share a rank and the next is skipped (1-2-2-4)."""
    keys = list(scores) if lower_is_better else [-score for score in scores]
    place: dict[float, int] = {}
    for position, key in enumerate(sorted(keys), start=1):
        place.setdefault(key, position)
    return tuple(place[key] for key in keys)


def check_weight(weight: float, event: str | None = None) -> float:
    """The weight as a float; refused outside `SMALLEST_WEIGHT` to `LARGEST_WEIGHT`."""
    if not (_is_number(weight) and SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT):
        limits = f"from {SMALLEST_WEIGHT:g} to {LARGEST_WEIGHT:g}"
        raise InputError(f"weight must be {limits}, not {shorten(repr(weight))}", event=event)
    return float(weight)


def _sides_and_values(
    given: Mapping[str, float] | Sequence[float], teams: Sequence[Collection[str]] | None, event: str | None
) -> tuple[tuple[tuple[str, ...], ...], tuple[float, ...]]:
    if teams is None:
        if not isinstance(given, Mapping):
            raise InputError(
                "ranks and scores are given by player, such as {'ann': 1, 'bob': 2}", event=event
            )
        return tuple((player_name(p),) for p in given), tuple(given.values())
    if isinstance(given, Mapping):
        raise InputError("with teams, give ranks or scores as a list, one for each team", event=event)
    if len(given) != len(teams):
        raise InputError(f"{len(teams)} teams but {len(given)} ranks or scores", event=event)
    if any(isinstance(team, str) for team in teams):
        raise InputError("a team is a list of players, not one name", event=event)
    return tuple(tuple(player_name(p) for p in team) for team in teams), tuple(given)


def _check_members(sides: tuple[tuple[str, ...], ...], event: str | None) -> None:
    if len(sides) < 2:
        raise InputError("an event needs at least two sides", event=event)
    seen: set[str] = set()
    for side in sides:
        if not side:
            raise InputError("a team has no members", event=event)
        for name in side:
            if not name.strip():
                raise InputError("a player's name is empty", event=event)
            if name in seen:
                raise InputError(f"{shorten(name)!r} takes part twice", event=event)
            seen.add(name)


def _event_name(name: object) -> str | None:
    """What an event is called; a blank name is none."""
    return None if name is None or not str(name).strip() else str(name)


def _is_number(value: Any) -> bool:
    """Whether arithmetic with it means something: text and booleans are no numbers."""
    return type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))


def _rank(value: Any, side: tuple[str, ...], event: str | None) -> int:
    if type(value) is int and 1 <= value <= LARGEST_RANK:  # as nearly always
        return value
    if not _is_number(value) or not -LARGEST_RANK <= value <= LARGEST_RANK or value != int(value):
        raise InputError(
            f"the rank of {shorten(side[0])!r} is {shorten(repr(value))}, not a whole number", event=event
        )
    if value < 1:
        raise InputError(
            f"the rank of {shorten(side[0])!r} is {value!r}, and the best rank is 1",
            event=event,
            hint="give points (higher is better) as scores=",
        )
    return int(value)


def _score(value: Any, side: tuple[str, ...], event: str | None) -> float:
    if not _is_number(value) or not math.isfinite(as_float(value)):
        said = shorten(repr(value))
        raise InputError(f"the score of {shorten(side[0])!r} is {said}, not a number", event=event)
    return float(value)


def _member(name: str, members: Collection[str], what: str, event: str | None) -> str:
    checked = player_name(name)
    if checked not in members:
        raise InputError(f"{shorten(checked)!r} is {what} but does not take part", event=event)
    return checked


def check_share(share: Any, sides: tuple[tuple[str, ...], ...], event: str | None) -> float:
    """The share as a float; refused if there are more than two sides, or if it is no part of a point."""
    if len(sides) != 2:
        raise InputError(
            "share divides one point between two sides, and this event has more sides", event=event
        )
    if not (_is_number(share) and 0.0 <= share <= 1.0):
        raise InputError(f"share must be from 0 to 1, not {share!r}", event=event)
    return float(share)


def _check_agreement(
    share: float,
    sides: tuple[tuple[str, ...], ...],
    ranks: tuple[int, ...],
    event: str | None,
    *,
    by_team: bool,
) -> None:
    """Refuse a share of the first side that its rank contradicts."""
    if ranks[0] == ranks[1] and share != 0.5 and not by_team:
        raise InputError(
            f"both players have the same rank, so share={share:g} belongs to neither",
            event=event,
            hint="rank the player with the larger share first, or give teams, whose order counts",
        )
    if (ranks[0] < ranks[1] and share < 0.5) or (ranks[0] > ranks[1] and share > 0.5):
        better = int(ranks[0] > ranks[1])
        raise InputError(
            f"share={share:g} gives {shorten(sides[better][0])!r} the better rank and less than half",
            event=event,
            hint="share is the first team's" if by_team else "share belongs to the better placed player",
        )


def parts_played(
    play: Mapping[str, float], members: Collection[str], event: str | None
) -> tuple[tuple[str, float], ...]:
    """The players who took part in less than the whole event, each with that part; checked."""
    if not isinstance(play, Mapping):
        raise InputError("play is given by player, such as {'ann': 0.5}", event=event)
    parts = {_member(name, members, "with a part played", event): part for name, part in play.items()}
    for name, part in parts.items():
        if not (_is_number(part) and LEAST_PLAY <= part <= 1.0):
            raise InputError(
                f"{shorten(name)!r} played {part!r} of the event, and a part must be from {LEAST_PLAY:g} "
                "to 1",
                event=event,
                hint=PLAY_HINT,
            )
    return tuple((name, float(part)) for name, part in parts.items() if part != 1.0)


def _ceiling(ceiling: Any, event: str | None) -> float | None:
    if not _is_number(ceiling) or not as_float(ceiling) > -math.inf:
        said = shorten(repr(ceiling))
        raise InputError(f"ceiling must be the highest rating an event can show, not {said}", event=event)
    return None if as_float(ceiling) == math.inf else float(ceiling)


_WORDS = signature(Event.of).parameters
_HINT = "an event is an Event, an Adjustment, or a dict of " + ", ".join(_WORDS)


def collected(
    items: Iterable[Event | Adjustment | Mapping[str, Any]], names: Names
) -> tuple[list[Event], tuple[Placed, ...]]:
    """Split a list into its events and the adjustments between them; adds their players to `names`."""
    if not isinstance(items, Iterable) or isinstance(items, Mapping):
        raise ParameterError(f"events must be a list, not {type(items).__name__}", hint=_HINT)
    events: list[Event] = []
    placed: list[Placed] = []
    for item in items:
        if isinstance(item, Adjustment):
            placed.append(Placed(len(events), NO_TIME, item))
            placed[-1].register(names)
        else:
            events.append(item if isinstance(item, Event) else _event_from(item, len(events) + 1))
    if not events and not placed:
        raise InputError("there are no events")
    return events, tuple(placed)


def _event_from(item: object, number: int) -> Event:
    """The event that the words of `Event.of` describe; errors say which of many it is."""
    if not isinstance(item, Mapping):
        raise InputError(f"{shorten(repr(item))} is not an event", event=str(number), hint=_HINT)
    if unknown := [word for word in item if word not in _WORDS]:
        raise InputError(f"{unknown[0]!r} is not part of an event", event=str(number), hint=_HINT)
    try:
        return Event.of(**item).tidied()
    except InputError as error:
        if error.event is not None:
            raise
        raise InputError(error.reason, event=str(number), hint=error.hint) from error


def _parts_played(events: Sequence[Event]) -> NDArray[np.float64] | None:
    """The part of the event each row's player took part in."""
    if not any(event.play for event in events):
        return None
    parts = []
    for event in events:
        played = dict(event.play)
        parts += [played.get(player, 1.0) for side in event.sides for player in side]
    return np.array(parts)


def _named(events: Sequence[Event]) -> list[bool] | None:
    """Which events have a name of their own; what several of one time share is the name of something else."""
    if len(events) == 1:  # as each event that is recorded online
        return [True] if events[0].named and events[0].name is not None else None
    shared = Counter((event.name, event.time) for event in events)
    named = [e.named and e.name is not None and shared[e.name, e.time] == 1 for e in events]
    return named if any(named) else None


def event_rows(events: Sequence[Event], names: Names) -> dict[str, Any]:
    """The columns of a history with these events in this order; adds their players to `names`."""
    rows = [(e, side, player) for e in events for side, members in enumerate(e.sides) for player in members]

    def per_row(
        value: Callable[[Event, int, str], Any], used: Callable[[Event], bool]
    ) -> NDArray[Any] | None:
        return np.array([value(*row) for row in rows]) if any(map(used, events)) else None

    def per_event(column: str, none: Any) -> NDArray[Any] | None:
        found = [getattr(event, column) for event in events]
        if all(value is None or value == none for value in found):
            return None
        return np.array([none if value is None else value for value in found])

    player = np.array([names.add(player) for _, _, player in rows], np.int32)
    hosts = [event.home for event in events]
    named = _named(events)
    return {
        "offsets": np.array([0, *accumulate(sum(map(len, event.sides)) for event in events)], np.int64),
        "player": player,
        "rank": np.array([event.ranks[side] for event, side, _ in rows], np.int32),
        "time": np.array([event.time for event in events], np.int64),
        "score": per_row(
            lambda e, side, _: e.scores[side] if e.scores else np.nan, lambda e: e.scores is not None
        ),
        "share": per_row(lambda e, side, _: e.share_of(side), lambda e: e.share is not None),
        "side": None
        if not any(event.has_teams for event in events)
        else np.array([side for _, side, _ in rows], np.int32),
        "unrated": per_row(lambda e, _, player: player in e.unrated, lambda e: bool(e.unrated)),
        "play": _parts_played(events),
        "weight": per_event("weight", 1.0),
        "home": None
        if not any(hosts)
        else np.array([-1 if host is None else names.add(host) for host in hosts], np.int32),
        "ceiling": per_event("ceiling", np.inf),
        "event_names": None
        if all(event.name is None for event in events)
        else tuple(event.name or str(number) for number, event in enumerate(events, start=1)),
        "named": None if named is None else np.array(named),
    }
