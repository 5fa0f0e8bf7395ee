"""`--system auto` in the commands that take a system."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import failed, said_json, succeeded

MATCHES = (
    "winner,loser,time\nann,bob,2026-01-01\nann,cat,2026-01-02\nbob,cat,2026-01-03\nann,bob,2026-01-04\n"
)
AUTO = ["--system", "auto", "--set", "experts=few"]


@pytest.fixture
def matches(tmp_path: Path) -> Path:
    path = tmp_path / "matches.csv"
    path.write_text(MATCHES)
    return path


def test_rating_saving_and_going_on(matches: Path, tmp_path: Path) -> None:
    saved, more = tmp_path / "ladder.podium", tmp_path / "more.csv"
    first = said_json("rate", matches, *AUTO, "--save", saved)["ratings"]
    assert [row["player"] for row in first] == ["ann", "bob", "cat"]
    more.write_text("winner,loser,time\ncat,ann,2026-02-01\n")
    later = said_json("rate", more, "--ladder", saved)["ratings"]
    both = tmp_path / "both.csv"
    both.write_text(MATCHES + "cat,ann,2026-02-01\n")
    assert later == said_json("rate", both, *AUTO)["ratings"]


def test_explanations_name_experts(matches: Path) -> None:
    assert "What counts: " in succeeded("explain", matches, "ann", *AUTO)
    opinions = said_json("explain", matches, "ann", *AUTO)["explanation"]["opinions"]
    assert {opinion["expert"].split()[0] for opinion in opinions} == {"elo", "glicko", "weng-lin", "elo-mmr"}


def test_a_file_of_a_system_names_the_list(matches: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('system = "auto"\n[parameters]\nexperts = "few"\nshare = 0.01\n')
    by_file = said_json("rate", matches, "--system", tmp_path / "mine.toml")["ratings"]
    assert by_file == said_json("rate", matches, *AUTO, "--set", "share=0.01")["ratings"]


def test_an_unknown_list_is_refused(matches: Path) -> None:
    said = failed(2, "rate", matches, "--system", "auto", "--set", "experts=fw")
    assert "there is no list of experts 'fw'" in said
    assert "did you mean 'few'?" in said


def test_other_commands(matches: Path) -> None:
    assert said_json("changes", matches, "--event", "4", *AUTO)["changes"]
    assert said_json("what-if", matches, "--without", "4", *AUTO)
    assert said_json("evaluate", matches, "--systems", "auto", "--set", "auto.experts=few")
    assert "share" in succeeded("systems", "auto")
