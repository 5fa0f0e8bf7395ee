"""Addresses of the pages of a service, as its pages write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from urllib.parse import quote, urlencode

from podium.server.access.login_links import LOGIN_PATH
from podium.server.access.rights import ADMIN, REPORT, Scope
from podium.server.ladders.followed_ladder import Look
from podium.server.log.reports import is_free

ASSET_NAMES = ("site.css", "site.js")
ASSET_DIGEST_BYTES = 8
FORMAT = "format"
"""The parameter of an address that asks for JSON or CSV in place of a page."""
LADDERS, ASSETS = "/ladders", "/assets"


@cache
def asset_content(name: str) -> bytes:
    """A file that pages load, which is one of `ASSET_NAMES`."""
    return (files("podium") / "pages" / "assets" / name).read_bytes()


@cache
def asset_digest(name: str) -> str:
    """What is in the address of an asset, and changes with it."""
    return blake2b(asset_content(name), digest_size=ASSET_DIGEST_BYTES).hexdigest()


def asset_address(name: str) -> str:
    """Where an asset is, for as long as it stays the same."""
    return f"{ASSETS}/{asset_digest(name)}/{name}"


class LiveLinks:
    """Addresses as pages of one ladder write them; keeps `podium.pages.links.Links`."""

    def __init__(
        self,
        slug: str,
        here: str,
        numbers: dict[str, int],
        *,
        matches: bool = False,
        tournaments: bool = False,
        peaks: bool = False,
        may: frozenset[Scope] = frozenset(),
        logged_in: bool = False,
    ) -> None:
        """`here` is the address of the page, `numbers` those of players who are on it, by name; `may` is what
        whoever looks at it may do here.
        """
        self._base = f"{LADDERS}/{slug}" if slug else ""
        self._here, self._numbers, self._matches = here, numbers, matches
        self._peaks = peaks
        self._may, self._logged_in = may, logged_in
        self._tournaments = tournaments or REPORT in may

    def leaderboard(self, page: int = 1) -> str:
        """A page of the leaderboard."""
        return f"{self._base}/" if page == 1 else f"{self._base}/?page={page}"

    def player(self, name: str) -> str | None:
        """The page of a player; None if the name is nobody's any more."""
        number = self._numbers.get(name)
        return None if number is None else f"{self._base}/players/{number}"

    def event(self, number: int, page: int = 1) -> str | None:
        """A page of an event."""
        if number < 1:
            return None
        return f"{self._base}/events/{number}{'' if page == 1 else f'?page={page}'}"

    def events(self, page: int = 1) -> str:
        """A page of the log."""
        return f"{self._base}/events{'' if page == 1 else f'?page={page}'}"

    def matches(self) -> str | None:
        """The page of matches."""
        return f"{self._base}/matches" if self._matches else None

    def all_time(self) -> str | None:
        """The page of the highest ratings ever, of ladders that are not too large."""
        return f"{self._base}/all-time" if self._peaks else None

    def seasons(self) -> str:
        """The page of past seasons."""
        return f"{self._base}/seasons"

    def tournaments(self) -> str | None:
        """The list of tournaments."""
        return f"{self._base}/tournaments" if self._tournaments else None

    def compare(self, players: Sequence[str] = ()) -> str:
        """The page that compares players: by name for its script, by number without it."""
        numbers = urlencode([("player", self._numbers[name]) for name in players if name in self._numbers])
        chosen = "&".join(quote(name, safe="", errors="replace") for name in players)
        return f"{self._base}/compare{'?' if numbers else ''}{numbers}{'#' if chosen else ''}{chosen}"

    def about(self) -> str:
        """The page about the ladder."""
        return f"{self._base}/about"

    def arena(self) -> str | None:
        """The page of strengths that do not change."""
        return f"{self._base}/arena" if self._matches else None

    def asset(self, name: str) -> str:
        """A file of the assets."""
        return asset_address(name)

    def data(self) -> str:
        """The folder of data scripts."""
        return f"{self._base}/data/"

    def twin(self) -> str:
        """The JSON document of this page."""
        return self._in_format("json")

    def table(self) -> str:
        """The table of this page as CSV."""
        return self._in_format("csv")

    def search(self) -> str | None:
        """The page that finds players."""
        return f"{self._base}/search" if self._base else None

    def admin(self) -> str | None:
        """The page for those who report and correct."""
        return f"{self._base}/admin" if REPORT in self._may else None

    def amend(self, number: int) -> str | None:
        """Its forms for an event."""
        return f"{self._base}/admin?event={number}" if ADMIN in self._may else None

    def manage(self, player: str) -> str | None:
        """The forms for a player."""
        number = self._numbers.get(player)
        return f"{self._base}/admin?player={number}" if ADMIN in self._may and number is not None else None

    def invite(self) -> str:
        """The form of a link by which members report to this ladder."""
        return f"/links?ladder={self._base.removeprefix(LADDERS + '/')}"

    def account(self) -> str | None:
        """The page of whoever is logged in."""
        return LOGIN_PATH if self._logged_in else None

    def earlier(self, player: str, number: int) -> str | None:
        """The results of a player before an entry of the log."""
        page = self.player(player)
        return None if page is None else f"{page}?before={number}"

    def _in_format(self, format: str) -> str:
        return f"{self._here}{'&' if '?' in self._here else '?'}{FORMAT}={format}"


def numbers_of(look: Look, numbers: Iterable[int]) -> dict[str, int]:
    """The players of these numbers by name; accounts that were merged, too, by theirs."""
    found = {number for number in numbers if number >= 0}
    accounts = {look.account_name(number): look.survivor(number) for number in found if number in look.merged}
    players = map(look.survivor, found)
    named = {name: number for number in players if not is_free(name := look.names[number])}
    return accounts | named
