"""Pools driven at random: joins, matches, budgets, restarts, changes of the ladder, forgetting, threads.

A twin gets the same calls and is never restarted, and answers the same. A plain model says who waits, who is
in which match, and who must not meet.
"""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium import (
    Conduct,
    CooldownError,
    Elo,
    InputError,
    KeyConflictError,
    Ladder,
    Match,
    Matchmaker,
    Merge,
    OrderError,
    PodiumError,
    Policy,
    Rename,
    SetRating,
    Tick,
    UnknownPlayerError,
)
from podium.matchmaking.deciders import decisions
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.terms import (
    BlockList,
    Latency,
    Needs,
    NoRematch,
    RatingGap,
    WaitingTime,
    WinProbabilityGap,
)
from podium.matchmaking.pool import ticks
from podium.matchmaking.pool.files import arrays_of, counts_of
from stories import Alphabet, Story, seeds_for_a_long_time

STORIES = 24
"""Stories that are told in every run of the tests."""
STEPS = 40
ROLES = "2v2: tank, healer"
MODES = ["1v1", "1v1", "2v2", "ffa:3", ROLES, "2v2v2v2", "1v4", "ffa:3-4", "2v2, 1v1 after 9 s"]
"""What is played; a mode with more to say of its tickets says it in `Driver.ticket`."""
NAMES = [f"p{i}" for i in range(12)]
FRESH = [f"new{i}" for i in range(4)]
"""Names that players may get, whom the ladder does not know at first."""
TERMS = (WinProbabilityGap(), WaitingTime(0.1, 20), NoRematch(1), BlockList(), Needs(), Latency(50))
NEAR = RatingGap(most=300, weight=0.02)
TIMEOUT = 50
BUDGETS = [None, 2, 4]
"""Seconds of a tick; a second passes whenever somebody looks at the clock."""
PLACES = [{"eu": 20}, {"eu": 50, "us": 50}, {"us": 20, "eu": 50}, {"us": 20, "eu": 80}]

CONDUCT = Conduct(answer_within=12, declining=(0, 7, 30), forgotten_after=100)

Party = tuple[str, ...]


def held(pool: Matchmaker) -> dict[str, Any]:
    """All of a pool that has a meaning, to the last bit; refused calls use up numbers of texts."""
    count, attributes = len(pool), pool._pool.store.attributes  # which follows the ladder first
    columns = dict(arrays_of(pool._pool, [*attributes.said.columns, *attributes.low.columns]))
    numbers = {
        name: one.tobytes() for name, one in columns.items() if not name.startswith(("said", "choice"))
    }
    said = [pool.ticket(name).attributes for name in pool._pool.store.names if name in pool]
    return {
        "counts": (count, *counts_of(pool._pool)),
        "names": pool._pool.store.names.to_list(),
        "said": said,
        "counters": pool.counters().numbers(),
        **numbers,
    }


def remembered(pool: Matchmaker) -> dict[str, Any]:
    """What a pool knows of players by their names: matches, last opponents, blocks and scores."""
    names, memory, playing = (
        pool._pool.store.names.to_list(),
        pool._pool.memory,
        pool._pool.store.people["playing"],
    )
    met = {name: row[row >= 0] for name, row in zip(names, memory.opponents.met[:, 0], strict=False)}
    wins, games = ([], []) if memory.scores is None else memory.wins(np.arange(len(names)))
    return {
        "playing": {
            name: number for name, number in zip(names, playing.tolist(), strict=False) if number >= 0
        },
        "met": {name: {names[i] for i in row.tolist()} for name, row in met.items() if len(row)},
        "blocks": {(names[a], names[b]) for a, b in memory._blocks},
        "scores": {name: (won, count) for name, won, count in zip(names, wins, games, strict=False) if count},
    }


