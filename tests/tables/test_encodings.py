"""How text files write their letters: UTF-8, UTF-16 with and without a mark, Windows-1252, what one says."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path
from typing import Any

import pytest

from podium import read_chunks, read_history
from podium.errors import InputError, ParameterError
from podium.files.kinds import zstd

TEXT = "event,player,rank\r\ne,Jürgen Müller,1\r\ne,Zoë “Zed” Łuczak,2\r\n"
NAMES = ["Jürgen Müller", "Zoë “Zed” Łuczak"]
WESTERN = TEXT.replace("Ł", "L")
GUESS = "encoding Windows-1252 assumed (to change it, use --encoding)"


def written(folder: Path, content: bytes, name: str = "x.csv") -> Path:
    pack: Any = {".gz": gzip.compress, ".zst": zstd.compress}.get(Path(name).suffix, bytes)
    (folder / name).write_bytes(pack(content))
    return folder / name


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst"])
@pytest.mark.parametrize(
    "content, guesses",
    [
        (TEXT.encode(), ()),
        (TEXT.encode("utf-8-sig"), ()),
        (codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), ()),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), ()),
        (TEXT.encode("utf-16-le"), ("encoding UTF-16-LE assumed (to change it, use --encoding)",)),
        (TEXT.encode("utf-16-be"), ("encoding UTF-16-BE assumed (to change it, use --encoding)",)),
        (TEXT.encode("utf-32"), ()),
    ],
    ids=["utf-8", "utf-8-sig", "utf-16-le-sig", "utf-16-be-sig", "utf-16-le", "utf-16-be", "utf-32"],
)
def test_unicode(name: str, content: bytes, guesses: tuple[str, ...], tmp_path: Path) -> None:
    history = read_history(written(tmp_path, content, name))
    assert history.players.to_list() == NAMES
    assert history.readings[0].guesses == guesses


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.csv.zst"])
def test_windows_1252_is_a_guess(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, WESTERN.encode("cp1252"), name)
    history = read_history(path)
    assert history.players.to_list() == ["Jürgen Müller", "Zoë “Zed” Luczak"]
    assert history.readings[0].guesses == (GUESS,)
    pieces = list(read_chunks(path, rows=1))
    assert pieces[-1].players.to_list() == history.players.to_list()
    assert pieces[0].readings[0].guesses == (GUESS,)


def test_letters_far_down_in_a_file(tmp_path: Path) -> None:
    """What a file is written in shows after a megabyte."""
    rows = "".join(f"e{i},ann,1\ne{i},bob,2\n" for i in range(80_000)) + "z,Jürgen,1\nz,ann,2\n"
    path = written(tmp_path, ("event,player,rank\n" + rows).encode("latin-1"))
    assert "Jürgen" in read_history(path).players


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859-2", "utf-16", "UTF8", "cp852"])
def test_said_is_no_guess(encoding: str, tmp_path: Path) -> None:
    text = "event,player,rank\ne,Łukasz,1\ne,Żaneta,2\n"
    history = read_history(written(tmp_path, text.encode(encoding)), encoding=encoding)
    assert history.players.to_list() == ["Łukasz", "Żaneta"]
    assert history.readings[0].guesses == ()


@pytest.mark.parametrize("encoding", ["latin-0", "", "rot13", "hex", "a\0b"])
def test_no_encoding(encoding: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="there is no encoding") as caught:
        read_history(written(tmp_path, TEXT.encode()), encoding=encoding)
    assert "cp1252" in (caught.value.hint or "")


def test_said_wrongly(tmp_path: Path) -> None:
    path = written(tmp_path, "event,player,rank\ne,ann,1\ne,Łukasz,2\n".encode("cp1250"))
    with pytest.raises(InputError, match=r"x.csv, line 3: the line cannot be read as ascii") as caught:
        read_history(path, encoding="ascii")
    assert "--encoding NAME (encoding='NAME')" in (caught.value.hint or "")
    with pytest.raises(InputError, match=r"x.csv, line 3: the line is not UTF-8"):
        read_history(path, encoding="utf-8")


def test_neither_utf8_nor_windows(tmp_path: Path) -> None:
    path = written(tmp_path, "event,player,rank\ne,ann,1\ne,アニメ,2\n".encode("shift_jis"))
    with pytest.raises(InputError, match=r"line 3: the line is neither UTF-8 nor Windows-1252") as caught:
        read_history(path)
    assert "shift_jis" in (caught.value.hint or "")
    assert read_history(path, encoding="shift_jis").players.to_list() == ["ann", "アニメ"]


@pytest.mark.parametrize("encoding, bad", [("cp1252", 4), ("utf-16", 4), ("utf-16-be", 4)])
def test_lines_are_those_of_the_file(encoding: str, bad: int, tmp_path: Path) -> None:
    text = 'event,player,rank\r\ne,"Jür\r\ngen",1\r\ne,Zoë,last\r\n'
    with pytest.raises(InputError, match=rf"x.csv, line {bad}, event 'e': rank is 'last'"):
        read_history(written(tmp_path, text.encode(encoding)))


@pytest.mark.parametrize(
    "content, line",
    [
        (b"event,player,rank\ne,ann,1\ne,b\0b,2\n", 3),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10", 3),
        (b"event,player,rank\ne,\xfc\x03\x04nn,1\ne,bob,2\n", 2),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x02\x01\xff\xfa\n", 3),
    ],
)
@pytest.mark.parametrize("name", ["x.csv", "x.txt.gz", "x.ndjson"])
def test_what_is_no_text(content: bytes, line: int, name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the line holds the byte 0x0\d.*is the file binary\?") as caught:
        read_history(written(tmp_path, content, name))
    assert caught.value.line == line


def test_utf16_that_is_no_text(tmp_path: Path) -> None:
    path = written(tmp_path, "event,player,rank\ne,a\0n,1\n".encode("utf-16"))
    with pytest.raises(InputError, match="line 2: read as utf-16, the line holds a zero character"):
        read_history(path)


def test_json_lines(tmp_path: Path) -> None:
    text = '{"winner": "Jürgen", "loser": "ann"}\n'
    for encoding in ("cp1252", "utf-16"):
        path = written(tmp_path, text.encode(encoding), "x.ndjson")
        assert read_history(path).players.to_list() == ["Jürgen", "ann"]


def test_contests(tmp_path: Path) -> None:
    text = '{"name": "Fête", "time_seconds": 5, "standings": [["Jürgen", 0, 0], ["ann", 1, 1]]}'
    path = written(tmp_path, text.encode("cp1252"), "x.json")
    history = read_history(path)
    assert (history.event(0).name, history.players[0]) == ("Fête", "Jürgen")
    assert GUESS in history.readings[0].guesses


GAME = '[White "Hübner, Robert"]\n[Black "Љubojević" ]\n[Result "1-0"]\n\n1-0\n\n'


def test_games(tmp_path: Path) -> None:
    western = GAME.replace("Љubojević", "Réti “R”")
    history = read_history(written(tmp_path, western.encode("cp1252"), "x.pgn"))
    assert history.players.to_list() == ["Hübner, Robert", "Réti “R”"]
    assert GUESS in history.readings[0].guesses
    for encoding, said in (("utf-8", None), ("utf-16", None), ("utf-16-le", "utf-16-le")):
        history = read_history(written(tmp_path, GAME.encode(encoding), "x.pgn"), encoding=said)
        assert history.players.to_list() == ["Hübner, Robert", "Љubojević"]


def test_games_of_both_kinds(tmp_path: Path) -> None:
    """Collections of games are made of files of many sources."""
    both = GAME.encode() + GAME.replace("Љubojević", "Réti").encode("latin-1")
    history = read_history(written(tmp_path, both, "x.pgn"))
    assert history.players.to_list() == ["Hübner, Robert", "Љubojević", "Réti"]


def test_copies_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "tmp"
    room.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(room))
    path = written(tmp_path, WESTERN.encode("cp1252"))
    read_history(path)
    pieces = read_chunks(path, rows=1)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    with pytest.raises(InputError):
        read_history(written(tmp_path, WESTERN.replace(",2", ",x").encode("cp1252")))
    assert list(room.iterdir()) == []


def test_unicode_text_of_excel(tmp_path: Path) -> None:
    """What Excel calls Unicode text: UTF-16 with tabs, in a .txt file."""
    path = written(tmp_path, TEXT.replace(",", "\t").encode("utf-16"), "x.txt")
    history = read_history(path)
    assert history.players.to_list() == NAMES
    assert history.readings[0].guesses == ("tabs between cells",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_macintosh_csv_of_excel(encoding: str, tmp_path: Path) -> None:
    """Lines that end in a carriage return alone."""
    text = "event;player;rank\re;Jürgen;1\re;Zoë;2\r"
    history = read_history(written(tmp_path, text.encode(encoding)))
    assert history.players.to_list() == ["Jürgen", "Zoë"]
    with pytest.raises(InputError, match=r"x.csv, line 3, event 'e': rank is 'x'"):
        read_history(written(tmp_path, text.replace("2", "x").encode(encoding)))
