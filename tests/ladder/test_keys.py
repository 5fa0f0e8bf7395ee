"""Idempotency keys of a ladder: a call that is sent twice counts once and is answered alike."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from ladder.helpers import content
from podium import (
    Anchor,
    Elo,
    Glicko2,
    InputError,
    KeyConflictError,
    Ladder,
    OrderError,
    ParameterError,
    RepeatError,
    SetRating,
    StateError,
)
from podium.files.checksummed import read_container, write_container
from podium.systems import RatingSystem

CALLS: dict[str, Callable[[Ladder], Any]] = {
    "record": lambda ladder: ladder.record(scores={"ann": 3, "bob": 0.1}, time="2026-05-01", key="7"),
    "teams": lambda ladder: ladder.record(teams=[["ann", "cat"], ["bob"]], ranks=[1, 1], home="bob", key="7"),
    "match": lambda ladder: ladder.record_match("ann", "bob", name="final", time="2026-05-01", key="7"),
    "adjust": lambda ladder: ladder.adjust(SetRating(player="ann", mu=1 / 3), time="2026-05-01", key="7"),
}


@pytest.mark.parametrize("system", [Elo(), Glicko2()], ids=["elo", "glicko2"])
@pytest.mark.parametrize("call", CALLS)
def test_the_same_key_again_gives_the_same_answer_and_counts_once(system: RatingSystem, call: str) -> None:
    ladder = Ladder(system)
    first = CALLS[call](ladder)
    ladder.record_match("bob", "ann", time="2026-05-02")  # so that rating again would give something else
    before = content(ladder)
    for again in (
        ladder,
        ladder.copy(),
        Ladder.from_bytes(ladder.to_bytes()),
        pickle.loads(pickle.dumps(ladder)),
    ):
        assert CALLS[call](again) == first  # before today's check of repeats, and though it is late by now
        assert content(again) == before


def test_other_content_is_refused_with_what_differs() -> None:
    ladder = Ladder(Elo())
    ladder.record(ranks={"ann": 1, "bob": 2}, weight=2, key="7")
    ladder.record(ranks={"bob": 2, "ann": 1}, weight=2, key="7")  # the order of names means nothing
    before = content(ladder)
    with pytest.raises(KeyConflictError, match=r"key .7. was used for another report: sides") as told:
        ladder.record(ranks={"ann": 2, "bob": 1}, key="7")
    assert told.value.differences == (
        ("sides", "1. ann; 2. bob", "1. bob; 2. ann"),
        ("weight", "2.0", "1.0"),
    )
    with pytest.raises(KeyConflictError) as told:
        ladder.adjust(Anchor(player="ann"), key="7")
    assert ("adjustment", "None", "anchor") in told.value.differences
    assert content(ladder) == before


def test_undo_frees_the_key() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", key="7")
    ladder.undo()
    assert [change.player for change in ladder.record_match("bob", "ann", key="7")] == ["bob", "ann"]
    assert ladder.n_events == 1
    ladder.adjust(Anchor(player="ann"), key="8")
    ladder.undo()
    ladder.record_match("bob", "ann", key="8")
    assert ladder.n_events == 2


def test_what_is_refused_takes_no_key() -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", name="final", time="2026-05-02")
    with pytest.raises(RepeatError):
        ladder.record_match("ann", "bob", name="final", time="2026-05-02", key="7")
    with pytest.raises(OrderError):
        ladder.record_match("ann", "bob", time="2026-05-01", key="7")
    ladder.record_match("bob", "ann", key="7")


@pytest.mark.parametrize(
    ("key", "error"), [("", InputError), ("x" * 201, InputError), ("\ud800", InputError), (7, ParameterError)]
)
def test_what_is_no_key_is_refused(key: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="key"):
        Ladder(Elo()).record_match("ann", "bob", key=key)


@pytest.mark.parametrize("kept", [b"[]", b'{"7": 1}', b"{", b'{"7": "{}"}', b"\xff"])
def test_crafted_keys_are_refused(kept: bytes, tmp_path: Any) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("ann", "bob", key="7")
    ladder.save(tmp_path / "saved.podium")
    header, arrays = read_container(tmp_path / "saved.podium")
    arrays["idempotency_keys"] = np.frombuffer(kept, np.uint8)
    write_container(tmp_path / "crafted.podium", header, arrays)
    with pytest.raises(StateError, match=r"key|keys"):
        Ladder.load(tmp_path / "crafted.podium").record_match("ann", "bob", key="7")


# ---------------------------------------------------------------------- in a log


@pytest.mark.parametrize("call", CALLS)
def test_a_log_keeps_keys_over_a_restart_and_through_corrections(call: str, tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "season", system="elo", sync=False) as ladder:
        before = ladder.record_match("ann", "bob", time="2026-04-01")
        first = CALLS[call](ladder)
        assert first.number == 2
        assert CALLS[call](ladder) == first
        ladder.record_match("bob", "ann", time="2026-05-02")
        ladder.checkpoint()
        ladder.void(before.number)  # which changes what the call would get if it were rated again
        kept = content(ladder)
        for again in (ladder, ladder.copy(), Ladder.load(tmp_path / "season")):
            assert CALLS[call](again) == first
            assert content(again) == kept
    with Ladder.open(tmp_path / "season") as ladder:
        answer = CALLS[call](ladder)
        assert (answer, answer.number) == (first, 2)
        ladder.void(2)
        assert CALLS[call](ladder) == first  # a void leaves the key used
        with pytest.raises(KeyConflictError, match="report 2, which is different"):
            ladder.record_match("cat", "ann", key="7")


@pytest.mark.parametrize("is_opened_again", [False, True])
@pytest.mark.parametrize("has_journal", [False, True])
def test_undo_frees_the_key_of_a_log(is_opened_again: bool, has_journal: bool, tmp_path: Path) -> None:
    ladder = Ladder.open(tmp_path / "season", system="elo", sync=False)
    ladder.record_match("ann", "bob", key="7")
    ladder.record_match("ann", "bob", key="8")
    if not has_journal:
        ladder.checkpoint()  # from which a ladder goes on without a journal
    if is_opened_again:
        ladder.close()
        ladder = Ladder.open(tmp_path / "season")
    with ladder:
        ladder.undo()
        ladder.record_match("bob", "cat", key="8")
        with pytest.raises(KeyConflictError):
            ladder.record_match("bob", "cat", key="7")
    with Ladder.open(tmp_path / "season") as ladder:
        assert ladder.record_match("bob", "cat", key="8").number == 4
        assert ladder.n_events == 2


def test_a_late_event_keeps_its_key(tmp_path: Path) -> None:
    with Ladder.open(tmp_path / "season", system="elo", sync=False) as ladder:
        ladder.record_match("ann", "bob", time="2026-05-09")
        late = ladder.record_match("cat", "bob", time="2026-05-01", late="insert", key="7")
        assert ladder.record_match("cat", "bob", time="2026-05-01", late="insert", key="7") == late
        ladder.record_match("dan", "bob", time="2026-05-02", late="insert")
        ladder.undo()
        ladder.undo()  # what was inserted stands before
    with Ladder.open(tmp_path / "season") as ladder:
        assert ladder.record_match("cat", "bob", time="2026-05-01", late="insert", key="7").number is not None
        assert ladder.n_events == 1


def test_a_log_begins_with_the_keys_of_another_ladder(tmp_path: Path) -> None:
    start = Ladder("elo")
    first = start.record_match("ann", "bob", key="7")
    Ladder.open(tmp_path / "season", start=start, sync=False).close()
    with Ladder.open(tmp_path / "season") as ladder:
        assert ladder.record_match("ann", "bob", key="7") == first
        assert ladder.n_events == 1


def test_threads_that_send_the_same_key_record_once(tmp_path: Path) -> None:
    answers = []
    with Ladder.open(tmp_path / "season", system="elo", sync=False) as ladder:

        def send() -> None:
            answers.extend(ladder.record_match(f"p{i}", f"q{i}", key=f"match {i}").number for i in range(20))

        threads = [Thread(target=send) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert ladder.n_events == 20
    assert sorted(answers) == sorted(4 * [*range(1, 21)])
