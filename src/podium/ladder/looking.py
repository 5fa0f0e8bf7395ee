"""Looking at a ladder: ratings, leaderboards, and why a rating is what it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import UnknownPlayerError
from podium.history.times import Time, to_datetime, to_micros
from podium.ladder.dated import dated
from podium.ladder.explanations import Remembered, explain_changes, explain_performances
from podium.ladder.journal import Journal
from podium.ladder.locking import check_tables, locked
from podium.ladder.predictions import Predicting
from podium.systems import Shares
from podium.systems.contract.distribution import Distribution
from podium.systems.contract.explained_ratings import Contribution, Explanation, PerformanceExplanation
from podium.systems.contract.ratings import Rating
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

    from podium.ladder.rating_tables import ShownRatings


class Looking(Predicting):
    """What can be seen of a ladder."""

    _journal: Journal
    last_event_time: int
    _shown: ShownRatings | None = None

    @dated
    def rating(self, player: str, *, at: Time | None = None) -> Rating:
        """A player's rating now. With `at`, the rating from which an event at that time would start.

        A time before the ladder's last event needs a ladder with a log: see `Ladder.at`.
        """
        index = self._known(player)
        mu, sigma = self.system.view(self.state, np.array([index]), to_micros(at))
        return Rating(
            player=self.players[index],
            mu=float(mu[0]),
            sigma=None if sigma is None else float(sigma[0]),
            display=float(self.system.display(mu, sigma)[0]),
            events=int(self.state["events"][index]),
            last_time=to_datetime(int(self.state["last_time"][index])),
        )

    @dated
    def distribution(self, player: str, *, at: Time | None = None) -> Distribution:
        """The probability distribution of a player's rating.

        Systems with `mu` and `sigma` give a normal distribution. Systems that keep more give their exact
        distribution.
        """
        index = self._known(player)
        found = self.system.belief(self.state, index, to_micros(at))
        return replace(found, player=self.players[index])

    @dated
    def ratings(self, *, at: Time | None = None) -> pl.DataFrame:
        """All players, best first, equals by name: player, mu, sigma, display, events, last_time."""
        check_tables()
        from podium.ladder.rating_tables import ratings_table

        return ratings_table(self.system, self.state, self.players, to_micros(at))

    def _known(self, player: str) -> int:
        """The index of a player on the ladder; raises if there is none of this name."""
        name = self.players.meant(player)
        index = self.players.find(name)
        if index is None or not self.state["known"][index]:
            hint = self._name_meant(name)
            raise UnknownPlayerError(f"there is no player {shorten(name)!r} on this ladder", hint=hint)
        return index

    def _name_meant(self, name: str) -> str | None:
        """A hint at the player who may be meant by a name that nobody has."""
        return did_you_mean(name, self.players.to_list())

    @dated
    def leaderboard(
        self,
        *,
        min_events: int = 1,
        active_since: Time | None = "usual",
        max_sigma: float | None = None,
        provisional: bool = False,
        top: int | None = None,
        at: Time | None = None,
    ) -> pl.DataFrame:
        """`ratings` with a place, only for players with enough and recent events and a small sigma.

        `active_since` is a time, or how long before the ladder's last event: "90d", "12w". By default
        players may stay away for ten of the usual breaks between two events of a player: 30, 180, 365, 730 or
        1,825 days before the day of the last event. None also ranks players who stopped. A rating that was
        set counts like an event at its date. With `at` it is the leaderboard of that time, as in `rating`.
        Players without a rated event have a rating but no place. Their rating was set, they are anchored, or
        they only took part out of competition. ``min_events=0`` lists them too. With `provisional`, players
        who do not pass follow after those who do, with null for a place.
        """
        check_tables()
        from podium.ladder.rating_tables import (
            ShownRatings,
            active_from,
            best_rows,
            leaderboard,
            ratings_table,
        )

        rows, micros = None, to_micros(at)
        since = active_from(active_since, self.state, self.last_event_time)
        if top is not None and max_sigma is None and not provisional:
            if micros == NO_TIME:
                self._shown = self._shown or ShownRatings()
                display = self._shown.now(self.system, self.state, self._journal)
            else:
                display = self.system.ratings(self.state, micros).display
            rows = best_rows(self.state, display, max(top, 1), min_events, since)
        return leaderboard(
            ratings_table(self.system, self.state, self.players, micros, rows),
            self,
            min_events=min_events,
            active_since=since,
            max_sigma=max_sigma,
            provisional=provisional,
            top=top,
        )

    @dated
    def explain(self, player: str, *, at: Time | None = None) -> Explanation | PerformanceExplanation:
        """Explain a player's rating.

        For a system that remembers performances (Elo-MMR, Elo-R) the rating is split into three parts: the
        start, older results as one line, and each remembered performance with its share. It also gives the
        limits within which one more result (at time `at`) could move the rating. For other systems it lists
        the change by each remembered event, all older changes as one line, and the points lost during
        absence.
        """
        index, shares = self._known(player), self.shares(player, at=at)
        if shares is not None:
            known, changes = self._remembered_events(player), self._recorded_changes(player)
            return explain_performances(self.rating(player, at=at), shares, known, changes)
        from_start = self._journal.is_from_start(index)
        return self._explain_changes(player, self._recorded_changes(player), from_start=from_start, at=at)

    @locked
    def _remembered_events(self, player: str) -> dict[int, Remembered]:
        """The events recorded one by one that are still remembered, by the player's event count."""
        return self._journal.events_of(self._known(player), player, self.system)

    @locked
    def _explain_changes(
        self, player: str, parts: tuple[Contribution, ...], *, from_start: bool, at: Time | None = None
    ) -> Explanation:
        """The rating as a start plus these changes, `from_start` if they are all that the player had."""
        newcomer = float(self.system.display(*self.system.start(self.state))[0])
        now, then = self.rating(player), self.rating(player, at=at)
        explained = explain_changes(now, newcomer, parts, from_start=from_start)
        opinions = self.system.opinions(self.state, self._known(player), to_micros(at))
        absence = explained.absence + (then.display - now.display)
        return replace(explained, rating=then, absence=absence, opinions=opinions)

    @locked
    def _recorded_changes(self, player: str) -> tuple[Contribution, ...]:
        """What each event and adjustment recorded one by one did, oldest first, as far as remembered."""
        return self._journal.contributions(self._known(player), player, self.system)

    @dated
    def shares(self, player: str, *, at: Time | None = None) -> Shares | None:
        """How much each remembered performance counts in the player's rating. None if none are remembered."""
        index = self._known(player)
        shares = self.system.shares(self.state, index, to_micros(at))
        if shares is not None and self.state.anchored[index]:
            return replace(shares, rise=0.0, fall=0.0, bounds=(0.0, 0.0))
        return shares
