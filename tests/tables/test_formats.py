"""Every format: written, read back, and the same; from the plainest file to the most unusual."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import tries
from history.compare import facts
from history.strategies import histories, match_histories
from podium import read_history, write_history
from podium.errors import InputError
from podium.history import History, Reset, SetRating
from podium.tables.sources import table_files as tables
from podium.tables.sources.table_files import TableFile
from podium.tables.written_tables import write_frames

FORMATS = [
    *("results.csv", "results.csv.gz", "results.csv.zst", "results.tsv", "results.tsv.gz", "results.tab.zst"),
    *("results.ndjson", "results.ndjson.gz", "results.jsonl.zst", "results.parquet"),
]

RICH = History.from_events(
    [
        SetRating(player="zoë", mu=1800.5, sigma=30),
        {"scores": {"ann": 3, "bob": -2.5, "cat": 0.1}, "time": "2026-05-01", "name": "heat, first"},
        {
            "teams": [["ann", "bob"], ["cat"]],
            "ranks": [2, 1],
            "time": "2026-05-01T18:30:00.000001Z",
            "name": 'the "final"',
        },
        Reset(keep=0.25),
        {
            "ranks": {"🏆": 1, "two\nlines": 2},
            "share": 0.75,
            "home": "🏆",
            "weight": 2.5,
            "unrated": ["two\nlines"],
            "ceiling": 2400,
            "time": "2026-05-02",
            "name": "007",
        },
    ]
)


@pytest.fixture
def slow_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars gives up on every text file."""

    def refuse(self: TableFile) -> pl.LazyFrame:
        raise pl.exceptions.ComputeError("no")

    monkeypatch.setattr(TableFile, "_scan", refuse)
    monkeypatch.setattr(tables, "SLOW_ROWS", 3)


@pytest.mark.parametrize("name", FORMATS)
def test_written_and_read_back(name: str, tmp_path: Path) -> None:
    write_history(RICH, tmp_path / name)
    again = read_history(tmp_path / name)
    assert facts(again)["events"] == facts(RICH)["events"]
    assert again.adjustments == RICH.adjustments
    write_history(again, tmp_path / f"again-{name}")
    assert facts(read_history(tmp_path / f"again-{name}"), labels=True) == facts(again, labels=True)


@pytest.mark.parametrize("name", FORMATS)
def test_matches_written_and_read_back(name: str, tmp_path: Path) -> None:
    history = History.from_matches(
        ["ann", "007", "ann"], ["007", "x,y", "x,y"], [1, 0.5, 0.25], time=[1, 2, 3], home="b"
    )
    write_history(history, tmp_path / name, "matches")
    assert facts(read_history(tmp_path / name)) == facts(history)


@pytest.mark.usefixtures("slow_only")
@pytest.mark.parametrize("name", [name for name in FORMATS if "parquet" not in name])
def test_the_slow_way_reads_the_same(name: str, tmp_path: Path) -> None:
    write_history(RICH, tmp_path / name)
    assert facts(read_history(tmp_path / name))["events"] == facts(RICH)["events"]


SHARED_FOLDER = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=tries(25), deadline=None
)


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@pytest.mark.parametrize("name", ["results.csv", "results.tsv.gz", "results.ndjson", "results.parquet"])
@SHARED_FOLDER
@given(history=histories())
def test_any_history_leads_back(name: str, tmp_path: Path, history: History) -> None:
    write_history(history, tmp_path / name)
    again = read_history(tmp_path / name)
    assert facts(again)["events"] == facts(history)["events"]
    assert again.adjustments == history.adjustments


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@pytest.mark.parametrize("name", ["results.csv.zst", "results.tsv", "results.ndjson.gz", "results.parquet"])
@SHARED_FOLDER
@given(history=match_histories())
def test_any_matches_lead_back(name: str, tmp_path: Path, history: History) -> None:
    write_history(history, tmp_path / name, "matches")
    assert facts(read_history(tmp_path / name))["events"] == facts(history)["events"]


@pytest.mark.filterwarnings("ignore::podium.ReadingWarning")
@pytest.mark.usefixtures("slow_only")
@pytest.mark.parametrize("name", ["results.csv", "results.ndjson"])
@SHARED_FOLDER
@given(history=histories(max_events=3))
def test_any_history_leads_back_the_slow_way(name: str, tmp_path: Path, history: History) -> None:
    write_history(history, tmp_path / name)
    assert facts(read_history(tmp_path / name))["events"] == facts(history)["events"]


