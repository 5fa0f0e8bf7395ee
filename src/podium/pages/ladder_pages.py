"""A ladder as the documents of all its pages, each made when it is asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Unpack

from podium.arrays import DAY, Ints
from podium.documents.event_page_documents import (
    AboutPageDocument,
    AllTimePageDocument,
    EventListDocument,
    EventPageDocument,
    LadderCardDocument,
    MatchesPageDocument,
)
from podium.documents.page_documents import (
    ComparedPlayerDocument,
    ComparePageDocument,
    LeaderboardPageDocument,
    MarkDocument,
    PlayerPageDocument,
)
from podium.documents.plain_data import plain_time
from podium.errors import InputError
from podium.history.events import EventKeywords
from podium.ladder.bulk import Run
from podium.ladder.ladder import Ladder
from podium.ladder.rating_tables import LeaderboardFilters
from podium.pages.about_pages import LEADERS, LadderPast, about_page, ladder_card
from podium.pages.all_time_page import all_time_page
from podium.pages.board_pages import (
    PLAYERS_PER_PAGE,
    SearchRow,
    board_page,
    board_pages,
    recent_form,
    search_rows,
)
from podium.pages.compare_pages import SUGGESTED, RatingRange, compare_page
from podium.pages.event_pages import (
    EVENTS_PER_PAGE,
    event_list_page,
    event_list_pages,
    event_page,
    event_pages,
    has_matches,
    listed_event,
    matches_page,
)
from podium.pages.ladder_data import LadderData
from podium.pages.page_words import event_title
from podium.pages.played_rows import PlayedRows
from podium.pages.player_pages import compared_on_site, player_page
from podium.pages.player_results import played_results
from podium.pages.rating_reasons import RatingState
from podium.systems.tiers import Tier
from podium.text import shorten

MOST_PLAYERS = 50
"""Players whose marks are computed: those of the latest events."""
RECENT = 365 * DAY
"""How long before the last event those events were, if there are times."""
LARGEST_EVENT = 50
"""Sides of an event beyond which it takes too long."""
ROUND_STEPS = (100.0, 5.0, 0.5)
"""Distance of round numbers, by the decimals that ratings are shown with."""


def latest_marks(data: LadderData, ladder: Ladder) -> dict[int, list[MarkDocument]]:
    """The marks of the players of the latest events, by player; each for an event like the player's last."""
    if (played := data.played) is None:
        return {}
    return {
        player: _marks(data, played, ladder, player, event) for player, event in _latest_players(data, played)
    }


def _latest_players(data: LadderData, played: PlayedRows) -> Iterator[tuple[int, int]]:
    """Players with their last event, the latest first."""
    offsets = played.history.offsets
    seen: set[int] = set()
    for event in range(len(played.names) - 1, -1, -1):
        rows = range(int(offsets[event]), int(offsets[event + 1]))
        new = [player for row in rows if played.rated[row] and (player := int(played.whose[row])) not in seen]
        too_many = played.sides[event] > LARGEST_EVENT or len(seen) + len(new) > MOST_PLAYERS
        if too_many or (data.has_times and played.history.time[event] < data.now - RECENT):
            return
        seen.update(new)
        there = played.whose[rows.start : rows.stop].tolist()
        if len(set(there)) == len(there):  # a merge may have made two of them one
            yield from ((player, event) for player in new if data.known[player])


def _marks(
    data: LadderData, played: PlayedRows, ladder: Ladder, player: int, event: int
) -> list[MarkDocument]:
    like, display = _event_like(data, played, event), float(data.display[player])
    step = ROUND_STEPS[data.digits]
    above = [tier for tier in data.tiers if tier.lower > display]
    wanted: list[tuple[float, str | None]] = [((math.floor(display / step) + 1) * step, None)]
    wanted = [(above[0].lower, above[0].name), *wanted] if above else wanted
    found: list[MarkDocument] = []
    for mark, tier in sorted(wanted, key=lambda one: one[0]):
        if any(other["mark"] == mark for other in found):
            continue
        rank, sides = ladder.rank_to_reach(data.names[player], mark, **like), int(played.sides[event])
        if rank is None and sides == 2:
            continue  # few marks are one match away
        found.append(
            {
                "mark": mark,
                "tier": tier,
                "event": played.number(event),
                "sides": sides,
                "rank": rank,
                "words": _words(data, played, event, mark, tier, rank),
            }
        )
    return found


