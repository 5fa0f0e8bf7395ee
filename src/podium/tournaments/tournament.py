"""`podium.Tournament`: rounds of matches among entrants, from the first pairing to the last place."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.arrays import NO_TIME
from podium.errors import InputError
from podium.files.atomic import replacing
from podium.notebooks import html_table
from podium.systems import System, system_meant
from podium.systems.system_files import from_toml, to_toml
from podium.text import counted, did_you_mean, listed
from podium.tournaments.evenings import pair_evening
from podium.tournaments.final_places import Standing, share
from podium.tournaments.format_rules import (
    announced_round,
    bracket_matches,
    final_standings,
    in_knockout,
    is_over,
)
from podium.tournaments.formats import Format
from podium.tournaments.group_stages import group_rounds, group_standings
from podium.tournaments.happenings import (
    Allowed,
    Closed,
    Field,
    Forbade,
    Game,
    Happening,
    InClub,
    Joined,
    Left,
    Paired,
    Reported,
    Round,
    from_plain,
    plain,
)
from podium.tournaments.knockouts import BracketMatch
from podium.tournaments.reasons import (
    PairingReasons,
    StandingReasons,
    pairing_reasons,
    standing_reasons,
)

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder
    from podium.tournaments.chances import Chances
    from podium.tournaments.conditions import Conditions

PathLike = str | os.PathLike[str]

VERSION = 1
"""Of saved tournaments."""


class Tournament:
    """Entrants, rounds and results. Everything that happens is kept as a list, and can be taken back.

    Attributes:
        format: The format, such as `swiss:5`.
        name: Name of the tournament.
        system: The rating system that the entrants' ratings belong to.
        happenings: The results and other happenings, in order.
        field: The entrants and rounds that follow from it.

    >>> tournament = Tournament("swiss:3")
    >>> for name, rating in {"ann": 1700, "bob": 1600, "cat": 1500, "dan": 1400}.items():
    ...     tournament.join(name, rating)
    >>> [game.sides for game in tournament.pair().games]
    [(('ann',), ('cat',)), (('bob',), ('dan',))]
    >>> tournament.result("ann", "1:0")
    >>> tournament.result("dan", "0:1")
    >>> [(row.place, row.player, row.points) for row in tournament.standings()[:2]]
    [(1, 'ann', 1.0), (1, 'bob', 1.0)]
    """

    def __init__(
        self,
        format: Format | str,
        *,
        name: str = "tournament",
        ladder: Ladder | None = None,
        system: System | None = None,
        seed: int = 0,
    ) -> None:
        """An empty tournament.

        Args:
            format: `evening`, `evening:2v2`, `evening:tables`, `swiss:ROUNDS`, `round-robin`,
                `round-robin:double`, `knockout`, `knockout:double` or `groups:NUMBERxBEST`.
            name: Name of the tournament.
            ladder: Where entrants' ratings are looked up. It is read, never changed.
            system: The rating system of ratings given by number. Default: that of the ladder, else Elo.
            seed: Decides what chance decides: who rests in an evening.
        """
        self.format = Format.parse(format) if isinstance(format, str) else format
        self.name, self.seed = name, seed
        if ladder is not None and system is not None:
            raise InputError("the ladder has its rating system", hint="leave out system")
        self.ladder = ladder
        self.system = ladder.system if ladder is not None else system_meant(system or "elo")
        self.happenings: list[Happening] = []
        self.field = Field()

    def __repr__(self) -> str:
        size = counted(len(self.field.entrants), "entrant") + ", " + counted(len(self.field.rounds), "round")
        return f"<Tournament {self.name!r}, {self.format}: {size}>"

    def _repr_html_(self) -> str:
        columns = ("place", "player", "points", "played", "wins", "draws", "losses")
        found = self.standings()
        rows = ([getattr(one, name) for name in columns] for one in found)
        return html_table(repr(self), columns, rows, len(found))

    def join(
        self,
        player: str,
        rating: float | None = None,
        *,
        sigma: float | None = None,
        club: str | None = None,
        members: Sequence[str] = (),
        seed: int | None = None,
    ) -> None:
        """Add an entrant, or take one back who has left.

        Args:
            player: Name of the entrant.
            rating: Rating of the entrant. Default: the rating on the ladder, else that of a newcomer.
            sigma: Deviation of the rating. Default: that of a newcomer.
            club: Entrants of one club do not play each other.
            members: Who plays on each board, the first board first, if the entrant is a team. Default of its
                rating: the mean of its members.
            seed: Place in the draw of a knockout or of groups, from 1. Default: by rating, after the others.
        """
        if seed is not None and seed < 1:
            raise InputError(f"seed {seed}", hint="1 or more")
        if not player.strip():
            raise InputError("an entrant needs a name")
        if len(set(members)) < len(members):
            raise InputError(f"a member of {player!r} is named twice")
        known = self.field.entrants.get(player)
        if known is None and self.field.rounds and not self.format.admits_late:
            raise InputError(f"{player!r} is too late: a {self.format} has fixed entrants after round 1")
        if known is not None and rating is None:
            happening = Joined(player, known.mu, known.sigma, club or known.club, known.members)
        elif members and rating is None:
            happening = Joined(player, self._mean_rating(members), sigma, club, tuple(members), seed)
        elif rating is None and self.ladder is not None and player in self.ladder:
            found = self.ladder.rating(player)
            happening = Joined(player, found.mu, found.sigma, club, seed=seed)
        else:
            mu, deviation = self._newcomer()
            mu = mu if rating is None else float(rating)
            happening = Joined(player, mu, sigma or deviation, club, tuple(members), seed)
        self._add(happening)

    def join_best(self, other: Tournament, number: int) -> None:
        """Let the best of another tournament join, seeded by their places there.

        Args:
            other: The tournament whose standings decide.
            number: How many join. Of entrants who share the last of these places, the first ones do.
        """
        for row in other.standings()[:number]:
            known = other.field.entrants[row.player]
            rating = None if self.ladder is not None and row.player in self.ladder else known.mu
            self.join(row.player, rating, club=known.club, members=known.members, seed=row.place)

    def _mean_rating(self, members: Sequence[str]) -> float:
        """The mean rating of a team's members; members who are not on the ladder count as newcomers."""
        known = {name for name in members if self.ladder is not None and name in self.ladder}
        newcomer, _ = self._newcomer()
        ratings = [
            self.ladder.rating(name).mu if self.ladder is not None and name in known else newcomer
            for name in members
        ]
        return sum(ratings) / len(ratings)

    def _newcomer(self) -> tuple[float, float | None]:
        mu, sigma = self.system.view(self.system.new_state(1), np.zeros(1, np.int64), NO_TIME)
        return float(mu[0]), None if sigma is None else float(sigma[0])

    def leave(self, player: str) -> None:
        """An entrant leaves: results until now count, and the next rounds are paired without them."""
        self._check_known(player)
        self._add(Left(player))

    def forbid(self, first: str, second: str) -> None:
        """Keep two entrants apart, for example members of one family."""
        for player in (first, second):
            self._check_known(player)
        self._add(Forbade(first, second))

    def allow(self, first: str, second: str) -> None:
        """Let two entrants play each other again, after `forbid`."""
        for player in (first, second):
            self._check_known(player)
        self._add(Allowed(first, second))

    def set_club(self, player: str, club: str | None) -> None:
        """Change the club of an entrant, or remove it with None. Paired rounds stay as they are."""
        self._check_known(player)
        self._add(InClub(player, club or None))

    def pair(self, *, places: int | None = None, rematches: bool = False, clubmates: bool = False) -> Round:
        """Pair the next round.

        Args:
            places: For an evening, the number of courts or tables. Default: as many as needed.
            rematches: Allow opponents who have met, for Swiss rounds that cannot be paired otherwise.
            clubmates: Allow opponents of one club or class, as few as needed, for Swiss rounds that cannot
                be paired otherwise.
        """
        if places is not None and (places < 1 or not self.format.is_evening):
            raise InputError(f"{places} places", hint="1 or more (only an evening has a number of places)")
        if not self.format.is_evening and (open_ := self.field.unfinished):
            raise InputError(
                f"round {open_[0].round} has no result yet for {listed([_versus(game) for game in open_])}",
                hint="report these results first",
            )
        self.field.check_open()
        if self.finished:
            raise InputError(f"all rounds of this {self.format} are paired")
        self._add(self._paired(places, rematches, clubmates))
        return self.field.rounds[-1]

    def _paired(self, places: int | None, rematches: bool, clubmates: bool) -> Paired:
        if not self.format.is_evening:
            return announced_round(self.field, self.format, rematches=rematches, clubmates=clubmates)
        chance = np.random.default_rng([self.seed, len(self.field.rounds)])
        return pair_evening(self.field, self.format.kind, self.system, chance, places)

    @property
    def finished(self) -> bool:
        """Whether all announced rounds have their results, or the tournament was closed."""
        if self.field.closed:
            return True
        return not self.field.unfinished and is_over(self.field, self.format)

    def result(
        self,
        match: int | str,
        score: str | Sequence[float] | None,
        *,
        round: int | None = None,
        correct: bool = False,
    ) -> None:
        """Report the result of a match. The same result again changes nothing.

        Args:
            match: Number of the match in its round, or the name of one of its entrants.
            score: What each side scored, such as "3:1" or [3, 1]. After a name, that entrant's side comes
                first. The higher number wins, and equal numbers are a draw. None takes a result back.
            round: Number of the round. Default: the last one.
            correct: Replace a result that was reported before.
        """
        game = self.match(match, round)
        points = None if score is None else _points(score)
        if isinstance(match, str) and points is not None:
            mine = next(i for i, side in enumerate(game.sides) if match in side)
            if mine and len(points) == len(game.sides):
                points = (*points[1 : mine + 1], points[0], *points[mine + 1 :])
        if points == game.points:
            return
        if game.points is not None and not correct:
            raise InputError(
                f"round {game.round}, {_versus(game)}: the result is already {_score(game)}",
                hint="allow a correction if it was wrong",
            )
        self._check_knockout(game, points)
        self._add(Reported(game.round, game.number, points))

    def team_result(
        self,
        match: int | str,
        boards: Sequence[str | Sequence[float]],
        *,
        round: int | None = None,
        correct: bool = False,
    ) -> None:
        """Report a team match by its boards, each of which gives 1, ½ or 0 points.

        Args:
            match: Number of the match in its round, or the name of one of the teams.
            boards: The score of each board, such as "1:0", the first board first. After a name, that team's
                side comes first.
            round: Number of the round. Default: the last one.
            correct: Replace a result that was reported before.
        """
        game = self.match(match, round)
        teams = [self.field.entrants[side[0]] for side in game.sides]
        most = min(len(team.members) for team in teams)
        if not 1 <= len(boards) <= most:
            raise InputError(
                f"{counted(len(boards), 'board')}", hint=f"this match has {counted(most, 'board')}"
            )
        scores = [_points(board) for board in boards]
        if any(len(score) != 2 for score in scores):
            raise InputError("a board has two scores", hint="such as 1:0")
        if isinstance(match, str) and match in game.sides[1]:
            scores = [score[::-1] for score in scores]
        pairs = tuple((score[0], score[1]) for score in scores)
        total = sum(share(ours, theirs) for ours, theirs in pairs)
        points = total, len(pairs) - total
        if (points, pairs) == (game.points, game.boards):
            return
        if game.points is not None and not correct:
            raise InputError(f"{_versus(game)}: the result is already {_score(game)}")
        self._check_knockout(game, points)
        self._add(Reported(game.round, game.number, points, pairs))

    def _check_knockout(self, game: Game, points: tuple[float, ...] | None) -> None:
        rounds = len(self.field.rounds)
        if not in_knockout(self.field, self.format, game.round):
            if self.format.kind == "groups" and rounds > group_rounds(self.field, self.format):
                raise InputError("the knockout is paired by now", hint="undo back to the groups first")
            return
        if points is not None and len(set(points)) < len(points):
            raise InputError(f"{_versus(game)}: a knockout needs a winner", hint="report the deciding game")
        before, after = game.winner, Game(game.round, game.number, game.sides, points).winner
        if game.round < rounds and before != after:
            raise InputError(
                f"round {game.round + 1} is paired with {listed(list(before or ()))}",
                hint="undo back to this round first",
            )

    def match(self, match: int | str, number: int | None = None) -> Game:
        """A match, with its sides and its score.

        Args:
            match: Number of the match in its round, or the name of one of its entrants.
            number: Number of the round. Default: the last one.
        """
        if not self.field.rounds:
            raise InputError("no round is paired yet")
        number = len(self.field.rounds) if number is None else number
        if isinstance(match, int):
            return self.field.game(number, match)
        self._check_known(match)
        self.field.game(number, 1)
        games = [game for game in self.field.rounds[number - 1].games if match in game.players]
        if not games:
            raise InputError(f"{match!r} has no match in round {number}")
        return games[0]

    def close(self) -> None:
        """End the tournament before its last round, or an evening. Results can still be corrected."""
        self._add(Closed())

    def undo(self) -> Happening:
        """Take back the last happening, and return it."""
        if not self.happenings:
            raise InputError("nothing has happened yet")
        return self.cut(len(self.happenings) - 1)[0]

    def cut(self, number: int) -> list[Happening]:
        """Keep the first happenings, this many of them, take back the others, and return these."""
        taken, self.happenings = self.happenings[number:], self.happenings[:number]
        self.field = Field()
        for happening in self.happenings:
            self.field.apply(happening)
        return taken

    def standings(self) -> list[Standing]:
        """The entrants in order, with what decides between equal points."""
        return final_standings(self.field, self.format)

    def explain(self, match: int | str, *, round: int | None = None) -> PairingReasons:
        """Why a match was paired, and what forbade the other opponents.

        Args:
            match: Number of the match in its round, or the name of one of its entrants. After a name, the
                opponents who were passed over are those of that entrant, else those of the first one.
            round: Number of the round. Default: the last one.
        """
        return pairing_reasons(self, self.match(match, round), match if isinstance(match, str) else None)

    def explain_standing(self, player: str) -> StandingReasons:
        """Where the numbers of an entrant in the standings come from."""
        self._check_known(player)
        return standing_reasons(self.field, player)

    def groups(self) -> list[list[Standing]]:
        """The standings of each group. Only groups with a knockout have them."""
        if self.format.kind != "groups" or not self.field.rounds:
            return []
        return group_standings(self.field, self.format)

    def bracket(self) -> list[BracketMatch]:
        """All matches of a knockout, also those that are not paired yet. Other formats have none."""
        return bracket_matches(self.field, self.format)

    def chances(self, *, simulations: int = 1_000, seed: int = 0) -> Chances:
        """Each entrant's chance of every final place, as in `podium.tournaments.chances`."""
        from podium.tournaments.chances import simulate

        return simulate(self, simulations, seed)

    def conditions(
        self, player: str, *, place: int = 1, simulations: int = 1_000, seed: int = 0
    ) -> Conditions:
        """What must happen in the open matches for an entrant to reach a place.

        Args:
            player: Name of the entrant.
            place: The place to reach, or a better one.
            simulations: How often the rest is played.
            seed: Seed of the simulations.
        """
        from podium.tournaments.conditions import conditions

        self._check_known(player)
        return conditions(self, player, place, simulations, seed)

    def copy(self) -> Tournament:
        """The same tournament, to be continued on its own."""
        other = Tournament(self.format, name=self.name, system=self.system, seed=self.seed)
        other.ladder = self.ladder
        for happening in self.happenings:
            other._add(happening)
        return other

    def _add(self, happening: Happening) -> None:
        self.field.apply(happening)
        self.happenings.append(happening)

    def _check_known(self, player: str) -> None:
        if player not in self.field.entrants:
            raise InputError(
                f"{player!r} is not an entrant", hint=did_you_mean(player, list(self.field.entrants))
            )

    def save(self, path: PathLike) -> None:
        """Write the tournament to a file of readable JSON lines. The file is whole or unchanged."""
        head = {
            "podium_tournament": VERSION,
            "name": self.name,
            "format": str(self.format),
            "seed": self.seed,
            "system": to_toml(self.system),
        }
        lines = [head, *map(plain, self.happenings)]
        with replacing(path) as temporary:
            temporary.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))

    @classmethod
    def load(cls, path: PathLike, *, ladder: Ladder | None = None) -> Tournament:
        """A saved tournament.

        Args:
            path: The file.
            ladder: Where the ratings of later entrants are looked up.
        """
        source = str(path)
        head, *rest = _lines(path)
        if head.get("podium_tournament") != VERSION:
            raise InputError("not a tournament that this version of podium can read", source=source)
        tournament = cls(
            head["format"],
            name=head["name"],
            system=from_toml(head["system"], source=source),
            seed=head["seed"],
        )
        tournament.ladder = ladder
        for number, line in enumerate(rest, 2):
            try:
                tournament._add(from_plain(line))
            except InputError as error:
                raise InputError(f"line {number}: {error.reason}", source=source) from None
        return tournament


def _lines(path: PathLike) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                value = json.loads(line)
            except ValueError:
                value = None
            if not isinstance(value, dict):
                raise InputError(f"line {number} is not a JSON object", source=str(path))
            lines.append(value)
    if not lines:
        raise InputError("an empty file, not a tournament", source=str(path))
    return lines


def _points(score: str | Sequence[float]) -> tuple[float, ...]:
    """The numbers of a score."""
    parts = re.split(r"[:\-–]", score.replace("½", ".5")) if isinstance(score, str) else score
    try:
        return tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise InputError(f"{score!r} is not a score", hint="numbers such as 3:1") from None


def _versus(game: Game) -> str:
    return " – ".join(" + ".join(side) for side in game.sides)


def _score(game: Game) -> str:
    return ":".join(f"{each:g}" for each in game.points or ())
