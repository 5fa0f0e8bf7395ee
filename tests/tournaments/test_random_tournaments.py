"""Tournaments in which anything may happen, sensible or not, and what is always true of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from podium.documents.tournament_documents import tournament_document
from podium.errors import InputError
from podium.pages import tournament_views as views
from podium.tournaments.happenings import Closed, Field, Paired
from podium.tournaments.tournament import Tournament

FORMATS = [
    *("evening", "evening:2v2", "evening:tables", "swiss:1", "swiss:6", "swiss:11"),
    *("round-robin", "round-robin:double", "knockout", "knockout:double"),
    *("groups:2x2", "groups:3x1", "groups:4x2"),
]
SMALL = 7
"""Entrants up to whom a refused round is checked against all others there could be."""


class Story:
    """A tournament and the one who runs it."""

    def __init__(self, form: str, chance: np.random.Generator) -> None:
        self.chance = chance
        self.tournament = Tournament(form, seed=int(chance.integers(1_000)))
        least = 8 if form == "groups:4x2" else 6 if form.startswith("groups") else 2
        self.size = int(chance.integers(least, 17))
        self.with_rules, self.teams = chance.random() < 0.5, chance.random() < 0.3
        self.clubs = [None, *"abcde"[: int(chance.integers(2, 6))]] if self.with_rules else [None]
        self.names = [f"p{i}" for i in range(self.size + 2)]
        for name in self.names[: self.size]:
            self.join(name)

    def join(self, name: str) -> None:
        number = int(self.chance.integers(1, 4)) if self.teams else 0
        club = self.clubs[int(self.chance.integers(len(self.clubs)))]
        members = [f"{name}.{i}" for i in range(number)]
        self.tournament.join(name, float(self.chance.normal(1500, 200)), club=club, members=members)

    def two(self) -> tuple[str, str]:
        first, second = self.chance.choice(self.names, 2, replace=False).tolist()
        return first, second

    def report(self) -> None:
        """A result, a correction, or taking one back."""
        field, chance = self.tournament.field, self.chance
        games = field.unfinished if chance.random() < 0.9 else field.games
        if not games:
            return
        game = games[int(chance.integers(len(games)))]
        boards = field.boards(game)
        if chance.random() < 0.02:
            self.tournament.result(game.number, None, round=game.round, correct=True)
        elif boards and chance.random() < 0.8:
            scores = [[1.0, 0.0] if chance.random() < 0.5 else [0.0, 1.0] for _ in boards]
            self.tournament.team_result(game.number, scores, round=game.round, correct=True)
        else:
            best = 2 if chance.random() < 0.2 else len(game.sides) + 1  # 2: draws
            self.tournament.result(
                game.number,
                chance.integers(0, best, len(game.sides)).tolist(),
                round=game.round,
                correct=True,
            )

    def step(self) -> None:
        """Something that organisers do."""
        tournament, chance = self.tournament, self.chance
        happens = float(chance.random())
        if happens < 0.03:
            self.join(self.names[int(chance.integers(len(self.names)))])
        elif happens < 0.05:
            tournament.leave(self.names[int(chance.integers(len(self.names)))])
        elif happens < 0.07 and self.with_rules:
            [tournament.forbid, tournament.allow][int(chance.integers(2))](*self.two())
        elif happens < 0.08 and self.with_rules:
            tournament.set_club(self.two()[0], self.clubs[int(chance.integers(len(self.clubs)))])
        elif happens < 0.12:
            tournament.undo()
        elif happens < 0.121:
            tournament.close()
        elif not tournament.field.unfinished or happens < 0.15:
            places = int(chance.integers(1, 5)) if tournament.format.is_evening and happens > 0.5 else None
            self.pair(places)
        else:
            self.report()

    def pair(self, places: int | None) -> None:
        """The next round; with rematches where there is none without."""
        tournament = self.tournament
        refused_late = tournament.finished or (
            tournament.field.unfinished and not tournament.format.is_evening
        )
        try:
            tournament.pair(places=places)
        except InputError:
            if not refused_late and not tournament.field.closed:
                assert not can_be_paired(tournament), [tournament.happenings]
            if tournament.format.kind != "swiss" or refused_late:
                raise
            tournament.pair(rematches=True)


def can_be_paired(tournament: Tournament) -> bool:
    """Whether a round of few entrants is possible, by trying all; False where that is not known."""
    field, kind = tournament.field, tournament.format.kind
    here = [entrant.player for entrant in field.here]
    if len(here) > SMALL:
        return False
    if kind == "evening":
        return any(field.may_meet(*pair) for pair in combinations(here, 2))
    if kind == "doubles":
        return any(
            all(field.may_meet(a, b) for a in pair for b in other)
            for four in combinations(here, 4)
            for pair in combinations(four, 2)
            for other in [tuple(set(four) - set(pair))]
        )
    if kind == "swiss":
        fewest = min(field.entrants[name].byes for name in here) if here else 0
        return len(here) > 1 and any(
            _rounds_of([name for name in here if name != out], field)
            for out in (
                [name for name in here if field.entrants[name].byes == fewest] if len(here) % 2 else [""]
            )
        )
    return False


def _rounds_of(names: list[str], field: Field) -> bool:
    if not names:
        return True
    first = names[0]
    return any(
        field.may_meet(first, other)
        and frozenset((first, other)) not in field.met
        and _rounds_of([name for name in names[1:] if name != other], field)
        for other in names[1:]
    )


def check_round(tournament: Tournament, paired: Paired) -> None:
    """What is true of a round right after it was paired."""
    field, kind = tournament.field, tournament.format.kind
    each = field.rounds[-1]
    named = [player for game in each.games for player in game.players] + [*each.byes, *each.resting]
    assert len(set(named)) == len(named), "nobody twice in a round"
    here = {entrant.player for entrant in field.here}
    assert {player for game in each.games for player in game.players} <= here, "only those who are here"
    if tournament.format.is_evening or kind == "swiss":
        assert set(named) == here, "everybody who is here is in the round"
    if tournament.format.is_evening or kind in ("swiss", "round-robin"):
        broken = [game.rule for game in each.games if len(game.sides) == 2 and game.rule is not None]
        assert broken == [], "rules are kept"
    assert all(
        field.may_meet(a, b)
        for game in each.games
        if tournament.format.is_evening
        for ours, theirs in combinations(game.sides, 2)
        for a in ours
        for b in theirs
    )
    sizes = {"doubles": {(2, 2)}, "evening": {(1, 1)}}.get(kind, {(1, 1)})
    if kind == "tables":
        sizes = {(1,) * number for number in range(3, 7)}
    assert {tuple(map(len, game.sides)) for game in each.games} <= sizes
    assert paired.matches == tuple(game.sides for game in each.games)


def check(tournament: Tournament, with_rules: bool) -> None:
    """What is always true."""
    field, kind = tournament.field, tournament.format.kind
    always = [one for one in field.here if one.joined == 1 and not one.missed]
    if kind == "swiss" and always:
        byes = [one.byes for one in always]
        assert max(byes) - min(byes) <= 1, "byes are even"
    if tournament.format.is_evening and always and not with_rules:
        rests = [one.rests for one in always]
        assert max(rests) - min(rests) <= 1, "sitting out is even"
    if kind in ("swiss", "evening"):
        sides = Counter(game.sides[0][0] for game in field.games)
        sides.subtract(game.sides[1][0] for game in field.games)
        assert max(map(abs, sides.values()), default=0) <= 3, "sides are balanced"
    rows = tournament.standings()
    assert sorted(row.player for row in rows) == sorted(field.entrants)
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    for row in rows:
        assert row.points >= 0
        assert row.played == row.wins + row.draws + row.losses
    assert sum(row.played for row in rows) == sum(
        len(game.players) for game in field.games if game.points is not None
    )
    if kind == "double-knockout":
        assert all(row.losses <= 2 for row in rows)
    if kind in ("swiss", "round-robin", "evening"):
        decided = sum(game.points is not None for game in field.games)
        assert sum(row.points for row in rows) == pytest.approx(decided + sum(row.byes for row in rows))
    ended = any(isinstance(one, Closed) for one in tournament.happenings)
    if tournament.finished and not ended and kind in ("knockout", "double-knockout"):
        assert [row.place for row in rows[:2]] == [1, 2], "one winner"
        last = [match for match in tournament.bracket() if match.winner][-1:]
        assert [match.winner for match in last] == [rows[0].player] or not rows[0].played
    if tournament.finished and not ended and kind == "swiss":
        assert len(field.rounds) == tournament.format.rounds


def check_copies(tournament: Tournament, folder: Path) -> Tournament:
    """A tournament is the list of its happenings: saved, loaded, taken back and shown."""
    tournament.save(folder / "t.jsonl")
    loaded = Tournament.load(folder / "t.jsonl")
    assert loaded.happenings == tournament.happenings
    assert loaded.field == tournament.field
    assert loaded.standings() == tournament.standings()
    assert loaded.bracket() == tournament.bracket()
    if tournament.happenings:
        other = tournament.copy()
        other._add(other.undo())
        assert other.field == tournament.field
    document = tournament_document(loaded)
    view = views.tournament_view(document)
    views.brackets(document, view["names"])
    views.cross_table(document)
    for row in tournament.standings()[:3]:
        views.player_path(document, row.player)
        if tournament.format.kind in ("swiss", "round-robin", "evening"):
            said = tournament.explain_standing(row.player)
            for terms, number in (
                (said.points, row.points),
                (said.buchholz, row.buchholz),
                (said.sonneborn_berger, row.sonneborn_berger),
                (said.difference, row.difference),
            ):
                assert sum(value for _, value in terms) == pytest.approx(number, abs=1e-6)
    for game in tournament.field.games[-3:]:
        assert tournament.explain(game.number, round=game.round).why
    return loaded


def check_chances(tournament: Tournament) -> None:
    """Chances add up; a tournament that cannot begin has none."""
    try:
        chances = tournament.chances(simulations=2)
    except InputError:
        assert not tournament.field.rounds
        return
    assert chances.places.sum(axis=1) == pytest.approx(np.ones(len(chances.players)))
    assert chances.places.min() > -1e-12


def tell(form: str, seed: int, steps: int, folder: Path) -> Iterator[Tournament]:
    """Tournaments one after another for so many steps; each one that is over."""
    chance = np.random.default_rng(seed)
    story, alone = Story(form, chance), 0
    for number in range(steps):
        tournament = story.tournament
        before = list(tournament.happenings)
        try:
            story.step()
            alone = 0
            if len(tournament.happenings) > len(before) and isinstance(tournament.happenings[-1], Paired):
                check_round(tournament, tournament.happenings[-1])
        except InputError:
            assert tournament.happenings == before
            alone += 1
        check(tournament, story.with_rules)
        if number % 25 == 0:
            story.tournament = tournament = check_copies(tournament, folder)
        if number % 100 == 50 and not tournament.format.is_evening and len(tournament.field.entrants) > 1:
            check_chances(tournament)
        rounds = len(tournament.field.rounds)
        over = tournament.finished or rounds > 14
        if (over and chance.random() < 0.1) or alone > 30:
            if over:
                yield check_copies(tournament, folder)
            story, alone = Story(form, chance), 0


@pytest.mark.parametrize("form", FORMATS)
def test_random_tournaments_keep_their_invariants(form: str, tmp_path: Path) -> None:
    assert list(tell(form, 1, 500, tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMATS)
def test_random_tournaments_of_ten_thousand_steps(form: str, tmp_path: Path) -> None:
    finished = list(tell(form, 2, 10_000, tmp_path))
    assert len(finished) >= 20
    assert any(one.field.draws for one in finished) or not form.startswith(("knockout", "groups"))
