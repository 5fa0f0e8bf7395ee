"""The pages of events and the page about a ladder, as plain data."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.page_documents import TierDocument
from podium.documents.plain_data import ParameterValue


class StandingDocument(TypedDict):
    """A player in the standings of an event."""

    rank: Annotated[int, "the rank as it was reported (1 is best)"]
    place: Annotated[
        int,
        "the place among the sides of the event, which differs from `rank` if ranks are of a larger field",
    ]
    mean_place: Annotated[
        float, "the place that compares with `expected_rank`: a tie is the mean of the places that it covers"
    ]
    player: Annotated[str, "name of the player"]
    team: Annotated[str | None, "name of the player's team, if it has one"]
    side: Annotated[int, "number of the player's side in this event, from 0"]
    score: Annotated[float | None, "the score, or null if there is none"]
    at_home: Annotated[bool, "whether the player's side is at home"]
    before: Annotated[float, "displayed rating before the event"]
    display: Annotated[float, "displayed rating"]
    change: Annotated[float, "the change by the event"]
    performance: Annotated[
        float | None, "the player's performance as a rating, or null if the system has none"
    ]
    expected_rank: Annotated[float, "the expected rank, from the ratings before the event"]
    rated: Annotated[bool, "false if out of competition or anchored"]
    tier: Annotated[str | None, "the tier after the event"]


class UpsetDocument(TypedDict):
    """A result that was not expected."""

    event: Annotated[int, "number of the event, from 1"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    winners: Annotated[list[str], "names of the winners"]
    losers: Annotated[
        list[str], "of an event of many sides: those expected just ahead of the winner. May be empty"
    ]
    chance: Annotated[float, "the winner's expected score, between 0 and 1"]
    words: Annotated[
        str, "`ann won against bob with a chance of 12%`, `eve was rank 1 of 9 where 7.3 was expected`"
    ]


class MatchRowDocument(TypedDict):
    """A match with the chance each side had before it."""

    event: Annotated[int, "number of the event, from 1"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    first: Annotated[list[str], "names of the first side"]
    second: Annotated[list[str], "names of the second side"]
    result: Annotated[Literal["win", "draw", "loss"], "`win`, `draw` or `loss`, as the first side saw it"]
    first_score: Annotated[float | None, "score of the first side, or null without scores"]
    second_score: Annotated[float | None, "score of the second side"]
    home: Annotated[Literal["first", "second"] | None, "`first` or `second`, or null if no side is at home"]
    win: Annotated[float, "chances of the first side to win, draw and lose, before the match"]
    draw: Annotated[float, "chance of a draw, 0 if the system gives draws no chance"]
    loss: Annotated[float, "chance of the first side to lose"]
    first_before: Annotated[float, "displayed rating before it: the mean over the players of the first side"]
    first_display: Annotated[float, "the same after it"]
    first_change: Annotated[float, "the change of the first side by the match"]
    second_before: Annotated[
        float, "displayed rating before it: the mean over the players of the second side"
    ]
    second_display: Annotated[float, "the same after it"]
    second_change: Annotated[float, "the change of the second side by the match"]


@kind("event-page")
class EventPageDocument(TypedDict):
    """One event: the published standings, the rating changes and the expectations. Many sides are paged.

    `ladder_pages(run).event(number, page)`.
    """

    event: Annotated[int, "number of the event, from 1"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    page: Annotated[int, "number of this page, from 1"]
    pages: Annotated[int, "number of pages"]
    sides: Annotated[int, "number of sides of the event"]
    players: Annotated[int, "number of players"]
    teams: Annotated[bool, "whether sides have several members"]
    match: Annotated[bool, "whether there are two sides"]
    weight: Annotated[float, "weight of the event"]
    home: Annotated[
        str | None, "name of the player, or of a member of the team, at home, or null if no side is"
    ]
    has_performance: Annotated[bool, "whether the system has performances"]
    has_score: Annotated[bool, "whether scores are known"]
    chances: Annotated[
        list[float] | None, "of a match: the chances of the first side to win, draw and lose. null of others"
    ]
    result: Annotated[MatchRowDocument | None, "a match as one row, or null of other events"]
    next: Annotated[int | None, "number of the event after this one, or null at the last"]
    standings: Annotated[list[StandingDocument], "the standings"]
    better_than_expected: Annotated[
        int, "how many of all players of the event had a better mean place than expected, on every page"
    ]
    upsets: Annotated[list[UpsetDocument], "only on page 1"]
    tiers: Annotated[list[TierDocument], "the tiers, lowest first. Empty if none are configured"]
    disqualified: Annotated[
        list[str],
        "players who are not in the standings because they were disqualified, on a service or by a mark such "
        "as DSQ in a file",
    ]
    amended_by: Annotated[list[int], "entries of a service's log that amend this one. None on a website"]
    is_late: Annotated[
        bool,
        "whether it was reported to a service late, and so is rated before others that were reported earlier",
    ]


class ListedEventDocument(TypedDict):
    """An event in the list of events."""

    event: Annotated[int, "number of the event, from 1"]
    name: Annotated[str, "name of the event"]
    time: Annotated[TimeText | None, "time of the event, or null without one"]
    sides: Annotated[int, "number of sides of the event"]
    players: Annotated[int, "number of players. Of an adjustment, those whom it changed"]
    winners: Annotated[list[str], "at most three. Equal ranks are all winners"]
    more_winners: Annotated[int, "number of winners who are not named"]
    largest_gain: Annotated[
        float,
        "the largest gain in a rated event, which `gainer` has. 0 for adjustments and other entries of a "
        "service's log",
    ]
    gainer: Annotated[str | None, "name of the player with the largest gain, or null if no player gained"]
    result: Annotated[
        MatchRowDocument | None, "a match as one row, or null of other events and of those with many players"
    ]
    note: Annotated[
        str | None,
        "the state of an entry of a service's log: `not rated`, `adjustment`, `takes back no. 12`, "
        "`changed by no. 15`, or null for an ordinary entry",
    ]


@kind("event-list")
class EventListDocument(TypedDict):
    """One page of all events, newest first.

    `ladder_pages(run).events(page)`.
    """

    page: Annotated[int, "number of this page, from 1"]
    pages: Annotated[int, "number of pages"]
    events: Annotated[
        int, "number of events. On a service that of all entries of the log, also adjustments and amendments"
    ]
    rows: Annotated[list[ListedEventDocument], "the rows"]


@kind("matches-page")
class MatchesPageDocument(TypedDict):
    """The matches of a history: the latest ones, and the biggest upsets of all time.

    `ladder_pages(run).matches()`.
    """

    matches: Annotated[
        int | None, "number of matches, or null if there are more than a service has looked at"
    ]
    seen: Annotated[int, "the latest of them, among which these are. On a website all"]
    recent: Annotated[list[MatchRowDocument], "newest first"]
    upsets: Annotated[list[UpsetDocument], "the biggest upsets of all time, the least expected first"]


class PeakDocument(TypedDict):
    """A player's highest rating ever."""

    place: Annotated[int, "the place among the highest ratings, from 1. Equal ratings share it"]
    player: Annotated[str, "name of the player"]
    display: Annotated[float, "the highest displayed rating after an event"]
    time: Annotated[TimeText | None, "time of that event, or null without one"]
    event: Annotated[str, "name of that event"]
    events: Annotated[int, "number of rated events of the player's whole career"]


