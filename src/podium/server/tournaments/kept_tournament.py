"""A tournament in memory: what its steps have made of it, and what its ladder is to be told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
Event = dict[str, Any]
"""A match or a board in the words of a report."""


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
        self._told: dict[Place, dict[str, tuple[str, Event]]] = {}
        """Of each match that the ladder knows: its events by what their keys call them, each with its key."""
        self._is_telling = self.row.reports != AT_END
        self._paired: list[int] = []
        """When each round was paired."""

    @property
    def paired(self) -> int | None:
        """When the last round was paired; None before the first one."""
        return self._paired[-1] if self._paired else None

    @property
    def last_step(self) -> list[Happening]:
        """What the last step did that still counts."""
        return self.value.happenings[self._starts[-1] :] if self._starts else []

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
            reports = list(self._reports(place, step))
            if step.number > self.row.reported:
                self.due += ((step.number, report) for report in reports)

    def settled(self, number: int) -> None:
        """The ladder has the results up to a step."""
        self.due = [one for one in self.due if one[0] > number]

    def _reports(self, place: Place, step: StepRow) -> Iterator[dict[str, Any]]:
        """What the ladder is to be told of a match after a step; nothing if it knows that."""
        told, events = self._told.setdefault(place, {}), self._events(place)
        for name in [*events, *(name for name in told if name not in events)]:
            key = f"tournament:{self.row.slug}:{name}:{step.number}"
            if name not in told:
                told[name] = key, events[name]
                time = {"time": plain_time(to_datetime(step.received))} if self._fill_times else {}
                yield {"key": key, **events[name], **time}
            elif name not in events:
                yield {"key": key, "void": KEY + told.pop(name)[0]}
            elif events[name] != told[name][1]:
                first = told[name][0]
                told[name] = first, events[name]
                yield {"key": key, "correct": KEY + first, **events[name]}

    def _events(self, place: Place) -> dict[str, Event]:
        """The events that a match is for the ladder now, by what their keys call them.

        A match of teams with members is one event for each board. Without boards it is none: nobody knows who
        played whom.
        """
        rounds = self.value.field.rounds
        if place[0] > len(rounds) or place[1] > len(rounds[place[0] - 1].games):
            return {}
        game, name = rounds[place[0] - 1].games[place[1] - 1], f"{place[0]}.{place[1]}"
        if game.points is None:
            return {}
        if (boards := self.value.field.boards(game)) is None:
            return {name: self._event(game, [list(side) for side in game.sides], game.points)}
        return {
            f"{name}.{number}": self._event(game, [[board.first], [board.second]], board.points)
            for number, board in enumerate(boards, 1)
            if board.points is not None
        }

    def _event(self, game: Game, teams: list[list[str]], points: Sequence[float]) -> Event:
        return {
            "name": f"{self.row.name}, round {game.round}",
            "teams": teams,
            "scores": list(points),
            "allow_repeat": True,
        }
