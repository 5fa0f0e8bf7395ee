"""What the pages of a website about a ladder show, as plain data: the leaderboard, players and comparisons.

A document names players by their names and events by their numbers, counted from 1; pages turn both into
links. Documents of events are in `event_page_documents`.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from podium.documents.explanation_documents import PlayedMatchDocument

BoardGroup = Literal["ranked", "provisional", "inactive"]
"""Who has a place; who has none yet; who has not played for too long to have one."""


class TierDocument(TypedDict):
    """A tier, such as Gold: everybody whose displayed rating is `lower` or more, up to the next tier."""

    name: str
    lower: float | None
    """None for the lowest tier, which has no lower bound."""
    colour: str
    """As CSS takes it: #rrggbb."""


class TierCountDocument(TierDocument):
    """A tier and how many ranked players are in it."""

    players: int


class BoardRowDocument(TypedDict):
    """A player on the leaderboard's page."""

    place: int | None
    """None unless the group is `ranked`."""
    player: str
    display: float
    sigma: float | None
    last_change: float | None
    """What the player's last rated event changed; None if it is not known."""
    last_display: float | None
    """The displayed rating right after that event; None if it is not known."""
    month_change: float | None
    """The sum of what the player's events of the 30 days before `now` changed, without adjustments.

    None without events in them, or times.
    """
    events: int
    last_time: str | None
    spark: list[float]
    """At most 20 displayed ratings from the first to the last event, for a spark line."""
    tier: str | None
    group: BoardGroup
    missing: str | None
    """What is missing to be ranked, such as `3 more events`; None if ranked."""


class BinsDocument(TypedDict):
    """How ratings are distributed: bins of equal width."""

    edges: list[float]
    """One more than counts."""
    counts: list[int]


class LeaderboardPageDocument(TypedDict):
    """One page of the leaderboard: the ranked, then the provisional, then the inactive, each best first."""

    page: int
    """Counted from 1."""
    pages: int
    now: str | None
    """Time of the last event."""
    events: int
    """Number of rated events."""
    players: int
    ranked: int
    provisional: int
    inactive: int
    rule: str
    """Who is ranked, as a sentence."""
    has_sigma: bool
    has_times: bool
    has_trace: bool
    """Whether changes and spark lines are known: not if the ladder was loaded from a file."""
    tiers: list[TierCountDocument]
    """Lowest first; empty if none are configured."""
    distribution: BinsDocument | None
    """Displayed ratings of the ranked; only on page 1."""
    rows: list[BoardRowDocument]


class HistoryColumnsDocument(TypedDict):
    """Every result and adjustment of a player by column, oldest first: what the pictures draw."""

    event: list[int | None]
    """None for an adjustment of a history, which has no number there."""
    name: list[str]
    """Name of each event."""
    time: list[str | None]
    adjustment: list[str | None]
    """What was adjusted, in words; None for an event."""
    rank: list[int | None]
    """None for an adjustment."""
    sides: list[int]
    """Number of sides of each event."""
    rated: list[bool]
    """False if the event did not count for the player. Pictures of ratings leave it out."""
    display: list[float]
    """Displayed rating right after the event; where it did not count, right before."""
    sigma: list[float] | None
    """Deviation right after the event; None if the system has none."""
    low: list[float] | None
    """The ends of the band around the rating, two deviations from `mu`; None without deviations."""
    high: list[float] | None
    performance: list[float | None] | None
    """None if the system does not say."""
    place: list[int | None]
    """The player's place right after the event, among all who had enough rated events until then, as
    `place_rule` says; None before the player has. Later results change it only by that rule."""


class BriefResultDocument(TypedDict):
    """How one event ended for a player."""

    event: int | None
    """None for an adjustment of a history, which has no number there."""
    name: str
    time: str | None
    rank: int | None
    """None for an adjustment."""
    sides: int
    match: PlayedMatchDocument | None
    """None if the event has more than two sides."""
    words: str
    """The result in words: `rank 3 of 20`, `beat bob 3:1 at home`."""


