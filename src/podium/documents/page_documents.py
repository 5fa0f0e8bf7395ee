"""The pages of a website about a ladder, as plain data: the leaderboard, players and comparisons.

A document names players by their names and events by their numbers, counted from 1. Pages turn both into
links. Documents of events are in `event_page_documents`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.explanation_documents import PlayedMatchDocument

if TYPE_CHECKING:
    from podium.systems.tiers import Tier

BoardGroup = Literal["ranked", "provisional", "inactive"]
"""The numbers of players with a place, of players without one yet, and of those who have been away too long.
"""


class TierDocument(TypedDict):
    """A tier, such as Gold: all players whose displayed rating is `lower` or more, up to the next tier."""

    name: Annotated[str, "name of the tier"]
    lower: Annotated[float | None, "lower bound of the displayed rating, or null if the tier has none"]
    colour: Annotated[str, "as CSS takes it: #rrggbb"]


def tier_document(tier: Tier) -> TierDocument:
    """A tier as plain data."""
    return {
        "name": tier.name,
        "lower": None if math.isinf(tier.lower) else tier.lower,
        "colour": tier.colour,
    }


class TierCountDocument(TierDocument):
    """A tier and how many ranked players are in it."""

    players: Annotated[int, "number of ranked players in it"]


class MatchRecordDocument(TypedDict):
    """A player's rated matches, counted."""

    wins: Annotated[int, "number of matches won"]
    draws: Annotated[int, "number of draws"]
    losses: Annotated[int, "number of matches lost"]
    form: Annotated[
        list[Literal["win", "draw", "loss"]],
        "the last five, the latest last. None from before a merge of two accounts with matches",
    ]


class BoardRowDocument(TypedDict):
    """A player on the leaderboard's page."""

    place: Annotated[int | None, "place on the board, or null unless the group is `ranked`"]
    player: Annotated[str, "name of the player"]
    display: Annotated[float, "displayed rating"]
    sigma: Annotated[float | None, "its standard deviation, or null if the system has none"]
    last_change: Annotated[
        float | None, "the change by the player's last rated event, or null if it is not known"
    ]
    last_display: Annotated[
        float | None, "displayed rating right after that event, or null if it is not known"
    ]
    month_change: Annotated[
        float | None,
        (
            "sum of the changes by the player's events in the 30 days before `now`, without "
            "adjustments. Null without such events, or without times"
        ),
    ]
    events: Annotated[int, "number of rated events"]
    last_time: Annotated[
        TimeText | None,
        "time of the player's last event, or of a [rating "
        "set](histories.md#bring-ratings-from-elsewhere) since then, or null without times",
    ]
    spark: Annotated[
        list[float], "at most 20 displayed ratings from the first to the last event, for a spark line"
    ]
    record: Annotated[
        MatchRecordDocument | None,
        "the player's matches of two sides, or null without one",
    ]
    tier: Annotated[str | None, "name of the tier, or null without one"]
    group: Annotated[BoardGroup, "`ranked`, `provisional` or `inactive`"]
    missing: Annotated[
        str | None, "the missing condition to be ranked, such as `3 more events`, or null if ranked"
    ]


class BinsDocument(TypedDict):
    """How ratings are distributed: bins of equal width."""

    edges: Annotated[list[float], "ends of the bins, one more than counts"]
    counts: Annotated[list[int], "number of players in each bin"]


@kind("leaderboard-page")
class LeaderboardPageDocument(TypedDict):
    """One page of the leaderboard: the ranked, then the provisional, then the inactive, each best first.

    `ladder_pages(run).leaderboard(page)`. This and the following functions are methods of
    `podium.pages.ladder_pages.ladder_pages`.
    """

    page: Annotated[int, "counted from 1"]
    pages: Annotated[int, "number of pages"]
    now: Annotated[TimeText | None, "time of the last event"]
    events: Annotated[int, "number of rated events of the ladder"]
    players: Annotated[int, "number of players"]
    ranked: Annotated[int, "number of players in this group"]
    provisional: Annotated[int, "number of players in this group"]
    inactive: Annotated[int, "number of players in this group"]
    rule: Annotated[str, "who is ranked, as a sentence"]
    has_sigma: Annotated[bool, "whether the system has deviations"]
    has_times: Annotated[bool, "whether events have times"]
    has_trace: Annotated[
        bool, "whether changes and spark lines are known: not if the ladder was loaded from a file"
    ]
    tiers: Annotated[list[TierCountDocument], "lowest first. Empty if none are configured"]
    distribution: Annotated[BinsDocument | None, "displayed ratings of the ranked. Only on page 1"]
    rows: Annotated[list[BoardRowDocument], "the rows"]


