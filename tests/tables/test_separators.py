"""Commas, semicolons, tabs and pipes between cells: recognised from the first lines, or said."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from history.compare import facts
from podium import read_chunks, read_history
from podium.errors import InputError, ParameterError

ROWS = [["event", "player", "score"], ["e", "ann", "3,5"], ["e", "bob, jr.", "2"], ["f", "ann", "1"]]
ROWS += [["f", "bob, jr.", "0"]]
WORDS = {";": "semicolons", "\t": "tabs", "|": "pipes", ",": "commas"}


def table(sign: str) -> bytes:
    """The rows with cells in quotes where they hold the sign."""
    return "\n".join(sign.join(f'"{c}"' if sign in c else c for c in row) for row in ROWS).encode()


@pytest.mark.parametrize("sign", [";", "\t", "|", ","])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.txt", "x.csv.gz"])
def test_recognised(sign: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = table(sign).replace(b"3,5", b"3")
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    history = read_history(path)
    assert history.players.to_list() == ["ann", "bob, jr."]
    guesses = [guess for reading in history.readings for guess in reading.guesses if "between" in guess]
    usual = {"x.csv": ",", "x.csv.gz": ",", "x.tsv": "\t"}.get(name)
    assert guesses == ([] if sign == usual else [f"{WORDS[sign]} between cells"])


def test_in_pieces_as_in_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(table(";").replace(b"3,5", b"3"))
    pieces = list(read_chunks(path, rows=1))
    assert [e for piece in pieces for e in facts(piece)["events"]] == facts(read_history(path))["events"]
    assert "semicolons between cells" in pieces[0].readings[0].guesses
    assert not any(piece.readings for piece in pieces[1:])


@pytest.mark.parametrize("said", ["tab", "\\t", "\t"])
def test_tab_by_name(said: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"event\tplayer\trank\ne\tann\t1\ne\tbob\t2\n")
    history = read_history(tmp_path / "x.csv", separator=said)
    assert history.players.to_list() == ["ann", "bob"]
    assert not history.readings[0].guesses


def test_any_sign_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"event:player:rank\ne:ann:1\ne:bob:2\n")
    assert read_history(tmp_path / "x.csv", separator=":").players.to_list() == ["ann", "bob"]
    with pytest.raises(InputError, match="fit no kind of table"):
        read_history(tmp_path / "x.csv")


@pytest.mark.parametrize("said", ["", ";;", "semicolon", "§", '"', "\n"])
def test_what_is_no_sign(said: str, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"event,player,rank\ne,ann,1\n")
    with pytest.raises(ParameterError, match="the separator must be one character"):
        read_history(tmp_path / "x.csv", separator=said)


def test_the_most_cells_win_where_two_signs_fit(tmp_path: Path) -> None:
    text = b"event;player;score;note, more\ne;ann;3;a, b\ne;bob;2;c, d\n"
    (tmp_path / "x.csv").write_bytes(text)
    assert read_history(tmp_path / "x.csv").players.to_list() == ["ann", "bob"]


def test_quotes_hide_signs(tmp_path: Path) -> None:
    text = b'event,player,rank\ne,"a;b;c",1\ne,"d;\ne",2\n'
    (tmp_path / "x.csv").write_bytes(text)
    history = read_history(tmp_path / "x.csv")
    assert history.players.to_list() == ["a;b;c", "d;\ne"]
    assert not history.readings[0].guesses


def test_a_broken_table_is_told_by_its_header(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"event;player;rank\ne;ann;1\ne;bob;2;x\n")
    with pytest.raises(InputError, match=r"line 3: 4 cells where the header has 3"):
        read_history(tmp_path / "x.csv")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("line", [b"sep=;\r\n", b'"sep=;"\n'])
def test_the_line_that_excel_writes(mark: bytes, line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(mark + line + b"event;player;rank\ne;ann;1\ne;bob;2\n")
    history = read_history(path)
    assert history.players.to_list() == ["ann", "bob"]
    assert not history.readings[0].guesses
    path.write_bytes(mark + line + b"event;player;rank\ne;ann;1\ne;bob;x\n")
    with pytest.raises(InputError, match=r"line 4, event 'e': rank is 'x'"):
        read_history(path)
    path.write_bytes(mark + line + b"event;player;rank\ne;ann;1\ne;bob;2;3\n")
    with pytest.raises(InputError, match=r"line 4: 4 cells where the header has 3"):
        read_history(path)


def test_a_separator_that_somebody_named_and_that_is_another(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"winner;loser\nann;bob\n")
    with pytest.raises(InputError) as caught:
        read_history(path, separator=",")
    assert "separated by semicolons: use --separator" in (caught.value.hint or "")
