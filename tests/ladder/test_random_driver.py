"""Ladders driven at random: events, adjustments, undo, restarts, bulk, interrupts and threads, in any order.

After each step the ladder equals, to the last bit, a plain model: a list of what was taken, rated one by one
from scratch.
"""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from interrupting import interrupt
from podium import (
    Anchor,
    Elo,
    EloMMR,
    Event,
    Glicko2,
    History,
    InputError,
    Ladder,
    Merge,
    PodiumError,
    Release,
    Rename,
    Reset,
    SetRating,
    WengLin,
    Yuksel,
)
from podium.history import Adjustment
from podium.systems import RatingSystem
from stories import Alphabet, Story, seeds_for_a_long_time

STORIES = 70
"""Stories that are told in every run of the tests, a few seconds of one core. They are the same each time:
what is new, the long test finds."""
STEPS = 30
MOST_LINES = 900
"""Lines of podium that run in one call, about: interrupts come at one of them."""
SYSTEMS: list[RatingSystem] = [Elo(), EloMMR(), Glicko2(period="7d"), WengLin(), Yuksel()]
NAMES = [f"p{i}" for i in range(12)]
DAY, START = 86_400, 1_700_000_000

Step = Event | tuple[Adjustment, float | None]


def held(ladder: Ladder) -> dict[str, Any]:
    """All of a ladder that has a meaning, to the last bit."""
    return {
        "state": {name: array.tobytes() for name, array in ladder.state.to_arrays().items()},
        "names": ladder.players.to_list(),
        "numbers": (ladder.n_events, ladder.last_time, ladder.state.has_anchors),
        "rated": ladder._repeats.hashes.copy().to_array().tolist(),
    }


