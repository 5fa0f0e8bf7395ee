"""`--system FILE.toml`: a system from a file wherever one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.command import failed, said_json, succeeded
from podium import Elo, EloMMR, Ladder, save_system


@pytest.fixture
def best(tmp_path: Path) -> Path:
    save_system(Elo(k=24, mu=1000), tmp_path / "best.toml")
    return tmp_path / "best.toml"


def test_rate_with_a_file(results: Path, best: Path, tmp_path: Path) -> None:
    by_file = said_json("rate", results, "--system", best)
    assert by_file == said_json("rate", results, "--system", "elo", "--set", "k=24", "--set", "mu=1000")
    changed = said_json("rate", results, "--system", best, "--set", "k=16")
    assert (changed["parameters"]["k"], changed["parameters"]["mu"]) == (16, 1000)
    saved = tmp_path / "saved.podium"
    succeeded("rate", results, "--system", best, "--save", saved)
    assert Ladder.load(saved).system == Elo(k=24, mu=1000)
    assert "saved.podium is of elo" in failed(
        1, "rate", results, "--system", best, "--set", "k=16", "--ladder", saved
    )


def test_explain_and_match_and_simulate_with_a_file(results: Path, best: Path, tmp_path: Path) -> None:
    player = said_json("rate", results, "--top", 1)["ratings"][0]["player"]
    said = [
        said_json("explain", results, player, "--system", s, *more)
        for s, *more in ([best], ["elo", "--set", "k=24", "--set", "mu=1000"])
    ]
    assert said[0] == said[1]
    (tmp_path / "waiting.csv").write_text("player,mu\na,1000\nb,1010\n")
    assert said_json("match", tmp_path / "waiting.csv", "--system", best)["parameters"]["k"] == 24
    options = ["--players", 60, "--days", 1, "--matcher", "nearest"]
    game = said_json("simulate", "game", "--system", best, *options)
    assert game["systems"]["best"]["parameters"]["mu"] == 1000


def test_systems_shows_a_file(best: Path, tmp_path: Path) -> None:
    said = succeeded("systems", best)
    assert said.startswith("elo: ")
    assert "--set k=24  (usually 32)\n" in said
    assert "--set newcomer_k=none\n" in said
    document = said_json("systems", best)["systems"]["elo"]["parameters"]["k"]
    assert (document["value"], document["default"]) == (24, 32)
    save_system(EloMMR.from_limits(100, 0.1), tmp_path / "limits.toml")
    assert "--set sigma_limit=100  (usually 80)" in succeeded("systems", tmp_path / "limits.toml")


def test_a_bad_file_is_refused(results: Path, tmp_path: Path) -> None:
    assert "there is no such file" in failed(1, "rate", results, "--system", tmp_path / "no.toml")
    (tmp_path / "bad.toml").write_text('system = "elo"\n[parameters]\nkk = 3\n')
    said = failed(2, "rate", results, "--system", tmp_path / "bad.toml")
    assert f"{tmp_path / 'bad.toml'}: elo has no parameter 'kk'\n  hint: did you mean 'k'?" in said
