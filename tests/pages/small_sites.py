"""A small site of two ladders in which every name is hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import podium
from podium.ladder.bulk import Run
from podium.pages import urls
from podium.pages.data_scripts import data_script, search_shards
from podium.pages.ladder_pages import ladder_pages
from podium.pages.site_writing import SiteLadder, write_site
from podium.systems.tiers import Tier

NAMES = [
    "<script>alert(1)</script>",
    "\"quoted\" & 'single'",
    "../../etc/passwd",
    "שלום עולם",
    "🏎️💨",
    "x" * 200,
    "Ann",
    "ANN",
    "Kimi Räikkönen",
    "con",
    "Switzerland",
    "100% #1?",
    "İstanbul Ångström",
    "</title><b>bold",
    "once",
]
"""Names of players; the last one plays once."""
TIERS = (
    Tier("Bronze", -float("inf"), "#a97142"),
    Tier("Silver & co", 1480.0, "#8a94a6"),
    Tier("Gold", 1560.0, "#d4a017"),
)


class SmallSite(NamedTuple):
    """A site on disk, and the runs it was made of."""

    folder: Path
    contests: Run
    matches: Run

    def pages(self, ladder: str = "contests") -> Path:
        """The folder of a ladder."""
        return self.folder / next(path.name for path in self.folder.iterdir() if path.name.startswith(ladder))

    def player(self, name: str, ladder: str = "contests") -> Path:
        """The file of a player's page, as the search index gives it, without an anchor."""
        rows = [
            row
            for start in sorted((self.pages(ladder) / "data" / "search").glob("[0-9]*.js"))
            for row in called(start)
        ]
        address = next(row[1] for row in rows if row[0] == name)
        return self.pages(ladder) / address.partition("#")[0]

    def kinds(self) -> dict[str, Path]:
        """One page of each kind."""
        contests, matches = self.pages("contests"), self.pages("matches")
        return {
            "ladders": self.folder / "index.html",
            "leaderboard": contests / "index.html",
            "player": self.player("Kimi Räikkönen"),
            "player of matches": self.player("Ann", "matches"),
            "players": self.player("once"),
            "event": sorted((contests / "events").glob("round-7*.html"))[0],
            "match": sorted((matches / "events").glob("*.html"))[0],
            "events": contests / "event-list" / "1.html",
            "matches": matches / "matches.html",
            "compare": contests / "compare.html",
            "about": contests / "about.html",
            "about matches": matches / "about.html",
        }


def called(script: Path) -> Any:
    """The value in a data script."""
    text = script.read_text(encoding="utf-8")
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


def contest_history() -> podium.History:
    """Eight contests of nearly everybody. Who is away from the third one on is inactive."""
    rounds = []
    for number in range(8):
        players = NAMES[:-1] if number < 2 else [name for name in NAMES[:-1] if name != "con"]
        # Orders that change from one contest to the next, with a tie in each.
        order = players[number % 5 :] + players[: number % 5] if number % 2 else players
        ranks = {name: max(1, place) for place, name in enumerate(order)}
        if number == 7:
            ranks["once"] = len(order)
        time = f"202{number // 4 + 4}-0{number % 4 * 2 + 1}-12"
        rounds.append({"ranks": ranks, "time": time, "name": f"round {number} <b>&amp;</b>"})
    return podium.History.from_events(rounds)


def match_history() -> podium.History:
    """Thirty matches with draws and home sides; somebody plays twice only."""
    events = []
    for number in range(30):
        one, other = NAMES[number % 7], NAMES[(number * 3 + 1) % 7 + (number % 7 == (number * 3 + 1) % 7)]
        score = {one: number % 4, other: number % 3}
        events.append({"scores": score, "home": one, "time": f"2025-06-{number + 1:02d}"})
    events += [{"scores": {"once": 1, NAMES[0]: 0}, "time": f"2025-07-0{day}"} for day in (1, 2)]
    return podium.History.from_events(events)


def written_site(folder: Path) -> SmallSite:
    """Two ladders as one site. Players with few events share pages; the search index of the second is cut."""
    first = podium.rate(contest_history(), podium.EloMMR(), trace=True)
    second = podium.rate(match_history(), podium.Elo(newcomer_start="adaptive"), trace=True)
    ladders = [
        SiteLadder("Contests", ladder_pages(first, tiers=TIERS, min_events=2, active_since="2024-06-01")),
        SiteLadder("Matches", ladder_pages(second, tiers=TIERS)),
    ]
    site = SmallSite(folder, first, second)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(urls, "OWN_PAGES_UP_TO", 3)
        write_site(site.folder, ladders, "Races & <i>games</i>")
    search = site.pages("matches") / "data" / "search"
    shards = search_shards(called(search / "0.js"), most=2)
    (search / "index.js").write_text(data_script("search/index", list(shards)), encoding="utf-8")
    for number, rows in enumerate(shards.values()):
        script = data_script(f"search/{number}", rows)
        (search / f"{number}.js").write_text(script, encoding="utf-8")
    return site
