"""Chances of every final place.

Knockouts are computed exactly. The chance to survive a round is the chance to survive the one before, times
the chance to beat each possible opponent, weighted by how probable that opponent is. All other formats are
played to their end many times, through the same pairings and standings as the tournament itself.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from podium.arrays import Floats
from podium.errors import InputError, UnknownPlayerError
from podium.notebooks import Chance, html_table
from podium.text import percent
from podium.tournaments.final_places import Standing
from podium.tournaments.format_rules import announced_round, final_standings, in_knockout, is_over
from podium.tournaments.formats import Format
from podium.tournaments.happenings import Field, Game, Paired, Reported
from podium.tournaments.knockouts import Slots, starting_slots

if TYPE_CHECKING:
    from podium.ladder.ladder import Ladder
    from podium.tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True, repr=False)
class Chances:
    """The chance of each final place.

    Attributes:
        players: The entrants, the one with the best chance of the title first.
        places: A row for each entrant: the chance of place 1, 2, 3 … Entrants who share a place share its
            number.
        simulations: How often the rest was played; None if the chances are exact.
    """

    players: list[str]
    places: Floats
    simulations: int | None

    @property
    def title(self) -> dict[str, float]:
        """The chance of the first place of each entrant; one who shares it counts."""
        return dict(zip(self.players, self.places[:, 0].tolist(), strict=True))

    def within(self, place: int) -> dict[str, float]:
        """The chance of this place or a better one of each entrant."""
        return dict(zip(self.players, self.places[:, :place].sum(axis=1).tolist(), strict=True))

    @property
    def how(self) -> str:
        """How the chances were found, and why they may add up to more than one."""
        how = "exact" if self.simulations is None else f"{self.simulations:,} simulations"
        return how + ", a shared title counts for each" * bool(self.places[:, 0].sum() > 1.0 + 1e-9)

    def __repr__(self) -> str:
        lines = [f"{percent(share, 1):>8}  {player}" for player, share in self.title.items()]
        return "\n".join([f"Chances of the title, {self.how}:", *lines])

    def _repr_html_(self) -> str:
        rows = ((player, Chance(share)) for player, share in self.title.items())
        return html_table("Chances of the title", ("player", "chance"), rows, len(self.players))


def bracket_chances(slots: Slots, win: Floats) -> Floats:
    """The chance of each slot to survive at least 0, 1, 2 … rounds.

    Args:
        slots: Entrants in the order of the bracket; None where there is none.
        win: For slots i and j, the chance that i beats j.
    """
    size = len(slots)
    reached = np.array([[float(slot is not None)] for slot in slots])
    width = 1
    while width < size:
        now = np.empty(size)
        for i in range(size):
            start = (i // width ^ 1) * width
            rivals = slice(start, start + width)
            nobody = 1.0 - reached[rivals, -1].sum()
            now[i] = reached[i, -1] * (nobody + reached[rivals, -1] @ win[i, rivals])
        reached = np.column_stack([reached, now])
        width *= 2
    return reached


def simulate_bracket(ladder: Ladder, bracket: Sequence[str | None]) -> Chances:
    """The chances of a knockout among players of a ladder, exactly.

    Args:
        ladder: The ratings that the chances come from.
        bracket: Players in the order of the bracket: the first meets the second, the winner meets the winner
            of the next two. None is a bye. The length is 2, 4, 8 …

    >>> import podium
    >>> ladder = podium.Ladder("elo")
    >>> for name, rating in {"ann": 1700, "bob": 1500, "cat": 1500}.items():
    ...     _ = ladder.adjust(podium.SetRating(player=name, mu=rating))
    >>> simulate_bracket(ladder, ["ann", None, "bob", "cat"])
    Chances of the title, exact:
       76.0%  ann
       12.0%  bob
       12.0%  cat
    """
    slots = list(bracket)
    if len(slots) < 2 or len(slots) & (len(slots) - 1):
        raise InputError(f"a bracket of {len(slots)} slots", hint="2, 4, 8 …; None is a bye")
    names = [name for name in slots if name is not None]
    if len(set(names)) < len(names):
        raise InputError("a player is in the bracket twice")
    if missing := [name for name in names if name not in ladder]:
        raise UnknownPlayerError(f"{missing[0]!r} is not on the ladder")
    win = np.full((len(slots), len(slots)), 0.5)
    for i, first in enumerate(slots):
        for j, second in enumerate(slots[:i]):
            if first is not None and second is not None:
                win[i, j] = ladder.expected_score(first, second)
                win[j, i] = 1.0 - win[i, j]
    return _of_bracket(slots, bracket_chances(slots, win))


def simulate(tournament: Tournament, simulations: int, seed: int) -> Chances:
    """The chances of the tournament as it stands: what is played counts, the rest is open."""
    players = list(tournament.field.entrants)
    is_open = not tournament.field.closed and len(players) > 1
    if tournament.format.kind == "knockout" and is_open and simulations > 0:
        return _knockout(tournament.field, _Outcomes(tournament))
    counts = np.zeros((len(players), len(players)))
    number = {player: i for i, player in enumerate(players)}
    for _, rows in courses(tournament, simulations, seed):
        for row in rows:
            counts[number[row.player], row.place - 1] += 1
    return sorted_chances(players, counts / simulations, simulations)


def courses(
    tournament: Tournament, simulations: int, seed: int
) -> Iterator[tuple[Field, Sequence[Standing]]]:
    """The tournament played to its end again and again: what happened, and the final standings."""
    if tournament.format.is_evening:
        raise InputError(f"{tournament.format} has no last round", hint="chances need a format that ends")
    if simulations < 1:
        raise InputError(f"{simulations} simulations", hint="1 or more")
    if len(tournament.field.entrants) < 2:
        raise InputError("chances need two entrants")
    outcomes, chance = _Outcomes(tournament), np.random.default_rng(seed)
    saved, form = pickle.dumps(tournament.field), tournament.format
    for _ in range(simulations):
        field = pickle.loads(saved)
        _play(field, form, outcomes, chance)
        while (paired := _next(form, field)) is not None:
            field.apply(paired)
            _play(field, form, outcomes, chance)
        yield field, final_standings(field, form)


def _next(form: Format, field: Field) -> Paired | None:
    """The next announced round, with rematches or members of one club where
    there is no other way; None after the last.

    Where rules leave no Swiss round at all, the tournament ends before its last round.
    """
    if field.closed or is_over(field, form):
        return None
    for clubmates, rematches in product((False, True), repeat=2):
        try:
            return announced_round(field, form, rematches=rematches, clubmates=clubmates)
        except InputError:
            if form.kind != "swiss":
                raise
    return None


def _play(field: Field, form: Format, outcomes: _Outcomes, chance: np.random.Generator) -> None:
    """Give every open match a result by chance."""
    for game in field.unfinished:
        (first,), (second,) = game.sides
        win, draw = outcomes.win[first, second], outcomes.draw[first, second]
        drawn = chance.random()
        if in_knockout(field, form, game.round):  # a draw is played again until one of them wins
            win, draw = win + draw / 2.0, 0.0
        points = (1.0, 0.0) if drawn < win else (0.5, 0.5) if drawn < win + draw else (0.0, 1.0)
        field.apply(Reported(game.round, game.number, points))


class _Outcomes:
    """The chances of a win and of a draw for every two entrants, by their ladder where it knows both."""

    def __init__(self, tournament: Tournament) -> None:
        self.win: dict[tuple[str, str], float] = {}
        self.draw: dict[tuple[str, str], float] = {}
        ladder, system = tournament.ladder, tournament.system
        entrants = list(tournament.field.entrants.values())
        for i, a in enumerate(entrants):
            for b in entrants[:i]:
                if ladder is not None and a.player in ladder and b.player in ladder:
                    found = ladder.outcomes(a.player, b.player)
                    win, draw = found.win, found.draw
                else:
                    win, draw = float(system.win_probability(a.mu, a.sigma, b.mu, b.sigma)), 0.0
                self.win[a.player, b.player], self.win[b.player, a.player] = win, 1.0 - win - draw
                self.draw[a.player, b.player] = self.draw[b.player, a.player] = draw


def _knockout(field: Field, outcomes: _Outcomes) -> Chances:
    slots = starting_slots(field)
    beaten = {(a, b): won for game in field.games for a, b, won in _decided(game)}
    win = np.full((len(slots), len(slots)), 0.5)
    for i, first in enumerate(slots):
        for j, second in enumerate(slots):
            if first is None or second is None or i == j:
                continue
            here = field.entrants[first].here, field.entrants[second].here
            if (first, second) in beaten:
                win[i, j] = beaten[first, second]
            elif here[0] != here[1]:
                win[i, j] = float(here[0])
            else:  # a draw is played again until one of them wins
                win[i, j] = outcomes.win[first, second] + outcomes.draw[first, second] / 2.0
    return _of_bracket(slots, bracket_chances(slots, win))


def _decided(game: Game) -> list[tuple[str, str, float]]:
    (first,), (second,) = game.sides
    if game.winner is None:
        return []
    won = float(game.winner == (first,))
    return [(first, second, won), (second, first, 1.0 - won)]


def _of_bracket(slots: Slots, reached: Floats) -> Chances:
    """Places from rounds survived: the loser of the final is second, both losers before share place 3."""
    rounds = reached.shape[1] - 1
    rows = [i for i, slot in enumerate(slots) if slot is not None]
    places = np.zeros((len(rows), len(rows)))
    for survived in range(rounds + 1):
        place = 0 if survived == rounds else 2 ** (rounds - survived - 1)
        after = reached[rows, survived + 1] if survived < rounds else 0.0
        places[:, min(place, len(rows) - 1)] += reached[rows, survived] - after
    return sorted_chances([str(slots[i]) for i in rows], places, None)


def sorted_chances(players: list[str], places: Floats, simulations: int | None) -> Chances:
    """The best chance of place 1 first, then of 1 or 2, and so on."""
    totals = np.cumsum(places, axis=1).round(12)
    order = sorted(range(len(players)), key=lambda i: tuple(-totals[i]))
    return Chances([players[i] for i in order], places[order], simulations)