class ResultDocument(BriefResultDocument):
    """One event or adjustment of a player, and what it did to the rating."""

    adjustment: str | None
    """What was adjusted, in words; None for an event."""
    account: str | None
    """The account that it is of, with its ratings, if that was merged into the player's later."""
    score: float | None
    expected_rank: float | None
    """None if the ratings of the others are not known: of a service's events of many sides."""
    before: float
    """Displayed rating before the event."""
    display: float
    """Displayed rating after it."""
    change: float
    performance: float | None
    place: int | None
    """Place right after the event, as in `HistoryColumnsDocument`."""
    rated: bool
    """False if the event did not count for the player."""


class HighlightDocument(TypedDict):
    """One of a player's best or worst results."""

    what: Literal["gain", "loss", "rank", "upset"]
    words: str
    """What stands out: `+84`, `rank 1 of 20`, `12% expected`."""
    result: BriefResultDocument


class MomentDocument(TypedDict):
    """A player right after one event."""

    event: int | None
    """None for an adjustment of a history, which has no number there."""
    name: str
    time: str | None
    display: float
    place: int | None


class OpponentDocument(TypedDict):
    """A player's record against somebody met often. Of an event of many sides: who was ahead."""

    player: str
    met: int
    wins: int
    draws: int
    losses: int


class StreakDocument(TypedDict):
    """The longest run of wins, podiums or gains, and the present one."""

    what: Literal["wins", "podiums", "gains"]
    longest: int
    first_event: int
    """Number of the first event of the longest run."""
    last_event: int
    """Number of its last event."""
    current: int
    words: str
    """`7 wins in a row, from 2024-03-01 to 2024-06-09; 2 now`."""


class MarkDocument(TypedDict):
    """The rank that a player needs to reach the next tier, or the next round number.

    Only players of the latest small events have some: it depends on how the others are rated now.
    """

    mark: float
    tier: str | None
    """None if the mark is a round number."""
    event: int
    """The event it would be like: the player's last, with the same opponents as they are rated now."""
    sides: int
    rank: int | None
    """The worst rank that is enough; None if none is."""
    words: str


class WhyLineDocument(TypedDict):
    """One part of a rating."""

    words: str
    event: int | None
    """None for what is no event of the history: the start, older results, an adjustment."""
    points: float
    """What it adds; of an average of performances, by how much it pulls the rating up or down."""
    value: float | None
    """The performance; None where the form is `changes`."""
    share: float | None
    """Its share of the rating; None where the form is `changes`."""


class WhyDocument(TypedDict):
    """Why a rating is what it is."""

    form: Literal["changes", "performances"]
    """Whether the points sum to the rating, or are pulls that balance."""
    words: list[str]
    """The same in sentences."""
    lines: list[WhyLineDocument]
    """Oldest first; what is not told one by one is one line."""


class PlayerPageDocument(TypedDict):
    """Everything about one player; on a website nothing that others' later results change."""

    player: str
    mu: float
    sigma: float | None
    display: float
    """The rating after the player's last event."""
    events: int
    """Number of rated events."""
    first_time: str | None
    """Time of the first rated event."""
    last_time: str | None
    tier: TierDocument | None
    next_tier: TierDocument | None
    missing: str | None
    """What is missing of events or certainty to be ranked, as on the leaderboard; None if nothing is."""
    place: int | None
    """The place now; None without one, and on a website, where others' later results would change it."""
    ranked: int | None
    """Number of players who have a place now; None on a website."""
    peak: MomentDocument | None
    """When the displayed rating was highest; None without results."""
    best_place: MomentDocument | None
    """When the place was best; None without places."""
    place_rule: str
    """Among whom places over time are counted: `among players with at least 5 rated events until then`."""
    tiers: list[TierDocument]
    """For lines in the picture, lowest first."""
    history: HistoryColumnsDocument
    results: list[ResultDocument]
    """The latest results, newest first."""
    earlier_results: int
    """Number of results that are in `history` but not in `results`."""
    older_results: int
    """Number of results before those in `history`; 0 on a website, which has all of them."""
    highlights: list[HighlightDocument]
    opponents: list[OpponentDocument]
    """Those met most often, at least twice."""
    opponents_rule: str | None
    """Who is counted as met, if not everybody; None if everybody is."""
    streaks: list[StreakDocument]
    marks: list[MarkDocument]
    why: WhyDocument | None


