"""Laws about what people see: results move ratings the right way, predictions follow ratings, undo undoes.

They are tried on equal newcomers, of whom every system has to say the same: who wins rises, who loses falls.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from podium.arrays import DAY, NO_TIME, SECOND
from podium.checks.contract_laws import TOLERANCE, rated, require, require_near, require_same
from podium.history import Event, History, SetRating
from podium.ladder.ladder import Ladder
from podium.systems import RatingSystem

WINS = 8
"""Matches in a row that one of two equal players wins."""
CONTEST = 40
"""Players of a contest in which systems may count by another method than in small ones."""
GAP_TOLERANCE = 0.011
"""By how much a curve may miss the chance it was inverted at: some are tables in hundredths."""
NEAR = 0.02
"""By how much a quick prediction for very many pairs may miss the exact one."""
RANK_TOLERANCE = 0.15
"""By how much a mean rank of three may differ from expected scores: performances may fit them nearly."""
_START = 1_700_000_000
_GAPS = np.geomspace(1e-3, 1e4, 15)


def day_event(day: int, **given: Any) -> Event:
    """An event on a day."""
    return Event.of(time=_START + day * DAY // SECOND, **given)


def _record(ladder: Ladder, event: Event) -> None:
    ladder.update(History.from_events([event]))


def means_after(system: RatingSystem, *events: Event) -> dict[str, float]:
    """Each player's `mu` after events."""
    history = History.from_events(events)
    state, _ = rated(system, history)
    return dict(zip(history.players, system.ratings(state).mu.tolist(), strict=True))


def law_results(system: RatingSystem) -> None:
    """Who wins rises and who loses falls; ties, weights, shares and opponents count for what they are."""
    start = float(system.start(system.new_state())[0][0])
    won, ann = {"ann": 1, "bob": 2}, "ann"
    wins = [day_event(day, ranks=won) for day in range(WINS)]
    after = [means_after(system, *wins[:count]) for count in (1, WINS)]
    words = f"after a win of ann over bob, both newcomers at {start}: {after[0]}"
    require(after[0]["ann"] > start > after[0]["bob"], words)
    words = f"after one win of ann over bob {after[0]}, after {WINS} {after[-1]}"
    require(after[-1]["ann"] >= after[0]["ann"] and after[-1]["bob"] <= after[0]["bob"], words)
    can, lost = system.supports, means_after(system, day_event(0, ranks={"ann": 2, "bob": 1}))
    if can.ties:
        tie = means_after(system, day_event(0, ranks=dict.fromkeys(won, 1)))
        words = f"ann after a win, a tie and a loss: {after[0][ann]}, {tie[ann]} and {lost[ann]}"
        require(after[0]["ann"] > tie["ann"] > lost["ann"], words)
    if can.shares:
        clear, close = (means_after(system, day_event(0, ranks=won, share=share)) for share in (0.9, 0.6))
        words = f"ann after nine tenths of a point {clear[ann]}, after six {close[ann]}"
        require(clear["ann"] > close["ann"], words)
    if can.weights:
        require(*_weighs(system))
    strong, weak = (
        means_after(system, *[day_event(day, ranks=ranks) for day in range(6)], day_event(30, ranks=won))
        for ranks in ({"bob": 1, "cat": 2}, {"cat": 1, "bob": 2})
    )
    words = f"ann after a win over a strong player {strong[ann]}, over a weak player {weak[ann]}"
    require(strong["ann"] >= weak["ann"] - TOLERANCE, words)


def _weighs(system: RatingSystem) -> tuple[bool, str]:
    """Whether a win moves more the larger its weight is, and what was found.

    It is enough if it does after matches won in turns, or by turning a series of defeats: some systems let no
    match move anybody by more than so much.
    """
    words, won, lost = [], {"ann": 1, "bob": 2}, {"ann": 2, "bob": 1}
    for bobs in ((1, 3), (0, 1, 2, 3)):
        turns = [day_event(day, ranks=lost if day in bobs else won) for day in range(4)]
        before = means_after(system, *turns)["ann"]
        light, whole, heavy = (
            means_after(system, *turns, day_event(9, ranks=won, weight=weight))["ann"]
            for weight in (1e-3, 1.0, 5.0)
        )
        words.append(f"wins of weights 0.001, 1 and 5 move ann from {before} to {light}, {whole} and {heavy}")
        if abs(light - before) < whole - before < heavy - before:
            return True, ""
    return False, "; ".join(words)


