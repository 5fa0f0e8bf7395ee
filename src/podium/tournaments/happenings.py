"""What can happen in a tournament, and what is known after it has happened.

A tournament is the list of its happenings. Everything else is computed from that list, so every step can be
taken back, and a saved tournament is a list that a person can read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any

from podium.errors import InputError
from podium.text import listed

MOST_NAMES = 3
"""Names in the sentence about a step; of further ones it has the number."""
Side = tuple[str, ...]
"""The entrants who play together: one, or two in doubles."""


@dataclass(frozen=True, slots=True)
class Joined:
    """An entrant joined; one who has left comes back.

    Attributes:
        player: Name of the entrant.
        mu: Rating of the entrant.
        sigma: Deviation of the rating; None if the rating system has none.
        club: Entrants of one club do not play each other.
        members: Who plays on each board, if the entrant is a team.
        seed: Place in the draw, from 1; None leaves it to the rating.
    """

    player: str
    mu: float
    sigma: float | None = None
    club: str | None = None
    members: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Left:
    """An entrant left; results until then count."""

    player: str


@dataclass(frozen=True, slots=True)
class Forbade:
    """Two entrants must not play each other."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Allowed:
    """Two entrants who were kept apart may play each other again."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class InClub:
    """An entrant got another club; None is no club."""

    player: str
    club: str | None


@dataclass(frozen=True, slots=True)
class Paired:
    """A round was paired.

    Attributes:
        matches: The sides of each match.
        byes: Entrants who have no opponent in this round, and get the points of a win.
        resting: Entrants who sit out for want of a place. They get no points.
        apart: Pairs whose match is left out, because they are kept apart.
        draw: The bracket that begins with this round, or the groups, if entrants had to be kept apart in it.
    """

    matches: tuple[tuple[Side, ...], ...]
    byes: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()
    draw: tuple[tuple[str | None, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Reported:
    """A result was reported, or corrected; without points it was taken back.

    Attributes:
        round: Number of the round, counted from 1.
        match: Number of the match in its round, counted from 1.
        points: What each side scored in the match; the highest number wins.
        boards: The score of each board of a team match.
    """

    round: int
    match: int
    points: tuple[float, ...] | None
    boards: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Closed:
    """The tournament ended: no more rounds are paired."""


Happening = Joined | Left | Forbade | Allowed | InClub | Paired | Reported | Closed
KINDS: dict[str, type[Happening]] = {
    "joined": Joined,
    "left": Left,
    "forbade": Forbade,
    "allowed": Allowed,
    "in club": InClub,
    "paired": Paired,
    "reported": Reported,
    "closed": Closed,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


def plain(happening: Happening) -> dict[str, Any]:
    """A happening as it is saved."""
    return {"happening": _NAMES[type(happening)], **asdict(happening)}


def from_plain(given: Mapping[str, Any]) -> Happening:
    """A happening that was saved."""
    values = dict(given)
    kind = KINDS.get(values.pop("happening", None))
    try:
        if kind is None:
            raise TypeError
        return kind(**{key: _tuples(value) for key, value in values.items()})
    except TypeError:
        raise InputError(f"{dict(given)!r} is not a happening of a tournament") from None


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


@dataclass(slots=True)
class Entrant:
    """What is known about an entrant.

    Attributes:
        player: Name of the entrant.
        mu: Rating when the entrant joined.
        sigma: Its deviation; None if the rating system has none.
        club: Entrants of one club do not play each other.
        members: Who plays on each board, if the entrant is a team.
        seed: Place in the draw, from 1; None leaves it to the rating.
        here: Whether the entrant is in the next round.
        joined: Number of the first round the entrant could play in.
        byes: Rounds without an opponent, with the points of a win.
        rests: Rounds in which the entrant sat out.
        missed: Rounds before the entrant joined, or while away.
    """

    player: str
    mu: float
    sigma: float | None
    club: str | None
    members: tuple[str, ...] = ()
    seed: int | None = None
    here: bool = True
    joined: int = 1
    byes: int = 0
    rests: int = 0
    missed: int = 0


@dataclass(slots=True)
class Game:
    """A match of a round, and its result.

    Attributes:
        round: Number of the round, counted from 1.
        number: Number of the match in its round, counted from 1.
        sides: The entrants of each side.
        points: What each side scored; None until a result is reported.
        boards: The score of each board of a team match.
        rule: The rule that the match breaks, because there was no other way.
    """

    round: int
    number: int
    sides: tuple[Side, ...]
    points: tuple[float, ...] | None = None
    boards: tuple[tuple[float, float], ...] = ()
    rule: str | None = None

    @property
    def players(self) -> tuple[str, ...]:
        """All entrants of the match."""
        return tuple(player for side in self.sides for player in side)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each side: 1 is best, and equal ranks are ties."""
        points = self.points or ()
        return tuple(1 + sum(other > mine for other in points) for mine in points)

    @property
    def winner(self) -> Side | None:
        """The side that won; None without a result or after a draw."""
        ranks = self.ranks
        return self.sides[ranks.index(1)] if ranks.count(1) == 1 else None


