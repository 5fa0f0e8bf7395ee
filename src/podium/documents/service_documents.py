"""A service's answers, as plain data: ladders, outcomes of reports, the log, boards, problems.

The keys of an answer are always there. Bodies of requests are in `request_documents`.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from podium.documents.backtest_documents import ComparisonDocument
from podium.documents.declarations import TimeText, kind
from podium.documents.event_documents import EventDocument
from podium.documents.page_documents import TierDocument
from podium.documents.plain_data import ParameterValue
from podium.documents.prediction_documents import OutcomesDocument
from podium.documents.rating_documents import ChangeDocument, PlacedRatingDocument, RatingDocument
from podium.documents.system_documents import SystemDocument


@kind("service")
class ServiceDocument(TypedDict):
    """What answers here.

    `GET /api/v1`.
    """

    version: Annotated[str, "version of podium"]
    database: Annotated[Literal["sqlite", "postgresql"], "`sqlite` or `postgresql`"]
    ladders: Annotated[int, "number of ladders, archived ones too"]


@kind("service-ladder")
class ServiceLadderDocument(SystemDocument):
    """A ladder of a service.

    `GET`, `PATCH /ladders/{ladder}` and `POST /ladders`.
    """

    system_note: Annotated[str | None, "why podium chose the system, or null if a caller named it"]
    slug: Annotated[str, "name of the ladder in URLs"]
    title: Annotated[str, "title for people. May be empty"]
    description: Annotated[str, "a longer text for people. May be empty"]
    min_events: Annotated[int, "rated events that a player needs for a place on the leaderboard"]
    active_since: Annotated[
        str | None,
        "only players who have played since then are ranked: a date, or a duration before the last event, "
        "such as `90d`. `usual` is 30 to 1,825 days, by how often people play. null ranks all players",
    ]
    max_sigma: Annotated[
        float | None, "the largest deviation with which a player has a place, or null: no limit"
    ]
    tiers: Annotated[list[TierDocument], "the tiers that pages show, lowest first"]
    fill_times: Annotated[bool, "whether an event without a time happened when it was received"]
    players: Annotated[int, "number of players"]
    events: Annotated[int, "number of rated events"]
    head: Annotated[int, "number of the last entry of its log (0 if the log is empty)"]
    generation: Annotated[int, "number of its generation, from 1"]
    pending: Annotated[int, "number of amendments in its log that are not in its ratings yet"]
    last_time: Annotated[TimeText | None, "the last rated time, or null if nothing has a time"]
    created: Annotated[TimeText, "when it was created"]
    archived: Annotated[bool, "whether it takes no more reports"]
    private: Annotated[bool, "whether only callers with a scope on the ladder see it"]


@kind("service-ladders")
class ServiceLaddersDocument(TypedDict):
    """The ladders of a service.

    `GET /ladders`.
    """

    ladders: Annotated[list[ServiceLadderDocument], "the ladders, by name"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]


ReportStatus = Literal["recorded", "known", "refused", "preview"]
"""The outcome of a report: recorded now, known already by its key, refused, or not recorded because only a
preview was asked for.
"""


@kind("report")
class OutcomeDocument(TypedDict):
    """What became of one report.

    `POST /ladders/{ladder}/events`.
    """

    status: Annotated[
        ReportStatus,
        "`recorded` now. `known` already by its key. `refused`. Or `preview`, if only a preview was "
        "asked for",
    ]
    number: Annotated[int | None, "its number in the log, or null if it is not in it"]
    key: Annotated[str | None, "its key, or null if it was not recorded and had none"]
    rated: Annotated[bool, "whether it counts now: not if it is void"]
    rated_time: Annotated[TimeText | None, "the time at which it is rated, or null if it has none"]
    provisional: Annotated[
        bool, "whether an amendment of the log waits for ratings to be computed again, which may change these"
    ]
    changes: Annotated[
        list[ChangeDocument],
        "the changes, one per player. Empty if no rating changed or with `changes=false`",
    ]
    problem: Annotated[
        str | None,
        "name of the problem, [as it is listed](service-api.md#problems), or null if it was not refused",
    ]
    reason: Annotated[str | None, "why it was refused, or null if it was not"]
    hint: Annotated[str | None, "what to do about it, or null for an ordinary entry"]


@kind("reports")
class OutcomesOfReportsDocument(TypedDict):
    """What became of reports that came together.

    `POST /ladders/{ladder}/events/bulk`.
    """

    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    recorded: Annotated[int, "number of reports recorded now"]
    known: Annotated[int, "number of reports known already"]
    refused: Annotated[int, "number of reports refused"]
    outcomes: Annotated[list[OutcomeDocument], "the outcome of each, in the order of the request"]


EntryKind = Literal["event", "adjustment", "void", "correction", "disqualification", "clock"]
"""The kinds of entries of the log. The last three amend an earlier one."""


EntryStatus = Literal["in force", "void", "pending"]
"""Whether an entry of the log counts, not any more, or not yet."""


class LogEntryDocument(TypedDict):
    """One entry of a ladder's log.

    An event, an adjustment, or an amendment of an earlier entry, as it was recorded. Players have the names
    of now.
    """

    number: Annotated[int, "its number in the ladder's log: 1, 2, 3, … without gaps"]
    entry: Annotated[
        EntryKind,
        "the kind: `event` or `adjustment`. An amendment of an earlier entry is `void`, `correction`, "
        "`disqualification`, or `clock`, which [repairs times](service-operations.md#clocks)",
    ]
    key: Annotated[str | None, "its key: the caller's, or one that the service made"]
    received: Annotated[TimeText, "when the service received it"]
    rated: Annotated[
        bool,
        "whether it counts. False for an event that is only kept, or of which disqualifications "
        "leave fewer than two sides",
    ]
    reported_time: Annotated[TimeText | None, "the time that the report gave, or null if it gave none"]
    rated_time: Annotated[
        TimeText | None,
        "the time at which it is rated: the report's time, or the last rated time before it in this "
        "generation if that is later. Null without a time",
    ]
    event: Annotated[
        EventDocument | None,
        "the event as it was reported, with all participants, or null if there is none in the entry",
    ]
    disqualified: Annotated[list[str], "players who are left out of the rating"]
    adjustment: Annotated[
        dict[str, str | float] | None,
        "kind of the adjustment under `adjustment`, then its values, or null if it is none. A rename gives "
        "the player's present name",
    ]
    place: Annotated[
        int | None,
        "for an event that was reported late, the number of the entry behind which it is rated, or null "
        "if it is rated where it stands",
    ]
    target: Annotated[int | None, "number of the entry that this one amends, or null if it amends none"]
    reason: Annotated[str | None, "why it amends another entry, or null without a reason"]
    link: Annotated[str | None, "web address of the decision, or null if not given"]
    bookmark: Annotated[
        str,
        "its number with a mark of the entry: [where to continue "
        "reading](service.md#following-the-log), as `since` takes it",
    ]


@kind("logged-event")
class LoggedEventDocument(LogEntryDocument):
    """An entry of the log with its changes, and its later fate.

    An entry of the log with its changes: `GET /ladders/{ladder}/events/{event}`, each line of `?since=`, and
    each server-sent event.
    """

    status: Annotated[
        EntryStatus,
        "whether it counts: `in force`. `void`. Or `pending`, for an amendment that is not in the "
        "ratings yet",
    ]
    amended_by: Annotated[list[int], "numbers of the entries that amend it, oldest first, void ones too"]
    rated_event: Annotated[
        EventDocument | None,
        "the event as it is rated, with its latest correction, or null if it is void or no event",
    ]
    rated_disqualified: Annotated[list[str], "the players who are disqualified in the event as it is rated"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    changes: Annotated[
        list[ChangeDocument], "its changes, one per player, best rank first. Empty for a rename"
    ]


@kind("log")
class LogDocument(TypedDict):
    """Entries of a ladder's log.

    `GET /ladders/{ladder}/events`.
    """

    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was answered"]
    entries: Annotated[list[LogEntryDocument], "the entries, in the order asked for"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]


@kind("player-rating")
class PlayerRatingDocument(RatingDocument):
    """A player's rating and place.

    `GET /ladders/{ladder}/rating?player=`.
    """

    at: Annotated[TimeText | None, "the time of the ratings that was asked for, or null for the present"]
    place: Annotated[
        int | None,
        "place on the leaderboard. Equal ratings share a place. null if the player has none",
    ]
    ranked: Annotated[int, "number of players with a place"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was answered"]


@kind("board")
class BoardDocument(SystemDocument):
    """A page of a leaderboard.

    `GET /ladders/{ladder}/leaderboard`.
    """

    at: Annotated[TimeText | None, "the time of the leaderboard that was asked for, or null for the present"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was answered"]
    players: Annotated[int, "number of players on the ladder, also those without a place"]
    ranked: Annotated[int, "number of players with a place by these filters"]
    ratings: Annotated[list[PlacedRatingDocument], "the players of this page, best first"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]
    previous: Annotated[str | None, "cursor of the page before, or null if this is the first one"]


class PlayedEventDocument(ChangeDocument):
    """The rating change of one player by one event or adjustment of the log."""

    number: Annotated[int, "number of the event in the log"]
    event: Annotated[str | None, "name of the event, or null if it has none"]
    adjustment: Annotated[
        str | None, "the kind of adjustment, such as `reset keep=0.5`, or null for an event"
    ]
    account: Annotated[
        str | None, "the account that it is of, if that was merged into the player's later, or null otherwise"
    ]
    rated: Annotated[
        bool,
        "whether it could change the rating. a guest's numbers are those at the event's time, as "
        "`rating?at=` has them",
    ]
    time: Annotated[TimeText | None, "the time at which it was rated, or null if it has none"]


@kind("player-history")
class PlayedEventsDocument(TypedDict):
    """A player's events and adjustments.

    `GET /ladders/{ladder}/history?player=`.
    """

    player: Annotated[str, "name of the player"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was answered"]
    events: Annotated[
        list[PlayedEventDocument],
        "the player's events and adjustments, latest first. Those before a rename too",
    ]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]


class MeetingDocument(TypedDict):
    """One event in which both players took part."""

    number: Annotated[int, "number of the event in the log"]
    event: Annotated[str | None, "name of the event, or null if it has none"]
    time: Annotated[TimeText | None, "the time at which it was rated, or null if it has none"]
    rank_a: Annotated[int, "rank of the first player"]
    rank_b: Annotated[int, "rank of the second player"]
    display_a: Annotated[float, "displayed rating of the first player after it"]
    display_b: Annotated[float, "displayed rating of the second player after it"]


@kind("head-to-head")
class HeadToHeadDocument(TypedDict):
    """The past matches of two players against each other, and the prediction of the next one.

    `GET /ladders/{ladder}/head-to-head?a=&b=`.
    """

    a: Annotated[str, "name of the first player"]
    b: Annotated[str, "name of the second player"]
    wins: Annotated[int, "events in which the first was ranked before the second"]
    draws: Annotated[int, "events in which both had the same rank"]
    losses: Annotated[int, "events in which the second was ranked before the first"]
    meetings: Annotated[
        list[MeetingDocument],
        "the events, latest first. If two accounts of a player, merged since, were in one event, it "
        "counts and is listed for each",
    ]
    expected_score: Annotated[float, "expected score of the first against the second next time"]
    outcomes: Annotated[OutcomesDocument, "chances of the first next time"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was answered"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]


class ReportDifferenceDocument(TypedDict):
    """The differences between the first report of an idempotency key and a later one."""

    field: Annotated[str, "the field that differs: `sides`, `time`, `weight`, …"]
    recorded: Annotated[str, "the values in the recorded report"]
    reported: Annotated[str, "the values in the other report"]


class ProblemDocument(TypedDict):
    """Why something was refused, as RFC 9457 has it: `detail` is the reason, `hint` what to do about it."""

    type: Annotated[
        str,
        "kind of the problem, such as `urn:podium:problem:key-conflict` ([list](service-api.md#problems))",
    ]
    title: Annotated[str, "the kind in words"]
    status: Annotated[int, "status of the HTTP answer"]
    detail: Annotated[str, "the reason: the fault and its place"]
    hint: Annotated[str | None, "what to do about it, or null for an ordinary entry"]
    differences: NotRequired[
        Annotated[list[ReportDifferenceDocument], "the differences, if the key was used for another report"]
    ]
    number: NotRequired[Annotated[int, "number of that other report in the log"]]
    outcomes: NotRequired[
        Annotated[
            list[OutcomeDocument],
            "the outcome of each report, if one of a group was refused",
        ]
    ]
    request_id: NotRequired[
        Annotated[
            str,
            "id of the request, as in the header `X-Request-ID` and in the service's "
            "[log](service-operations.md#logs)",
        ]
    ]


class FindingDocument(TypedDict):
    """A row that differs from its ladder's log."""

    kind: Annotated[
        Literal["damage", "drift"],
        "`damage`, or `drift`: the last digits, which another version or processor computed",
    ]
    number: Annotated[int | None, "number of the entry in the log, or null if it is about the whole ladder"]
    player: Annotated[str | None, "name of the player, or null if it concerns no single player"]
    what: Annotated[str, "the field that differs, such as `mu`"]
    stored: Annotated[str, "the stored value"]
    rebuilt: Annotated[str, "the value that rating the log again gives"]


