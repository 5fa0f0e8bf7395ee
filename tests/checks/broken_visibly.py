"""Systems as a careless author might write them, wrong in ways that people who use them would see.

Most are Elo or Glicko with one thing wrong; the table at the end names a law that must catch it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from podium.arrays import DAY, NO_TIME, EventColumns
from podium.history import Reset
from podium.systems import RatingSystem, State
from podium.systems.contract.ratings import Trace
from podium.systems.elo import Elo
from podium.systems.elo_mmr.elo_mmr import EloMMR
from podium.systems.glicko.glicko import Glicko
from podium.systems.weng_lin.weng_lin import WengLin

NO_BOOLS = np.zeros(0, np.bool_)


def moved(system: Any, state: State, events: EventColumns, trace: Trace, change: Any) -> None:
    """Rate by Elo, event by event, with `change(gain, event)` in place of each row's gain."""
    for e in range(len(events.time)):
        event, part = events.cut(e, e + 1), trace.part(int(events.offsets[e]), int(events.offsets[e + 1]))
        whole = part if len(part.mu) else Trace.for_rows(len(event.player), sigma=False, performance=False)
        Elo.rate_events(system, state, event, whole)
        gains = change(whole.mu - whole.mu_before, event)
        whole.mu[:] = whole.mu_before + gains
        state["mu"][event.player] = whole.mu


@dataclass(frozen=True, kw_only=True)
class PredictsBackwards(Elo):
    def win_probability(self, *given: Any, **more: Any) -> Any:
        return 1.0 - super().win_probability(*given, **more)


@dataclass(frozen=True, kw_only=True)
class TossesACoin(Elo):
    def win_probability(self, *given: Any, **more: Any) -> Any:
        return 0.0 * super().win_probability(*given, **more) + 0.5


@dataclass(frozen=True, kw_only=True)
class IgnoresSigma(Glicko):
    def set_belief(self, state: State, players: Any, mu: Any, sigma: Any) -> None:
        super().set_belief(state, players, mu, None)