@SHARED_FOLDER
@given(times=st.lists(st.integers(0, 3), min_size=1, max_size=8), players=st.permutations(list("abcdef")))
def test_order_is_part_of_the_data(times: list[int], players: list[str], tmp_path: Path) -> None:
    """Rows keep their order inside an event, and events of equal time theirs."""
    lines = ["event,time,player,rank"]
    for number, time in enumerate(times):
        lines += [f"e{number},{time},{player},{rank}" for rank, player in enumerate(players, start=1)]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    history = read_history(tmp_path / "x.csv")
    assert history.players.to_list() == players
    expected = sorted(range(len(times)), key=times.__getitem__)
    assert [event.name for event in history] == [f"e{number}" for number in expected]
    assert all([side[0] for side in event.sides] == players for event in history)


# ------------------------------------------------------------------ as people write them


def test_a_plain_file(tmp_path: Path) -> None:
    file = tmp_path / "may.csv"
    file.write_text("Event, Player ,RANK,city\nround 1,ann,1,Oslo\nround 1,bob,2,\nround 1,007,2,Rome\n")
    history = read_history(file)
    assert history.players.to_list() == ["ann", "bob", "007"]
    assert history.rank.tolist() == [1, 2, 2]
    assert history.event(0).name == "round 1"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfevent,player,rank\ne,ann,1\ne,bob,2\n",
        b"event,player,rank\r\ne,ann,1\r\ne,bob,2\r\n",
        b"event,player,rank\ne,ann,1\ne,bob,2",
        b"\n\nevent,player,rank\n\ne,ann,1\n\n\ne,bob,2\n,,\n\n",
        b'"event","player","rank"\n"e","ann","1"\n"e","bob","2"\n',
        b"event,player,rank,weight,team\ne,ann,1\ne,bob,2,\n",
    ],
)
def test_csv_of_every_dialect(content: bytes, tmp_path: Path) -> None:
    expected = facts(History.from_events([{"ranks": {"ann": 1, "bob": 2}, "name": "e"}]))
    (tmp_path / "x.csv").write_bytes(content)
    assert facts(read_history(tmp_path / "x.csv")) == expected
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    assert facts(read_history(tmp_path / "x.csv.gz")) == expected