@kind("verification")
class VerificationDocument(TypedDict):
    """Whether the stored ratings of a ladder agree with its log.

    `POST /ladders/{ladder}/verify` or `podium verify LADDER --json`.
    """

    slug: Annotated[str, "name of the ladder in URLs"]
    generation: Annotated[int, "the generation that was compared"]
    head: Annotated[int, "number of the last entry that was rated again"]
    rows: Annotated[int, "number of changes compared"]
    checkpoints: Annotated[int, "number of saved states compared"]
    clean: Annotated[bool, "whether there is no damage. Drift does not count as damage"]
    damaged: Annotated[int, "number of findings that are damage"]
    drifted: Annotated[int, "number of findings that are drift"]
    largest_drift: Annotated[float, "largest drift, in points"]
    findings: Annotated[list[FindingDocument], "the first 100 findings"]
    warnings: Annotated[
        list[str],
        "notes about the log that are not damage: a log [ahead of the "
        "clock](service-operations.md#clocks), an [import](service-jobs.md) recorded only in part, an "
        "amendment of a void entry, or damage in entries that another version of podium rated",
    ]


@kind("verifications")
class VerificationsDocument(TypedDict):
    """The same of every ladder of a database.

    `podium verify --json` without a ladder's name.
    """

    verifications: Annotated[list[VerificationDocument], "one for each ladder, by name"]


