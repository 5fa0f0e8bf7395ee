"""Cheating, the slow way: everything before each event of the cheat is rated again, results altered by hand.

Section 5.1 of Ebtekar and Liu, "Elo-MMR: A Rating System for Massive Multiplayer Competitions" (2021): a
player plays as they did, then falls to last place whenever their rating is above a threshold, then plays as
they did again.
"""

from collections.abc import Callable
from dataclasses import replace

from .events import Event, Outcome

Rate = Callable[[list[Event]], Outcome]


def moved_last(event: Event, player: str) -> Event:
    """The event with the player's side alone in last place; the others close up."""
    order = sorted(range(len(event.sides)), key=lambda i: event.ranks[i])
    fallen = next(i for i in order if player in event.sides[i])
    order.remove(fallen)
    ranks = [0] * len(order) + [0]
    for place, i in enumerate(order):
        before = order[place - 1]
        tied = place > 0 and event.ranks[before] == event.ranks[i]
        ranks[i] = ranks[before] if tied else place + 1
    ranks[fallen] = len(event.sides)
    return replace(event, ranks=ranks, share=None)


def rating_of(player: str, events: list[Event], rate: Rate, newcomer: float = 1500.0) -> float:
    """The player's rating after these events."""
    found = rate(events).ratings if events else {}
    return found[player][0] if player in found else newcomer


def counts(event: Event, player: str) -> bool:
    """Whether the event is one of the player's own."""
    return player in event.players() and player not in event.held


def farm(
    events: list[Event],
    player: str,
    rate: Rate,
    honest: int,
    farming: int,
    after: int,
    threshold: float | None = None,
) -> tuple[list[Event], list[bool]]:
    """The events as they would be, up to the last one needed, and which of the own ones were thrown.

    One that was lost anyway is not thrown. Without a threshold it is the rating after the honest events.
    """
    altered: list[Event] = []
    thrown: list[bool] = []
    for event in events:
        if len(thrown) == honest + farming + after:
            break
        if counts(event, player):
            rating = rating_of(player, altered, rate)
            if threshold is None and len(thrown) == honest:
                threshold = rating
            above = threshold is not None and rating > threshold
            farms = honest <= len(thrown) < honest + farming and above
            fallen = moved_last(event, player) if farms else event
            thrown.append(fallen.ranks != event.ranks)
            event = fallen
        altered.append(event)
    return altered, thrown


def curve(events: list[Event], player: str, rate: Rate) -> list[float]:
    """The player's rating after each of their own events."""
    return curve_at(events, player, rate, own_events(events, player))


def own_events(events: list[Event], player: str) -> list[int]:
    """Where the player is rated."""
    return [i for i, event in enumerate(events) if counts(event, player)]


def with_new_account(events: list[Event], player: str, honest: int, new: str) -> list[Event]:
    """The events in which the player comes under another name, after so many of their own."""
    altered, own = [], 0
    for event in events:
        mine = counts(event, player)
        if mine and own >= honest:
            event = replace(
                event, sides=[[new if name == player else name for name in side] for side in event.sides]
            )
        own += mine
        altered.append(event)
    return altered


def with_mules(events: list[Event], player: str, honest: int, colluding: int, mules: int) -> list[Event]:
    """The events with new accounts that lose to the player: behind all in contests, before matches."""
    altered, own, made = [], 0, 0
    for event in events:
        mine = counts(event, player)
        if mine and honest <= own < honest + colluding:
            names = [f"mule {made + i}" for i in range(mules)]
            made += mules
            if len(event.sides) > 2:
                ranks = [max(event.ranks) + 1 + i for i in range(mules)]
                event = replace(
                    event, sides=event.sides + [[name] for name in names], ranks=event.ranks + ranks
                )
            else:
                altered += [Event([[player], [name]], [1, 2], time=event.time) for name in names]
        own += mine
        altered.append(event)
    return altered


def leave(
    events: list[Event], player: str, rate: Rate, honest: int, after: int, counted: bool = False
) -> tuple[list[Event], list[bool]]:
    """The events in which the player, who knows the result, is not rated where it would lower the rating.

    With starts that are `counted` the player comes in last instead. Also says which of the own events were
    left.
    """
    altered: list[Event] = []
    left: list[bool] = []
    for event in events:
        if len(left) == honest + after:
            break
        if counts(event, player):
            before = rating_of(player, altered, rate)
            falls = rating_of(player, [*altered, event], rate) < before
            left.append(falls and len(left) >= honest)
            if left[-1]:
                event = moved_last(event, player) if counted else replace(event, held=event.held | {player})
        altered.append(event)
    return altered, left


def curve_at(events: list[Event], player: str, rate: Rate, own: list[int]) -> list[float]:
    """The player's rating after each of these events."""
    return [rating_of(player, events[: i + 1], rate) for i in own]


def with_accomplices(
    events: list[Event], player: str, friends: list[str], honest: int, colluding: int
) -> list[Event]:
    """The events in which friends come in behind the player; before matches each of them loses one."""
    altered, own = [], 0
    for event in events:
        mine = counts(event, player)
        if mine and honest <= own < honest + colluding:
            if len(event.sides) > 2:
                place = {side[0]: float(rank) for side, rank in zip(event.sides, event.ranks, strict=True)}
                ahead = [name for name in friends if name in place and place[name] <= place[player]]
                for number, name in enumerate(sorted(ahead, key=lambda name: place[name])):
                    place[name] = place[player] + 0.01 * (number + 1)
                ranks = [1 + sum(other < place[side[0]] for other in place.values()) for side in event.sides]
                event = replace(event, ranks=ranks, share=None)
            else:
                altered += [Event([[player], [name]], [1, 2], time=event.time) for name in friends]
        own += mine
        altered.append(event)
    return altered


def with_lowest_account(
    events: list[Event], player: str, rate: Rate, honest: int, accounts: list[str]
) -> list[Event]:
    """The events in which the player comes as the account that is rated lowest, the first of equals."""
    altered: list[Event] = []
    own = 0
    for event in events:
        mine = counts(event, player)
        if mine and own >= honest:
            lowest = min(accounts, key=lambda name: rating_of(name, altered, rate))
            sides = [[lowest if name == player else name for name in side] for side in event.sides]
            event = replace(event, sides=sides)
        own += mine
        altered.append(event)
    return altered
