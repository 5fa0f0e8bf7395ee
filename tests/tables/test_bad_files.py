"""Files that are refused, and what is said about them: the file, the line or event, the reason, a hint."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import read_history
from podium.errors import InputError
from podium.files.kinds import zstd
from podium.history import Skipped

HEAD = "event,player,rank\n"


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def refusal(path: Path, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_history(path, **options)
    assert str(caught.value).startswith(str(path))
    return caught.value


# ------------------------------------------------------------------ rows


@pytest.mark.parametrize(
    "content, line, event, reason, hint",
    [
        (HEAD + "e,ann,1\ne,bob,\n", 3, "e", "rank is empty", "finished"),
        (HEAD + "e,ann,1\ne,bob,NaN\n", 3, "e", "rank is 'NaN', not a number", None),
        (HEAD + "e,ann,1\ne,bob,0\n", 3, "e", "rank is 0, and the best rank is 1", "score"),
        (HEAD + "e,ann,1\n,bob,2\n", 3, None, "event is empty", None),
        (HEAD + "e,ann,1\ne,,2\n", 3, "e", "player is empty", None),
        (HEAD + 'e,ann,1\ne,"",2\n', 3, "e", "player is empty", None),
        (
            HEAD + "e,ann,1\ne,bob,2\ne,ann,3\n",
            4,
            "e",
            "player 'ann' appears twice in one event",
            "another name",
        ),
        (HEAD + "e,ann,1\ne,bob,2\nf,ann,1\n", 4, "f", "an event of one player", "at least two sides"),
        ("event,player,rank,score\ne,ann,1,\ne,bob,,5\n", 3, "e", "a score but no rank", "columns"),
        (
            "event,player,rank,time\ne,ann,1,2026-05-01\ne,bob,2,tomorrow\n",
            3,
            "e",
            "'tomorrow' is not a time",
            "2026-05-01",
        ),
        ("event,player,rank,time\ne,ann,1,2026-05-01\ne,bob,2,\n", 3, "e", "time is empty", "columns="),
        ("event,player,rank,weight\ne,ann,1,1\ne,bob,2,2\n", 3, "e", "the weight differs", "one weight"),
        # lines are counted in the file, whatever stands in it
        ('event,player,rank\ne,"an\nn",1\n\ne,"b\r\n\r\nob",2\ne,cat,x\n', 8, "e", "rank is 'x'", None),
        ("\n\n" + HEAD + "\ne,ann,1\n\n\ne,bob,-1\n", 8, "e", "rank is -1", None),
        (HEAD.replace("\n", "\r\n") + "e,ann,1\r\n\r\ne,bob,\r\n", 4, "e", "rank is empty", None),
        ('"event","pla\nyer","player","rank"\ne,x,ann,1\ne,x,bob,\n', 4, "e", "rank is empty", None),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_bad_lines_of_csv(
    content: str, line: int, event: str | None, reason: str, hint: str | None, packed: bool, tmp_path: Path
) -> None:
    raw = content.encode()
    path = write(tmp_path, "x.csv.gz", gzip.compress(raw)) if packed else write(tmp_path, "x.csv", raw)
    error = refusal(path)
    assert (error.line, error.event, error.row) == (line, event, None)
    assert error.reason.startswith(reason)
    place = f"{path}, line {line}" + (f", event {event!r}" if event else "")
    assert str(error).startswith(f"{place}: {reason}")
    assert hint is None or hint in (error.hint or "")


def test_bad_lines_of_ndjson(tmp_path: Path) -> None:
    text = '{"event": "e", "player": "ann", "rank": 1}\n\n \n{"event": "e", "player": "bob", "rank": null}\n'
    error = refusal(write(tmp_path, "x.ndjson", text))
    assert (error.line, error.event, error.reason) == (4, "e", "rank is empty")


def test_bad_rows_of_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"event": ["e", None, "e"], "player": ["ann", None, "bob"], "rank": [1, None, 2]})
    frame.write_parquet(tmp_path / "x.parquet")
    error = refusal(tmp_path / "x.parquet")
    assert (error.row, error.line, error.reason) == (2, None, "event is empty")


@pytest.mark.parametrize(
    "column, reason",
    [
        (pl.Series("player", [["ann"], ["bob"]]), "the column player holds List(String), not names"),
        (pl.Series("rank", [[1], [2]]), "the column rank holds List(Int64), not numbers"),
    ],
)
def test_columns_of_another_kind(column: pl.Series, reason: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"event": ["e", "e"], "player": ["ann", "bob"], "rank": [1, 2]}).with_columns(column)
    frame.write_parquet(tmp_path / "x.parquet")
    assert refusal(tmp_path / "x.parquet").reason == reason
    frame.write_ndjson(tmp_path / "x.ndjson")
    assert refusal(tmp_path / "x.ndjson").reason == reason


# ------------------------------------------------------------------ lines that cannot be split into cells


@pytest.mark.parametrize(
    "content, line, reason, hint",
    [
        (HEAD + "e,ann,1\ne,bob,2,x\n", 3, "4 cells where the header has 3", "quotes"),
        (HEAD + "e,Smith, Ann,1\n", 2, "4 cells where the header has 3", "quotes"),
        (HEAD + 'e,ann,1\ne,"bob,2\ne,cat,3\n', 3, "the record cannot be read", "never closed"),
        (HEAD + 'e,ann,1\ne,"bob"x,2\n', 3, "the record cannot be read", "never closed"),
        # a file of which some lines are UTF-8; one without any is Windows-1252
        (HEAD.encode() + b"e,zo\xc3\xab,1\ne,J\xfcrgen,2\n", 3, "the line is not UTF-8", "--encoding"),
        (HEAD.encode() + b'e,"zo\xc3\xab\nnn",1\ne,J\xfcrgen,2\n', 4, "the line is not UTF-8", "--encoding"),
        (b"event,player,r\xe4nk\ne,zo\xc3\xab,1\n", 1, "the header is not UTF-8", "--encoding"),
        (b'event,"player,rank\ne,ann,1\n', 1, "the record cannot be read", "never closed"),
    ],
)
def test_lines_that_cannot_be_split(content: Any, line: int, reason: str, hint: str, tmp_path: Path) -> None:
    error = refusal(write(tmp_path, "x.csv", content))
    assert error.line == line
    assert error.reason.startswith(reason)
    assert hint in (error.hint or "")


@pytest.mark.parametrize("header", ["event,player,rank,player", "event,player,rank, Player "])
def test_two_columns_of_one_name(header: str, tmp_path: Path) -> None:
    error = refusal(write(tmp_path, "x.csv", f"{header}\ne,ann,1,x\ne,bob,2,y\n"))
    assert error.reason.endswith("are both called player")
    assert "rename one" in (error.hint or "")


@pytest.mark.parametrize("more", ["", ",1,2,3"])  # the second cannot be read by Polars
def test_two_columns_podium_does_not_read(more: str, tmp_path: Path) -> None:
    lines = ["event,note,player,rank,note,", "e,a,ann,1,b", "e,a,bob,2,b", f"e,a,cat,3,b{more}"]
    path = write(tmp_path, "x.csv", "\n".join(lines))
    history = read_history(path, on_bad_row="skip")
    assert history.players.to_list() == ["ann", "bob", "cat"][: 3 - len(history.skipped)]
    assert len(history.skipped) == bool(more)
    mapped = refusal(path, columns={"player": "note"})
    assert mapped.reason == "the columns 'note' and 'note' are both called player"


@pytest.mark.parametrize(
    "content, line, reason",
    [
        (b'{"event": "e", "player": "ann", "rank": 1}\n\nhello\n', 3, "the line is not JSON"),
        (b'{"event": "e", "player": "ann", "rank": 1}\n{"event": "e", "pla', 2, "the line is not JSON"),
        (b'{"event": "e", "player": "J\xfcrgen"}\n{"event": "\xc3\xab"}\n', 1, "the line is not JSON"),
        (b'[{"event": "e", "player": "ann", "rank": 1}]\n', 1, 'the line is [{"event"'),
        (b'{"event": "e",\n "player": "ann"}\n', 1, "the line is not JSON"),
        (b"null\n", 1, "the line is null, not an object"),
        (b"5\n", 1, "the line is 5, not an object"),
        (
            b'{"event": "e", "player": NaN}\n{"player": "\\ud83c"}\n',
            2,
            "the line holds an unpaired surrogate",
        ),
        (b'{"a": NaN}\n{"a": ' + b"[" * 100_000 + b"\n", 2, "the line is not JSON"),
    ],
)
def test_lines_that_are_no_objects(content: bytes, line: int, reason: str, tmp_path: Path) -> None:
    error = refusal(write(tmp_path, "x.ndjson", content))
    assert error.line == line
    assert error.reason.startswith(reason)


# ------------------------------------------------------------------ files


def test_no_file(tmp_path: Path) -> None:
    for name in ("gone.csv", "gone", "gone.pgn"):
        assert refusal(tmp_path / name).reason == "there is no such file or folder"


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.ndjson", "x.pgn", "x.json", "x.csv.gz"])
def test_empty_files(name: str, tmp_path: Path) -> None:
    assert refusal(write(tmp_path, name, b"")).reason == "the file is empty"


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.ndjson", "x.json", "x.pgn"])
def test_compressed_nothing(name: str, tmp_path: Path) -> None:
    expected = "the compressed file is empty"
    assert refusal(write(tmp_path, f"{name}.gz", gzip.compress(b""))).reason == expected
    assert refusal(write(tmp_path, f"{name}.zst", zstd.compress(b""))).reason == expected


def test_blank_files(tmp_path: Path) -> None:
    assert refusal(write(tmp_path, "x.csv", b"\n\n\n")).reason == "the file is empty"
    assert "fit no kind of table" in refusal(write(tmp_path, "x.ndjson", b"\n\n\n")).reason


def test_a_header_alone(tmp_path: Path) -> None:
    for content in (HEAD, HEAD.strip(), HEAD + "\n\n", HEAD + ",,\n"):
        error = refusal(write(tmp_path, "x.csv", content))
        assert error.reason == "there are no rows to rate"
        assert "below the header" in (error.hint or "")
    pl.DataFrame({"event": [], "player": [], "rank": []}).write_parquet(tmp_path / "x.parquet")
    assert refusal(tmp_path / "x.parquet").reason == "there are no rows to rate"


def test_columns_nobody_knows(tmp_path: Path) -> None:
    error = refusal(write(tmp_path, "x.csv", "who,what,how\nc,ann,1\n"))
    assert error.reason == "the columns (who, what, how) fit no kind of table that podium reads"
    assert "--column player=handle" in (error.hint or "")
    semicolons = refusal(write(tmp_path, "x.csv", "event;player;rank\ne;ann;1\n"), separator=",")
    assert "semicolons" in (semicolons.hint or "")
    missing = refusal(write(tmp_path, "x.csv", HEAD + "e,ann,1\ne,bob,2\n"), columns={"player": "handle"})
    assert missing.reason == "there is no column 'handle' to read player from"
    assert "'event', 'player', 'rank'" in (missing.hint or "")


PARQUET = b"PAR1"


@pytest.mark.parametrize(
    "name, content, said, found, hint",
    [
        ("x.csv", gzip.compress(HEAD.encode()), "csv text", "a gzip file", "match its content"),
        ("x.csv", zstd.compress(HEAD.encode()), "csv text", "a zstd file", "match its content"),
        ("x.csv", b"PAR1....PAR1", "csv text", "a Parquet file", "match its content"),
        ("x.csv", b"PK\x03\x04....", "csv text", "a zip archive or an Excel workbook", "match its content"),
        ("x.csv", b"\xd0\xcf\x11\xe0....", "csv text", "an Excel workbook in the old format (.xls)", ".xlsx"),
        ("x.csv.gz", HEAD.encode(), "a gzip file", "something else", "match its content"),
        ("x.csv.zst", gzip.compress(HEAD.encode()), "a zstd file", "a gzip file", "match its content"),
        ("x.csv.gz", gzip.compress(b"PAR1....PAR1"), "csv text", "a Parquet file", "match its content"),
        ("x.csv.gz", gzip.compress(gzip.compress(b"x")), "csv text", "a gzip file", "match its content"),
        ("x.parquet", HEAD.encode(), "a Parquet file", "something else", "match its content"),
        ("x.ndjson", b"PAR1....PAR1", "ndjson text", "a Parquet file", "match its content"),
        ("x.pgn", b"PK\x03\x04....", "pgn text", "a zip archive or an Excel workbook", "match its content"),
        ("x.json", gzip.compress(b"{}"), "json text", "a gzip file", "match its content"),
    ],
    ids=lambda value: "content" if isinstance(value, bytes) else None,
)
def test_files_that_are_not_what_their_name_says(
    name: str, content: bytes, said: str, found: str, hint: str, tmp_path: Path
) -> None:
    error = refusal(write(tmp_path, name, content))
    assert error.reason == f"the name ends in {said}, but the content is {found}"
    assert hint in (error.hint or "")


def test_parquet_that_is_damaged(tmp_path: Path) -> None:
    frame = pl.DataFrame({"event": ["e", "e"], "player": ["ann", "bob"], "rank": [1, 2]})
    frame.write_parquet(tmp_path / "x.parquet")
    whole = (tmp_path / "x.parquet").read_bytes()
    error = refusal(write(tmp_path, "x.parquet", whole[: len(whole) // 2]))
    assert error.reason.startswith("not a readable parquet file")
    assert "\n" not in error.reason


@pytest.mark.parametrize("name", ["x.csv", "x.ndjson", "x.pgn", "x.json"])
@pytest.mark.parametrize("ending, pack", [(".gz", gzip.compress), (".zst", zstd.compress)])
def test_compressed_files_that_were_cut_short(name: str, ending: str, pack: Any, tmp_path: Path) -> None:
    rows = {
        "x.csv": HEAD
        + "".join(f"e{i},a{i * 7919 % 1000},1\ne{i},b{i * 104729 % 1000},2\n" for i in range(2000)),
        "x.ndjson": "".join(
            f'{{"event": "e", "player": "p{i * 7919 % 100003}", "rank": {i + 1}}}\n' for i in range(2000)
        ),
        "x.pgn": "".join(
            f'[White "w{i * 7919 % 100003}"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n' for i in range(2000)
        ),
        "x.json": '{"name": "' + "".join(chr(97 + i * i % 26) for i in range(5000)) + '"}',
    }
    whole = pack(rows[name].encode())
    error = refusal(write(tmp_path, name + ending, whole[: len(whole) * 2 // 3]))
    assert error.reason.startswith("the compressed data is damaged or cut short")


def test_a_folder_without_results(tmp_path: Path) -> None:
    write(tmp_path, "notes.md", "hello")
    write(tmp_path, ".hidden.csv", HEAD)
    error = refusal(tmp_path)
    assert error.reason == "the folder holds no files of results"
    assert ".csv" in (error.hint or "")


def test_names_podium_does_not_know(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot tell what 'x.docx' is") as caught:
        read_history(write(tmp_path, "x.docx", b"PK\x03\x04"))
    assert ".parquet" in (caught.value.hint or "")
    with pytest.raises(InputError, match=r"cannot tell what 'x.xls' is") as caught:
        read_history(write(tmp_path, "x.xls", b"\xd0\xcf\x11\xe0"))
    assert caught.value.hint == "save it as .xlsx"


# ------------------------------------------------------------------ going on


def test_skipped_lines_are_reported(tmp_path: Path) -> None:
    lines = [
        "event,player,rank",
        "e,ann,1",
        "e,bob,2,x",  # 3: too many cells
        'e,"c\nat",3',  # 4 and 5
        "e,dan,zero",  # 6: no number
        "e,\xfcrsula,4",  # 7: not UTF-8 below
        "e,ann,5",  # 8: twice
    ]
    path = write(tmp_path, "x.csv", "\n".join(lines).encode("latin-1"))
    history = read_history(path, on_bad_row="skip", encoding="utf-8")
    assert history.players.to_list() == ["ann", "c\nat"]
    assert sorted(history.skipped, key=lambda item: item.where) == [
        Skipped(f"{path}, line 3", "4 cells where the header has 3"),
        Skipped(f"{path}, line 6", "rank is 'zero', not a number"),
        Skipped(f"{path}, line 7", "the line is not UTF-8"),
        Skipped(f"{path}, line 8", "player 'ann' appears twice in one event"),
    ]


def test_an_open_quote_ends_what_can_be_read(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", HEAD + 'e,ann,1\ne,bob,2\nf,ann,0\nf,"cat,1\nf,dan,2\n')
    history = read_history(path, on_bad_row="skip")
    assert [event.name for event in history] == ["e"]
    assert [(item.where, item.reason.partition(":")[0]) for item in history.skipped] == [
        (f"{path}, line 5", "the record cannot be read"),
        (f"{path}, line 4", "rank is 0, and the best rank is 1"),
    ]


def test_skipped_lines_of_ndjson(tmp_path: Path) -> None:
    rows = [
        '{"event": "e", "player": "ann", "rank": 1}',
        "",
        "garbage",
        '{"event": "e", "player": 7, "rank": "2"}',
    ]
    rows += ['{"event": "e", "player": 8, "rank": null}', "[1]"]
    path = write(tmp_path, "x.ndjson", "\n".join(rows))
    history = read_history(path, on_bad_row="skip")
    assert history.players.to_list() == ["ann", "7"]
    assert [item.where for item in history.skipped] == [f"{path}, line {n}" for n in (3, 6, 5)]


def test_a_path_with_a_colon_is_no_trouble(tmp_path: Path) -> None:
    path = write(tmp_path, "a: b.csv", HEAD + "e,ann,1\ne,bob,2\ne,cat,0\n")
    assert read_history(path, on_bad_row="skip").skipped[0].where == f"{path}, line 4"


def test_nothing_but_lines_that_cannot_be_split(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", HEAD + "e,ann,1,2\n")
    assert "every row was skipped, the first because" in refusal(path, on_bad_row="skip").reason


def test_nothing_left(tmp_path: Path) -> None:
    path = write(tmp_path, "x.csv", HEAD + "e,ann,0\ne,bob,0\n")
    error = refusal(path, on_bad_row="skip")
    assert (
        error.reason
        == f"every row was skipped, the first because: {path}, line 2: rank is 0, and the best rank is 1"
    )
