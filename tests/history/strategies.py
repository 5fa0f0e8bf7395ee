"""Random histories with everything a history can hold."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from podium.history import Anchor, Event, History, Merge, Release, Rename, Reset, SetRating
from podium.history.adjustments import Adjustment
from podium.history.names import tidy_name
from podium.history.times import EARLIEST, LATEST, to_datetime

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")  # a file with zeros is no text
_texts = st.text(letters, min_size=1, max_size=8) | st.sampled_from(
    [
        "a,b",
        'say "hi"',
        "two\nlines",
        "tab\there",
        "007",
        "7",
        "null",
        "NA",
        "🏆 ünïcode",
        " padded ",
        "#1",
        "\r\n"[0] + "x",
    ]
)
names = _texts.map(tidy_name).filter(lambda name: name not in ("", "-", r"\N", r"\\N"))
"""As they come out of a file again."""
finite = st.floats(allow_nan=False, allow_infinity=False)
ratings = st.floats(-1e9, 1e9)
deviations = st.floats(1e-9, 1e9)
moments = st.integers(EARLIEST, LATEST)


def agreeing_share(share: float, words: dict[str, Any]) -> float:
    """The share of the first team, or the rest of the point: whichever fits its rank."""
    one, other = Event.of(**words).ranks
    return share if one == other else (max if one < other else min)(share, 1.0 - share)


@st.composite
def event_words(draw: st.DrawFn, players: list[str], *, teams: bool = True) -> dict[str, Any]:
    """An event in the words of `Event.of`, without time and name."""
    chosen = draw(st.lists(st.sampled_from(players), min_size=2, max_size=len(players), unique=True))
    sides: list[list[str]] = [[name] for name in chosen]
    if teams and len(chosen) > 2 and draw(st.booleans()):
        cut = draw(st.integers(1, len(chosen) - 1))
        sides = [chosen[:cut], chosen[cut:]]
        if len(sides[1]) > 1 and draw(st.booleans()):
            sides = [sides[0], sides[1][:1], sides[1][1:]]
    words: dict[str, Any] = {"teams": sides}
    if draw(st.booleans()):
        words["ranks"] = draw(st.lists(st.integers(1, 9), min_size=len(sides), max_size=len(sides)))
    else:
        words["scores"] = draw(st.lists(finite, min_size=len(sides), max_size=len(sides)))
        words["lower_is_better"] = draw(st.booleans())
    if len(sides) == 2 and draw(st.booleans()):
        words["share"] = agreeing_share(draw(st.floats(0, 1)), words)
    if draw(st.booleans()):
        words["home"] = draw(st.sampled_from(chosen))
    if draw(st.booleans()):
        words["weight"] = draw(st.floats(1e-9, 1e6))
    if draw(st.booleans()):
        words["unrated"] = draw(st.lists(st.sampled_from(chosen), unique=True))
    if draw(st.booleans()):
        words["play"] = draw(st.dictionaries(st.sampled_from(chosen), st.floats(1e-3, 1.0)))
    if draw(st.booleans()):
        words["ceiling"] = draw(finite)
    return words


@st.composite
def adjustments(draw: st.DrawFn, players: list[str]) -> Adjustment:
    one, two = draw(st.lists(st.sampled_from(players), min_size=2, max_size=2, unique=True))
    return draw(
        st.one_of(
            st.builds(SetRating, player=st.just(one), mu=ratings, sigma=st.none() | deviations),
            st.builds(
                SetRating,
                player=st.just(one),
                display=ratings,
                sigma=st.none() | deviations,
                volatility=st.none() | st.floats(0.01, 1.0),
                events=st.none() | st.integers(0, 1000),
            ),
            st.builds(Anchor, player=st.just(one), mu=st.none() | ratings, sigma=st.none() | deviations),
            st.just(Release(player=one)),
            st.builds(Reset, keep=st.floats(0, 1), toward=st.none() | ratings),
            st.just(Rename(player=one, into=two)),
            st.just(Merge(player=one, into=two)),
        )
    )


@st.composite
def histories(draw: st.DrawFn, *, teams: bool = True, adjusted: bool = True, max_events: int = 5) -> History:
    """Events in order of time, or without times."""
    players = draw(st.lists(names, min_size=2, max_size=6, unique=True))
    words = draw(st.lists(event_words(players, teams=teams), min_size=1, max_size=max_events))
    if draw(st.booleans()):
        times = draw(st.lists(moments, min_size=len(words), max_size=len(words)))
        for event, time in zip(words, times, strict=True):
            event["time"] = to_datetime(time)
    if draw(st.booleans()):
        labels = draw(st.lists(names, min_size=len(words), max_size=len(words), unique=True))
        for event, label in zip(words, labels, strict=True):
            event["name"] = label
    items: list[Any] = list(words)
    if adjusted:
        for adjustment in draw(st.lists(adjustments(players), max_size=3)):
            items.insert(draw(st.integers(0, len(items))), adjustment)
    return History.from_events(items)


@st.composite
def match_histories(draw: st.DrawFn, max_events: int = 5) -> History:
    """Matches of two players with everything a table of matches can say."""
    players = draw(st.lists(names, min_size=2, max_size=5, unique=True))
    pair = st.lists(st.sampled_from(players), min_size=2, max_size=2, unique=True)
    scored, timed, named = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    share = st.sampled_from([0.0, 0.5, 1.0]) | st.floats(0, 1)
    events = []
    for number in range(draw(st.integers(1, max_events))):
        a, b = draw(pair)
        if scored:
            words: dict[str, Any] = {"scores": {a: draw(finite), b: draw(finite)}}
        else:
            part = draw(share)
            words = {"teams": [[a], [b]], "ranks": [1 + (part < 0.5), 1 + (part > 0.5)]}
            words |= {} if part in (0.0, 0.5, 1.0) else {"share": part}
        words["home"] = draw(st.sampled_from([a, b, None]))
        words["unrated"] = draw(st.sampled_from([(), (a, b)]))
        words["weight"] = draw(st.sampled_from([1.0, 2.5]))
        words["ceiling"] = draw(st.sampled_from([None, 2400.0]))
        words["time"] = to_datetime(draw(moments)) if timed else None
        words["name"] = f"match {number}" if named else None
        events.append(words)
    return History.from_events(events)
