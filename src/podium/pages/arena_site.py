"""The website of an arena: the board with its checks, and a page of each player with all opponents."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from podium.documents.arena_documents import arena_document, arena_player_documents, has_pairs
from podium.fitting.fit_result import Fit
from podium.fitting.votes import Votes
from podium.pages.arena_page import checks
from podium.pages.ladder_writing import PageWriter
from podium.pages.links import Site
from podium.pages.rendering import render_arena, render_arena_player
from podium.pages.site_folders import MANIFEST, Manifest, digest_of, look_digest, replaced_site
from podium.pages.site_writing import DownloadTable, WrittenSite, write_assets, write_downloads
from podium.pages.urls import HTML, LadderAddresses, PageLinks


def write_arena_site(out: Path, fit: Fit, title: str) -> WrittenSite:
    """Write the website of an arena to the folder `out`, in place of the one that is there."""
    began = time.monotonic()
    with replaced_site(out) as (fresh, before):
        previous = None if before is None else Path(out)
        writer = PageWriter(fresh, previous, before or Manifest(), digest_of(look_digest(), title))
        write_assets(writer)
        _write_pages(writer, fit, title)
        writer.done.manifest.write(fresh / MANIFEST)
    return WrittenSite(
        Path(out, f"index{HTML}"), writer.done.written, writer.done.linked, time.monotonic() - began
    )


def _write_pages(writer: PageWriter, fit: Fit, title: str) -> None:
    board = arena_document(fit)
    players = arena_player_documents(fit) if isinstance(fit.votes, Votes) else []
    names = [one["strength"]["player"] for one in players]
    addresses = LadderAddresses("", names, range(len(names)), [], [], matches=False)

    def site(path: str) -> Site:
        return Site(title, PageLinks(addresses, path))

    tables = [DownloadTable("strengths", "the board", fit.strengths)]
    if players:
        tables.append(DownloadTable("pairs", "each pair with its votes", fit.matches))
    offered, believed = write_downloads(writer, tables), []
    if has_pairs(fit):
        asked = [f"{pair['first']} or {pair['second']}" for pair in board["next"]]
        believed = [fit.misfit, *checks(fit), f"Ask next: {', '.join(asked)}."]
    writer.page(
        "index",
        "arena",
        board,
        lambda: render_arena(board, site("index"), believed, offered),
        also=repr((believed, offered)),
    )
    for number, document in enumerate(players):
        path = addresses.own_page(number)
        render = partial(render_arena_player, document, fit.level, site(path))
        writer.page(path, "arena-player", document, render, also=repr(fit.level))
