"""Why two entrants play each other, what forbade the others, and where the numbers of standings come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.errors import InputError
from podium.text import percent
from podium.tournaments.final_places import match_points, share, side_points
from podium.tournaments.format_rules import in_knockout
from podium.tournaments.happenings import Field, Game, Paired, Round
from podium.tournaments.knockouts import starting_players

if TYPE_CHECKING:
    from podium.tournaments.tournament import Tournament

Term = tuple[str, float]
"""What is added up, and how much it adds."""
LABELS = {
    "points": "Points",
    "buchholz": "Buchholz",
    "sonneborn_berger": "Sonneborn–Berger",
    "difference": "Difference",
}


@dataclass(frozen=True, slots=True)
class PairingReasons:
    """Why a match was paired.

    Attributes:
        sides: The entrants of each side.
        why: What speaks for the match.
        others: Opponents who were at least as close for the entrant who is explained, and why it is none of
            them.
    """

    sides: tuple[tuple[str, ...], ...]
    why: list[str]
    others: list[tuple[str, str]]

    def __str__(self) -> str:
        title = " – ".join(" + ".join(side) for side in self.sides)
        return "\n".join([title, *self.why, *(f"not {name}: {reason}" for name, reason in self.others)])


@dataclass(frozen=True, slots=True)
class StandingReasons:
    """Where an entrant's numbers come from. The terms of each number add up to it.

    Attributes:
        player: Name of the entrant.
        points: What each round gave.
        buchholz: The points of each opponent.
        sonneborn_berger: The points of opponents beaten, and half of those drawn against.
        difference: Own score minus the opponent's, of each match.
    """

    player: str
    points: list[Term]
    buchholz: list[Term]
    sonneborn_berger: list[Term]
    difference: list[Term]

    def __str__(self) -> str:
        lines = [self.player]
        for name in LABELS:
            terms: list[Term] = getattr(self, name)
            parts = ", ".join(f"{value:g} {words}" for words, value in terms)
            total = sum(value for _, value in terms)
            lines.append(f"{LABELS[name]} {total:g}" + (f" = {parts}" if parts else ""))
        return "\n".join(lines)


def standing_reasons(field: Field, player: str) -> StandingReasons:
    """Where the numbers of an entrant come from, match by match."""
    totals = match_points(field)
    found = StandingReasons(player, [], [], [], [])
    for each in field.rounds:
        if player in each.byes:
            found.points.append((f"bye in round {each.number}", 1.0))
            found.buchholz.append((f"bye in round {each.number}, own points", totals[player]))
        for game in each.games:
            own = next((i for i, side in enumerate(game.sides) if player in side), None)
            if own is None or game.points is None:
                continue
            others = [i for i in range(len(game.sides)) if i != own]
            named = ", ".join(" + ".join(game.sides[i]) for i in others)
            found.points.append((f"against {named}", side_points(game)[own]))
            for i in others:
                side = game.sides[i]
                mean = sum(totals[name] for name in side) / len(side)
                words, gained = f"of {' + '.join(side)}", share(game.points[own], game.points[i])
                found.buchholz.append((words, mean))
                if gained:
                    found.sonneborn_berger.append((words, gained * mean))
                found.difference.append(
                    (words.replace("of", "against", 1), game.points[own] - game.points[i])
                )
    return found


def pairing_reasons(tournament: Tournament, game: Game, player: str | None = None) -> PairingReasons:
    """Why a match was paired, from what was known then, for one of its entrants: the first one by default."""
    before = _before(tournament, game.round)
    first = game.players[0] if player is None else player
    second = next(side for side in game.sides if first not in side)[0]
    kind = tournament.format.kind
    if in_knockout(tournament.field, tournament.format, game.round) and kind == "groups":
        return PairingReasons(game.sides, ["the bracket of the knockout pairs them", *_broken(game)], [])
    if kind in ("round-robin", "groups"):
        return PairingReasons(game.sides, [f"Berger's table of round {game.round} pairs them"], [])
    if tournament.format.needs_winners:
        place = {name: number for number, name in enumerate(starting_players(tournament.field), 1)}
        words = f"the bracket pairs them: {first} is seed {place[first]}, {second} is seed {place[second]}"
        return PairingReasons(game.sides, [words, *_broken(game)], [])
    points = match_points(before)
    why = [_points_words(points, first, second)] if kind == "swiss" else _fair_words(tournament, before, game)
    times = before.met.get(frozenset((first, second)), 0)
    often = "once" if times == 1 else f"{times} times"
    others_new = "with new partners, " if kind == "doubles" else ""
    why.append(
        "they have not met in this tournament"
        if not times
        else f"they have met {often} before: {others_new}no round with fewer repeats was found"
    )
    if game.rule is not None:
        why.append(f"they should be kept apart ({game.rule}), but no other pairing was possible")
    apart = abs(points[first] - points[second])
    others, why_not = [], _WhyNot(before, tournament.field.rounds[game.round - 1], first)
    for entrant in before.here:
        other = entrant.player
        if other in game.players or (kind == "swiss" and abs(points[first] - points[other]) > apart):
            continue
        others.append((other, why_not.of(other)))
    return PairingReasons(game.sides, why, others)


def _broken(game: Game) -> list[str]:
    """The rule that a match of a bracket breaks."""
    if game.rule is None:
        return []
    return [f"they should be kept apart ({game.rule}), but the bracket left no other way"]


def _before(tournament: Tournament, number: int) -> Field:
    """What was known before a round was paired."""
    field = Field()
    for happening in tournament.happenings:
        if isinstance(happening, Paired) and len(field.rounds) == number - 1:
            return field
        field.apply(happening)
    raise InputError(f"there is no round {number}")


def _counted_points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


def _points_words(points: dict[str, float], first: str, second: str) -> str:
    if points[first] == points[second]:
        return f"both have {_counted_points(points[first])}"
    both = f"{first} has {_counted_points(points[first])} and {second} {points[second]:g}"
    return f"{both}: the least differences in all"


def _fair_words(tournament: Tournament, before: Field, game: Game) -> list[str]:
    if len(game.sides) != 2:
        return ["entrants of like strength sit at one table"]
    mu = [sum(before.entrants[name].mu for name in side) / len(side) for side in game.sides]
    sigma = None
    if tournament.system.has_sigma:
        sigma = [sum(before.entrants[name].sigma or 0.0 for name in side) / len(side) for side in game.sides]
    sure = (None, None) if sigma is None else (sigma[0], sigma[1])
    win = float(tournament.system.win_probability(mu[0], sure[0], mu[1], sure[1]))
    return [f"chances of {percent(win)} to {percent(1.0 - win)}"]


class _WhyNot:
    """Why an entrant did not get another opponent in a round."""

    def __init__(self, before: Field, paired: Round, first: str) -> None:
        self.before, self.first = before, first
        self.rivals = {name: game for game in paired.games for name in game.players}
        self.met: dict[str, int] = {}
        """The round in which each other entrant was an opponent first."""
        for game in before.games:
            own = next((side for side in game.sides if first in side), None)
            if own is not None:
                for name in (name for side in game.sides if side is not own for name in side):
                    self.met.setdefault(name, game.round)

    def of(self, other: str) -> str:
        """Why it was not this one."""
        if (rule := self.before.rule_between(self.first, other)) is not None:
            return rule
        if other in self.met:
            return f"they met in round {self.met[other]}"
        rival = self.rivals.get(other)
        if rival is None:
            return "has no match in this round"
        against = ", ".join(name for side in rival.sides if other not in side for name in side)
        return f"plays {against}, which is better for the round as a whole"
