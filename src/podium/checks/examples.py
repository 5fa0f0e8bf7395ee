"""What the laws are tried on: random histories with whatever a system can use in them; needs Hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from podium.history import Adjustment, Anchor, Event, History, Merge, Release, Rename, Reset, Seed
from podium.systems import Capabilities, RatingSystem

NAMES = ["ann", "bob", "cat", "dan", "eve", "finn"]
DAY = 86_400
START = 1_700_000_000


@st.composite
def events(
    draw: st.DrawFn, can: Capabilities, days: float, *, timed: bool = True, unrated: bool = True
) -> Event:
    """One event a system can use, so many days after the start."""
    names = draw(st.permutations(NAMES))
    n_sides = draw(st.integers(2, 4)) if can.many else 2
    sizes = [draw(st.integers(1, 2)) if can.teams else 1 for _ in range(n_sides)]
    while sum(sizes) > len(names):
        sizes[sizes.index(max(sizes))] -= 1
    sides = [[names.pop() for _ in range(size)] for size in sizes]
    if can.ties:
        ranks = draw(st.lists(st.integers(1, 4), min_size=n_sides, max_size=n_sides))
    else:
        ranks = draw(st.permutations(range(1, n_sides + 1)))
    members = [name for side in sides for name in side]
    share = None
    if can.shares and n_sides == 2 and draw(st.booleans()):
        share = draw(st.floats(0, 1))
    return Event.of(
        teams=sides,
        ranks=ranks,
        share=share,
        time=START + days * DAY if timed else None,
        weight=draw(st.sampled_from([1.0, 0.25, 3.0])) if can.weights else 1.0,
        home=draw(st.none() | st.sampled_from(members)) if can.home else None,
        unrated=draw(st.sets(st.sampled_from(members), max_size=1)) if unrated else (),
        play=draw(st.dictionaries(st.sampled_from(members), st.floats(0.1, 1.0), max_size=2))
        if can.play
        else None,
        ceiling=draw(st.none() | st.just(1700.0)),
    )


@st.composite
def adjustments(draw: st.DrawFn) -> Adjustment:
    """Any adjustment that cannot be refused."""
    player = draw(st.sampled_from(NAMES))
    other = draw(st.sampled_from([name for name in NAMES if name != player]))
    return draw(
        st.sampled_from(
            [
                Seed(
                    player=player, mu=draw(st.floats(500, 2500)), sigma=draw(st.none() | st.floats(10, 400))
                ),
                Anchor(player=player, mu=draw(st.none() | st.floats(500, 2500))),
                Release(player=player),
                Reset(keep=draw(st.floats(0, 1)), toward=draw(st.none() | st.just(1400.0))),
                Rename(player=player, into=f"{player} junior"),
                Merge(player=player, into=other),
            ]
        )
    )


@st.composite
def histories(
    draw: st.DrawFn,
    can: Capabilities,
    *,
    adjusted: bool = True,
    max_events: int = 12,
    timed: bool | None = None,
    unrated: bool = True,
) -> History:
    """A history a system can use, with everything it can use in it."""
    timed = draw(st.booleans()) if timed is None else timed
    items: list[Any] = []
    days = 0.0
    renamed: set[str] = set()
    for _ in range(draw(st.integers(1, max_events))):
        days += draw(st.sampled_from([0.0, 0.01, 0.5, 3.0, 8.0, 40.0, 400.0]))
        items.append(draw(events(can, days, timed=timed, unrated=unrated)))
        if adjusted and draw(st.integers(0, 3)) == 0:
            adjustment = draw(adjustments())
            if isinstance(adjustment, Rename) and adjustment.player in renamed:
                continue
            renamed.update({adjustment.player} if isinstance(adjustment, Rename) else ())
            items.append(adjustment)
    return History.from_events(items)


@st.composite
def extreme_histories(draw: st.DrawFn, can: Capabilities) -> History:
    """Far seeds, tiny and huge deviations and weights, and the same upset again and again."""
    size = draw(st.sampled_from([1.0, 1e3, 1e6, 1e9]))
    items: list[Any] = [
        Seed(
            player="ann", mu=draw(st.floats(-size, size)), sigma=draw(st.sampled_from([1e-9, 1.0, 1e4, 1e9]))
        ),
        Seed(
            player="bob", mu=draw(st.floats(-size, size)), sigma=draw(st.sampled_from([1e-9, 1.0, 1e4, 1e9]))
        ),
    ]
    weight = draw(st.sampled_from([1e-9, 1e-6, 1.0, 1e6])) if can.weights else 1.0
    winner, loser = draw(st.permutations(["ann", "bob"]))
    for day in range(draw(st.integers(1, 30))):
        items.append(Event.of(ranks={winner: 1, loser: 2}, weight=weight, time=START + 9 * DAY * day))
    return History.from_events(items)


def arguments(law: str, system: RatingSystem) -> st.SearchStrategy[dict[str, Any]]:
    """The arguments of a law of `podium.checks.contract_laws`, by its name, beside the system and a twin."""
    can = system.supports
    # Periods of days need times; anything else takes both.
    timed = True if getattr(system, "period", "event") != "event" else None
    whole, unadjusted = histories(can, timed=timed), histories(can, timed=timed, adjusted=False)
    duels = Capabilities(ties=can.ties)
    some = st.booleans().flatmap(lambda rated: histories(can, timed=timed, unrated=rated))
    few = st.booleans().flatmap(lambda rated: histories(duels, timed=timed, unrated=rated))
    needed: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "law_1_pieces": {"history": whole, "cuts": st.lists(st.integers(0, 12), max_size=4)},
        "law_1_columns": {"history": some | few},
        "law_2_names_and_rows": {"history": whole, "seed": st.integers(0, 2**32)},
        "law_3_looking": {"history": histories(can, timed=True, max_events=5)},
        "law_4_saving": {"history": whole, "cut": st.integers(0, 11)},
        "law_5_threads": {"history": whole},
        "law_6_finite": {"history": extreme_histories(can)},
        "law_6_refusal": {},
        "law_7_sums": {"history": whole, "home": st.sampled_from([-1.0, 0.0, 1.0])},
        "law_8_twin": {"history": unadjusted},
        "law_home": {"history": histories(can, timed=True)},
        "law_books": {"history": unadjusted},
        "law_held": {"history": unadjusted},
    }
    return st.fixed_dictionaries(needed[law])
