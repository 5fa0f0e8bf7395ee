"""Reports, voids, corrections, late events and disqualifications at random, against a ladder in memory that
is given the corrected history from its start."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random
from tempfile import TemporaryDirectory
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from podium.history.times import to_datetime
from podium.server.correcting.rerating import build_generation
from podium.systems import make_system
from server.callers import Caller, Plain, called_service, problem
from server.corrected_model import CorrectedModel
from server.ladder_model import DAY, START, iso, random_reports

SYSTEMS = ["elo", "glicko2", "elo-mmr"]
SEEDS = st.integers(0, 10**6)
REFUSED = (400, 404, 409, 422)


class CorrectingMachine(RuleBasedStateMachine):
    """After each step the service and the judge say the same, unless ratings are to be computed anew."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._stack.enter_context(mock.patch("podium.server.service.compile_kernels"))
        self._folder = self._stack.enter_context(TemporaryDirectory())
        self._running = ExitStack()

    @initialize(system=st.sampled_from(SYSTEMS))
    def begin(self, system: str) -> None:
        self.system, self.model = system, CorrectedModel(system)
        self._open()
        self.caller.create(system=system)
        for sent in self._some(7, 4):
            self._send(sent)

    def _open(self) -> None:
        self.caller: Caller = self._running.enter_context(called_service(f"{self._folder}/podium.db"))

    def teardown(self) -> None:
        self._running.close()
        self._stack.close()

    def _some(self, seed: int, number: int) -> list[Plain]:
        """Events, and adjustments that change no name, near the end of the log in time."""
        chance = Random(seed)
        found = []
        for sent in random_reports(make_system(self.system), chance, 3 * number):
            if sent.get("adjustment") in ("rename", "merge") or "teams" in sent or "disqualified" in sent:
                continue
            sent.pop("name", None)
            sent["time"] = START + (len(self.model.log) + chance.randint(-3, 3)) * DAY
            sent["key"] = f"key {len(self.model.log)} {seed} {len(found)}"
            found.append(sent)
        return found[:number]

    def _send(self, sent: Plain) -> None:
        answer = self.caller.sent(sent)
        if answer.status_code in REFUSED:
            return
        assert answer.status_code == 201, answer.text
        self.model.add(sent)
        assert answer.json()["number"] == len(self.model.log)

    @rule(seed=SEEDS)
    def report(self, seed: int) -> None:
        for sent in self._some(seed, 1):
            self._send(sent)

    @rule(seed=SEEDS)
    def report_late(self, seed: int) -> None:
        for sent in self._some(seed, 1):
            if "adjustment" not in sent:
                sent["time"] = START + Random(seed).randrange(len(self.model.log) + 1) * DAY
                self._send({**sent, "late": True})

    @rule(seed=SEEDS)
    def void(self, seed: int) -> None:
        if not self.model.log:
            return
        target = Random(seed).randint(1, len(self.model.log))
        is_void = target in self.model.voided()
        sent = {"void": target, "key": f"void {len(self.model.log)}"}
        answer = self.caller.sent(sent)
        if is_void:
            problem(answer, 409, "amendment")
        else:
            assert answer.status_code == 201, answer.text
            self.model.add(sent)

    def _event(self, seed: int) -> int | None:
        """An event that counts."""
        gone = self.model.voided()
        order = [n for n in self.model.order() if "adjustment" not in self.model.log[n - 1] and n not in gone]
        return Random(seed).choice(order) if order else None

    @rule(seed=SEEDS)
    def correct(self, seed: int) -> None:
        number = self._event(seed)
        for sent in self._some(seed, 1):
            if number is not None and "adjustment" not in sent:
                del sent["time"]
                self._send({**sent, "correct": number})

    @rule(seed=SEEDS)
    def correct_the_time(self, seed: int) -> None:
        """Of an event that was not reported late; it keeps its place."""
        number = self._event(seed)
        for sent in self._some(seed, 1):
            if number is not None and "adjustment" not in sent and not self.model.is_late(number):
                sent["time"] = START + Random(seed).randint(-9, 20) * DAY
                self._send({**sent, "correct": number})

    @rule(seed=SEEDS)
    def report_ahead(self, seed: int) -> None:
        """An event that is days ahead: what follows is rated at its time, until it is void."""
        for sent in self._some(seed, 1):
            sent["time"] += 30 * DAY
            self._send(sent)

    @rule(seed=SEEDS)
    def disqualify(self, seed: int) -> None:
        if (number := self._event(seed)) is None:
            return
        words, out = self.model.content(number)
        members = sorted(set(words.get("ranks") or words.get("scores") or ()) - out)
        if members:
            chosen = Random(seed).choice(members)
            sent = {"disqualify": [chosen], "event": number, "key": f"out {len(self.model.log)}"}
            answer = self.caller.sent(sent)
            assert answer.status_code == 201, answer.text
            self.model.add(sent)

    @rule(seed=SEEDS, number=st.integers(2, 4))
    def void_several_at_once(self, seed: int, number: int) -> None:
        """All or nothing: if one of them is of what is void already, or two go back to one entry, all are
        refused."""
        chance = Random(seed)
        targets = [chance.randint(1, len(self.model.log) or 1) for _ in range(number)]
        sent = [{"void": n, "key": f"{len(self.model.log)} {i}"} for i, n in enumerate(targets)]
        good = all(n <= len(self.model.log) for n in targets) and not {*targets} & self.model.voided()
        good = good and len({self.model.root(n) for n in targets}) == number
        answer = self.caller.sent_bulk(sent, atomic=True)
        if good:
            assert answer.status_code == 200, answer.text
            for one in sent:
                self.model.add(one)
        else:
            problem(answer, 409, "refused")

    @rule(seed=SEEDS)
    def amend_far_back(self, seed: int) -> None:
        """As if it were far from the end of the log, so that a generation is built beside the ladder."""
        with mock.patch("podium.server.correcting.near_amendments.NEAR_ROWS", -1):
            self.void(seed)
            self.correct(seed + 1)

    @rule()
    def build(self) -> None:
        service = self.caller.service
        build_generation(lambda function, *args: function(service, *args), service.database, "chess")
        assert self.caller.get("")["pending"] == 0

    @rule()
    def drop(self) -> None:
        self.caller.service.ladders.drop("chess")

    @rule()
    def save(self) -> None:
        self.caller.service.checkpoints.write("chess")

    @rule()
    def rebuild(self) -> None:
        was_pending = self.caller.get("")["pending"]
        answer = self.caller.client.post("/api/v1/ladders/chess/rebuild").json()
        assert was_pending or answer["changed"] == 0

    @rule()
    def restart(self) -> None:
        self._running.close()
        self._open()

    @rule()
    def verify(self) -> None:
        self.caller.verified()

    @rule()
    def every_entry_says_whether_it_counts(self) -> None:
        if self.caller.get("")["pending"]:
            return
        gone, times = self.model.voided(), self.model.rated_times()
        for number, entry in enumerate(self.caller.log(), start=1):
            assert entry["status"] == ("void" if number in gone else "in force"), entry
            assert (entry["place"] is not None) == self.model.is_late(number), entry
            if number in times:
                assert entry["rated_time"] == iso(to_datetime(times[number])), entry
            if number in gone or entry["entry"] not in ("event", "adjustment"):
                assert not entry["changes"], entry
            elif entry["entry"] == "adjustment":
                assert all(change["rank"] is None for change in entry["changes"]), entry

    @invariant()
    def same_ratings(self) -> None:
        if not hasattr(self, "caller"):
            return
        found = self.caller.get("leaderboard", min_events=0, limit=1000)
        assert found["head"] == len(self.model.log)
        if not self.caller.get("")["pending"]:
            assert found["ratings"] == self.model.ratings()
            self.model.settled = len(self.model.log)


def test_a_corrected_ladder_is_the_ladder_of_the_corrected_history() -> None:
    run_state_machine_as_test(CorrectingMachine, settings=settings(max_examples=8, stateful_step_count=15))


@pytest.mark.long
def test_a_corrected_ladder_is_the_ladder_of_the_corrected_history_for_long() -> None:
    run_state_machine_as_test(CorrectingMachine, settings=settings(max_examples=300, stateful_step_count=40))
