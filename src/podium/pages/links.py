"""What a page knows of the site around it: addresses of other pages, titles, files to download."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Links(Protocol):
    """Addresses as one page writes them: relative to that page, ready for an `href`, and percent-encoded.

    Every page has links of its own, as pages stand in different folders. None means that there is no such
    page: the name or number is then shown as plain text.
    """

    def leaderboard(self, page: int = 1) -> str:
        """A page of the leaderboard; the first one is the ladder's front page."""

    def player(self, name: str) -> str | None:
        """The page of a player; several players with little to show may share one, each with an anchor."""

    def event(self, number: int, page: int = 1) -> str | None:
        """A page of an event, by its number in the history; a large one has several."""

    def events(self, page: int = 1) -> str | None:
        """A page of the list of all events."""

    def matches(self) -> str | None:
        """The page of recent matches, of a history of matches."""

    def all_time(self) -> str | None:
        """The page of the highest ratings ever, where there is one."""

    def seasons(self) -> str | None:
        """The page of past seasons, where a service lists them."""

    def tournaments(self) -> str | None:
        """The list of the ladder's tournaments, where there are any."""

    def compare(self, players: Sequence[str] = ()) -> str:
        """The page that compares players, with these chosen: `compare.html#ann&bob`, names encoded."""

    def about(self) -> str:
        """The page about this ladder."""

    def arena(self) -> str | None:
        """The page of strengths that do not change, where a service fits them."""

    def asset(self, name: str) -> str:
        """A file of `podium/pages/assets`: `site.css`, `site.js`."""

    def data(self) -> str:
        """The folder of this ladder's data scripts, with a slash at its end."""

    def twin(self) -> str:
        """The JSON document of this very page."""

    def table(self) -> str | None:
        """The table of this very page as CSV."""

    def search(self) -> str | None:
        """The page that finds players, where a server does."""

    def admin(self) -> str | None:
        """The page for those who report and correct results, where a server has one."""

    def amend(self, number: int) -> str | None:
        """Its forms for an event, for those who may correct."""

    def manage(self, player: str) -> str | None:
        """The forms for a player, for those who may correct."""

    def account(self) -> str | None:
        """The page on which somebody who is logged in logs out."""

    def earlier(self, player: str, number: int) -> str | None:
        """The results of a player before the event of a number, where not all are on one page."""


class SiteLinks(Links, Protocol):
    """What pages of a website on disk link to besides: templates of a service ask for none of it."""

    def anchor(self, name: str) -> str:
        """The `id` of a player on a page that several players share."""

    def download(self, file: str) -> str:
        """A file of ratings or results."""


class Download(NamedTuple):
    """A file that a site offers: its name, what is in it, and its size."""

    file: str
    words: str
    bytes: int


class Club(NamedTuple):
    """What a club's site shows of the club besides its name."""

    words: str = ""
    """A sentence below the name on the front page."""
    colour: str | None = None
    """As #rrggbb, above every page; `style` is the address of a stylesheet that has it."""
    style: str | None = None
    logo: str | None = None
    """The address of a picture."""


@dataclass(frozen=True)
class Site:
    """What a page says of the site it belongs to."""

    title: str
    """Title of the whole site."""
    link: Links
    """Addresses, as the page that is being written must write them."""
    ladder: str = ""
    """Title of this page's ladder, where a site has several."""
    home: str = ""
    """The address of the list of ladders, where a site has several."""
    digits: int = 0
    """Decimals of ratings."""
    club: Club | None = None
    """Whose site it is, where settings say so."""
