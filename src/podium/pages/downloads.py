"""What a site offers for downloading: the ratings and the results of a ladder, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from podium.pages.site_manifests import digest_of

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = {".csv": "CSV", ".parquet": "Parquet", ".ndjson": "JSON, one row a line"}
PACKED_ROWS = 200_000
"""Tables with more rows are compressed, but for Parquet, which always is."""
_PACKED = ".gz"


class DownloadTable(NamedTuple):
    """A table that is offered in several formats."""

    name: str
    words: str
    frame: pl.DataFrame

    def files(self) -> Iterator[DownloadFile]:
        """The files to write."""
        import polars as pl

        content = digest_of(
            pl.__version__, repr(self.frame.schema), self.frame.hash_rows().to_numpy().tobytes()
        )
        for suffix, format in SUFFIXES.items():
            packed = _PACKED if len(self.frame) > PACKED_ROWS and suffix != ".parquet" else ""
            words = f"{self.words}, {format}{', compressed' if packed else ''}"
            yield DownloadFile(f"{self.name}{suffix}{packed}", words, content, self.frame)


class DownloadFile(NamedTuple):
    """A file to write, and a digest of what is in it."""

    name: str
    words: str
    digest: str
    frame: pl.DataFrame

    def write(self, path: Path) -> None:
        """Write the file."""
        from podium.tables.written_tables import write_frames

        write_frames([self.frame], path)
