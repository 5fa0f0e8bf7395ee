"""A live game: nobody is in two places at once, everything adds up, and measures are what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from naive import live as naive
from naive.matchmaking import wanted_chance
from podium import Elo, Glicko, ParameterError, TrueSkill
from podium.simulation.arena import true_points
from podium.studies.live_game.comparison import compare_games
from podium.studies.live_game.game import Game, play_game
from podium.studies.live_game.game_run import ACCOUNT_KINDS, DAY_SECONDS, GameRun
from podium.studies.live_game.matchers import MATCHERS

BUSY = Game(
    players=80,
    days=1.0,
    sessions=4.0,
    tick=60.0,
    patience=240.0,
    newcomers=0.3,
    smurfs=0.4,
    throwers=0.15,
    throw_every=6,
    throw_games=4,
    churn=0.05,
    losing_churn=0.1,
)
"""Everything that can happen does, in a second."""


@pytest.fixture(scope="module", params=list(MATCHERS))
def run(request: pytest.FixtureRequest) -> GameRun:
    return play_game(Elo(k=24), request.param, BUSY, seed=3)


@pytest.fixture(scope="module")
def games(run: GameRun) -> list[dict[str, Any]]:
    return run.games_frame().to_dicts()


# ------------------------------------------------------------------ what cannot be


def test_everything_happens_in_this_game(run: GameRun) -> None:
    assert len(run.games) > 300
    assert len(run.gave_up) > 0
    assert {ACCOUNT_KINDS[kind] for kind in run.accounts.kind} == set(ACCOUNT_KINDS)
    assert 0 < np.isfinite(run.accounts.left).sum() < len(run.accounts.left)
    assert np.isnan(run.games["score"]).any()


def test_nobody_is_in_two_places_at_once(run: GameRun, games: list[dict[str, Any]]) -> None:
    """Each player waits or plays, one after the other: after coming, and before leaving for good."""
    spans = defaultdict(list)
    for game in games:
        assert game["first"] != game["second"]
        for side in ("first", "second"):
            spans[game[side]].append((game["start"] - game[f"wait_{side}"], game["start"]))
            spans[game[side]].append((game["start"], game["end"]))
    for ticket in run.gave_up:
        spans[int(ticket["player"])].append((ticket["joined"], ticket["left"]))
    for player, of in spans.items():
        assert all(start <= end for start, end in of)
        # Waits are kept as single floats: exact to a few thousandths of a second.
        assert all(end <= start + 0.01 for (_, end), (start, _) in pairwise(sorted(of)))
        assert run.accounts.came[player] <= min(of)[0] + 0.01
        assert max(of)[1] <= run.accounts.left[player]


def test_games_and_tickets_add_up(run: GameRun, games: list[dict[str, Any]]) -> None:
    """Who joins is paired, gives up or still waits; a game that could end has, with one winner."""
    last = BUSY.ticks * BUSY.tick
    assert all((game["end"] <= last) == (game["score"] in (0.0, 1.0)) for game in games)
    over = [game for game in games if game["end"] <= last]
    played = Counter(game[side] for game in over for side in ("first", "second"))
    assert run.accounts.played.tolist() == [played[player] for player in range(len(run.accounts.played))]
    assert run.accounts.played.sum() == 2 * len(over)
    busy = {game[side] for game in games if game["end"] > last for side in ("first", "second")}
    assert len(set(run.waiting.tolist())) == len(run.waiting)
    assert not busy & set(run.waiting.tolist())
    assert int(run.waits()["tickets"].sum()) == 2 * len(games) + len(run.gave_up)
    assert int(run.waits()["gave_up"].sum()) == len(run.gave_up)
    gone = np.isfinite(run.accounts.left)
    assert not gone[run.waiting].any()
    assert not gone[list(busy)].any()


def test_nobody_waits_longer_than_their_patience(run: GameRun) -> None:
    waits = np.concatenate((run.games["wait_first"], run.games["wait_second"]))
    assert waits.min() >= 0.0
    assert waits.max() < BUSY.patience + 1e-3
    waited = run.gave_up["left"] - run.gave_up["joined"]
    assert np.all((waited >= BUSY.patience) & (waited < BUSY.patience + BUSY.tick))


def test_games_are_as_good_as_the_rule_asks_for(games: list[dict[str, Any]]) -> None:
    for game in games:
        loss = abs(game["wanted_first"] - game["chance"]) + abs(game["wanted_second"] - (1 - game["chance"]))
        waited = max(game["wait_first"], game["wait_second"])
        assert loss / 2 <= BUSY.tolerance + BUSY.widening * waited / 60 + 1e-5


def test_ratings_and_wanted_chances_are_those_of_a_replay(games: list[dict[str, Any]]) -> None:
    """Elo by hand, in the order in which games ended; the next opponent by the last five results."""
    rating: dict[int, float] = defaultdict(lambda: 1500.0)
    results: dict[int, list[Fraction]] = defaultdict(list)
    ended = sorted((game for game in games if game["score"] == game["score"]), key=lambda game: game["end"])
    for game in games:
        while ended and ended[0]["end"] <= game["start"]:
            over = ended.pop(0)
            one, other, score = over["first"], over["second"], over["score"]
            change = 24 * (score - naive.elo_chance(rating[one], rating[other]))
            rating[one] += change
            rating[other] -= change
            results[one].append(Fraction(int(score)))
            results[other].append(Fraction(1 - int(score)))
        for side in ("first", "second"):
            player = game[side]
            assert game[f"rating_{side}"] == pytest.approx(rating[player], abs=1e-6)
            wanted = float(wanted_chance(results[player], 5, Fraction(1, 2)))
            assert game[f"wanted_{side}"] == pytest.approx(wanted, abs=1e-6)
        assert game["chance"] == pytest.approx(
            naive.elo_chance(rating[game["first"]], rating[game["second"]])
        )


def test_throwers_lose(run: GameRun, games: list[dict[str, Any]]) -> None:
    kind = run.accounts.kind
    thrown = [game for game in games if game["thrown_first"] != game["thrown_second"]]
    assert len([game for game in thrown if game["score"] == game["score"]]) > 5
    for game in thrown:
        assert game["score"] != (1.0 if game["thrown_first"] else 0.0)
        assert ACCOUNT_KINDS[kind[game["first" if game["thrown_first"] else "second"]]] == "thrower"
    cycle = defaultdict(list)
    for game in games:
        for side in ("first", "second"):
            cycle[game[side]].append(game[f"thrown_{side}"])
    for player, of in cycle.items():
        period = BUSY.throw_every + BUSY.throw_games
        assert all(of[i] == of[i + period] for i in range(len(of) - period))
        assert sum(of[:period]) == (4 if ACCOUNT_KINDS[kind[player]] == "thrower" else 0) or len(of) < period


def test_skill_grows_with_games(run: GameRun) -> None:
    """Each game takes away the same part of what is left to learn; smurfs have nothing to learn."""
    sides = run.sides
    for player in np.unique(sides.player)[:200]:
        steps = np.diff(sides.skill[sides.player == player])
        if ACCOUNT_KINDS[run.accounts.kind[player]] == "smurf":
            assert not steps.any()
        elif len(steps) > 1:
            assert np.all(steps > 0)
            assert steps[1:] / steps[:-1] == pytest.approx(np.exp(-1 / BUSY.growth_games), rel=1e-6)


# ------------------------------------------------------------------ what is measured


@pytest.mark.parametrize("since", [0.0, 0.4])
def test_streaks_and_win_rates(run: GameRun, games: list[dict[str, Any]], since: float) -> None:
    throwers = set(np.flatnonzero(run.accounts.kind == ACCOUNT_KINDS.index("thrower")).tolist())
    late = naive.sequences(games, since * DAY_SECONDS, throwers)
    lengths = [naive.streak_lengths([won for _, won in of]) for of in late.values()]
    total = sum(map(len, late.values()))
    for row in run.streaks(since, longest=6).to_dicts():
        for won, name in ((True, "won"), (False, "lost")):
            long = sum(length >= row["length"] for one in lengths for length in one[won])
            assert row[name] == pytest.approx(1000 * long / total)
    whole = naive.sequences(games, 0.0, throwers)
    seen: Counter[int] = Counter()
    for of in whole.values():
        after = naive.windows([won for _, won in of], 4)
        seen.update(
            won for won, (start, _) in zip(after, of[3:], strict=True) if start >= since * DAY_SECONDS
        )
    rates = run.win_rates(since, window=4)
    assert rates["share"].to_list() == pytest.approx([seen[won] / seen.total() for won in range(5)])
    assert rates["coin"].to_list() == [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]


def test_the_coin_beside_streaks(run: GameRun, games: list[dict[str, Any]]) -> None:
    throwers = set(np.flatnonzero(run.accounts.kind == ACCOUNT_KINDS.index("thrower")).tolist())
    tosses = Counter(len(of) for of in naive.sequences(games, 0.93 * DAY_SECONDS, throwers).values())
    assert max(tosses) <= 16
    expected: Counter[int] = Counter()
    for games_played, players in tosses.items():
        for length, mean in naive.coin_lengths(games_played).items():
            expected[length] += players * mean
    frame, total = run.streaks(0.93, longest=4), sum(n * many for n, many in tosses.items())
    for row in frame.to_dicts():
        long = sum(mean for length, mean in expected.items() if length >= row["length"])
        assert row["coin"] == pytest.approx(float(1000 * long / total))


def test_errors_and_rematches(run: GameRun, games: list[dict[str, Any]]) -> None:
    sides = naive.errors(games, DAY_SECONDS / 4, 4)
    for row in run.errors("kind").to_dicts():
        of = [error for player, error in sides if ACCOUNT_KINDS[run.accounts.kind[player]] == row["kind"]]
        assert row["games"] == len(of)
        assert row["rmse"] == pytest.approx((sum(error**2 for error in of) / len(of)) ** 0.5)
        assert row["mean"] == pytest.approx(sum(of) / len(of))
    assert run.errors("day")["games"].sum() == run.errors("experience")["games"].sum() == len(sides)
    days = run.errors("day")
    mean = np.average(days["mean"], weights=days["games"])  # what all are off by is said, not taken off
    assert mean == pytest.approx(run.sides.error.mean(), abs=1e-9)
    assert abs(mean) > 1e-3
    again, total = naive.rematches(games)
    said = run.summary()
    assert said["rematches"] == pytest.approx(again / total)
    assert said["rmse"] == pytest.approx((sum(error**2 for _, error in sides) / total) ** 0.5)


def test_waits_by_skill(run: GameRun, games: list[dict[str, Any]]) -> None:
    waited = [(game[f"skill_{side}"], game[f"wait_{side}"]) for side in ("first", "second") for game in games]
    waited += [(ticket["skill"], ticket["left"] - ticket["joined"]) for ticket in run.gave_up]
    waited.sort()
    half = len(waited) // 2
    frame = run.waits(edges=(0, 50, 100))
    for row, of in zip(frame.to_dicts(), (waited[:half], waited[half:]), strict=True):
        assert row["tickets"] == pytest.approx(len(of), abs=1)
        assert row["mean"] == pytest.approx(sum(wait for _, wait in of) / len(of), rel=0.02)
        assert row["worst"] == pytest.approx(max(wait for _, wait in of), rel=1e-6)
    assert frame["tickets"].sum() == len(waited)


def test_gaps(run: GameRun, games: list[dict[str, Any]]) -> None:
    said = run.summary()
    given, true = [], []
    for game in games:
        fair = naive.elo_chance(game["skill_first"], game["skill_second"])
        thrown = game["thrown_first"] or game["thrown_second"]
        for wanted, chance, truth in (
            (game["wanted_first"], game["chance"], fair),
            (game["wanted_second"], 1 - game["chance"], 1 - fair),
        ):
            given.append(abs(wanted - chance))
            true += [] if thrown else [abs(wanted - truth)]
    assert said["gap"] == pytest.approx(sum(given) / len(given))
    assert said["true_gap"] == pytest.approx(sum(true) / len(true))


# ------------------------------------------------------------------ what should come of it


def test_a_seed_gives_the_same_game_and_the_same_people() -> None:
    game = Game(players=40, days=0.5, sessions=5)
    one, same, other = (play_game(Glicko(), "paper", game, seed=seed) for seed in (1, 1, 2))
    assert one.games_frame().equals(same.games_frame())
    assert one.summary() == same.summary()
    assert not np.array_equal(one.accounts.skill, other.accounts.skill)
    anybody = play_game(Elo(), "random", game, seed=1)
    assert np.array_equal(one.accounts.kind, anybody.accounts.kind)
    assert np.array_equal(one.accounts.came, anybody.accounts.came)
    assert not one.games_frame().equals(anybody.games_frame())


def test_at_random_the_better_win_and_near_ratings_they_do_not() -> None:
    """Nobody learns, leaves or throws, and everybody is accepted: what is left is who meets whom."""
    calm = {"growth": 0, "newcomers": 0, "throwers": 0, "churn": 0, "losing_churn": 0}
    game = Game(players=300, days=1, sessions=8, tick=300, tolerance=1, **calm)
    slope = {}
    for matcher in ("random", "nearest"):
        run = play_game(Elo(k=48), matcher, game, seed=1)
        late = (run.sides.start > 0.5 * DAY_SECONDS) & ~np.isnan(run.sides.score)
        slope[matcher] = np.polyfit(run.sides.skill[late], run.sides.score[late], 1)[0]
        assert len(run.gave_up) == 0
    # For normal skills and anybody as opponent, the slope is the mean slope of Elo's curve (Stein's lemma).
    gap = run.accounts.skill[:, None] - run.accounts.skill
    chance = 1 / (1 + 10 ** (-gap / 400))
    assert slope["random"] == pytest.approx(np.log(10) / 400 * np.mean(chance * (1 - chance)), rel=0.15)
    assert slope["nearest"] < 0.5 * slope["random"]


def test_people_come_in_the_evening() -> None:
    game = Game(players=300, days=2, rhythm=1.0, peak=20.0)
    hour = play_game(Elo(), "random", game, seed=1).games["start"] / 3600 % 24
    evening, morning = np.mean((hour > 17) & (hour < 23)), np.mean((hour > 5) & (hour < 11))
    # Of 1 + cos around its top and its bottom, six hours of a day hold a quarter ± √½/π.
    assert evening == pytest.approx(0.25 + 0.5**0.5 / np.pi, abs=0.07)
    assert morning == pytest.approx(0.25 - 0.5**0.5 / np.pi, abs=0.07)


def test_who_wants_nothing_but_the_best_waits_in_vain() -> None:
    game = Game(players=50, days=1, sessions=5, tolerance=0, widening=0, patience=300)
    run = play_game(Elo(), "paper", game, seed=1)
    assert len(run.gave_up) > 5 * len(run.games)
    assert run.summary()["gave_up"] > 0.7
    assert np.all(run.gave_up["left"] - run.gave_up["joined"] >= 300)


def test_losing_drives_people_away() -> None:
    game = Game(players=200, days=1, sessions=4, churn=0, losing_churn=0)
    assert play_game(Elo(), "random", game).summary()["churned"] == 0
    losing = play_game(Elo(), "random", Game(**{**vars(game), "losing_churn": 0.2}))
    gone = np.isfinite(losing.accounts.left)
    assert gone.any()
    last = {int(p): losing.sides.score[losing.sides.player == p][-3:] for p in np.flatnonzero(gone)}
    assert all(not of.any() for of in last.values())


def test_scales_of_ratings_do_not_matter() -> None:
    """TrueSkill of 25 ± 8 and of 2500 ± 833 are the same, and errors are in points of true ratings."""
    wide = TrueSkill(mu=2500, sigma=2500 / 3, beta=2500 / 6, tau=25 / 3)
    assert true_points(TrueSkill()) == pytest.approx(100 * true_points(wide))
    game = Game(players=60, days=0.5, sessions=6)
    one, other = (play_game(system, "nearest", game, seed=2).summary() for system in (TrueSkill(), wide))
    assert one == pytest.approx(other, rel=1e-4, nan_ok=True)
    assert one["rmse"] < 400


def test_a_game_of_nobody() -> None:
    """Too short for anybody to come: there is nothing to measure, and no error."""
    run = play_game(Elo(), "paper", Game(players=2, days=0.01, newcomers=0, sessions=0.001))
    assert len(run.games) == 0
    assert np.isnan(run.summary()["wait"])
    assert len(run.waits()) == 0
    assert run.accounts_frame().height == 2


def test_a_game_too_short_to_measure_is_compared() -> None:
    compared = compare_games(["elo"], ["random"], Game(players=20, days=0.2))
    assert compared.summary["games"].to_list() == [0]


def test_progress_counts_ticks() -> None:
    seen: list[int] = []
    game = Game(players=10, days=0.1, tick=600)
    play_game(Elo(), "random", game, progress=seen.append)
    assert sum(seen) == game.ticks == 14


# ------------------------------------------------------------------ side by side


def test_comparisons_are_means_of_runs() -> None:
    game, system = Game(players=60, days=0.5, sessions=6), Elo(k=24)
    compared = compare_games({"a": system}, ["nearest", "random"], game, seeds=[1, 2], since=0.1)
    assert compared.summary.select("system", "matcher").rows() == [("a", "nearest"), ("a", "random")]
    runs = [play_game(system, "random", game, seed=seed) for seed in (1, 2)]
    said = compared.summary.row(1, named=True)
    for name in ("wait", "gap", "rmse", "games"):
        measured = [run.summary(0.1)[name] for run in runs]
        assert said[name] == pytest.approx(np.mean(measured))
        assert compared.deviations[name][1] == pytest.approx(abs(measured[0] - measured[1]) / np.sqrt(2))
    assert said["wait_worst"] == max(run.summary(0.1)["wait_worst"] for run in runs)
    streaks = compared.streaks.filter(matcher="random")
    expected = np.mean([run.streaks(0.1)["lost"].to_numpy() for run in runs], axis=0)
    assert streaks["lost"].to_list() == pytest.approx(expected.tolist())
    seen: list[int] = []
    with ThreadPoolExecutor(1) as executor:
        spread = compare_games(
            {"a": system},
            ["nearest", "random"],
            game,
            seeds=iter([1, 2]),
            since=0.1,
            executor=executor,
            progress=seen.append,
        )
    assert spread.summary.equals(compared.summary)
    assert sum(seen) == 4 * game.ticks
    listed = compare_games(["elo", Glicko()], ["random"], game, seeds=[1], since=0.1)
    assert listed.summary["system"].to_list() == ["elo", "glicko"]
    assert listed.deviations["wait"].to_list() == [None, None]  # of one seed
    with pytest.raises(ParameterError, match="a system is given twice"):
        compare_games(["elo", Elo()], ["random"], game)


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": 1},
        {"players": 10.5},
        {"days": 0.0},
        {"days": float("nan")},
        {"tick": 0.0},
        {"sessions": 0.0},
        {"session_games": 0.5},
        {"rhythm": 1.5},
        {"rate": 1.0},
        {"smurfs": -0.1},
        {"throwers": 2.0},
        {"churn": "much"},
        {"recent": 0},
        {"growth_games": 0.0},
        {"patience": True},
    ],
)
def test_games_that_make_no_sense(wrong: dict[str, Any]) -> None:
    name, value = next(iter(wrong.items()))
    with pytest.raises(ParameterError, match=f"{name} is {value!r}"):
        Game(**wrong)


def test_refusals(run: GameRun) -> None:
    with pytest.raises(ParameterError, match="no matcher 'best'"):
        play_game(Elo(), "best", BUSY)
    for wrong in (
        lambda: run.waits(since=1.0),
        lambda: run.win_rates(window=0),
        lambda: run.errors("colour"),
        lambda: compare_games({}, ["paper"]),
        lambda: compare_games({"elo": Elo()}, ["paper"], BUSY, since=-1),
        lambda: compare_games({"elo": Elo()}, ["paper"], BUSY, jobs=0),
    ):
        with pytest.raises(ParameterError):
            wrong()
