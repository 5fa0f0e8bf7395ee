"""Aliases: names and ids in a file that mean a player."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import History, InputError, ReadingWarning, read_chunks, read_history
from podium.history import Merge, SetRating
from podium.ladder.many_ladders import rate_ladders
from podium.tables.names.aliases import Aliases

GAMES = "winner,loser\n17,anna\nbob,Anna Berg\n"


def read(tmp_path: Path, text: str, **options: Any) -> History:
    (tmp_path / "r.csv").write_text(text)
    return read_history(tmp_path / "r.csv", **options)


def file(tmp_path: Path, text: str, name: str = "aliases.csv") -> Path:
    (tmp_path / name).write_bytes(text.encode())
    return tmp_path / name


def test_a_mapping(tmp_path: Path) -> None:
    history = read(tmp_path, GAMES, aliases={"anna": "Anna Berg", 17: "Cat Lee"})
    assert history.players.to_list() == ["Cat Lee", "Anna Berg", "bob"]
    assert [event.sides for event in history] == [(("Cat Lee",), ("Anna Berg",)), (("bob",), ("Anna Berg",))]
    assert "2 names by aliases" in history.readings[0].guesses


@pytest.mark.filterwarnings("ignore:.*the first line:podium.ReadingWarning")
@pytest.mark.parametrize(
    "header",
    ["alias,player", "Alias,Player", "id,name", "handle,real_name", "from,to", "name,player", "what,ever"],
)
def test_a_file(header: str, tmp_path: Path) -> None:
    aliases = file(tmp_path, f"{header}\nanna,Anna Berg\n17 ,Cat Lee\n")
    assert read(tmp_path, GAMES, aliases=aliases).players.to_list() == ["Cat Lee", "Anna Berg", "bob"]


def test_columns_in_another_order_and_others_beside_them(tmp_path: Path) -> None:
    aliases = file(tmp_path, "real name,country,id\nAnna Berg,SE,anna\n")
    assert Aliases.of(aliases)["anna"] == "Anna Berg"
    with pytest.raises(InputError, match=r"aliases.csv: the columns \(a, b, c\) do not show which"):
        Aliases.of(file(tmp_path, "a,b,c\n1,2,3\n"))


def test_other_tables(tmp_path: Path) -> None:
    tsv = file(tmp_path, "alias\tplayer\nanna\tAnna Berg\n", "a.tsv")
    pl.DataFrame({"id": [17], "name": ["Cat Lee"]}).write_parquet(tmp_path / "a.parquet")
    assert dict(Aliases.of(tsv)) == {"anna": "Anna Berg"}
    assert dict(Aliases.of(tmp_path / "a.parquet")) == {"17": "Cat Lee"}
    with pytest.raises(InputError, match="there is no such file"):
        Aliases.of(tmp_path / "none.csv")
    with pytest.raises(InputError, match="aliases must be a table"):
        Aliases.of(file(tmp_path, "x", "a.pgn"))


def test_a_chain_is_followed_to_its_end() -> None:
    aliases = Aliases.of({"a": "b", "b": "c", "d": "d"})
    assert aliases.applied(["a", "b", "c", "d", "e"]) == ["c", "c", "c", "d", "e"]


@pytest.mark.parametrize(
    ("rows", "line", "reason"),
    [
        ("a,b\nb,c\nc,a\n", 4, "the aliases form a circle: 'b' → 'c' → 'a' → 'b'"),
        ("a,b\nx,y\na ,c\n", 4, "'a' is an alias of 'b' and of 'c'"),
        ("a,b\nc,\n", 3, "player is empty"),
        ("a,b\n\u00a0,c\n", 3, "alias is empty"),
    ],
)
def test_contradictions_are_refused_with_their_row(rows: str, line: int, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        Aliases.of(file(tmp_path, "alias,player\n" + rows))
    assert (refused.value.line, refused.value.reason) == (line, reason)
    assert refused.value.source == str(tmp_path / "aliases.csv")
    assert Aliases.of(file(tmp_path, "alias,player\na,b\na,b\n")) == {"a": "b"}  # said twice is said


def test_contradictions_of_a_mapping() -> None:
    with pytest.raises(InputError, match="'Bob' is an alias of 'a' and of 'b'"):
        Aliases.of({"Bob": "a", "Bob ": "b"})
    with pytest.raises(InputError, match="circle: 'b' → 'a' → 'b'"):
        Aliases.of({"a": "b", "b": "a"})


def test_every_column_of_players(tmp_path: Path) -> None:
    aliases = {"a": "Ann", "b": "Bob"}
    results = "event,player,rank,adjustment,into,mu\n,a,,seed,,1900\nr,a,1,,,\nr,c,2,,,\n,c,,merge,b,\n"
    history = read(tmp_path, results, aliases=aliases)
    assert [placed.adjustment for placed in history.adjustments] == [
        SetRating(player="Ann", mu=1900.0),
        Merge(player="c", into="Bob"),
    ]
    assert history.event(0).sides == (("Ann",), ("c",))
    games = "player_a,player_b,score_a,home\na,b,1,b\na,b,0,Ann\n"
    history = read(tmp_path, games, aliases=aliases)
    assert [event.home for event in history] == ["Bob", "Ann"]
    teams = "event,player,team,rank\nr,a,x,1\nr,b,y,2\n"
    history = read(tmp_path, teams, aliases={"x": "Red", "a": "Ann"}, teams="players")
    assert history.players.to_list() == ["Red", "y"]


def test_two_names_that_aliases_make_one_inside_an_event(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3, event 'r': 'a' and 'Ann' are one player, and appear twice"):
        read(tmp_path, "event,player,rank\nr,a,1\nr,Ann,2\n", aliases={"a": "Ann"})


def test_aliases_nobody_has(tmp_path: Path) -> None:
    with pytest.warns(ReadingWarning, match=r"none of the aliases \(2\) appears in the results"):
        read(tmp_path, GAMES, aliases={"x": "y", "z": "y"})
    with pytest.warns(ReadingWarning, match="none of the aliases"):
        list(read_chunks(tmp_path / "r.csv", rows=1, aliases={"x": "y"}))
    with pytest.warns(ReadingWarning, match="none of the aliases"):
        History.from_frame(pl.DataFrame({"winner": ["a"], "loser": ["b"]}), aliases={"x": "y"})


def test_pieces_say_how_many_once_and_read_the_file_once(tmp_path: Path) -> None:
    aliases = file(tmp_path, "alias,player\nx,anna\ny,anna\n")
    (tmp_path / "r.csv").write_text("winner,loser\na,b\nx,b\ny,b\n")
    pieces = read_chunks(tmp_path / "r.csv", rows=1, aliases=aliases)
    first = next(pieces)
    aliases.unlink()
    rest = list(pieces)
    guesses = [guess for piece in (first, *rest) for reading in piece.readings for guess in reading.guesses]
    assert guesses == ["1 name by aliases"]
    assert [piece.event(0).sides[0][0] for piece in (first, *rest)] == ["a", "anna", "anna"]


def test_each_file_says_how_many_of_its_names_are_aliases(tmp_path: Path) -> None:
    folder = tmp_path / "season"
    folder.mkdir()
    for name, text in {"1.csv": "x,b", "2.csv": "x,b\ny,b", "3.csv": "a,b"}.items():
        (folder / name).write_text(f"winner,loser\n{text}\n")
    history = read_history(folder, aliases={"x": "anna", "y": "bert"})
    assert [reading.guesses for reading in history.readings[1:]] == [
        ("1 name by aliases",),
        ("2 names by aliases",),
        (),
    ]


def test_aliases_of_several_files_are_somebody_elses_to_judge(tmp_path: Path) -> None:
    aliases = Aliases.of({"x": "y"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, GAMES, aliases=aliases)
    assert aliases.idle_warning is not None
    read(tmp_path, "winner,loser\nx,b\n", aliases=aliases)
    assert aliases.idle_warning is None


def test_many_ladders(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("game,winner,loser\nchess,a,b\ngo,a,c\n")
    ladders = rate_ladders(tmp_path / "r.csv", by="game", jobs=1, aliases={"a": "Ann"})
    assert all("Ann" in run.ladder for run in ladders.values())


def test_a_first_line_that_may_be_no_header(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(b"winner,loser\nann,bob\n")
    with pytest.warns(ReadingWarning, match=r"the first line \('ann', 'Ann B'\) as the column names"):
        read_history(tmp_path / "r.csv", aliases=file(tmp_path, "ann,Ann B\nbob,Bob C\n"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_history(tmp_path / "r.csv", aliases=file(tmp_path, "old,player\nbob,Bob C\n"))