@dataclass(frozen=True, slots=True)
class Board:
    """A board of a match of two teams.

    Attributes:
        first: The member of the first team.
        second: The member of the second team.
        points: What each of them scored; None until the boards are reported.
    """

    first: str
    second: str
    points: tuple[float, float] | None


@dataclass(slots=True)
class Round:
    """A round: its matches, and the entrants without one."""

    number: int
    games: list[Game]
    byes: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    apart: tuple[tuple[str, str], ...] = ()

    @property
    def notes(self) -> list[str]:
        """What the rules about who must not meet did to the round, in sentences."""
        left_out = [f"{' and '.join(pair)} have no match: they are kept apart" for pair in self.apart]
        broken = [
            f"{' and '.join(game.players)} should be kept apart ({game.rule}), but no other pairing was "
            "possible"
            for game in self.games
            if game.rule is not None
        ]
        return left_out + broken


@dataclass(slots=True)
class Field:
    """What is known after a list of happenings.

    Attributes:
        entrants: All entrants by name, in the order in which they joined.
        rounds: The rounds paired until now.
        forbidden: Pairs of entrants who must not play each other.
        met: How often two entrants have played against each other.
        partnered: How often two entrants have played on one side.
        closed: Whether the tournament has been ended.
        draws: The brackets and groups that were drawn to keep entrants apart, by their first round.
    """

    entrants: dict[str, Entrant] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    forbidden: set[frozenset[str]] = field(default_factory=set)
    met: dict[frozenset[str], int] = field(default_factory=dict)
    partnered: dict[frozenset[str], int] = field(default_factory=dict)
    closed: bool = False
    draws: dict[int, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict)

    @property
    def here(self) -> list[Entrant]:
        """Entrants who are in the next round, in the order in which they joined."""
        return [entrant for entrant in self.entrants.values() if entrant.here]

    @property
    def games(self) -> list[Game]:
        """All matches, in order."""
        return [game for each in self.rounds for game in each.games]

    @property
    def unfinished(self) -> list[Game]:
        """Matches without a result."""
        return [game for game in self.games if game.points is None]

    def game(self, round_number: int, number: int) -> Game:
        """The match with this number in this round."""
        self.check_round(round_number)
        games = self.rounds[round_number - 1].games
        if not 1 <= number <= len(games):
            raise InputError(
                f"round {round_number} has no match {number}", hint=f"the number of matches is {len(games)}"
            )
        return games[number - 1]

    def check_round(self, number: int) -> None:
        """Refuse the number of a round that is not paired."""
        if not 1 <= number <= len(self.rounds):
            raise InputError(
                f"there is no round {number}", hint=f"rounds paired until now: {len(self.rounds)}"
            )

    def boards(self, game: Game) -> list[Board] | None:
        """The boards of a match of two teams; None if one of its sides is no team with members."""
        teams = [self.entrants[side[0]].members for side in game.sides if len(side) == 1]
        if len(game.sides) != 2 or not all(teams) or len(teams) != 2:
            return None
        pairs = enumerate(zip(*teams, strict=False))
        return [
            Board(first, second, game.boards[i] if i < len(game.boards) else None)
            for i, (first, second) in pairs
        ]

    def sides_until_now(self) -> dict[str, tuple[int, int]]:
        """By how much each had the first side more often, and +1 or -1 for the side of their last match."""
        found: dict[str, tuple[int, int]] = {}
        for game in self.games:
            for sign, side in zip((1, -1), game.sides, strict=False):
                for player in side:
                    found[player] = found.get(player, (0, 0))[0] + sign, sign
        return found

    def may_meet(self, first: str, second: str) -> bool:
        """Whether no rule keeps two entrants apart; earlier matches are not looked at."""
        return self.rule_between(first, second) is None

    def rule_between(self, first: str, second: str) -> str | None:
        """The rule that keeps two entrants apart, in words; None if there is none."""
        club = self.entrants[first].club
        if club is not None and club == self.entrants[second].club:
            return "of the same club"
        return "they must not meet" if frozenset((first, second)) in self.forbidden else None

    def check_open(self) -> None:
        """Refuse more rounds of a tournament that was closed."""
        if self.closed:
            raise InputError("the tournament has ended", hint="take the end back first")

    def apply(self, happening: Happening) -> None:
        """Let something happen. If it cannot happen now, it is refused and nothing changes."""
        match happening:
            case Joined():
                self._join(happening)
            case Left(player):
                self._known(player)
                if not self.entrants[player].here:
                    raise InputError(f"{player!r} has left already")
                self.entrants[player].here = False
            case Forbade(first, second):
                for player in (first, second):
                    self._known(player)
                if first == second:
                    raise InputError(f"{first!r} cannot play against themselves anyway")
                self.forbidden.add(frozenset((first, second)))
            case Allowed(first, second):
                self._allow(first, second)
            case InClub(player, club):
                self._known(player)
                self.entrants[player].club = club
            case Paired():
                self._pair(happening)
            case Reported(number, match, points, boards):
                game = self.game(number, match)
                self._report(game, points)
                game.boards = boards
            case Closed():
                if self.closed:
                    raise InputError("the tournament has ended already")
                self.closed = True

    def _known(self, player: str) -> None:
        if player not in self.entrants:
            raise InputError(f"{player!r} is not an entrant")

    def _allow(self, first: str, second: str) -> None:
        for player in (first, second):
            self._known(player)
        if frozenset((first, second)) not in self.forbidden:
            rule = self.rule_between(first, second)
            hint = None if rule is None else f"they are {rule}: change the club of one of them"
            raise InputError(f"no rule keeps {first!r} and {second!r} apart by name", hint=hint)
        self.forbidden.discard(frozenset((first, second)))

    def _join(self, joined: Joined) -> None:
        if not math.isfinite(joined.mu):
            raise InputError(f"the rating of {joined.player!r} is {joined.mu}", hint="a finite number")
        known = self.entrants.get(joined.player)
        if known is not None and known.here:
            raise InputError(f"{joined.player!r} has joined already")
        if known is None:
            number = len(self.rounds)
            known = Entrant(joined.player, joined.mu, joined.sigma, joined.club, joined.members, joined.seed)
            known.joined, known.missed = number + 1, number
            self.entrants[joined.player] = known
        elif joined.club is not None:
            known.club = joined.club
        known.here = True

    def _pair(self, paired: Paired) -> None:
        self.check_open()
        number = len(self.rounds) + 1
        games = [Game(number, i, sides) for i, sides in enumerate(paired.matches, 1)]
        named = [player for game in games for player in game.players] + [*paired.byes, *paired.resting]
        for player in named:
            self._known(player)
        if len(set(named)) < len(named):
            twice = next(player for player in named if named.count(player) > 1)
            raise InputError(f"{twice!r} is in round {number} twice")
        for player in paired.byes:
            self.entrants[player].byes += 1
        for player in paired.resting:
            self.entrants[player].rests += 1
        for player in self.entrants.keys() - set(named):
            self.entrants[player].missed += 1
        self.rounds.append(Round(number, games, paired.byes, paired.resting, paired.apart))
        if paired.draw:
            self.draws[number] = paired.draw
        for game in games:
            if len(game.players) == 2:
                game.rule = self.rule_between(*game.players)
            for ours, theirs in combinations(game.sides, 2):
                for pair in (frozenset((a, b)) for a in ours for b in theirs):
                    self.met[pair] = self.met.get(pair, 0) + 1
            for pair in (frozenset(two) for side in game.sides for two in combinations(side, 2)):
                self.partnered[pair] = self.partnered.get(pair, 0) + 1

    def _report(self, game: Game, points: tuple[float, ...] | None) -> None:
        if points is not None:
            if len(points) != len(game.sides):
                raise InputError(
                    f"{len(points)} scores for a match of {len(game.sides)} sides",
                    hint="one number for each side, such as 3:1",
                )
            if not all(math.isfinite(each) for each in points):
                raise InputError(f"a score of {points}", hint="finite numbers, such as 3:1")
        game.points = points


