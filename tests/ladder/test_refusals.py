"""Whatever is refused is refused with a reason, and changes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import podium
from ladder.helpers import DAY, START, SYSTEMS, content, label, some_season
from podium import (
    Anchor,
    Elo,
    Event,
    History,
    InputError,
    Ladder,
    Merge,
    OrderError,
    PodiumError,
    Release,
    Rename,
    Reset,
    SetRating,
    UnknownPlayerError,
    UnsupportedError,
)
from podium.history import Placed
from podium.systems import Capabilities, RatingSystem, State

BAD_EVENTS: list[tuple[dict[str, Any], str]] = [
    ({}, "give either ranks or scores"),
    ({"ranks": {"new": 1, "bob": 2}, "scores": {"new": 1, "bob": 2}}, "give either ranks or scores"),
    ({"ranks": {"new": 0, "bob": 1}}, "the rank of 'new' is 0, and the best rank is 1"),
    ({"ranks": {"new": -3, "bob": 1}}, "is -3"),
    ({"ranks": {"new": 1.5, "bob": 1}}, "1.5, not a whole number"),
    ({"ranks": {"new": math.nan, "bob": 1}}, "nan, not a whole number"),
    ({"ranks": {"new": True, "bob": 2}}, "True, not a whole number"),
    ({"ranks": {"new": 2**40, "bob": 2}}, "not a whole number"),
    ({"scores": {"new": math.inf, "bob": 2}}, "the score of 'new' is inf"),
    ({"scores": {"new": math.nan, "bob": 2}}, "the score of 'new' is nan"),
    ({"ranks": {"new": 1}}, "at least two sides"),
    ({"ranks": {}}, "at least two sides"),
    ({"ranks": {"": 1, "bob": 2}}, "name is empty"),
    ({"ranks": {"5": 1, 5: 2}}, "'5' takes part twice"),
    ({"ranks": [1, 2]}, "by player"),
    ({"ranks": {"new": 1}, "teams": [["new"], ["bob"]]}, "as a list"),
    ({"ranks": [1], "teams": [["new"], ["bob"]]}, "2 teams but 1 ranks"),
    ({"ranks": [1, 2], "teams": ["new", "bob"]}, "not one name"),
    ({"ranks": [1, 2], "teams": [["new"], []]}, "a team has no members"),
    ({"ranks": [1, 2], "teams": [["new", "bob"], ["bob"]]}, "'bob' takes part twice"),
    ({"ranks": {"new": 1, "bob": 2}, "weight": 0}, "weight must be from 1e-09"),
    ({"ranks": {"new": 1, "bob": 2}, "weight": -1}, "weight must be from 1e-09"),
    ({"ranks": {"new": 1, "bob": 2}, "weight": math.nan}, "weight must be from 1e-09"),
    ({"ranks": {"new": 1, "bob": 2}, "weight": math.inf}, "to 1e+06"),
    ({"ranks": {"new": 1, "bob": 2}, "home": "eve"}, "'eve' is the home side but does not take part"),
    ({"ranks": {"new": 1, "bob": 2}, "unrated": ["eve"]}, "'eve' is unrated but does not take part"),
    ({"ranks": {"new": 1, "bob": 2}, "share": 1.1}, "share must be from 0 to 1"),
    ({"ranks": {"new": 1, "bob": 2}, "share": math.nan}, "share must be from 0 to 1"),
    ({"ranks": {"new": 1, "bob": 2, "cat": 3}, "share": 0.5}, "two sides"),
    ({"ranks": {"new": 1, "bob": 2}, "time": "yesterday"}, "'yesterday' is not a time"),
    ({"ranks": {"new": 1, "bob": 2}, "time": "2026-13-01"}, "is not a time"),
    ({"ranks": {"new": 1, "bob": 2}, "time": 1e18}, "is not a time"),
]


@pytest.mark.parametrize(("event", "reason"), BAD_EVENTS, ids=[str(event)[:60] for event, _ in BAD_EVENTS])
def test_a_bad_event_changes_nothing(event: dict[str, Any], reason: str) -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    for what in (ladder.record, ladder.preview):
        with pytest.raises(InputError) as error:
            what(**event)
        assert reason in str(error.value)
        assert content(ladder) == before


@pytest.mark.parametrize(
    ("match", "reason"),
    [
        ({"winner": "new", "loser": "new"}, "'new' cannot play against itself"),
        ({"winner": "new", "loser": ""}, "name is empty"),
        ({"winner": "new", "loser": "bob", "weight": 0}, "weight must be from 1e-09"),
        ({"winner": "new", "loser": "bob", "home": "cat"}, "does not take part"),
        ({"winner": "new", "loser": "bob", "time": "soon"}, "is not a time"),
    ],
)
def test_a_bad_match_changes_nothing(match: dict[str, Any], reason: str) -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    with pytest.raises(InputError, match=reason):
        ladder.record_match(**match)
    assert content(ladder) == before


def test_a_name_that_is_no_name_is_a_type_error() -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    attempts: list[Callable[[], object]] = [
        lambda: ladder.record_match(None, "bob"),
        lambda: ladder.record(ranks={1.5: 1, "bob": 2}),
        lambda: ladder.rating(True),
        lambda: ladder.expected_score("ann", 2.5),
    ]
    for attempt in attempts:
        with pytest.raises(TypeError):
            attempt()
        assert content(ladder) == before


def test_a_refusal_names_the_event_and_gives_a_hint() -> None:
    with pytest.raises(InputError) as error:
        Ladder(Elo()).record(ranks={"ann": 0, "bob": 1}, name="round 7")
    assert str(error.value) == (
        "event 'round 7': the rank of 'ann' is 0, and the best rank is 1\n"
        "  hint: give points (higher is better) as scores="
    )


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_an_event_before_the_last_is_refused(system: RatingSystem) -> None:
    ladder = some_season(system)
    before = content(ladder)
    early = START + 2 * DAY
    attempts: list[Callable[[], object]] = [
        lambda: ladder.record_match("new", "bob", time=early),
        lambda: ladder.record(ranks={"new": 1, "bob": 2}, time=early, name="late report"),
        lambda: ladder.preview(ranks={"new": 1, "bob": 2}, time=early),
        lambda: ladder.adjust(Reset(), time=early),
        lambda: ladder.update(History.from_events([Event.of(ranks={"new": 1, "bob": 2}, time=early)])),
    ]
    for attempt in attempts:
        with pytest.raises(OrderError, match="earlier than the ladder's last event of 2023-12-05T22:13:20Z"):
            attempt()
        assert content(ladder) == before


def test_a_period_of_days_needs_a_time() -> None:
    ladder = Ladder(Elo(period="7d"))
    with pytest.raises(UnsupportedError, match="needs the time of every event"):
        ladder.record_match("ann", "bob")
    assert len(ladder.players) == 0
    assert ladder.state.size == 0


@dataclass(frozen=True, kw_only=True)
class Duels(Elo):
    """Elo that can use next to nothing."""

    name: ClassVar[str] = "duels"
    supports: ClassVar[Capabilities] = Capabilities()


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ({"ranks": {"ann": 1, "new": 2, "bob": 3}}, "events of more than two sides"),
        ({"ranks": [1, 2], "teams": [["ann", "new"], ["bob"]]}, "teams"),
        ({"ranks": {"ann": 1, "new": 1}}, "ties"),
        ({"ranks": {"ann": 1, "new": 2}, "weight": 2.0}, "weights"),
        ({"ranks": {"ann": 1, "new": 2}, "share": 0.7}, "shares"),
    ],
)
def test_evidence_a_system_cannot_use_is_refused_by_name(event: dict[str, Any], what: str) -> None:
    ladder = Ladder(Duels())
    ladder.record_match("ann", "bob")
    before = content(ladder)
    for attempt in (ladder.record, ladder.preview):
        with pytest.raises(UnsupportedError, match=f"duels cannot use {what}"):
            attempt(**event)
        assert content(ladder) == before


@dataclass(frozen=True, kw_only=True)
class Failing(Elo):
    """Elo that fails after it has written."""

    name: ClassVar[str] = "failing"

    def rate_events(self, state: State, events: Any, trace: Any) -> None:
        super().rate_events(state, events, trace)
        if state.size > 2:
            raise KeyboardInterrupt


def test_a_system_that_fails_half_way_leaves_no_trace() -> None:
    ladder = Ladder(Failing())
    ladder.record_match("ann", "bob")
    before = content(ladder)
    with pytest.raises(KeyboardInterrupt):
        ladder.record_match("ann", "new")
    assert content(ladder) == before
    with pytest.raises(KeyboardInterrupt):
        ladder.update(History.from_matches(["ann", "ann"], ["bob", "new"]))
    assert content(ladder) == before
    ladder.undo()
    assert content(ladder) == content(Ladder(Failing()))


@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_bad_adjustments_change_nothing(system: RatingSystem) -> None:
    ladder = some_season(system)
    before = content(ladder)
    refused: list[tuple[Any, type[PodiumError]]] = [
        (Rename(player="ann", into="bob"), InputError),
        (Rename(player="ann", into="cat"), InputError),
        (Rename(player="nobody", into="new"), UnknownPlayerError),
        (Merge(player="nobody", into="ann"), UnknownPlayerError),
        (Release(player="nobody"), UnknownPlayerError),
    ]
    for adjustment, error in refused:
        with pytest.raises(error):
            ladder.adjust(adjustment)
        assert content(ladder) == before


def test_adjustments_are_checked_when_they_are_made() -> None:
    for make in (
        lambda: SetRating(player="ann", mu=math.nan),
        lambda: SetRating(player="", mu=1500),
        lambda: Anchor(player="ann", sigma=-1),
        lambda: Reset(keep=1.5),
    ):
        with pytest.raises(InputError):
            make()


def test_a_history_refused_half_way_changes_nothing() -> None:
    """The rename stands after a rated event, and fails."""
    history = History.from_events(
        [
            Event.of(ranks={"ann": 1, "new": 2}),
            Rename(player="ann", into="bob"),
            Event.of(ranks={"ann": 1, "newer": 2}),
        ]
    )
    assert history.adjustments == (Placed(1, history.adjustments[0].time, Rename(player="ann", into="bob")),)
    ladder = some_season(Elo())
    before = content(ladder)
    with pytest.raises(InputError, match="already exists"):
        ladder.update(history)
    assert content(ladder) == before
    ladder.undo()  # what was recorded before can still be taken back
    assert ladder.n_events == 3


def test_nothing_to_undo() -> None:
    ladder = Ladder(Elo())
    with pytest.raises(InputError, match="nothing to undo"):
        ladder.undo()
    ladder.update(History.from_matches(["ann"], ["bob"]))
    with pytest.raises(InputError, match="nothing to undo"):
        ladder.undo()


def test_predictions_refuse_what_makes_no_sense() -> None:
    ladder = some_season(Elo())
    before = content(ladder)
    for attempt, reason in (
        (lambda: ladder.expected_score("ann", "ann"), "'ann' is on both sides"),
        (lambda: ladder.expected_score(["ann", "bob"], ["bob"]), "'bob' is on both sides"),
        (lambda: ladder.outcomes([], "bob"), "at least one member"),
        (lambda: ladder.outcomes(["ann", "ann"], "bob"), "each of them once"),
        (lambda: ladder.expected_score("ann", "bob", home="cat"), "'cat' is the home side"),
        (lambda: ladder.rank_probabilities(["ann"]), "at least two sides"),
        (lambda: ladder.rank_probabilities(["ann", "bob", "ann"]), "in the field twice"),
        (lambda: ladder.rank_probabilities("ann"), "at least two sides"),
        (lambda: ladder.rank_probabilities([["ann", "bob"], ["cat", "ann"]]), "in the field twice"),
        (lambda: ladder.rank_probabilities([["ann"], []]), "at least one member"),
        (lambda: ladder.expected_ranks(["ann"]), "at least two sides"),
        (lambda: ladder.top_chances(["ann", "bob"], 0), "the first 0 are not places"),
        (lambda: ladder.top_chances(["ann", "bob"], 1.5), "the first 1.5 are not places"),
        (lambda: ladder.rank_probabilities(map(str, range(2_001))), "at most 2,000 sides, not 2,001"),
    ):
        with pytest.raises(InputError, match=reason):
            attempt()
    with pytest.raises(UnsupportedError, match="elo has no sigma"):
        ladder.leaderboard(max_sigma=100)
    assert content(ladder) == before


@pytest.mark.parametrize("kind", [Rename, Merge, Release])
@pytest.mark.parametrize("system", SYSTEMS, ids=label)
def test_histories_refuse_adjustments_of_unknown_players(system: RatingSystem, kind: Any) -> None:
    """As `Ladder.adjust` does; a player of a later event, or one who was renamed, is unknown too."""
    words = {} if kind is Release else {"into": "annie"}
    match = Event.of(ranks={"ann": 1, "bob": 2}, time=START)
    for items in (
        [match, kind(player="anne", **words)],
        [kind(player="ann", **words), match],
        [match, Rename(player="ann", into="zoe"), kind(player="ann", **words)],
    ):
        history = History.from_events(items)
        for trace in (False, True):
            with pytest.raises(UnknownPlayerError, match=r"there is no player 'ann?e?' yet"):
                podium.rate(history, system, trace=trace)
        ladder = Ladder(system)
        ladder.record_match("cat", "dan", time=START)
        before = content(ladder)
        with pytest.raises(UnknownPlayerError):
            ladder.update(history)
        assert content(ladder) == before


def test_a_selection_may_leave_out_the_player_of_an_adjustment() -> None:
    """The events before it are left out on purpose; a ladder that has rated them renames the player."""
    days = [Event.of(ranks={"ann": 1, "bob": 2}, time="2026-05-01")]
    days += [Event.of(ranks={"bob": 1, "cat": 2}, time=f"2026-05-0{day}") for day in (2, 3)]
    whole = History.from_events([*days[:2], Rename(player="ann", into="anna"), days[2]])
    for part in (whole[1:], whole.between("2026-05-02"), whole.filter(players=["bob", "cat"])):
        assert "anna" not in podium.rate(part, "elo").ladder
    for rest in (whole[1:], whole.between("2026-05-02")):
        ladder = podium.rate(whole[:1], "elo").ladder
        ladder.update(rest)
        assert "anna" in ladder


def test_the_row_of_an_adjustment_that_is_refused(tmp_path: Path) -> None:
    """The error names the file and line, also when files are read in pieces or joined."""
    rows = ["event,time,player,rank,adjustment,into"]
    for day in range(1, 9):
        rows += [f"r{day},2026-05-0{day},{name},{rank},," for rank, name in enumerate(["ann", "bob"], 1)]
    rows.insert(5, ",2026-05-02,anne,,merge,bob")
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows) + "\n")
    said = "results.csv, line 6: merge player=anne, into=bob: there is no player 'anne' yet"
    for history in (
        podium.read_history(path),
        podium.read_chunks(path, rows=4),
        podium.History.concat(
            [podium.read_history(path), History.from_matches(["x"], ["y"], time=["2026-01-01"])]
        ),
    ):
        with pytest.raises(UnknownPlayerError) as caught:
            podium.rate(history, "elo")
        assert said in str(caught.value)
        assert "did you mean 'ann'" in str(caught.value)
