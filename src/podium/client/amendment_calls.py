"""Amending what was reported: voids, corrections, disqualifications, and what they would change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Unpack, cast

from podium.client.connection import Connection
from podium.client.effects import Steps, pause
from podium.client.ladder_calls import fresh_key
from podium.client.sent_words import plain_event, report_document
from podium.client.service_values import Amended, AmendingKeywords
from podium.documents.service_documents import ConsequencesDocument, SystemComparisonDocument
from podium.documents.system_documents import system_document
from podium.errors import ParameterError, ServiceError
from podium.history import Event
from podium.history.events import EventKeywords
from podium.history.names import player_name
from podium.systems import System, system_meant

JOB_LOOK_SECONDS = 0.2
"""How often the client asks whether a job is done."""
_OF_REPORT = ("disqualified", "rated", "allow_repeat")


class AmendmentCalls(Connection):
    """Correcting what was reported earlier."""

    def void(
        self, number: int | str, *, key: str | None = None, reason: str | None = None, link: str | None = None
    ) -> Steps[Amended]:
        """Let an entry of the log not count: an event, an adjustment, or an entry that amends another one.

        It is given by its number, by "key:…", the key of its report, or by "name:…", the name of an event.
        What follows is rated again. Voiding the void lets the entry count again. The log and the audit trail
        keep the `reason` and the `link` to where it was decided.
        """
        return (yield from self._amend({"void": plain_event(number)}, key, reason, link))

    def correct(
        self,
        number: int | str,
        *,
        key: str | None = None,
        reason: str | None = None,
        link: str | None = None,
        **event: Unpack[AmendingKeywords],
    ) -> Steps[Amended]:
        """Replace an event's content, with the arguments of `record`. It keeps its time and place."""
        return (yield from self._amend({"correct": plain_event(number), **_words(event)}, key, reason, link))

    def disqualify(
        self,
        number: int | str,
        players: str | Iterable[str],
        *,
        key: str | None = None,
        reason: str | None = None,
        link: str | None = None,
    ) -> Steps[Amended]:
        """Disqualify players of an earlier event: they count no more, and the others close up."""
        return (yield from self._amend(_disqualification(number, players), key, reason, link))

    def consequences(
        self,
        *,
        void: int | str | None = None,
        correct: int | str | None = None,
        disqualify: str | Iterable[str] | None = None,
        number: int | str | None = None,
        out: str | os.PathLike[str] | None = None,
        **event: Unpack[AmendingKeywords],
    ) -> Steps[ConsequencesDocument]:
        """The rating changes if the log were amended. Nothing is recorded.

        `void=7` removes an event. `correct=7` with arguments of `record` replaces it.
        `disqualify="ann", number=7` removes a player's result. The arguments of `record` alone report an
        event late. Far back in a long log the service takes its time, and this waits for it. `out` is the
        name of a CSV file to write, with all rating changes.
        """
        if void is not None:
            asked: dict[str, Any] = {"void": plain_event(void)}
        elif correct is not None:
            asked = {"correct": plain_event(correct), **_words(event)}
        elif disqualify is not None:
            if number is None:
                raise ParameterError("give number=, the event in which the players are disqualified")
            asked = _disqualification(number, disqualify)
        else:
            asked = {**_words(event), "late": True}
        query = {"dry_run": True} if out is None else {"dry_run": True, "everybody": True}
        told = yield from self._ask("POST", "/events", query=query, body=asked)
        if told["kind"] != "job":
            return cast(ConsequencesDocument, told)
        result = yield from self._result(told)
        if out is not None:
            yield from self._fetch_output(told["number"], out)
        return cast(ConsequencesDocument, result)

    def choose_system(self, system: System) -> Steps[None]:
        """Rate the ladder by another system or with other parameters from its first event on.

        Returns when its ratings are those of the new system. Reports are accepted meanwhile.
        """
        job = yield from self._ask("POST", "/system", body=_choice(system), again=False)
        yield from self._result(job)
        self.system = None if self.system is None else system_meant(system)

    def compare_system(self, system: System) -> Steps[SystemComparisonDocument]:
        """Compare the ladder's system with another on its log: the predictions and the rating changes."""
        query = {"dry_run": True}
        job = yield from self._ask("POST", "/system", query=query, body=_choice(system), again=False)
        return cast(SystemComparisonDocument, (yield from self._result(job)))

    def _amend(
        self, asked: dict[str, Any], key: str | None, reason: str | None, link: str | None
    ) -> Steps[Amended]:
        why = {"reason": reason, "link": link}
        sent = {**asked, "key": fresh_key() if key is None else key}
        sent |= {name: value for name, value in why.items() if value is not None}
        told = yield from self._ask("POST", "/events", body=sent, slow=True)
        return Amended(told["number"], told["provisional"])

    def _result(self, job: dict[str, Any]) -> Steps[dict[str, Any]]:
        """What comes of a job, when it is done."""
        while job["status"] in ("waiting", "running"):
            yield from pause(JOB_LOOK_SECONDS)
            job = yield from self._ask_service("GET", f"/jobs/{job['number']}")
        if job["status"] != "done":
            reason = job["reason"] or f"job {job['number']} was {job['status']}"
            raise ServiceError(reason, status=200, problem=job["status"])
        return cast(dict[str, Any], job["result"])


def _words(event: AmendingKeywords) -> dict[str, Any]:
    """The words of an event as a service takes them."""
    words = dict(event)
    more = {word: words.pop(word) for word in _OF_REPORT if word in words}
    return dict(report_document(Event.of(**cast(EventKeywords, words)), **cast(Any, more)))


def _disqualification(number: int | str, players: str | Iterable[str]) -> dict[str, Any]:
    named = [players] if isinstance(players, str) else players
    return {"disqualify": sorted({player_name(name) for name in named}), "event": plain_event(number)}


def _choice(system: System) -> dict[str, Any]:
    told = system_document(system_meant(system))
    return {"system": told["system"], "parameters": told["parameters"]}
