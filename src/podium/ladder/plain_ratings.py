"""Rating single matches without a ladder, for callers who keep the ratings in a table of their own."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import Floats
from podium.errors import InputError, UnsupportedError
from podium.history import Event, Names
from podium.history.adjustments import LARGEST_RATING, SMALLEST_SIGMA
from podium.history.history import history_of_values
from podium.systems import RatingSystem, State, System, hinting_at_others, system_meant
from podium.systems.contract.state import COMMON
from podium.text import shorten

PlainRating = Sequence[float] | float
"""A rating as `rate_match` takes it: the numbers of the system, or `mu` alone where it has one number."""

EXPERIENCED = 1_000
"""Earlier events of a player whose rating is given: more than any system counts a newcomer's."""
_NUMBERS = frozenset({*COMMON, "mu", "variance", "volatility", "unknown"})
"""Columns of a state that the numbers of a rating decide."""
_COUNTING = ("newcomer_k", "newcomer_weights")
"""Parameters by which a result counts differently in a player's first events."""
_OPEN_PERIOD = frozenset({"information", "surprise", "in_period", "period"})
"""Columns that are empty between events, unless a rating period holds several."""


def rate_match(
    system: System,
    teams: Sequence[Sequence[PlainRating | None]],
    ranks: Sequence[int] | None = None,
    *,
    scores: Sequence[float] | None = None,
    weight: float = 1.0,
) -> list[list[tuple[float, ...]]]:
    """Rate one match from ratings that you keep yourself, and return the ratings after it.

    A rating is ``(mu, sigma)``, for Glicko-2 ``(mu, sigma, volatility)``, and for systems without a deviation
    ``mu``. None means a newcomer. Systems that remember more of a player, such as Elo-MMR's
    performances or the number of earlier events, are refused. Time away from the game is not counted: see
    `Ladder`.

    Args:
        system: A system or its name.
        teams: The teams, each a list of its players' ratings. A single player is a list of one.
        ranks: The rank of each team, 1 is best, and equal ranks are ties. Default: the first team won, the
            second came next, and so on.
        scores: In place of ranks: the score of each team. Higher is better.
        weight: How much the match counts.

    Returns:
        The ratings after the match, in the order given: tuples with all numbers of the system.

    >>> import podium
    >>> ann, bob = (25.0, 8.333), (30.0, 4.0)
    >>> [[ann], [bob]] = podium.rate_match("trueskill", [[ann], [bob]], ranks=[1, 2])
    >>> [round(number, 2) for number in ann]
    [32.03, 6.35]
    >>> podium.rate_match("elo", [[1500], [None]], scores=[2, 2])
    [[(1500.0,)], [(1500.0,)]]
    """
    chosen = system_meant(system)
    _check_plain(chosen)
    given = [rating for team in teams for rating in team]
    if None in given and getattr(chosen, "newcomer_start", "fixed") == "adaptive":
        raise UnsupportedError(
            f"{chosen.label} starts newcomers where earlier ones turned out to be, which is not known here",
            hint="give each newcomer a rating, use a Ladder, or set newcomer_start=fixed",
        )
    state = _state_of(chosen, given)
    names = Names([str(player) for player in range(len(given))])
    members = iter(names.to_list())
    sides = [[next(members) for _ in team] for team in teams]
    if ranks is None and scores is None:
        ranks = range(1, len(sides) + 1)
    history = history_of_values((Event.of(teams=sides, ranks=ranks, scores=scores, weight=weight),), names)
    with hinting_at_others():
        chosen.update(state, history, trace=False)
    rated = iter(_numbers_of(chosen, state))
    return [[next(rated) for _ in team] for team in teams]


def _check_plain(system: RatingSystem) -> None:
    """Refuse a system for which the numbers of a rating are not enough."""
    allowed = _NUMBERS | (_OPEN_PERIOD if getattr(system, "period", "event") == "event" else set())
    columns = {*system.newcomer()}
    counts_events = any(getattr(system, name, None) for name in _COUNTING)
    counts_events |= "volatility" in columns and not system.has_volatility  # Topcoder's weights of experience
    if not columns <= allowed or system.remembered_terms() or counts_events:
        raise UnsupportedError(
            f"{system.label} remembers more of a player than the numbers of a rating",
            hint="use a Ladder, or one of elo, glicko, glicko2, elo-mmx, trueskill and weng-lin",
        )


def _state_of(system: RatingSystem, given: Sequence[PlainRating | None]) -> State:
    """A state with a player for each rating; those of newcomers are the system's."""
    state = system.new_state(len(given))
    known = np.array([number for number, rating in enumerate(given) if rating is not None], np.int64)
    if len(known):
        wanted = 1 + system.has_sigma + system.has_volatility
        columns = np.array([_numbers(system, given[player], wanted) for player in known.tolist()]).T
        sigma: ArrayLike | None = columns[1] if system.has_sigma else None
        system.set_belief(state, known, columns[0], sigma)
        if system.has_volatility:
            state["volatility"][known] = columns[2]
        state["known"][known], state["events"][known] = True, EXPERIENCED
    return state


def _numbers(system: RatingSystem, rating: PlainRating | None, wanted: int) -> tuple[float, ...]:
    """A rating as so many numbers, each of which may be one."""
    numbers = tuple(rating) if isinstance(rating, Sequence) and not isinstance(rating, str) else (rating,)
    lows = (-LARGEST_RATING, SMALLEST_SIGMA, 1e-6)
    if len(numbers) != wanted or not all(
        isinstance(number, Real) and low <= number <= LARGEST_RATING
        for number, low in zip(numbers, lows, strict=False)
    ):
        form = ("mu", "(mu, sigma)", "(mu, sigma, volatility)")[wanted - 1]
        raise InputError(
            f"a rating of {system.name} is {form}, not {shorten(repr(rating))}",
            hint="None means a newcomer",
        )
    return tuple(float(number) for number in numbers if number is not None)


def _numbers_of(system: RatingSystem, state: State) -> list[tuple[float, ...]]:
    """All numbers of each player's rating."""
    view = system.ratings(state)
    columns: list[Floats] = [view.mu]
    if view.sigma is not None:
        columns.append(view.sigma)
    if system.has_volatility:
        columns.append(state.column("volatility"))
    return list(zip(*(column.tolist() for column in columns), strict=True))
