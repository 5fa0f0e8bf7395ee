"""Groups, then a knockout: all play all in each group, and the best of each group go on.

Entrants are spread over the groups by rating, as a snake: 1 2 3 4, 4 3 2 1, and so on. In the knockout the
winners of groups are seeded first. Two from one group do not meet in its first round if that can be avoided.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from podium.errors import InputError
from podium.tournaments.final_places import Standing, standings
from podium.tournaments.formats import Format
from podium.tournaments.happenings import Field, Paired, Round, Side
from podium.tournaments.kept_apart import has_rivals, places_apart, rivals_of
from podium.tournaments.knockouts import (
    Slots,
    first_slots,
    pair_knockout,
    slots_after,
    slots_apart,
    starting_players,
)
from podium.tournaments.round_robins import add_match, berger_round, total_rounds

ROUND_ROBIN = Format("round-robin")


def groups_of(field: Field, form: Format) -> list[list[str]]:
    """The entrants of each group, the best one first."""
    if 1 in field.draws:
        return [[player for player in group if player is not None] for group in field.draws[1]]
    players = starting_players(field)
    if not field.rounds:
        players = _spread(field, players, form.groups)
    groups: list[list[str]] = [[] for _ in range(form.groups)]
    for place, player in enumerate(players):
        lap, number = divmod(place, form.groups)
        groups[number if lap % 2 == 0 else form.groups - 1 - number].append(player)
    return groups


def _spread(field: Field, players: list[str], groups: int) -> list[str]:
    """The entrants in the order of the snake, in which those of one lap change so that groups keep apart."""
    if not has_rivals(field, players):
        return players
    places = np.arange(len(players))
    lap, number = np.divmod(places, groups)
    group = np.where(lap % 2 == 0, number, groups - 1 - number)
    together = (group[:, None] == group[None, :]) & ~np.eye(len(players), dtype=np.bool_)
    ends = [*range(groups, len(players), groups), len(players)]
    drawn = places_apart(places, ends, together.astype(np.float64), rivals_of(field, players))
    return [players[i] for i in np.argsort(drawn)]


def group_rounds(field: Field, form: Format) -> int:
    """How many rounds the groups take."""
    entrants = sum(map(len, field.draws[1])) if 1 in field.draws else len(starting_players(field))
    return total_rounds(-(-entrants // form.groups), 1)


def group_standings(field: Field, form: Format) -> list[list[Standing]]:
    """The standings of each group, from its own matches."""
    last, found = group_rounds(field, form), []
    for group in groups_of(field, form):
        inside = set(group)
        rounds = [
            Round(each.number, [game for game in each.games if inside.issuperset(game.players)])
            for each in field.rounds[:last]
        ]
        met = {frozenset(game.players): 1 for each in rounds for game in each.games}
        entrants = {player: replace(field.entrants[player], byes=0) for player in group}
        found.append(standings(Field(entrants=entrants, rounds=rounds, met=met), ROUND_ROBIN))
    return found


def knockout_slots(field: Field, form: Format) -> Slots:
    """The bracket of those who go on, when all groups are played; nothing before."""
    last = group_rounds(field, form)
    if last + 1 in field.draws:
        return list(field.draws[last + 1][0])
    if len(field.rounds) < last or any(
        game.points is None for each in field.rounds[:last] for game in each.games
    ):
        return []
    tables = group_standings(field, form)
    group = {row.player: number for number, table in enumerate(tables) for row in table}
    found: list[str] = []
    for place in range(form.qualify):
        tier = [table[place].player for table in tables if place < len(table)]
        # Of all rotations the one that lets the fewest meet again at once; the first one if several do.
        turned = [tier[turn:] + tier[:turn] for turn in range(len(tier))] if place else [tier]
        found += min(turned, key=lambda tier: _met_again([*found, *tier], group))
    if len(field.rounds) > last or not has_rivals(field, found):
        return first_slots(found)
    own = np.array([group[player] for player in found])
    same = (own[:, None] == own[None, :]) & ~np.eye(len(found), dtype=np.bool_)
    return slots_apart(found, rivals_of(field, found) | same)


def _met_again(players: list[str], group: dict[str, int]) -> int:
    slots = first_slots(players)
    pairs = zip(slots[::2], slots[1::2], strict=True)
    return sum(a is not None and b is not None and group[a] == group[b] for a, b in pairs)


def slots_of_groups(field: Field, form: Format) -> Slots:
    """The slots of the next round of the knockout; nothing before it."""
    return slots_after(knockout_slots(field, form), field.rounds[group_rounds(field, form) :])


def pair_groups(field: Field, form: Format) -> Paired:
    """The next round of all groups, or of the knockout."""
    groups = groups_of(field, form)
    if min(map(len, groups)) < max(2, form.qualify):
        raise InputError(
            f"{form.groups} groups need {form.groups * max(2, form.qualify)} entrants, and there are "
            f"{sum(map(len, groups))}",
            hint="wait for more entrants, or take fewer groups",
        )
    number = len(field.rounds) + 1
    last = group_rounds(field, form)
    if number > last:
        return pair_knockout(field, slots_of_groups(field, form), is_first=number == last + 1)
    matches: list[tuple[Side, Side]] = []
    resting: list[str] = []
    apart: list[tuple[str, str]] = []
    for group in groups:
        size = len(group) + len(group) % 2
        pairs = berger_round(size, number) if number < size else []
        named = {i for pair in pairs for i in pair}
        resting += [player for i, player in enumerate(group, 1) if i not in named]
        for pair in pairs:
            playing = [group[i - 1] for i in pair if i <= len(group) and field.entrants[group[i - 1]].here]
            add_match(field, playing, matches, resting, apart)
    begins = number == 1 and has_rivals(field, [player for group in groups for player in group])
    draw = tuple(tuple(group) for group in groups) if begins else ()
    return Paired(tuple(matches), resting=tuple(resting), apart=tuple(apart), draw=draw)
