"""Large plain files of matches, read from their bytes: the same histories and errors as from a table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import tries
from podium import History, read_chunks
from podium.errors import InputError
from podium.tables import history_files
from podium.tables.history_files import read_history
from podium.tables.rows import cells, plain_matches
from podium.tables.rows.plain_matches import NotPlainError, PlainMatches
from podium.tables.sources import plain_files, table_files
from podium.tables.sources.plain_files import PlainFile
from podium.tables.table_reader import TableReader

pytestmark = pytest.mark.filterwarnings("ignore::podium.history.ReadingWarning")

NAMES = [
    "ann",
    "bob",
    "Zoë",
    "陳大文",
    "a name of eight",
    "a name with 16 by",
    "ann of the long name",
    "b" * 60,
]
ODD_NAMES = [
    "",
    " ann",
    "ann ",
    "BYE",
    "-",
    r"\N",
    '"ann"',
    "Zoe\u0308",
    "an\tn",
    "an\rn",
    "\ufeffbob",
    "None",
]
SCORES = ["0.5", "1", "0", "1.0", "0.0"]
ODD_SCORES = [
    "",
    "0.25",
    "1.250",
    " 1",
    "nan",
    "-0",
    "-1",
    "+1",
    ".5",
    "1.",
    "1e0",
    "x",
    "2",
    "1" * 20,
    r"\N",
]
SECONDS = ["1600000000", "1700000000", "999999999"]
DATES = ["2020-02-29", "1000-01-01", "2026-12-31T23:59:59Z", "2026-03-01 00:00:00", "1999-03-01T12:34:56"]
ODD_TIMES = ["", "1600000000000", "99999999999999999999", "2019", "45000", "2020-09-13", "-5", "x", "1.6e9"]
ODD_TIMES += [
    "2021-02-29",
    "2026-5-1",
    "2026-00-01",
    "2026-04-31",
    "0999-12-31",
    "9999-01-01",
    "2026-05-01 9:00:00",
]
ODD_TIMES += ["2026-05-01T24:00:00", "2026-05-01 10:00", "2026-05-01T10:00:60", "2026-05-01T10:00:00+01:00"]


def mostly(usual: list[str], odd: list[str], share: int = 100) -> st.SearchStrategy[str]:
    return st.integers(0, share).flatmap(lambda n: st.sampled_from(usual if n else odd))


@st.composite
def tables(draw: st.DrawFn) -> bytes:
    """A text file of matches, of which most cells are plain."""
    columns = draw(
        st.sampled_from(
            [
                ["player_a", "player_b", "score_a", "time"],
                ["time", "score_a", "player_b", "player_a"],
                ["player_a", "city", "player_b", "score_a"],
                ["player_a", "player_b", "score_a", "score_b", "time"],
                ["home_team", "away_team", "home_goals", "away_goals", "date"],
                ["winner", "loser", "time"],
                ["winner", "loser"],
            ]
        )
    )
    separator = draw(st.sampled_from([",", ";", "\t"]))
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    times = draw(st.sampled_from([SECONDS, DATES]))
    lines = [separator.join(columns)]
    for _ in range(draw(st.integers(1, 12))):
        cells = []
        for column in columns:
            if column in ("time", "date"):
                cells.append(draw(mostly(times, ODD_TIMES)))
            elif "score" in column or "goals" in column:
                cells.append(draw(mostly(SCORES, ODD_SCORES)))
            elif column == "city":
                cells.append(draw(mostly(["fine", "", "a city with a long name"], ['"', "\x1f"])))
            else:
                cells.append(draw(mostly(NAMES, ODD_NAMES)))
        lines.append(separator.join(cells))
        if draw(st.integers(0, 80)) == 0:
            lines.append(draw(st.sampled_from(["", separator, "ann", separator.join(["x"] * 9)])))
    text = end.join(lines) + draw(st.sampled_from([end, ""]))
    damage = draw(st.integers(0, 60)) == 0
    return draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"])) + text.encode() + (b"\xff" if damage else b"")


def content(history: History) -> dict[str, Any]:
    """All that is in a history, such that it can be compared: NaN equals NaN."""
    values = {field.name: getattr(history, field.name) for field in fields(history)}
    values["players"] = list(history.players)  # which later pieces add to
    return {
        name: (value.dtype, str(value.tolist())) if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def read(path: Path, rows: int | None, *, plain: bool, **options: Any) -> Iterator[History]:
    """The histories of a file; `plain` tries to read it without a table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history_files, "is_interpreted", lambda: not plain)
        patch.setattr(table_files, "LARGE_BYTES", 0)
        patch.setattr(plain_files, "LARGE_ROWS", 0)
        patch.setattr(plain_matches, "BLOCK_BYTES", 256)
        if rows is None:
            yield read_history(path, **options)
        else:
            yield from read_chunks(path, rows, **options)


def outcome(path: Path, rows: int | None, *, plain: bool, **options: Any) -> list[Any]:
    """What is in the histories of a file, and the error after them."""
    found: list[Any] = []
    try:
        found.extend(map(content, read(path, rows, plain=plain, **options)))
    except InputError as error:
        found.append(str(error))
    return found