class HistoryColumnsDocument(TypedDict):
    """Every result and adjustment of a player by column, oldest first: the data of the pictures."""

    event: Annotated[
        list[int | None],
        "number of each event, from 1, or null for an adjustment of a history, which has no number there",
    ]
    name: Annotated[list[str], "name of each event"]
    time: Annotated[list[TimeText | None], "time of each event"]
    adjustment: Annotated[list[str | None], "the adjustment, in words, or null for an event"]
    rank: Annotated[list[int | None], "rank in each event, or null for an adjustment"]
    sides: Annotated[list[int], "number of sides of each event (0 for an adjustment)"]
    rated: Annotated[
        list[bool], "false if the event did not count for the player. Pictures of ratings leave it out"
    ]
    display: Annotated[
        list[float], "displayed rating right after the event. Where it did not count, right before"
    ]
    sigma: Annotated[list[float] | None, "deviation right after the event, or null if the system has none"]
    low: Annotated[
        list[float] | None,
        "the ends of the band around the rating, two deviations from `mu`, or null without deviations",
    ]
    high: Annotated[list[float] | None, "the upper end of the band"]
    performance: Annotated[
        list[float | None] | None, "performance in each event, or null if the system has none"
    ]
    place: Annotated[
        list[int | None],
        "the player's place right after the event, among players with enough rated events by `place_rule`. "
        "null while the player has too few. Later results change it only if they change that rule",
    ]


