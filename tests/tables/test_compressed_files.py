"""Compressed files: judged by what they hold, read in bounded memory, and refused where it is too much."""

from __future__ import annotations

import gzip
import io
import math
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.command import failed, succeeded
from podium import read_chunks, read_history
from podium.cli import rate
from podium.errors import InputError, ParameterError
from podium.files import kinds, text_encoding
from podium.files.kinds import zstd
from podium.tables.sources import given_files
from tables.sheet_bytes import xlsx

PACKED: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstd.compress}
BOMB = b"winner,loser\n" + b"ann,bob\n" * 250_000
"""Two megabytes that compress to a few thousand bytes or less."""

MEASURED = """
import resource, sys
from podium.errors import InputError
from podium.tables import read_history
from podium.files import kinds, text_encoding

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

kinds.ANY_RATIO_UP_TO = 32 << 20
small, *files = sys.argv[1:]
read_history(small)
before = peak()
for file in files:
    try:
        read_history(file)
    except InputError as error:
        print(error.reason)
print(peak() - before)
"""


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "ANY_RATIO_UP_TO", 1_000_000)


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("ending", PACKED)
def test_a_bomb_is_refused_with_its_ratio_and_size(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(PACKED[ending](BOMB))
    packed = path.stat().st_size
    with pytest.raises(InputError) as caught:
        read_history(path, max_ratio=100)
    assert caught.value.source == str(path)
    times = 1 + (1 << 20) // packed  # what has been looked at when it is refused: the second megabyte at most
    ratio = int(caught.value.reason.partition(" times as much")[0].rpartition(" ")[2].replace(",", ""))
    assert times - 1 <= ratio <= 2 * times
    assert f"its {kinds.in_words(packed)} unpack to more than " in caught.value.reason
    assert "--max-ratio inf (max_ratio=math.inf)" in (caught.value.hint or "")
    assert len(read_history(path, max_ratio=math.inf)) == 250_000
    with pytest.raises(InputError, match="times as much"):
        list(read_chunks(path, rows=1000, max_ratio=100))
    with pytest.raises(InputError, match="times as much"):
        read_history(io.BytesIO(path.read_bytes()), max_ratio=100)
    said = failed(1, "rate", path, "--system", "elo", "--max-ratio", 100)
    assert (
        "times as much, which no normal table does\n  hint: if you trust the file, use --max-ratio inf"
        in said
    )
    succeeded("rate", path, "--system", "elo", "--max-ratio", "inf", "--top", 0)


@pytest.mark.usefixtures("low_limits")
def test_formats_that_compress_inside(tmp_path: Path) -> None:
    """A Parquet file of one row repeated, and a workbook of blanks."""
    rows = pl.DataFrame({"winner": ["ann"], "loser": ["bob"]}).select(pl.all().repeat_by(200_000).explode())
    rows.write_parquet(tmp_path / "x.parquet")
    (tmp_path / "x.xlsx").write_bytes(xlsx({"sheet": [["winner", "loser"], ["ann", "bob"]]}))
    with zipfile.ZipFile(tmp_path / "x.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("blanks.xml", b" " * 2_000_000)
    for name in ("x.parquet", "x.xlsx"):
        with pytest.raises(InputError, match=f"{name}: its .* unpack to more than .* times as much"):
            read_history(tmp_path / name, max_ratio=100)
        assert len(read_history(tmp_path / name, max_ratio=math.inf)) >= 1


@pytest.mark.usefixtures("low_limits")
def test_what_is_no_bomb(tmp_path: Path) -> None:
    """A large table that compresses as tables do, and a small one of any ratio."""
    lines = "".join(f"p{i * 7919 % 10_007},q{i * 104_729 % 10_007}\n" for i in range(100_000))
    (tmp_path / "large.csv.zst").write_bytes(zstd.compress(b"winner,loser\n" + lines.encode()))
    assert len(read_history(tmp_path / "large.csv.zst")) == 100_000
    (tmp_path / "small.csv.zst").write_bytes(zstd.compress(BOMB[:800_013]))
    assert len(read_history(tmp_path / "small.csv.zst", max_ratio=1)) == 100_000


@pytest.mark.parametrize("ending", PACKED)
@pytest.mark.parametrize("in_pieces", [False, True])
def test_files_are_decompressed_once(
    ending: str, in_pieces: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Afterwards the compressed file is not needed; one whose copy would be too large is opened again."""
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(PACKED[ending](BOMB[:800_013]))
    opened: list[Path] = []

    def removed_when_read(path: Path, *given: object) -> text_encoding.Content:
        content = inspected(path, *given)  # type: ignore[arg-type]
        opened.append(path.rename(path.with_suffix(".read")))
        return content

    inspected = text_encoding.inspected
    monkeypatch.setattr(given_files, "inspected", removed_when_read)

    def read() -> int:
        return sum(map(len, read_chunks(path))) if in_pieces else len(read_history(path))

    assert read() == 100_000
    opened[0].rename(path)
    monkeypatch.setattr(given_files, "IN_MEMORY_BYTES", 800_012)
    with pytest.raises(InputError, match="No such file"):
        read()


def test_a_full_disk_costs_a_second_decompression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(BOMB))

    class FullDisk(io.FileIO):
        def write(self, block: Any) -> int:
            return super().write(bytes(1000)) if self.tell() == 0 else 0

    monkeypatch.setattr(Path, "open", lambda path, *_, **__: FullDisk(path, "wb"))
    assert len(read_history(path)) == 250_000


@pytest.mark.parametrize("given", [0.5, math.nan, "many", None])
def test_ratios_that_are_none(given: object) -> None:
    with pytest.raises(ParameterError, match="max_ratio is"):
        read_history("x.csv.gz", max_ratio=given)  # type: ignore[arg-type]


def test_memory_stays_bounded(tmp_path: Path) -> None:
    """Files of some kilobytes that hold 300 MB: of lines, and of zeros, which are one line."""
    (tmp_path / "small.csv").write_bytes(BOMB[:1000].rpartition(b"\n")[0])
    for name, piece in (("lines", BOMB[13:]), ("zeros", bytes(2_000_000))):
        with zstd.open(tmp_path / f"{name}.csv.zst", "wb") as file:
            file.write(BOMB[:13])
            for _ in range(150):
                file.write(piece)
    words = [tmp_path / name for name in ("small.csv", "lines.csv.zst", "zeros.csv.zst")]
    run = subprocess.run([sys.executable, "-c", MEASURED, *words], capture_output=True, text=True, check=True)
    bomb, zeros, grown = run.stdout.splitlines()
    assert "times as much" in bomb
    assert zeros.startswith("the line holds the byte 0x00")
    assert float(grown) < 100.0, "megabytes more than a small file takes"


@pytest.mark.parametrize("ending", ["", *PACKED])
def test_a_command_reads_in_pieces_by_what_is_decompressed(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read in pieces, a table must keep each event's rows together; read at once, it need not."""
    rows = [f"{event},{player},1\n" for event in "ab" for player in range(500)] + ["a,late,2\n"]
    content = ("event,player,rank\n" + "".join(rows)).encode()
    path = tmp_path / f"x.csv{ending}"
    path.write_bytes(PACKED[ending](content) if ending else content)
    monkeypatch.setattr(rate, "ROWS_PER_CHUNK", 100)
    monkeypatch.setattr(rate, "IN_MEMORY_BYTES", len(content))
    succeeded("rate", path, "--system", "weng-lin", "--top", 0)
    monkeypatch.setattr(rate, "IN_MEMORY_BYTES", len(content) - 1)
    assert "the event's rows are not together" in failed(1, "rate", path, "--system", "weng-lin")


@pytest.mark.parametrize("less", [0, 1])
def test_a_command_decompresses_a_file_once(
    less: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is large, and how its letters are written, is learnt on the way; read whole or in pieces."""
    content = b"winner,loser\n" + b"ann%b,bob\n" % (b"a" * 400) * 2000
    (path := tmp_path / "x.csv.gz").write_bytes(gzip.compress(content))
    read = 0

    class Counted(gzip.GzipFile):
        def read(self, size: int | None = -1) -> bytes:
            nonlocal read
            block = super().read(size)
            read += len(block)
            return block

    monkeypatch.setattr(gzip, "open", Counted)
    monkeypatch.setattr(rate, "IN_MEMORY_BYTES", len(content) - less)
    assert "2 players, 2,000 events" in succeeded("rate", path, "--system", "weng-lin", "--top", 0)
    assert read < 1.5 * len(content)  # once, and the first bytes to tell what kind of file it is
