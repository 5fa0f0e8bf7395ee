"""What the laws are tried on: random histories with whatever a system can use in them; needs Hypothesis.

Hypothesis draws a number, from which a whole history is made: drawing every name and rank takes ten times as
long as the laws do. What breaks a law is made short afterwards (`podium.checks.checking`).
"""

from __future__ import annotations

from random import Random
from typing import Any, TypedDict, TypeVar, Unpack

from hypothesis import strategies as st

from podium.arrays import DAY, SECOND
from podium.history import Adjustment, Anchor, Event, History, Merge, Release, Rename, Reset, SetRating
from podium.history.adjustments import OF_KNOWN_PLAYERS
from podium.systems import Capabilities, RatingSystem

NAMES = ["ann", "bob", "cat", "dan", "eve", "finn"]
SECONDS_A_DAY = DAY // SECOND
START = 1_700_000_000
GAPS = [0.0, 0.01, 0.5, 3.0, 8.0, 40.0, 400.0]
"""Days between events."""

T = TypeVar("T")


def number(chance: Random, low: float, high: float) -> float:
    """Any number of a range, often one where something may go wrong."""
    near = 1e-12 * (high - low)
    odd = [low, high, low + near, high - near, (low + high) / 2]
    return chance.choice(odd) if chance.random() < 0.3 else chance.uniform(low, high)


def perhaps(chance: Random, value: T) -> T | None:
    """The value, or none at all."""
    return value if chance.random() < 0.5 else None


def random_event(
    chance: Random, can: Capabilities, days: float, *, timed: bool = True, unrated: bool = True
) -> Event:
    """One event a system can use, so many days after the start."""
    names = chance.sample(NAMES, len(NAMES))
    n_sides = chance.randint(2, 4) if can.many else 2
    sizes = [chance.randint(1, 2) if can.teams else 1 for _ in range(n_sides)]
    while sum(sizes) > len(names):
        sizes[sizes.index(max(sizes))] -= 1
    sides = [[names.pop() for _ in range(size)] for size in sizes]
    members = [name for side in sides for name in side]
    if can.ties:
        ranks = [chance.randint(1, 4) for _ in sides]
    else:
        ranks = chance.sample(range(1, n_sides + 1), n_sides)
    partly = chance.sample(members, chance.randint(0, 2)) if can.play else []
    share = perhaps(chance, number(chance, 0.0, 1.0)) if can.shares and n_sides == 2 else None
    if share is not None and ranks[0] != ranks[1]:  # the better placed side gets the larger part
        share = (max if ranks[0] < ranks[1] else min)(share, 1.0 - share)
    return Event.of(
        teams=sides,
        ranks=ranks,
        share=share,
        time=START + days * SECONDS_A_DAY if timed else None,
        weight=chance.choice([1.0, 0.25, 3.0]) if can.weights else 1.0,
        home=perhaps(chance, chance.choice(members)) if can.home else None,
        unrated=chance.sample(members, chance.randint(0, 1)) if unrated else (),
        play={name: number(chance, 0.1, 1.0) for name in partly} or None,
        ceiling=perhaps(chance, 1700.0),
    )


def random_adjustment(chance: Random) -> Adjustment:
    """Any adjustment; some need a player who is known."""
    player, other = chance.sample(NAMES, 2)
    mu, sigma = number(chance, 500.0, 2500.0), number(chance, 10.0, 400.0)
    return chance.choice(
        [
            SetRating(player=player, mu=mu, sigma=perhaps(chance, sigma)),
            SetRating(
                player=player,
                display=mu,
                sigma=perhaps(chance, sigma),
                volatility=perhaps(chance, 0.04),
                events=perhaps(chance, chance.randint(0, 40)),
            ),
            Anchor(player=player, mu=perhaps(chance, mu)),
            Release(player=player),
            Reset(keep=number(chance, 0.0, 1.0), toward=perhaps(chance, 1400.0)),
            Rename(player=player, into=f"{player} junior"),
            Merge(player=player, into=other),
        ]
    )


