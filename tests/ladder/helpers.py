"""What the tests of ladders share: systems of every kind, and everything a ladder holds, to the last bit."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from podium import Anchor, Elo, Event, Glicko, Glicko2, Ladder, Merge, Release, Rename, Reset, SetRating
from podium.history import Adjustment
from podium.systems import RatingSystem

SYSTEMS: list[RatingSystem] = [
    Elo(),
    Elo(k=20, newcomer_k=60, newcomer_events=3, period="7d", home_advantage=40, draw_rate=0.3),
    Glicko(periods_per_day=0.3, team="sum"),
    Glicko2(period="7d", home_advantage=-30),
]
NAMES = ["ann", "bob", "cat", "dan", "eve"]
START = 1_700_000_000
DAY = 86_400


def label(system: RatingSystem) -> str:
    return f"{system.name}-{system.parameters()['period']}"


def content(ladder: Ladder) -> dict[str, Any]:
    """Everything a ladder holds, comparable to the last bit."""
    state = ladder.state
    return {
        "columns": {name: state.column(name).tobytes() for name in state.columns},
        "shared": {name: value.tobytes() for name, value in state.shared.items()},
        "anchors": state.has_anchors,
        "size": state.size,
        "names": ladder.players.to_list(),
        "last_time": ladder.last_time,
        "n_events": ladder.n_events,
    }


def some_season(system: RatingSystem) -> Ladder:
    """A ladder with a bit of everything behind it, in the middle of a rating period."""
    ladder = Ladder(system)
    ladder.record_match("ann", "bob", time=START)
    ladder.record(ranks={"ann": 2, "bob": 1, "cat": 1}, time=START + DAY, name="cup", home="bob")
    ladder.record(teams=[["ann", "dan"], ["bob", "cat"]], ranks=[1, 2], time=START + 20 * DAY, weight=2.0)
    ladder.adjust(Anchor(player="cat"))
    ladder.record(scores={"cat": 3, "dan": 1, "guest": 2}, unrated=["guest"], time=START + 21 * DAY)
    return ladder


@st.composite
def events(draw: st.DrawFn, time: float | None) -> Event:
    """Any event of the five."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(2, 5))]
    teams: list[list[str]] = [[name] for name in names]
    if len(names) > 3 and draw(st.booleans()):
        teams = [names[:2], names[2:]]
    ranks = draw(st.lists(st.integers(1, 3), min_size=len(teams), max_size=len(teams)))
    share = draw(st.none() | st.floats(0, 1)) if len(teams) == 2 else None
    if share is not None and ranks[0] != ranks[1]:  # the better placed side gets the larger part
        share = (max if ranks[0] < ranks[1] else min)(share, 1.0 - share)
    return Event.of(
        teams=teams,
        ranks=ranks,
        time=time,
        share=share,
        weight=draw(st.sampled_from([1.0, 0.5])),
        home=draw(st.none() | st.sampled_from(names)),
        unrated=draw(st.sets(st.sampled_from(names), max_size=1)),
    )


def adjustments() -> st.SearchStrategy[Adjustment]:
    """Any adjustment of the five, which a ladder may refuse."""
    player, into = st.sampled_from(NAMES), st.sampled_from([*NAMES, "fresh", "another"])
    mu, sigma = st.floats(800, 2200), st.none() | st.floats(20, 400)
    two = st.tuples(player, into).filter(lambda pair: pair[0] != pair[1])
    return st.one_of(
        st.builds(SetRating, player=into, mu=mu, sigma=sigma),
        st.builds(SetRating, player=into, display=mu, sigma=sigma, events=st.integers(0, 99)),
        st.builds(Anchor, player=into, mu=st.none() | mu, sigma=sigma),
        st.builds(Release, player=player),
        st.builds(Reset, keep=st.floats(0, 1), toward=st.none() | mu),
        two.map(lambda pair: Rename(player=pair[0], into=pair[1])),
        two.map(lambda pair: Merge(player=pair[0], into=pair[1])),
    )