def law_sides(system: RatingSystem) -> None:
    """All members of a team move with it, and all places of a contest count, in small ones and large."""
    start = float(system.start(system.new_state())[0][0])
    if system.supports.teams:
        ladder = Ladder(system)
        for day in range(3):
            _record(ladder, day_event(day, teams=[["ann", "bob"], ["cat", "dan"]], ranks=[1, 2]))
            after = {player: ladder.rating(player).mu for player in ("ann", "bob", "cat", "dan")}
            words = f"ann and bob beat cat and dan, all newcomers at {start}: {after}"
            require(min(after["ann"], after["bob"]) > start > max(after["cat"], after["dan"]), words)
        chance = ladder.expected_score(["ann", "bob"], ["cat", "dan"])
        require(chance > 0.5, f"a team that has always won is expected to score {chance}")
    if not system.supports.many:
        return
    for size in (4, CONTEST):
        names = [f"player {place}" for place in range(1, size + 1)]
        after = means_after(system, day_event(0, ranks={name: place for place, name in enumerate(names, 1)}))
        means = [after[name] for name in names]
        words = f"ratings after a contest of {size} newcomers at {start}, from the first to the last: {means}"
        require(means[0] > start > means[-1], words)
        require(all(np.diff(means) <= TOLERANCE), words)
    ladder = Ladder(system)
    for day in range(WINS):
        _record(ladder, day_event(day, ranks={"ann": 1, "bob": 2, "cat": 3}))
    first = ladder.rank_probabilities(["ann", "bob", "cat"]).matrix[:, 0].tolist()
    words = f"players who were always first, second and third win with chances {first}"
    require(first[0] > first[1] > first[2], words)
    ranks = ladder.rank_probabilities(["ann", "bob", "cat"]).matrix @ [1.0, 2.0, 3.0]
    beaten = 3.0 - ladder.expected_score("ann", "bob") - ladder.expected_score("ann", "cat")
    words = f"ann's mean rank of three is {ranks[0]} by chances of ranks, and {beaten} by expected scores"
    require(abs(ranks[0] - beaten) < RANK_TOLERANCE, words)


def law_forecast(system: RatingSystem, history: History) -> None:
    """Predictions follow ratings: the better a player, the more points; equals expect half of one."""
    ladder = Ladder(system)
    for day in range(WINS):
        _record(ladder, day_event(day, ranks={"ann": 1, "bob": 2}))
        chance = ladder.expected_score("ann", "bob")
        require(chance > 0.5, f"after {day + 1} wins of ann over bob, ann is expected to score {chance}")
    state, _ = rated(system, history)
    mu, sigma = system.view(state, np.arange(state.size), int(history.time[-1]))
    deviations: list[Any] = [None] * len(mu) if sigma is None else sigma.tolist()
    for own, deviation in zip(mu.tolist(), deviations, strict=True):
        _require_curve(system, own, deviation)
    if sigma is not None:
        belief = system.belief(state, 0, int(history.time[-1]))
        words = f"the mean of a player's belief is {belief.mean}, its mu {mu[0]}"
        require(abs(belief.mean - mu[0]) <= NEAR * sigma[0], words)


def _require_curve(system: RatingSystem, own: float, deviation: float | None) -> None:
    """What a system says of a player against others who are as sure is one falling curve."""
    others, even = own + np.concatenate([-_GAPS[::-1], [0.0], _GAPS]), len(_GAPS)
    chances = system.win_probability(own, deviation, others, deviation)
    words = f"expected scores of a player at {own} against players at {others}: {chances}"
    near = TOLERANCE + system.win_probability_error
    require(np.all(np.diff(chances) <= TOLERANCE) and abs(chances[even] - 0.5) < near, words)
    table = system.win_probability(others[:, None], deviation, others[None, :], deviation)
    require(np.shape(table) == (len(others),) * 2, f"a table of all pairs has the shape {np.shape(table)}")
    require_near(table[even], chances, TOLERANCE, "a row of a table of all pairs, and alone")
    sure = None if deviation is None else np.full(len(others), deviation)
    quick = system.near_win_probability(np.full(len(others), own), sure, others, sure)
    require_near(quick, chances, NEAR, "near_win_probability and win_probability")
    wanted = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
    rivals = system.opponent_rating(wanted, own, deviation)
    found = system.win_probability(own, deviation, rivals, deviation)
    words = f"expected scores of a player at {own} against {rivals}, their opponent_rating"
    require_near(found, wanted, max(near, GAP_TOLERANCE), words)


