"""Worked examples of the literature."""

from __future__ import annotations

import pytest

from podium import (
    Anchor,
    Elo,
    Glicko,
    Glicko2,
    History,
    InputError,
    Ladder,
    SetRating,
    fide_performance,
    rate,
)


def glickmans_period() -> History:
    """Both of Glickman's papers: 1500 ± 200 beats 1400 ± 30, loses to 1550 ± 100 and 1700 ± 300."""
    opponents = {"a": (1400, 30), "b": (1550, 100), "c": (1700, 300)}
    seeds = [SetRating(player="you", mu=1500, sigma=200)]
    seeds += [SetRating(player=name, mu=mu, sigma=sigma) for name, (mu, sigma) in opponents.items()]
    games = [{"you": 1, "a": 2}, {"you": 2, "b": 1}, {"you": 2, "c": 1}]
    days = ("2026-05-04", "2026-05-06", "2026-05-10")  # Monday to Sunday
    return History.from_events([*seeds, *({"ranks": g, "time": t} for g, t in zip(games, days, strict=True))])


def test_glicko() -> None:
    """Glickman (1999), worked example: r' = 1464, RD' = 151.4."""
    you = rate(glickmans_period(), Glicko(period="7d", c=0)).ladder.rating("you")
    assert round(you.mu) == 1464
    assert you.sigma is not None
    assert round(you.sigma, 1) == 151.4


def test_glicko2() -> None:
    """Glickman (2012): 1464.06, 151.52, 0.05999; to machine precision 1464.051, 151.517, 0.059996."""
    ladder = rate(glickmans_period(), Glicko2(period="7d", tau=0.5)).ladder
    ladder.record_match("x", "y", time="2026-05-11")  # the next period; nobody has to close the last one
    ladder.record_match("you", "x", time="2026-05-12")
    you = rate(glickmans_period(), Glicko2(period="7d", tau=0.5)).ladder.rating("you")
    assert you.mu == pytest.approx(1464.051, abs=5e-4)
    assert you.sigma == pytest.approx(151.517, abs=5e-4)
    opened = ladder.state["volatility"][ladder.players.index_of["you"]]
    assert opened == pytest.approx(0.059996, abs=5e-7)


def test_glicko_2_in_one_event_of_many_is_not_the_same_as_a_period() -> None:
    """In a period each opponent meets only you; in a contest everyone meets everyone."""
    seeds = [
        SetRating(player=p, mu=m, sigma=s)
        for p, m, s in (("you", 1500, 200), ("a", 1400, 30), ("b", 1550, 100))
    ]
    contest = rate(
        History.from_events([*seeds, {"ranks": {"b": 1, "you": 2, "a": 3}}]), Glicko2(pairs="sum")
    ).ladder
    games = [{"ranks": {"you": 1, "a": 2}, "time": 0}, {"ranks": {"b": 1, "you": 2}, "time": 0}]
    period = rate(History.from_events([*seeds, *games]), Glicko2(period="7d")).ladder
    assert contest.rating("you").mu == pytest.approx(period.rating("you").mu, abs=1e-9)
    assert contest.rating("a").mu < period.rating("a").mu


def test_inactivity_of_glicko() -> None:
    """Glickman (1999): with c = 34.6 a deviation of 50 is back at 350 after 100 rating periods."""
    history = History.from_events(
        [SetRating(player="ann", mu=1500, sigma=1), {"ranks": {"ann": 1, "bob": 2}, "time": 0}]
    )
    ladder = rate(history, Glicko(period="30d", c=34.6)).ladder
    ladder.adjust(SetRating(player="ann", mu=1500, sigma=50))
    day = 86_400
    sigma = [ladder.rating("ann", at=30 * day * periods).sigma for periods in (0, 50, 99, 101)]
    assert sigma[0] == 50
    assert sigma[1] == pytest.approx((50**2 + 50 * 34.6**2) ** 0.5)
    assert sigma[2] < 350 == sigma[3]
    assert ladder.rating("ann").sigma == 50


def test_elo() -> None:
    """The worked example of Wikipedia's article on Elo (2024): 1613 scores 2.5 of 5 and becomes 1601."""
    opponents = {"a": 1609, "b": 1477, "c": 1388, "d": 1586, "e": 1720}
    scores = {"a": 0, "b": 0.5, "c": 1, "d": 1, "e": 0}
    items: list[object] = [Anchor(player=p, mu=mu) for p, mu in opponents.items()]
    items.append(SetRating(player="you", mu=1613))
    items += [{"scores": {"you": score, p: 1 - score}, "time": "2026-05-05"} for p, score in scores.items()]
    ladder = rate(History.from_events(items), Elo(k=32, period="7d")).ladder  # type: ignore[arg-type]
    assert round(ladder.rating("you").mu) == 1601
    assert ladder.rating("a").mu == 1609