def random_history(
    chance: Random,
    can: Capabilities,
    *,
    adjusted: bool = True,
    max_events: int = 12,
    timed: bool | None = None,
    unrated: bool | None = True,
) -> History:
    """A history a system can use, with everything it can use in it; None leaves something to chance."""
    timed = chance.random() < 0.5 if timed is None else timed
    unrated = chance.random() < 0.5 if unrated is None else unrated
    items: list[Any] = []
    days = 0.0
    known: set[str] = set()
    for _ in range(chance.randint(1, max_events)):
        days += chance.choice(GAPS)
        event = random_event(chance, can, days, timed=timed, unrated=unrated)
        items.append(event)
        known.update(name for side in event.sides for name in side)
        if adjusted and chance.randrange(4) == 0:
            adjustment = random_adjustment(chance)
            if isinstance(adjustment, OF_KNOWN_PLAYERS) and adjustment.player not in known:
                continue
            if isinstance(adjustment, Rename) and adjustment.into in known:
                continue
            known.update(adjustment.players)
            known.difference_update(adjustment.players[:-1])  # the old name of a rename or a merge
            items.append(adjustment)
    return History.from_events(items)


def extreme_history(chance: Random, can: Capabilities) -> History:
    """Ratings set far away, tiny and huge deviations and weights, and the same upset again and again."""
    size = chance.choice([1.0, 1e3, 1e6, 1e9])
    items: list[Any] = [
        SetRating(player=name, mu=number(chance, -size, size), sigma=chance.choice([1e-9, 1.0, 1e4, 1e9]))
        for name in ("ann", "bob")
    ]
    weight = chance.choice([1e-9, 1e-6, 1.0, 1e6]) if can.weights else 1.0
    winner, loser = chance.sample(["ann", "bob"], 2)
    for day in range(chance.randint(1, 30)):
        items.append(
            Event.of(ranks={winner: 1, loser: 2}, weight=weight, time=START + 9 * SECONDS_A_DAY * day)
        )
    return History.from_events(items)


SEEDS = st.integers(0, 2**64 - 1)


class RandomKeywords(TypedDict, total=False):
    """The keywords of `random_history`."""

    adjusted: bool
    max_events: int
    timed: bool | None
    unrated: bool | None


def histories(can: Capabilities, **options: Unpack[RandomKeywords]) -> st.SearchStrategy[History]:
    """Histories as `random_history` makes them."""
    return SEEDS.map(lambda seed: random_history(Random(seed), can, **options))


def extreme_histories(can: Capabilities) -> st.SearchStrategy[History]:
    """Histories as `extreme_history` makes them."""
    return SEEDS.map(lambda seed: extreme_history(Random(seed), can))


def arguments(law: str, system: RatingSystem) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a law, by its name, beside the system and a twin."""
    can = system.supports
    # Periods of days need times; anything else takes both.
    timed = True if getattr(system, "period", "event") != "event" else None
    whole, unadjusted = histories(can, timed=timed), histories(can, timed=timed, adjusted=False)
    duels = Capabilities(ties=can.ties)
    some = histories(can, timed=timed, unrated=None) | histories(duels, timed=timed, unrated=None)
    needed: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "law_1_pieces": {"history": whole, "cuts": st.lists(st.integers(0, 12), max_size=4)},
        "law_1_columns": {"history": some},
        "law_2_names_and_rows": {"history": whole, "seed": st.integers(0, 2**32)},
        "law_3_looking": {"history": histories(can, timed=True, max_events=5)},
        "law_4_saving": {"history": whole, "cut": st.integers(0, 11)},
        "law_4_crafted": {"history": some},
        "law_5_threads": {"history": whole},
        "law_6_finite": {"history": extreme_histories(can)},
        "law_6_refusal": {},
        "law_7_sums": {"history": whole, "home": st.sampled_from([-1.0, 0.0, 1.0])},
        "law_8_twin": {"history": unadjusted},
        "law_home": {"history": histories(can, timed=True)},
        "law_books": {"history": unadjusted},
        "law_ranks": {"history": whole},
        "law_held": {"history": unadjusted},
        "law_imported": {"history": histories(can, timed=True)},
        "law_results": {},
        "law_sides": {},
        "law_forecast": {"history": whole},
        "law_undo": {"history": unadjusted},
        "law_shown": {"history": unadjusted},
        "law_dates": {"history": unadjusted},
        "law_order": {"history": unadjusted},
        "law_series": {},
        "law_members": {},
        "law_opponents": {},
        "law_draws": {"history": whole},
        "law_adjusted": {},
        "law_explained": {"history": whole},
    }
    return st.fixed_dictionaries(needed[law])
