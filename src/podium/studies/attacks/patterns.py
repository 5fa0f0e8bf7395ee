"""The best way to throw events, found by trying all: every pattern of a short horizon is its own account.

The attacker comes from a rated history, as they are; so do the others, whose ratings are held as they were.
Then all accounts face the same fields with the same luck, and differ in what they throw. What the best of
them gains over the honest one is proved for that field and that luck: no other pattern gains more. It is what
somebody would gain who knew the luck; what one pattern gains wherever it is tried says `fix_pattern`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Ints, Longs
from podium.errors import ParameterError, UnsupportedError
from podium.history import History, Names
from podium.parameters import check_whole
from podium.studies.attacks.altered_histories import LAST_PLACE, fallen_ranks, own_events
from podium.systems.contract.system import RatingSystem

MOST_PATTERN_EVENTS = 16
"""There are 65,536 patterns of so many."""
ROUNDING_POINTS = 1e-6
"""Points that may be due to rounding."""


@dataclass(frozen=True, eq=False)
class PatternSearch:
    """All patterns of events thrown and not thrown, by what they are worth."""

    system: RatingSystem
    player: str
    throwable: Bools
    """The events, or blocks of them, in which falling changes anything; a lost match cannot be thrown."""
    gains: Floats
    """Displayed points above honest play at the end, of each pattern: bit k is the k-th of those."""

    @property
    def best(self) -> Bools:
        """The events, or blocks, thrown by the best pattern; none where none is better than honest play."""
        number = int(np.argmax(self.gains)) if self.pays else 0
        thrown = np.zeros(len(self.throwable), np.bool_)
        thrown[self.throwable] = (number >> np.arange(self.throwable.sum())) & 1
        return thrown

    @property
    def gain(self) -> float:
        """Points the best pattern gains over honest play; 0 where none does."""
        return float(self.gains.max()) if self.pays else 0.0

    @property
    def pays(self) -> bool:
        """Whether some pattern is better than honest play, by more than rounding."""
        return bool(self.gains.max() > ROUNDING_POINTS)

    @property
    def pattern(self) -> str:
        """The best pattern, a letter an event or block: x is thrown."""
        return write_pattern(self.best)

    @property
    def next_best(self) -> float:
        """What the best pattern that throws something gains; below 0 it loses so much, NaN where none can."""
        return float(self.gains[1:].max(initial=-np.inf)) if len(self.gains) > 1 else np.nan

    @property
    def of_all(self) -> Floats:
        """The gain of every pattern of all events or blocks, bit k the k-th, throwable or not."""
        every = np.arange(2 ** len(self.throwable))
        number = np.zeros(len(every), np.int64)
        for bit, event in enumerate(np.flatnonzero(self.throwable).tolist()):
            number |= ((every >> event) & 1) << bit
        return self.gains[number]


@dataclass(frozen=True, eq=False)
class FixedPattern:
    """One pattern for everybody, chosen on some runs and judged on others: nobody knows the luck."""

    events: int
    number: int
    """The pattern: bit k is the k-th event or block; 0 is honest play."""
    chosen_on: int
    """The first so many runs, on which no other gains more on average."""
    trained: float
    """What it gains there."""
    gains: Floats
    """Points above honest play in each of the other runs."""

    @property
    def pattern(self) -> str:
        """A letter an event or block: x is thrown, where it can be."""
        return write_pattern((self.number >> np.arange(self.events)) & 1)


def fix_pattern(searches: Sequence[PatternSearch]) -> FixedPattern | None:
    """The pattern that gains most on the first half of the runs, and what it gains on the rest.

    None where there are fewer than two runs. Honest play is a pattern too, and wins where none gains more.
    """
    half = len(searches) // 2
    if not half:
        return None
    everyone = np.array([search.of_all for search in searches])
    means = everyone[:half].mean(axis=0)
    best = int(np.argmax(means)) if means.max() > ROUNDING_POINTS else 0
    return FixedPattern(len(searches[0].throwable), best, half, float(means[best]), everyone[half:, best])


def write_pattern(thrown: NDArray[np.integer] | Bools) -> str:
    """A letter an event: x is thrown."""
    return "".join("x" if one else "·" for one in thrown.tolist())


def search_patterns(
    history: History,
    player: str,
    system: RatingSystem,
    *,
    events: int = 12,
    block: int = 1,
    after: int = 45,
    field: int = 20,
    seed: int = 0,
) -> PatternSearch:
    """Try all ways to throw some of a player's next `events`, after so many own events were rated.

    With a `block` so many events in a row are thrown together or not at all, and `events` counts blocks. Of a
    larger event `field` others are drawn, the same for all patterns; `seed` is for that. Others are out of
    competition: everybody meets them as they were before.

    >>> import podium
    >>> from podium.studies.attacks import SimulatedContests
    >>> case = SimulatedContests(players=50, contests=30).make(seed=1)
    >>> for system in (podium.Topcoder(), podium.EloMMR()):
    ...     found = search_patterns(*case, system, events=8, after=20)
    ...     print(system.name, found.pattern, f"{found.gain:+.0f}")
    topcoder x······· +143
    elo-mmr ········ +0
    """
    check_whole("events", events, 1)
    check_whole("after", after, 0)
    check_whole("block", block, 1)
    check_whole("field", field, 1)
    if events > MOST_PATTERN_EVENTS:
        raise ParameterError(f"patterns of {events} events", hint=f"at most {MOST_PATTERN_EVENTS}")
    own = own_events(history, player, after + events * block)
    state = system.new_state(len(history.players))
    system.update(state, history[: int(own.events[after])], trace=False)
    chance = np.random.default_rng(seed)
    chosen = slice(after, after + events * block)
    rows_events = zip(own.rows[chosen].tolist(), own.events[chosen].tolist(), strict=True)
    played = [_drawn(history, row, event, field, chance) for row, event in rows_events]
    others = np.unique(np.concatenate([one.others for one in played]))
    state = state.take(np.concatenate(([own.player], others)))
    accounts, throwable = 1, np.zeros(events, np.bool_)
    for number in range(events):
        together = played[number * block : (number + 1) * block]
        throwable[number] = any(one.thrown is not None for one in together)
        copies = 2 if throwable[number] else 1
        twice, kept = np.tile(np.arange(accounts), copies), accounts + np.arange(len(others))
        state = state.take(np.concatenate((twice, kept)))
        names, accounts = Names(map(str, range(state.size))), copies * accounts
        for one in together:
            where = accounts + np.searchsorted(others, one.others)
            system.update(state, one.with_all(names, accounts, where), trace=False)
    mu, sigma = system.view(state, np.arange(accounts), int(played[-1].event.time[0]))
    display = system.display(mu, sigma)
    return PatternSearch(system, player, throwable, display - display[0])


@dataclass(frozen=True, eq=False)
class _TriedPattern:
    """An event as it was: the attacker first, then those drawn of the others."""

    event: History
    """A history of it alone, for what is known of it beside ranks."""
    others: Longs
    honest: Ints
    thrown: Ints | None
    """Ranks, where falling changes them."""

    def with_all(self, names: Names, accounts: int, others: Longs) -> History:
        """It once for each account: the first half plays as it can, the second throws where it can."""
        ranks = np.vstack((self.honest, self.honest if self.thrown is None else self.thrown))
        throws = np.arange(accounts) * 2 // max(accounts, 2)
        size = len(self.honest)
        player = np.empty((accounts, size), np.int32)
        player[:, 0], player[:, 1:] = np.arange(accounts), others
        held = np.ones((accounts, size), np.bool_)
        held[:, 0] = False
        weight, ceiling = self.event.weight, self.event.ceiling
        return History(
            players=names,
            offsets=np.arange(accounts + 1) * size,
            player=player.ravel(),
            rank=ranks[throws].ravel(),
            time=np.repeat(self.event.time, accounts),
            weight=None if weight is None else np.repeat(weight, accounts),
            ceiling=None if ceiling is None else np.repeat(ceiling, accounts),
            unrated=held.ravel(),
        )


def _drawn(history: History, row: int, event: int, field: int, chance: np.random.Generator) -> _TriedPattern:
    """An event of the attacker and some of the others; teams are refused."""
    one = history[event : event + 1]
    if one.sides_per_event[0] < one.rows:
        raise UnsupportedError("patterns are searched in events of single players", evidence="teams")
    mine = row - int(history.offsets[event])
    others = np.delete(np.arange(one.rows), mine)
    if len(others) > field:
        others = np.sort(chance.choice(others, field, replace=False))
    ranks = one.rank[np.concatenate(([mine], others))]
    places = (1 + np.searchsorted(np.sort(ranks), ranks)).astype(np.int32)
    fallen = fallen_ranks(places, np.arange(len(places)), 0, LAST_PLACE)
    return _TriedPattern(one, one.player[others].astype(np.int64), places, fallen)
