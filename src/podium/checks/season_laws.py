"""Laws about whole seasons: only the order of ranks counts, dates do not matter, no result is left out.

Like those of `result_laws` they are about what people see; many are tried on equal newcomers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from podium.arrays import DAY, NO_TIME
from podium.checks.contract_laws import SUM_TOLERANCE, TOLERANCE, rated, require, require_near
from podium.checks.result_laws import WINS, day_event, means_after
from podium.history import Event, History, Merge, Reset, SetRating
from podium.history.times import to_duration
from podium.ladder.ladder import Ladder
from podium.systems import RatingSystem
from podium.systems.contract.sides import Opponent

SEASONS = 5_880
"""Days, or rating periods, by which dates are moved: a multiple of all short periods."""
MATCHES = 150
"""Matches of a long series."""
PARTS = 1e-6
"""By how much the parts of an explained rating may miss it."""
SKEW = 0.05
"""By how much a chance of ½ may be missed where performances are skewed."""
SLIGHTLY = 0.02
"""Part of a change that may depend on how a site rounds, or on what else happened."""
HALF = 0.5
"""Part of the lead over a newcomer that two accounts keep at least when they are merged."""
WON, LOST = {"ann": 1, "bob": 2}, {"ann": 2, "bob": 1}


def law_dates(system: RatingSystem, history: History) -> None:
    """The same results, all of them years later, lead to the same ratings."""
    period = getattr(system, "period", "event")
    step = DAY if period == "event" else to_duration(period)
    known = history.time != NO_TIME
    moved = replace(history, time=np.where(known, history.time + SEASONS * step, NO_TIME))
    (early, early_trace), (late, late_trace) = rated(system, history), rated(system, moved)
    require_near(late_trace.mu, early_trace.mu, TOLERANCE, "mu of the trace, years later and as it was")
    here, there = system.ratings(early), system.ratings(late)
    require_near(there.mu, here.mu, TOLERANCE, "mu, years later and as it was")
    if here.sigma is not None and there.sigma is not None:
        require_near(there.sigma, here.sigma, TOLERANCE, "sigma, years later and as it was")


def law_order(system: RatingSystem, history: History) -> None:
    """Only the order of ranks counts, not how far apart the numbers are."""
    state, _ = rated(system, history)
    other, _ = rated(system, replace(history, rank=(3 * history.rank + 4).astype(history.rank.dtype)))
    words = "mu, with ranks that are further apart and as it was"
    require_near(system.ratings(other).mu, system.ratings(state).mu, TOLERANCE, words)


def law_series(system: RatingSystem) -> None:
    """Every result counts: one more at the same time, and one after many others, which make ratings surer."""
    one, both = (
        means_after(system, *[day_event(0, ranks=ranks) for ranks in games])["ann"]
        for games in ([WON], [WON, LOST])
    )
    require(both < one, f"ann after a win {one}, after a defeat at the same time as well {both}")
    chance = np.random.default_rng(len(WON))
    turns = [day_event(day, ranks=WON if chance.random() < 0.5 else LOST) for day in range(MATCHES)]
    before = means_after(system, *turns)["ann"]
    won, lost = (means_after(system, *turns, day_event(MATCHES, ranks=ranks))["ann"] for ranks in (WON, LOST))
    words = f"after {MATCHES} matches ann is at {before}, with another win at {won}, another defeat at {lost}"
    require(won >= before - TOLERANCE and won > lost and lost <= before + TOLERANCE, words)
    if system.has_sigma:
        at_once = [replace(event, time=turns[0].time) for event in turns]
        start, first, late = (_deviation(system, at_once[:count]) for count in (0, 1, MATCHES))
        words = f"deviations of a newcomer, after a match and after {MATCHES}: {start}, {first} and {late}"
        require(late < start or first > start, words)


def _deviation(system: RatingSystem, events: list[Event]) -> float:
    """The deviation of ann after events."""
    if not events:
        return float(system.start(system.new_state())[1][0])  # type: ignore[index]
    state, _ = rated(system, History.from_events(events))
    return float(system.view(state, np.array([0]), NO_TIME)[1][0])  # type: ignore[index]


def law_members(system: RatingSystem) -> None:
    """Members of a team have no order, a second one does not hurt, and a part of an event counts less."""
    if system.supports.teams:
        ladder = Ladder(system)
        for day, names in enumerate((("ann", "bob"), ("cat", "dan"))):
            ladder.update(History.from_events([day_event(day, ranks=dict(zip(names, (1, 2), strict=True)))]))
        one = ladder.expected_score(["ann", "bob"], ["eve", "dan"])
        other = ladder.expected_score(["bob", "ann"], ["dan", "eve"])
        words = f"ann and bob are expected to score {one}, bob and ann {other}"
        require(abs(one - other) < SUM_TOLERANCE, words)
        pair = ladder.expected_score(["a stranger", "another"], ["a third"])
        require(pair > 0.5 - SKEW, f"two equals against one are expected to score {pair}")
    if system.supports.play:
        teams = [["ann", "bob"], ["cat", "dan"]]
        start = float(system.start(system.new_state())[0][0])
        after = means_after(system, day_event(0, teams=teams, ranks=[1, 2], play={"ann": 0.1}))
        words = f"ann, who played a tenth of a win, and bob are at {after['ann']} and {after['bob']}"
        require(start < after["ann"] < after["bob"], words)
    if system.supports.many and system.supports.ties:
        after = means_after(system, day_event(0, ranks={"ann": 1, "bob": 2, "cat": 2, "dan": 4}))
        words = f"bob and cat, newcomers who tied, are at {after['bob']} and {after['cat']}"
        require(abs(after["bob"] - after["cat"]) < TOLERANCE, words)


def law_opponents(system: RatingSystem) -> None:
    """An unrated opponent counts for the others as a rated one does."""
    start = float(system.start(system.new_state())[0][0])
    given = [SetRating(player="bob", mu=1.1 * start + 10.0, events=50)]
    ranks = {"ann": 1, "bob": 2}
    if system.supports.many:  # sites may move all who are rated by as much, so compare with a weak player
        ranks["cat"] = 3
        given.append(SetRating(player="cat", mu=0.4 * start, events=50))
    found = []
    for unrated in ((), ("bob",)):
        history = History.from_events([*given, day_event(0, unrated=unrated, ranks=ranks)])
        _, trace = rated(system, history)
        gains = dict(zip(history.player.tolist(), (trace.mu - trace.mu_before).tolist(), strict=True))
        known = {name: gains[number] for name, number in history.players.index_of.items() if number in gains}
        found.append(known["ann"] - known.get("cat", 0.0))
    words = f"ann beats bob, who is rated or unrated, and gains {found}"
    require(abs(found[1] - found[0]) <= SLIGHTLY * abs(found[0]), words)


def law_draws(system: RatingSystem, history: History) -> None:
    """Draws are likeliest between equals, of whom each may win; who is surer is no favourite for that."""
    state, _ = rated(system, history)
    mu, sigma = system.view(state, np.arange(state.size), int(history.time[-1]))
    own, deviation = float(mu[0]), None if sigma is None else float(sigma[0])
    rivals = system.opponent_rating(np.array([0.1, 0.3, 0.5, 0.7, 0.9]), own, deviation)
    others = Opponent(rivals, None if deviation is None else np.full(5, deviation))
    me = Opponent(np.full(5, own), others.sigma)
    draws = system.outcomes_between(me, others, 0.0)
    chances = draws[:, 1].tolist()
    words = f"chances of a draw against players from much better to much worse: {chances}"
    rising, falling = np.diff(draws[:3, 1]), np.diff(draws[2:, 1])
    require(np.all(rising >= -TOLERANCE) and np.all(falling <= TOLERANCE), words)
    require(draws[2, 0] > 0.0 and draws[2, 2] > 0.0, f"equals win, draw and lose with {draws[2].tolist()}")
    if deviation is not None:
        chance = float(system.win_probability(own, deviation, own, 2.0 * deviation))
        words = f"a player at {own} ± {deviation} against one as good, half as sure: {chance}"
        require(abs(chance - 0.5) < SKEW + system.win_probability_error, words)


def law_adjusted(system: RatingSystem) -> None:
    """A reset takes all players to one rating, or leaves all. A merged account is about as good as both."""
    played = Ladder(system)
    for day in range(WINS):
        pairs = [("ann", "bob"), ("cat", "dan")]
        games = [day_event(day, ranks={winner: 1, loser: 2}) for winner, loser in pairs]
        played.update(History.from_events(games))
    before = {name: played.rating(name).mu for name in ("ann", "bob", "cat")}
    apart = before["ann"] - before["bob"]
    for keep, wanted in ((1.0, apart), (0.0, 0.0)):
        ladder = played.copy()
        ladder.adjust(Reset(keep=keep))
        left = ladder.rating("ann").mu - ladder.rating("bob").mu
        words = (
            f"ann is above bob by {before['ann'] - before['bob']}, after a reset that keeps {keep} by {left}"
        )
        require(abs(left - wanted) <= SLIGHTLY * (before["ann"] - before["bob"]), words)
    played.adjust(Merge(player="cat", into="ann"))
    start, merged = float(system.start(played.state)[0][0]), played.rating("ann").mu
    words = (
        f"ann and cat, who won all matches, are at {before['ann']} and {before['cat']}, merged at {merged}"
    )
    require(merged - start >= HALF * (min(before["ann"], before["cat"]) - start), words)


def law_explained(system: RatingSystem, history: History) -> None:
    """The parts of an explained rating add up to it."""
    state, _ = rated(system, history)
    last = int(history.time[-1])
    for player in np.flatnonzero(state.column("events") > 0).tolist():
        shares = system.shares(state, player, last)
        if shares is None:
            continue
        parts = np.concatenate(([shares.origin_share, shares.older_share], shares.share))
        rated_at = np.concatenate(([shares.origin, shares.older], shares.performance))
        mu = float(system.view(state, np.array([player]), last)[0][0])
        total = float(parts[parts > 0.0] @ rated_at[parts > 0.0])
        words = f"the parts of a rating of {mu} add up to {total}, their shares to {parts.sum()}"
        require(abs(parts.sum() - 1.0) < PARTS and abs(total - mu) < PARTS * max(1.0, abs(mu)), words)