@dataclass(frozen=True, kw_only=True)
class ErasesTimes(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        state["last_time"][events.player[np.repeat(events.time == NO_TIME, np.diff(events.offsets))]] = (
            NO_TIME
        )


@dataclass(frozen=True, kw_only=True)
class NobodyLoses(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, _: np.maximum(gain, 0.0))


@dataclass(frozen=True, kw_only=True)
class NeverMoves(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, _: 0.0 * gain)


@dataclass(frozen=True, kw_only=True)
class RatesBackwards(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, _: -gain)


@dataclass(frozen=True, kw_only=True)
class IgnoresWeights(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(weight=np.zeros(0)), trace)


@dataclass(frozen=True, kw_only=True)
class InvertsWeights(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(weight=1.0 / events.weight), trace)


@dataclass(frozen=True, kw_only=True)
class DrawsAreDefeats(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        def punished(gain: Any, event: EventColumns) -> Any:
            tied = event.rank[:, None] == event.rank[None, :]
            return np.where(tied.sum(axis=1) > 1, -0.5 * self.k, gain)

        moved(self, state, events, trace, punished)


@dataclass(frozen=True, kw_only=True)
class IgnoresShares(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(share=np.zeros(0)), trace)


@dataclass(frozen=True, kw_only=True)
class PaysFavourites(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, _: np.sign(gain) * (self.k - np.abs(gain)))


@dataclass(frozen=True, kw_only=True)
class FirstMemberOnly(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        def first(gain: Any, event: EventColumns) -> Any:
            if not len(event.side):
                return gain
            return np.where(np.append(True, event.side[1:] != event.side[:-1]), gain, 0.0)

        moved(self, state, events, trace, first)


@dataclass(frozen=True, kw_only=True)
class BestTeamsExpectedToLose(Elo):
    def joined(self, mu: Any, sigma: Any, sides: Any) -> Any:
        mean, sigma = super().joined(mu, sigma, sides)
        return (mean if sides.single else 2 * self.mu - mean), sigma


@dataclass(frozen=True, kw_only=True)
class LargeContestsReversed(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, event: -gain if len(gain) > 24 else gain)


@dataclass(frozen=True, kw_only=True)
class FieldsAreLotteries(Elo):
    exact_places: ClassVar[Any] = True

    def performance_spread(self, sigma: Any, noise: Any) -> Any:
        return "gumbel", np.full(len(noise), 1e9)


@dataclass(frozen=True, kw_only=True)
class SurerWhileAway(Glicko):
    def view(self, state: State, players: Any, at: int) -> Any:
        mu, sigma = super().view(state, players, at)
        return mu, sigma / (1.0 + state.days_away(players, at))


@dataclass(frozen=True, kw_only=True)
class InflatesEverybody(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        state["mu"][: state.size] += 1.0


@dataclass(frozen=True, kw_only=True)
class ShowsWhatCannotBeImported(Elo):
    def display(self, mu: Any, sigma: Any) -> Any:
        return 2.0 * mu


@dataclass(frozen=True, kw_only=True)
class SetsEverybody(Elo):
    def set_belief(self, state: State, players: Any, mu: Any, sigma: Any) -> None:
        super().set_belief(state, slice(0, state.size), np.max(mu), None)


@dataclass(frozen=True, kw_only=True)
class ComparesOnlyLists(Elo):
    def win_probability(self, *given: Any, **more: Any) -> Any:
        return np.atleast_1d(super().win_probability(*given, **more)).ravel()


@dataclass(frozen=True, kw_only=True)
class WrongInverse(Elo):
    def closed_gap(self, probability: Any, sigma: Any, opponent_sigma: Any) -> Any:
        return 2.0 * super().closed_gap(probability, sigma, opponent_sigma)  # type: ignore[operator]


@dataclass(frozen=True, kw_only=True)
class HastyPools(Elo):
    def near_win_probability(self, mu_a: Any, sigma_a: Any, mu_b: Any, sigma_b: Any) -> Any:
        return np.where(np.greater(mu_a, mu_b), 1.0, 0.5)


@dataclass(frozen=True, kw_only=True)
class TablesDifferFromProfiles(Elo):
    def view(self, state: State, players: Any, at: int) -> Any:
        mu, sigma = super().view(state, players, at)
        return (mu + 50.0 if isinstance(players, slice) else mu), sigma


@dataclass(frozen=True, kw_only=True)
class NobodyIsAtHome(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(home=np.zeros(0, np.int32)), trace)


@dataclass(frozen=True, kw_only=True)
class HomeIsAway(Elo):
    def win_probability(self, mu_a: Any, sigma_a: Any, mu_b: Any, sigma_b: Any, home: Any = 0.0) -> Any:
        return super().win_probability(mu_a, sigma_a, mu_b, sigma_b, -np.asarray(home))


@dataclass(frozen=True, kw_only=True)
class RollsDice(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, _: gain * np.random.default_rng().uniform(0.9, 1.1))


@dataclass(frozen=True, kw_only=True)
class CountsUnrated(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        if len(events.held):
            np.add.at(state["events"], events.player[events.held], 1)


@dataclass(frozen=True, kw_only=True)
class DisplayLeaksIntoRatings(Glicko):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        replace(self, c=self.c + self.display_k).rate_pairs(state, self.evidence(events), trace)

    shown: ClassVar[frozenset[str]] = Glicko.shown | {"display_k"}


@dataclass(frozen=True, kw_only=True)
class ChartsAnotherBelief(Glicko):
    def belief(self, state: State, player: int, at: int = NO_TIME) -> Any:
        found = super().belief(state, player, at)
        return replace(found, points=found.points + 100.0)


@dataclass(frozen=True, kw_only=True)
class TracesOldRatings(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events, trace)
        trace.mu[:] = trace.mu_before


@dataclass(frozen=True, kw_only=True)
class SecondsForMicroseconds(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        time = np.where(events.time == NO_TIME, NO_TIME, events.time // 1_000_000)
        super().rate_events(state, events._replace(time=time), trace)


@dataclass(frozen=True, kw_only=True)
class StopsAfterHundred(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        def change(gain: Any, event: EventColumns) -> Any:
            return np.where(state["events"][event.player] > 100, 0.0, gain)

        moved(self, state, events, trace, change)


@dataclass(frozen=True, kw_only=True)
class OneResultAtATime(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        for e in range(len(events.time)):
            event, part = events.cut(e, e + 1), trace.part(int(events.offsets[e]), int(events.offsets[e + 1]))
            again = (state["last_time"][event.player] == event.time[0]) & (event.time[0] != NO_TIME)
            moved(self, state, event, part, lambda gain, _, again=again: np.where(again, 0.0, gain))


@dataclass(frozen=True, kw_only=True)
class LessSureWithEachResult(Glicko):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        rows = len(events.player)
        whole = trace if len(trace.mu) else Trace.for_rows(rows, sigma=True, performance=False)
        super().rate_events(state, events, whole)
        rated = events.player if not len(events.held) else events.player[~events.held]
        state["variance"][rated] = self.sigma**2
        whole.sigma[:] = self.sigma


@dataclass(frozen=True, kw_only=True)
class CapsWeights(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(weight=np.minimum(events.weight, 1.0)), trace)


@dataclass(frozen=True, kw_only=True)
class CountsRankNumbers(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, event: gain * np.ptp(event.rank))


@dataclass(frozen=True, kw_only=True)
class InflatesWithTheYears(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        def change(gain: Any, event: EventColumns) -> Any:
            return gain if event.time[0] == NO_TIME else gain * event.time[0] / (20_000 * DAY)

        moved(self, state, events, trace, change)


@dataclass(frozen=True, kw_only=True)
class StrangersAreFavourites(Glicko):
    def win_probability(self, mu_a: Any, sigma_a: Any, mu_b: Any, sigma_b: Any, home: Any = 0.0) -> Any:
        a, b = np.add(mu_a, sigma_a), np.add(mu_b, sigma_b)
        return super().win_probability(a, sigma_a, b, sigma_b, home)


@dataclass(frozen=True, kw_only=True)
class DrawsBetweenUnequals(Elo):
    def outcomes_between(self, a: Any, b: Any, home: Any) -> Any:
        win = self.expected_between(a, b, home)
        underdog = np.minimum(win, 1.0 - win)
        draw = 2.0 * underdog * (1.0 - 2.0 * underdog)
        return np.stack([win - draw / 2, draw, 1.0 - win - draw / 2], axis=-1)


@dataclass(frozen=True, kw_only=True)
class PartIsWhole(WengLin):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        super().rate_events(state, events._replace(play=np.zeros(0)), trace)


@dataclass(frozen=True, kw_only=True)
class FirstMemberIsTheTeam(Elo):
    def joined(self, mu: Any, sigma: Any, sides: Any) -> Any:
        return mu[sides.offsets[:-1]], sigma


@dataclass(frozen=True, kw_only=True)
class LargeTeamsLose(Elo):
    def joined(self, mu: Any, sigma: Any, sides: Any) -> Any:
        mean, sigma = super().joined(mu, sigma, sides)
        return mean - 100.0 * (sides.sizes - 1), sigma


@dataclass(frozen=True, kw_only=True)
class UnratedOpponentsAreAir(Elo):
    def rate_events(self, state: State, events: EventColumns, trace: Trace) -> None:
        moved(self, state, events, trace, lambda gain, event: 0.0 * gain if event.held.any() else gain)


@dataclass(frozen=True, kw_only=True)
class KeepsWhatItShouldReset(Elo):
    def adjust(self, state: State, adjustment: Any, names: Any, time: int = NO_TIME) -> None:
        if isinstance(adjustment, Reset):
            adjustment = replace(adjustment, keep=1.0 - adjustment.keep)
        super().adjust(state, adjustment, names, time)


@dataclass(frozen=True, kw_only=True)
class MergesIntoNewcomers(Elo):
    def merge(self, state: State, source: int, into: int) -> None:
        super().merge(state, source, into)
        state["mu"][into] = self.mu


@dataclass(frozen=True, kw_only=True)
class ExplainsAnotherRating(EloMMR):
    def shares(self, state: State, player: int, at: int) -> Any:
        found = super().shares(state, player, at)
        return None if found is None else replace(found, performance=found.performance + 50.0)


CAUGHT: dict[type[RatingSystem], str] = {
    PredictsBackwards: "law forecast",
    TossesACoin: "law forecast",
    IgnoresSigma: "law imported",
    ErasesTimes: "law books",
    NobodyLoses: "law results",
    NeverMoves: "law results",
    RatesBackwards: "law results",
    IgnoresWeights: "law results",
    InvertsWeights: "law results",
    DrawsAreDefeats: "law results",
    IgnoresShares: "law results",
    PaysFavourites: "law results",
    FirstMemberOnly: "law sides",
    BestTeamsExpectedToLose: "law sides",
    LargeContestsReversed: "law sides",
    FieldsAreLotteries: "law sides",
    SurerWhileAway: "law imported",
    InflatesEverybody: "law undo",
    ShowsWhatCannotBeImported: "law imported",
    SetsEverybody: "law imported",
    ComparesOnlyLists: "law forecast",
    WrongInverse: "law forecast",
    HastyPools: "law forecast",
    TablesDifferFromProfiles: "law books",
    NobodyIsAtHome: "law home",
    HomeIsAway: "law home",
    RollsDice: "law 1 pieces",
    CountsUnrated: "law books",
    DisplayLeaksIntoRatings: "law shown",
    ChartsAnotherBelief: "law forecast",
    TracesOldRatings: "law books",
    SecondsForMicroseconds: "law books",
    StopsAfterHundred: "law series",
    OneResultAtATime: "law series",
    LessSureWithEachResult: "law series",
    CapsWeights: "law results",
    CountsRankNumbers: "law order",
    InflatesWithTheYears: "law dates",
    StrangersAreFavourites: "law draws",
    DrawsBetweenUnequals: "law draws",
    PartIsWhole: "law members",
    FirstMemberIsTheTeam: "law members",
    LargeTeamsLose: "law members",
    UnratedOpponentsAreAir: "law opponents",
    KeepsWhatItShouldReset: "law adjusted",
    MergesIntoNewcomers: "law adjusted",
    ExplainsAnotherRating: "law explained",
}
"""What each of them breaks."""
