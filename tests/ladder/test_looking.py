"""Looking at a ladder: ratings, leaderboards, explanations. Nothing of it changes anything."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from ladder.helpers import DAY, START, SYSTEMS, content, label, some_season
from podium import (
    Anchor,
    Elo,
    Glicko,
    Glicko2,
    History,
    InputError,
    Ladder,
    Merge,
    Rename,
    Reset,
    SetRating,
    UnknownPlayerError,
    rate,
)
from podium.systems import RatingSystem


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_looking_changes_nothing(system: RatingSystem) -> None:
    ladder = some_season(system)
    before = content(ladder)
    at = START + 90 * DAY
    ladder.rating("ann")
    ladder.rating("ann", at=at)
    ladder.ratings(at=at)
    ladder.leaderboard(min_events=1, active_since=START, top=2, at=at)
    ladder.explain("ann")
    if system.has_sigma:
        ladder.distribution("ann", at=at)
    ladder.preview(ranks={"ann": 1, "bob": 2, "new": 3}, time=at, unrated=["bob", "new"])
    ladder.expected_score("ann", "new", at=at)
    ladder.outcomes(["ann", "new"], ["bob", "newer"], home="newer")
    ladder.rank_probabilities(["ann", "bob", "new"], at=at)
    ladder.expected_ranks(["ann", "bob", "new"], at=at)
    ladder.top_chances(["ann", "bob", "new"], 2, at=at)
    assert "new" not in ladder
    assert len(ladder) == 5
    repr(ladder)
    assert content(ladder) == before


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_a_preview_is_what_recording_gives(system: RatingSystem) -> None:
    ladder = some_season(system)
    for event in (
        {"ranks": {"ann": 1, "bob": 2}, "time": START + 21 * DAY},
        {"ranks": {"new": 1, "cat": 1, "dan": 3}, "time": START + 22 * DAY, "home": "dan"},
        {
            "scores": [3, 1],
            "teams": [["ann", "newer"], ["bob", "cat"]],
            "time": START + 60 * DAY,
            "weight": 0.5,
        },
        {"ranks": {"ann": 1, "guest": 2}, "unrated": ["guest"], "share": 0.75, "time": START + 60 * DAY},
    ):
        seen = ladder.preview(**event)
        assert seen == ladder.record(**event)


def test_a_rating_is_a_row_of_the_ratings() -> None:
    ladder = some_season(Glicko2())
    frame = ladder.ratings()
    assert frame.columns == ["player", "mu", "sigma", "display", "events", "last_time"]
    assert frame.schema["last_time"] == pl.Datetime("us", "UTC")
    for row in frame.iter_rows(named=True):
        rating = ladder.rating(row["player"])
        assert row == {name: getattr(rating, name) for name in row}
    assert frame["display"].is_sorted(descending=True)


def test_equals_stand_in_order_of_their_names() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("cat", "ann", draw=True)
    ladder.record_match("bob", "eve", draw=True)
    assert ladder.ratings()["player"].to_list() == ["ann", "bob", "cat", "eve"]
    assert ladder.leaderboard()["place"].to_list() == [1, 1, 1, 1]


def test_unknown_players_have_no_rating() -> None:
    ladder = some_season(Elo())
    for look in (ladder.rating, ladder.explain):
        with pytest.raises(UnknownPlayerError, match="there is no player 'nobody' on this ladder"):
            look("nobody")
    with pytest.raises(KeyError):  # for callers who think of a mapping
        ladder.rating("x" * 10_000)


def test_at_looks_ahead() -> None:
    ladder = Ladder(Glicko(periods_per_day=1.0))
    ladder.record_match("ann", "bob", time="2026-01-01")
    now, later = ladder.rating("ann"), ladder.rating("ann", at="2026-12-01")
    assert now.sigma is not None
    assert later.sigma is not None
    assert later.sigma > now.sigma
    assert ladder.ratings(at="2026-12-01").filter(player="ann")["sigma"].item() == later.sigma


def test_leaderboard_filters() -> None:
    ladder = Ladder(Glicko())
    for day in range(1, 6):
        ladder.record_match("ann", "bob", time=f"2026-05-0{day}")
    ladder.record_match("cat", "bob", time="2026-05-10")
    ladder.record_match("dan", "eve", time="2026-05-20")
    whole = ladder.leaderboard()
    assert whole.columns == ["place", "player", "mu", "sigma", "display", "events", "last_time"]
    assert whole["player"].to_list() == ["ann", "dan", "cat", "eve", "bob"]
    assert whole["place"].to_list() == [1, 2, 3, 4, 5]
    assert ladder.leaderboard(min_events=2)["player"].to_list() == ["ann", "bob"]
    assert ladder.leaderboard(min_events=2)["place"].to_list() == [1, 2]
    since = ladder.leaderboard(active_since="2026-05-10")
    assert since["player"].to_list() == ["dan", "cat", "eve", "bob"]
    assert_frame_equal(since, ladder.leaderboard(active_since=datetime(2026, 5, 10, tzinfo=UTC)))
    assert_frame_equal(since, ladder.leaderboard(active_since="10d"))
    with pytest.raises(InputError, match="'soon' is neither a time nor a duration"):
        ladder.leaderboard(active_since="soon")
    surest = whole.sort("sigma")["sigma"][1]
    assert set(ladder.leaderboard(max_sigma=surest)["player"]) == {"ann", "bob"}
    everybody = ladder.leaderboard(max_sigma=surest, provisional=True)
    ranked = everybody.filter(everybody["place"].is_not_null())
    assert ranked.equals(everybody.head(2))
    assert ranked["player"].to_list() == ladder.leaderboard(max_sigma=surest)["player"].to_list()
    assert set(everybody["player"]) == set(ladder.ratings()["player"]) > {"ann", "bob"}
    assert ladder.leaderboard(top=2)["player"].to_list() == ["ann", "dan"]
    assert ladder.leaderboard(top=0).height == 0
    assert ladder.leaderboard(min_events=100).height == 0


def test_whoever_was_never_rated_has_no_place() -> None:
    ladder = Ladder(Elo())
    ladder.adjust(SetRating(player="seeded", mu=2400))
    ladder.adjust(Anchor(player="engine", mu=3000))
    ladder.record(ranks={"guest": 1, "engine": 2, "ann": 3, "bob": 4}, unrated=["guest"])
    assert ladder.leaderboard()["player"].to_list() == ["ann", "bob"]
    assert ladder.leaderboard()["place"].to_list() == [1, 2]
    everybody = ladder.leaderboard(min_events=0)
    assert everybody["player"].to_list() == ["engine", "seeded", "guest", "ann", "bob"]
    assert everybody["events"].to_list() == [0, 0, 0, 1, 1]
    assert set(ladder.ratings()["player"]) == set(everybody["player"])
    ladder.record_match("guest", "bob")
    assert ladder.leaderboard()["player"].to_list() == ["guest", "ann", "bob"]


def test_whoever_never_played_with_a_time_is_not_active() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    assert ladder.leaderboard(active_since="1970-01-02").height == 0


def test_a_name_given_up_is_nobodys() -> None:
    ladder = some_season(Elo())
    ann, bob = ladder.rating("ann"), ladder.rating("bob")
    ladder.adjust(Rename(player="ann", into="anna"))
    assert ladder.rating("anna").mu == ann.mu
    assert "ann" not in ladder
    assert len(ladder) == 5
    with pytest.raises(UnknownPlayerError):
        ladder.rating("ann")
    ladder.adjust(Merge(player="bob", into="anna"))
    assert ladder.rating("anna").events == ann.events + bob.events
    assert len(ladder) == 4
    assert set(ladder.ratings()["player"]) == {"anna", "cat", "dan", "guest"}
    assert ladder.expected_score("ann", "never seen") == 0.5
    ladder.record_match("ann", "dan")  # somebody new of that name
    assert ladder.rating("ann").events == 1
    assert len(ladder) == 5


def test_a_guest_stays_one_under_a_new_name() -> None:
    ladder = some_season(Elo())
    ladder.adjust(Rename(player="guest", into="host"))
    assert "host" in ladder
    assert "guest" not in ladder
    assert ladder.rating("host").events == 0


def test_a_seeded_player_is_on_the_ladder() -> None:
    ladder = Ladder(Elo())
    ladder.adjust(SetRating(player="ann", mu=1500))
    ladder.adjust(Anchor(player="bob"))
    assert ladder.ratings()["player"].to_list() == ["ann", "bob"]


def test_a_part_of_a_history_rates_only_who_is_in_it() -> None:
    history = History.from_matches(["ann", "cat"], ["bob", "dan"])
    assert rate(history[1:], Elo()).ratings["player"].to_list() == ["cat", "dan"]


def test_a_seasons_reset_leaves_newcomers_alone() -> None:
    ladder = some_season(Elo())
    ladder.adjust(Reset(keep=0.0, toward=1500))
    assert ladder.rating("ann").mu == 1500 != ladder.rating("cat").mu  # who is anchored stays as well
    assert ladder.expected_score("ann", "new") == 0.5


# ---------------------------------------------------------------------- explaining


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_an_explanation_adds_up(system: RatingSystem) -> None:
    ladder = some_season(system)
    ladder.adjust(Reset(keep=0.7), time=START + 40 * DAY)
    ladder.adjust(SetRating(player="bob", mu=1700))
    ladder.record_match("ann", "bob", time=START + 50 * DAY)
    for name in ("ann", "bob", "cat", "dan", "guest"):
        told = ladder.explain(name)
        assert told.rating == ladder.rating(name)
        assert told.newcomer == 1500
        total = told.newcomer + told.older_results + sum(part.change for part in told.contributions)
        assert total == pytest.approx(told.rating.display, abs=1e-9)
        assert told.older_results == 0


def test_an_explanation_reads_well() -> None:
    ladder = Ladder(Elo())
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, name="spring cup", time="2026-05-01")
    ladder.record(teams=[["ann", "bob"], ["cat", "dan"]], ranks=[2, 1])
    ladder.adjust(SetRating(player="ann", mu=1600))
    assert str(ladder.explain("ann")) == (
        "ann: 1600.0 after 2 events\n"
        "    +1500.0  where newcomers start\n"
        "      +16.0  spring cup, 2026-05-01: rank 1 of 3\n"
        "      -16.7  event 2: lost to cat and dan (with bob), chance 52%\n"
        "     +100.7  set-rating player=ann, mu=1600"
    )


def test_what_is_no_longer_remembered_is_one_line() -> None:
    run = rate(History.from_matches(["ann", "ann"], ["bob", "cat"]), Elo())
    run.ladder.record_match("ann", "bob")
    told = run.ladder.explain("ann")
    assert told.older_results > 0
    assert len(told.contributions) == 1
    assert "everything before" in str(told)


def test_an_explanation_follows_a_renamed_player() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", name="first")
    ladder.adjust(Rename(player="ann", into="anna"))
    ladder.record_match("anna", "bob", name="second")
    ladder.record_match("ann", "bob", name="third")  # somebody else
    assert [part.event for part in ladder.explain("anna").contributions] == ["first", "second"]
    other = ladder.explain("ann")
    assert [part.event for part in other.contributions] == ["third"]
    assert other.older_results == 0


def test_an_explanation_names_a_merge() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", name="first")
    ladder.record_match("cat", "bob", name="second")
    ladder.adjust(Merge(player="ann", into="cat"))
    told = ladder.explain("cat")
    assert [part.event for part in told.contributions] == ["second", "merge player=ann, into=cat"]
    assert told.older_results == 0


@pytest.mark.parametrize("saved", [False, True])
def test_activity_counts_back_from_the_last_event_whatever_was_adjusted_since(saved: bool) -> None:
    ladder = Ladder("glicko2")
    ladder.record_match("ann", "bob", time="2026-01-01")
    ladder.record_match("cat", "dan", time="2026-03-01")
    ladder.adjust(SetRating(player="cat", mu=1700.0, sigma=50.0), time="2026-09-01")
    ladder = Ladder.from_bytes(ladder.to_bytes()) if saved else ladder
    assert sorted(ladder.leaderboard(active_since="30d")["player"]) == ["cat", "dan"]
    assert sorted(ladder.copy().leaderboard(active_since="90d")["player"]) == ["ann", "bob", "cat", "dan"]
    ladder.record_match("ann", "bob", time="2026-09-10")
    assert sorted(ladder.leaderboard(active_since="5d")["player"]) == ["ann", "bob"]
    ladder.undo()
    assert sorted(ladder.leaderboard(active_since="30d")["player"]) == ["cat", "dan"]


def test_an_event_that_counts_for_no_player_is_not_the_last_one() -> None:
    match = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-01"}
    friendly = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-09-01", "unrated": ["ann", "bob"]}
    run = rate(History.from_events([match, friendly]), "elo")
    assert run.leaderboard(active_since="30d").height == 2
