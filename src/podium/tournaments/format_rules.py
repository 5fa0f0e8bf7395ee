"""What depends on the format: the next announced round, the end, final places, the bracket."""

from __future__ import annotations

from podium.tournaments.double_knockouts import (
    double_bracket_matches,
    double_bracket_now,
    pair_double_knockout,
)
from podium.tournaments.final_places import Standing, standings
from podium.tournaments.formats import Format
from podium.tournaments.group_stages import group_rounds, knockout_slots, pair_groups, slots_of_groups
from podium.tournaments.happenings import Field, Paired
from podium.tournaments.knockouts import (
    BracketMatch,
    bracket,
    pair_knockout,
    slots_after,
    starting_slots,
)
from podium.tournaments.round_robins import pair_round_robin, total_rounds
from podium.tournaments.swiss import pair_swiss


def announced_round(
    field: Field, form: Format, *, rematches: bool = False, clubmates: bool = False
) -> Paired:
    """The next round of a format that ends."""
    match form.kind:
        case "swiss":
            return pair_swiss(field, form.rounds or 1, rematches=rematches, clubmates=clubmates)
        case "round-robin":
            return pair_round_robin(field, form.laps)
        case "groups":
            return pair_groups(field, form)
        case "double-knockout":
            return pair_double_knockout(field)
        case _:
            slots = slots_after(starting_slots(field), field.rounds)
            return pair_knockout(field, slots, is_first=not field.rounds)


def is_over(field: Field, form: Format) -> bool:
    """Whether all rounds are paired; an evening has no announced end."""
    if not field.rounds:
        return False
    match form.kind:
        case "swiss":
            return len(field.rounds) >= (form.rounds or 0)
        case "round-robin":
            return len(field.rounds) >= total_rounds(len(field.entrants), form.laps)
        case "groups":
            return len(slots_of_groups(field, form)) == 1
        case "double-knockout":
            return double_bracket_now(field).is_over
        case "knockout":
            return len(slots_after(starting_slots(field), field.rounds)) == 1
        case _:
            return False


def in_knockout(field: Field, form: Format, number: int) -> bool:
    """Whether matches of the round of this number need a winner."""
    return form.needs_winners or (form.kind == "groups" and number > group_rounds(field, form))


def final_standings(field: Field, form: Format) -> list[Standing]:
    """The entrants in order, with what decides between equal points."""
    if form.kind == "double-knockout":
        return standings(field, form, double_bracket_now(field).rounds_survived())
    if form.kind == "groups" and field.rounds:
        survived = {slot: 1 for slot in knockout_slots(field, form) if slot is not None}
        for each in field.rounds[group_rounds(field, form) :]:
            for player in (*each.byes, *(name for game in each.games for name in game.winner or ())):
                survived[player] = survived.get(player, 0) + 1
        return standings(field, form, survived)
    return standings(field, form)


def bracket_matches(field: Field, form: Format) -> list[BracketMatch]:
    """All matches of a knockout, also those that are not paired yet; nothing for other formats."""
    if len(field.entrants) < 2:
        return []
    if form.kind == "knockout":
        return bracket(starting_slots(field), field.rounds)
    if form.kind == "double-knockout":
        return double_bracket_matches(field)
    if form.kind == "groups" and field.rounds:
        return bracket(knockout_slots(field, form), field.rounds[group_rounds(field, form) :])
    return []