@settings(deadline=None, max_examples=tries(100))
@given(
    text=tables(),
    rows=st.sampled_from([None, None, 1, 2, 5]),
    options=st.sampled_from([{}, {"on_bad_row": "skip"}, {"lower_is_better": True}, {"encoding": "utf-8"}]),
)
def test_the_same_as_from_a_table(
    text: bytes, rows: int | None, options: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "plain.csv"
    path.write_bytes(text)
    assert outcome(path, rows, plain=True, **options) == outcome(path, rows, plain=False, **options)


@pytest.fixture
def only_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read without a table, or not at all."""

    monkeypatch.setattr(TableReader, "read", lambda *_: pytest.fail("read as a table"))


@pytest.mark.usefixtures("only_plain")
@pytest.mark.parametrize("rows", [None, 1000, 10**15])
@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("player_a,player_b,score_a,time", "{a},{b},{score},{time}"),
        ("city;player_b;player_a;score_a", "fine;{b};{a};{score}"),
        ("winner\tloser\ttime", "{a}\t{b}\t{time}"),
        ("home_team,away_team,home_goals,away_goals", "{a},{b},{goals},2"),
    ],
)
def test_names_of_any_length_have_the_number_of_their_first_row(
    header: str, line: str, rows: int | None, tmp_path: Path
) -> None:
    """Enough of them for all tables to grow."""
    names = [("é" if number % 3 else "") + "x" * (number % 37) + str(number) for number in range(900)]
    rng = np.random.default_rng(0)
    pairs = [rng.choice(900, 2, replace=False).tolist() for _ in range(2500)]
    lines = [
        line.format(a=names[a], b=names[b], score=0.5 * (a % 3), goals=a % 4, time=10**9 + number)
        for number, (a, b) in enumerate(pairs)
    ]
    path = tmp_path / "x.csv"
    path.write_text("\n".join([header, *lines]))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plain_matches, "_MORE_ROWS", 0.1)
        pieces = list(read(path, rows, plain=True))
    expected = [names[number] for pair in pairs for number in pair]
    players = pieces[-1].players
    assert list(players) == list(dict.fromkeys(expected))
    assert [players[number] for piece in pieces for number in piece.player.tolist()] == expected


@pytest.mark.usefixtures("only_plain")
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S"])
def test_days_of_the_calendar(form: str, tmp_path: Path) -> None:
    spans = [
        ("1896", "1906"),
        ("1969", "1974"),
        ("1996", "2006"),
        ("2096", "2106"),
    ]  # around all kinds of years
    days = np.concatenate([np.arange(*span, dtype="datetime64[D]") for span in spans])
    moments = days.astype("datetime64[s]") + np.arange(len(days)) * 7919 % 86_400 * ("%H" in form)
    lines = [f"ann,bob,{moment.strftime(form)}" for moment in moments.tolist()]
    path = tmp_path / "x.csv"
    path.write_text("\r\n".join(["winner,loser,date", *lines]))
    history = next(read(path, None, plain=True))
    assert np.array_equal(history.time, moments.astype("datetime64[us]").astype(np.int64))


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("2026-05-01T18:30:59Z", pl.Datetime),
        ("2024-02-29", pl.Datetime),
        ("1600000000", pl.Int64),
        ("0.125", pl.Float64),
        ("900719925474.123", pl.Float64),
    ],
)
def test_what_is_read_is_what_stands_there(cell: str, kind: type[pl.DataType], tmp_path: Path) -> None:
    """A cell with one byte changed is another time or number, or it is not plain."""
    changed = {cell[:at] + sign + cell[at + 1 :] for at in range(len(cell)) for sign in "019x-:T .Z"}
    path = tmp_path / "x.csv"
    times = {"winner": 0, "loser": 1, "time": 2}
    scores = {"player_a": 0, "player_b": 1, "score_a": 2, "score_b": 3}
    found = 0
    for text in sorted(changed):
        path.write_text(f"ann,bob,{text}" + ",2" * (kind == pl.Float64))
        places = scores if kind == pl.Float64 else times
        file = PlainFile(path, 0, ",", len(places), places, dict.fromkeys(places, kind), 1)
        with suppress(NotPlainError):
            (piece,) = PlainMatches(file, lower_is_better=False).pieces(None)
            if kind == pl.Float64:
                assert piece.score is not None
                assert piece.score[0] == float(text)
            else:
                assert piece.time is not None
                assert piece.time.tolist() == cells.times(pl.Series([text])).to_list(), text
            found += 1
    assert found > len(cell)


def test_two_names_with_one_hash_are_two_players(tmp_path: Path) -> None:
    """Hashes of short names can be made equal: then the file is read as a table."""
    mixer = np.uint64(0xC2B2AE3D27D4EB4F)
    tails = np.arange(100_000, 1_000_000).astype("S7")
    high = tails.view(np.uint8).reshape(-1, 7).astype(np.uint64) @ (
        np.uint64(256) ** np.arange(7, dtype=np.uint64)
    )
    high |= np.uint64((8 + 6) << 56)
    with np.errstate(over="ignore"):
        hashed = np.uint64(int.from_bytes(b"ann", "little")) ^ np.uint64(3 << 56) * mixer
        heads = (hashed ^ high * mixer).view("S8")
    other = next(
        head + tail for head, tail in zip(heads, tails, strict=True) if head.isalnum() and len(head) == 8
    )
    path = tmp_path / "x.csv"
    path.write_bytes(b"winner,loser\nann,bob\n%s,ann\n" % other)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableReader, "read_plain", lambda *_: pytest.fail("one hash is no reason to stop"))
        history = next(read(path, None, plain=True))
    assert list(history.players) == ["ann", "bob", other.decode()]
