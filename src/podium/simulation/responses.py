"""How ratings answer to results: by the opponent, and when somebody is suddenly better.

Both are what a system does, with no chance in it. Points are those of Elo's scale, 400 for odds of ten to
one, whatever the system counts in.

>>> import podium
>>> frame = responses_to_opponents({"elo": podium.Elo(k=24), "luck": podium.Luck()}, gaps=(-400, 0, 400))
>>> for system, gap, result, change in frame.filter(result="win").rows():
...     print(f"{system:4} beats somebody {gap:+5.0f} points away: {change:+5.1f}")
elo  beats somebody  -400 points away:  +2.2
elo  beats somebody    +0 points away: +12.0
elo  beats somebody  +400 points away: +21.8
luck beats somebody  -400 points away:  +2.7
luck beats somebody    +0 points away: +11.5
luck beats somebody  +400 points away: +12.2
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from podium.arrays import NO_TIME, Floats
from podium.errors import ParameterError
from podium.history import History, Names
from podium.numerics.normal import normal_quantile
from podium.parameters import check_whole
from podium.simulation.arena import KNOWN_DEVIATION, Arena, true_points
from podium.systems import RatingSystem, list_systems

if TYPE_CHECKING:
    import polars as pl

RESULT_SCORES = {"win": 1.0, "loss": 0.0}
ORDER_SEED = 1
"""The seed of the order in which the matches before were won."""
CAREER_START, FIELD_DEVIATION = 1500.0, 350.0
"""Where ratings of careers begin, and the deviation of the field's."""
RATING_GAPS = tuple(range(-1000, 1001, 40))


def all_systems() -> dict[str, RatingSystem]:
    """Every system with its defaults; Yuksel's in the form for one player among known ones.

    Its other forms take each step from both players, and a known one would hardly let it move.
    """
    made = {name: cls() for name, cls in list_systems().items()}
    return made | {"yuksel": made["yuksel"].changed(form="independent")}


def responses_to_opponents(
    systems: Mapping[str, RatingSystem], gaps: ArrayLike = RATING_GAPS, *, matches: int = 30
) -> pl.DataFrame:
    """What a win and a loss change, by how much stronger the opponent is: system, gap, result, change.

    The player has met equals in as many `matches` before and won half of them, in an irregular order, so that
    a system is as sure as it usually is; the opponent is as well known as they are. It is `mu` that changes.
    """
    import polars as pl

    try:
        apart = np.array(gaps, np.float64, ndmin=1)
    except ValueError:
        apart = np.array([np.nan])
    if apart.ndim != 1 or not np.isfinite(apart).all():
        raise ParameterError(f"gaps are {gaps!r}", hint="numbers of points")
    check_whole("matches", matches, least=0)
    parts = []
    for name, system in _some(systems).items():
        for result, score in RESULT_SCORES.items():
            changes = _changes(system, apart, matches, score)
            parts.append(pl.DataFrame({"system": name, "gap": apart, "result": result, "change": changes}))
    return pl.concat(parts)


def _changes(system: RatingSystem, gap: Floats, matches: int, score: float) -> Floats:
    """Of as many players as there are gaps, who all make this score in the end."""
    players = len(gap)
    own, known = np.arange(players), players + np.arange(players)
    state, arena = system.new_state(2 * players), Arena(2 * players)
    points = true_points(system)
    # Wins and losses in turn would be less than any chance, and Yuksel's system would grow ever surer.
    won = np.random.default_rng(ORDER_SEED).permutation(np.arange(matches) % 2)
    for number, last_score in enumerate([*won.tolist(), score]):
        before, sigma = system.view(state, own, NO_TIME)
        apart = gap / points if number == matches else np.zeros(players)
        system.set_belief(state, known, before + apart, sigma)
        scores = np.full(players, float(last_score))
        system.update(state, arena.history(number, own, known, scores, second_is_known=True), trace=False)
    change: Floats = points * (system.view(state, own, NO_TIME)[0] - before)
    return change


def responses_to_change(
    systems: Mapping[str, RatingSystem],
    *,
    jump: float = 500.0,
    before: int = 40,
    after: int = 20,
    field: int = 99,
) -> pl.DataFrame:
    """Ratings of somebody who is suddenly better, contest by contest: system, contest, rating, target.

    In so many contests `before`, a player takes the place that the system expects of somebody as strong as a
    newcomer is thought to be, and from then on that of one stronger by `jump`, to the nearest half place. The
    `field` are known players around the newcomer's rating with a deviation of 350; contests after the change
    are numbered from 1.
    """
    import polars as pl

    for name, value in {"before": before, "after": after, "field": field}.items():
        check_whole(name, value, least=1)
    if not np.isfinite(jump):
        raise ParameterError(f"a jump of {jump}", hint="a number of points")
    numbers = np.arange(1 - before, after + 1)
    parts = []
    for called, system in _some(systems).items():
        if not system.supports.many:
            raise ParameterError(f"{called} rates matches of two", hint="use a system that rates contests")
        target = np.where(numbers > 0, jump, 0.0)
        rating = CAREER_START + _career(system, target, field)
        parts.append(
            pl.DataFrame(
                {"system": called, "contest": numbers, "rating": rating, "target": CAREER_START + target}
            )
        )
    return pl.concat(parts)


def _career(system: RatingSystem, strength: Floats, field: int) -> Floats:
    """Points above the start after each contest, of somebody who is stronger than that by so many."""
    points = true_points(system)
    state = system.new_state(field + 1)
    start = float(system.start(state)[0][0])
    quantiles = np.fromiter(map(normal_quantile, (np.arange(field) + 0.5) / field), np.float64, field)
    others, player = np.arange(1, field + 1), np.zeros(1, np.int64)
    known, mu = np.full(field, KNOWN_DEVIATION), start + FIELD_DEVIATION * quantiles / points
    rating = np.empty(len(strength))
    for number, above in enumerate(strength.tolist()):
        own = system.view(state, player, NO_TIME)[1]
        beaten = system.win_probability(start + above / points, own, mu, known if own is not None else None)
        system.set_belief(state, others, mu, known)
        system.update(state, _contest(1.0 + field - beaten.sum(), field, number), trace=False)
        rating[number] = system.view(state, player, NO_TIME)[0][0]
    return points * (rating - start)


def _contest(place: float, field: int, number: int) -> History:
    """The first player takes a place among the others, who stand the weakest first; half a place ties."""
    halves = round(2.0 * place)
    own, ranks = halves // 2, np.arange(field, 0, -1)
    behind = ranks > own if halves % 2 else ranks >= own
    held = np.ones(field + 1, np.bool_)
    held[0] = False
    return History(
        players=Names(map(str, range(field + 1))),
        offsets=np.array([0, field + 1]),
        player=np.arange(field + 1, dtype=np.int32),
        rank=np.concatenate(([own], ranks + behind)).astype(np.int32),
        time=np.array([NO_TIME]),
        unrated=held,
        first_number=1 + number,
    )


def _some(systems: Mapping[str, RatingSystem]) -> Mapping[str, RatingSystem]:
    if not systems:
        raise ParameterError("name at least one system")
    return systems
