"""Steps of a tournament as callers send them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.documents.request_documents import TournamentStepRequestDocument
from podium.errors import InputError
from podium.history.names import tidy_name
from podium.server import machine
from podium.server.log.reports import check_name, checked_key, fingerprint_of
from podium.server.sent_data import check_sent
from podium.text import counted, listed
from podium.tournaments.tournament import Tournament

LARGEST_STEP = 5_000
"""Entrants or results of one step."""
LARGEST_TOURNAMENT = 5_000
"""Entrants of a tournament: a round of more would keep others waiting."""


@dataclass(frozen=True, slots=True)
class SentStep:
    """A step that somebody sends: what it does, and the key by which it is known again."""

    word: str
    """What it does, such as `pair`."""
    given: Any
    key: str
    fingerprint: bytes

    @property
    def joining(self) -> list[str]:
        """Those who may join by it, whose ratings are looked up."""
        if self.word == "here":
            return list(self.given)
        if self.word != "join":
            return []
        return [
            name
            for one in self.given
            for name in ([one] if isinstance(one, str) else [one["player"], *one.get("members", ())])
        ]

    @property
    def amends(self) -> bool:
        """Whether it changes what was settled before."""
        if self.word == "undo":
            return True
        return self.word == "results" and any(one.get("correct", False) for one in self.given)

    def apply(self, tournament: Tournament) -> None:
        """Let it happen. A refused step may have happened in part: drop the tournament then."""
        _STEPS[self.word](tournament, self.given)
        if (size := len(tournament.field.entrants)) > LARGEST_TOURNAMENT:
            raise InputError(f"{size:,} entrants", hint=f"a tournament has {LARGEST_TOURNAMENT:,} at most")


def sent_step(sent: Any) -> SentStep:
    """The step that plain data describes."""
    check_sent(sent, TournamentStepRequestDocument)
    words = [word for word in sent if word != "key"]
    if len(words) != 1:
        found = f"not {listed(words)}" if words else "and this one has none"
        raise InputError(f"a step has exactly one of {', '.join(_STEPS)}, {found}")
    (word,) = words
    given = sent[word]
    if word in ("close", "undo") and not given:
        raise InputError(f"{word} is true, or left out")
    if isinstance(given, list | dict) and len(given) > LARGEST_STEP:
        raise InputError(f"{len(given):,} at once", hint=f"send {LARGEST_STEP:,} at most in one step")
    key = machine.token_hex(16) if sent.get("key") is None else checked_key(sent["key"])
    said = json.dumps([word, given], sort_keys=True, ensure_ascii=False)
    step = SentStep(word, given, key, fingerprint_of(said))
    for name in step.joining:
        check_name(name, "a player's name")
        if name != tidy_name(name):
            raise InputError(f"the name {name!r} has blanks around it", hint=f"send {tidy_name(name)!r}")
    return step


def _join(tournament: Tournament, given: list[str | Mapping[str, Any]]) -> None:
    for one in given:
        entrant: Mapping[str, Any] = {"player": one} if isinstance(one, str) else one
        if (club := entrant.get("club")) is not None:
            check_name(club, "a club's name")
        members = entrant.get("members", ())
        for name in members:
            check_name(name, "a member's name")
        tournament.join(
            entrant["player"], entrant.get("rating"), club=club, members=members, seed=entrant.get("seed")
        )


def _leave(tournament: Tournament, given: list[str]) -> None:
    for name in given:
        tournament.leave(name)


def _here(tournament: Tournament, given: list[str]) -> None:
    here, wanted = {entrant.player for entrant in tournament.field.here}, dict.fromkeys(given)
    for name in wanted:
        if name not in here:
            tournament.join(name)
    for name in here - wanted.keys():
        tournament.leave(name)


def _forbid(tournament: Tournament, given: list[str]) -> None:
    tournament.forbid(*_two(given, "forbid", "must not meet"))


def _two(given: list[str], word: str, words: str) -> list[str]:
    """The two entrants of a rule."""
    if len(given) != 2:
        raise InputError(
            f"{word} has {counted(len(given), 'name')}", hint=f"give the two entrants who {words}"
        )
    return given


def _allow(tournament: Tournament, given: list[str]) -> None:
    tournament.allow(*_two(given, "allow", "may meet again"))


def _clubs(tournament: Tournament, given: Mapping[str, str | None]) -> None:
    for name, club in given.items():
        if club is not None:
            check_name(club, "a club's name")
        tournament.set_club(name, club)


def _pair(tournament: Tournament, given: Mapping[str, Any]) -> None:
    allowed = {word: given.get(word, False) for word in ("rematches", "clubmates")}
    tournament.pair(places=given.get("places"), **allowed)


def _results(tournament: Tournament, given: list[Mapping[str, Any]]) -> None:
    for one in given:
        match, number, correct = one["match"], one.get("round"), one.get("correct", False)
        if ("score" in one) == ("boards" in one):
            raise InputError(f"the result of match {match} has exactly one of score and boards")
        if "boards" in one:
            tournament.team_result(match, one["boards"], round=number, correct=correct)
        else:
            tournament.result(match, one["score"], round=number, correct=correct)


def _close(tournament: Tournament, given: bool) -> None:
    tournament.close()


def _undo(tournament: Tournament, given: bool) -> None:
    raise AssertionError("taking back is known by the steps, not by the tournament")


_STEPS: dict[str, Callable[[Tournament, Any], None]] = {
    "join": _join,
    "leave": _leave,
    "here": _here,
    "forbid": _forbid,
    "allow": _allow,
    "clubs": _clubs,
    "pair": _pair,
    "results": _results,
    "close": _close,
    "undo": _undo,
}