@kind("all-time-page")
class AllTimePageDocument(TypedDict):
    """The highest ratings ever, one for each player.

    `ladder_pages(run).all_time()`.
    """

    min_events: Annotated[int, "only ratings after so many rated events of a player count"]
    players: Annotated[int, "number of players with so many events"]
    peaks: Annotated[list[PeakDocument], "the highest first, at most 100"]


class SeasonPlaceDocument(TypedDict):
    """A player on the final board of a season."""

    place: Annotated[int, "place, equal ratings share one"]
    player: Annotated[str, "name of the player"]
    display: Annotated[float, "displayed rating at the end of the season"]
    events: Annotated[int, "rated events of the player in the season"]


class PastSeasonDocument(TypedDict):
    """A season that ended when the next one was started."""

    season: Annotated[int, "its number, from 1"]
    start: Annotated[TimeText | None, "when it was started, or null for the first one"]
    end: Annotated[TimeText | None, "when the next one was started, or null without times"]
    entry: Annotated[int, "number of the entry in the log that ended it"]
    board: Annotated[list[SeasonPlaceDocument], "the final board: at most 10 who played in the season"]


@kind("seasons-page")
class SeasonsPageDocument(TypedDict):
    """The past seasons of a service's ladder, the latest first."""

    current: Annotated[int, "number of the season that is played now"]
    seasons: Annotated[list[PastSeasonDocument], "the seasons"]


