"""Trading accounts: a new one instead of the old, or several of which the best is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from podium.arrays import Longs
from podium.history import History, Names
from podium.studies.attacks.altered_histories import Own
from podium.studies.attacks.rating_walk import Walk
from podium.studies.attacks.strategy import Altered, Goal, Phase, Trading, event_count
from podium.systems.contract.system import RatingSystem

NOBODY = -1
"""The account of somebody who has none yet."""


@dataclass(frozen=True)
class FreshAccount(Trading):
    """A new account instead of the old one: is it rated higher, and for how long?"""

    name: ClassVar[str] = "fresh-account"
    summary: ClassVar[str] = "leave the old account and continue honestly with a new one"

    honest: int = event_count(45, "honest events before")
    after: int = event_count(60, "events of the new account")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The old account, the new one."""
        return Phase("old account", self.honest), Phase("new account", self.after)

    @property
    def accounts(self) -> int:
        """One new account."""
        return 1

    def rewrite(self, history: History, own: Own, system: RatingSystem) -> Altered:
        """The rows after the first phase belong to somebody new."""
        names, new = with_new_accounts(history.players, own, 1)
        old = np.arange(len(own.rows)) < self.honest
        altered = played_by(replace(history, players=names), own, np.where(old, own.player, new[0]))
        return Altered(altered, own.events, np.where(old, NOBODY, new[0])[:, None])


@dataclass(frozen=True)
class Smurf(FreshAccount):
    """A new account to be underestimated with: how far below, and how soon found?

    It is measured after `early` events of the new account: how far below the old one it still is.
    """

    name: ClassVar[str] = "smurf"
    summary: ClassVar[str] = "begin again on a new account, to be taken for a beginner"
    goal: ClassVar[Goal] = "lower"

    early: int = event_count(5, "events of the new account after which it is measured")

    @property
    def measured(self) -> int:
        """The last of the early events."""
        return min(self.honest + max(self.early, 1), self.events) - 1


@dataclass(frozen=True)
class BestAccount(Trading):
    """Several accounts of one person, of which the best is shown: it is kept, and luck is tried elsewhere.

    After the honest phase the person plays under the account that is rated lowest. With `visit` the best
    account plays too, every so many events: a leaderboard may ask for recent play.
    """

    name: ClassVar[str] = "best-account"
    summary: ClassVar[str] = "have several accounts, play under the one rated lowest, and show the best"

    honest: int = event_count(45, "honest events before, with one account")
    after: int = event_count(60, "events with several accounts")
    several: int = event_count(2, "accounts, the first one included")
    visit: int = event_count(0, "events after which the best account plays again. 0 means never")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """One account, several of them."""
        return Phase("honest", self.honest), Phase("several accounts", self.after)

    @property
    def accounts(self) -> int:
        """All but the first."""
        return max(self.several - 1, 0)

    def rewrite(self, history: History, own: Own, system: RatingSystem) -> Altered:
        """The history in which the rows after the first phase belong to whichever account was lowest."""
        names, new = with_new_accounts(history.players, own, self.accounts)
        history, accounts = replace(history, players=names), np.array([own.player, *new])
        walk, player = Walk(system, history), np.full(len(own.rows), own.player)
        last = np.full(len(accounts), self.honest - 1)
        for number in range(self.honest, len(own.rows)):
            event = int(own.events[number])
            walk.upto(event)
            rating = walk.displays(accounts, event)
            best = int(np.argmax(rating))
            waits = self.visit and number - last[best] >= self.visit
            chosen = best if waits else int(np.argmin(rating))
            last[chosen], player[number] = number, accounts[chosen]
            row = own.rows[number : number + 1] - history.offsets[event]
            here = Own(own.player, row, np.zeros(1, np.int64))
            walk.rate(played_by(history[event : event + 1], here, accounts[chosen : chosen + 1]))
        shown = np.full((len(player), len(accounts)), NOBODY)
        for column, account in enumerate(accounts.tolist()):
            begun = np.maximum.accumulate(player == account)
            shown[begun, column] = account
        return Altered(played_by(history, own, player), own.events, shown)


def played_by(history: History, own: Own, accounts: Longs) -> History:
    """The history in which these accounts played somebody's own events, one after another."""
    player = history.player.copy()
    player[own.rows] = accounts
    home = None if history.home is None else history.home.copy()
    if home is not None:
        home[own.events] = np.where(home[own.events] == own.player, accounts, home[own.events])
    return replace(history, player=player, home=home)


def with_new_accounts(names: Names, own: Own, number: int) -> tuple[Names, Longs]:
    """The names with so many new ones, and where those are."""
    known, boss = Names(names), names[own.player]
    new: list[int] = []
    for _ in range(number):
        called, tries = f"{boss}'s {len(new) + 1}", 0
        while called in known:
            tries += 1
            called = f"{boss}'s {len(new) + 1} ({tries})"
        new.append(known.add(called))
    return known, np.array(new, np.int64)