def law_undo(system: RatingSystem, history: History) -> None:
    """An event moves nobody who is not in it, and undo takes it back exactly."""
    ladder = Ladder(system)
    ladder.update(history)
    before = ladder.state.copy()
    time, seen = int(history.time[-1]), np.flatnonzero(before.column("events"))
    names = [ladder.players[number] for number in seen.tolist()]
    players = [*names, "a stranger", "another"][:2]
    ladder.record(
        ranks={players[0]: 1, players[1]: 2}, time=None if time == NO_TIME else (time + DAY) / SECOND
    )
    absent = seen[2:]
    for mine, theirs in zip(
        system.view(ladder.state, absent, NO_TIME), system.view(before, absent, NO_TIME), strict=True
    ):
        same = mine is None or theirs is None or np.array_equal(mine, theirs)
        require(same, "an event moved players who were not in it")
    ladder.undo()
    require_same(ladder.state, before, "after an event was undone and before it")


def law_shown(system: RatingSystem, history: History) -> None:
    """Parameters that a system lists as `shown` change what is displayed or predicted, never beliefs."""
    system = replace(system, calibration="off")
    for parameter in type(system).declared().values():
        if parameter.name not in system.shown or parameter.search is None:
            continue
        changed: Any = {parameter.name: parameter.search[1]}
        other = replace(system, **changed)
        words = f"with {parameter.name}={parameter.search[1]:g} and without"
        require_same(rated(other, history)[0], rated(system, history)[0], words)


def law_imported(system: RatingSystem, history: History) -> None:
    """An imported rating is the one that is seen; it ages from its date, as if its player had played then."""
    played, _ = rated(system, history)
    fresh = system.new_state(len(history.players))
    timed = np.flatnonzero(played.column("last_time") != NO_TIME)
    for number in timed[:1].tolist():
        player, time = history.players[number], int(played["last_time"][number])
        here, others = np.array([number]), np.delete(np.arange(played.size), number)
        for given in (
            SetRating(player=player, mu=1600.0, sigma=60.0, volatility=0.05),
            SetRating(player=player, display=1600.0, sigma=60.0, volatility=0.05),
        ):
            before = system.view(played, others, NO_TIME)
            for state in (fresh, played):
                system.adjust(state, given, history.players, time)
            same = np.array_equal(system.view(played, others, NO_TIME)[0], before[0])
            require(same, f"{given.describe()}: it moved others too")
            sigmas = [60.0] if system.has_sigma and system.two_numbers else []
            for at in (NO_TIME, time, time + DAY, time + 700 * DAY):
                words = f"{given.describe()}, after {'no' if at == NO_TIME else (at - time) // DAY} days"
                (mu, sigma), (mu_played, sigma_played) = (
                    system.view(state, here, at) for state in (fresh, played)
                )
                require_near(mu, mu_played, TOLERANCE, words)
                if sigma is not None and sigma_played is not None:
                    require_near(sigma, sigma_played, TOLERANCE, words)
                    sigmas.append(float(sigma[0]))
            words = f"{given.describe()}: its deviation, and after more and more days: {sigmas}"
            require(all(np.diff(sigmas) >= -TOLERANCE), words)
            require(all(abs(one - sigmas[0]) < TOLERANCE for one in sigmas[:-2]), words)  # set, now, that day
        if system.two_numbers:
            shown = system.display(*system.view(fresh, here, NO_TIME))
            require_near(shown, 1600.0, TOLERANCE, "the displayed rating, and the one that was set")
