"""Nothing counts twice: events with a name, and files, that a ladder has rated already."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from podium import Elo, History, Ladder, OrderError, RepeatError, rate, read_chunks, read_history
from podium.history import Reading
from podium.history.key_numbers import MOST_SINGLE, HashSet
from podium.ladder.repeats import Repeats

FINAL = {"ranks": {"ann": 1, "bob": 2}, "time": "2026-05-01", "name": "final"}
WEEK = b"""event,time,player,rank
r1,2026-05-01,ann,1
r1,2026-05-01,bob,2
r2,2026-05-02,ann,2
r2,2026-05-02,bob,1
"""
GAMES = b"event,time,winner,loser\nOpen,2026-05-01,ann,bob\nOpen,2026-05-01,ann,bob\n"


def ratings(ladder: Ladder) -> list[tuple[object, ...]]:
    return ladder.ratings().rows()


@pytest.fixture
def week(tmp_path: Path) -> History:
    (tmp_path / "week.csv").write_bytes(WEEK)
    return read_history(tmp_path / "week.csv")


def test_an_event_recorded_twice_is_refused_and_changes_nothing() -> None:
    ladder = Ladder(Elo())
    ladder.record(**FINAL)
    before = ratings(ladder)
    with pytest.raises(RepeatError) as refused:
        ladder.record(**FINAL)
    assert str(refused.value) == (
        "the event 'final' of 2026-05-01 is already rated\n"
        "  hint: to rate it again, use --allow-repeat (allow_repeat=True)"
    )
    assert ratings(ladder) == before
    assert ladder.n_events == 1


def test_a_repeat_may_be_allowed() -> None:
    ladder = Ladder(Elo())
    ladder.record(**FINAL)
    ladder.record(**FINAL, allow_repeat=True)
    assert ladder.n_events == 2
    ladder.undo()  # the second: the first is still known
    with pytest.raises(RepeatError):
        ladder.record(**FINAL)


def test_undo_forgets_the_event() -> None:
    ladder = Ladder(Elo())
    ladder.record(**FINAL)
    ladder.undo()
    assert len(ladder.record(**FINAL)) == 2


def test_another_time_is_another_event_and_no_time_is_one() -> None:
    ladder = Ladder(Elo())
    ladder.record(ranks={"ann": 1, "bob": 2}, name="derby")
    with pytest.raises(RepeatError, match=r"^the event 'derby' is already rated"):
        ladder.record(ranks={"ann": 1, "bob": 2}, name="derby")
    ladder.record(**FINAL)
    ladder.record(**{**FINAL, "time": "2026-05-02"})
    assert ladder.n_events == 3


def test_events_without_a_name_are_never_repeats() -> None:
    ladder = Ladder(Elo())
    for _ in range(3):
        ladder.record(ranks={"ann": 1, "bob": 2}, time="2026-05-01")
    games = History.from_matches(["ann", "ann"], ["bob", "bob"], time=["2026-05-01"] * 2)
    ladder.update(games)
    ladder.update(games)
    for event in games:  # their names are numbers that podium gave
        ladder.record_event(event)
        ladder.record_event(event)
    assert ladder.n_events == 11


def test_an_event_of_a_history_is_known_online(week: History) -> None:
    ladder = Ladder(Elo())
    ladder.update(week)
    with pytest.raises(RepeatError, match="'r2' of 2026-05-02"):
        ladder.record_event(week.event(1))
    with pytest.raises(RepeatError, match="'r2' of 2026-05-02"):
        ladder.record_match("ann", "bob", time="2026-05-02", name="r2")
    ladder.record_match("ann", "bob", time="2026-05-02", name="r2", allow_repeat=True)


def test_a_history_with_a_rated_event_is_refused_whole() -> None:
    ladder = Ladder(Elo())
    ladder.record(**FINAL)
    before = ratings(ladder)
    more = History.from_events([{**FINAL, "name": "semifinal"}, FINAL])
    with pytest.raises(RepeatError, match="'final'"):
        ladder.update(more)
    with pytest.raises(RepeatError, match="'final'"):
        rate(more, ladder=ladder)
    assert ratings(ladder) == before
    ladder.update(more[:1])  # the semifinal was not remembered by what was refused
    rate(more[1:], ladder=ladder, allow_repeat=True)
    assert ladder.n_events == 3


def test_the_parts_of_a_history_one_after_another(week: History) -> None:
    ladder = Ladder(Elo())
    ladder.update(week[:1])
    ladder.update(week[1:])
    assert ratings(ladder) == ratings(rate(week, Elo()).ladder)
    with pytest.raises(RepeatError, match="'r1'"):
        ladder.update(week, allow_repeat=False)


def test_one_event_in_two_histories(week: History) -> None:
    both = History.concat([week, week])  # which is lenient
    assert len(both) == 4
    without_files = replace(both, readings=())
    with pytest.raises(RepeatError, match="'r1' of 2026-05-01"):
        rate(without_files, Elo())
    assert rate(without_files, Elo(), allow_repeat=True).ladder.n_events == 4


def test_pieces(tmp_path: Path) -> None:
    path = tmp_path / "week.csv"
    path.write_bytes(WEEK)
    ladder = rate(read_chunks(path, rows=2), Elo()).ladder
    with pytest.raises(RepeatError):
        rate((replace(piece, readings=()) for piece in read_chunks(path, rows=2)), ladder=ladder)


def test_a_tournament_of_matches_is_no_identity(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_bytes(GAMES)
    games = replace(read_history(path), readings=())
    ladder = rate(games, Elo()).ladder
    ladder.update(games)
    assert ladder.n_events == 4


def test_names_that_podium_gives_stay_no_names() -> None:
    games = History.from_matches(["ann", "bob"], ["bob", "ann"], time=["2026-05-02", "2026-05-01"])
    named = History.from_events([FINAL])
    for history in (games, History.concat([games, named])[:1], games.filter(players=["ann", "bob"])):
        ladder = Ladder(Elo())
        ladder.update(history[:1])
        ladder.update(history[:1])
        assert ladder.n_events == 2


def test_what_several_events_of_a_list_share_is_no_identity() -> None:
    night = [{"ranks": {"ann": 1, "bob": 2}, "name": "club night"}] * 2
    ladder = rate(History.from_events([*night, FINAL | {"time": None}]), Elo()).ladder
    rate(History.from_events(night), ladder=ladder)
    with pytest.raises(RepeatError, match="'final'"):
        ladder.record(**FINAL | {"time": None})


# ------------------------------------------------------------------ files


def of_file(history: History, digest: str) -> History:
    return replace(history, readings=(Reading("may.csv", digest=digest * 64),))


def test_a_file_is_rated_once() -> None:
    games = History.from_matches(["ann"], ["bob"])
    ladder = Ladder(Elo())
    ladder.update(of_file(games, "a"))
    before = ratings(ladder)
    for again in (
        lambda: ladder.update(of_file(games, "a")),
        lambda: rate(of_file(games, "a"), ladder=ladder),
    ):
        with pytest.raises(RepeatError) as refused:
            again()
        assert str(refused.value).startswith(
            "may.csv: a file with this content is already rated\n  hint: to rate it again"
        )
    assert ratings(ladder) == before
    ladder.update(of_file(games, "b"))
    ladder.update(of_file(games, "a"), allow_repeat=True)
    assert ladder.n_events == 3


def test_a_file_twice_in_one_history() -> None:
    games = of_file(History.from_matches(["ann"], ["bob"]), "a")
    with pytest.raises(RepeatError, match="may"):
        rate(History.concat([games, games]), Elo())
    with pytest.raises(RepeatError, match="may"):
        rate(iter([games, games]), Elo())


def test_a_file_that_was_refused_is_not_remembered() -> None:
    games = History.from_matches(["ann"], ["bob"], time=["2026-05-01"])
    ladder = Ladder(Elo())
    ladder.record(**{**FINAL, "time": "2026-06-01"})
    with pytest.raises(OrderError):
        ladder.update(of_file(games, "a"))
    ladder.undo()
    ladder.update(of_file(games, "a"))
    assert ladder.n_events == 1


# ------------------------------------------------------------------ saved ladders


def test_a_saved_ladder_remembers(week: History, tmp_path: Path) -> None:
    ladder = rate(of_file(week, "a"), Elo()).ladder
    ladder.record(**{**FINAL, "time": "2026-06-01"})
    ladder.save(tmp_path / "saved")
    loaded = Ladder.load(tmp_path / "saved")
    with pytest.raises(RepeatError, match="'final'"):
        loaded.record(**{**FINAL, "time": "2026-06-01"})
    with pytest.raises(RepeatError, match="'r2'"):
        loaded.update(week[1:])
    with pytest.raises(RepeatError, match="may"):
        loaded.update(of_file(week[1:], "a"))


def test_the_hash_of_an_event_never_changes() -> None:
    """Saved ladders hold these numbers: another hash would forget what they have rated."""
    name = int.from_bytes(bytes.fromhex("e31edd811b2e2e28"), "little")  # printf final | b2sum -l 64
    assert Repeats().check_event("final", 0, allow=False) == name
    assert Repeats().check_event("final", -1, allow=False) == (name - 0x9E3779B97F4A7C15) % 2**64
    history = History.from_events([FINAL, {**FINAL, "name": "Zürich"}])
    bulk = Repeats().check_events(history, allow=False).tolist()
    assert set(bulk) == {Repeats().check_event(e.name or "", e.time, allow=False) for e in history}


# ------------------------------------------------------------------ the set of hashes


def hashes(numbers: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.array(list(numbers), np.uint64)


def test_a_set_of_hashes_is_a_set() -> None:
    rng = np.random.default_rng(1)
    right: set[int] = set()
    met = HashSet()
    for step in range(400):
        fresh = rng.integers(0, 3000, rng.integers(0, 40)).tolist()
        if step % 3:
            met.add_all(hashes(fresh))
            right |= set(fresh)
        else:
            for one in fresh:
                if one not in met:
                    met.add(one)
            right |= set(fresh)
        if fresh and step % 5 == 0:
            met.discard(fresh[0])
            right.discard(fresh[0])
        asked = rng.integers(0, 3000, 50)
        assert met.has(hashes(asked.tolist())).tolist() == [one in right for one in asked.tolist()]
        assert all((one in met) == (one in right) for one in asked.tolist())
        assert len(met) == len(right)
    assert met.to_array().tolist() == sorted(right)


def test_hashes_added_one_by_one_are_sorted_in_time() -> None:
    met = HashSet()
    for one in range(2**63, 2**63 + MOST_SINGLE + 3):
        met.add(one)
    twin = met.copy()
    met.discard(2**63)
    assert 2**63 in twin
    assert 2**63 not in met
    assert len(twin) == MOST_SINGLE + 3
