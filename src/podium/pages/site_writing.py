"""A whole website written to a folder: the pages, data and downloads of every ladder."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from podium.cluster.executors import Workers
from podium.cluster.shared_values import SharedValue, shared_value
from podium.documents.event_page_documents import LadderListDocument
from podium.history.ragged import Progress
from podium.pages.ladder_pages import LadderPages
from podium.pages.ladder_writing import LadderWriter, PageWriter, Piece, Writings
from podium.pages.links import Download, Site
from podium.pages.rendering import render_ladders
from podium.pages.site_folders import MANIFEST, Manifest, digest_of, look_digest, replaced_site
from podium.pages.tournament_writing import SiteTournament
from podium.pages.urls import ASSETS, DOWNLOADS, HTML, LadderAddresses, PageLinks, event_page_names

if TYPE_CHECKING:
    import polars as pl


SUFFIXES = {".csv": "CSV", ".parquet": "Parquet", ".ndjson": "JSON lines"}
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


@dataclass(frozen=True)
class SiteLadder:
    """A ladder of a site."""

    title: str
    pages: LadderPages
    downloads: Sequence[DownloadTable] = ()
    tournaments: Sequence[SiteTournament] = ()


@dataclass(frozen=True)
class WrittenSite:
    """What writing a site did."""

    index: Path
    """The page to open."""
    written: int
    """Pages that were rendered."""
    linked: int
    """Pages that showed the same before, and were taken from the previous site."""
    seconds: float

    @property
    def pages(self) -> int:
        """Number of pages of the site."""
        return self.written + self.linked


def page_count(ladders: Sequence[SiteLadder]) -> int:
    """Number of pages of a site of these ladders."""
    own = sum(
        writer.page_count()
        for writer in (_ladder_writer(one, "", "", [], Path(), None, Manifest()) for one in ladders)
    )
    return own + (len(ladders) > 1)


def write_site(
    out: Path,
    ladders: Sequence[SiteLadder],
    title: str,
    *,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> WrittenSite:
    """Write the website of some ladders to the folder `out`, in place of the one that is there.

    `workers` write the pages, by default this process alone. `progress` is called with the number of pages
    done since the last call. Whatever ends it before its end, the folder is as it was.
    """
    began = time.monotonic()
    with replaced_site(out) as (fresh, before):
        previous = None if before is None else Path(out)
        done = _written(
            ladders, title, fresh, previous, before or Manifest(), workers or Workers(None), progress
        )
        done.manifest.write(fresh / MANIFEST)
    return WrittenSite(Path(out, "index.html"), done.written, done.linked, time.monotonic() - began)


def _written(
    ladders: Sequence[SiteLadder],
    title: str,
    fresh: Path,
    previous: Path | None,
    before: Manifest,
    workers: Workers,
    progress: Progress | None,
) -> Writings:
    """Everything but the manifest, written to the folder `fresh`."""
    several = len(ladders) > 1
    folders = [f"{name}/" if several else "" for name in event_page_names(one.title for one in ladders)]
    top = PageWriter(fresh, previous, before, digest_of(look_digest(), title))
    write_assets(top)
    if several:
        _write_list(top, ladders, folders, title)
    done = top.done
    parts = []
    for ladder, folder in zip(ladders, folders, strict=True):
        offered = write_downloads(top, ladder.downloads, folder)
        part = _ladder_writer(ladder, title, folder, offered, fresh, previous, before)
        part.prepare()
        parts.append(part)
    with ExitStack() as stack:
        handles = [stack.enter_context(shared_value(part)) for part in parts]
        work = [(number, piece) for number, part in enumerate(parts) for piece in part.pieces()]
        pieces = [(handles[number], piece) for number, piece in work]
        for index, some in workers.results(_write_piece, pieces):
            done.add(some, folders[work[index][0]])
            if progress is not None:
                progress(some.written + some.linked)
    return done


def _write_piece(ladder: SharedValue, piece: Piece) -> Writings:
    """Some pages of a ladder, in whichever process."""
    part: LadderWriter = ladder.load()
    return part.write(piece)


def _ladder_writer(
    ladder: SiteLadder,
    title: str,
    folder: str,
    downloads: Sequence[Download],
    fresh: Path,
    previous: Path | None,
    before: Manifest,
) -> LadderWriter:
    pages = ladder.pages
    return LadderWriter(
        pages=pages,
        addresses=LadderAddresses(
            folder,
            pages.names,
            list(pages.players()),
            pages.events_of.tolist(),
            pages.event_names,
            matches=pages.has_matches,
            tournaments=bool(ladder.tournaments),
        ),
        tournaments=ladder.tournaments,
        title=title,
        ladder=ladder.title if folder else "",
        downloads=downloads,
        folder=fresh / folder,
        previous=None if previous is None else previous / folder,
        before=before.below(folder) if folder else before,
    )


def write_assets(writer: PageWriter) -> None:
    """Write the files that every page loads."""
    for asset in (files("podium") / "pages" / ASSETS).iterdir():
        writer.file(f"{ASSETS}/{asset.name}", asset.read_bytes())


def _write_list(
    writer: PageWriter, ladders: Sequence[SiteLadder], folders: Sequence[str], title: str
) -> None:
    """The front page of a site of several ladders."""
    document: LadderListDocument = {
        "title": title,
        "ladders": [ladder.pages.card(ladder.title) for ladder in ladders],
    }
    site = Site(title, PageLinks(LadderAddresses("", [], [], [], [], matches=False), "index"))
    addresses = [f"{folder}index{HTML}" for folder in folders]
    writer.page(
        "index",
        "ladder-list",
        document,
        lambda: render_ladders(document, addresses, site),
        also=repr(addresses),
    )


def write_downloads(writer: PageWriter, tables: Sequence[DownloadTable], folder: str = "") -> list[Download]:
    """Write tables that are offered, and say how large they are."""
    offered = []
    for table in tables:
        for file in table.files():
            path = f"{folder}{DOWNLOADS}/{file.name}"
            size = writer.file_by(path, file.digest, file.write)
            offered.append(Download(file.name, file.words, size))
    return offered
