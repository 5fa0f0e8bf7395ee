"""One attack on one history: the same events rated as they were, and as they would have been."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import ParameterError
from podium.history import History
from podium.studies.attacks.altered_histories import LAST_PLACE, Own, held_back, own_events, with_falls
from podium.studies.attacks.defences import NO_DEFENCE, Defence
from podium.studies.attacks.rating_walk import RatingCurve, Walk, follow
from podium.studies.attacks.strategy import ABSENT, LEFT, Strategy, Throwing, Trading
from podium.systems.contract.system import RatingSystem

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class AttackRun:
    """What cheating did to one player's rating: event by event, beside the honest history."""

    system: RatingSystem
    strategy: Strategy
    player: str
    honest: RatingCurve
    attacked: RatingCurve
    depth: Floats
    """How deep the player fell on purpose in each event; 0 where not, or where that changed no result."""
    missed: Bools
    """The events the player did not come to, or left."""
    threshold: float | None
    """The rating above which they did, where the strategy looks at one."""

    @property
    def thrown(self) -> Bools:
        """Events whose result the player changed by falling; one that was lost anyway is none of them."""
        return self.depth > 0.0

    @property
    def difference(self) -> Floats:
        """Displayed rating of the cheat minus that of the honest player, after each event."""
        return self.attacked.display - self.honest.display

    @property
    def gain(self) -> float:
        """Displayed points above the honest rating, where the strategy is measured: mostly at the end."""
        return float(self.difference[self.strategy.measured])

    @property
    def gain_mu(self) -> float:
        """How much higher `mu` is than an honest one, at the same moment."""
        at = self.strategy.measured
        return float(self.attacked.mu[at] - self.honest.mu[at])

    @property
    def outcome(self) -> float:
        """Points in the direction of the strategy's goal: above 0 it pays."""
        return self.gain if self.strategy.goal == "higher" else -self.gain

    @property
    def peak_gain(self) -> float:
        """The highest rating ever reached minus the highest of the honest player."""
        return _highest(self.attacked.display) - _highest(self.honest.display)

    @property
    def last_phase_gain(self) -> float:
        """Points gained in the last phase alone; NaN where it is the first, or an account begins in it."""
        last = [phase.events for phase in self.strategy.phases if phase.events][-1]
        before = self.strategy.events - last - 1
        start = self.attacked.display[before] if before >= 0 else np.nan
        return float(self.attacked.display[-1] - start)

    @property
    def lowest(self) -> float:
        """The most points below the honest rating at any time."""
        return _highest(-self.difference)

    @property
    def events_above(self) -> int:
        """After how many events the cheat was rated higher than the honest player."""
        return int(np.sum(self.difference > 0.0))

    @property
    def events_back(self) -> float:
        """Events from the lowest point below the honest rating until nine tenths of it are made good.

        NaN where that never happens, or nothing was lost.
        """
        if not self.lowest > 0.0:
            return np.nan
        at = int(np.nanargmin(self.difference))
        there = np.flatnonzero(self.difference[at:] >= -0.1 * self.lowest)
        return float(there[0]) if len(there) else np.nan

    def to_frame(self) -> pl.DataFrame:
        """One row an own event: number, phase, thrown, and both ratings."""
        import polars as pl

        phases = [phase.name for phase in self.strategy.phases for _ in range(phase.events)]
        return pl.DataFrame(
            {
                "number": np.arange(1, self.strategy.events + 1),
                "phase": phases,
                "thrown": self.thrown,
                "honest_mu": self.honest.mu,
                "honest": self.honest.display,
                "attacked_mu": self.attacked.mu,
                "attacked": self.attacked.display,
            }
        ).fill_nan(None)