class Driver(Story):
    """A pool that is restarted again and again, its twin that is not, and what should be true."""

    def __init__(self, seed: int, folder: Path) -> None:
        super().__init__(seed)
        chance = self.chance
        self.file = folder / "pool.podium"
        self.ladder = Ladder(Elo())
        for name in NAMES:
            self.ladder.adjust(SetRating(player=name, mu=100.0 * chance.randint(12, 18)))
        self.has_ladder, self.forgets = chance.random() < 0.7, chance.random() < 0.2
        options: dict[str, Any] = {
            "mode": chance.choice(MODES),
            "policy": Policy(
                chance.choice([TERMS, (*TERMS, NEAR)]),
                tolerance=0.4,
                target=chance.choice([None, WinRateTarget(games=2), WinRateTarget(games=2)]),
                conduct=chance.choice([Conduct(), CONDUCT]),
            ),
            "seed": seed,
            "timeout": TIMEOUT,
            "remembered": 3 if self.forgets else 1000,
        }
        rated = self.ladder if self.has_ladder else Elo()
        self.maker, self.twin = (Matchmaker(rated, **options) for _ in range(2))
        self.now = 0.0
        self.tickets: dict[int, tuple[Party, float]] = {}
        """By number: the players, and when they joined."""
        self.given: dict[str, float] = {}
        """Ratings that came with the last tickets."""
        self.proposed: dict[int, Party] = {}
        self.proposed_at: dict[int, float] = {}
        self.accepted: dict[int, set[str]] = {}
        self.dropped: dict[int, int] = {}
        """The match that was cancelled last, by the number of the ticket."""
        self.declines: dict[str, tuple[int, float, float]] = {}
        """How often, when last, and until when the player may not join."""
        self.playing: dict[str, int] = {}
        self.sizes: dict[int, int] = {}
        """Of each match that has started: the players, some of whom the pool may have forgotten since."""
        self.met: dict[str, set[str]] = {}
        """Opponents in the last game of each player."""
        self.scores: dict[str, list[float]] = {}
        self.blocks: set[tuple[str, str]] = set()
        self.ticks: list[tuple[Tick, Tick]] = []
        self.ended: list[Match] = []
        self.taken: list[Rename | Merge | None] = []
        """What the ladder can take back; None for a match."""

    def __str__(self) -> str:
        return repr(self.maker)

    def both(self, call: str, *given: Any, **options: Any) -> Any:
        """The same call on both, which must answer the same; a match is given by its number."""
        answers = []
        for maker in (self.maker, self.twin):
            known = {one.number for one in [*maker.proposed(), *maker.running()]}
            own = [self.own(maker, one, known) for one in given]
            try:
                answers.append(getattr(maker, call)(*own, **options))
            except PodiumError as error:
                answers.append(str(error))
        if call == "tick":
            one, other = answers
            assert list(one.matches) == list(other.matches)
            assert (one.expired, one.waiting, one.merged, one.left) == (
                other.expired,
                other.waiting,
                other.merged,
                other.left,
            )
            self.ticks.append((one, other))
        else:
            assert answers[0] == answers[1]
            assert call == "forget" or not isinstance(answers[0], str), answers[0]
        return answers[0]

    def own(self, maker: Matchmaker, given: Any, known: set[int]) -> Any:
        """An argument as one of the two pools takes it: each has its own value of a match."""
        if not isinstance(given, Match):
            return given
        return (
            maker.match(given.number) if given.number in known else replace(given, pool=maker._pool.identity)
        )

    def refused(self, kind: type[Exception], call: str, *given: Any, **options: Any) -> None:
        """A call that must fail and change nothing of the pool; its twin does not get it."""
        before = held(self.maker)
        with pytest.raises(kind):
            getattr(self.maker, call)(*given, **options)
        assert held(self.maker) == before

    # ------------------------------------------------------------------ the alphabet

    def alphabet(self) -> Alphabet:
        kinds: Alphabet = {
            "join": (24, self.join),
            "leave": (2, self.leave),
            "tick": (10, self.tick),
            "start": (3, self.start),
            "start a tick": (3, self.start_tick),
            "cancel": (2, self.cancel),
            "accept": (8, self.accept),
            "decline": (2, self.decline),
            "decline too": (2, self.decline_too),
            "finish": (5, self.finish),
            "leave a match": (2, self.leave_match),
            "again": (1, self.do_it_again),
            "back": (1, self.go_back),
            "block": (1, self.block),
            "restart": (2, self.restart),
            "bytes": (1, self.through_bytes),
            "pickle": (1, self.through_pickle),
            "forget": (3, self.forget),
            "why": (1, self.why),
            "threads": (1, self.threads),
        }
        if self.has_ladder:
            kinds |= {
                "record": (4, self.record),
                "result": (4, self.result),
                "rename": (3, self.rename),
                "merge": (2, self.merge),
                "undo": (4, self.undo),
            }
        return kinds

    def ticket(self, party: Party) -> dict[str, Any]:
        """What a ticket says."""
        chance = self.chance
        is_picky = chance.random() < 3 / self.maker.mode.players  # else large matches would be rare
        wanted = chance.choice([None, None, None, "pad", ["pad", "touch"]]) if is_picky else None
        said: dict[str, Any] = {
            "attributes": {"input": chance.choice(["pad", "touch"])},
            "needs": {"input": wanted, "mu": (1200, 1700) if is_picky and chance.random() < 0.2 else None},
            "latency": chance.choice(PLACES) if is_picky else {"eu": 30},
        }
        if not self.has_ladder:
            said["mu"] = [100.0 * chance.randint(12, 18) for _ in party]
        if self.maker.mode.roles:  # of a party one plays whatever is left
            first = chance.choice([None, "tank", "healer", ["tank", "healer"]])
            said["roles"] = [first, *(None for _ in party[1:])]
        return said

    def join(self) -> None:
        chance = self.chance
        size = chance.choice([1, 2, min(self.maker.mode.sizes)]) if self.maker.mode.has_teams else 1
        inside = {name for party, _ in self.tickets.values() for name in party}
        free = [name for name in [*NAMES, *FRESH] if name not in inside or chance.random() < 0.05]
        if self.has_ladder:
            free = [name for name in free if name in self.ladder or chance.random() < 0.1]
        party = tuple(chance.sample(free, min(size, len(free))))
        if not party:
            return
        said = self.ticket(party) | {"time": self.now}
        if any(name in players for players, _ in self.tickets.values() for name in party):
            self.refused(PodiumError, "join", list(party), **said)
            return
        if self.has_ladder and any(name not in self.ladder for name in party):
            self.refused(UnknownPlayerError, "join", list(party), **said)
            return
        barred = [name for name in party if self.declines.get(name, (0, 0, 0))[2] > self.now]
        if barred and not self.forgets:
            self.refused(CooldownError, "join", list(party), **said, playing=True)
            for name in barred:
                self.both("pardon", name)
                del self.declines[name]
        if not self.forgets and any(name in self.playing for name in party):
            self.refused(InputError, "join", list(party), **said)
        self.now += chance.choice([0, 0, 1, 5])
        ticket = self.both("join", list(party), **said | {"time": self.now, "playing": True})
        self.tickets[ticket.number] = party, self.now
        self.given |= dict(zip(party, said.get("mu", ()), strict=False))

    def leave(self) -> None:
        name = self.chance.choice([*NAMES, *(party[0] for party, _ in self.tickets.values())])
        number = self.ticket_of(name)
        if number is None:
            self.refused(UnknownPlayerError, "leave", name)
            return
        if self.match_of(name) is not None:
            self.declined(name)
        self.both("leave", name)
        self.remove(number)

    def tick(self) -> None:
        self.now += self.chance.choice([0, 1, 5, 15])
        budget = self.chance.choice(BUDGETS)
        tick: Tick = self.both("tick", time=self.now, budget=budget)
        assert 0 <= tick.left <= (0 if budget is None else tick.waiting)
        assert {number: set(names) for number, names in tick.lapsed.items()} == self.lapse()
        for party in tick.expired:
            number = self.ticket_of(party[0])
            assert number is not None
            assert self.now - self.tickets.pop(number)[1] >= TIMEOUT
        for match in tick.matches:
            assert len(set(match.players)) == len(match.players)
            sizes = tuple(map(len, match.sides))
            ((_, after),) = [one for one in self.maker.mode.variants if one[0].sizes == sizes]
            assert min(match.waited) >= after
            self.check_gap(match)
            if self.maker.mode.roles:
                assert match.roles is not None
                assert [sorted(side) for side in match.roles] == 2 * [["healer", "tank"]]
            sides = {name: side for side, names in enumerate(match.sides) for name in names}
            for name in match.players:
                ((party, joined),) = (one for one in self.tickets.values() if name in one[0])
                assert match.waited[match.players.index(name)] == self.now - joined
                against = {other for other in sides if sides[other] != sides[name]}
                assert not self.blocks & {(name, other) for other in sides if other not in party}
                assert self.forgets or not self.met.get(name, set()) & against
            self.proposed[match.number] = match.players
            self.proposed_at[match.number] = self.now
            assert match.accepted == ()
            assert match.proposed == self.now
        for party, joined in self.tickets.values():
            assert self.match_of(party[0]) is not None or self.now - joined < TIMEOUT

    def lapse(self) -> dict[int, set[str]]:
        """The proposals whose deadline is over end: silent players leave, and the others wait again."""
        conduct = self.maker.policy.conduct
        found: dict[int, set[str]] = {}
        for number, players in list(self.proposed.items()):
            if conduct.answer_within is None or self.now <= self.proposed_at[number] + conduct.answer_within:
                continue
            silent = set(players) - self.accepted.get(number, set())
            found[number] = silent
            self.end_proposal(number)
            for name in silent:
                self.declined(name)
                self.tickets.pop(self.ticket_of(name), None)  # type: ignore[arg-type]
        return found

    def declined(self, name: str) -> None:
        """A player has declined a match, and may have to wait."""
        count, last, until = self.declines.get(name, (0, self.now, 0.0))
        count = 1 if self.now - last >= CONDUCT.forgotten_after else count + 1
        seconds = self.maker.policy.conduct.cooldown("declines", count)
        self.declines[name] = count, self.now, max(until, self.now + seconds)

    def end_proposal(self, number: int) -> None:
        """The players of a proposal wait again."""
        for name in self.proposed.pop(number):
            ticket = self.ticket_of(name)
            assert ticket is not None
            self.dropped[ticket] = number

    def accept(self) -> None:
        """A player accepts a match, which starts with the last answer."""
        if not self.proposed:
            return
        number = self.chance.choice(list(self.proposed))
        match = self.maker.match(number)
        names = [name for name in match.players if name not in self.accepted.get(number, set())]
        deadline = match.deadline
        for name in self.chance.choice([names, names[:1]]):
            if deadline is not None and self.now > deadline:
                self.refused(InputError, "accept", self.maker.match(number), name)
                return
            now = self.both("accept", match, name, time=self.now)
            self.accepted.setdefault(number, set()).add(name)
            assert set(now.accepted) == self.accepted[number]
            assert (now.started is None) == (self.accepted[number] < set(match.players))
            if now.started is not None:
                self.began(match)

    def decline(self) -> None:
        """Some players decline a match, and leave with their parties."""
        if not self.proposed:
            return
        number = self.chance.choice(list(self.proposed))
        match = self.maker.match(number)
        names = self.chance.sample(match.players, self.chance.choice([1, 2]))
        self.both("decline", match, names, time=self.now)
        self.ended.append(match)
        self.end_proposal(number)
        for name in names:
            self.declined(name)
            self.tickets.pop(self.ticket_of(name), None)  # type: ignore[arg-type]

    def decline_too(self) -> None:
        """Another player of a match that was declined declines it too."""
        for match in self.ended[-3:]:
            for name in match.players:
                number = self.ticket_of(name)
                if number is not None and self.match_of(name) is None:
                    if self.dropped.get(number) != match.number:
                        self.refused(InputError, "decline", match, name)
                        continue
                    self.both("decline", match, name)
                    self.declined(name)
                    del self.tickets[number]

    def check_gap(self, match: Match) -> None:
        """No two tickets are farther apart than the policy allows, by the mean ratings of their players."""
        if NEAR not in self.maker.policy.terms:
            return
        parties = {
            self.tickets[number][0] for name in match.players if (number := self.ticket_of(name)) is not None
        }
        means = [sum(map(self.rating, party)) / len(party) for party in parties]
        assert max(means) - min(means) <= NEAR.most + 1e-9

    def rating(self, name: str) -> float:
        if not self.has_ladder:
            return self.given[name]
        return self.ladder.rating(name).mu if name in self.ladder else Elo().mu

    def why(self) -> None:
        if self.tickets:
            party, _ = self.chance.choice(list(self.tickets.values()))
            self.both("why", party[0])

    def start(self) -> None:
        if self.proposed:
            self.begin(self.chance.choice(list(self.proposed)))

    def begin(self, number: int) -> None:
        match = self.maker.match(number)
        self.both("start", match)
        self.began(match)

    def began(self, match: Match) -> None:
        self.ended.append(match)
        self.sizes[match.number] = len(match.players)
        del self.proposed[match.number]
        for side in match.sides:
            for name in side:
                number = self.ticket_of(name)
                if number is not None:  # else somebody of the same party was here before
                    del self.tickets[number]
                self.met[name] = {other for other in match.players if other not in side}
                self.playing[name] = match.number

    def start_tick(self) -> None:
        """A tick of before a restart starts, as far as its matches are still proposed."""
        if not self.ticks:
            return
        ours, theirs = self.chance.choice(self.ticks)
        still = [self.maker.match(one.number) for one in ours.matches if one.number in self.proposed]
        self.maker.start(ours)
        self.twin.start(theirs)
        for match in still:
            self.began(match)

    def cancel(self) -> None:
        if not self.proposed:
            return
        number = self.chance.choice(list(self.proposed))
        match = self.maker.match(number)
        by = self.chance.choice([None, *match.players])
        self.both("cancel", match, by=by)
        self.ended.append(match)
        self.end_proposal(number)
        if by is not None:
            leaving = self.ticket_of(by)
            assert leaving is not None
            del self.tickets[leaving]

    def finish(self) -> None:
        running = self.maker.running()
        if not self.forgets:
            assert {match.number for match in running} == set(self.playing.values())
        if running:
            match = self.chance.choice(running)
            sides = range(len(match.sides))
            side_of = {name: side for side in reversed(sides) for name in match.sides[side]}
            winner = self.chance.choice(match.players)
            endings: list[tuple[int | None, dict[str, Any], list[float]]] = [
                (0, {"side": 0}, [0.0] * len(sides)),
                (side_of[winner], {"winner": winner}, [0.0] * len(sides)),
                (None, {"draw": True}, [0.5] * len(sides)),
                (None, {"void": True}, []),
            ]
            won, result, scores = self.chance.choice(endings)
            if won is not None:
                scores[won] = 1.0
            self.both("finish", match, **result)
            for name, side in side_of.items() if scores else ():
                if self.playing.get(name) == match.number:
                    self.scores.setdefault(name, []).append(scores[side])
            self.playing = {name: number for name, number in self.playing.items() if number != match.number}

    def result(self) -> None:
        """A match is rated and ended in one step, and once; the twin ends it without rating it again."""
        running = [
            match for match in self.maker.running() if len(set(match.players)) == self.sizes[match.number]
        ]
        if not running or self.forgets:
            return
        match, count = self.chance.choice(running), self.ladder.n_events
        scores = [self.chance.choice([0.0, 1.0]) for _ in match.sides]
        changes = self.maker.result(match, scores=scores)
        assert {change.player for change in changes} == set(match.players)
        assert self.maker.result(match, scores=scores) == changes
        self.refused(KeyConflictError, "result", match, scores=[*scores[:-1], 2.0])
        assert self.ladder.n_events == count + 1
        self.taken.append(None)
        beaten = [sum((one > two) + (one == two) / 2 for two in scores) - 0.5 for one in scores]
        shares = [one / (len(scores) - 1) for one in beaten]
        self.twin.finish(self.own(self.twin, match, {match.number}), scores=shares)
        for side, share in zip(match.sides, shares, strict=True):
            for name in side:
                if self.playing.get(name) == match.number:
                    self.scores.setdefault(name, []).append(share)
                    del self.playing[name]

    def leave_match(self) -> None:
        """A player leaves a match that is played."""
        if not self.playing:
            return
        name = self.chance.choice(list(self.playing))
        reason = self.chance.choice(["abandon", "excused"])
        number = self.playing[name]
        if self.forgets and number not in {match.number for match in self.maker.running()}:
            return  # the pool remembers few players, and so not every match that is played
        match = self.maker.match(number)
        if self.forgets and name not in match.players:
            return
        now = self.both("leave_match", match, name, reason=reason, time=self.now)
        assert now.left[name] == reason
        del self.playing[name]
        if reason == "abandon":
            self.scores.setdefault(name, []).append(0.0)
            count, last, until = self.declines.get(name, (0, self.now, 0.0))
            count = 0 if self.now - last >= CONDUCT.forgotten_after else count
            self.declines[name] = count, self.now, until

    def do_it_again(self) -> None:
        if self.ended:
            match = self.chance.choice(self.ended)
            self.refused(InputError, "start", match)
            self.refused(InputError, "cancel", match)
        if self.proposed:
            self.refused(InputError, "start", self.twin.match(self.chance.choice(list(self.proposed))))

    def go_back(self) -> None:
        if self.maker.clock > float("-inf"):
            self.refused(OrderError, "tick", time=self.maker.clock - 1)

    def block(self) -> None:
        a, b = self.chance.sample(NAMES, 2)
        if (a, b) in self.blocks:
            self.both("unblock", a, b)
            self.both("unblock", b, a)
            self.blocks -= {(a, b), (b, a)}
        else:
            self.both("block", a, b)
            self.both("block", b, a)
            self.blocks |= {(a, b), (b, a)}

    # ------------------------------------------------------------------ keeping

    @property
    def rated(self) -> Ladder | None:
        return self.ladder if self.has_ladder else None

    def restart(self) -> None:
        self.maker.save(self.file)
        self.go_on(Matchmaker.load(self.file, self.rated))

    def through_bytes(self) -> None:
        self.go_on(Matchmaker.from_bytes(self.maker.to_bytes(), self.rated))

    def go_on(self, restored: Matchmaker) -> None:
        """Go on with a pool from a file, which does not say how fast the machine is."""
        restored._pool.pace = self.maker._pool.pace
        self.maker = restored

    def through_pickle(self) -> None:
        self.maker, ladder = pickle.loads(pickle.dumps((self.maker, self.ladder)))
        if self.has_ladder:  # a copy of the ladder, which the twin does not have
            assert self.maker._pool.source.ladder is ladder  # type: ignore[attr-defined]
            self.through_bytes()

    def forget(self) -> None:
        name = self.chance.choice([name for name in self.met if self.ticket_of(name) is None] or NAMES)
        if self.ticket_of(name) is not None:
            self.refused(InputError, "forget", name)
        elif self.both("forget", name) is None:
            self.playing.pop(name, None)
            self.declines.pop(name, None)
            self.met.pop(name, None)
            self.scores.pop(name, None)
            self.met = {one: others - {name} for one, others in self.met.items()}
            self.blocks = {pair for pair in self.blocks if name not in pair}

    # ------------------------------------------------------------------ changes of the ladder

    def record(self) -> None:
        """A match, which may be the first of somebody whom the ladder does not know."""
        self.ladder.record_match(self.chance.choice(FRESH), self.chance.choice(NAMES))
        self.taken.append(None)

    def adjust(self, adjustment: Rename | Merge) -> None:
        try:
            self.ladder.adjust(adjustment)
        except PodiumError:
            return
        self.taken.append(adjustment)
        self.pass_on(adjustment.player, adjustment.into)

    def rename(self) -> None:
        names = [*NAMES, *FRESH]
        unknown = [name for name in names if name not in self.ladder]
        player, into = self.chance.choice(names), self.chance.choice(unknown or names)
        if player != into:
            self.adjust(Rename(player=player, into=into))

    def merge(self) -> None:
        player, into = self.chance.sample([*NAMES, *FRESH], 2)
        self.adjust(Merge(player=player, into=into))

    def undo(self) -> None:
        """Whoever the ladder does not know any more waits on, as a newcomer."""
        for _ in range(min(self.chance.choice([1, 4]), len(self.taken))):
            self.ladder.undo()
            last = self.taken.pop()
            if last is not None and last.into not in self.ladder:
                self.pass_on(last.into, last.player)

    def pass_on(self, old: str, new: str) -> None:
        """All that was one player's is another's."""
        one, other = self.ticket_of(old), self.ticket_of(new)
        if one is not None and other is not None:
            later = max(one, other)
            match = self.match_of(old if one == later else new)
            if one != other:
                self.remove(later)
            elif match is not None:
                self.end_proposal(match)

        def now(names: Any) -> Any:
            return type(names)(dict.fromkeys(new if name == old else name for name in names))

        self.tickets = {number: (now(party), time) for number, (party, time) in self.tickets.items()}
        self.proposed = {number: now(players) for number, players in self.proposed.items()}
        self.accepted = {number: now(players) for number, players in self.accepted.items()}
        counts = [self.declines.pop(name) for name in (old, new) if name in self.declines]
        if counts:
            self.declines[new] = tuple(max(several) for several in zip(*counts, strict=True))  # type: ignore
        moved = {tuple(new if name == old else name for name in pair) for pair in self.blocks}
        self.blocks = {(a, b) for a, b in moved if a != b}
        both = self.met.pop(old, set()) | self.met.pop(new, set())
        self.met = {name: now(others) for name, others in self.met.items()}
        self.met[new] = both - {old, new}
        scores = self.scores.pop(old, [])
        if scores:
            self.scores.setdefault(new, scores)
        playing = {name: self.playing.pop(name) for name in (old, new) if name in self.playing}
        if playing:
            self.playing[new] = max(playing.values())

    # ------------------------------------------------------------------ threads

    def threads(self) -> None:
        """Threads use a copy of the pool: whoever joined is there once, and each match starts once."""
        maker = Matchmaker.from_bytes(self.maker.to_bytes(), self.rated, unknown="newcomer")
        guests, started = [[f"guest {thread}/{i}" for i in range(3)] for thread in range(4)], []
        rated = {} if self.has_ladder else {"mu": 1500}

        def use(names: list[str]) -> None:
            for name in names:
                maker.join(name, latency={"eu": 10}, **rated)
                for match in maker.tick().matches:
                    try:
                        maker.start(match)
                        started.append(match)
                    except InputError:
                        assert match.number not in {one.number for one in maker.proposed()}
                len(maker), maker.waiting(), maker.running()
            if names[0] in maker:
                try:
                    maker.leave(names[0])
                except UnknownPlayerError:  # somebody started the match meanwhile
                    assert names[0] not in maker

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(use, guests))
        assert len({match.number for match in started}) == len(started)
        inside = [name for match in maker.proposed() for name in match.players]
        inside += maker.waiting().to_frame()["player"].to_list()
        assert len(set(inside)) == len(inside) == len(maker)

    # ------------------------------------------------------------------ the model

    def ticket_of(self, name: str) -> int | None:
        return next((number for number, (party, _) in self.tickets.items() if name in party), None)

    def match_of(self, name: str) -> int | None:
        return next((number for number, players in self.proposed.items() if name in players), None)

    def remove(self, number: int) -> None:
        """A ticket goes, and the match proposed to it is cancelled."""
        match = self.match_of(self.tickets[number][0][0])
        if match is not None:
            self.end_proposal(match)
        del self.tickets[number]

    def check(self) -> None:
        maker = self.maker
        proposed = {name for players in self.proposed.values() for name in players}
        waiting = {number: party for number, (party, _) in self.tickets.items() if party[0] not in proposed}
        tickets = maker.waiting()
        assert list(tickets) == [maker.ticket(ticket.players[0]) for ticket in tickets]
        frame = tickets.to_frame()
        assert sorted(zip(frame["ticket"], frame["player"], strict=True)) == sorted(
            (number, name) for number, party in waiting.items() for name in party
        )
        new = [self.has_ladder and name not in self.ladder for name in frame["player"]]
        assert frame["newcomer"].to_list() == new
        assert {match.number: set(match.players) for match in maker.proposed()} == {
            number: set(players) for number, players in self.proposed.items()
        }
        assert len(maker) == sum(len(party) for party, _ in self.tickets.values())
        done = maker.counters()
        assert done.tickets_joined == len(self.tickets) + (
            done.tickets_left + done.tickets_expired + done.tickets_matched
        )
        assert done.matches_proposed == len(self.proposed) + done.matches_started + done.matches_cancelled
        assert done.waits.count == done.tickets_matched
        assert held(maker) == held(self.twin)
        for number, players in self.proposed.items():
            assert set(maker.match(number).accepted) == self.accepted.get(number, set()) & set(players)
        if not self.forgets:
            for name, (_, _, until) in self.declines.items():
                assert maker.cooldown(name) == max(until - maker.clock, 0.0)
            assert remembered(maker) == {
                "playing": self.playing,
                "met": {name: others for name, others in self.met.items() if others},
                "blocks": self.blocks,
                "scores": {name: (sum(one[-2:]), len(one)) for name, one in self.scores.items()}
                if maker.policy.target
                else {},
            }
        assert maker._pool._unfinished is None


@pytest.fixture(autouse=True)
def told_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time passes when somebody looks, and ticks with a budget leave somebody though few wait."""
    monkeypatch.setattr(ticks, "perf_counter", lambda: 0.0)
    monkeypatch.setattr(decisions, "perf_counter", count(0.0).__next__)
    monkeypatch.setattr(decisions, "ALWAYS_TICKETS", 3)
    monkeypatch.setattr(decisions, "COUNTED_TICKETS", 1)


pytestmark = pytest.mark.usefixtures("restless")


@pytest.mark.parametrize("part", range(4))
def test_stories(part: int, tmp_path: Path) -> None:
    for seed in range(part, STORIES, 4):
        Driver(seed, tmp_path).tell(STEPS)


@pytest.mark.long
def test_stories_for_a_long_time(tmp_path: Path) -> None:
    for seed in seeds_for_a_long_time():
        Driver(seed, tmp_path).tell(STEPS)