class FoundPlayerDocument(TypedDict):
    """A player whom a search has found."""

    player: str
    number: int
    """The player's number on the ladder, which is in the address of the page."""
    rating: str
    """As pages write it."""
    place: int | None
    mu: float
    sigma: float | None
    events: int


class SearchPageDocument(TypedDict):
    """Players of a service's ladder who were found by a part of their names."""

    query: str
    rows: list[FoundPlayerDocument]
    """Who has the very name first, then the best; 50 at the most."""


class PlayerPagesDocument(TypedDict):
    """Players with little to show, on one page."""

    players: list[PlayerPageDocument]
    moved: list[str]
    """Players who were on this page and have one of their own now."""


class MetEventsDocument(TypedDict):
    """The events of a player and of all accounts that were merged into the player's, by column."""

    event: list[int]
    rank: list[int]
    side: list[int] | None
    """The player's team in each event, by number; None if there are no teams."""


class ComparedPlayerDocument(TypedDict):
    """What the comparison of two to five players draws of each: own results and adjustments, oldest first."""

    player: str
    event: list[int | None]
    """None for an adjustment that has no page."""
    time: list[str | None]
    display: list[float]
    sigma: list[float] | None
    rank: list[int | None]
    """None for an adjustment."""
    side: list[int | None] | None
    """The player's team in each event, by number; None if there are no teams."""
    duel: list[int]
    """1 for each event of two sides, else 0."""
    met: MetEventsDocument | None
    """By what a website finds meetings; None on a service, which knows them itself."""


class ChancesDocument(TypedDict):
    """How to compute the expected score of two players from their ratings `mu` and deviations.

    `log_odds[i][j][k]` is the logarithm of p/(1 − p) for a difference of `differences[i]`, deviations
    `sigmas[j]` of the stronger and `sigmas[k]` of the weaker player; between them it is linear, and beyond
    the first or last one it stays. A system without deviations has one: 0. For a negative difference, swap
    the players and take 1 − p. The log odds of the expected score are slope × these + experience ×
    (ours − theirs), where somebody with n events has 1/(1 + n/experienced_events).
    """

    differences: list[float]
    """From 0 up; further apart, the last one holds."""
    sigmas: list[float]
    log_odds: list[list[list[float]]]
    slope: float
    """1 unless the system is calibrated."""
    experience: float
    """0 unless the system is calibrated."""
    experienced_events: float
    error: float
    """No chance differs by more than this from what the ladder says."""


class PairDocument(TypedDict):
    """Two players of a service's ladder against each other."""

    a: str
    b: str
    wins: int
    """How often the first was ahead; then how often both had the same rank, and how often the other was
    ahead."""
    draws: int
    losses: int
    expected_score: float
    """What the first can expect of a match now."""


class ComparePageDocument(TypedDict):
    """The page that compares players; the players' own data are loaded on demand."""

    now: str | None
    players: int
    has_sigma: bool
    has_times: bool
    teams: bool
    chances: ChancesDocument | None
    """None without players, and if chances read from such a table would be far off."""
    suggested: list[list[str]]
    """Pairs worth comparing: neighbours on top of the board."""
    pair: PairDocument | None
    """Two players who were asked for; None on a website, where a script compares histories."""