class MovedPlayerDocument(TypedDict):
    """A player whose rating would be another one."""

    player: Annotated[str, "name"]
    display_before: Annotated[
        float | None, "displayed rating now, or null if the player is not on the ladder"
    ]
    display: Annotated[
        float | None, "displayed rating then, or null if the player is not on the ladder any more"
    ]
    gain: Annotated[float | None, "the size of the change, or null for players who join or leave"]
    place_before: Annotated[int | None, "place on the leaderboard now, or null if the player has none"]
    place: Annotated[int | None, "place on the leaderboard then, or null if the player has none"]


class MovesDocument(TypedDict):
    """Who would move on a ladder.

    Who would move: a part of the next document, and of the comparison of systems.
    """

    slug: Annotated[str, "name of the ladder in URLs"]
    generation: Annotated[
        int,
        "the ladder's generation, from 1. Answers of one generation fit together",
    ]
    head: Annotated[int, "number of the last entry of the ladder's log when this was computed"]
    rated_again: Annotated[int, "number of events and adjustments that are rated again"]
    moved: Annotated[
        int, "number of players who join, leave, or have a rating change of a millionth of a point or more"
    ]
    visible: Annotated[
        int, "how many of them have another rating where it is shown, which is rounded as on pages"
    ]
    largest: Annotated[float, "largest change of a displayed rating"]
    players: Annotated[
        list[MovedPlayerDocument],
        "the players who move: first those who join or leave, then by the size of the change. At most 100",
    ]