def _event_like(data: LadderData, played: PlayedRows, event: int) -> EventKeywords:
    """The event as `Ladder.record` takes it, with the names that players have now, and without a time."""
    history = played.history
    start, stop = history.offsets[event : event + 2].tolist()
    names = [data.names[player] for player in played.whose[start:stop]]
    ranks, home = history.rank[start:stop].tolist(), None
    if history.home is not None and history.home[event] >= 0:
        home = names[history.player[start:stop].tolist().index(int(history.home[event]))]
    like: EventKeywords = {"home": home}
    if history.weight is not None:
        like["weight"] = float(history.weight[event])
    if history.side is None:
        like["ranks"] = dict(zip(names, ranks, strict=True))
        return like
    sides = history.side[start:stop].tolist()
    teams: dict[int, list[str]] = {}
    for name, side in zip(names, sides, strict=True):
        teams.setdefault(side, []).append(name)
    like["teams"] = list(teams.values())
    like["ranks"] = [ranks[sides.index(side)] for side in teams]
    return like


def _words(
    data: LadderData, played: PlayedRows, event: int, mark: float, tier: str | None, rank: int | None
) -> str:
    """What is needed, in a sentence."""
    goal = data.rating_text(mark) if tier is None else f"{shorten(tier)} ({data.rating_text(mark)})"
    if played.match_of_event[event] >= 0:
        result = "A win" if rank == 1 else "Even a loss"
        return f"{result} in a match like the last one would bring the rating to {goal}."
    name = played.names[event]
    has_name = event_title(name, played.times[event]) == name
    like = f"in an event like {shorten(name) if has_name else 'the last one'}"
    if rank is None:
        return f"No rank {like} would bring the rating to {goal} at once."
    return f"Rank {rank:,}{' or better' if rank > 1 else ''} {like} would bring the rating to {goal}."