def test_quotes_inside_a_cell_are_text(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('event,player,rank\ne,5" pipe,1\ne,"6"" pipe",2\n')
    assert read_history(tmp_path / "x.csv").players.to_list() == ['5" pipe', '6" pipe']


@pytest.mark.filterwarnings("ignore:.* is rated as a player")
def test_unusual_names(tmp_path: Path) -> None:
    names = [
        "a,b",
        'say "hi"',
        "two\nlines",
        "carriage\r\nreturn",
        "🏆",
        "x" * 10_000,
        "'",
        "\\",
        "=1+1",
        "null",
        "NaN",
        "-0",
        "١",
    ]
    history = History.from_events([{"ranks": {name: i + 1 for i, name in enumerate(names)}}])
    for name in ("x.csv", "x.tsv", "x.ndjson", "x.parquet"):
        write_history(history, tmp_path / name)
        assert read_history(tmp_path / name).players.to_list() == names


def test_numeric_ids_keep_their_zeros(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("event,player,rank\n01,007,1\n01,7,2\n1,007,1\n1,7.0,2\n")
    history = read_history(tmp_path / "x.csv")
    assert history.players.to_list() == ["007", "7", "7.0"]
    assert [event.name for event in history] == ["01", "1"]


def test_negative_and_fractional_scores(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("event,player,score\ne,ann,-3.25\ne,bob,1e-3\ne,cat,-3.250\ne,dan,.5\n")
    history = read_history(tmp_path / "x.csv")
    assert history.event(0).ranks == (3, 2, 3, 1)
    assert history.event(0).scores == (-3.25, 0.001, -3.25, 0.5)


def test_a_column_called_row(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("row,event,player,rank\n9,e,ann,1\n9,e,bob,2\n")
    assert len(read_history(tmp_path / "x.csv")) == 1


def test_ndjson_of_every_kind(tmp_path: Path) -> None:
    lines = [
        '{"event": "e", "player": 7, "rank": 1, "time": 1777593600}',
        "",
        '{"rank": "2", "player": "007", "event": "e", "time": "2026-05-01", "extra": {"a": [1]}}',
        '  {"event": "e", "player": "\\ud83c\\udfc6", "rank": 3.0, "time": "2026-05-01T00:00:00Z"}  ',
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    history = read_history(tmp_path / "x.jsonl")
    assert history.players.to_list() == ["7", "007", "🏆"]
    assert history.rank.tolist() == [1, 2, 3]


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""])
def test_ndjson_that_only_python_reads(start: bytes, tmp_path: Path) -> None:
    content = (
        start
        + b'{"event": "e", "player": 7.0, "score": 1.5}\n{"event": "e", "player": 8, "score": 2, "x": NaN}\n'
    )
    (tmp_path / "x.ndjson").write_bytes(content)
    history = read_history(tmp_path / "x.ndjson")
    assert history.players.to_list() == ["7", "8"]
    assert history.event(0).ranks == (2, 1)


def test_names_that_look_like_patterns(tmp_path: Path) -> None:
    for name in ("round [1].csv", "round [1].ndjson", "round [1].parquet", "a*.csv"):
        write_history(RICH, tmp_path / name)
        assert len(read_history(tmp_path / name)) == 3


def test_options_reach_the_reader(tmp_path: Path) -> None:
    file = tmp_path / "race.tsv"
    file.write_text(
        "race\tdriver\tseconds\tdone\tofficial\nr\tann\t61.5\ty\ty\nr\tbob\t60\ty\tn\nr\tcat\t\tn\ty\n"
    )
    columns = {
        "event": "race",
        "player": "driver",
        "score": "seconds",
        "finished": "done",
        "rated": "official",
    }
    history = read_history(file, columns=columns, lower_is_better=True)
    assert history.rank.tolist() == [2, 1, 3]
    assert history.event(0).unrated == {"bob"}
    both = read_history(file, columns=columns, lower_is_better=True, unrated="drop", unfinished="last")
    assert both.players.to_list() == ["ann", "cat"]
    with pytest.raises(InputError, match="no rows to rate"):
        read_history(file, columns=columns, lower_is_better=True, unrated="drop", unfinished="drop")


# ------------------------------------------------------------------ writing


@pytest.mark.parametrize("name", ["x.json", "x.pgn", "x.pgn.gz"])
def test_formats_podium_does_not_write(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="podium writes no") as caught:
        write_history(RICH, tmp_path / name)
    assert ".parquet" in (caught.value.hint or "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["results", "results.docx", "results.parquet.gz", "results.gz", ".csv"])
def test_names_that_say_nothing(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot tell what") as caught:
        write_history(RICH, tmp_path / name)
    assert ".csv" in (caught.value.hint or "")


@pytest.mark.parametrize("name", FORMATS)
def test_frames_one_after_another(name: str, tmp_path: Path) -> None:
    frames = [history.to_frame() for history in RICH.chunks(1)]
    columns = list(dict.fromkeys(name for frame in frames for name in frame.columns))
    kinds = {name: kind for frame in frames for name, kind in frame.schema.items()}
    same = [
        frame.with_columns(pl.lit(None, kinds[c]).alias(c) for c in columns if c not in frame.columns).select(
            columns
        )
        for frame in frames
    ]
    write_frames(iter(same), tmp_path / name)
    write_frames([pl.concat(same)], tmp_path / f"whole-{name}")
    assert len(same) == 3
    pieces, whole = (_text(tmp_path / n) for n in (name, f"whole-{name}"))
    assert pieces == whole


def _text(path: Path) -> Any:
    """What a file says once unpacked, however it was packed."""
    if path.suffix == ".parquet":
        return pl.read_parquet(path).rows()
    content = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(content)
    if path.suffix == ".zst":
        from podium.files.kinds import zstd

        return zstd.decompress(content)
    return content


def test_times_are_written_as_people_write_them(tmp_path: Path) -> None:
    write_history(RICH, tmp_path / "x.csv")
    text = (tmp_path / "x.csv").read_text()
    assert ",2026-05-01,ann," in text
    assert ",2026-05-01T18:30:00.000001Z," in text
    assert ",2026-05-02,🏆," in text
