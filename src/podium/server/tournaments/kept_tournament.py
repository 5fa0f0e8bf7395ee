"""A tournament in memory: what its steps have made of it, and what its ladder is to be told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from podium.documents.plain_data import plain_time
from podium.errors import InputError
from podium.history.times import to_datetime
from podium.server import machine
from podium.server.log.event_names import KEY
from podium.server.tournaments.sent_steps import SentStep
from podium.server.tournaments.tournament_rows import AT_END, NEVER, StepRow, TournamentRow
from podium.tournaments.happenings import Game, Happening, Reported, from_plain, plain

Place = tuple[int, int]
"""Round and number of a match."""


class KeptTournament:
    """A tournament that follows its steps.

    Whoever uses it holds its lock. `due` are the reports to the ladder that follow from each step, in order:
    always the same ones, with keys made of the step's number, so that sending them again changes nothing.
    """

    def __init__(self, row: TournamentRow, fill_times: bool) -> None:
        self.row = row
        self.lock = machine.RLock()
        self._fill_times = fill_times
        self.begin()

    def begin(self) -> None:
        """Be as before the first step: the next look reads all steps from the tables.

        A tournament that may be ahead of the tables begins again. It stays the same object, because other
        callers may wait for its lock.
        """
        self.value = self.row.empty()
        self.head = self.received = 0
        self.due: list[tuple[int, dict[str, Any]]] = []
        self._starts: list[int] = []
        """How many happenings there were before each step that counts."""
        self._told: dict[Place, tuple[str, Game]] = {}
        """The key by which the ladder knows each match, and the match as it was told."""
        self._is_telling = self.row.reports != AT_END
        self._paired: list[int] = []
        """When each round was paired."""

    @property
    def paired(self) -> int | None:
        """When the last round was paired; None before the first one."""
        return self._paired[-1] if self._paired else None

    def follow(self, steps: Iterable[StepRow]) -> None:
        """Let steps happen that are in the tables."""
        for step in steps:
            before = len(self.value.happenings)
            if "undo" in step.payload:
                self.value.cut(self._starts.pop())
            else:
                self._starts.append(before)
                for happening in step.payload["happenings"]:
                    self.value._add(from_plain(happening))
            self.note(step, self._touched(step))

    def made(self, sent: SentStep) -> tuple[StepRow, list[Happening]]:
        """The row of a step that somebody sends, which has happened here then, and what it changed."""
        received, before = machine.now_micros(), len(self.value.happenings)
        if sent.word == "undo":
            if not self._starts:
                raise InputError("nothing has happened yet")
            changed = self.value.cut(self._starts.pop())
            payload: dict[str, Any] = {"undo": True, "happenings": [plain(one) for one in changed]}
        else:
            sent.apply(self.value)
            self._starts.append(before)
            changed = self.value.happenings[before:]
            payload = {"happenings": [plain(one) for one in changed]}
        return StepRow(self.head + 1, sent.key, sent.fingerprint, received, payload), changed

    def _touched(self, step: StepRow) -> list[Happening]:
        return [from_plain(one) for one in step.payload["happenings"]]

    def note(self, step: StepRow, changed: Iterable[Happening]) -> None:
        """A step is in the tables: what the ladder is to be told follows from it."""
        self.head, self.received = step.number, step.received
        rounds = len(self.value.field.rounds)
        self._paired = self._paired[:rounds] + [step.received] * (rounds - len(self._paired))
        if self.row.reports == NEVER:
            return
        if self._is_telling:
            places = dict.fromkeys((one.round, one.match) for one in changed if isinstance(one, Reported))
        elif self.value.finished:
            self._is_telling = True
            places = dict.fromkeys((game.round, game.number) for game in self.value.field.games)
        else:
            return
        for place in places:
            if (report := self._report(place, step)) is not None and step.number > self.row.reported:
                self.due.append((step.number, report))

    def settled(self, number: int) -> None:
        """The ladder has the results up to a step."""
        self.due = [one for one in self.due if one[0] > number]

    def _game(self, place: Place) -> Game | None:
        rounds = self.value.field.rounds
        if place[0] > len(rounds) or place[1] > len(rounds[place[0] - 1].games):
            return None
        game = rounds[place[0] - 1].games[place[1] - 1]
        return None if game.points is None else Game(game.round, game.number, game.sides, game.points)

    def _report(self, place: Place, step: StepRow) -> dict[str, Any] | None:
        """What the ladder is to be told of a match after a step; None if that is nothing new."""
        game, told = self._game(place), self._told.get(place)
        key = f"tournament:{self.row.slug}:{place[0]}.{place[1]}:{step.number}"
        if told is None:
            if game is None:
                return None
            self._told[place] = key, game
            time = {"time": plain_time(to_datetime(step.received))} if self._fill_times else {}
            return {"key": key, **self._event(game), **time}
        first, before = told
        if game is None:
            del self._told[place]
            return {"key": key, "void": KEY + first}
        if (game.sides, game.points) == (before.sides, before.points):
            return None
        self._told[place] = first, game
        return {"key": key, "correct": KEY + first, **self._event(game)}

    def _event(self, game: Game) -> dict[str, Any]:
        """A match in the words of a report."""
        assert game.points is not None
        return {
            "name": f"{self.row.name}, round {game.round}",
            "teams": [list(side) for side in game.sides],
            "scores": list(game.points),
            "allow_repeat": True,
        }
