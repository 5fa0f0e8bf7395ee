"""What each player's skill was at each past event, given all results, later ones included.

A rating looks back from its own moment. Who looks back from today knows more: that the one who lost three
finals went on to win ten says something about those three finals. Ebtekar and Liu call it historical skill
estimation (Elo-MMR, section 3, second footnote). Skills drift as a normal random walk and are seen through
performances; `smooth` conditions each player's whole walk on all of them, forwards and backwards
(`podium.evaluation.smoothing.kernels`): exactly where performances are normal (Elo-MMχ), by the most likely
walk and its curvature where they are logistic (Elo-MMR, Elo-R).

>>> import podium
>>> rounds = [{"ranks": {"ann": 2, "bob": 1}}, *({"ranks": {"ann": 1, "bob": 2}} for _ in range(4))]
>>> smoothing = podium.smooth(podium.History.from_events(rounds), podium.EloMMX())
>>> ann = smoothing.player("ann")
>>> ann["mu"].round().to_list(), ann["mu_smoothed"].round().to_list()
([1344.0, 1455.0, 1504.0, 1534.0, 1555.0], [1533.0, 1541.0, 1548.0, 1552.0, 1555.0])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np

from podium.arrays import DAY, NO_TIME, Floats, Longs
from podium.errors import InputError, ParameterError, UnknownPlayerError, UnsupportedError
from podium.evaluation.smoothing.kernels import NO_WALK, WalkBeliefs, Walks
from podium.evaluation.smoothing.walk_smoother import Followed, WalkSmoother, follow
from podium.history import History, HistoryLike, history_meant
from podium.history.names import player_name
from podium.history.ragged import Progress
from podium.history.times import Time, to_micros
from podium.inventory import DEFAULT_SYSTEM
from podium.ladder.ladder import Ladder
from podium.notebooks import MOST_ROWS_SHOWN, expect_work, frame_html, line, with_bar
from podium.systems import RatingSystem, System, system_meant
from podium.systems.contract.ratings import Trace
from podium.systems.contract.skill_walks import LogisticWalk, NormalWalk, SkillWalk
from podium.tables.given_frames import given_kind, given_kind_property, like_given, with_polars
from podium.text import did_you_mean, shorten

if TYPE_CHECKING:
    import polars as pl

    from podium.tables.columns.shapes import ReadKeywords

TOLERANCE = 0.01
"""Points: rounds end when no smoothed skill moves by more."""


@dataclass(frozen=True, eq=False)
class Smoothing:
    """Skills at past events, estimated from all results, later ones included.

    Attributes:
        system: The system that rated it.
        history: The history.
        rounds: How often performances were estimated. 1 uses those of rating.
        change: The largest change of a smoothed skill in the last round, in points. It is 0 after a single
            round.
        mu: Each row's rating after its event, without later results.
        sigma: Each row's deviation after its event, without later results.
        mu_smoothed: Each row's skill at its event, from all results.
        sigma_smoothed: The deviation of that skill.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"])
    >>> smoothing = podium.smooth(matches, "elo-mmx")
    >>> smoothing.rounds, smoothing.frame.height
    (1, 6)
    """

    system: RatingSystem
    history: History
    rounds: int
    change: float
    mu: Floats
    sigma: Floats
    mu_smoothed: Floats
    sigma_smoothed: Floats
    _chains: _Chains

    @given_kind_property
    def frame(self) -> pl.DataFrame:
        """A row for each row of the history: event, time, player, mu, sigma, mu_smoothed, sigma_smoothed."""
        import polars as pl

        from podium.tables.export import event_column, name_column, time_column

        event = self.history.event_of_row
        return pl.DataFrame(
            [
                event_column(self.history).gather(event),
                time_column(self.history.time).gather(event),
                name_column(self.history),
                pl.Series("mu", self.mu),
                pl.Series("sigma", self.sigma),
                pl.Series("mu_smoothed", self.mu_smoothed),
                pl.Series("sigma_smoothed", self.sigma_smoothed),
            ]
        )

    @given_kind
    def player(self, name: str) -> pl.DataFrame:
        """One player's rows, including those under earlier names."""
        wanted = player_name(name)
        index = self.history.players.find(wanted)
        rows = np.zeros(0, np.int64)
        if index is not None:
            rows = np.flatnonzero(self._chains.followed.person == self._chains.followed.players.person[index])
            if not len(rows) and self._chains.followed.players.bare[index]:  # a name that was given up
                rows = np.flatnonzero(self.history.player == index)
        if not len(rows):
            raise UnknownPlayerError(
                f"{shorten(wanted)!r} is in no event",
                hint=did_you_mean(wanted, self.history.players.to_list()),
            )
        return self.frame[rows]

    @given_kind
    def at(self, time: Time) -> pl.DataFrame:
        """All players known at a time, with their skill then, best first.

        `mu` and `sigma` are the ladder's ratings at that time, `mu_smoothed` and `sigma_smoothed` the
        estimates from all results. Between two events a skill drifts by the system's model: by
        `drift_per_day` until the next event begins, and by the rest at that event.
        """
        import polars as pl

        history, system, moment = self.history, self.system, to_micros(time)
        if np.any(history.time == NO_TIME):
            raise InputError("the events have no times", hint="frame has the skills at each event")
        so_far, state = _until(history, moment), system.new_state()
        system.update(state, so_far, trace=False)
        known = np.flatnonzero(state.column("known"))
        mu, sigma = system.view(state, known, moment)
        assert sigma is not None
        mean, variance = self._known_now(so_far, moment, known, mu, sigma**2)
        frame = pl.DataFrame(
            {
                "player": pl.Series(history.players.to_list(), dtype=pl.String).gather(known),
                "mu": mu,
                "sigma": sigma,
                "mu_smoothed": mean,
                "sigma_smoothed": np.sqrt(variance),
            }
        )
        return frame.sort("mu_smoothed", "player", descending=[True, False])

    def _known_now(
        self, so_far: History, moment: int, known: Longs, mu: Floats, variance: Floats
    ) -> tuple[Floats, Floats]:
        """Mean and variance of known players at a moment, given what was rated and believed so far.

        Who is on a walk is between two of its nodes, or after the last. Who was set by hand is before the
        first node of the next walk, if that begins from there, and who is anchored stays.
        """
        chains, rows = self._chains, so_far.rows
        beliefs, everybody = chains.beliefs, chains.followed.person
        if not len(everybody):
            return mu, variance
        players = follow(so_far, chains.trace).players
        anchored = players.anchored[known]
        walking = (players.walk[known] != NO_WALK) & ~anchored
        last = players.last[known][walking]
        node, days = chains.node[last], (moment - self.history.time[self.history.event_of_row[last]]) / DAY
        days[players.bare[known][walking]] = 0.0  # newcomers begin when they are first rated
        mean, after = mu.copy(), np.full(len(mu), -1)
        mean[walking] = beliefs.mean[node]
        variance[walking] = chains.skill.after_days(beliefs.variance[node], days)
        after[walking] = np.where(np.isin(node + 1, chains.walks.offsets), -1, node + 1)
        following = np.full(chains.followed.people, -1)
        following[everybody[rows:][::-1]] = np.arange(rows, len(everybody))[::-1]
        begins = following[players.person[known]]
        begins[walking | anchored] = -1
        begins[chains.trace.mu_before[begins] != mu] = -1
        after[begins >= 0] = chains.node[begins[begins >= 0]]
        predicted = np.where(after < 0, np.inf, beliefs.predicted[after])
        variance = np.minimum(variance, predicted)
        gain = variance / predicted
        return (
            mean + gain * (beliefs.smoothed[after] - mean),
            variance * (1.0 - gain) + gain**2 * beliefs.spread[after],
        )

    def _repr_html_(self) -> str:
        import polars as pl

        last = (
            with_polars(self)
            .frame.group_by("player", maintain_order=True)
            .agg(
                pl.len().alias("events"),
                pl.col("mu", "mu_smoothed").last(),
                pl.col("mu_smoothed").alias("course"),
            )
        )
        last = last.sort("mu_smoothed", descending=True)
        courses = [line(one) for one in last["course"].head(MOST_ROWS_SHOWN).to_list()]
        return frame_html(repr(self), last.drop("course"), course=courses)

    def __repr__(self) -> str:
        rounds = "" if self.rounds == 1 else f", {self.rounds} rounds"
        return f"<Smoothing: {self.history.rows:,} rows, {self.system.label}{rounds}>"


