"""Words and small pieces of HTML that every page uses: links, ratings, changes, days, numbers of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from datetime import time as clock
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from podium.history.event_lookup import is_own_time
from podium.history.times import to_micros
from podium.text import percent, rounded_gain, shorten, write_number

if TYPE_CHECKING:
    from podium.documents.page_documents import BriefResultDocument
    from podium.documents.plain_data import ParameterValue
    from podium.pages.links import Site

LONGEST_WORD = 11
"""Letters of a word for which a table on a phone has room."""
MIDNIGHT = clock()
PAGES_AROUND = 2
"""Numbers of pages before and after the present one that a page lists."""


@lru_cache(maxsize=65_536)  # an event's day is on the page of everybody who was there
def day(time: str) -> str:
    """The day of an ISO 8601 time as people read it.

    >>> day("2026-05-01T18:30:00Z")
    '1 May 2026'
    """
    moment = datetime.fromisoformat(time)
    return f"{moment.day} {moment:%b} {moment.year}"


ABOUT_STRENGTHS = (
    "A difference of 400 points means odds of ten to one. The interval of a strength holds for that player "
    "alone. The ranks hold for all players at once: if the ranks of two players overlap, their order is not "
    "certain. Best is the chance of being the best."
)
"""What the numbers of an arena mean."""


def moment_words(time: str) -> str:
    """A time as people read it: the day, and the minute unless it is midnight.

    >>> moment_words("2026-05-01T18:30:00Z"), moment_words("2026-05-01")
    ('1 May 2026, 18:30', '1 May 2026')
    """
    moment = datetime.fromisoformat(time)
    return day(time) if moment.time() == MIDNIGHT else f"{day(time)}, {moment:%H:%M}"


def sentence(text: str) -> str:
    """A reason or a hint of an error as a sentence of a page.

    >>> sentence("the form has expired"), sentence("podium could not compute it."), sentence("")
    ('The form has expired.', 'podium could not compute it.', '')
    """
    first = text[:1] if text.startswith("podium") else text[:1].upper()
    end = "" if text.endswith((".", "!", "?", "…")) or not text else "."
    return f"{first}{text[1:]}{end}"


def own_name(name: str, time: str | None) -> str | None:
    """The name that people gave to an event; None if it is called by its number or its time.

    >>> own_name("cup", None), own_name("12", None), own_name("2026-05-01", "2026-05-01")
    ('cup', None, None)
    """
    named_by_time = time is not None and is_own_time(name, to_micros(time))
    return None if named_by_time or name.isdecimal() else name


def event_title(name: str, time: str | None) -> str:
    """What an event is called where it stands alone: its own name, else its time, else its number.

    >>> event_title("cup", None), event_title("12", None), event_title("12", "2026-05-01")
    ('cup', 'Event 12', '1 May 2026')
    """
    return own_name(name, time) or (f"Event {name}" if time is None else moment_words(time))


def adjustment_title(given: Mapping[str, Any]) -> str:
    """An adjustment in plain words, by the values with which it is reported. Of a rename, a service stores
    only the player's name of now.

    >>> adjustment_title({"adjustment": "merge", "player": "annie", "into": "ann"})
    'The results of annie now count for ann'
    >>> adjustment_title({"adjustment": "set-rating", "player": "ann", "display": 1800.0})
    'The rating of ann was set to 1800'
    >>> adjustment_title({"adjustment": "reset", "keep": 0.5})
    "A new season: all players kept 50% of their distance from a newcomer's rating"
    """
    player, into = (shorten(given[name], 40) if given.get(name) else "" for name in ("player", "into"))
    rating = next((f"{given[name]:g}" for name in ("display", "mu") if given.get(name) is not None), "")
    toward = "a newcomer's rating" if given.get("toward") is None else f"{given['toward']:g}"
    return {
        "rename": f"A player is now called {player}",
        "merge": f"The results of {player} now count for {into}",
        "set-rating": f"The rating of {player} was set to {rating}",
        "anchor": f"The rating of {player} was fixed{f' at {rating}' if rating else ''}",
        "release": f"Results change the rating of {player} again",
        "reset": f"A new season: all players kept {percent(given.get('keep', 0.5))} of their distance from "
        f"{toward}",
    }[given["adjustment"]]


_ADJUSTED = {
    "set-rating": "Rating set",
    "anchor": "Rating fixed",
    "release": "Results count again",
    "reset": "New season",
}


def adjusted_words(adjustment: str) -> str:
    """An adjustment of a player, as documents have it, in a few words for a list of results.

    >>> adjusted_words("reset keep=0.5"), adjusted_words("set-rating player=ann, mu=1800")
    ('New season', 'Rating set')
    """
    return _ADJUSTED.get(adjustment.split(" ", 1)[0], adjustment)


def day_html(time: str | None) -> str:
    """A day that a machine reads too; a dash where it is not known."""
    return "–" if time is None else f'<time datetime="{escape(time)}">{day(time)}</time>'


def name_html(name: str) -> str:
    """A name: written from right to left, it leaves the text around it alone. Long words may be broken.

    >>> name_html("Tom & Ann"), name_html("Llanfairpwll")
    ('<bdi>Tom &amp; Ann</bdi>', '<bdi class="long">Llanfairpwll</bdi>')
    """
    long = len(name) > LONGEST_WORD and max(map(len, name.split()), default=0) > LONGEST_WORD
    return f'<bdi class="long">{escape(name)}</bdi>' if long else f"<bdi>{escape(name)}</bdi>"


def linked(address: str | None, name: str) -> str:
    """A name with a link, or alone if there is no such page."""
    return name_html(name) if address is None else f'<a href="{escape(address)}">{name_html(name)}</a>'


def players_html(site: Site, names: Sequence[str]) -> str:
    """Players one after another, each with a link."""
    return ", ".join(linked(site.link.player(name), name) for name in names)


def called_by_day(name: str, time: str | None) -> bool:
    """Whether an event is called by its time: it has a time and no name of its own."""
    return time is not None and own_name(name, time) is None


def all_called_by_day(results: Sequence[BriefResultDocument]) -> bool:
    """Whether the events of all results are called by their times."""
    return all(called_by_day(one["name"], one["time"]) for one in results if one["rank"] is not None)


def event_html(site: Site, number: int | None, name: str, time: str | None = None) -> str:
    """An event with a link to its page. Without a name of its own it is called by its time or its number."""
    address = None if number is None else site.link.event(number)
    if time is not None and called_by_day(name, time):
        moment = f'<time datetime="{escape(time)}">{moment_words(time)}</time>'
        return moment if address is None else f'<a href="{escape(address)}">{moment}</a>'
    return linked(address, event_title(name, time))


def event_and_day_html(site: Site, number: int | None, name: str, time: str | None) -> str:
    """An event and its day, which is said once."""
    event = event_html(site, number, name, time)
    return event if time is None or called_by_day(name, time) else f"{event}, {day_html(time)}"


def gain_html(after: float | None, before: float | None, digits: int) -> str:
    """What lies between two ratings as they are shown, with its sign and the colour of a gain or a loss.

    >>> gain_html(2626.6, 2626.4, 0), gain_html(1500.0, None, 0), gain_html(1500.2, 1500.0, 0)
    ('<span class="gain">+1</span>', '–', '0')
    """
    gain = rounded_gain(before, after, digits)
    look = {"+": "gain", "−": "loss"}.get(gain[0])
    return gain if look is None else f'<span class="{look}">{gain}</span>'


def swatch_html(colour: str) -> str:
    """A small square in the colour of a tier."""
    return (
        '<svg class="swatch" aria-hidden="true" viewBox="0 0 10 10">'
        f'<path fill="{escape(colour)}" d="M0 0h10v10H0z"/></svg>'
    )


def page_numbers(page: int, pages: int) -> list[int | None]:
    """Numbers of pages to list: both ends and those around the present one; None where some are left out.

    >>> page_numbers(6, 20)
    [1, None, 4, 5, 6, 7, 8, None, 20]
    >>> page_numbers(2, 3)
    [1, 2, 3]
    """
    near = {1, pages, *range(page - PAGES_AROUND, page + PAGES_AROUND + 1)}
    listed: list[int | None] = []
    for number in sorted(number for number in near if 1 <= number <= pages):
        before = listed[-1] if listed else None
        if before is not None and number > before + 1:
            listed.append(None)
        listed.append(number)
    return listed


def parameter_text(value: ParameterValue) -> str:
    """A parameter's value as people read it: numbers in six digits.

    >>> parameter_text(195.95917942265424), parameter_text([0.4, 0.7]), parameter_text([])
    ('195.959', '0.4, 0.7', 'none')
    """
    if isinstance(value, list):
        return ", ".join(map(parameter_text, value)) or "none"
    if isinstance(value, float):
        return write_number(value, ".6g")
    return "none" if value is None else str(value)


def file_size(size: int) -> str:
    """A size of a file as people read it.

    >>> file_size(812), file_size(48_123), file_size(5_300_000)
    ('812 B', '48 KB', '5.3 MB')
    """
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.0f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
