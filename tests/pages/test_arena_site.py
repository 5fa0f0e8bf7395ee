"""The website of an arena: every link leads somewhere, pages say what the fit says."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import podium
from fitting.worlds import arena
from pages.site_links import broken_links
from podium.pages.arena_page import arena_page, shown_chance
from podium.pages.arena_site import write_arena_site


@pytest.fixture(scope="module")
def fit() -> podium.Fit:
    return podium.fit(arena(3, 6, 2_000)[1])


def test_every_player_has_a_page_with_all_opponents(fit: podium.Fit, tmp_path: Path) -> None:
    written = write_arena_site(tmp_path / "site", fit, "Models <& essays>")
    assert written.pages == 7
    assert broken_links(tmp_path / "site") == []
    board = written.index.read_text()
    assert "Models &lt;&amp; essays&gt;" in board
    assert all(f'/{name}_.html">' in board for name in fit.players)
    page = (tmp_path / "site" / "players" / "m" / "m2_.html").read_text()
    votes = fit.matches.filter((pl.col("player") == "m2") | (pl.col("opponent") == "m2"))
    assert all(f'data-value="{each}"' in page for each in votes["votes"].to_list())
    assert "Ask next: " in board
    assert fit.misfit in board
    kept = pl.read_csv(tmp_path / "site" / "downloads" / "strengths.csv")
    assert kept["player"].to_list() == fit.strengths["player"].to_list()


def test_both_sides_of_a_pair_agree(fit: podium.Fit) -> None:
    from podium.documents.arena_documents import arena_player_documents

    found = {one["strength"]["player"]: one["opponents"] for one in arena_player_documents(fit)}
    mine = next(one for one in found["m0"] if one["opponent"] == "m1")
    theirs = next(one for one in found["m1"] if one["opponent"] == "m0")
    assert (mine["wins"], mine["ties"], mine["losses"]) == (theirs["losses"], theirs["ties"], theirs["wins"])
    expected = fit.expected_score("m1", "m0")
    assert (theirs["expected"], theirs["low"], theirs["high"]) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert mine["z"] == -theirs["z"]


def test_a_site_of_rankings_is_its_board(tmp_path: Path) -> None:
    races = podium.History.from_events(
        [{"ranks": {"a": 1, "b": 2, "c": 3}}, {"ranks": {"c": 1, "a": 2, "b": 3}}]
    )
    assert write_arena_site(tmp_path / "site", podium.fit(races), "Races").pages == 1


def test_what_is_the_same_is_not_written_again(fit: podium.Fit, tmp_path: Path) -> None:
    write_arena_site(tmp_path / "site", fit, "Models")
    again = write_arena_site(tmp_path / "site", fit, "Models")
    assert (again.written, again.linked) == (0, 7)


def test_a_possible_chance_is_not_shown_as_none() -> None:
    assert [shown_chance(p) for p in (0.0, 0.001, 0.37, 0.999, 1.0)] == ["0%", "<1%", "37%", ">99%", "100%"]


def test_a_report_is_for_people() -> None:
    """Counts and intervals are in the matrix, small pictures stay small and no number has 15 digits."""
    _, votes = arena(3, 6, 6_000, voters=40, spread=1.0)
    outcome = np.where(votes.cluster == 7, np.arange(6_000) % 3, votes.outcome)
    page = arena_page(podium.fit(replace(votes, outcome=outcome), position=True), "Models")
    fit = podium.fit(votes)
    first = fit.matches.row(0, named=True)
    assert f"{first['votes']:,.0f} votes" in page
    assert "Voter 7 votes like coin flips" in page
    assert re.search(r"--width: [345]\d\dpx", page)
    assert not re.search(r"<td[^>]*>-?\d+\.\d{5}", page)


def test_reports_and_sites_name_components(tmp_path: Path) -> None:
    history = podium.History.from_matches(["a", "b", "c", "d"], ["b", "a", "d", "c"])
    board = write_arena_site(tmp_path / "site", podium.fit(history), "Two groups").index.read_text()
    assert "Component</th>" in board
    assert "component</th>" in arena_page(podium.fit(history), "Two groups")
    assert "component</th>" not in arena_page(podium.fit(arena(3, 6, 2_000)[1]), "One group")
