"""A history rated in pieces, and the rating of somebody after each of their own events."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from podium.arrays import Bools, Floats, Ints, Longs
from podium.history import History
from podium.studies.attacks.defences import NO_DEFENCE, Defence
from podium.systems.contract.state import Snapshot
from podium.systems.contract.system import RatingSystem


@dataclass(frozen=True, eq=False)
class RatingCurve:
    """A rating after each own event; NaN where there is no account yet, or none that is displayed."""

    mu: Floats
    sigma: Floats
    """NaN where the system has none."""
    display: Floats

    @classmethod
    def empty(cls, events: int) -> RatingCurve:
        """A curve with room for so many events, to be filled in."""
        return cls(*(np.full(events, np.nan) for _ in range(3)))

    def upto(self, events: int) -> RatingCurve:
        """The curve of the first so many events."""
        return RatingCurve(*(values[:events] for values in (self.mu, self.sigma, self.display)))


class Walk:
    """A history rated in pieces, as far as somebody wants to look."""

    def __init__(self, system: RatingSystem, history: History, defence: Defence = NO_DEFENCE) -> None:
        self._system, self._history, self._defence = system, history, defence
        self._state = system.new_state(len(history.players))
        self._done = 0
        self._played: dict[int, tuple[int, int]] = {}
        """For each account looked at: its rated events, and the own event after which that number rose."""

    def upto(self, event: int) -> None:
        """Rate what comes before this event."""
        if event > self._done:
            self._system.update(self._state, self._history[self._done : event], trace=False)
            self._done = event

    def rate(self, instead: History) -> None:
        """Rate this single event instead of the next one."""
        self._system.update(self._state, instead, trace=False)
        self._done += 1

    def keep(self, players: Ints) -> Snapshot:
        """What an event of these players can change, to be put back."""
        return self._state.snapshot(players)

    def put_back(self, kept: Snapshot) -> None:
        """Take the state back to what was kept."""
        self._state.restore(kept)

    def put_in(self, kept: Snapshot) -> None:
        """Know of these players what was known; what all share stays as it is."""
        self._state.restore(replace(kept, shared={}))

    def again(self) -> None:
        """Let the last event be the next one."""
        self._done -= 1

    def displays(self, players: Longs, event: int) -> Floats:
        """The ratings of these players at the time of an event, as the system displays them."""
        return self._system.display(*self._view(players, event))

    def rating(self, player: int, event: int) -> float:
        """The displayed rating of one player at the time of an event."""
        return float(self.displays(np.array([player]), event)[0])

    def look(self, accounts: Longs, curve: RatingCurve, number: int, event: int) -> None:
        """Write down the best rating displayed of these accounts, after own event `number`."""
        mu, sigma = self._view(accounts, event)
        display = np.where(self._shown(accounts, number), self._system.display(mu, sigma), -np.inf)
        best = int(np.argmax(display))
        if display[best] == -np.inf:
            return
        curve.mu[number], curve.display[number] = mu[best], display[best]
        if sigma is not None:
            curve.sigma[number] = sigma[best]

    def _view(self, players: Longs, event: int) -> tuple[Floats, Floats | None]:
        """Beliefs at the time of an event: who was away for long is less certain."""
        return self._system.view(self._state, players, int(self._history.time[event]))

    def _shown(self, accounts: Longs, number: int) -> Bools:
        """Whether a leaderboard under the defence displays each account."""
        events = self._state.column("events")[accounts]
        for account, count in zip(accounts.tolist(), events.tolist(), strict=True):
            if count != self._played.get(account, (0, 0))[0]:
                self._played[account] = count, number
        idle = [number - self._played.get(account, (0, -1))[1] for account in accounts.tolist()]
        return self._defence.shows(events, np.array(idle))


def follow(
    system: RatingSystem,
    history: History,
    events: Longs,
    accounts: Longs,
    defence: Defence = NO_DEFENCE,
) -> RatingCurve:
    """The best displayed rating of some accounts after each of these events, which are in order.

    `accounts` has a row for each event; −1 in it is no account.
    """
    walk, curve = Walk(system, history, defence), RatingCurve.empty(len(events))
    for number, (event, mine) in enumerate(zip(events.tolist(), accounts, strict=True)):
        walk.upto(event + 1)
        if (there := mine[mine >= 0]).size:
            walk.look(there, curve, number, event)
    return curve
