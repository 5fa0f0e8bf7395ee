"""Standings: points, and what decides between entrants with equal points.

A match gives each side the share of the other sides it has beaten, a tie counting half: 1, ½ or 0 in a match
of two, and at a table of four 1, ⅔, ⅓, 0. A bye counts as a win; an entrant who rests gets nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

from podium.tournaments.formats import Format
from podium.tournaments.happenings import Field, Game

TIE_BREAKS: dict[str, tuple[str, ...]] = {
    "swiss": ("buchholz", "sonneborn_berger", "direct", "wins", "difference"),
    "round-robin": ("sonneborn_berger", "direct", "wins", "difference"),
    "evening": ("wins", "difference"),
    "doubles": ("wins", "difference"),
    "tables": ("wins", "difference"),
    "knockout": (),
    "double-knockout": (),
    "groups": ("sonneborn_berger", "wins", "difference"),
}
"""What decides between entrants with equal points, the most important first."""
DIGITS = 9
"""Decimals to which sums are compared, so that ⅓ + ⅔ equals 1."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of the standings.

    Attributes:
        place: Place, counted from 1; entrants with equal values share one.
        player: Name of the entrant.
        points: Points until now; in a knockout the number of rounds survived.
        played: Matches with a result.
        wins: Matches won.
        draws: Matches drawn.
        losses: Matches lost.
        byes: Rounds without an opponent, with the points of a win.
        buchholz: Sum of the opponents' points. A bye counts like an opponent with the same points.
        sonneborn_berger: Points of the opponents beaten, and half of those drawn against.
        direct: Points against the others with equal points; 0 unless all of them have met.
        difference: Own scores minus those of the opponents, over all matches.
    """

    place: int
    player: str
    points: float
    played: int
    wins: int
    draws: int
    losses: int
    byes: int
    buchholz: float
    sonneborn_berger: float
    direct: float
    difference: float


def share(ours: float, theirs: float) -> float:
    """What a score is worth against another one: 1, ½ or 0."""
    return 1.0 if ours > theirs else 0.5 if ours == theirs else 0.0


def side_points(game: Game) -> tuple[float, ...]:
    """What a match gives each side; nothing without a result."""
    points = game.points
    if points is None:
        return (0.0,) * len(game.sides)
    if len(points) == 2:
        won = share(*points)
        return won, 1.0 - won
    # A side ties with itself, which gives it the ½ that is taken off.
    return tuple((sum(share(own, other) for other in points) - 0.5) / (len(points) - 1) for own in points)


def match_points(field: Field) -> dict[str, float]:
    """The points of every entrant until now, byes included."""
    points = {entrant.player: float(entrant.byes) for entrant in field.entrants.values()}
    for game in field.games:
        for side, gained in zip(game.sides, side_points(game), strict=True):
            for player in side:
                points[player] += gained
    return {player: round(sum_, DIGITS) for player, sum_ in points.items()}


def standings(field: Field, form: Format, survived: dict[str, int] | None = None) -> list[Standing]:
    """The entrants, the first one first; ties keep the order in which entrants joined.

    Args:
        field: What has happened.
        form: The format.
        survived: How many rounds of a knockout each entrant has survived. Default: counted. In a knockout
            they take the place of points; after groups they come before the points.
    """
    points = match_points(field)
    rows = _rows(field, points)
    if form.needs_winners:
        survived = _rounds_survived(field) if survived is None else survived
        rows = [replace(row, points=float(survived.get(row.player, 0))) for row in rows]
    before = survived if survived is not None and not form.needs_winners else {}
    ties = TIE_BREAKS[form.kind]
    keys = {
        row.player: (before.get(row.player, 0), row.points, *(getattr(row, name) for name in ties))
        for row in rows
    }
    rows.sort(key=lambda row: keys[row.player], reverse=True)
    placed: list[Standing] = []
    for i, row in enumerate(rows):
        shared = i > 0 and keys[row.player] == keys[rows[i - 1].player]
        placed.append(replace(row, place=placed[-1].place if shared else i + 1))
    return placed


@dataclass(slots=True)
class _Sums:
    """What is added up for an entrant, match by match."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    buchholz: float = 0.0
    sonneborn_berger: float = 0.0
    against_equals: float = 0.0
    difference: float = 0.0


def _rows(field: Field, points: dict[str, float]) -> list[Standing]:
    sums = {player: _Sums() for player in field.entrants}
    for game in field.games:
        if game.points is None:
            continue
        best = max(game.points)
        alone = game.points.count(best) == 1
        means = [sum(points[player] for player in side) / len(side) for side in game.sides]
        for i, side in enumerate(game.sides):
            for player in side:
                own = sums[player]
                won = game.points[i] == best
                own.wins += won and alone
                own.draws += won and not alone
                own.losses += not won
                for j, other in enumerate(game.sides):
                    if j == i:
                        continue
                    gained = share(game.points[i], game.points[j])
                    own.buchholz += means[j]
                    own.sonneborn_berger += gained * means[j]
                    own.difference += game.points[i] - game.points[j]
                    own.against_equals += gained * sum(points[name] == points[player] for name in other)
    equals: dict[float, list[str]] = {}
    for player, gained in points.items():
        equals.setdefault(gained, []).append(player)
    met = {gained: _all_met(field, players) for gained, players in equals.items()}
    rows = []
    for player, own in sums.items():
        byes = field.entrants[player].byes
        values = (
            own.buchholz + byes * points[player],
            own.sonneborn_berger,
            own.against_equals if met[points[player]] else 0.0,
            own.difference,
        )
        played = own.wins + own.draws + own.losses
        rounded = (round(value, DIGITS) for value in values)
        rows.append(
            Standing(0, player, points[player], played, own.wins, own.draws, own.losses, byes, *rounded)
        )
    return rows


def _all_met(field: Field, players: list[str]) -> bool:
    return all(frozenset(pair) in field.met for pair in combinations(players, 2))


def _rounds_survived(field: Field) -> dict[str, int]:
    """In how many rounds of a knockout each entrant was not beaten."""
    survived = dict.fromkeys(field.entrants, 0)
    for each in field.rounds:
        for player in each.byes:
            survived[player] += 1
        for game in each.games:
            for player in game.winner or ():
                survived[player] += 1
    return survived
