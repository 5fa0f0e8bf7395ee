"""A pool in its ladder's folder driven at random and killed: fills, answers, deadlines and results.

A plain model says who waits since when, who is proposed and who plays. A kill opens a copy of the files, as a
dead process leaves them, in place of the folder.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from podium import Conduct, InputError, Ladder, Match, Matchmaker, Policy
from podium.matchmaking import WaitingTime, WinProbabilityGap
from stories import Alphabet, Story, seeds_for_a_long_time

STORIES, STEPS = 12, 250
MODES = ["2v2", "3v3", "ffa:3", "2v2v2"]
NAMES = [f"p{i}" for i in range(14)]
POLICY = Policy((WinProbabilityGap(), WaitingTime(0.1, 20)), 1.0, conduct=Conduct(answer_within=12))
TIMEOUT = 60.0


@dataclass
class Waiting:
    """A ticket, or the request of a running match."""

    players: set[str]
    since: float


@dataclass
class Proposal:
    """A proposed match: its tickets, and the request that it fills."""

    tickets: list[int]
    request: int | None
    at: float
    accepted: set[str] = field(default_factory=set)


class KeptPool(Story):
    """A pool that is killed again and again, and what should be true."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed)
        self.home, self.copies = folder / str(seed), 0
        self.mode = self.chance.choice(MODES)
        self.now = 0.0
        self.tickets: dict[int, Waiting] = {}
        self.requests: dict[int, Waiting] = {}
        self.asked: dict[int, int] = {}
        """The match of each request."""
        self.proposed: dict[int, Proposal] = {}
        self.playing: dict[int, set[str]] = {}
        self.results: dict[int, tuple[dict[str, Any], Any]] = {}
        self.open(self.home)

    def __str__(self) -> str:
        return repr(self.maker)

    def open(self, folder: Path) -> None:
        self.folder = folder
        self.ladder = Ladder.open(folder, system="weng-lin", sync=False)
        self.maker = Matchmaker.open(
            folder, self.ladder, self.mode, POLICY, timeout=TIMEOUT, unknown="newcomer", seed=self.seed
        )

    # ------------------------------------------------------------------ the alphabet

    def alphabet(self) -> Alphabet:
        return {
            "join": (20, self.join),
            "tick": (14, self.tick),
            "accept": (14, self.accept),
            "decline": (1, self.decline),
            "leave": (1, self.leave),
            "leave a match": (5, self.leave_match),
            "backfill": (6, self.backfill),
            "result": (2, self.result),
            "result again": (2, self.result_again),
            "finish": (1, self.finish),
            "kill": (2, self.kill),
        }

    def join(self) -> None:
        busy = {name for one in [*self.tickets.values(), *self.requests.values()] for name in one.players}
        busy |= {name for players in self.playing.values() for name in players}
        free = [name for name in NAMES if name not in busy]
        size = self.chance.choice([1, 1, 2]) if self.maker.mode.has_teams else 1
        party = self.chance.sample(free, min(size, len(free)))
        if not party:
            name = self.chance.choice(sorted(busy))
            with pytest.raises(InputError):
                self.maker.join(name)
            return
        self.now += self.chance.choice([0, 1, 4])
        ticket = self.maker.join(party, time=self.now)
        self.tickets[ticket.number] = Waiting(set(party), self.now)

    def tick(self) -> None:
        self.now += self.chance.choice([0, 1, 5, 15])
        tick = self.maker.tick(self.now)
        for number, one in list(self.proposed.items()):
            if self.now > one.at + 12:
                silent = self.newcomers(one) - one.accepted
                assert set(tick.lapsed[number]) == silent
                self.end_proposal(number)
                self.tickets = {n: t for n, t in self.tickets.items() if not t.players & silent}
        for party in tick.expired:
            (number,) = [n for n, t in [*self.tickets.items()] if set(party) == t.players] or [None]
            if number is not None:
                assert self.now - self.tickets.pop(number).since >= TIMEOUT
        for request in tick.ended:
            assert self.now - self.requests.pop(request).since >= TIMEOUT
        for match in tick.matches:
            request = match.backfill
            inside = set(match.players)
            assert len(inside) == len(match.players) == self.maker.mode.players
            if request is not None:
                assert match.continues == self.asked[request]
                assert self.requests[request].players < inside
                inside -= self.requests[request].players
            tickets = [n for n, t in self.tickets.items() if t.players & inside]
            assert inside == {name for n in tickets for name in self.tickets[n].players}
            assert not {n for one in self.proposed.values() for n in one.tickets} & {*tickets}
            for n in tickets:
                (side,) = {i for i, s in enumerate(match.sides) for p in s if p in self.tickets[n].players}
                for name in self.tickets[n].players:
                    waited = match.waited[match.players.index(name)]
                    assert waited == self.now - self.tickets[n].since
                    assert name in match.sides[side]
            self.proposed[match.number] = Proposal(tickets, request, self.now)

    def accept(self) -> None:
        if not self.proposed:
            return
        number = self.chance.choice(list(self.proposed))
        one = self.proposed[number]
        names = sorted(self.newcomers(one) - one.accepted)
        for name in self.chance.choice([names, names[:1]]):
            if self.now > one.at + 12:
                with pytest.raises(InputError, match="deadline"):
                    self.maker.accept(self.own(number), name, time=self.now)
                return
            match = self.maker.accept(self.own(number), name, time=self.now)
            one.accepted.add(name)
            is_last = one.accepted == self.newcomers(one)
            assert (match.started is not None) == is_last or one.request is not None
            if not is_last:
                continue
            del self.proposed[number]
            players = {name for n in one.tickets for name in self.tickets.pop(n).players}
            if one.request is None:
                self.playing[number] = players
            else:
                del self.requests[one.request]
                assert match.number == self.asked[one.request]
                self.playing[match.number] |= players

    def own(self, number: int) -> Match | int:
        """A match by its number or its value."""
        return self.chance.choice([number, self.maker.match(number)])

    def decline(self) -> None:
        if not self.proposed:
            return
        number = self.chance.choice(list(self.proposed))
        name = self.chance.choice(sorted(self.newcomers(self.proposed[number])))
        self.maker.decline(self.own(number), name, time=self.now)
        self.end_proposal(number)
        self.tickets = {n: t for n, t in self.tickets.items() if name not in t.players}

    def leave(self) -> None:
        """A waiting player leaves, or a player of a match that asks withdraws its request."""
        everyone = [*self.tickets.items(), *((None, one) for one in self.requests.values())]
        if not everyone:
            return
        number, one = self.chance.choice(everyone)
        self.maker.leave(self.chance.choice(sorted(one.players)))
        if number is None:
            self.withdraw(next(request for request, other in self.requests.items() if other is one))
            return
        for proposal in [n for n, p in self.proposed.items() if number in p.tickets]:
            self.end_proposal(proposal)
        del self.tickets[number]

    def leave_match(self) -> None:
        if not self.playing:
            return
        number = self.chance.choice(list(self.playing))
        name = self.chance.choice(sorted(self.playing[number]))
        match = self.maker.leave_match(self.own(number), name, time=self.now)
        assert match.left[name] == "abandon"
        self.playing[number].discard(name)
        for request in [r for r in self.requests if self.asked[r] == number]:
            for proposal in [n for n, p in self.proposed.items() if p.request == request]:
                self.end_proposal(proposal)
            self.requests[request].players.discard(name)
            if not self.requests[request].players:
                del self.requests[request]
        if not self.playing[number]:
            del self.playing[number]

    def backfill(self) -> None:
        if not self.playing:
            return
        number = self.chance.choice(list(self.playing))
        players = self.playing[number]
        if len(players) == self.maker.mode.players:
            with pytest.raises(InputError, match="all places are taken"):
                self.maker.backfill(self.own(number))
            return
        self.now += self.chance.choice([0, 1])
        request = self.maker.backfill(self.own(number), time=self.now)
        assert {name for side in request.sides for name in side} == players
        assert request.match == number
        if (known := self.requests.get(request.number)) is None:
            assert number not in [self.asked[one] for one in self.requests]
            known = self.requests[request.number] = Waiting(set(players), self.now)
            self.asked[request.number] = number
        assert request.time == known.since

    def result(self) -> None:
        if not self.playing:
            return
        number = self.chance.choice(list(self.playing))
        match = self.maker.match(number)
        result = {"ranks": self.chance.sample(range(1, 1 + len(match.sides)), len(match.sides))}
        count = self.ladder.n_events
        changes = self.maker.result(self.own(number), **result)
        assert {change.player for change in changes} == set(match.players)
        assert self.ladder.n_events == count + 1
        self.results[number] = result, changes
        self.ended(number)

    def result_again(self) -> None:
        """The same result, perhaps after a kill, by the number that is all that a server has then."""
        if self.results:
            number = self.chance.choice(list(self.results))
            result, changes = self.results[number]
            assert self.maker.result(number, **result) == changes

    def finish(self) -> None:
        if self.playing:
            number = self.chance.choice(list(self.playing))
            self.maker.finish(self.own(number), void=True)
            self.ended(number)

    def kill(self) -> None:
        self.copies += 1
        copy = self.home.with_name(f"{self.seed}-{self.copies}")
        shutil.copytree(self.folder, copy, ignore=shutil.ignore_patterns("*-shm"))
        self.ladder.close()
        self.open(copy)

    # ------------------------------------------------------------------ the model

    def newcomers(self, one: Proposal) -> set[str]:
        return {name for n in one.tickets for name in self.tickets[n].players}

    def end_proposal(self, number: int) -> None:
        del self.proposed[number]

    def withdraw(self, request: int) -> None:
        for number in [n for n, p in self.proposed.items() if p.request == request]:
            self.end_proposal(number)
        del self.requests[request]

    def ended(self, number: int) -> None:
        del self.playing[number]
        for request in [r for r in self.requests if self.asked[r] == number]:
            self.withdraw(request)

    def check(self) -> None:
        maker = self.maker
        busy = {n for one in self.proposed.values() for n in one.tickets}
        waiting = {t.number: t for t in maker.waiting() if t.number in self.tickets}
        assert waiting.keys() == self.tickets.keys() - busy
        for number, one in self.tickets.items():
            ticket = maker.ticket(min(one.players))
            assert (ticket.number, set(ticket.players), ticket.time) == (number, one.players, one.since)
        assert {match.number: set(match.players) for match in maker.proposed()} == {
            number: self.newcomers(one)
            | (self.requests[one.request].players if one.request is not None else set())
            for number, one in self.proposed.items()
        }
        for number, one in self.proposed.items():
            assert one.accepted <= set(maker.match(number).accepted)
        running = maker.running()
        assert {match.number: set(match.players) - match.left.keys() for match in running} == self.playing
        playing = [name for players in self.playing.values() for name in players]
        assert len(set(playing)) == len(playing)
        assert len(maker) == sum(
            len(one.players) for one in [*self.tickets.values(), *self.requests.values()]
        )
        assert self.ladder.n_events == len(self.results)


pytestmark = pytest.mark.usefixtures("restless")


@pytest.mark.parametrize("part", range(2))
def test_stories(part: int, tmp_path: Path) -> None:
    for seed in range(part, STORIES, 2):
        story = KeptPool(seed, tmp_path)
        story.tell(STEPS)
        story.ladder.close()


@pytest.mark.long
def test_stories_for_a_long_time(tmp_path: Path) -> None:
    for seed in seeds_for_a_long_time():
        story = KeptPool(seed, tmp_path)
        story.tell(STEPS)
        story.ladder.close()
