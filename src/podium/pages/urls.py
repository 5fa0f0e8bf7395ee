"""The URLs of a ladder's pages: the file name of each player and event, and how pages link to each other."""

from __future__ import annotations

import base64
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from urllib.parse import quote

LONGEST_SLUG = 48
"""Letters of a name that are kept; with digest and suffix that is far below the 255 bytes of a file name."""
DIGEST_LETTERS = 10
"""50 bits: of a million names without an ASCII letter, two share a digest once in two thousand ladders."""
LONG_DIGEST_LETTERS = 52
"""All letters of the digest, for names that share the short one: by chance, or because somebody tried."""
NAMELESS = "x"
"""The slug of a name without any ASCII letter: some hosts hide files that begin with a low line."""

_WORDS = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*(?: [0-9]+)?", re.ASCII)
"""Capitalised words, and perhaps a number after them."""
_HANDLE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_RESERVED = re.compile(r"con|prn|aux|nul|com[0-9]|lpt[0-9]")
"""What Windows takes for a device, whatever follows after a dot."""


def page_name(name: str, digest_letters: int = DIGEST_LETTERS) -> str:
    """The name of somebody's page, without a suffix."""
    slug = name_slug(name) or NAMELESS
    if len(name) <= LONGEST_SLUG:
        if _WORDS.fullmatch(name) and not _RESERVED.fullmatch(slug):
            return slug
        if _HANDLE.fullmatch(name):
            return f"{slug}_"
    return f"{slug}_{name_digest(name, digest_letters)}"


def page_names(names: Iterable[str]) -> list[str]:
    """The name of each page; names that share one by their digests have longer digests."""
    known = list(names)
    found = [page_name(name) for name in known]
    shared = (
        {page for page, times in Counter(found).items() if times > 1} if len(set(found)) < len(found) else ()
    )
    return [
        page_name(name, LONG_DIGEST_LETTERS) if page in shared else page
        for name, page in zip(known, found, strict=True)
    ]


def event_page_names(names: Iterable[str]) -> list[str]:
    """The name of each event's page. Events may share a name: the second is `final.2`, so that an event which
    is added at the end renames no other.
    """
    times: Counter[str] = Counter()
    found = []
    for name in names:
        page = page_name(name)
        times[page] += 1
        found.append(page if times[page] == 1 else f"{page}.{times[page]}")
    return found


def name_slug(name: str) -> str:
    """The ASCII letters and digits of a name in lower case, words joined by hyphens; may be empty.

    >>> name_slug("../Étienne  O'Neil"), name_slug("羽生")
    ('etienne-o-neil', '')
    """
    plain = unicodedata.normalize("NFKD", name[: 4 * LONGEST_SLUG]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_SLUG].strip("-")