def score_text(points: Sequence[float]) -> str:
    """A score as people write it.

    >>> score_text([0.5, 0.5]), score_text([2.5, 1.5]), score_text([21.0, 15.0])
    ('½:½', '2½:1½', '21:15')
    """
    return ":".join("½" if each == 0.5 else re.sub(r"\.5$", "½", f"{each:g}") for each in points)


def step_words(happenings: Sequence[Happening]) -> str:
    """What a step did, in words.

    >>> step_words([Joined("ann", 1500.0), Joined("bob", 1500.0), Left("cat")])
    'ann and bob joined, cat left'
    """
    said: dict[str, list[str]] = {}
    for one in happenings:
        match one:
            case Joined(player):
                said.setdefault("joined", []).append(player)
            case Left(player):
                said.setdefault("left", []).append(player)
            case Forbade(first, second):
                said.setdefault("are kept apart", []).extend((first, second))
            case Allowed(first, second):
                said.setdefault("may play each other", []).extend((first, second))
            case InClub(player, club):
                said.setdefault(f"is in {club}" if club else "is in no club", []).append(player)
            case Paired():
                said["the round was paired"] = []
            case Reported(round, match, points):
                what = "was taken back" if points is None else f"is {score_text(points)}"
                said[f"round {round}, match {match} {what}"] = []
            case Closed():
                said["the tournament was ended"] = []
    parts = []
    for what, names in said.items():
        more = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
        if len(names) > 1:
            what = re.sub("^is ", "are ", what)
        parts.append(f"{listed(names[:MOST_NAMES] + more)} {what}".strip())
    return ", ".join(parts)