@dataclass(frozen=True, eq=False)
class _Chains:
    """The rows of a history as walks, with the belief about each node."""

    walks: Walks
    beliefs: WalkBeliefs
    node: Longs
    """The number of each row's node."""
    followed: Followed
    trace: Trace
    skill: SkillWalk


@with_bar("smoothing")
def smooth(
    history: HistoryLike,
    system: System | None = None,
    *,
    rounds: int = 1,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
    **options: Unpack[ReadKeywords],
) -> Smoothing:
    """Skills in hindsight: at each past event, from all results.

    Systems with normal beliefs that drift as random walks can be smoothed: elo-mmx, elo-mmr, elo-r,
    trueskill, weng-lin, glicko with ``period=event``, and your own systems with a `skill_walk`.

    A performance depends on the beliefs about the opponents. With more than one round, all performances are
    estimated again from the beliefs that all *other* events give, earlier and later. Walks are then smoothed
    again. Only Elo-MMχ, Elo-MMR and Elo-R have such rounds.

    Args:
        history: A history, or anything that `read_history` reads.
        system: A system or its name. Default: Elo-MMR.
        rounds: The most rounds.
        tolerance: Rounds end when no skill changes by more points than this.
        progress: Called with the rows rated since the last call, then, round after round, with the rows
            smoothed.
        options: How a table is read, as in `read_history`.

    Returns:
        The skill at each event, without and with later results.

    Raises:
        UnsupportedError: The system has no walk.

    >>> import podium
    >>> matches = podium.History.from_matches(["ann", "bob", "ann"], ["bob", "cat", "cat"])
    >>> smoothing = podium.smooth(matches, "elo-mmx")
    >>> smoothing.frame.columns
    ['event', 'time', 'player', 'mu', 'sigma', 'mu_smoothed', 'sigma_smoothed']
    """
    given, history = history, history_meant(history, "smooth", **options)
    chosen = system_meant(system or DEFAULT_SYSTEM)
    expect_work(2 * history.rows)
    if rounds < 1 or not tolerance >= 0.0:
        raise ParameterError(
            f"{rounds} rounds to a tolerance of {tolerance}",
            hint="1 round or more, and a tolerance of 0 or more",
        )
    skill = chosen.skill_walk()
    if rounds > 1 and not isinstance(skill, (NormalWalk, LogisticWalk)):
        raise UnsupportedError(
            f"{chosen.name} has no performances to estimate again",
            hint="use rounds=1, or elo-mmx, elo-mmr or elo-r",
        )
    if isinstance(skill, LogisticWalk) and np.any(history.sides_per_event < history.sizes):
        raise UnsupportedError(f"{chosen.name} cannot smooth events with teams", hint="use elo-mmx")
    trace = Ladder(chosen).update(history, trace=True, allow_repeat=True, progress=progress)
    smoother = WalkSmoother(skill, history, trace, progress)
    done, change = smoother.smooth(rounds, tolerance)
    beliefs, node = smoother.beliefs, smoother.node
    smoothing = Smoothing(
        system=chosen,
        history=history,
        rounds=done,
        change=change,
        mu=trace.mu,
        sigma=trace.sigma,
        mu_smoothed=beliefs.smoothed[node],
        sigma_smoothed=np.sqrt(beliefs.spread[node]),
        _chains=_Chains(smoother.walks, beliefs, node, smoother.followed, trace, skill),
    )
    return like_given(smoothing, given)


def _until(history: History, moment: int) -> History:
    """What there was up to a moment, adjustments after the last event of it too."""
    events = int(np.searchsorted(history.time, moment, "right"))
    placed = tuple(p for p in history.adjustments if p.before <= events and p.time <= moment)
    return replace(history[:events], adjustments=placed)
