"""Questions about a past date: what a replay cut there would answer, or a refusal; never today's numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podium
from cases import case
from podium import Elo, EloMMR, History, Ladder, Merge, PastError, Rename, Reset, SetRating, rate
from podium.history import Adjustment
from podium.history.times import Moment, to_micros

NAMES = ["ann", "bob", "cat", "dan", "eve"]
MATCHES = [
    (f"2026-{month:02}-10", NAMES[month % 5], NAMES[(month + 1 + month // 4) % 5]) for month in range(1, 13)
]
ADJUSTMENTS: list[tuple[str, Adjustment]] = [
    ("2026-02-20", SetRating(player="dan", mu=1700, sigma=120)),
    ("2026-04-20", Reset(keep=0.5)),
    ("2026-06-20", Merge(player="eve", into="ann")),
    ("2026-08-20", Rename(player="bob", into="robert")),
    ("2026-10-20", Reset(keep=0.8)),
    ("2026-11-20", SetRating(player="cat", mu=1400, sigma=200)),
]
DATES = ["2026-03-10", "2026-04-20", "2026-07-01", "2026-09-30", "2026-12-10", "2027-02-01"]


def named(date: str, name: str) -> str:
    """What a player is called at a date, who was merged in June or renamed in August."""
    if name == "eve" and date > "2026-06-20":
        return "ann"
    return "robert" if name == "bob" and date > "2026-08-20" else name


def season(until: str = "2030") -> History:
    """Everything up to a date, chosen by comparing dates as text."""
    events: list[Any] = [
        {"ranks": {named(date, one): 1, named(date, other): 2}, "time": date}
        for date, one, other in MATCHES
        if date <= until and named(date, one) != named(date, other)
    ]
    return History.from_events(events).with_adjustments(
        [(date, adjustment) for date, adjustment in ADJUSTMENTS if date <= until]
    )


def told(ladder: Ladder, date: str) -> list[Any]:
    """All that a ladder says for a date, and after one more match."""
    answers: list[Any] = [ladder.ratings(at=date).rows(), ladder.leaderboard(at=date, min_events=2).rows()]
    answers.append(ladder.expected_score("ann", "cat", at=date))
    answers.append(ladder.rank_probabilities(["ann", "cat", "somebody new"], at=date).matrix.tolist())
    ladder.record_match("cat", "dan", time="2027-03-01")
    return [*answers, ladder.ratings().rows(), ladder.n_events, ladder.last_time]


@pytest.mark.parametrize(
    "name",
    [
        "elo",
        "glicko2",
        "elo-mmr",
        "elo-r",
        "codeforces",
        "topcoder",
        "trueskill",
        "weng-lin",
        "luck",
        "yuksel",
        "auto",
    ],
)
def test_a_run_answers_any_date_as_if_the_history_had_ended_there(name: str) -> None:
    run = rate(season(), name, trace=True)
    for date in DATES:
        with case(date):
            assert told(run.at(date), date) == told(rate(season(date), name).ladder, date)
    assert run.leaderboard(at="2026-05-01").rows() == run.at("2026-05-01").leaderboard(at="2026-05-01").rows()
    assert len(run.at("2026-01-05")) == 0
    assert run.ladder.n_events == len(season())


def test_a_run_in_pieces_answers_as_one() -> None:
    whole = season()
    pieces = rate(list(whole.chunks(6)), "glicko2", trace=True)
    assert told(pieces.at("2026-07-01"), "2026-07-01") == told(
        rate(whole, "glicko2", trace=True).at("2026-07-01"), "2026-07-01"
    )


def test_deviations_are_those_of_the_date() -> None:
    run = rate(season(), EloMMR(drift_per_day=100), trace=True)
    before, after = (run.at("2026-03-10").rating("cat", at=at).sigma for at in ("2026-03-10", "2026-04-19"))
    assert before is not None
    assert after is not None
    assert before < after
    board = run.leaderboard(at="2026-04-19")
    assert board.filter(board["player"] == "cat")["sigma"].item() == after


def test_an_explanation_is_of_the_rating_of_its_date() -> None:
    ladder = rate(season(), podium.Glicko2(display_k=2.0)).ladder
    ladder.record_match("ann", "cat", time="2027-01-01")
    later = ladder.explain("ann", at="2028-01-01")
    assert isinstance(later, podium.Explanation)
    assert later.rating == ladder.rating("ann", at="2028-01-01") != ladder.rating("ann")
    parts = sum(part.change for part in later.contributions)
    assert later.newcomer + later.older_results + parts + later.absence == pytest.approx(later.rating.display)


ASKING: list[Callable[[Ladder, str], Any]] = [
    lambda ladder, at: ladder.rating("ann", at=at),
    lambda ladder, at: ladder.ratings(at=at),
    lambda ladder, at: ladder.leaderboard(at=at),
    lambda ladder, at: ladder.distribution("ann", at=at),
    lambda ladder, at: ladder.explain("ann", at=at),
    lambda ladder, at: ladder.shares("ann", at=at),
    lambda ladder, at: ladder.expected_score("ann", "cat", at=at),
    lambda ladder, at: ladder.outcomes("ann", "cat", at=at),
    lambda ladder, at: ladder.rank_probabilities(["ann", "cat", "dan"], at=at),
    lambda ladder, at: ladder.expected_ranks(["ann", "cat", "dan"], at=at),
    lambda ladder, at: ladder.top_chances(["ann", "cat", "dan"], 1, at=at),
    lambda ladder, at: ladder.at(at),
]


def test_a_ladder_without_its_events_refuses_the_past_wherever_a_date_is_taken() -> None:
    ladder = rate(season(), "elo-mmr").ladder
    for number, ask in enumerate(ASKING):
        with case(number):
            with pytest.raises(PastError, match="from 2026-12-10 on, and none for 2026-12-09"):
                ask(ladder, "2026-12-09")
            ask(ladder, "2026-12-10")
            ask(ladder, "2027-12-10")


def test_what_is_not_known_is_refused(tmp_path: Path) -> None:
    whole = season()
    untraced, begun = rate(whole, Elo()), rate(whole[:3], Elo()).ladder
    with pytest.raises(PastError, match="none for 2026-05-01"):
        untraced.leaderboard(at="2026-05-01")
    assert untraced.leaderboard(at="2027-01-01").rows() == untraced.leaderboard().rows()
    continued = rate(whole[3:], ladder=begun, trace=True)
    with pytest.raises(PastError, match="continued a ladder"):
        continued.at("2026-06-01")
    run = rate(whole, Elo(), trace=True)
    run.ladder.record_match("ann", "cat", time="2027-03-01")
    run.ladder.record_match("ann", "cat", time="2027-04-01")
    assert run.at("2026-05-01").n_events == 4
    unseen = "from 2027-04-01 on, and none for 2027-03-15"
    with pytest.raises(PastError, match=unseen) as refused:
        run.at("2027-03-15")  # the run has not seen what was recorded since
    assert "with all events, a ladder" in str(refused.value.hint)
    timeless = rate(History.from_matches(["ann"], ["bob"]), Elo(), trace=True)
    with pytest.raises(PastError, match="have no times"):
        timeless.at("2026-05-01")
    ladder = Ladder(Elo())
    assert len(ladder.at("2026-05-01")) == 0
    run.ladder.save(tmp_path / "saved.podium")
    with pytest.raises(PastError, match="2027-04-01"):
        Ladder.load(tmp_path / "saved.podium", at="2026-05-01")
    assert Ladder.load(tmp_path / "saved.podium", at="2027-05-01").n_events == run.ladder.n_events


@pytest.mark.parametrize("name", ["glicko2", "auto"])
def test_a_log_answers_any_date_with_its_corrections(tmp_path: Path, name: str) -> None:
    with Ladder.open(tmp_path / "log", system=name, checkpoint_rows=5) as ladder:
        adjustments = list(ADJUSTMENTS)
        for date, one, other in MATCHES:
            while adjustments and adjustments[0][0] < date:
                at, adjustment = adjustments.pop(0)
                ladder.adjust(adjustment, time=at)
            if named(date, one) != named(date, other):
                ladder.record_match(named(date, one), named(date, other), time=date, name=date)
        ladder.checkpoint()
        ladder.void("2026-02-10")
        ladder.replace("2026-05-10", ranks={"dan": 1, "cat": 2})
        ladder.record_match("dan", "ann", time="2026-03-20", late="insert")
        counted = ladder.numbered_events()
        for date in DATES:
            with case(date):
                twin = Ladder(name)
                for one in counted:
                    if one.time <= to_micros(date):
                        if isinstance(one.content, Adjustment):
                            twin.adjust(one.content, time=Moment(one.time))
                        else:
                            twin.record_event(one.content)
                past = told(twin, date)
                assert told(ladder.at(date), date) == past
                assert ladder.ratings(at=date).rows() == past[0]
                assert told(Ladder.load(tmp_path / "log", at=date), date) == past
        for ask in ASKING:
            ask(ladder, "2026-09-30")
    assert ladder.rating("ann", at="2026-09-30") == ladder.at("2026-09-30").rating("ann", at="2026-09-30")


def test_a_log_that_began_with_a_ladder_knows_nothing_before_it(tmp_path: Path) -> None:
    start = rate(season("2026-06-15"), Elo()).ladder
    with Ladder.open(tmp_path / "log", start=start, checkpoint_rows=1) as ladder:
        for month in range(7, 11):
            ladder.record_match("cat", "dan", time=f"2026-{month:02}-10")
        assert ladder.at("2026-06-20").ratings().rows() == start.ratings().rows()
        assert ladder.at("2026-08-20").n_events == start.n_events + 2
        with pytest.raises(PastError, match="from 2026-06-10 on, and none for 2026-05-30"):
            ladder.rating("ann", at="2026-05-30")


DRIFTING: dict[str, dict[str, Any]] = {
    "elo-mmr": {"drift_per_day": 20.0},
    "elo-mmx": {"drift_per_day": 20.0},
    "elo-r": {"drift_per_day": 20.0},
    "trueskill": {"drift_per_day": 0.01},
    "weng-lin": {"drift_per_day": 0.01},
    "luck": {"growth_per_day": 2.0},
    "glicko": {"c": 40.0},
}
"""Parameters with which absence counts, of systems in which it does not by default."""


@pytest.mark.parametrize("name", sorted(podium.list_systems()))
def test_on_the_day_of_the_last_event_a_rating_is_the_present_one(name: str) -> None:
    """After matches of one day, after a rating set with a deviation, and a year later it may be another."""
    day, later, year = "2026-05-01", "2026-08-01", "2027-05-01"
    ladder = Ladder(podium.make_system(name, **DRIFTING.get(name, {})))
    for _ in range(3):
        ladder.record_match("ann", "bob", time=day, allow_repeat=True)
    assert ladder.rating("ann", at=day) == ladder.rating("ann")
    assert ladder.leaderboard(at=day).equals(ladder.leaderboard())
    ladder.adjust(SetRating(player="ann", mu=1600.0, sigma=60.0), time=later)
    assert ladder.rating("ann", at=later) == ladder.rating("ann")
    if name in DRIFTING or name == "glicko2":
        assert (ladder.rating("ann", at=year).sigma or 0.0) > (ladder.rating("ann").sigma or 0.0)


def test_nobody_is_away_on_the_day_of_a_match() -> None:
    """Glicko's deviation grows at each event; that is the event's doing, not an absence."""
    events = [{"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01"}] * 5
    history = History.from_events(events)
    for system in (podium.Glicko(c=40.0, display_k=1.0), podium.Glicko2(display_k=1.0)):
        run = rate(history, system, trace=True, allow_repeat=True)
        explained = run.explain("ann")
        assert isinstance(explained, podium.Explanation)
        assert abs(explained.absence) < 1e-9
        rows = run.trace.filter(run.trace["player"] == "ann")
        assert rows["sigma_before"].to_list()[1:] == pytest.approx(rows["sigma"].to_list()[:-1])