class ChangedEventDocument(TypedDict):
    """A published event that would show other ranks or ratings."""

    number: Annotated[int, "its number in the log"]
    name: Annotated[str, "name of the event, or its number if it has none"]
    time: Annotated[TimeText | None, "when it is rated now, or null if it has no time"]
    players: Annotated[int, "of how many players it would show another rank or rating"]


@kind("consequences")
class ConsequencesDocument(MovesDocument):
    """Who would move if a ladder's log were amended, and which published events would change.

    `POST /ladders/{ladder}/events?dry_run=true` of [an amendment](service-correcting.md), or the result of a
    job if that takes long.
    """

    events: Annotated[int, "number of published events that would show another rank or rating"]
    changed_events: Annotated[list[ChangedEventDocument], "those events, oldest first. At most 100"]


class SystemChoiceDocument(TypedDict):
    """Another system for a ladder, or other parameters.

    The body of `POST /ladders/{ladder}/system`.
    """

    system: Annotated[str, "name of a rating system or a preset"]
    parameters: NotRequired[
        Annotated[dict[str, ParameterValue], "its parameters, by name. Default: the usual ones"]
    ]


class SystemComparisonDocument(MovesDocument):
    """A ladder's system and another one on the ladder's own log.

    The result of the job of `POST /ladders/{ladder}/system?dry_run=true`.
    """

    old: Annotated[SystemDocument, "the ladder's system"]
    new: Annotated[SystemDocument, "the other one"]
    comparisons: Annotated[
        list[ComparisonDocument],
        "both by the leading metric on the ladder's own events, in each scope: `now` is the ladder's "
        "system, `then` the other one",
    ]


