"""A pool that was saved goes on where it was; a file from anywhere is refused, or as good as one's own."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ladder.crafted_files import VALUES, others
from podium import (
    Elo,
    Glicko,
    InputError,
    Ladder,
    Matchmaker,
    ParameterError,
    PodiumError,
    Policy,
    Rename,
    StateError,
    Term,
)
from podium.files.checksummed import pack_names, read_container, write_container
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    SameAttribute,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool import ticks
from podium.matchmaking.pool.files import PLAYER_COLUMNS, TICKET_COLUMNS
from podium.named import temporary_registrations

POLICY = Policy(
    terms=(WinProbabilityGap(), WaitingTime(0.1, 20), NoRematch(2), BlockList(), Needs(), Latency(90)),
    tolerance=0.3,
    target=WinRateTarget(games=3),
)


def busy(mode: str = "1v1") -> Matchmaker:
    """A pool with somebody in every state: waiting, at the front, proposed, playing, gone, blocked."""
    maker = Matchmaker(Elo(), mode, POLICY, seed=3, timeout=600)
    for i in range(16):
        maker.join(
            f"p{i}",
            mu=1500 + 10 * i,
            time=i,
            attributes={"input": "pad" if i % 3 else "touch", "level": i},
            needs={"input": ["pad", "touch"] if i % 2 else None, "mu": (1000, 2000)},
            latency={"eu": 20.0, "us": 30.0 + i},
            recent="WL",
        )
    maker.block("p0", "p1")
    matches = list(maker.tick(time=20).matches)
    maker.start(matches[:2])
    maker.finish(matches[0], side=1)
    maker.cancel(matches[2], by=matches[2].players[0])
    if mode != "1v1":
        maker.backfill([["x"], ["y"]], mu=1500, time=21, latency={"eu": 20.0})
    return maker


def go_on(maker: Matchmaker) -> list[Any]:
    """What a pool does from here."""
    answers: list[Any] = [maker.waiting().to_frame().rows(), maker.proposed(), maker.running()]
    maker.start(maker.proposed()[:1])
    for now, name in ((25, "late"), (60, "later")):
        maker.join(name, mu=1600, time=now, attributes={"input": "pad"}, latency={"eu": 40.0})
        tick = maker.tick(time=now)
        answers += [list(tick.matches), tick.expired, tick.waiting]
        maker.start(tick)
    for match in maker.running():
        maker.finish(match, side=0)
    return [*answers, maker.waiting().to_frame().rows()]


@pytest.mark.parametrize("mode", ["1v1", "2v2"])
def test_a_restored_pool_does_what_the_lost_one_would_have_done(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ticks, "perf_counter", lambda: 0.0)  # pools count the seconds of their ticks
    lost = busy(mode)
    lost.save(tmp_path / "pool.podium")
    copies = [Matchmaker.load(tmp_path / "pool.podium"), Matchmaker.from_bytes(lost.to_bytes())]
    copies += [pickle.loads(pickle.dumps(lost)), copy.deepcopy(lost)]
    wanted = go_on(lost)
    assert wanted[1]
    assert wanted[2]
    for restored in copies:
        assert go_on(restored) == wanted
        assert restored.to_bytes() == lost.to_bytes()


def test_a_restored_pool_names_the_same_nearest_of_two_alike() -> None:
    """The ticket that joined first, also if a later one has its row from a ticket that is gone."""
    maker = Matchmaker(Elo())
    maker.join_many(["gone", "bob", "cat"], mu=1500, time=0)
    maker.leave("gone")
    maker.join("dan", mu=1500, time=0)
    for one in (maker, Matchmaker.from_bytes(maker.to_bytes())):
        assert one.why("cat").nearest == ("bob",)


def test_matches_of_before_a_restart_start_cancel_and_end() -> None:
    maker = Matchmaker(Elo(), policy=Policy(tolerance=1), seed=1)
    maker.join_many(list("abcdefgh"), mu=[1, 2, 101, 102, 201, 202, 301, 302], time=0)
    tick = maker.tick(time=0)
    first, second, third, fourth = tick.matches
    maker.start(first)
    maker = Matchmaker.from_bytes(maker.to_bytes())
    assert maker.match(second.number) == second
    assert (maker.running(), maker.proposed()) == ([first], [second, third, fourth])
    maker.cancel(second, by=second.players[0])
    maker.start(third)
    maker.start(tick)
    assert maker.running() == [first, third, fourth]
    maker.finish(first, winner=first.players[0])
    maker.finish(maker.match(third.number), draw=True)
    assert maker.running() == [fourth]
    for ended in (first.number, second.number, 99, "a"):
        with pytest.raises(InputError, match="neither proposed nor played"):
            maker.match(ended)  # type: ignore[arg-type]


def test_a_match_that_was_proposed_after_the_pool_was_saved_is_refused() -> None:
    """Its number may be another match's by now."""
    maker = Matchmaker(Elo(), policy=Policy(tolerance=1))
    content = maker.to_bytes()
    maker.join_many(["ann", "bob"], mu=1500, time=0)
    lost = maker.tick(time=0)
    maker = Matchmaker.from_bytes(content)
    maker.join_many(["ann", "cat"], mu=1500, time=0)
    (match,) = maker.tick(time=0).matches
    assert match.number == lost.matches[0].number
    with pytest.raises(InputError, match="after the pool was saved"):
        maker.start(lost.matches[0])
    maker.start(lost)
    assert maker.proposed() == [match]


