"""An interrupt at any line of a ladder's calls leaves the ladder of before or the ladder of after."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from interrupting import interrupted
from podium import (
    Elo,
    EloMMR,
    Event,
    Glicko2,
    History,
    Ladder,
    Merge,
    PodiumError,
    Rename,
    Reset,
    SetRating,
    rate,
)
from podium.ladder import journal as journal_module
from podium.systems import RatingSystem

DAY = "2026-05-{:02}"
SYSTEMS: list[RatingSystem] = [Elo(), EloMMR(), Glicko2(period="7d")]


def everything(ladder: Ladder) -> dict[str, Any]:
    """All that a ladder holds, after a check that it holds together."""
    assert ladder._unfinished is None
    assert not ladder._lock._is_owned()
    state, names = ladder.state, ladder.players
    if state.terms is not None:
        terms = state.terms
        blocks = np.sort(np.stack([terms.start, terms.start + terms.room])[:, terms.room > 0], axis=1)
        assert np.all(blocks[0, 1:] >= blocks[1, :-1])
        assert blocks.max(initial=0) <= terms.used <= min(map(len, terms.columns.values()))
        assert np.all(terms.length <= terms.room)
    assert names.index_of == {name: i for i, name in enumerate(names)}
    assert len({len(column) for column in state.columns.values()}) == 1
    # An interrupt after the event counts may leave one more entry than promised; the next event drops it.
    promised = list(ladder._journal._entries)[-journal_module.MOST_EVENTS :]
    return {
        "state": {name: array.tobytes() for name, array in state.to_arrays().items()},
        "names": names.to_list(),
        "spare": [
            column[state.size :].tolist() == [state.newcomer[n]] * (len(column) - state.size)
            for n, column in state.columns.items()
            if column.ndim == 1
        ],
        "anchors": state.has_anchors,
        "numbers": (ladder.n_events, ladder.last_time),
        "journal": [(entry.name, entry.time, entry.after.tolist()) for entry in promised],
        "rated": ladder._repeats.hashes.copy().to_array().tolist(),
        "keys": ladder._keys.to_array().tobytes(),
    }


def season(system: RatingSystem) -> Ladder:
    """Some events; the room of the state and of its lists is used up, so that the next event needs more."""
    ladder = Ladder(system)
    players = [f"p{i}" for i in range(16)]
    for day in range(1, 5):
        ranks = {name: 1 + (i * day) % 5 for i, name in enumerate(players)}
        ladder.record(ranks=ranks, time=DAY.format(day), name=f"cup {day}")
    return ladder


def check(system: RatingSystem, call: Callable[[Ladder], object], step: int = 1) -> None:
    """Interrupt a call at each of its lines; the ladder then goes on as one of the two would."""
    start = pickle.dumps(season(system))

    def make() -> Ladder:
        ladder: Ladder = pickle.loads(start)
        return ladder

    def go_on(ladder: Ladder) -> dict[str, Any]:
        ladder.record(ranks={"p1": 1, "p2": 2, "new": 3}, time=DAY.format(20), name="last cup")
        return everything(ladder)

    before, after = make(), make()
    is_refused = False
    try:
        call(after)
    except PodiumError:
        is_refused = True
        assert everything(after) == everything(before)
    assert is_refused or everything(after) != everything(before)
    wanted = [everything(before), everything(after)]
    later = [go_on(before), go_on(after)]
    lines = 0
    for ladder in interrupted(make, call, step):
        if is_refused:  # what was being taken back when the interrupt came, the next call takes back
            assert len(ladder) == 16
        found = everything(ladder)
        assert found in wanted
        assert go_on(ladder) == later[wanted.index(found)]
        lines += 1
    assert lines * step > 60


NEXT = DAY.format(6)
HEATS = History.from_events(
    [Event.of(ranks={"p1": 1, "fresh": 2}, time=NEXT, name=f"heat {i}") for i in range(3)]
)
CALLS: dict[str, Callable[[Ladder], object]] = {
    "record_match": lambda ladder: ladder.record_match("p3", "fresh", time=NEXT, name="match"),
    "record": lambda ladder: ladder.record(ranks={"p3": 1, "p4": 2}, time=NEXT, key="7"),
    "refused": lambda ladder: ladder.record(ranks={"p1": 1, "fresh": 2}, share=0.7, time=NEXT),
    "undo": lambda ladder: ladder.undo(),
    "set-rating": lambda ladder: ladder.adjust(SetRating(player="fresh", mu=1700), time=NEXT),
    "reset": lambda ladder: ladder.adjust(Reset(keep=0.5), time=NEXT),
    "rename": lambda ladder: ladder.adjust(Rename(player="p1", into="fresh"), time=NEXT),
    "merge": lambda ladder: ladder.adjust(Merge(player="p1", into="p2"), time=NEXT),
    "update": lambda ladder: ladder.update(HEATS),
    "rate": lambda ladder: rate(HEATS, ladder=ladder),
}
SOME = 7
"""One line in so many is interrupted where all lines of all calls would take a minute."""


def test_a_match_interrupted_at_every_line() -> None:
    check(Elo(), CALLS["record_match"])


@pytest.mark.parametrize("name", CALLS)
def test_calls_interrupted_at_some_lines(name: str) -> None:
    check(EloMMR(), CALLS[name], SOME)


@pytest.mark.long
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize("name", CALLS)
def test_calls_interrupted_at_every_line(name: str, system: RatingSystem) -> None:
    check(system, CALLS[name])


def test_a_full_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "MOST_EVENTS", 4)
    check(Elo(), CALLS["record_match"], SOME)


def test_an_interrupt_that_somebody_keeps_changes_nothing_later() -> None:
    """Frames that an exception keeps alive end with it: that must not take back what was rated by then."""
    ladder = season(Elo())
    kept: list[BaseException] = []

    def stop(rows: int) -> None:
        raise KeyboardInterrupt

    try:
        ladder.update(HEATS, progress=stop)
    except KeyboardInterrupt as interrupt:
        kept.append(interrupt)
    ladder.record_match("p1", "p2", time=NEXT)
    rated = everything(ladder)
    kept.clear()
    assert everything(ladder) == rated


def test_a_callback_may_look_at_the_ladder() -> None:
    """It sees the change under way, and does not take it back."""
    ladder, seen = season(Elo()), []
    ladder.update(HEATS, progress=lambda rows: seen.append(len(ladder)))
    assert len(seen) > 0
    assert ladder.n_events == 4 + len(HEATS)


def test_changes_inside_of_a_larger_one_are_taken_back_with_it() -> None:
    ladder = season(EloMMR())
    before = everything(ladder)

    def replace_last() -> None:
        ladder.undo()
        ladder.record_match("p1", "fresh", time=NEXT)
        ladder.adjust(Rename(player="fresh", into="other"))
        with pytest.raises(PodiumError):
            ladder.record(ranks={"p1": 1, "p2": 2}, share=0.7)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ladder._all_or_nothing(replace_last)
    assert everything(ladder) == before
