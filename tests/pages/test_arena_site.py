"""The website of an arena: every link leads somewhere, pages say what the fit says."""

from pathlib import Path

import polars as pl
import pytest

import podium
from fitting.worlds import arena
from pages.site_links import broken_links
from podium.pages.arena_page import shown_chance
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
