"""Aliases, near names and repeats on the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli.command import podium_here
from podium import Ladder, tables
from podium.history import History, Reading

MAY = "event,time,player,rank\nr1,2026-05-01,ann,1\nr1,2026-05-01,bob,2\n"
JUNE = "event,time,player,rank\nr2,2026-06-01,ann,1\nr2,2026-06-01,bob,2\n"
GAMES = "winner,loser\nann,bob\nbob,17\nann,bob\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, text in {
        "may.csv": MAY,
        "june.csv": JUNE,
        "games.csv": GAMES,
        "copy.csv": GAMES,
        "aliases.csv": "alias,player\n17,Cat Lee\nb,bob\n",
        "idle.csv": "alias,player\nx,y\n",
    }.items():
        (tmp_path / name).write_text(text)


def run(tmp_path: Path, *arguments: object, status: int = 0) -> tuple[str, str]:
    answer = podium_here(*arguments, cwd=tmp_path)
    assert answer.returncode == status, answer.stderr
    assert "Traceback" not in answer.stderr
    return answer.stdout, answer.stderr


# ------------------------------------------------------------------ repeats


def test_names_that_may_be_one_player(tmp_path: Path) -> None:
    rows = ("Spieler 1;Spieler 2;Ergebnis", "Müller, Hans;Beck, Ute;3:1", "Hans Müller;Ute Beck;2:3")
    table = "\n".join((*rows, "H. Müller;Beck;3:0\n"))
    (tmp_path / "names.csv").write_text(table, encoding="utf-8")
    said = (
        "4 of 6 names may be another name of a player, as 'Müller, Hans' of 'Hans Müller': podium names FILE"
    )
    assert f"warning: {said}" in run(tmp_path, "rate", "names.csv", "--system", "elo")[1]
    assert said not in run(tmp_path, "names", "names.csv", "--out", "named.csv")[1]
    aliased = run(tmp_path, "rate", "names.csv", "--system", "elo", "--aliases", "named.csv")[1]
    assert "may be another name" not in aliased
    assert "2 players" in aliased


def test_the_same_contest_appended_twice(tmp_path: Path) -> None:
    run(tmp_path, "rate", "may.csv", "--save", "saved")
    before = (tmp_path / "saved").read_bytes()
    out, error = run(tmp_path, "rate", "may.csv", "--ladder", "saved", "--save", "saved", status=1)
    assert out == ""
    assert (
        "the event 'r1' of 2026-05-01 is already rated" in error or "this content is already rated" in error
    )
    assert "use --allow-repeat\n" in error  # and nothing about keywords of Python
    assert (tmp_path / "saved").read_bytes() == before
    run(tmp_path, "rate", "june.csv", "--ladder", "saved", "--save", "saved")
    assert Ladder.load(tmp_path / "saved").n_events == 2
    out, _ = run(tmp_path, "rate", "june.csv", "--ladder", "saved", "--allow-repeat")
    assert "2 players, 3 events" in out


@pytest.mark.parametrize("more", [[], ["--chunk-rows", "1"]])
def test_pieces_of_a_rated_file(more: list[str], tmp_path: Path) -> None:
    run(tmp_path, "rate", "may.csv", "--save", "saved", *more)
    _, error = run(tmp_path, "rate", "may.csv", "--ladder", "saved", *more, status=1)
    assert "--allow-repeat" in error


def test_one_contest_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(MAY + JUNE.partition("\n")[2])
    _, error = run(tmp_path, "rate", "may.csv", "all.csv", status=1)
    assert "may.csv, all.csv: the event 'r1' of 2026-05-01 is already rated" in error
    out, _ = run(tmp_path, "rate", "may.csv", "all.csv", "--allow-repeat")
    assert "3 events" in out


@pytest.fixture
def digests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files known by their content."""
    whole = tables.read_history

    def with_digest(path: Path, **options: Any) -> History:
        digest = f"{hash(Path(path).read_bytes()) % 2**64:064x}"[::-1]
        return replace(whole(path, **options), readings=(Reading(str(path), digest=digest),))

    monkeypatch.setattr(tables, "read_history", with_digest)


@pytest.mark.usefixtures("digests")
def test_a_file_of_matches_given_twice(tmp_path: Path) -> None:
    _, error = run(tmp_path, "rate", "games.csv", "copy.csv", status=1)
    assert "copy.csv: a file with this content is already rated" in error
    out, _ = run(tmp_path, "rate", "games.csv", "copy.csv", "--allow-repeat")
    assert "6 events" in out
    run(tmp_path, "rate", "games.csv", "--save", "saved")
    _, error = run(tmp_path, "rate", "copy.csv", "--ladder", "saved", status=1)
    assert "copy.csv: a file with this content is already rated" in error


@pytest.mark.usefixtures("digests")
@pytest.mark.parametrize("command", [["evaluate"], ["tune", "--system", "elo"], ["attack"]])
def test_other_commands_want_each_file_once(command: list[str], tmp_path: Path) -> None:
    _, error = run(tmp_path, *command, "games.csv", "copy.csv", status=1)
    assert "copy.csv has the same content as games.csv\n  hint: give each file once" in error


def test_a_sheet_without_dates_that_has_grown_is_warned_of(tmp_path: Path) -> None:
    """All its matches counted again, in silence: neither names nor times tell them from new ones."""
    header, games = "player a,player b,score a,score b\n", "ann,bob,1,0\nbob,cat,2,1\n"
    (tmp_path / "sheet.csv").write_text(header + games)
    _, error = run(tmp_path, "rate", "sheet.csv", "--save", "club")
    assert "warning" not in error
    (tmp_path / "sheet.csv").write_text(header + games + "cat,ann,1,1\n")
    out, error = run(tmp_path, "rate", "sheet.csv", "--ladder", "club")
    assert "5 events" in out
    assert "warning: 3 events without a name and without a time after the ladder's last event" in error
    (tmp_path / "later.csv").write_text("date,player a,player b,score a,score b\n2026-01-02,ann,bob,1,0\n")
    _, error = run(tmp_path, "rate", "later.csv", "--ladder", "club")
    assert "warning" not in error