@kind("rebuild")
class RebuildDocument(TypedDict):
    """The changes made by computing a ladder's ratings again from its log.

    `POST /ladders/{ladder}/rebuild` or `podium rebuild LADDER --json`.
    """

    slug: Annotated[str, "name of the ladder in URLs"]
    generation: Annotated[int, "the new generation"]
    head: Annotated[int, "number of the last entry that was rated again"]
    rows: Annotated[int, "number of changes computed"]
    changed: Annotated[int, "number of them that differed from the stored ones, or were not to be there"]
    clock_repair: Annotated[
        int | None,
        "number of the entry that [repairs the clock](service-operations.md#clocks), or null unless you "
        "asked for it",
    ]


@kind("expected-ranks")
class ExpectedRanksDocument(TypedDict):
    """The mean place of every side of a free-for-all.

    `POST /ladders/{ladder}/expected-ranks`.
    """

    sides: Annotated[list[list[str]], "the members of each side"]
    expected_ranks: Annotated[list[float], "the mean place of each side, in the same order"]


@kind("top-chances")
class TopChancesDocument(TypedDict):
    """The chance of every side of a free-for-all to be among the first `k`.

    `POST /ladders/{ladder}/top-chances`.
    """

    sides: Annotated[list[list[str]], "the members of each side"]
    k: Annotated[int, "how many places count"]
    chances: Annotated[list[float], "the chance of each side to be among the first `k`, in the same order"]


@kind("rank-to-reach")
class RankToReachDocument(TypedDict):
    """The worst rank that is enough for a rating. null if none is.

    `POST /ladders/{ladder}/rank-to-reach`.
    """

    player: Annotated[str, "name of the player"]
    rating: Annotated[float, "the displayed rating to reach"]
    rank: Annotated[int | None, "the worst rank that is enough, or null if none is"]


class NeededRanksDocument(TypedDict):
    """The worst ranks that are enough for a player of running standings."""

    player: Annotated[str, "name of the player"]
    ranks: Annotated[
        list[int | None], "for each of the `ratings`, the worst rank that is enough, or null if none is"
    ]


@kind("ranks-to-reach")
class RanksToReachDocument(TypedDict):
    """The worst ranks that are enough for ratings, for every player of running standings.

    `POST /ladders/{ladder}/ranks-to-reach`.
    """

    ratings: Annotated[list[float], "the displayed ratings to reach"]
    players: Annotated[list[NeededRanksDocument], "the players, in the order of the standings"]