def test_elo_k_of_newcomers() -> None:
    ladder = Ladder(Elo(k=10, newcomer_k=40, newcomer_events=2))
    gains = [ladder.record_match("ann", f"opponent {i}")[0].gain for i in range(3)]
    assert gains[0] == 20
    assert gains[1] > 15 > 5 > gains[2]


def test_a_period_is_simultaneous() -> None:
    """The order of events inside a period does not matter, across its end it does."""
    games = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("ann", "cat")]
    for system in (Elo(period="7d"), Glicko(period="7d"), Glicko2(period="7d")):
        one, other = Ladder(system), Ladder(system)
        for winner, loser in games:
            one.record_match(winner, loser, time="2026-05-06")
        for winner, loser in reversed(games):
            other.record_match(winner, loser, time="2026-05-06")
        for name in ("ann", "bob", "cat"):
            assert one.rating(name).mu == pytest.approx(other.rating(name).mu, abs=1e-9)
        split = Ladder(system)
        for (winner, loser), day in zip(games, ("03", "03", "04", "04"), strict=True):  # Sunday, Monday
            split.record_match(winner, loser, time=f"2026-05-{day}")
        assert abs(split.rating("ann").mu - one.rating("ann").mu) > 0.01


def fide_changes(*games: tuple[float, float], winner: int = 0) -> list[tuple[float, float]]:
    """The changes of both players of each game, with FIDE's table and K = 20."""
    found = []
    for ratings in games:
        ladder = Ladder(Elo(curve="fide", k=20))
        for name, mu in zip("ab", ratings, strict=True):
            ladder.adjust(SetRating(player=name, mu=mu))
        changes = ladder.record(ranks={"ab"[winner]: 1, "ba"[winner]: 2})
        moved = {change.player: round(change.mu - change.mu_before, 9) for change in changes}
        found.append((moved["a"], moved["b"]))
    return found


def test_fides_changes() -> None:
    """Change = K (score − expected), by FIDE Handbook B.02: tables, the 400-point rule and its exemption.

    400 to 411 points are 0.92, and so is every larger difference below 2650. 500 points are 0.96 and 735 are
    0.99 for a player of 2650, whose opponent still counts 400.
    """
    assert fide_changes((2000, 2000), (2100, 2000), (2000, 2100)) == [(10, -10), (7.2, -7.2), (12.8, -12.8)]
    assert fide_changes((2649, 2249), (2649, 2149), (2149, 1300)) == [(1.6, -1.6)] * 3
    assert fide_changes((2650, 2150), (2650, 1915), (2650, 1914)) == [(0.8, -1.6), (0.2, -1.6), (0, -1.6)]
    assert fide_changes((2650, 2150), (2149, 2650), winner=1) == [(-19.2, 18.4), (-1.6, 0.8)]
    assert fide_changes((3200, 2650)) == [(0.6, -0.6)]  # 550 points are 0.97, for both


def test_fides_changes_in_larger_events() -> None:
    """In a contest and in teams, sides are exempt by the mean of their ratings."""
    ladder = Ladder(Elo(curve="fide", k=20, pairs="sum"))
    for name, mu in (("a", 2700), ("b", 2600), ("c", 2100), ("d", 2100)):
        ladder.adjust(SetRating(player=name, mu=mu))
    changes = ladder.preview(ranks={"a": 1, "b": 2, "c": 3})
    # 0.64 of 100, 0.98 of 600 and 0.96 of 500, or 0.92.
    expected = [20 * (0.36 + 0.02), 20 * (-0.36 + 0.08), 20 * -0.16]
    assert [c.mu - c.mu_before for c in changes] == pytest.approx(expected)
    teams = ladder.preview(teams=[["a", "b"], ["c", "d"]], ranks=[1, 2])
    assert [c.mu - c.mu_before for c in teams] == pytest.approx([20 * 0.03] * 2 + [20 * -0.08] * 2)


def test_fide_performance() -> None:
    """FIDE Handbook B.02, table 8.1.1: 0.50 is 0, 0.75 is 193, 0.99 is 677, 1.00 is 800."""
    assert fide_performance([2000, 2200], 1) == 2100
    assert fide_performance([2100] * 4, 3) == 2100 + 193
    assert fide_performance([2100] * 100, 99) == 2100 + 677
    assert fide_performance([2100] * 100, 1) == 2100 - 677
    assert fide_performance([1999, 2000], 2) == 2000 + 800  # 1999.5 is rounded up
    assert fide_performance([2400] * 9, 0) == 2400 - 800
    assert fide_performance([2400] * 9, 5.5) == 2400 + 80  # 61%
    assert fide_performance([2400] * 8, 5) == 2400 + 95  # 62.5% is 63%
    for opponents, score in (([], 0), ([2000], 1.5), ([2000], -0.5)):
        with pytest.raises(InputError, match="has no performance rating"):
            fide_performance(opponents, score)
