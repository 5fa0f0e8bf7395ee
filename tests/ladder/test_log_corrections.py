"""Corrections in a log: the ladder is what rating the corrected events from the start gives, bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.helpers import DAY, START, adjustments, content, events, label
from podium import (
    Anchor,
    Elo,
    Event,
    Glicko2,
    InputError,
    Ladder,
    OrderError,
    ParameterError,
    PodiumError,
    Rename,
    RepeatError,
)
from podium.arrays import NO_TIME
from podium.history import Adjustment
from podium.ladder.log_store import superfluous
from podium.systems import RatingSystem

EXAMPLES = 6
Step = tuple[int, Event | Adjustment]
"""What was recorded, with its number."""


def from_start(system: RatingSystem, steps: list[Step]) -> Ladder:
    ladder = Ladder(system)
    for _, step in steps:
        if isinstance(step, Event):
            ladder.record_event(step)
        else:
            ladder.adjust(step)
    return ladder


def corrected(steps: list[Step], kind: str, place: int, event: Event, number: int) -> list[Step]:
    """The steps after a correction, by the rules of the page about logs."""
    if kind == "void":
        return steps[:place] + steps[place + 1 :]
    if kind == "late":
        later = [i for i, (_, step) in enumerate(steps) if isinstance(step, Event) and step.time > event.time]
        here = later[0] if later else len(steps)
        return [*steps[:here], (number, event), *steps[here:]]
    return [*steps[:place], (steps[place][0], event), *steps[place + 1 :]]


@pytest.mark.parametrize("system", [Elo(k=20, period="7d"), Glicko2()], ids=label)
@settings(max_examples=EXAMPLES)
@given(data=st.data())
def test_corrected_is_rated_from_the_start(
    system: RatingSystem, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("log") / "season"
    with Ladder.open(folder, system=system, sync=False, checkpoint_rows=9) as ladder:
        steps = corrected_at_random(ladder, [], data)
    for _ in range(data.draw(st.integers(0, 2), label="restarts")):
        with Ladder.open(folder, sync=False, checkpoint_rows=data.draw(st.sampled_from([5, 100]))) as ladder:
            steps = corrected_at_random(ladder, steps, data)
    assert [one.number for one in ladder.numbered_events()] == [number for number, _ in steps]
    assert content(Ladder.load(folder)) == content(from_start(system, steps))


def corrected_at_random(ladder: Ladder, steps: list[Step], data: st.DataObject) -> list[Step]:
    """Record and correct something; returns what counts then, which the ladder must have rated."""
    number = ladder._opened()._writer.next
    for _ in range(data.draw(st.integers(2, 7), label="steps")):
        kinds = ["event", "event", "event", "adjustment", "undo", "void", "replace", "late"]
        kind = data.draw(st.sampled_from(kinds))
        time = START + number * DAY
        event = data.draw(events(data.draw(st.sampled_from([None, time, time]))))
        places = [i for i, (_, step) in enumerate(steps) if kind != "replace" or isinstance(step, Event)]
        expected = steps
        try:
            if kind == "event":
                expected = [*steps, (number, event)]
                assert ladder.record_event(event).number == number
            elif kind == "adjustment":
                adjustment = data.draw(adjustments())
                expected = [*steps, (number, adjustment)]
                ladder.adjust(adjustment)
            elif kind == "undo" and steps:
                expected = steps[:-1]
                ladder.undo()
            elif kind == "late":
                event = data.draw(events(START + data.draw(st.integers(-1, number)) * DAY))
                expected = corrected(steps, "late", 0, event, number)
                ladder.record_event(event, late="insert")
            elif kind in ("void", "replace") and places:
                place = data.draw(st.sampled_from(places))
                target, old = steps[place]
                if isinstance(old, Event) and kind == "replace":
                    event = data.draw(events(None if old.time == NO_TIME else old.time / 1e6))
                expected = corrected(steps, kind, place, event, number)
                if kind == "void":
                    ladder.void(target)
                else:
                    words = {name: getattr(event, name) for name in ("share", "weight", "home", "unrated")}
                    ladder.replace(target, teams=event.sides, ranks=event.ranks, **words)
            else:
                continue
        except PodiumError:
            with pytest.raises(PodiumError):
                from_start(ladder.system, expected)
        else:
            steps, number = expected, number + 1
        assert content(ladder) == content(from_start(ladder.system, steps))
    return steps


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    """A log of three cups, the second and the third with one name, and a match without one."""
    folder = tmp_path / "season"
    with Ladder.open(folder, system=Elo(), sync=False) as ladder:
        for day, name in ((1, "spring"), (2, "summer"), (9, "summer")):
            ladder.record(ranks={"ann": 1, "bob": 2, "cat": 3}, time=f"2026-05-0{day}", name=name)
        ladder.record_match("dan", "ann", time="2026-05-09")
    return folder


def told(ladder: Ladder) -> list[tuple[int, str]]:
    return [(one.number, one.describe()) for one in ladder.numbered_events()]


def test_events_are_meant_by_number_or_name(cups: Path) -> None:
    with Ladder.open(cups) as ladder:
        with pytest.raises(InputError, match="'summer' means 2 events: 2026-05-02, 2026-05-09"):
            ladder.void("summer")
        with pytest.raises(InputError, match=r"there is no event 'sumer'\n.*summer"):
            ladder.void("sumer")
        with pytest.raises(InputError, match="no counted event or adjustment 5"):
            ladder.void(5)
        with pytest.raises(ParameterError, match="by its number or its name"):
            ladder.void(True)
        ladder.void("summer, 2026-05-02")
        ladder.void("4")
        assert told(ladder) == [(1, "event 1 (spring)"), (3, "event 3 (summer)")]
        with pytest.raises(InputError, match="no counted event or adjustment 4"):
            ladder.void(4)
        assert ladder.record_match("dan", "ann").number == 7  # voids have numbers, too


def test_a_replaced_event_keeps_number_name_and_time(cups: Path) -> None:
    with Ladder.open(cups) as ladder:
        changes = ladder.replace("spring", ranks={"bob": 1, "ann": 2})
        assert changes.number == 1
        # Two newcomers: the winner gets half of K = 32, for everything that followed is taken back.
        assert [(change.player, change.gain) for change in changes] == [("bob", 16.0), ("ann", -16.0)]
        first = ladder.numbered_events()[0]
        assert first.number == 1
        assert isinstance(first.content, Event)
        assert first.content.name == "spring"
        assert first.time == 1_777_593_600 * 1_000_000  # 2026-05-01
        with pytest.raises(RepeatError):
            ladder.replace("spring", ranks={"bob": 1, "ann": 2}, name="summer", time="2026-05-09")
        ladder.replace("spring", ranks={"bob": 1, "ann": 2}, name="late spring", time="2026-05-05")
        assert [number for number, _ in told(ladder)] == [2, 1, 3, 4]
        with pytest.raises(RepeatError):
            ladder.record(ranks={"ann": 1, "bob": 2}, name="late spring", time="2026-05-05", late="insert")
        ladder.record(ranks={"ann": 1, "bob": 2}, name="spring", time="2026-05-01", late="insert")
        assert told(ladder)[0] == max(told(ladder))


def test_late_results_stand_after_those_of_their_time(cups: Path) -> None:
    with Ladder.open(cups) as ladder:
        with pytest.raises(OrderError):
            ladder.record_match("ann", "bob", time="2026-05-02")
        with pytest.raises(ParameterError, match="late must be"):
            ladder.record_match("ann", "bob", time="2026-05-02", late="yes")  # type: ignore[arg-type]
        assert ladder.record_match("ann", "bob", time="2026-05-02", late="insert").number == 5
        ladder.record_match("ann", "bob", time="2026-05-09", late="insert")  # not late at all
        assert [number for number, _ in told(ladder)] == [1, 2, 5, 3, 4, 6]


def test_what_later_records_need_stays(cups: Path) -> None:
    with Ladder.open(cups) as ladder:
        ladder.adjust(Rename(player="dan", into="daniel"))
        before = content(ladder)
        with pytest.raises(
            InputError,
            match=r"adjustment 5 \(rename player=dan, into=daniel\) can no longer be rated: there is no",
        ):
            ladder.void(4)
        assert content(ladder) == content(Ladder.load(cups)) == before
        with pytest.raises(InputError, match="is not an event"):
            ladder.replace(5, ranks={"ann": 1, "bob": 2})
        ladder.void(5)
        ladder.void(4)
        assert "dan" not in ladder


def test_matches_that_share_a_name_are_voided_together(tmp_path: Path) -> None:
    file = tmp_path / "open.csv"
    rows = [
        "event,time,winner,loser",
        "open,2026-05-01,ann,bob",
        "open,2026-05-01,cat,dan",
        "end,2026-05-02,ann,cat",
    ]
    file.write_text("\n".join(rows))
    with Ladder.open(tmp_path / "season", system=Elo()) as ladder:
        ladder.update(file)
        with pytest.raises(InputError, match=r"'open' means 2 events\n.*1, 2"):
            ladder.replace("open", ranks={"ann": 1, "bob": 2})
        ladder.void("open")
        assert ladder.n_events == 1


def test_few_checkpoints_are_kept_and_one_is_always_near(cups: Path) -> None:
    """Of n checkpoints about log₂ n stay; the nearest before an event is at most four times as far back."""
    kept: list[int] = [0]
    for newest in range(10, 20_000, 10):
        kept.append(newest)
        kept = [number for number in kept if number not in superfluous(kept)]
        assert kept[0] == 0
        assert len(kept) <= 12
    for event in range(1, newest):
        nearest = max(number for number in kept if number < event)
        assert newest - nearest <= 4 * max(newest - event, 10)
    with Ladder.open(cups, checkpoint_rows=1) as ladder:
        for _ in range(12):
            ladder.adjust(Anchor(player="ann"))
            ladder._opened()._wait()
        assert len(ladder._opened()._writer.checkpoints()) <= 6
