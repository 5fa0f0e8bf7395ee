"""Documents of real results, of every type: they are as declared, and JSON gives back what it was given."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import polars as pl
import pytest

import podium
from documents.declared_types import check
from documents.service_answers import service_answers, service_problems
from podium import Elo, EloMMR, Event, Glicko2, History, Ladder, Matchmaker, Policy, SetRating
from podium.documents import (
    KINDS,
    ProblemDocument,
    advice_document,
    arena_document,
    arena_player_documents,
    backtest_document,
    chances_document,
    change_document,
    comparison_document,
    contest_document,
    distribution_document,
    event_document,
    event_explanation_document,
    explained_document,
    history_summary_document,
    json_text,
    ladders_document,
    leaderboard_document,
    match_document,
    match_prediction_document,
    match_reasons_document,
    matching_document,
    outcomes_document,
    pairing_document,
    pool_counters_document,
    preview_document,
    rank_probabilities_document,
    rating_document,
    rating_histories_document,
    reading_document,
    replay_document,
    season_document,
    smoothing_document,
    system_document,
    systems_document,
    table_document,
    tick_document,
    ticket_document,
    tournament_document,
    tournament_explanation_document,
    tuning_document,
    waiting_reasons_document,
    what_if_document,
)
from podium.documents.page_documents import ComparedPlayerDocument
from podium.documents.plain_data import plain_parameters, table_rows
from podium.matchmaking.pairing import pair_by_rating
from podium.matchmaking.replay import Outcome, Record, RecordedTicket, replay
from podium.pages.ladder_pages import ladder_pages
from podium.simulation import Contests, People, simulate_contests
from podium.studies.attacks import Farming, SimulatedContests
from podium.studies.attacks.attack_documents import AttackDocument, attack_document
from podium.studies.live_game.comparison import compare_games
from podium.studies.live_game.game import Game
from podium.studies.live_game.game_documents import GameDocument, game_document
from podium.systems.tiers import Tier
from podium.tables.names.name_proposals import NameProposal
from podium_papers import PAPERS, Setting, find_items, reproduce
from podium_papers.paper_documents import (
    PapersDocument,
    ReproductionDocument,
    papers_document,
    reproduction_document,
)


def contests(*, timed: bool = True) -> History:
    rounds = [{"ann": 1, "bob": 2, "cat": 3}, {"bob": 1, "ann": 2}, {"cat": 1, "ann": 1, "bob": 3}] * 4
    days = [{"time": f"2026-05-{1 + number:02}T12:30"} if timed else {} for number in range(len(rounds))]
    return History.from_events(
        [{"ranks": ranks, "name": f"round {i}", **days[i]} for i, ranks in enumerate(rounds)]
    )


def season(system: podium.RatingSystem) -> podium.Run:
    return podium.rate(contests(), system, trace=True)


def ratings() -> dict[str, Any]:
    ladder = Ladder(Glicko2())
    event = Event.of(scores={"ann": 3, "bob": 1}, time="2026-05-01", name="final", weight=2)
    changes = ladder.record_event(event)
    again = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-06-01T18:00"}
    board = ladder.leaderboard()
    return {
        "rating": rating_document(ladder.rating("ann")),
        "change": change_document(changes[0]),
        "event": event_document(event),
        "preview": preview_document(Event.of(**again), ladder.preview(**again)),
        "outcomes": outcomes_document(ladder.outcomes("ann", "bob")),
        "prediction": match_prediction_document(
            "ann", ["bob", "cat"], ladder.expected_score("ann", ["bob", "cat"])
        ),
        "rank-probabilities": rank_probabilities_document(ladder.rank_probabilities(["ann", ["bob", "cat"]])),
        "leaderboard": leaderboard_document(ladder, board),
        "ladders": ladders_document(ladder.system, "game", {"go": (ladder, board)}, skipped_rows=1),
        "history": history_summary_document(contests().summary()),
        "distribution": distribution_document(ladder.distribution("ann")),
        "table": table_document(board),
        "reading": reading_document(contests(), [NameProposal("H. M.", "Hans Maus", "initials")]),
    }


def publishing() -> dict[str, Any]:
    history = contests()
    corrected = podium.what_if(history, EloMMR(), without="round 0", disqualified=[("cat", "round 2")])
    return {
        "contest": contest_document(podium.changes(history, EloMMR()), "gain", 2),
        "what-if": what_if_document(corrected),
    }


def replayed() -> Outcome:
    """One ticket that meets nobody."""
    return replay(Record([RecordedTicket(("ann",), 0.0, {"mu": 1500})]), Elo(), "1v1", Policy())


def matches() -> dict[str, Any]:
    maker = Matchmaker(Elo(), seed=1)
    maker.join_many(["ann", "bob", "cat"], mu=[1500, 1510, 1900], time=datetime(2026, 5, 1, tzinfo=UTC))
    ticket, tick = maker.ticket("ann"), maker.tick()
    return {
        "ticket": ticket_document(ticket),
        "pairing": pairing_document(pair_by_rating([1500.0, 1510.0, 1900.0], 1)),
        "match": match_document(tick.matches[0]),
        "tick": tick_document(tick),
        "matching": matching_document(maker, tick, why=maker.why("cat")),
        "waiting-reasons": waiting_reasons_document(maker.why("cat")),
        "match-reasons": match_reasons_document(maker.why(maker.proposed()[0])),
        "replay": replay_document(Elo(), "1v1", [replayed()]),
        "pool-counters": pool_counters_document(maker.counters()),
    }


def rounds() -> dict[str, Any]:
    tournament = podium.Tournament("swiss:2")
    for name in ("ann", "bob", "cat"):
        tournament.join(name)
    tournament.pair()
    tournament.result(1, "2:1")
    return {
        "tournament": tournament_document(tournament),
        "chances": chances_document(tournament.chances(simulations=5)),
        "tournament-explanation": tournament_explanation_document(
            tournament, next(iter(tournament.field.entrants))
        ),
    }


def lab() -> dict[str, Any]:
    history, systems = contests(), {"elo": Elo(), "elo-mmr": EloMMR(rho=math.inf)}
    backtest = podium.evaluate(history, systems, resamples=10)
    smoothing = podium.smooth(history, EloMMR())
    simulation = simulate_contests(People(players=20), Contests(contests=3, participants=5), seed=1)
    chance = Random(1)
    pairs = [chance.sample(range(5), 2) for _ in range(120)]
    games = podium.History.from_matches(*zip(*pairs, strict=True), home="a")
    return {
        "advice": advice_document(podium.advise(games)),
        "arena": arena_document(podium.fit(games)),
        "arena-player": arena_player_documents(podium.fit(games))[0],
        "backtest": backtest_document(backtest),
        "comparison": comparison_document(backtest.compare("elo", "elo-mmr")),
        "tuning": tuning_document(podium.tune(history, "elo", trials=2, jobs=1)),
        "smoothing": smoothing_document(smoothing, smoothing.frame),
        "season": season_document(simulation, simulation.history().summary()),
        "system": system_document(EloMMR(rho=math.inf)),
        "systems": systems_document(podium.list_systems()),
    }


def explanations() -> dict[str, Any]:
    run = season(EloMMR())
    return {
        "explanation": explained_document(run.explain("ann"), run.explain_last("ann")),
        "event-explanation": event_explanation_document(run.explain("ann", "round 0")),
        "rating-histories": rating_histories_document(run, ["ann", "bob"]),
    }


def studies() -> dict[str, Any]:
    game, elo = Game(players=30, days=0.3, sessions=4), {"elo": Elo()}
    compared = compare_games(elo, ["random"], game, seeds=[1])
    world = SimulatedContests(players=12, contests=20)
    report = podium.attack(elo, [Farming(8, 8, 4)], world=world, seeds=range(2), jobs=1)
    made = reproduce(find_items("elo-mmr", "figure-1"), Setting(quick=True), jobs=1)
    return {
        "game": game_document(compared, elo, game, [1]),
        "attack": attack_document(report),
        "papers": papers_document(PAPERS.values()),
        "reproduction": reproduction_document(made),
    }


STUDIES = {"game": GameDocument, "attack": AttackDocument}
STUDIES |= {"papers": PapersDocument, "reproduction": ReproductionDocument}


def pages() -> dict[str, Any]:
    """Every kind of page: of matches and of contests, with tiers, and of a ladder alone."""
    gold = (Tier("Gold", 1400.0, "#d4a017"),)
    matches = History.from_matches(
        ["ann", "bob"], ["bob", "cat"], [1, 0.5], time=["2026-05-01", "2026-06-01"]
    )
    played = ladder_pages(podium.rate(matches, Glicko2(), trace=True), tiers=gold, min_events=2)
    contest = ladder_pages(podium.rate(contests(), EloMMR(), trace=True), tiers=gold)
    alone = ladder_pages(season(Elo()).ladder)
    check(alone.player(0), KINDS["player-page"])
    check(alone.leaderboard(), KINDS["leaderboard-page"])
    check(alone.about(), KINDS["about-page"])
    check(played.event(1), KINDS["event-page"])
    check(played.player(0), KINDS["player-page"])
    check(contest.compare_player(0, contest.player(0)), ComparedPlayerDocument)
    return {
        "leaderboard-page": played.leaderboard(),
        "player-page": contest.player(0),
        "player-pages": {"players": [played.player(2)], "moved": ["ann"]},
        "event-page": contest.event(1),
        "event-list": contest.events(),
        "matches-page": played.matches(),
        "all-time-page": played.all_time(),
        "compare-page": contest.compare(),
        "about-page": contest.about(),
        "ladder-list": {"title": "all", "ladders": [played.card("duels"), contest.card("races")]},
    }


MADE: dict[Callable[[], dict[str, Any]], set[str]] = {
    ratings: {
        *("rating", "change", "leaderboard", "ladders", "event", "preview", "history"),
        *("outcomes", "prediction", "rank-probabilities", "distribution", "table", "reading"),
    },
    publishing: {"contest", "what-if"},
    explanations: {"explanation", "event-explanation", "rating-histories"},
    rounds: {"tournament", "chances", "tournament-explanation"},
    matches: {
        "match",
        "tick",
        "ticket",
        "pairing",
        "matching",
        "waiting-reasons",
        "match-reasons",
        "pool-counters",
        "replay",
    },
    lab: {
        "advice",
        "arena",
        "arena-player",
        "backtest",
        "comparison",
        "tuning",
        "smoothing",
        "season",
        "system",
        "systems",
    },
    studies: set(STUDIES),
    pages: {
        *("leaderboard-page", "player-page", "player-pages", "event-page", "event-list", "matches-page"),
        "all-time-page",
        *("compare-page", "about-page", "ladder-list"),
    },
    service_answers: {
        *("service", "service-ladder", "service-ladders", "report", "reports", "log", "logged-event"),
        *("player-rating", "board", "player-history", "head-to-head", "expected-ranks", "top-chances"),
        *(
            "rank-to-reach",
            "ranks-to-reach",
            "verification",
            "verifications",
            "rebuild",
            "job",
            "jobs",
            "search-page",
            "seasons-page",
        ),
        *("key", "new-key", "keys", "link", "new-link", "links", "audit", "consequences"),
        *("service-tournament", "service-tournaments", "tournament-step", "tournament-explanation"),
    },
}


def test_every_kind_is_made() -> None:
    assert set().union(*MADE.values()) == KINDS.keys() | STUDIES.keys()


@pytest.mark.parametrize("make", MADE)
def test_documents_are_as_declared(make: Callable[[], dict[str, Any]]) -> None:
    made = make()
    assert set(made) == MADE[make]
    for kind, document in made.items():
        check(document, (KINDS | STUDIES)[kind], kind)
        assert json.loads(json.dumps(document, allow_nan=False)) == document
        assert json.loads(json_text(kind, document)) == {"podium": 1, "kind": kind, **document}


def test_problems_of_a_service() -> None:
    problems = service_problems()
    for problem in problems:
        check(problem, ProblemDocument)
    assert problems[0]["differences"] == [
        {"field": "sides", "recorded": "1. ann; 2. bob; 3. cat", "reported": "1. bob; 2. ann"}
    ]
    assert [outcome["status"] for outcome in problems[1]["outcomes"]] == ["refused"] * 5
    assert problems[2]["hint"] == "did you mean 'rounds'?"


def test_both_forms_of_an_explanation() -> None:
    run = season(Elo())
    changes = explained_document(run.explain("ann"), run.explain("ann", "round 0"))
    check(changes, KINDS["explanation"])
    assert changes["explanation"]["form"] == "changes"
    for explained in (run.explain("ann"), season(EloMMR()).explain("ann")):
        check(explained_document(explained.shortened(1)), KINDS["explanation"])
    assert changes["explanation"]["contributions"][0]["time"] == "2026-05-01T12:30:00Z"
    ladder = Ladder(Elo())
    ladder.adjust(SetRating(player="ann", mu=1700))
    alone = explained_document(ladder.explain("ann"))
    check(alone, KINDS["explanation"])
    assert alone["event"] is None
    assert alone["explanation"]["contributions"][0]["time"] is None
    ladder = Ladder(EloMMR(rho=math.inf))
    ladder.record_match("ann", "bob")
    free = explained_document(ladder.explain("ann"))
    check(free, KINDS["explanation"])
    assert free["explanation"]["performances"][0]["match"]["opponents"] == ["bob"]
    assert free["explanation"]["performances"][0]["time"] is None


def test_what_is_not_known_is_null() -> None:
    """Without times, with one event to resample, at a moment, and with everything fitted."""
    history = contests(timed=False)
    backtest = podium.evaluate(history[:1], ["elo", "glicko2"], resamples=2)
    check(backtest_document(backtest), KINDS["backtest"])
    summary = history_summary_document(history.summary())
    assert (summary["start"], summary["end"]) == (None, None)
    smoothing = podium.smooth(contests(), EloMMR())
    document = smoothing_document(smoothing, smoothing.at("2026-05-05"))
    check(document, KINDS["smoothing"])
    assert document["rows"][0]["event"] is None
    tuning = tuning_document(podium.tune(history, "elo", trials=1, jobs=1, split=1.0))
    check(tuning, KINDS["tuning"])
    assert tuning["judged"] is None


def test_numbers_that_json_cannot_hold() -> None:
    frame = pl.DataFrame({"a": [math.nan, math.inf, 1.0], "b": [1, 2, 3]})
    assert [row["a"] for row in table_rows(frame)] == [None, None, 1.0]
    assert plain_parameters({"rho": math.inf, "curve": "fide"}) == {"rho": "inf", "curve": "fide"}


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ("2026-05-01", "2026-05-01"),
        ("2026-05-01T18:30:00Z", "2026-05-01T18:30:00Z"),
        ("2026-05-01T18:30:00.5Z", "2026-05-01T18:30:00.500000Z"),
    ],
)
def test_a_time_is_written_in_one_way(time: str, text: str) -> None:
    """By values and by tables alike."""
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", time=time)
    assert rating_document(ladder.rating("ann"))["last_time"] == text
    board = leaderboard_document(ladder, ladder.leaderboard())
    assert [row["last_time"] for row in board["ratings"]] == [text, text]
    summary = history_summary_document(History.from_matches(["ann"], ["bob"], time=[time]).summary())
    assert summary["start"] == text


def test_a_tick_has_a_time_where_the_pool_has_one() -> None:
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, time=datetime(2026, 5, 1, tzinfo=UTC))
    dated = tick_document(maker.tick())
    assert (dated["time"], dated["seconds"]) == ("2026-05-01", 1777593600.0)
    maker = Matchmaker(Elo())
    maker.join("ann", mu=1500, time=7.0)
    assert (tick_document(maker.tick())["time"], tick_document(maker.tick())["seconds"]) == (None, 7.0)