class Driver(Story):
    """A ladder, and what it should have taken."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed)
        self.system = self.chance.choice(SYSTEMS)
        self.file = folder / "ladder.podium"
        self.ladder = Ladder(self.system)
        self.taken: list[Step] = []
        self.undoable = 0
        """How many of the latest steps can be taken back."""
        self.now: float = START

    def __str__(self) -> str:
        return self.system.name

    # ------------------------------------------------------------------ the model

    def model(self, taken: list[Step]) -> Ladder:
        """A ladder to which only this happened, one by one; raises where it is refused."""
        ladder = Ladder(self.system)
        for step in taken:
            take(ladder, step)
        return ladder

    def check(self) -> None:
        assert held(self.ladder) == held(self.model(self.taken))
        assert len(self.ladder._journal) == self.undoable
        assert self.ladder._unfinished is None
        assert not self.ladder._lock._is_owned()

    # ------------------------------------------------------------------ the alphabet

    def alphabet(self) -> Alphabet:
        return {
            "event": (6, lambda: self.try_one(self.event())),
            "adjustment": (
                4,
                lambda: self.try_one((self.adjustment(), self.chance.choice([None, self.now]))),
            ),
            "interrupted event": (6, lambda: self.interrupt_one(self.event())),
            "interrupted adjustment": (
                3,
                lambda: self.interrupt_one((self.adjustment(), self.chance.choice([None, self.now]))),
            ),
            "undo": (4, self.undo),
            "interrupted undo": (2, self.interrupt_undo),
            "restart": (1, self.restart),
            "bytes": (1, self.through_bytes),
            "pickle": (1, self.through_pickle),
            "bulk": (2, self.bulk),
            "interrupted bulk": (2, self.interrupt_bulk),
            "threads": (2, self.threads),
            "look": (1, self.look),
        }

    def try_one(self, step: Step) -> None:
        """The ladder takes a step if and only if the model does."""
        try:
            self.model([*self.taken, step])
        except PodiumError as refused:
            with pytest.raises(type(refused)):
                take(self.ladder, step)
            return
        take(self.ladder, step)
        self.taken.append(step)
        self.undoable += 1

    def interrupt_one(self, step: Step) -> None:
        interrupt(lambda: take(self.ladder, step), self.chance.randrange(MOST_LINES))
        len(self.ladder)  # what was refused and interrupted is taken back by the next call
        if len(self.ladder._journal) > self.undoable:
            self.taken.append(step)
            self.undoable += 1

    def undo(self) -> None:
        if self.undoable:
            self.ladder.undo()
            self.taken.pop()
            self.undoable -= 1
        else:
            with pytest.raises(InputError, match="nothing to undo"):
                self.ladder.undo()

    def interrupt_undo(self) -> None:
        interrupt(self.ladder.undo, self.chance.randrange(MOST_LINES // 6))
        len(self.ladder)
        if len(self.ladder._journal) < self.undoable:
            self.taken.pop()
            self.undoable -= 1

    def restart(self) -> None:
        self.ladder.save(self.file)
        self.ladder = Ladder.load(self.file)
        self.undoable = 0

    def through_bytes(self) -> None:
        self.ladder = Ladder.from_bytes(self.ladder.to_bytes())
        self.undoable = 0

    def through_pickle(self) -> None:
        self.ladder = pickle.loads(pickle.dumps(self.ladder))

    def bulk(self) -> None:
        events = [self.event(rough=False) for _ in range(self.chance.randint(1, 5))]
        try:
            self.model([*self.taken, *events])
        except PodiumError as refused:
            with pytest.raises(type(refused)):
                self.ladder.update(History.from_events(events))
            return
        self.ladder.update(History.from_events(events))
        self.taken += events
        self.undoable = 0

    def interrupt_bulk(self) -> None:
        events = [self.event(rough=False) for _ in range(self.chance.randint(1, 5))]
        before, history = self.ladder.n_events, History.from_events(events)
        interrupt(lambda: self.ladder.update(history), self.chance.randrange(MOST_LINES))
        len(self.ladder)
        if self.ladder.n_events > before:
            self.taken += events
            self.undoable = 0

    def threads(self) -> None:
        """Each thread records events; the journal tells in which order the ladder took them."""
        named = {}
        for _ in range(6):
            (a, b), name = self.chance.sample(NAMES, 2), f"thread {self.chance.random()}"
            named[name] = Event.of(ranks={a: 1, b: 2}, time=self.now, name=name)
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(self.ladder.record_event, named.values()))
            pool.submit(self.ladder.rank_probabilities, NAMES[:3]).result()
        latest = list(self.ladder._journal._entries)[-len(named) :]
        self.taken += [named[entry.name] for entry in latest]
        self.undoable += len(named)

    def look(self) -> None:
        a, b = self.chance.sample(NAMES, 2)
        self.ladder.outcomes(a, b)
        self.ladder.preview(ranks={a: 1, b: 2}, time=self.now)
        if a in self.ladder:
            self.ladder.explain(a)

    # ------------------------------------------------------------------ what happens

    def event(self, *, rough: bool = True) -> Event:
        """An event; a `rough` one may be of teams, earlier than the last one, or a repeat."""
        chance = self.chance
        self.now += chance.choice([0, 0, DAY / 2, 5 * DAY])
        names = chance.sample(NAMES, chance.choice([2, 2, 2, 3, 6]))
        sides = [names[:2], names[2:]] if rough and len(names) > 3 else [[name] for name in names]
        early = DAY if rough and chance.random() < 0.1 else 0
        return Event.of(
            teams=sides,
            ranks=[chance.randint(1, 3) for _ in sides],
            time=self.now - early,
            weight=chance.choice([1.0, 1.0, 0.5]) if rough else 1.0,
            name=f"cup {chance.randrange(20)}" if rough and chance.random() < 0.4 else None,
        )

    def adjustment(self) -> Adjustment:
        chance = self.chance
        a, b = chance.sample([*NAMES, "fresh", "other"], 2)
        return chance.choice(
            [
                SetRating(player=a, mu=1000 + 1000 * chance.random()),
                Anchor(player=a),
                Release(player=a),
                Reset(keep=chance.random()),
                Rename(player=a, into=b),
                Merge(player=a, into=b),
            ]
        )


def take(ladder: Ladder, step: Step) -> None:
    if isinstance(step, Event):
        ladder.record_event(step)
    else:
        ladder.adjust(step[0], time=step[1])


pytestmark = pytest.mark.usefixtures("restless")


@pytest.mark.parametrize("part", range(4))
def test_stories(part: int, tmp_path: Path) -> None:
    for seed in range(part, STORIES, 4):
        Driver(seed, tmp_path).tell(STEPS)


@pytest.mark.long
def test_stories_for_a_long_time(tmp_path: Path) -> None:
    for seed in seeds_for_a_long_time():
        Driver(seed, tmp_path).tell(STEPS)