def attack_history(
    history: History,
    player: str,
    system: RatingSystem,
    strategy: Strategy,
    *,
    watch: RatingSystem | None = None,
    held: bool = False,
    honest: RatingCurve | None = None,
    defence: Defence = NO_DEFENCE,
) -> AttackRun:
    """What a player's rating would be, had they cheated in this history.

    Everybody else plays as they did; the whole history is rated again, up to the last event the strategy
    needs. `watch` is another system whose rating decides on what to throw, so that the same results go to
    both: as in the paper, where Topcoder's decides and Elo-MMR rates. Where the others are `held`, they are
    rated as if the player had been honest, as Theorem 5.5 has it: what is left is what falling does to the
    player alone. `honest` is the curve of the unaltered history where it is known already (`honest_curve`).
    A `defence` is a rule of the organisers, for the cheat and for the honest player alike.

    >>> import podium
    >>> from podium.studies.attacks import Farming, SimulatedContests, attack_history
    >>> history, best = SimulatedContests(players=60).make(seed=1)
    >>> for system in (podium.Topcoder(), podium.EloMMR(rho=1)):
    ...     run = attack_history(history, best, system, Farming(), watch=podium.Topcoder())
    ...     print(f"{system.name}: {run.thrown.sum()} events thrown, {run.gain:+.0f} points at the end")
    topcoder: 19 events thrown, +383 points at the end
    elo-mmr: 19 events thrown, -7 points at the end
    """
    own = _needed(history, player, strategy)
    system = defence.applied(system)
    if honest is None:
        honest = honest_curve(history, player, system, strategy.events, defence)
    elif len(honest.mu) < strategy.events:
        raise ParameterError(f"an honest curve of {len(honest.mu)} events for {strategy.events}")
    honest = honest.upto(strategy.events)
    if isinstance(strategy, Throwing):
        if held and history.adjustments:
            raise ParameterError("fixed ratings of the others need a history without adjustments")
        decides = system if watch is None else watch
        played = _play(decides, history, own, strategy, defence, held=held)
        attacked = played.curve
        if watch is not None:
            attacked = _play(system, history, own, strategy, defence, held=held, depth=played.depth).curve
        depth, threshold = played.depth, played.threshold
    else:
        assert isinstance(strategy, Trading)
        if watch is not None or held:
            raise ParameterError(f"{strategy.name} throws nothing", hint="leave watch and held out")
        altered = strategy.rewrite(history, own, system)
        if defence.disqualifies:
            altered = altered.without_lost()
        attacked = follow(system, altered.history, altered.events, altered.accounts, defence)
        depth, threshold = np.zeros(len(own.events)), None
    return AttackRun(
        system, strategy, player, honest, attacked, np.maximum(depth, 0.0), depth < 0.0, threshold
    )


def honest_curve(
    history: History, player: str, system: RatingSystem, events: int, defence: Defence = NO_DEFENCE
) -> RatingCurve:
    """The rating of a player who plays as they did, after each of their first so many rated events."""
    own = own_events(history, player, events)
    accounts = np.full((events, 1), own.player)
    return follow(defence.applied(system), history, own.events[:events], accounts, defence)


def _highest(values: Floats) -> float:
    """The highest of the values that are there; NaN where none is."""
    return (
        float(np.max(values, initial=-np.inf, where=~np.isnan(values)))
        if np.isfinite(values).any()
        else np.nan
    )


def _needed(history: History, player: str, strategy: Strategy) -> Own:
    """The own events a strategy is about."""
    own = own_events(history, player, strategy.events)
    return Own(own.player, own.rows[: strategy.events], own.events[: strategy.events])


@dataclass(frozen=True)
class _Played:
    curve: RatingCurve
    depth: Floats
    threshold: float | None


def _play(
    system: RatingSystem,
    history: History,
    own: Own,
    strategy: Throwing,
    defence: Defence,
    *,
    held: bool,
    depth: Floats | None = None,
) -> _Played:
    """Walk through the history, and let the strategy choose before each own event unless that was done.

    Where others are held the walk is the honest one; the player is put in as they would be for their own
    events, and everybody is put back after each.
    """
    walk, curve = Walk(system, history, defence), RatingCurve.empty(len(own.events))
    chosen = np.zeros(len(own.events)) if depth is None else depth
    first, base = strategy.phases[0].events, np.nan
    me, cheat = np.array([own.player]), None
    for number, event in enumerate(own.events.tolist()):
        walk.upto(event)
        one = history[event : event + 1]
        as_were = walk.keep(one.player) if held else None
        if cheat is not None:
            walk.put_in(cheat)
        rating = walk.rating(own.player, event)
        if number <= first:
            base = rating
        if depth is None:
            chosen[number] = strategy.depth(number, rating, base)
            early = strategy.early(one, number)
            if early is not None and _rated(walk, early, own.player, event) < rating:
                chosen[number] = LEFT
        row = int(own.rows[number] - history.offsets[event])
        instead = _thrown(one, row, defence.leaving if chosen[number] == LEFT else float(chosen[number]))
        if chosen[number] > 0.0 and np.array_equal(instead.rank, one.rank):
            chosen[number] = 0.0
        walk.rate(instead)
        walk.look(me, curve, number, event)
        if as_were is not None:
            cheat = walk.keep(me.astype(np.int32))
            walk.put_back(as_were)
            walk.again()
    return _Played(curve, chosen, strategy.bound(base))


def _rated(walk: Walk, instead: History, player: int, event: int) -> float:
    """The displayed rating that this single event would bring; nothing is changed."""
    kept = walk.keep(instead.player)
    walk.rate(instead)
    rating = walk.rating(player, event)
    walk.put_back(kept)
    walk.again()
    return rating


def _thrown(event: History, row: int, depth: float) -> History:
    """A single event after what was decided: to fall so deep, or to stay away.

    Who stays away is still met by the others, and not rated.
    """
    if depth == ABSENT:
        return held_back(event, np.array([row]))
    if not 0.0 <= depth <= LAST_PLACE:
        raise ParameterError(
            f"a strategy falls to {depth!r}", hint="from 0, not at all, to 1, the last place"
        )
    return with_falls(event, np.array([row]), np.array([depth])) if depth else event
