"""Chances of a league from a list of matches: against all courses, and what files may look like."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest

import podium
from cli.command import failed, succeeded
from podium.errors import InputError, UnknownPlayerError
from podium.tournaments.fixtures import Fixture, read_fixtures, simulate_fixtures

RATINGS = {"ann": 1700.0, "bob": 1600.0, "cat": 1500.0, "dan": 1400.0}


def ladder() -> podium.Ladder:
    """Four players of known ratings."""
    found = podium.Ladder("elo")
    for name, mu in RATINGS.items():
        found.adjust(podium.SetRating(player=name, mu=mu))
    return found


def test_chances_are_those_of_all_courses() -> None:
    """Four open matches: every course with its probability, places counted by hand."""
    ratings = ladder()
    fixtures = [
        Fixture("ann", "bob", (2.0, 1.0)),
        Fixture("cat", "dan", (1.0, 1.0)),
        *(Fixture("ann", "cat"), Fixture("bob", "dan"), Fixture("ann", "dan"), Fixture("bob", "cat")),
    ]
    first: Counter[str] = Counter()
    for course in product((True, False), repeat=4):
        points = Counter({"ann": 3.0, "bob": 0.0, "cat": 1.0, "dan": 1.0})
        chance = 1.0
        for won, match in zip(course, fixtures[2:], strict=True):
            win = ratings.expected_score(match.first, match.second)
            chance *= win if won else 1.0 - win
            points[match.first if won else match.second] += 3.0
        best = max(points.values())
        for name, sum_ in points.items():
            first[name] += chance * (sum_ == best)
    found = simulate_fixtures(ratings, fixtures, points=(3.0, 1.0, 0.0), simulations=20_000)
    for name, expected in first.items():
        assert found.title[name] == pytest.approx(
            expected, abs=4 * (expected * (1 - expected) / 20_000) ** 0.5
        )
    assert found.places.sum(axis=1) == pytest.approx(1.0)


def test_a_league_that_is_over_is_certain() -> None:
    found = simulate_fixtures(ladder(), [Fixture("bob", "ann", (1.0, 0.0))], simulations=10)
    assert found.title == {"bob": 1.0, "ann": 0.0}


def test_chances_that_add_up_to_more_than_one_say_why() -> None:
    league = [("ann", "bob"), ("bob", "cat"), ("cat", "ann")]
    shared = simulate_fixtures(ladder(), league, simulations=200)
    assert sum(shared.title.values()) > 1.0  # all win once
    assert repr(shared).startswith("Chances of the title, 200 simulations, a shared title counts for each:")
    assert repr(simulate_fixtures(ladder(), league[:1], simulations=200)).startswith(
        "Chances of the title, 200 simulations:"
    )


def test_what_is_refused() -> None:
    with pytest.raises(UnknownPlayerError, match="zoe"):
        simulate_fixtures(ladder(), [("ann", "zoe")])
    with pytest.raises(InputError, match="themselves"):
        simulate_fixtures(ladder(), [("ann", "ann")])
    with pytest.raises(InputError, match="need a match"):
        simulate_fixtures(ladder(), [])


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "fixtures.csv"
    file.write_text("home,away,score\nann,bob,2:1\ncat,dan,\nann,cat\n", encoding="utf-8")
    assert read_fixtures(file) == [
        Fixture("ann", "bob", (2.0, 1.0)),
        Fixture("cat", "dan"),
        Fixture("ann", "cat"),
    ]
    file.write_text('player\nann\n""\nbob\ncat\n', encoding="utf-8")
    assert read_fixtures(file) == ["ann", None, "bob", "cat"]
    for wrong, words in (
        ("", "empty"),
        ("x,y\n1,2\n", "no columns"),
        ("a,b,score\nx,y,won\n", "not a score"),
    ):
        file.write_text(wrong, encoding="utf-8")
        with pytest.raises(InputError, match=words):
            read_fixtures(file)


def test_on_the_command_line(tmp_path: Path) -> None:
    ladder().save(tmp_path / "season.podium")
    file, season = tmp_path / "fixtures.csv", ("--ladder", str(tmp_path / "season.podium"))
    file.write_text("a,b,score\nann,bob,1:0\ncat,dan,\n", encoding="utf-8")
    said = succeeded("tournament", "chances", str(file), *season, "--points", "3:1:0")
    assert "fixtures: 1,000 simulations" in said
    draw = tmp_path / "draw.csv"
    draw.write_text("ann\nbob\ncat\ndan\n", encoding="utf-8")
    assert "draw: exact" in succeeded("tournament", "chances", str(draw), *season)
    assert "add --ladder" in failed(1, "tournament", "chances", str(draw))
    assert "three numbers" in failed(1, "tournament", "chances", str(file), *season, "--points", "3")
