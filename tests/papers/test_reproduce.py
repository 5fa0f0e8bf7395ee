"""`podium reproduce`: what there is, one item, and files that are left when it is stopped."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from cli.command import Terminal, failed, podium_here, said_json, succeeded
from podium_papers import PAPERS, Setting, find_items
from podium_papers.items import Number, Result
from podium_papers.paper_pages import write_item, write_pages


def test_a_list_of_all() -> None:
    said = succeeded("reproduce")
    for paper in PAPERS.values():
        assert f"{paper.name}: {paper.title}" in said
        assert all(f"  {item.name} " in said for item in paper.items.values())


def test_one_item(tmp_path: Path) -> None:
    said = succeeded("reproduce", "elo-mmr", "figure-1", "--out", tmp_path / "out")
    assert "elo-mmr figure-1: " in said
    assert said.rstrip().endswith(f"wrote {tmp_path / 'out' / 'elo-mmr.html'}")
    made = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*")}
    pictures = {"elo-mmr/figure-1.svg", "elo-mmr/figure-1.png"}
    assert made == {"elo-mmr.html", "elo-mmr.md", "elo-mmr/figure-1.json"} | pictures
    (one,) = said_json("reproduce", "elo-mmr", "figure-1")["items"]
    assert one["numbers"] == json.loads((tmp_path / "out/elo-mmr/figure-1.json").read_text())["numbers"]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["elo-mr"], "there is no paper 'elo-mr'\n  hint: did you mean 'elo-mmr'?"),
        (["elo-mmr", "figure-9"], "there is no item of elo-mmr 'figure-9'"),
        (["elo-mmr", "--all"], "all, or elo-mmr alone"),
        (["--quick"], "of which paper? --all makes all of them"),
        (["yuksel", "--contests", __file__], "nothing of what is asked for reads such a file"),
    ],
)
def test_what_there_is_not(given: list[str], reason: str) -> None:
    assert reason in failed(2, "reproduce", *given)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert "there is no file" in failed(1, "reproduce", "elo-mmr", "--contests", tmp_path / "no.csv")
    (tmp_path / "taken").write_text("")
    assert "cannot be a folder" in failed(1, "reproduce", "elo-mmr", "--out", tmp_path / "taken" / "below")


def test_one_that_cannot_be_made_takes_nothing_with_it(tmp_path: Path) -> None:
    """A file of which one item can make nothing; another, of the same paper, needs none."""
    (tmp_path / "few.csv").write_text("winner,loser\nann,bob\n")
    wanted = [*find_items("cowan", "figure-3-2"), *find_items("elo-mmr", "figure-1")]
    with mock.patch("podium_papers.find_items", return_value=wanted):
        given = ["--quick", "--jobs", 1, "--matches", tmp_path / "few.csv", "--out", tmp_path / "out"]
        answer = podium_here("reproduce", "--all", *given)
    assert answer.returncode == 1
    assert answer.stderr.startswith("podium: cowan figure-3-2: few.csv: too few matches")
    assert "elo-mmr figure-1: " in answer.stdout  # what was made is told all the same
    assert "## Figure 1" in (tmp_path / "out/elo-mmr.md").read_text()
    assert not (tmp_path / "out/cowan.md").exists()


def test_a_page_says_what_is_published_and_where(tmp_path: Path) -> None:
    paper, item = find_items("cowan", "figure-5-1")[0]
    number = Number("points <gained>", "12", "seeds 0–19", "523", "Section 5.1", "less | by far")
    result = Result("First.\n\nSecond & last.", [number])
    write_item(paper, item, result, tmp_path, Setting(quick=True, seed=7, matches=Path("some/tennis.csv")))
    write_pages([paper], tmp_path)
    page = (tmp_path / "cowan.html").read_text()
    for said in ("523", "points &lt;gained&gt;", "Section 5.1", "seeds 0–19", "Second &amp; last.", "Seed 7"):
        assert said in page
    assert "quick form" in page
    assert "matches: tennis.csv" in page
    assert "some/" not in page
    table = (tmp_path / "cowan.md").read_text().splitlines()
    assert "| points <gained> | 523 | 12 | less \\| by far | seeds 0–19 | Section 5.1 |" in table
    others = find_items("cowan", "examples")[0]
    write_item(*others, Result("Another.", [number]), tmp_path, Setting(contests=Path("c.csv")))
    write_pages([paper], tmp_path)
    both = (tmp_path / "cowan.md").read_text()
    assert both.index("Another.") < both.index("Second & last.")
    assert "c.csv" not in both


@pytest.mark.long
def test_ctrl_c_takes_nothing_with_it_that_was_done(tmp_path: Path) -> None:
    """The first group is done at once, the second takes minutes."""
    with Terminal("reproduce", "elo-mmr-draft", "--jobs", 2, "--out", "out", cwd=tmp_path) as terminal:
        terminal.wait_for(lambda: (tmp_path / "out/elo-mmr-draft/figure-1.json").exists())
        terminal.type(b"\x03")
        assert terminal.finish() == 130
    assert "podium: interrupted" in terminal.screen
    assert "## Figure 1" in (tmp_path / "out/elo-mmr-draft.md").read_text()
    assert not list(tmp_path.rglob("*.tmp"))