def test_repeats_are_of_one_ladder(tmp_path: Path) -> None:
    _, error = run(tmp_path, "rate", "games.csv", "--by", "winner", "--allow-repeat", status=2)
    assert "--allow-repeat" in error


# ------------------------------------------------------------------ aliases


def test_ids_get_names(tmp_path: Path) -> None:
    out, error = run(tmp_path, "rate", "games.csv", "--aliases", "aliases.csv")
    assert "Cat Lee" in out
    assert "1 name by aliases" in error
    out, _ = run(tmp_path, "rate", "games.csv", "--aliases", "aliases.csv", "--chunk-rows", 1)
    assert "Cat Lee" in out


def test_a_player_asked_for_by_an_alias(tmp_path: Path) -> None:
    out, _ = run(tmp_path, "explain", "games.csv", "17", "--aliases", "aliases.csv", "--system", "elo")
    assert out.startswith("Cat Lee")
    run(tmp_path, "rate", "games.csv", "--aliases", "aliases.csv", "--save", "saved")
    out, _ = run(tmp_path, "explain", "saved", "17", "--aliases", "aliases.csv")
    assert out.startswith("Cat Lee")
    out, _ = run(tmp_path, "smooth", "games.csv", "--player", "b", "--aliases", "aliases.csv", "--json")
    assert {row["player"] for row in json.loads(out)["rows"]} == {"bob"}


def test_those_who_wait(tmp_path: Path) -> None:
    (tmp_path / "waiting.csv").write_text("player,mu,met\n17,1500,\nb ,1500,\nann,1500,b; 17\n")
    out, _ = run(tmp_path, "match", "waiting.csv", "--aliases", "aliases.csv", "--json")
    said = json.loads(out)
    assert {name for match in said["matches"] for side in match["sides"] for name in side["players"]} == {
        "Cat Lee",
        "bob",
    }
    assert said["alone"] == ["ann"]  # who has met both


def test_aliases_that_stand_nowhere(tmp_path: Path) -> None:
    for more in ([], ["--chunk-rows", 1], ["june.csv"]):
        _, error = run(tmp_path, "rate", "may.csv", *more, "--aliases", "idle.csv")
        assert error.count("warning: none of the aliases (1) appears in the results") == 1
    (tmp_path / "june.csv").write_text(JUNE.replace("bob", "x"))
    _, error = run(tmp_path, "rate", "may.csv", "june.csv", "--aliases", "idle.csv")
    assert "none of the aliases" not in error


def test_bad_aliases_are_refused_with_their_row(tmp_path: Path) -> None:
    (tmp_path / "idle.csv").write_text("alias,player\na,b\nb,a\n")
    _, error = run(tmp_path, "evaluate", "games.csv", "--aliases", "idle.csv", status=1)
    assert "idle.csv, line 3: the aliases form a circle" in error


def test_many_ladders(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("game,winner,loser\nchess,17,bob\ngo,ann,bob\nchess,Bob,ann\n")
    out, error = run(tmp_path, "rate", "two.csv", "--by", "game", "--aliases", "aliases.csv", "--jobs", 1)
    assert "chess" in out
    assert "warning: 'bob' and 'Bob' may be one player" in error
    assert "none of the aliases" not in error


# ------------------------------------------------------------------ near names


def test_near_names_are_said_once(tmp_path: Path) -> None:
    (tmp_path / "near.csv").write_text("winner,loser\nanna,bob\nAnna,bob\n")
    _, error = run(tmp_path, "rate", "near.csv")
    assert error.count("warning: 'anna' and 'Anna' may be one player: merge them with --aliases FILE") == 1


@pytest.mark.parametrize("more", [[], ["--chunk-rows", 1]])
def test_names_near_to_those_of_a_ladder(more: list[object], tmp_path: Path) -> None:
    run(tmp_path, "rate", "may.csv", "--save", "saved")
    (tmp_path / "june.csv").write_text(
        JUNE.replace("bob", "BOB") + "r3,2026-06-02,Ann,1\nr3,2026-06-02,cat,2\n"
    )
    _, error = run(tmp_path, "rate", "june.csv", "--ladder", "saved", *more)
    assert "warning: 'bob' of the ladder and 'BOB'" in error
    assert "'ann' of the ladder and 'Ann'" in error
    (tmp_path / "june.csv").write_text(JUNE)
    _, error = run(tmp_path, "rate", "june.csv", "--ladder", "saved", *more)
    assert "of the ladder" not in error


@pytest.mark.parametrize(
    "command",
    [
        ("rate", "may.csv", "--out"),
        ("rate", "may.csv", "--by", "event", "--out"),
        ("evaluate", "may.csv", "--out"),
        ("smooth", "may.csv", "--out"),
        ("tune", "may.csv", "--out"),
        ("attack", "may.csv", "--out"),
    ],
)
def test_an_output_does_not_overwrite_the_aliases(tmp_path: Path, command: tuple[str, ...]) -> None:
    before = (tmp_path / "aliases.csv").read_bytes()
    _, error = run(tmp_path, *command, "aliases.csv", "--aliases", "aliases.csv", status=2)
    assert "would be overwritten" in error
    assert (tmp_path / "aliases.csv").read_bytes() == before