def test_a_pool_of_a_ladder_is_given_its_ladder(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    maker, path = Matchmaker(ladder, policy=Policy(tolerance=1)), tmp_path / "pool.podium"
    maker.join_many(["ann", "bob"], time=0)
    maker.save(path)
    ladder.record_match("ann", "bob")
    (match,) = Matchmaker.load(path, ladder).tick(time=1).matches
    assert match.chances[0] == ladder.expected_score("ann", "bob")
    refusals: list[tuple[Any, str]] = [
        (None, "belongs to a ladder"),
        (Elo(), "belongs to a ladder"),
        (Ladder(Glicko()), "the pool is of elo, not of glicko"),
        (Ladder(Elo(k=8)), "the pool is of elo with k=32.0, not 8.0"),
        (Ladder(Elo()), "the ladder has no player 'ann'"),
    ]
    for rated, said in refusals:
        with pytest.raises(StateError, match=said):
            Matchmaker.load(path, rated)
    assert len(Matchmaker.load(path, Ladder(Elo()), unknown="newcomer")) == 2
    ladder.save(path)
    with pytest.raises(StateError, match="is not a waiting pool"):
        Matchmaker.load(path, ladder)
    Matchmaker(Elo()).save(path)
    with pytest.raises(StateError, match="is not a ladder"):
        Ladder.load(path)
    with pytest.raises(StateError, match="has the ratings in its tickets"):
        Matchmaker.load(path, ladder)
    assert Matchmaker.load(path, Elo()).system == Elo()


def test_a_ladder_and_its_pool_are_pickled_together() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob")
    maker = Matchmaker(ladder)
    maker.join("ann", time=0)
    ladder, maker = pickle.loads(pickle.dumps((ladder, maker)))
    ladder.adjust(Rename(player="ann", into="eve"))
    assert maker.waiting().to_frame()["player"].to_list() == ["eve"]


def test_terms_of_ones_own_are_found_by_name() -> None:
    with temporary_registrations():

        class Clanmates(Term):
            name = "clanmates"

            def forbids(self, meetings: Any) -> Any:
                return meetings.first["clan"] == meetings.second["clan"]

        maker = Matchmaker(Elo(), policy=Policy((WinProbabilityGap(), Clanmates())))
        maker.join_many(["ann", "bob"], mu=1500, time=0, attributes={"clan": ["red", "red"]})
        content = maker.to_bytes()
        restored = Matchmaker.from_bytes(content)
        assert not restored.tick(time=1).matches

        class Others(Term):
            name = "clanmates"

            def forbids(self, meetings: Any) -> Any:
                return meetings.first["clan"] != meetings.second["clan"]

        with pytest.raises(ParameterError, match="is registered with that name"):
            maker.to_bytes()
    with pytest.raises(StateError, match="there is no term 'clanmates'"):
        Matchmaker.from_bytes(content)


def test_terms_keep_their_order_and_their_parameters() -> None:
    policy = Policy((SameAttribute("map"), NoRematch(3), SameAttribute("os"), WaitingTime(0.2, 7.5)), 0.07)
    assert Matchmaker.from_bytes(Matchmaker(Elo(), policy=policy).to_bytes()).policy == policy


def test_every_column_of_a_pool_is_in_its_file() -> None:
    """A new column that is not saved would be lost in a restart."""
    store = busy()._pool.store
    assert {*store.table.columns} == {*TICKET_COLUMNS, "side", "state", "first"}
    assert {*store.people.columns} == {*PLAYER_COLUMNS, "ticket", "next", "mu", "sigma", "roles"}


def test_names_and_numbers_may_be_anything() -> None:
    maker = Matchmaker(Elo(), policy=Policy((Needs(), Latency(50))))
    said = "a\ud800\n"
    attributes, most = {said: said, "number": -1.7e308}, 1.7e308
    near, needs = {said: 1.0, "far": most}, {said: said, "number": (-most, math.inf)}
    ticket = maker.join("ann\x00", time=most, mu=1, attributes=attributes, latency=near, needs=needs)
    assert Matchmaker.from_bytes(maker.to_bytes()).ticket("ann\x00") == ticket


# ---------------------------------------------------------------------- files from others

Change = Callable[[dict[str, Any], dict[str, Any]], None]


def said(**values: Any) -> Change:
    return lambda header, _: header.update(values)


def column(name: str, value: Any, row: Any = 0) -> Change:
    def change(_: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name][row] = value

    return change


def count(name: str, value: Any) -> Change:
    return lambda header, _: header["counts"].update({name: value})


CRAFTED: list[tuple[Change, str]] = [
    (said(format=99), "newer version"),
    (said(format="1"), "'format' is '1', not of type int"),
    (lambda header, _: header.pop("seed"), "'seed' is missing"),
    (said(mode="3v"), "is not a mode"),
    (said(mode="1v1v1x"), "is not a mode"),
    (said(timeout=-1), "a timeout of -1"),
    (said(effort="huge"), "an effort of 'huge'"),
    (said(clock="noon"), "the clock is 'noon'"),
    (said(clock=1e30, is_dated=True), "which is not a time"),
    (
        said(policy={"terms": [], "tolerance": 1, "target": {"games": 10**9}}),
        "remembers 1000000000 games",
    ),
    (said(policy={"terms": [["nobody", {}]]}), "there is no term 'nobody'"),
    (said(policy={"terms": "all"}), "the terms of the policy are 'all'"),
    (said(policy={"terms": [], "target": {"system": "elo"}}), "the target of the policy is"),
    (said(said=[99]), "'said' is [99]"),
    (said(forgotten_by_ladder=[99]), "the players removed from the ladder are [99]"),
    (said(forgotten_by_ladder=7), "the players removed from the ladder are 7"),
    (count("ticks", -1), "the counts are"),
    (count("proposed", 0), "which is not from -1 to -1"),
    (column("members", 10**6), "column members has 1000000"),
    (lambda _, arrays: column("members", arrays["members"][1])(_, arrays), "a player has two tickets"),
    (column("ticket:size", 0), "column ticket:size has 0"),
    (column("ticket:time", np.nan), "column ticket:time has nan"),
    (column("ticket:time", 1e6), "column ticket:time has 1000000.0"),
    (column("ticket:number", 10**6), "column ticket:number has 1000000"),
    (column("ticket:number", 0, -1), "not in the order of their numbers"),
    (column("ticket:proposal", 99), "column ticket:proposal has 99"),
    (column("ticket:proposal", 0), "the tickets in matches are not those of their players"),
    (column("ticket:request", 0), "column ticket:request has 0"),
    (column("ticket:side", 5), "column ticket:side has 5"),
    (column("mu", np.inf), "mu is not finite"),
    (column("said:0", 0.5), "are not whole numbers"),
    (column("said:0", 7), "input has 7.0"),
    (column("choice:0", 9), "column choice:0 has 9"),
    (column("choices", -1), "column choices has -1"),
    (column("choices", 7, -1), "the needs of 'input' name missing texts"),
    (column("choice_ends", 7, -1), "column choice_ends does not lead"),
    (column("delays", -1, (0, 0)), "column delays has -1.0"),
    (column("met", 99, (0, 0, 0)), "column met has 99"),
    (column("scores", 2.0, (0, 0)), "column scores has 2.0"),
    (column("scored", 0), "more scores than games"),
    (column("blocks", -1, (0, 0)), "column blocks has -1"),
    (column("player:playing", 99), "column player:playing has 99"),
    (column("match:player", 99), "column match:player has 99"),
    (column("match:members", 2, 1), "column match:members does not lead"),
    (column("match:sides", 3, 1), "a match has one side"),
    (column("match:region", 5), "column match:region has 5"),
    (column("match:numbers", 7, 0), "not in the order of their numbers"),
    (lambda _, arrays: arrays.update(more=np.zeros(1)), "the column 'more' does not belong to a pool"),
    (lambda _, arrays: arrays.pop("met"), "the column met is missing"),
    (lambda _, arrays: arrays.update(met=np.zeros((2, 2))), "met holds float64 in the shape (2, 2)"),
    (lambda _, arrays: arrays.update(pack_names(["a"] * 40)), "strings, another number than it gives"),
    (lambda header, _: header["strings"].update(players=-1), "strings, another number than it gives"),
    (lambda header, _: header["strings"].update(texts=None), "number of the pool's strings is missing"),
]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pools") / "whole.podium"
    busy().save(path)
    return path


@pytest.mark.parametrize(("change", "reason"), CRAFTED, ids=[reason for _, reason in CRAFTED])
def test_what_no_pool_has_is_refused(change: Change, reason: str, saved: Path) -> None:
    path = saved.with_name("crafted.podium")
    header, arrays = read_container(saved)
    change(header, arrays)
    write_container(path, header, arrays)
    with pytest.raises(StateError) as error:
        Matchmaker.load(path)
    assert str(path) in error.value.reason
    assert reason in error.value.reason


def changes(header: dict[str, Any], arrays: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    """Every way to craft a file from this one, with a label."""
    for key in header:
        yield f"without {key}", lambda header, _, key=key: header.pop(key, None)
        for value in VALUES:
            yield f"{key} {value!r}", said(**{key: value})
            for inner in header[key] if isinstance(header[key], dict) else ():
                yield f"{key} {inner} {value!r}", _inner(key, inner, value)
    for name, array in arrays.items():
        for label, other in others(array):
            yield f"{name} {label}", lambda _, arrays, name=name, other=other: arrays.update({name: other})


def _inner(key: str, inner: str, value: Any) -> Change:
    def change(header: dict[str, Any], _: dict[str, Any]) -> None:
        if isinstance(header.get(key), dict):
            header[key][inner] = value

    return change


def craft(saved: Path, seed: int, files: int) -> None:
    """Files with one change or two are refused by name, or are pools that can be used."""
    chance, path = np.random.default_rng(seed), saved.with_name("crafted.podium")
    ways = list(changes(*read_container(saved)))
    chosen = [chance.choice(len(ways), chance.integers(1, 3)) for _ in range(files)]
    for numbers in chosen or [[number] for number in range(len(ways))]:
        header, arrays = read_container(saved)
        for number in numbers:
            ways[number][1](header, arrays)
        write_container(path, header, arrays)
        try:
            use(path)
        except Exception as error:
            error.add_note(f"crafted: {[ways[number][0] for number in numbers]}")
            raise


def use(path: Path) -> None:
    """Load a file, which is refused by its name, and use the pool, which may refuse what it is told."""
    try:
        maker = Matchmaker.load(path)
    except StateError as error:
        if str(path) not in str(error):
            raise AssertionError("the refusal does not name the file") from error
        return
    with suppress(PodiumError):  # the clock is later than the joins of `go_on`
        go_on(maker)
    Matchmaker.from_bytes(maker.to_bytes())


@pytest.mark.filterwarnings("ignore")
def test_crafted_files_are_refused_or_can_be_used(saved: Path) -> None:
    craft(saved, seed=1, files=60)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("seed", "files"), [(0, 0), (1, 5_000)], ids=["every change", "pairs of changes"])
def test_many_crafted_files(saved: Path, seed: int, files: int) -> None:
    craft(saved, seed, files)
