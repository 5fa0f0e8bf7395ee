"""What can be given to be read: files that are open, addresses that are refused; a hash of each content."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from history.compare import facts
from podium import History, read_chunks, read_history
from podium.errors import InputError, ParameterError
from podium.files.kinds import FileKind, zstd
from podium.tables import opened_tables
from podium.tables.columns.shapes import TableColumns
from podium.tables.ladder_column import read_ladders
from podium.tables.sources.given_files import ReadableFile
from tables.sheet_bytes import ods, xlsx

CSV = b"winner,loser\nann,bob\nbob,cat\n"
ROWS = [["winner", "loser"], ["ann", "bob"], ["bob", "cat"]]
PAIRS = [("ann", "bob"), ("bob", "cat")]
NDJSON = b'{"winner": "ann", "loser": "bob"}\n{"winner": "bob", "loser": "cat"}\n'
PGN = b"".join(
    b'[White "%b"]\n[Black "%b"]\n[Result "1-0"]\n\n1-0\n\n' % (a, b)
    for a, b in ((b"ann", b"bob"), (b"bob", b"cat"))
)


def parquet() -> bytes:
    packed = io.BytesIO()
    pl.DataFrame(ROWS[1:], schema=ROWS[0], orient="row").write_parquet(packed)
    return packed.getvalue()


def winners(history: History) -> list[tuple[str, ...]]:
    return [tuple(side[0] for side in event.sides) for event in history]


CONTENTS = {
    "csv": CSV,
    "csv with a mark": b"\xef\xbb\xbf" + CSV,
    "semicolons": CSV.replace(b",", b";"),
    "utf-16": CSV.decode().encode("utf-16"),
    "gzip": gzip.compress(CSV),
    "zstd": zstd.compress(CSV),
    "ndjson": NDJSON,
    "ndjson.gz": gzip.compress(NDJSON),
    "pgn": PGN,
    "pgn.zst": zstd.compress(b"\xef\xbb\xbf\n" + PGN),
    "parquet": parquet(),
    "xlsx": xlsx({"a": ROWS}),
    "ods": ods({"a": ROWS}),
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_open_files(content: bytes, tmp_path: Path) -> None:
    assert winners(read_history(io.BytesIO(content))) == PAIRS
    (tmp_path / "x").write_bytes(content)
    with (tmp_path / "x").open("rb") as file:
        pieces = list(read_chunks(file, rows=1))
    assert [pair for piece in pieces for pair in winners(piece)] == PAIRS


def test_open_text() -> None:
    assert winners(read_history(io.StringIO(CSV.decode()))) == PAIRS
    history = read_history(io.StringIO("winner,loser\nJürgen,Łukasz\n"))
    assert history.players.to_list() == ["Jürgen", "Łukasz"]


@pytest.mark.parametrize("indent", [None, 2])
def test_open_contests(indent: int | None) -> None:
    contest = {"name": "May", "time_seconds": 5, "standings": [["ann", 0, 0], ["bob", 1, 1]]}
    history = read_history(io.StringIO(json.dumps(contest, indent=indent)))
    assert history.event(0).name == "May"


def test_messages_name_the_stream(tmp_path: Path) -> None:
    class Stdin(io.BytesIO):
        name = "<stdin>"

    with pytest.raises(InputError, match=r"^stdin, line 2: loser is empty"):
        read_history(Stdin(b"winner,loser\nann,\n"))
    with pytest.raises(InputError, match=r"^stream: there is nothing to read"):
        read_history(io.BytesIO())
    with pytest.raises(InputError, match=r"^stream: cannot read it"):
        read_history(io.TextIOWrapper(io.BytesIO(b"winner\xff"), encoding="utf-8"))
    path = tmp_path / "there.csv"
    path.write_bytes(b"winner,loser\nann,\n")
    with path.open("rb") as file, pytest.raises(InputError, match=f"^{path}, line 2"):
        read_history(file)


def test_what_is_no_file() -> None:
    odd: Any = 7
    with pytest.raises(ParameterError, match="int is not a file"):
        read_history(odd)


def test_ladders_of_an_open_file() -> None:
    table = io.BytesIO(b"club,winner,loser\na,ann,bob\nb,cat,dan\n")
    ladders = read_ladders(table, "club")
    assert [history.players.to_list() for history in ladders.values()] == [["ann", "bob"], ["cat", "dan"]]
    assert [len(history.readings) for history in ladders.values()] == [1, 0]


# ------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    "address, hint",
    [
        ("https://example.org/may.csv", "download it first: curl -LO https://example.org/may.csv"),
        ("HTTP://example.org/may.csv?a=1", "download it first: curl -LO http://example.org/may.csv?a=1"),
        ("ftp://example.org/may.csv", "download it first: curl -LO ftp://example.org/may.csv"),
        ("s3://bucket/may.csv", "download it first: aws s3 cp s3://bucket/may.csv ."),
        ("gs://bucket/may.csv", "download it first: gcloud storage cp gs://bucket/may.csv ."),
        ("file:///tmp/may.csv", "give it /tmp/may.csv"),
    ],
)
@pytest.mark.parametrize("kind", [str, Path])  # a Path keeps one of two slashes
def test_addresses_are_refused(address: str, hint: str, kind: Any) -> None:
    with pytest.raises(InputError, match=r"podium (does not download files|reads files by)") as caught:
        read_history(kind(address))
    assert caught.value.hint == hint


def test_a_file_with_the_name_of_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "http:").mkdir()
    (tmp_path / "http:" / "x.csv").write_bytes(CSV)
    monkeypatch.chdir(tmp_path)
    assert winners(read_history("http://x.csv")) == PAIRS


# ------------------------------------------------------------------ what is said of a file


# Made once: a workbook holds the time at which it was made.
PARQUET, XLSX = parquet(), xlsx({"a": ROWS})


@pytest.mark.parametrize(
    "name, content, hashed",
    [
        ("x.csv", CSV, CSV),
        ("x.csv.gz", gzip.compress(CSV), CSV),
        ("x.csv.zst", zstd.compress(CSV), CSV),
        ("x.csv", CSV.decode().encode("utf-16"), CSV.decode().encode("utf-16")),
        ("x.ndjson", NDJSON, NDJSON),
        ("x.pgn", PGN, PGN),
        ("x.parquet", PARQUET, PARQUET),
        ("x.xlsx", XLSX, XLSX),
    ],
    ids=["csv", "gz", "zst", "utf-16", "ndjson", "pgn", "parquet", "xlsx"],
)
def test_digests(name: str, content: bytes, hashed: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    expected = hashlib.sha256(hashed).hexdigest()
    assert [reading.digest for reading in read_history(tmp_path / name).readings] == [expected]
    pieces = list(read_chunks(tmp_path / name, rows=1))
    assert [reading.digest for piece in pieces for reading in piece.readings] == [expected]


@pytest.mark.parametrize(
    "name, stem",
    [
        ("results/spring.csv", "spring"),
        ("spring.csv.gz", "spring"),
        ("2026.05.01.csv", "2026.05.01"),
        ("Round 7.xlsx", "Round 7"),
        ("stdin", "stdin"),
        ("a.b", "a.b"),
    ],
)
def test_stems(name: str, stem: str) -> None:
    assert ReadableFile(name, Path("copy"), FileKind("csv"), "").stem == stem


def test_a_table_without_events_is_one_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the shape of a table needs no column of events, the event has the name of the file."""
    columns = TableColumns("results", {"player": "player", "rank": "rank"})
    monkeypatch.setattr(opened_tables, "table_columns", lambda *given: columns)
    path = tmp_path / "spring.csv.gz"
    path.write_bytes(gzip.compress(b"player,rank\nann,1\nbob,2\ncat,3\n"))
    history = read_history(path)
    assert [(event.name, event.ranks) for event in history] == [("spring", (1, 2, 3))]
    assert [facts(piece)["events"] for piece in read_chunks(path, rows=1)] == [facts(history)["events"]]