def name_digest(name: str, letters: int) -> str:
    """Letters that tell a name from others with the same slug, the same in every run and on every machine."""
    digest = blake2b(_bytes(name), digest_size=32).digest()[: -(-letters * 5 // 8)]
    return base64.b32encode(digest).decode().lower()[:letters]


def bundle_number(name: str, bundles: int) -> int:
    """Which of so many bundles a name is in: by its digest, so that others' names do not matter."""
    return int.from_bytes(blake2b(_bytes(name), digest_size=8).digest()) % bundles


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogatepass")


HTML, JSON = ".html", ".json"
ASSETS, DATA, DOWNLOADS = "assets", "data", "downloads"
"""Folders: of the site, and twice of each ladder."""
BUNDLED_PLAYERS = 64
"""Players whose histories are in one script for comparisons: at most so many on average."""
OWN_PAGES_UP_TO = 4096
"""Players of a ladder in which everybody has a page of their own."""
SHARED_EVENTS = 5
"""In larger ladders, who has at most so many events shares a page with others: three of five on AtCoder."""
MATCH_PAGES_UP_TO = 5000
"""Matches of a history in which each has a page of its own. Of more, each is in the list of events and among
the results of who played: a page has nothing else to show."""


@dataclass(frozen=True)
class LadderAddresses:
    """The pages of one ladder by their paths below the ladder's folder, without suffixes.

    What follows from the names and the number of players changes only where the number of players doubles,
    so that addresses in pages which are not written again stay right.
    """

    folder: str
    """The ladder's folder below the site, with a slash at its end; empty if the site has one ladder."""
    players: Sequence[str]
    """Names by number."""
    known: Sequence[int]
    """Numbers of those who have a page: not of names that became others."""
    events_of: Sequence[int]
    """Rated events of each player."""
    events: Sequence[str]
    """Names of the events."""
    matches: bool
    """Whether there is a page of matches."""
    tournaments: bool = False
    """Whether there is a list of tournaments."""

    @cached_property
    def bundles(self) -> int:
        """Number of bundles of players: a power of two."""
        count = 1
        while count * BUNDLED_PLAYERS < len(self.players):
            count *= 2
        return count

    @cached_property
    def shares(self) -> bool:
        """Whether players with few events share pages."""
        return len(self.players) > OWN_PAGES_UP_TO

    @cached_property
    def bundle_of(self) -> list[int]:
        """The bundle that each player is in."""
        return [bundle_number(name, self.bundles) for name in self.players]

    @cached_property
    def page_names(self) -> list[str]:
        """The name of each player's page, or of the anchor on a shared one."""
        return page_names(self.players)

    @cached_property
    def event_page_names(self) -> list[str]:
        """The name of each event's page."""
        return event_page_names(self.events)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each player."""
        return {self.players[number]: number for number in self.known}

    @cached_property
    def has_event_pages(self) -> bool:
        """Whether each event has a page."""
        return bool(self.events) and not (self.matches and len(self.events) > MATCH_PAGES_UP_TO)

    def has_own_page(self, number: int) -> bool:
        """Whether a player has a page alone."""
        return not self.shares or self.events_of[number] > SHARED_EVENTS

    def leaderboard(self, page: int) -> str:
        """A page of the leaderboard."""
        return "index" if page == 1 else f"board/{page}"

    def own_page(self, number: int) -> str:
        """The page of a player alone. Folders by first letter: some systems want few files in each."""
        name = self.page_names[number]
        return f"players/{name[0]}/{name}"

    def shared_page(self, bundle: int) -> str:
        """The page that players of a bundle share."""
        return f"players/few/{bundle:x}"

    def event(self, number: int, page: int = 1) -> str:
        """A page of an event, which is counted from 1."""
        name = self.event_page_names[number - 1]
        return f"events/{name}" if page == 1 else f"events/{name}/{page}"

    def events_page(self, page: int) -> str:
        """A page of the list of events."""
        return f"event-list/{page}"

    def bundle_key(self, bundle: int) -> str:
        """The key of the script with the histories of a bundle's players."""
        return f"players/{bundle:x}"

    def player_address(self, number: int) -> str:
        """A player's page below the ladder's folder, with its suffix and perhaps an anchor."""
        if self.has_own_page(number):
            return f"{self.own_page(number)}{HTML}"
        return f"{self.shared_page(self.bundle_of[number])}{HTML}#{self.page_names[number]}"


class PageLinks:
    """Addresses as the page at `path` writes them; keeps `podium.pages.links.Links`."""

    def __init__(self, addresses: LadderAddresses, path: str) -> None:
        self._to = addresses
        self._path = path
        self._up = "../" * path.count("/")

    def leaderboard(self, page: int = 1) -> str:
        """A page of the leaderboard."""
        return f"{self._up}{self._to.leaderboard(page)}{HTML}"

    def player(self, name: str) -> str | None:
        """The page of a player; None if the name is nobody's any more."""
        number = self._to.numbers.get(name)
        return None if number is None else f"{self._up}{self._to.player_address(number)}"

    def anchor(self, name: str) -> str:
        """Where a player is on a shared page."""
        return self._to.page_names[self._to.numbers[name]]

    def event(self, number: int, page: int = 1) -> str | None:
        """A page of an event; None if it has none."""
        if not (self._to.has_event_pages and 1 <= number <= len(self._to.events)):
            return None
        return f"{self._up}{self._to.event(number, page)}{HTML}"

    def events(self, page: int = 1) -> str | None:
        """A page of the list of events."""
        return f"{self._up}{self._to.events_page(page)}{HTML}" if self._to.events else None

    def matches(self) -> str | None:
        """The page of matches."""
        return f"{self._up}matches{HTML}" if self._to.matches else None

    def all_time(self) -> str | None:
        """The page of the highest ratings ever."""
        return f"{self._up}all-time{HTML}" if self._to.events else None

    def tournaments(self) -> str | None:
        """The list of tournaments, if the website has any."""
        return f"{self._up}tournaments{HTML}" if self._to.tournaments else None

    def compare(self, players: Sequence[str] = ()) -> str:
        """The page that compares players."""
        chosen = "&".join(quote(name, safe="", errors="replace") for name in players)
        return f"{self._up}compare{HTML}{'#' if chosen else ''}{chosen}"

    def about(self) -> str:
        """The page about the ladder."""
        return f"{self._up}about{HTML}"

    def seasons(self) -> None:
        """Only a service lists seasons."""

    def arena(self) -> None:
        """A website of a ladder has no fit."""

    def asset(self, name: str) -> str:
        """A file of the site's folder of assets."""
        return f"{self._up}{'../' * self._to.folder.count('/')}{ASSETS}/{name}"

    def data(self) -> str:
        """The folder of data scripts."""
        return f"{self._up}{DATA}/"

    def download(self, file: str) -> str:
        """A file of ratings or results."""
        return f"{self._up}{DOWNLOADS}/{file}"

    def twin(self) -> str:
        """The JSON document of this page."""
        return f"{self._path.rpartition('/')[2]}{JSON}"

    def table(self) -> None:
        """A website has tables as downloads."""

    def search(self) -> None:
        """Only a script searches a website."""

    def admin(self) -> None:
        """Nobody reports to a website."""

    def manage(self, player: str) -> None:
        """Nobody manages players here."""

    def amend(self, number: int) -> None:
        """Nobody corrects on a website."""

    def account(self) -> None:
        """Nobody logs in to a website."""

    def earlier(self, player: str, number: int) -> None:
        """A website's pages have all results."""
