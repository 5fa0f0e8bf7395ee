"""All pages of one ladder, in pieces of work that any process can do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from podium.documents.plain_data import compact_json
from podium.pages import rendering
from podium.pages.data_scripts import data_script, search_shards
from podium.pages.ladder_pages import LadderPages
from podium.pages.links import Download, Site
from podium.pages.site_folders import Manifest, digest_of, linked_or_copied, look_digest
from podium.pages.tournament_writing import SiteTournament, write_tournaments
from podium.pages.urls import DATA, HTML, JSON, LadderAddresses, PageLinks


@dataclass
class Writings:
    """What was written, and what was linked from the previous site."""

    manifest: Manifest = field(default_factory=Manifest)
    written: int = 0
    """Pages that were rendered."""
    linked: int = 0
    """Pages of the previous site that show the same."""

    def add(self, other: Writings, folder: str = "") -> None:
        """Take in what was written to a folder, whose name ends with a slash."""
        self.manifest.add(other.manifest, folder)
        self.written += other.written
        self.linked += other.linked


class PageWriter:
    """Writes files to `folder`; those that are the same as in `previous` are linked."""

    def __init__(self, folder: Path, previous: Path | None, before: Manifest, frame: str) -> None:
        """`frame` is a digest of all that pages show beside their documents."""
        self.done = Writings()
        self._folder = folder
        self._previous = previous
        self._before = before
        self._frame = frame
        self._folders: set[str] = set()

    def page(
        self,
        path: str,
        kind: str,
        document: Mapping[str, Any],
        render: Callable[[], str],
        *,
        also: str = "",
        timeless: Collection[str] = (),
    ) -> None:
        """Write a page and its JSON twin.

        `also` is what the page shows beside its document and the frame; a page that differs by the keys
        `timeless` alone counts as the same.
        """
        text = compact_json(kind, document)
        shown = text
        if timeless:
            shown = compact_json(kind, {key: value for key, value in document.items() if key not in timeless})
        digest = digest_of(self._frame, also, shown)
        self.done.manifest.pages[path] = digest
        if self._link_page(path, digest):
            self.done.linked += 1
            return
        self._place(f"{path}{HTML}").write_bytes(render().encode("utf-8", "replace"))
        self._place(f"{path}{JSON}").write_bytes(text.encode("utf-8", "replace"))
        self.done.written += 1

    def _link_page(self, path: str, digest: str) -> bool:
        if self._before.pages.get(path) != digest:
            return False
        return self._link(f"{path}{HTML}") and self._link(f"{path}{JSON}")

    def file(self, path: str, content: bytes) -> None:
        """Write any other file."""
        self.file_by(path, digest_of(content), lambda target: target.write_bytes(content))

    def file_by(self, path: str, digest: str, write: Callable[[Path], object]) -> int:
        """Write a file that is the same whenever the digest is; returns its size."""
        self.done.manifest.others[path] = digest
        if self._before.others.get(path) != digest or not self._link(path):
            write(self._place(path))
        return self._place(path).stat().st_size

    def _link(self, path: str) -> bool:
        """Take a file from the previous site; false if somebody has removed it there."""
        if self._previous is None:
            return False
        try:
            linked_or_copied(self._previous / path, self._place(path))
        except FileNotFoundError:
            return False
        return True

    def _place(self, path: str) -> Path:
        """Where a file goes; its folder is made."""
        below = path.rpartition("/")[0]
        if below not in self._folders:
            (self._folder / below).mkdir(parents=True, exist_ok=True)
            self._folders.add(below)
        return self._folder / path


Piece = tuple[str, int, int]
"""Some pages: what they are of, the first number, and the one after the last."""
PIECE_PAGES = 50
"""About so many pages are a piece of work: a fifth of a second or so. At the end, processes wait for one."""


@dataclass(frozen=True)
class LadderWriter:
    """A ladder with everything that its pages show, and where they go."""

    pages: LadderPages
    addresses: LadderAddresses
    title: str
    """Title of the whole site."""
    ladder: str
    """Title of the ladder; empty if the site has one."""
    downloads: Sequence[Download]
    folder: Path
    previous: Path | None
    before: Manifest = field(repr=False)
    """The pages in `previous`, if there is such a folder."""
    tournaments: Sequence[SiteTournament] = ()

    @cached_property
    def frame(self) -> str:
        """A digest of what every page shows beside its document."""
        to = self.addresses
        has = to.shares, to.matches, bool(to.events), to.has_event_pages, to.tournaments
        shape = repr((to.folder, to.bundles, *has))
        return digest_of(look_digest(), self.title, self.ladder, shape, repr(self.pages.digits))

    @cached_property
    def bundles(self) -> list[list[int]]:
        """The players of each bundle."""
        found: list[list[int]] = [[] for _ in range(self.addresses.bundles)]
        for number in self.addresses.known:
            found[self.addresses.bundle_of[number]].append(number)
        return found

    def prepare(self) -> None:
        """Find out once what every process needs, before there are several."""
        _ = self.frame, self.bundles, self.addresses.page_names, self.addresses.event_page_names
        _ = self.addresses.numbers

    def pieces(self) -> list[Piece]:
        """All the work; what cannot be cut comes first, as others can be at work meanwhile."""
        to, pages = self.addresses, self.pages
        per_bundle = max(1, len(to.players) // to.bundles)
        events = len(to.events) if to.has_event_pages else 0
        per_event = max(1, self._event_pages() // max(1, events))
        return [
            ("single pages", 0, 1),
            ("tournaments", 0, min(1, len(self.tournaments))),
            *_cut("players", 0, to.bundles, PIECE_PAGES // per_bundle),
            *_cut("events", 1, events + 1, PIECE_PAGES // per_event),
            *_cut("leaderboard", 1, pages.leaderboard_pages() + 1, PIECE_PAGES // 4),
            *_cut("event list", 1, pages.events_pages() + 1, PIECE_PAGES // 4),
        ]

    def page_count(self) -> int:
        """Number of pages of the ladder."""
        pages, to = self.pages, self.addresses
        players = sum(map(to.has_own_page, to.known)) + to.shares * to.bundles
        lists = pages.leaderboard_pages() + pages.events_pages()
        single = 2 + to.matches + bool(to.events)
        return players + self._event_pages() + lists + single + len(self.tournaments)

    def _event_pages(self) -> int:
        """Number of pages of events."""
        if not self.addresses.has_event_pages:
            return 0
        return sum(map(self.pages.event_pages, range(1, len(self.addresses.events) + 1)))

    def write(self, piece: Piece) -> Writings:
        """Write some pages; returns which."""
        what, start, end = piece
        writer = PageWriter(self.folder, self.previous, self.before, self.frame)
        for number in range(start, end):
            _WRITERS[what](self, writer, number)
        return writer.done

    def _site(self, path: str) -> Site:
        home = f"{'../' * (path.count('/') + 1)}index.html" if self.addresses.folder else ""
        return Site(self.title, PageLinks(self.addresses, path), self.ladder, home, self.pages.digits)

    def _page(
        self,
        writer: PageWriter,
        path: str,
        kind: str,
        document: Mapping[str, Any],
        render: Callable[..., str],
        also: str = "",
    ) -> None:
        writer.page(path, kind, document, lambda: render(document, self._site(path)), also=also)

    def _script(self, writer: PageWriter, key: str, value: Any) -> None:
        writer.file(f"{DATA}/{key}.js", data_script(key, value).encode("utf-8", "replace"))

    # ------------------------------------------------------------------ one page, or a few

    def _leaderboard(self, writer: PageWriter, page: int) -> None:
        path = self.addresses.leaderboard(page)
        document = self.pages.leaderboard(page)
        self._page(writer, path, "leaderboard-page", document, rendering.render_leaderboard)

    def _bundle(self, writer: PageWriter, bundle: int) -> None:
        """The pages of a bundle's players, and their histories for comparisons."""
        to = self.addresses
        few, moved, compared = [], [], {}
        for number in self.bundles[bundle]:
            document = self.pages.player(number)
            compared[to.players[number]] = self.pages.compare_player(number, document)
            if to.has_own_page(number):
                self._page(writer, to.own_page(number), "player-page", document, rendering.render_player)
                moved.append(to.players[number])
            else:
                few.append(document)
        self._script(writer, to.bundle_key(bundle), compared)
        if to.shares:
            path = to.shared_page(bundle)
            writer.page(
                path,
                "player-pages",
                {"players": few, "moved": moved},
                lambda: rendering.render_players(few, moved, self._site(path)),
            )

    def _event(self, writer: PageWriter, number: int) -> None:
        for page in range(1, self.pages.event_pages(number) + 1):
            path = self.addresses.event(number, page)
            previous = str(PageLinks(self.addresses, path).event(number - 1))
            document = self.pages.event(number, page)
            self._page(writer, path, "event-page", document, rendering.render_event, previous)

    def _event_list(self, writer: PageWriter, page: int) -> None:
        path = self.addresses.events_page(page)
        self._page(writer, path, "event-list", self.pages.events(page), rendering.render_events)

    def _single(self, writer: PageWriter, _: int) -> None:
        """What a ladder has one of: the other pages, and the search index."""
        compare = self.pages.compare()
        self._page(writer, "compare", "compare-page", compare, rendering.render_compare)
        self._script(writer, "compare", compare)
        if (matches := self.pages.matches()) is not None:
            self._page(writer, "matches", "matches-page", matches, rendering.render_matches)
        if (peaks := self.pages.all_time()) is not None:
            self._page(writer, "all-time", "all-time-page", peaks, rendering.render_all_time)
        about = self.pages.about()
        writer.page(
            "about",
            "about-page",
            about,
            lambda: rendering.render_about(about, self.downloads, self._site("about")),
            also=repr(self.downloads),
            timeless=("computed",),
        )
        shards = search_shards(self._search_rows())
        self._script(writer, "search/index", list(shards))
        for number, rows in enumerate(shards.values()):
            self._script(writer, f"search/{number}", rows)

    def _search_rows(self) -> list[list[Any]]:
        """Everybody in the order of places: name, address, rating, place, data key, mu, sigma, events."""
        to = self.addresses
        return [
            [name, to.player_address(number), rating, place, to.bundle_key(to.bundle_of[number]), *more]
            for number, name, rating, place, *more in self.pages.search_rows()
        ]

    def _tournaments(self, writer: PageWriter, _: int) -> None:
        write_tournaments(writer, self.tournaments, self._site)


_WRITERS: dict[str, Callable[[LadderWriter, PageWriter, int], None]] = {
    "players": LadderWriter._bundle,
    "events": LadderWriter._event,
    "leaderboard": LadderWriter._leaderboard,
    "event list": LadderWriter._event_list,
    "single pages": LadderWriter._single,
    "tournaments": LadderWriter._tournaments,
}


def _cut(what: str, start: int, end: int, length: int) -> list[Piece]:
    """The numbers from `start` to before `end` in pieces of about this length."""
    length = max(1, length)
    return [(what, first, min(first + length, end)) for first in range(start, end, length)]
