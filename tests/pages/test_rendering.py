"""Pages as HTML: valid, escaped, small; and both themes can be read."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import html5lib
import pytest

import podium
from pages.small_sites import NAMES, SmallSite
from podium import ParameterError
from podium.documents.page_documents import BoardRowDocument, LeaderboardPageDocument
from podium.pages import rendering
from podium.pages.data_scripts import search_shards, search_words
from podium.pages.links import Site
from podium.pages.rendering import render_leaderboard

CSS = (Path(podium.__file__).parent / "pages" / "assets" / "site.css").read_text(encoding="utf-8")


def test_every_page_is_valid_and_runs_one_script(small_site: SmallSite) -> None:
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    for file in sorted(small_site.folder.rglob("*.html")):
        root = parser.parse(file.read_text(encoding="utf-8"))
        scripts = [one.get("src") for one in root.iter("script")]
        assert len(scripts) == 1, file
        assert str(scripts[0]).endswith("assets/site.js"), file
        handlers = [
            name for one in root.iter() for name in one.attrib if name.startswith("on") or name == "style"
        ]
        assert handlers == [], file
        identities = [one.get("id") for one in root.iter() if one.get("id")]
        assert len(identities) == len(set(identities)), file


def test_names_are_shown_as_they_are(small_site: SmallSite) -> None:
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root = parser.parse((small_site.pages() / "index.html").read_text(encoding="utf-8"))
    shown = ["".join(one.itertext()) for one in root.iter("bdi")]
    assert [name for name in NAMES if name not in shown] == []
    assert "".join(root.find("head/title").itertext()) == "Leaderboard · Contests"


class NoPages:
    """Links of a site that has no pages but the leaderboard's."""

    def leaderboard(self, page: int = 1) -> str:
        return f"{page}.html"

    def player(self, name: str) -> str:
        return f"players/{name[:1]}/{name[:48]}_0123456789.html"

    def __getattr__(self, name: str) -> object:
        return lambda *given: f"{name}.html"


def test_a_page_without_its_pictures_is_below_100_kilobytes() -> None:
    """A full page of the leaderboard whose names are long."""
    row: BoardRowDocument = {
        "place": 12_345,
        "player": "",
        "display": 1234.5678901234567,
        "sigma": 98.76543210987654,
        "last_change": -12.345678901234567,
        "last_display": 1512.345678901234567,
        "month_change": 123.45678901234567,
        "events": 2591,
        "last_time": "2026-05-01T18:30:00Z",
        "spark": [1500.0 + number for number in range(20)],
        "record": {"wins": 1234, "draws": 123, "losses": 1234, "form": ["win", "draw", "loss", "win", "win"]},
        "tier": "Grand Master",
        "group": "ranked",
        "missing": None,
    }
    document: LeaderboardPageDocument = {
        "page": 7,
        "pages": 2000,
        "now": "2026-05-01",
        "events": 522,
        "players": 212_839,
        "ranked": 200_000,
        "provisional": 12_000,
        "inactive": 839,
        "rule": "To be ranked, a player needs at least 5 rated events.",
        "has_sigma": True,
        "has_times": True,
        "has_trace": True,
        "tiers": [{"name": "Grand Master", "lower": None, "colour": "#c9342f", "players": 7}],
        "distribution": None,
        "rows": [{**row, "player": f"player {number} {'long ' * 8}"} for number in range(100)],
    }
    page = render_leaderboard(document, Site("Title", NoPages()))  # type: ignore[arg-type]
    bare = re.sub(r"<svg class=\"(?:picture|spark).*?</svg>", "", page, flags=re.DOTALL)
    assert page.count('<svg class="spark') == 100
    assert len(bare.encode()) < 100_000


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2.2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_has_enough_contrast(theme: str) -> None:
    """WCAG 2.2 AA: 4.5 for texts on all three backgrounds, 3 for lines and dots that mean something."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    pairs = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);", CSS)
    colours = {name: light if theme == "light" else dark for name, light, dark in pairs}
    for background in ("paper", "surface", "raised"):
        for text in ("ink", "muted", "link", "gain", "loss"):
            assert contrast(colours[text], colours[background]) >= 4.5, (text, background)
    for line in ("above", "below", "one", "two", "three", "four", "five", "focus"):
        assert contrast(colours[line], colours["surface"]) >= 3.0, line


def test_without_jinja_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ParameterError, match=r"pip install 'podium\[site\]'"):
        rendering._environment.__wrapped__()


def test_the_search_index_of_many_is_cut_by_first_letters() -> None:
    rows = [
        (f"{first}{second} {number}", number) for first in "ab" for second in "cd" for number in range(30)
    ]
    shards = search_shards(rows, most=20)
    assert max(map(len, shards.values())) <= 30  # thirty rows have one word, which cannot be cut
    for row in rows:
        for word in search_words(row[0]):
            assert any(word.startswith(start) and row in found for start, found in shards.items() if start)
    assert shards[""] == []
    assert search_shards(rows, most=120) == {"": rows}