class BriefResultDocument(TypedDict):
    """How one event ended for a player."""

    event: Annotated[int | None, "number of the event, from 1, or null for an adjustment of a history"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    rank: Annotated[int | None, "the rank (1 is best), or null for an adjustment"]
    sides: Annotated[int, "number of sides of the event (0 for an adjustment)"]
    match: Annotated[PlayedMatchDocument | None, "null if the event has more than two sides"]
    words: Annotated[
        str,
        "the result in words: `rank 3 of 20`, `beat bob 3:1 at home`. Of an adjustment, the adjustment",
    ]


class ResultDocument(BriefResultDocument):
    """One event or adjustment of a player, and its rating change."""

    adjustment: Annotated[str | None, "the adjustment, in words, or null for an event"]
    account: Annotated[
        str | None,
        "the account that it is of, if that was merged into the player's later: `before` and "
        "`display` are its ratings, or null otherwise",
    ]
    score: Annotated[float | None, "the score, or null if there is none"]
    expected_rank: Annotated[
        float | None,
        "the rank that the ratings expected, or null if the ratings of the others are not known: of a "
        "service's events of many sides",
    ]
    before: Annotated[float, "displayed rating before the event"]
    display: Annotated[float, "displayed rating after it"]
    change: Annotated[float, "the change by the event"]
    performance: Annotated[
        float | None, "the player's performance as a rating, or null if the system has none"
    ]
    place: Annotated[int | None, "place right after the event, as in `HistoryColumnsDocument`"]
    rated: Annotated[bool, "false if the event did not count for the player"]


class HighlightDocument(TypedDict):
    """One of a player's best or worst results."""

    what: Annotated[Literal["gain", "loss", "rank", "upset"], "`gain`, `loss`, `rank` or `upset`"]
    words: Annotated[str, "a remarkable fact: `+84`, `rank 1 of 20`, `12% expected`"]
    result: Annotated[BriefResultDocument, "the result"]


class MomentDocument(TypedDict):
    """A player right after one event."""

    event: Annotated[int | None, "number of the event, from 1, or null for an adjustment of a history"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    display: Annotated[float, "displayed rating"]
    place: Annotated[int | None, "place right after it, or null without one"]


class OpponentDocument(TypedDict):
    """A player's record against a frequent opponent. Of an event of many sides: who was ahead."""

    player: Annotated[str, "name of the player"]
    met: Annotated[int, "number of events in which both took part"]
    wins: Annotated[int, "of these, how often the player was ahead"]
    draws: Annotated[int, "how often both had the same rank"]
    losses: Annotated[int, "how often the other was ahead"]


class StreakDocument(TypedDict):
    """The longest run of wins, podiums or gains, and the present one."""

    what: Annotated[
        Literal["wins", "podiums", "gains"],
        "`wins`, `podiums` (rank 3 or better, in events of more than three sides alone) or `gains`",
    ]
    longest: Annotated[int, "length of the longest run"]
    first_event: Annotated[int, "number of the first event of the longest run"]
    last_event: Annotated[int, "number of its last event"]
    current: Annotated[int, "length of the run that the last result belongs to (0 if it ended one)"]
    words: Annotated[str, "`7 wins in a row, from 2024-03-01 to 2024-06-09. Now 2`"]


class MarkDocument(TypedDict):
    """The rank that a player needs to reach the next tier, or the next round number.

    Only players of the latest small events have some: it depends on how the others are rated now.
    """

    mark: Annotated[float, "the rating to reach"]
    tier: Annotated[str | None, "name of the tier, or null if the mark is a round number"]
    event: Annotated[
        int, "the event it would be like: the player's last, with the same opponents as they are rated now"
    ]
    sides: Annotated[int, "number of sides of the event"]
    rank: Annotated[int | None, "the worst rank that is enough, or null if none is"]
    words: Annotated[str, "the same in a sentence"]


class WhyLineDocument(TypedDict):
    """One part of a rating."""

    words: Annotated[str, "its kind"]
    event: Annotated[int | None, "number of the event, or null for the start, older results and adjustments"]
    points: Annotated[
        float, "the points it adds. Of an average of performances, by how much it pulls the rating up or down"
    ]
    value: Annotated[float | None, "the performance, or null if the form is `changes`"]
    share: Annotated[float | None, "its share of the rating, or null if the form is `changes`"]


class WhyDocument(TypedDict):
    """Why a rating is its kind."""

    form: Annotated[
        Literal["changes", "performances"],
        "`changes`: the points sum to the rating. `performances`: they are pulls that balance",
    ]
    words: Annotated[list[str], "the same in sentences"]
    lines: Annotated[list[WhyLineDocument], "oldest first. One line sums up the rest"]


@kind("player-page")
class PlayerPageDocument(TypedDict):
    """All data about one player. On a website it has nothing that others' later results change.

    Everything about one player that others' later results do not change: no current place, no `now`.
    `ladder_pages(run).player(number)`. Nothing here is changed by others' later results: places now are
    on the leaderboard.
    """

    player: Annotated[str, "name of the player"]
    mu: Annotated[float, "mean of the belief about the player's skill"]
    sigma: Annotated[float | None, "its standard deviation, or null if the system has none"]
    display: Annotated[float, "the rating after the player's last event"]
    events: Annotated[int, "number of rated events of the player"]
    record: Annotated[MatchRecordDocument | None, "the player's matches of two sides, or null without one"]
    first_time: Annotated[TimeText | None, "time of the player's first rated event, or null without times"]
    last_time: Annotated[
        TimeText | None,
        "time of the player's last rated event, or that of the leaderboard if no events are known",
    ]
    tier: Annotated[TierDocument | None, "name of the tier, or null without one"]
    next_tier: Annotated[TierDocument | None, "the tier above, or null if there is none"]
    missing: Annotated[
        str | None,
        "the missing events or certainty to be ranked, as on the leaderboard, or null if nothing is",
    ]
    place: Annotated[
        int | None,
        "the place now, or null without one, and on a website, where others' later results would change it",
    ]
    ranked: Annotated[int | None, "number of players who have a place now, or null on a website"]
    peak: Annotated[MomentDocument | None, "when the displayed rating was highest, or null without results"]
    best_place: Annotated[MomentDocument | None, "when the place was best, or null without places"]
    place_rule: Annotated[
        str,
        "the players among whom places over time are counted: `among players with at least 5 rated events "
        "until then`",
    ]
    tiers: Annotated[list[TierDocument], "for lines in the picture, lowest first"]
    history: Annotated[HistoryColumnsDocument, "all results"]
    results: Annotated[list[ResultDocument], "the latest results, newest first"]
    earlier_results: Annotated[int, "number of results that are in `history` but not in `results`"]
    older_results: Annotated[
        int, "number of results before those in `history` (0 on a website, which has all results)"
    ]
    highlights: Annotated[list[HighlightDocument], "best and worst results"]
    opponents: Annotated[list[OpponentDocument], "those met most often, at least twice"]
    opponents_rule: Annotated[str | None, "the players counted as met, or null for all players"]
    streaks: Annotated[
        list[StreakDocument],
        "runs of wins, podiums and gains, of two or more. Empty on a service's pages of earlier results",
    ]
    marks: Annotated[list[MarkDocument], "the ratings that the next event could reach"]
    why: Annotated[
        WhyDocument | None, "the explanation of the rating, or null on a service's pages of earlier results"
    ]


class FoundPlayerDocument(TypedDict):
    """A player whom a search has found."""

    player: Annotated[str, "the name"]
    number: Annotated[int, "the player's number on the ladder, which is in the URL of the page"]
    rating: Annotated[str, "the rating as pages write it"]
    place: Annotated[int | None, "the place, or null without one"]
    mu: Annotated[float, "the rating inside the system"]
    sigma: Annotated[float | None, "the deviation, or null if the system has none"]
    events: Annotated[int, "number of rated events"]


@kind("search-page")
class SearchPageDocument(TypedDict):
    """Players of a service's ladder who were found by a part of their names.

    `GET /ladders/{ladder}/search?q=…&format=json`.
    """

    query: Annotated[str, "the request"]
    rows: Annotated[list[FoundPlayerDocument], "exact matches first, then by rating (50 at most)"]


@kind("player-pages")
class PlayerPagesDocument(TypedDict):
    """Players with little to show, on one page."""

    players: Annotated[list[PlayerPageDocument], "the players"]
    moved: Annotated[list[str], "players who were on this page and now have a separate page"]


class MetEventsDocument(TypedDict):
    """The events of a player and of all accounts that were merged into the player's, by column."""

    event: Annotated[list[int], "number of each event, from 1"]
    rank: Annotated[list[int], "rank in each event"]
    side: Annotated[
        list[int] | None, "the player's team in each event, by number, or null if there are no teams"
    ]


class ComparedPlayerDocument(TypedDict):
    """The data of two to five compared players: each player's results and adjustments, oldest first."""

    player: Annotated[str, "name of the player"]
    event: Annotated[
        list[int | None], "number of each event, from 1, or null for an adjustment that has no page"
    ]
    time: Annotated[list[TimeText | None], "time of each event and adjustment"]
    display: Annotated[list[float], "displayed rating after each of them"]
    sigma: Annotated[list[float] | None, "deviation after each of them, or null if the system has none"]
    rank: Annotated[list[int | None], "rank in each event, or null for an adjustment"]
    side: Annotated[
        list[int | None] | None, "the player's team in each event, by number, or null if there are no teams"
    ]
    duel: Annotated[list[int], "1 for each event of two sides, else 0"]
    met: Annotated[
        MetEventsDocument | None,
        "the data with which a website finds meetings, or null on a service",
    ]


class ChancesDocument(TypedDict):
    """How to compute the expected score of two players from their ratings `mu` and deviations.

    `log_odds[i][j][k]` is the logarithm of p/(1 − p) for a difference of `differences[i]`, deviations
    `sigmas[j]` of the stronger and `sigmas[k]` of the weaker player. Between two points it is linear, and
    beyond the first or last one it is constant. A system without deviations has one: 0. For a negative
    difference, swap the players and take 1 − p. The log odds of the expected score are slope × these +
    experience × (ours − theirs), where a player with n events has 1/(1 + n/experienced_events).
    """

    differences: Annotated[list[float], "from 0 up. Further apart, the last one holds"]
    sigmas: Annotated[list[float], "deviations"]
    log_odds: Annotated[list[list[list[float]]], "see above"]
    slope: Annotated[float, "factor of the log odds (1 unless the system is calibrated)"]
    experience: Annotated[float, "factor of the lack of experience (0 unless the system is calibrated)"]
    experienced_events: Annotated[float, "events that halve the lack of experience"]
    error: Annotated[float, "the largest difference between a chance and the ladder's own"]


class PairDocument(TypedDict):
    """Two players of a service's ladder against each other."""

    a: Annotated[str, "one of them"]
    b: Annotated[str, "the other"]
    wins: Annotated[int, "how often the first was ahead"]
    draws: Annotated[int, "how often both had the same rank"]
    losses: Annotated[int, "how often the other was ahead"]
    expected_score: Annotated[float, "the first player's expected score in a match now, between 0 and 1"]


@kind("compare-page")
class ComparePageDocument(TypedDict):
    """The page that compares players. The players' own data are loaded on demand.

    `ladder_pages(run).compare()`.
    """

    now: Annotated[TimeText | None, "time of the last event, or null without times"]
    players: Annotated[int, "number of players"]
    has_sigma: Annotated[bool, "whether the system has deviations"]
    has_times: Annotated[bool, "whether events have times"]
    teams: Annotated[bool, "whether there are teams"]
    chances: Annotated[
        ChancesDocument | None, "null without players, and if chances read from such a table would be far off"
    ]
    suggested: Annotated[list[list[str]], "pairs worth comparing: neighbours on top of the board"]
    pair: Annotated[
        PairDocument | None,
        "the two players of the request, or null on a website, where a script compares histories",
    ]