@dataclass(frozen=True)
class LadderPages:
    """The documents of all pages about a ladder; it can be pickled, and other processes may make some.

    Players are given by number, from 0; events and pages are counted from 1.
    """

    data: LadderData
    marks: dict[int, list[MarkDocument]]
    peaks: AllTimePageDocument | None
    computed: str
    skipped_rows: int | None

    # ------------------------------------------------------------------ what there is

    @property
    def names(self) -> Sequence[str]:
        """The name of each player; names that nobody has any more have no page."""
        return self.data.names

    @property
    def n_players(self) -> int:
        """The number of players."""
        return len(self.data.board)

    @property
    def n_events(self) -> int:
        """The number of rated events."""
        return self.data.n_events

    @property
    def events_of(self) -> Ints:
        """The number of rated events of each player."""
        return self.data.events

    @property
    def event_names(self) -> list[str]:
        """The names of the events that have pages; of a ladder without its history, none."""
        return [] if self.data.played is None else self.data.played.names

    @property
    def digits(self) -> int:
        """Decimals of ratings on pages."""
        return self.data.digits

    @property
    def has_matches(self) -> bool:
        """Whether there is a page of matches: if most events have two sides."""
        return self.data.played is not None and has_matches(self.data.played)

    def players(self) -> Iterator[int]:
        """The numbers of all players, in the order of the leaderboard."""
        yield from self.data.board.tolist()

    def search_rows(self) -> Iterator[SearchRow]:
        """What the search index says of each player, in the order of the leaderboard."""
        return search_rows(self.data)

    # ------------------------------------------------------------------ pages

    def leaderboard_pages(self) -> int:
        """The number of pages of the leaderboard."""
        return board_pages(self.n_players)

    def leaderboard(self, page: int = 1) -> LeaderboardPageDocument:
        """A page of the leaderboard."""
        data = self.data
        here = data.board[(page - 1) * PLAYERS_PER_PAGE : page * PLAYERS_PER_PAGE].tolist()
        rows = ((data.player(number), recent_form(data, data.played, number)) for number in here)
        return board_page(data, data.shape, rows, page, has_trace=data.played is not None)

    def player(self, number: int) -> PlayerPageDocument:
        """The page of a player."""
        data = self.data
        results = None if data.played is None else played_results(data, data.played, number)
        reasons = RatingState.of(data.system, data.state, number)
        return player_page(data, data.player(number), results, reasons, self.marks.get(number, []))

    def compare_player(self, number: int, page: PlayerPageDocument) -> ComparedPlayerDocument:
        """What the comparison of players draws of one of them, who has this page."""
        return compared_on_site(self.data.played, number, page)

    def compare(self) -> ComparePageDocument:
        """The page that compares players."""
        data = self.data
        best = [data.names[player] for player in data.board[: SUGGESTED + 1] if data.place[player]]
        sigma = None if data.sigma is None else data.sigma[data.board]
        ratings = RatingRange.of(data.system, data.state, data.mu[data.board], sigma)
        teams = data.played is not None and data.played.history.side is not None
        return compare_page(data, self.n_players, ratings, best, teams=teams)

    def event_pages(self, number: int) -> int:
        """The number of pages of an event."""
        return event_pages(self._played, number - 1)

    def event(self, number: int, page: int = 1) -> EventPageDocument:
        """A page of an event."""
        return event_page(self.data, self._played, number - 1, page)

    def events_pages(self) -> int:
        """The number of pages of the list of events; 0 if there are no pages of events."""
        return event_list_pages(len(self.event_names)) if self.event_names else 0

    def events(self, page: int = 1) -> EventListDocument:
        """A page of the list of events."""
        events = len(self.event_names)
        newest = events - (page - 1) * EVENTS_PER_PAGE
        here = range(newest - 1, max(newest - EVENTS_PER_PAGE, 0) - 1, -1)
        rows = (listed_event(self.data, self._played, event) for event in here)
        return event_list_page(rows, events, page)

    def matches(self) -> MatchesPageDocument | None:
        """The page of matches; None if most events are none."""
        if not self.has_matches:
            return None
        return matches_page(self.data, self._played, len(self._played.chances))

    def all_time(self) -> AllTimePageDocument | None:
        """The page of the highest ratings ever; None of a ladder without its history."""
        return self.peaks

    def about(self) -> AboutPageDocument:
        """The page about the ladder."""
        played = self.data.played
        past = LadderPast(
            rows=None if played is None else played.history.rows,
            skipped_rows=self.skipped_rows,
            start=None if played is None or not played.times else played.times[0],
            played=played,
        )
        return about_page(self.data, self.n_players, past, self.computed)

    def card(self, title: str) -> LadderCardDocument:
        """The ladder in a list of ladders."""
        data = self.data
        leaders = [data.names[player] for player in data.board[:LEADERS] if data.place[player]]
        return ladder_card(data, title, self.n_players, leaders)

    @property
    def _played(self) -> PlayedRows:
        if self.data.played is None:
            raise InputError(
                "a ladder without its history has no pages of events",
                hint="rate the results again with trace=True",
            )
        return self.data.played


def ladder_pages(
    source: Run | Ladder,
    *,
    tiers: tuple[Tier, ...] = (),
    computed: datetime | None = None,
    skipped_rows: int | None = None,
    **filters: Unpack[LeaderboardFilters],
) -> LadderPages:
    """The pages of a run that has a trace, or of a ladder alone, which has fewer.

    `filters` decide who is ranked, as in `Ladder.leaderboard`. Without `min_events`, players need five
    events, or a quarter of what the most experienced player has if that is less. Without `active_since`,
    players of a run may be away for about ten of their usual breaks between two events, 30 days at least and
    five years at most. ``active_since=None`` ranks those who stopped playing too. `computed` is the time that
    the page about the ladder names, by default now.

    >>> import podium
    >>> history = podium.History.from_matches(["ann", "ann"], ["bob", "cat"])
    >>> pages = ladder_pages(podium.rate(history, "elo", trace=True), min_events=2)
    >>> [(row["player"], row["place"], row["missing"]) for row in pages.leaderboard()["rows"]]
    [('ann', 1, None), ('cat', None, '1 more event'), ('bob', None, '1 more event')]
    """
    data = LadderData.of(source, tiers=tiers, **filters)
    ladder = source.ladder if isinstance(source, Run) else source
    when = plain_time((computed or datetime.now(UTC)).replace(microsecond=0))
    assert when is not None
    peaks = all_time_page(source, data) if isinstance(source, Run) else None
    return LadderPages(data, latest_marks(data, ladder), peaks, when, skipped_rows)
