"""Why a rating is what it is, and what it would take to change it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

import podium
from podium import (
    Anchor,
    EloMMR,
    EloMMX,
    EloR,
    Glicko2,
    History,
    InputError,
    Ladder,
    Merge,
    Release,
    Rename,
    Reset,
    SetRating,
    rate,
)
from podium.systems.contract.explained_ratings import Explanation, PerformanceExplanation

ROUNDS = ["ABCDE", "EABDC", "CADEB", "BADCE", "DEABC"]


def recorded(system: podium.RatingSystem) -> Ladder:
    ladder = Ladder(system)
    for number, order in enumerate(ROUNDS, start=1):
        ranks = {name: rank for rank, name in enumerate(order, start=1)}
        ladder.record(ranks=ranks, name=f"round {number}", time=f"2026-0{number}-01")
    return ladder


@pytest.mark.parametrize(
    "system", [EloMMR(), EloMMR(rho=0.0), EloMMR(rho=math.inf), EloR(), EloR(noise="all")]
)
def test_a_rating_is_the_average_that_is_said(system: podium.RatingSystem) -> None:
    ladder = recorded(system)
    for player in "ABCDE":
        explained = ladder.explain(player)
        assert isinstance(explained, PerformanceExplanation)
        lines = explained.lines
        assert sum(share for _, _, share, _ in lines) == pytest.approx(1.0, abs=1e-9)
        assert sum(value * share for _, value, share, _ in lines) == pytest.approx(
            explained.rating.mu, abs=1e-6
        )
        assert sum(pull for _, _, _, pull in lines) == pytest.approx(0.0, abs=1e-6)
        assert explained.bounds[0] <= min(explained.rise, explained.fall) + 1e-9
        assert max(explained.rise, explained.fall) <= explained.bounds[1] + 1e-9


def test_events_have_their_names_and_ranks() -> None:
    explained = recorded(EloMMR()).explain("A")
    assert [(p.event, p.rank) for p in explained.performances] == [
        (f"round {n}", order.index("A") + 1) for n, order in enumerate(ROUNDS, start=1)
    ]
    assert "round 2, 2026-02-01: rank 2" in str(explained)


def test_an_event_out_of_competition_is_no_performance() -> None:
    ladder = recorded(EloMMR())
    ladder.record(ranks={"A": 1, "B": 2}, name="show match", unrated=["A"], time="2026-06-01")
    ladder.record(ranks={"A": 1, "B": 2}, name="final", time="2026-07-01")
    names = [p.event for p in ladder.explain("A").performances]
    assert names == [f"round {n}" for n in range(1, 6)] + ["final"]


def test_a_loaded_ladder_knows_numbers_and_times(tmp_path: object) -> None:
    recorded(EloMMR()).save(f"{tmp_path}/l.podium")
    explained = Ladder.load(f"{tmp_path}/l.podium").explain("A")
    assert [p.event for p in explained.performances] == [f"no. {n}" for n in range(1, 6)]
    assert "no. 3, 2026-03-01" in str(explained)


def test_a_run_knows_the_names() -> None:
    events = [
        {"ranks": {name: r for r, name in enumerate(order, start=1)}, "name": f"round {n}"}
        for n, order in enumerate(ROUNDS, start=1)
    ]
    for system in (EloMMR(), EloMMX(), Glicko2()):
        run = rate(History.from_events(events), system, trace=True)
        explained = run.explain("A")
        assert [line[0].split(":")[0] for line in explained.lines][-5:] == [f"round {n}" for n in range(1, 6)]
        if isinstance(explained, Explanation):
            assert sum(change for _, change in explained.lines) == pytest.approx(explained.rating.display)
    # going on from an earlier ladder, what came before is known by its number
    first = rate(History.from_events(events[:2]), EloMMR()).ladder
    later = rate(History.from_events(events[2:]), EloMMR(), ladder=first, trace=True).explain("A")
    assert [p.event for p in later.performances] == ["no. 1", "no. 2", "round 3", "round 4", "round 5"]


def test_a_renamed_player_keeps_their_performances() -> None:
    ladder = recorded(EloMMR())
    before = ladder.explain("A")
    ladder.adjust(Rename(player="A", into="Z"))
    after = ladder.explain("Z")
    assert [p.event for p in after.performances] == [p.event for p in before.performances]
    assert after.rating.mu == before.rating.mu


def test_a_merged_or_seeded_player_starts_from_there() -> None:
    ladder = recorded(EloMMR())
    ladder.adjust(Merge(player="A", into="B"))
    ladder.adjust(SetRating(player="C", mu=1800.0, sigma=100.0))
    for player in "BC":
        explained = ladder.explain(player)
        assert explained.performances == ()
        assert (explained.start, explained.start_share) == (explained.rating.mu, 1.0)
    ladder.undo()
    ladder.undo()
    assert len(ladder.explain("A").performances) == 5


def test_somebody_seen_but_never_rated() -> None:
    ladder = Ladder(EloMMR())
    ladder.record(ranks={"ann": 1, "guest": 2}, unrated=["guest"])
    explained = ladder.explain("guest")
    assert explained.performances == ()
    assert explained.rating.mu == 1500.0
    assert 0 < explained.rise == pytest.approx(explained.fall)


def test_no_limit_without_robustness() -> None:
    assert isinstance(recorded(EloMMX()).explain("A"), Explanation)


@pytest.mark.parametrize("system", [EloMMR(), EloMMX(), Glicko2(), EloR()])
def test_the_rank_to_reach_is_the_last_that_does(system: podium.RatingSystem) -> None:
    ladder = recorded(system)
    standings = {"B": 1, "C": 2, "D": 2, "A": 4, "E": 5}
    # What A would be displayed at with each rank, the others in the order they have.
    shown = {}
    for rank, order in ((1, "AB(CD)E"), (2, "BA(CD)E"), (4, "B(CD)AE"), (5, "B(CD)EA")):
        tied = order.replace("(CD)", "C")
        ranks = {name: 2 * place for place, name in enumerate(tied, start=1)} | {"D": 0}
        ranks["D"] = ranks["C"]
        change = next(c for c in ladder.preview(ranks=ranks) if c.player == "A")
        shown[rank] = change.display
    for rank, display in shown.items():
        assert ladder.rank_to_reach("A", display - 1e-6, ranks=standings) == rank
    assert ladder.rank_to_reach("A", shown[1] + 1e-6, ranks=standings) is None
    assert ladder.rank_to_reach("A", -1e9, scores={"A": 1, "B": 9}) == 2
    before = ladder.state.copy()
    ladder.rank_to_reach("A", 1500, ranks=standings)
    assert ladder.state == before


def test_refusals() -> None:
    ladder = recorded(EloMMR())
    with pytest.raises(InputError, match="'Q' is not in these standings"):
        ladder.rank_to_reach("Q", 1500, ranks={"A": 1, "B": 2})
    with pytest.raises(podium.UnknownPlayerError):
        ladder.explain("Q")


def test_a_run_whose_ladder_has_gone_on() -> None:
    events = [{"ranks": {"ann": 1, "bob": 2}, "name": f"e{n}"} for n in range(1, 4)]
    run = rate(History.from_events(events), EloMMR(), trace=True)
    run.ladder.record(ranks={"bob": 1, "ann": 2}, name="new")
    explained = run.explain("ann")
    assert [(p.event, p.rank) for p in explained.performances] == [
        ("e1", 1),
        ("e2", 1),
        ("e3", 1),
        ("new", 2),
    ]


def test_anchored_rows_are_no_performances() -> None:
    one = {"ranks": {"ann": 1, "bob": 2}}
    items = [one | {"name": "e1"}, one | {"name": "e2"}, Anchor(player="ann"), one | {"name": "e3"}]
    items += [Release(player="ann"), one | {"name": "e4"}]
    run = rate(History.from_events(items), EloMMR(), trace=True)
    assert [p.event for p in run.explain("ann").performances] == ["e1", "e2", "e4"]


def test_a_name_that_changed_hands() -> None:
    one = {"ranks": {"ann": 1, "bob": 2}}
    items = [one | {"name": "old"}, Rename(player="ann", into="anna"), one | {"name": "new"}]
    run = rate(History.from_events(items), EloMMR(), trace=True)
    assert [p.event for p in run.explain("ann").performances] == ["new"]
    assert [p.event for p in run.explain("anna").performances] == ["old"]


def match(name: str, winner: str, loser: str) -> dict[str, object]:
    return {"ranks": {winner: 1, loser: 2}, "name": name, "time": f"2026-0{name[1]}-01"}


REUSED = [
    match("g1", "ann", "bob"),
    match("g2", "ann", "bob"),
    Rename(player="ann", into="anna"),
    match("g3", "ann", "bob"),  # a new player
    match("g4", "ann", "anna"),
    Merge(player="bob", into="anna"),
    match("g5", "bob", "anna"),  # another new player
]
RESULTS = {
    "ann": ["g3", "g4"],
    "anna": ["g1", "g2", "g4", "merge player=bob, into=anna", "g5"],
    "bob": ["g5"],
}


def recorded_each(items: list[object], ladder: Ladder) -> Ladder:
    for item in items:
        if isinstance(item, podium.Adjustment):
            ladder.adjust(item)
        else:
            ladder.record(**item)
    return ladder


@pytest.mark.parametrize("pieces", [[7], [2, 5], [3, 3, 1], [2, 1, 2, 2], [4], [2], [6]])
def test_a_run_tells_of_players_and_not_of_names(pieces: list[int]) -> None:
    """In one piece, in several, and with what its ladder recorded one by one afterwards."""
    histories, done = [], 0
    for size in pieces:
        histories.append(History.from_events(REUSED[done : done + size]))
        done += size
    run = rate(histories, podium.Elo(), trace=True)
    recorded_each(REUSED[done:], run.ladder)
    right = recorded_each(REUSED, Ladder(podium.Elo()))
    for player, results in RESULTS.items():
        explained = run.explain(player)
        assert isinstance(explained, Explanation)
        assert [one.event for one in explained.contributions] == results
        assert [change for _, change in explained.lines] == pytest.approx(
            [change for _, change in right.explain(player).lines]
        )
        assert (explained.absence, explained.older_results) == (0.0, 0.0)
        in_run = [name for name in results if name[0] == "g" and int(name[1]) <= sum(map(len, histories))]
        last, by_bob = run.explain_last(player), player == "anna" and len(histories[0]) > 2
        played = [*in_run, "g3"] if by_bob else in_run  # the account that was merged into hers
        assert (None if last is None else last.event) == max(played, default=None)
        for name in in_run:
            assert (run.explain(player, name).player, run.explain(player, name).event) == (player, name)
    with pytest.raises(InputError, match="'ann' did not take part"):
        run.explain("ann", "g1")


def test_events_of_a_merged_account_are_the_players() -> None:
    run = rate(History.from_events(REUSED), podium.Elo(), trace=True)
    both, lost = run.explain("anna", "g1"), run.explain("anna", "g3")
    assert (both.rank, both.player) == (1, "anna")  # bob's place is the other account's
    assert (lost.rank, lost.player) == (2, "anna")


def test_names_are_followed_past_what_a_ladder_remembers() -> None:
    run = rate(History.from_events(REUSED[:2]), podium.Elo(), trace=True)
    run.ladder.adjust(Merge(player="ann", into="bob"))
    run.ladder.undo()  # as if it had never been
    assert [one.event for one in run.explain("ann").contributions] == ["g1", "g2"]
    run.ladder.adjust(REUSED[2])
    run.ladder.update(History.from_events(REUSED[3:4]))
    assert [one.event for one in run.explain("ann").contributions] == []
    assert [one.event for one in run.explain("anna").contributions] == ["g1", "g2"]
    assert run.explain_last("ann") is None
    # a name that nobody has any more still means those who had it
    run.ladder.adjust(Rename(player="ann", into="annie"))
    assert run.explain("ann", "g1").display == 1516.0


def test_events_that_share_a_name() -> None:
    games = [{"ann": 1, "bob": 2}, {"bob": 1, "ann": 2}, {"cat": 1, "dan": 2}]
    run = rate(History.from_events([{"ranks": g, "name": "club night"} for g in games]), EloMMR(), trace=True)
    assert run.explain("ann", "club night").rank == 2
    assert run.explain("cat", "club night").rank == 1
    assert run.explain_last("ann") == run.explain("ann", "club night")
    assert run.explain_last("nobody") is None
    with pytest.raises(InputError, match="'eve' did not take part"):
        run.explain("eve", "club night")


def test_what_is_shown_is_said() -> None:
    ladder = recorded(EloR())
    explained = ladder.explain("A")
    assert f"{explained.rating.mu:.1f} (shown as {ladder.rating('A').display:.1f}) after 5 events" in str(
        explained
    )


def test_an_anchored_player_is_not_told_of_limits() -> None:
    ladder = recorded(EloMMR())
    ladder.adjust(Anchor(player="A"))
    assert str(ladder.explain("A")).endswith("It is fixed: no result moves it.")


def test_long_memories_are_summed_up() -> None:
    """The performances that pull most are told one by one, in their order, and the average stays exact."""
    ladder = Ladder(EloMMR(rho=0.0))
    for number in range(60):
        ladder.record(ranks={"ann": 1 + number % 2, "bob": 2 - number % 2, "cat": 3})
    explained = ladder.explain("ann")
    assert isinstance(explained, PerformanceExplanation)
    assert len(explained.performances) == 60
    short = explained.shortened(7)
    assert short.others is not None
    assert (len(short.performances), short.others.count, short.others.words) == (7, 53, "53 other events")
    assert sum(line[2] for line in short.lines) == pytest.approx(1.0)
    assert sum(line[1] * line[2] for line in short.lines) == pytest.approx(explained.rating.mu)
    assert sum(line[3] for line in short.lines) == pytest.approx(0.0, abs=1e-6)
    most = sorted(abs(part.pull) for part in explained.performances)[-7:]
    assert sorted(abs(part.pull) for part in short.performances) == most
    assert [p for p in explained.performances if p in short.performances] == list(short.performances)
    assert "53 other events" not in str(explained)
    assert "50 other events" in str(explained)  # ten of them fit a screen
    again, once = short.shortened(3).others, explained.shortened(3).others
    assert again is not None
    assert once is not None
    assert (again.count, again.share, again.pull) == (57, pytest.approx(once.share), pytest.approx(once.pull))
    assert explained.shortened(60) is explained
    assert "35 other events" in str(explained.shortened(25))  # as many as somebody asked for


def test_long_careers_are_summed_up() -> None:
    """The latest changes are told one by one, and those before them as one; the sum stays exact."""
    ladder = Ladder(podium.Elo())
    for number in range(30):
        ladder.record_match(*(("ann", "bob") if number % 3 else ("bob", "ann")))
    explained = ladder.explain("ann")
    assert isinstance(explained, Explanation)
    short = explained.shortened(4)
    assert short.earlier is not None
    assert (short.earlier.count, short.earlier.words) == (26, "26 earlier matches")
    assert short.contributions == explained.contributions[-4:]
    assert [words for words, _ in short.lines[:2]] == ["where newcomers start", "26 earlier matches in all"]
    assert total(short) == pytest.approx(explained.rating.display, abs=1e-9)
    assert str(explained).count("chance") == 10
    assert "  20 earlier matches in all" in str(explained)
    assert "  5 earlier matches in all" in str(explained.shortened(25))  # as many as somebody asked for
    again, once = short.shortened(2).earlier, explained.shortened(2).earlier
    assert again is not None
    assert once is not None
    assert (again.count, again.what, again.change) == (28, "match", pytest.approx(once.change))
    ladder.adjust(Reset(keep=0.5))
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    mixed = ladder.explain("ann").shortened(0)
    assert isinstance(mixed, Explanation)
    assert mixed.earlier is not None
    assert mixed.earlier.words == "32 earlier changes"


# ---------------------------------------------------------------------- matches

MATCHES = [
    {"scores": {"ann": 3, "bob": 1}, "home": "ann", "time": "2026-05-01"},
    {"scores": {"bob": 2, "ann": 2}, "home": "bob", "time": "2026-05-02", "name": "derby"},
    {"ranks": {"bob": 1, "ann": 2}, "time": "2026-05-03"},
    {"teams": [["ann", "cat"], ["bob", "dan", "eve"]], "ranks": [2, 1], "time": "2026-05-04"},
    {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "time": "2026-05-05", "name": "open"},
]
WORDS = [
    "2026-05-01: beat bob 3:1 at home, chance ",
    "derby, 2026-05-02: drew with bob 2:2 away, chance ",
    "2026-05-03: lost to bob, chance ",
    "2026-05-04: lost to bob, dan and 1 more (with cat), chance ",
    "open, 2026-05-05: rank 1",
]


@pytest.mark.parametrize("name", sorted(podium.list_systems()))
def test_matches_name_the_opponents_the_score_and_the_chance(name: str) -> None:
    """In every system, one by one and in bulk; the chance is what the ladder said before the match."""
    system = podium.make_system(name)
    supports = system.supports
    games = [
        (match, words)
        for match, words in zip(MATCHES, WORDS, strict=True)
        if (supports.teams or "teams" not in match) and (supports.many or "cat" not in match.get("ranks", {}))
    ]
    ladder, chances = Ladder(system), []
    for match, _ in games:
        ours, theirs = match.get("teams", ["ann", "bob"])
        at_home = {"home": match["home"]} if "home" in match else {}
        chances.append(ladder.expected_score(ours, theirs, at=match.get("time"), **at_home))
        ladder.record(**match)
    run = rate(History.from_events([match for match, _ in games]), system, trace=True)
    for explained in (ladder.explain("ann"), run.explain("ann")):
        parts = getattr(explained, "contributions", ()) or getattr(explained, "performances", ())
        assert len(parts) == len(games)
        for part, (match, words), chance in zip(parts, games, chances, strict=True):
            assert str(part).startswith(words)
            assert (part.match is None) == ("cat" in match.get("ranks", {}))
            if part.match is not None and system.two_numbers:
                assert part.match.chance == pytest.approx(chance, abs=1e-9)


def test_an_event_that_did_not_count() -> None:
    events = [{"ranks": {"ann": 1, "bob": 2}, "name": "Cup"}]
    events.append({"ranks": {"ann": 2, "bob": 1}, "name": "Show", "unrated": ["ann"]})
    run = rate(History.from_events(events), EloMMR(), trace=True)
    assert str(run.explain("ann", "Show")).startswith("ann in Show (it did not count): lost to bob, chance ")
    assert run.explain_last("ann").event == "Cup"


def test_near_misses_are_hinted_at() -> None:
    run = rate(History.from_events([{"ranks": {"Ann": 1, "bob": 2}, "name": "Summer Open"}]), trace=True)
    with pytest.raises(podium.UnknownPlayerError, match="did you mean 'Ann'"):
        run.explain("anna")
    with pytest.raises(InputError, match="did you mean 'Summer Open'"):
        run.explain("Ann", "sumer open")


# ---------------------------------------------------------------------- parts that are what they say


def total(explained: Explanation) -> float:
    return sum(points for _, points in explained.lines)


def test_the_start_is_the_players_own() -> None:
    """Newcomers start lower and lower here; who came first started at 1500, and is told so."""
    ladder = Ladder(EloMMX(newcomer_start="adaptive"))
    ladder.record(ranks={"ann": 1, "bob": 2}, name="first")
    for number in range(20):
        ladder.record(ranks={"ann": 1, "bob": 2, f"new {number}": 3}, name=f"round {number}")
    newcomers = float(ladder.system.start(ladder.state)[0][0])
    assert newcomers < 1450
    ann, latest, middle = (ladder.explain(name) for name in ("ann", "new 19", "new 9"))
    assert isinstance(ann, Explanation)
    assert isinstance(latest, Explanation)
    assert isinstance(middle, Explanation)
    assert (ann.newcomer, ann.older_results, ann.lines[0]) == (1500.0, 0.0, ("start", 1500.0))
    assert newcomers < latest.newcomer < middle.newcomer < 1500
    for explained in (ann, latest, middle):
        assert total(explained) == pytest.approx(explained.rating.display, abs=1e-9)
    events = [{"ranks": {"ann": 1, "bob": 2, f"new {number}": 3}} for number in range(20)]
    run = rate(History.from_events(events), EloMMX(newcomer_start="adaptive"), trace=True)
    told = run.explain("ann")
    assert isinstance(told, Explanation)
    assert (told.newcomer, told.older_results) == (1500.0, 0.0)
    assert total(told) == pytest.approx(told.rating.display, abs=1e-9)


def test_nothing_comes_before_the_first_change_of_a_player_with_a_merged_account() -> None:
    """Newcomers start elsewhere by now, but the player's first change began at the player's own start."""
    match = {"ranks": {"ann": 1, "bob": 2}}
    first = [match, SetRating(player="cat", mu=1700.0), {"ranks": {"ann": 1, "dan": 2}}]
    merged = [*first, Merge(player="dan", into="cat"), {"ranks": {"cat": 1, "eve": 2}}]
    system = EloMMX(newcomer_start="adaptive")
    whole = rate(History.from_events(merged), system, trace=True)
    later = rate(
        History.from_events(merged[1:]),
        ladder=rate(History.from_events([match]), system).ladder,
        trace=True,
    )
    for run in (whole, later):
        told = run.explain("cat")
        assert isinstance(told, Explanation)
        assert told.older_results == 0.0
        assert told.newcomer == told.contributions[0].before
        assert total(told) == pytest.approx(told.rating.display, abs=1e-9)


def test_the_start_of_an_average_is_the_players_own() -> None:
    ladder = Ladder(EloMMR(newcomer_start="adaptive"))
    for number in range(20):
        ladder.record(ranks={"ann": 1, "bob": 2, f"new {number}": 3})
    ann, latest = ladder.explain("ann"), ladder.explain("new 19")
    assert isinstance(ann, PerformanceExplanation)
    assert isinstance(latest, PerformanceExplanation)
    assert ann.start == 1500.0
    assert latest.start < 1480
    assert latest.start != float(ladder.system.start(ladder.state)[0][0])  # it learned from the last, too


def test_what_time_away_took_is_a_part_of_its_own() -> None:
    system = Glicko2(display_k=2.0, periods_per_day=1.0)
    ladder = Ladder(system)
    for year in (2020, 2021, 2024):
        ladder.record(ranks={"ann": 1, "bob": 2}, name=f"cup {year}", time=f"{year}-05-01")
    explained = ladder.explain("ann")
    assert isinstance(explained, Explanation)
    assert explained.older_results == 0.0
    assert explained.absence < -1.0
    lost = ladder.preview(ranks={"ann": 1, "bob": 2}, time="2025-05-01")[0].display_before
    assert lost < explained.rating.display  # what the next year away would take is no part of it yet
    assert explained.lines[-1] == ("less certain while away", explained.absence)
    assert total(explained) == pytest.approx(explained.rating.display, abs=1e-9)
    # The same from a history, and with less to remember.
    events = [{"ranks": {"ann": 1, "bob": 2}, "time": f"{y}-05-01"} for y in (2020, 2021, 2024)]
    whole = rate(History.from_events(events), system, trace=True).explain("ann")
    assert isinstance(whole, Explanation)
    assert whole.absence == pytest.approx(explained.absence, abs=1e-9)
    first = rate(History.from_events(events[:1]), system).ladder
    later = rate(History.from_events(events[1:]), system, ladder=first, trace=True).explain("ann")
    assert isinstance(later, Explanation)
    assert explained.absence < later.absence < 0.0
    assert later.older_results != 0.0
    assert total(later) == pytest.approx(later.rating.display, abs=1e-9)


def test_an_event_is_explained_by_the_ratings_that_are_shown() -> None:
    # A draw against somebody weaker lowers mu, but it makes the rating surer, and the number shown rises.
    matches = [{"ranks": {"ann": 1, "bob": 2}}, {"ranks": {"ann": 1, "cat": 1}, "name": "draw"}]
    run = rate(History.from_events(matches), podium.TrueSkill(display_k=3.0), trace=True)
    explained = run.explain("ann", "draw")
    change = run.explain("ann").contributions[-1]
    assert explained.mu < explained.mu_before
    assert explained.display > explained.display_before
    assert explained.display == run.ladder.rating("ann").display
    assert (explained.display_before, explained.display) == (change.before, change.after)
    shown, _, result = str(explained).rpartition(" = ")
    before, _, gain = shown.rpartition(": ")[2].partition(" + ")
    assert float(before) + float(gain) == pytest.approx(float(result))  # what is shown adds up
    assert (before, result) == (f"{change.before:.1f}", f"{change.after:.1f}")


def test_adjustments_of_a_history_are_parts_of_their_own() -> None:
    """They were counted as everything before, though they came in the middle."""
    match = {"ranks": {"ann": 1, "bob": 2}}
    seed, reset = SetRating(player="ann", mu=1700.0), Reset(keep=0.5)
    run = rate(History.from_events([match, seed, match, reset, match, reset]), podium.Elo(), trace=True)
    explained = run.explain("ann")
    assert isinstance(explained, Explanation)
    names = [part.event for part in explained.contributions]
    assert names == ["1", seed.describe(), "2", reset.describe(), "3", reset.describe()]
    assert (explained.newcomer, explained.older_results, explained.absence) == (1500.0, 0.0, 0.0)
    assert explained.contributions[1].change == pytest.approx(1700.0 - 1516.0)
    assert total(explained) == pytest.approx(explained.rating.display, abs=1e-9)
    # A seed before the first event has its line too, as that of a ladder has.
    seeded = rate(History.from_events([seed, match]), podium.Elo(), trace=True).explain("ann")
    assert isinstance(seeded, Explanation)
    assert seeded.lines[:2] == [("where newcomers start", 1500.0), (seed.describe(), 200.0)]
    ladder = podium.Ladder(podium.Elo())
    ladder.adjust(seed)
    ladder.record(**match)
    assert seeded.lines == ladder.explain("ann").lines
    # Of two adjustments in a row each has its line.
    twice = rate(History.from_events([match, seed, reset, match]), podium.Elo(), trace=True).explain("ann")
    assert isinstance(twice, Explanation)
    assert [part.change for part in twice.contributions[1:3]] == pytest.approx([184.0, -100.0])


def test_a_ladder_that_has_gone_on_tells_all_of_it() -> None:
    run = rate(
        History.from_events([{"ranks": {"ann": 1, "bob": 2}, "name": "cup"}]), podium.Elo(), trace=True
    )
    run.ladder.record_match("ann", "bob", name="later")
    explained = run.explain("ann")
    assert isinstance(explained, Explanation)
    assert [part.event for part in explained.contributions] == ["cup", "later"]
    assert total(explained) == pytest.approx(explained.rating.display, abs=1e-9)


@pytest.mark.parametrize(
    ("rise", "fall", "words"),
    [
        (96.6, 97.5, "{result} lower it by at most 97.5 and raise it by at most 96.6."),
        (math.inf, 35.8, "{result} lower it by at most 35.8 and raise it without limit."),
        (35.8, math.inf, "{result} lower it without limit and raise it by at most 35.8."),
        (math.inf, math.inf, "One more result can move it by any amount."),
        (0.0, 0.0, "It is fixed: no result moves it."),
    ],
)
def test_how_far_the_next_result_can_move_a_rating(rise: float, fall: float, words: str) -> None:
    ladder = Ladder(EloMMR())
    ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3})
    explained = ladder.explain("ann")
    assert isinstance(explained, PerformanceExplanation)
    result = "One more event now can"
    assert replace(explained, rise=rise, fall=fall).outlook == words.format(result=result)


def test_the_limits_are_of_mu_and_of_a_result_at_the_time_of_the_rating() -> None:
    ladder = recorded(podium.make_system("races"))
    explained = ladder.explain("D")
    assert isinstance(explained, PerformanceExplanation)
    assert f"now can lower {explained.rating.mu:.1f} by at most" in explained.outlook
    ranks = {name: rank for rank, name in enumerate("ABCED", start=1)}
    same, later = (
        next(change for change in ladder.preview(ranks=ranks, time=time) if change.player == "D")
        for time in ("2026-05-01", "2036-05-01")
    )
    assert explained.rating.mu - same.mu < explained.fall < explained.rating.mu - later.mu


def test_the_lines_of_an_explanation_add_up_as_they_are_shown() -> None:
    """Each change is rounded with the sum before it, so that no reader finds another total."""
    ladder = Ladder("elo")
    for opponent in ("bob", "cat", "dan", "eve", "fay", "gus"):
        ladder.record_match("ann", opponent)
    title, *lines = str(ladder.explain("ann")).splitlines()
    assert sum(round(10 * float(line.split()[0])) for line in lines) == round(10 * float(title.split()[1]))


def test_events_that_did_not_count_are_no_part_of_an_explanation() -> None:
    """A ladder and a run tell the same, though a year passed before the unrated event."""
    events: list[Any] = [
        {"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": "one", "time": "2025-01-01"},
        {"ranks": {"bob": 1, "ann": 2}, "name": "show", "time": "2026-01-01", "unrated": ["ann"]},
        {"ranks": {"ann": 1, "cat": 2}, "name": "two", "time": "2026-02-01"},
    ]
    for system in (podium.Elo(), Glicko2(display_k=1)):
        ladder = Ladder(system)
        for event in events:
            ladder.record(**event)
        run = podium.rate(History.from_events(events), system, trace=True)
        assert [part.event for part in ladder.explain("ann").contributions] == ["one", "two"]
        assert str(ladder.explain("ann")) == str(run.explain("ann"))


@pytest.mark.parametrize("system", [Glicko2(), EloMMR()])
def test_opponents_have_their_names_of_now(system: podium.RatingSystem) -> None:
    """As on services: ladders and runs name opponents as they are called now, reused names too."""
    won = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-01-01", "name": "first"}
    items: list[Any] = [won, Rename(player="bob", into="rob")]
    items += [{**won, "name": "second"}, Rename(player="bob", into="bobby")]
    items += [{"ranks": {"ann": 1, "cat": 2}, "time": "2026-01-02", "name": "third"}]
    items += [Merge(player="cat", into="rob")]
    items += [{"ranks": {"ann": 1, "zoe": 2}, "time": "2026-01-03", "name": "fourth"}]
    if not isinstance(system, EloMMR):  # whose memory begins anew with a merge
        items += [Merge(player="zoe", into="ann")]
    expected = ["beat rob", "beat bobby", "beat rob", "beat zoe"]
    ladder = Ladder(system)
    for item in items:
        if isinstance(item, dict):
            ladder.record(**item)
        else:
            ladder.adjust(item)
    history = History.from_events(items)
    run = rate(history, system, trace=True)
    later = rate(History.from_events(items[:3]), system, trace=True)
    for item in items[3:]:
        later.ladder.record(**item) if isinstance(item, dict) else later.ladder.adjust(item)
    for explained in (ladder.explain("ann"), run.explain("ann"), later.explain("ann")):
        lines = (
            explained.performances
            if isinstance(explained, PerformanceExplanation)
            else explained.contributions
        )
        assert [line.match.words for line in lines if line.match is not None] == expected
    told = [run.explain("ann", event=name).match for name in ("first", "second", "third", "fourth")]
    assert [match.words for match in told if match is not None] == expected
    one = later.explain("ann", event="first").match
    assert one is not None
    assert one.opponents == ("rob",)


def test_skewed_performances_are_told_apart_from_those_of_events() -> None:
    """A rating in `races` averages other numbers than its trace calls performances, and says so."""
    events = [{"ranks": {"ann": 1, "bob": 2, "cat": 3}, "name": name} for name in ("one", "two")]
    for name, skewed in (("races", True), ("elo-mmr", False)):
        run = rate(History.from_events(events), podium.make_system(name), trace=True)
        explained = run.explain("ann")
        assert isinstance(explained, PerformanceExplanation)
        same = run.trace.filter(player="ann")["performance"].to_list() == pytest.approx(
            [one.performance for one in explained.performances]
        )
        assert (explained.skewed, same) == (skewed, not skewed)
        assert ("use another formula for performances" in str(explained)) == skewed