class ParameterRowDocument(TypedDict):
    """A parameter of the system."""

    name: Annotated[str, "name of the parameter"]
    value: Annotated[ParameterValue, "its value"]
    default: Annotated[ParameterValue, "its default"]
    meaning: Annotated[str, "the meaning"]


class CalibrationBinDocument(TypedDict):
    """Predictions of about the same chance, and how often they came true."""

    predicted: Annotated[float, "mean predicted score"]
    happened: Annotated[float, "mean score"]
    count: Annotated[int, "number of predictions"]


class PredictionQualityDocument(TypedDict):
    """How well the system predicted this history, each event before it was rated."""

    matches: Annotated[bool, "whether every event has two sides"]
    events: Annotated[int, "number of events predicted"]
    log_loss: Annotated[
        float,
        "mean of −s ln p − (1 − s) ln(1 − p), for a side's score s against the others and the expected one p",
    ]
    coin_log_loss: Annotated[float, "the same for a coin flip (½ for every player): ln 2"]
    right: Annotated[
        float | None,
        "the part of decided pairs that the expected winner won, or null without decided pairs",
    ]
    words: Annotated[list[str], "the same in sentences"]
    bins: Annotated[list[CalibrationBinDocument], "how often predictions of about the same chance came true"]


@kind("about-page")
class AboutPageDocument(TypedDict):
    """The page about a ladder.

    `ladder_pages(run).about()`.
    """

    system: Annotated[str, "name of the rating system or preset"]
    words: Annotated[list[str], "how the system works, in paragraphs that a player understands"]
    parameters: Annotated[list[ParameterRowDocument], "the parameters"]
    players: Annotated[int, "number of players"]
    events: Annotated[int, "number of rated events"]
    rows: Annotated[int | None, "number of rows of the history, or null if only the ladder is known"]
    skipped_rows: Annotated[int | None, "number of rows left out while reading, or null if not known"]
    start: Annotated[TimeText | None, "time of the first event, or null if not known"]
    now: Annotated[TimeText | None, "time of the last event, or null without times"]
    computed: Annotated[TimeText, "when the site was computed"]
    version: Annotated[str, "version of podium"]
    rule: Annotated[str, "who is ranked"]
    tiers: Annotated[list[TierDocument], "the tiers, lowest first. Empty if none are configured"]
    quality: Annotated[PredictionQualityDocument | None, "how well it predicted, or null without a history"]


class LadderCardDocument(TypedDict):
    """A ladder in the list of ladders."""

    title: Annotated[str, "title of the ladder"]
    players: Annotated[int, "number of players"]
    events: Annotated[int, "number of rated events"]
    now: Annotated[TimeText | None, "time of the last event, or null without times"]
    system: Annotated[str, "name of the rating system or preset"]
    leaders: Annotated[list[str], "the first three"]


@kind("ladder-list")
class LadderListDocument(TypedDict):
    """The front page of a site of several ladders."""

    title: Annotated[str, "title of the site"]
    ladders: Annotated[list[LadderCardDocument], "the ladders"]
