"""The service driven at random over HTTP, against a model in memory."""

from __future__ import annotations

from contextlib import ExitStack
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from podium.errors import PodiumError
from podium.systems import make_system
from server.callers import Caller, Plain, called_service, problem
from server.ladder_model import LadderModel, random_reports

SYSTEMS = ["elo", "glicko2", "elo-mmr", "trueskill"]
SEEDS = st.integers(0, 10**6)


class Expected:
    """What a service should know: a ladder, the keys in its log, and whether it takes reports."""

    def __init__(self, system: str) -> None:
        self.model = LadderModel(system)
        self.keys: dict[str, tuple[Plain, int]] = {}
        self.is_archived = False

    def status(self, sent: Plain) -> tuple[str, int | None]:
        """What becomes of a report, and under which number."""
        if sent["key"] in self.keys:
            content, number = self.keys[sent["key"]]
            return ("known", number) if content == sent else ("refused", None)
        if self.is_archived:
            return "refused", None
        try:
            self.model.record(sent)
        except PodiumError:
            return "refused", None
        self.keys[sent["key"]] = sent, self.model.head
        return "recorded", self.model.head

    def copy(self) -> Expected:
        twin = Expected.__new__(Expected)
        twin.model, twin.keys, twin.is_archived = self.model.copy(), dict(self.keys), self.is_archived
        return twin


class ServiceMachine(RuleBasedStateMachine):
    """Reports, adjustments, bulk, repeated keys, archiving, restarts; after each step both say the same."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = ExitStack()
        self._stack.enter_context(mock.patch("podium.server.service.compile_kernels"))
        self._folder = self._stack.enter_context(TemporaryDirectory())
        self._running = ExitStack()
        self.system = "elo"

    @initialize(system=st.sampled_from(SYSTEMS))
    def begin(self, system: str) -> None:
        self.system, self.expected = system, Expected(system)
        self._open()
        self.caller.create(system=system)

    def _open(self) -> None:
        self.caller: Caller = self._running.enter_context(called_service(f"{self._folder}/podium.db"))

    def teardown(self) -> None:
        self._running.close()
        self._stack.close()

    def _some(self, seed: int, number: int) -> list[Plain]:
        """Reports at random, some with a key that another has."""
        chance = Random(seed)
        found = random_reports(make_system(self.system), chance, number)
        for sent in found:
            sent.pop("name", None)
            sent["key"] = f"key {chance.randrange(40)}"
        earlier = [content for content, _ in self.expected.keys.values()]
        return [chance.choice(earlier) if earlier and chance.random() < 0.2 else sent for sent in found]

    @rule(seed=SEEDS)
    def report(self, seed: int) -> None:
        (sent,) = self._some(seed, 1)
        status, number = self.expected.status(sent)
        answer = self.caller.sent(sent)
        if status == "refused":
            assert answer.status_code in (400, 404, 409, 422), answer.text
        else:
            assert answer.status_code == (201 if status == "recorded" else 200), answer.text
            assert (answer.json()["status"], answer.json()["number"]) == (status, number)

    @rule(seed=SEEDS, number=st.integers(0, 6), atomic=st.booleans())
    def bulk(self, seed: int, number: int, atomic: bool) -> None:
        sent = self._some(seed, number)
        tried = self.expected.copy() if atomic else self.expected
        wanted: list[Any] = [tried.status(one) for one in sent]
        answer = self.caller.sent_bulk(sent, atomic=atomic)
        if atomic and any(status == "refused" for status, _ in wanted):
            found = problem(answer, 409, "refused")
            assert {one["status"] for one in found["outcomes"]} == {"refused"}
            return
        self.expected = tried
        assert [(one["status"], one["number"]) for one in answer.json()["outcomes"]] == wanted

    @rule(seed=SEEDS)
    def preview(self, seed: int) -> None:
        self.caller.sent_bulk(self._some(seed, 3), dry_run=True)

    @rule(archived=st.booleans())
    def archive(self, archived: bool) -> None:
        self.caller.client.patch("/api/v1/ladders/chess", json={"archived": archived})
        self.expected.is_archived = archived

    @rule()
    def drop(self) -> None:
        self.caller.service.ladders.drop("chess")

    @rule()
    def save(self) -> None:
        self.caller.service.checkpoints.write("chess")

    @rule()
    def rebuild(self) -> None:
        assert self.caller.client.post("/api/v1/ladders/chess/rebuild").json()["changed"] == 0

    @rule()
    def restart(self) -> None:
        self._running.close()
        self._open()

    @invariant()
    def same_ratings(self) -> None:
        if not hasattr(self, "caller"):
            return
        found = self.caller.get("leaderboard", min_events=0, limit=1000)
        assert found["ratings"] == self.expected.model.ratings()
        assert found["head"] == self.expected.model.head

    @rule()
    def whole_log(self) -> None:
        log = self.caller.log()
        assert [entry["number"] for entry in log] == list(range(1, self.expected.model.head + 1))
        assert {entry["key"]: entry["number"] for entry in log} == {
            key: number for key, (_, number) in self.expected.keys.items()
        }
        self.caller.verified()


def test_the_service_is_what_a_ladder_and_a_dictionary_of_keys_are() -> None:
    run_state_machine_as_test(ServiceMachine, settings=settings(max_examples=8, stateful_step_count=20))


@pytest.mark.long
def test_the_service_is_what_a_ladder_and_a_dictionary_of_keys_are_for_long() -> None:
    run_state_machine_as_test(ServiceMachine, settings=settings(max_examples=300, stateful_step_count=40))
