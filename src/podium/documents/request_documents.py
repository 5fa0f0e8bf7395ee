"""Bodies of requests to a service, as plain data: ladders, reports, amendments, questions.

Keys may be left out.
"""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from podium.documents.declarations import TimeText
from podium.documents.plain_data import ParameterValue


class TierSettingDocument(TypedDict):
    """A tier, such as Gold: all players whose displayed rating is `lower` or more, up to the next tier."""

    name: Annotated[str, "name of the tier"]
    lower: NotRequired[
        Annotated[float | None, "lower bound of the displayed rating. Default: null, for the lowest tier"]
    ]
    colour: NotRequired[Annotated[str | None, "as #rrggbb. Default: one of podium's, by the tier's place"]]


class LadderSettingsDocument(TypedDict):
    """What of a ladder may change later, as it changes no rating."""

    title: NotRequired[Annotated[str, "title for people. Default: empty"]]
    description: NotRequired[Annotated[str, "a longer text for people. Default: empty"]]
    min_events: NotRequired[
        Annotated[int, "rated events that a player needs for a place on the leaderboard. Default: 1"]
    ]
    active_since: NotRequired[
        Annotated[
            str | None,
            "only players who have played since are ranked: a date, or a time before the last event, such as "
            "`90d`. `usual` is 30 to 1,825 days, by how often people play. null ranks all players. Default: "
            "`usual`",
        ]
    ]
    max_sigma: NotRequired[
        Annotated[
            float | None, "the largest deviation with which a player has a place. Default: null (no limit)"
        ]
    ]
    tiers: NotRequired[
        Annotated[
            list[TierSettingDocument] | str,
            "tiers that pages show with ratings, at most 50, or the name of tiers that podium has: `three`, "
            "`five`, `seven`, `eight`, `ten` or `divisions`. Default: none",
        ]
    ]
    private: NotRequired[
        Annotated[
            bool,
            "whether only callers with a scope on the ladder see it: "
            "[access](service-access.md#private-ladders). Default: false",
        ]
    ]


class NewLadderDocument(LadderSettingsDocument):
    """A ladder to be created.

    The body of `POST /ladders`.
    """

    slug: Annotated[str, "name of the ladder in URLs: up to 63 small letters, digits and hyphens"]
    system: NotRequired[Annotated[str, "name of the rating system, or a preset. Default: `matches`"]]
    parameters: NotRequired[
        Annotated[
            dict[str, ParameterValue], "parameters of the system that differ from the defaults, by name"
        ]
    ]
    fill_times: NotRequired[
        Annotated[
            bool,
            "whether an event without a time happened when it was received. Default: true. With false, "
            "it has no time",
        ]
    ]


class LadderChangeDocument(LadderSettingsDocument):
    """A request to change a ladder.

    The body of `PATCH /ladders/{ladder}`. Fields that are left out keep their values. Defaults are those of a
    new ladder.
    """

    archived: NotRequired[
        Annotated[
            bool, "true: the ladder takes no more reports and can still be read. False: it takes them again"
        ]
    ]


class EventKeywordsDocument(TypedDict):
    """One event, in the words of `Ladder.record`."""

    ranks: NotRequired[
        Annotated[
            dict[str, int] | list[int] | None,
            "ranks by player, 1 is best. With `teams` a list, one for each team. Either this or `scores`",
        ]
    ]
    scores: NotRequired[
        Annotated[
            dict[str, float] | list[float] | None,
            "scores by player, higher is better. With `teams` a list, one for each team",
        ]
    ]
    teams: NotRequired[Annotated[list[list[str]] | None, "the members of each team"]]
    share: NotRequired[
        Annotated[
            float | None,
            "part of the point that goes to the better placed of two players, or to the first of two "
            "teams, if a rank is not enough. Refused if the ranks say otherwise",
        ]
    ]
    lower_is_better: NotRequired[Annotated[bool, "whether a lower score is better. Default: false"]]
    time: NotRequired[
        Annotated[
            TimeText | float | None,
            "when it happened: ISO 8601, or seconds since 1970. Default: when it was received, see "
            "`fill_times`",
        ]
    ]
    weight: NotRequired[Annotated[float, "weight of the event. Default: 1"]]
    home: NotRequired[Annotated[str | None, "the player, or a member of the team, with the home advantage"]]
    unrated: NotRequired[Annotated[list[str], "players who count as opponents only: their own ratings stay"]]
    play: NotRequired[
        Annotated[dict[str, float] | None, "players who took part in less than the whole event, and the part"]
    ]
    ceiling: NotRequired[Annotated[float | None, "highest rating the event can show"]]
    name: NotRequired[Annotated[str | None, "name of the event"]]


class _ReportedEventDocument(EventKeywordsDocument):
    """What reports and corrections say of an event beside it."""

    key: NotRequired[
        Annotated[
            str | None,
            "the caller's name for this report, of up to 200 characters. Default: one that the service makes",
        ]
    ]
    disqualified: NotRequired[
        Annotated[list[str], "players who are left out of the rating. They stay in the event"]
    ]
    rated: NotRequired[
        Annotated[
            bool,
            "whether the event counts. Default: true. With false, it is kept in the log and changes no "
            "rating",
        ]
    ]
    allow_repeat: NotRequired[
        Annotated[bool, "record an event with the name and time of one that is rated already. Default: false"]
    ]


class ReportDocument(_ReportedEventDocument):
    """An event that is reported.

    The body of `POST /ladders/{ladder}/events`: an event.
    """

    late: NotRequired[
        Annotated[
            bool,
            "whether an event earlier than the last one is rated at its own time, and all later ones again. "
            "Default: false, it is rated at the last rated time",
        ]
    ]


class CorrectionDocument(_ReportedEventDocument):
    """An event as it should have been reported, in place of an earlier one.

    Its `time` is that of the event, or nothing: a correction keeps the time and the place of its event.
    """

    correct: Annotated[int | str, "[which event](service-api.md#which-event) it corrects"]
    reason: NotRequired[
        Annotated[str | None, "why. Up to 1,000 characters, shown to all readers of the ladder"]
    ]
    link: NotRequired[Annotated[str | None, "URL of the decision, which begins with http:// or https://"]]


class VoidDocument(TypedDict):
    """An entry of the log that is not to count, by its number, its `key:` or its `name:`.

    The body of `POST /ladders/{ladder}/events`: [an entry of the log that is not to
    count](service-correcting.md).
    """

    void: Annotated[
        int | str,
        "[which entry](service-api.md#which-event): an event, an adjustment, or an entry that amends "
        "another one",
    ]
    key: NotRequired[
        Annotated[
            str | None,
            "the caller's name for this report, of up to 200 characters. Default: one that the service makes",
        ]
    ]
    reason: NotRequired[
        Annotated[str | None, "why. Up to 1,000 characters, shown to all readers of the ladder"]
    ]
    link: NotRequired[Annotated[str | None, "URL of the decision, which begins with http:// or https://"]]


class DisqualificationDocument(TypedDict):
    """Players of an earlier event who are disqualified.

    The body of `POST /ladders/{ladder}/events`: [players of an earlier event who are
    disqualified](service-correcting.md).
    """

    disqualify: Annotated[
        list[str], "the players: they stay in the event without a rank, and the others close up"
    ]
    event: Annotated[int | str, "[which event](service-api.md#which-event)"]
    key: NotRequired[
        Annotated[
            str | None,
            "the caller's name for this report, of up to 200 characters. Default: one that the service makes",
        ]
    ]
    reason: NotRequired[
        Annotated[str | None, "why. Up to 1,000 characters, shown to all readers of the ladder"]
    ]
    link: NotRequired[Annotated[str | None, "URL of the decision, which begins with http:// or https://"]]


class AdjustmentDocument(TypedDict):
    """A rating set or fixed by hand, a new season, a player renamed or merged.

    The body of `POST /ladders/{ladder}/events`: [an adjustment](histories.md#adjustments).
    """

    adjustment: Annotated[str, "its kind: `set-rating`, `anchor`, `release`, `reset`, `rename` or `merge`"]
    player: NotRequired[Annotated[str | None, "the adjusted player. All kinds but `reset`"]]
    into: NotRequired[Annotated[str | None, "the new name (`rename`), or the account to join (`merge`)"]]
    mu: NotRequired[Annotated[float | None, "the rating to set (`set-rating`) or to fix (`anchor`)"]]
    display: NotRequired[
        Annotated[float | None, "the displayed rating to set (`set-rating`), in place of `mu`"]
    ]
    sigma: NotRequired[Annotated[float | None, "its standard deviation"]]
    volatility: NotRequired[Annotated[float | None, "its volatility (`set-rating`), which Glicko-2 uses"]]
    events: NotRequired[
        Annotated[int | None, "number of events that the player has played so far (`set-rating`)"]
    ]
    keep: NotRequired[
        Annotated[
            float | None,
            "part of their distance from `toward` that every player keeps (`reset`). Default: 0.5",
        ]
    ]
    toward: NotRequired[
        Annotated[
            float | None, "rating towards which every player moves (`reset`). Default: that of a newcomer"
        ]
    ]
    time: NotRequired[
        Annotated[
            TimeText | float | None,
            "when it holds: ISO 8601, or seconds since 1970. Default: when it was received, see `fill_times`",
        ]
    ]
    key: NotRequired[
        Annotated[
            str | None,
            "the caller's name for this report, of up to 200 characters. Default: one that the service makes",
        ]
    ]


class ChancesRequestDocument(TypedDict):
    """Two sides that may meet: each a player or the members of a team.

    The body of `POST /ladders/{ladder}/chances`. Who is unknown counts as a newcomer.
    """

    a: Annotated[str | list[str], "a player, or the members of a team"]
    b: Annotated[str | list[str], "the other side"]
    home: NotRequired[Annotated[str | None, "the player, or a member of the team, with the home advantage"]]
    play: NotRequired[
        Annotated[dict[str, float] | None, "players who take part in less than the whole match, and the part"]
    ]
    at: NotRequired[Annotated[TimeText | float | None, "when they meet. Default: no time passes"]]


class FieldRequestDocument(TypedDict):
    """The sides of a free-for-all.

    The body of `POST /ladders/{ladder}/rank-probabilities` and `/expected-ranks`.
    """

    sides: Annotated[list[str | list[str]], "the sides, each a player or the members of a team"]
    at: NotRequired[Annotated[TimeText | float | None, "when they meet. Default: no time passes"]]


class TopChancesRequestDocument(FieldRequestDocument):
    """The sides of a free-for-all, and how many places count.

    The body of `POST /ladders/{ladder}/top-chances`.
    """

    k: Annotated[int, "how many places count"]


class RankToReachRequestDocument(EventKeywordsDocument):
    """Running standings, one of their players, and a rating to reach."""

    player: Annotated[str, "the player who wants to reach it"]
    rating: Annotated[float, "the displayed rating to reach"]


class RanksToReachRequestDocument(EventKeywordsDocument):
    """Running standings, and the ratings to reach.

    The body of `POST /ladders/{ladder}/ranks-to-reach`: running standings, and ratings.
    """

    ratings: Annotated[list[float], "the displayed ratings to reach"]


class NewTournamentDocument(TypedDict):
    """A tournament to be created.

    The body of `POST /ladders/{ladder}/tournaments`.
    """

    slug: Annotated[str, "name of the tournament in URLs: up to 63 small letters, digits and hyphens"]
    format: Annotated[str, "the [format](tournaments.md), such as `evening` or `swiss:5`"]
    name: NotRequired[Annotated[str, "name for people. Default: the slug"]]
    seed: NotRequired[Annotated[int, "decides what chance decides. Default: 0"]]
    private: NotRequired[
        Annotated[
            bool, "whether only those see the tournament who have a scope on its ladder. Default: false"
        ]
    ]
    reports: NotRequired[
        Annotated[
            str,
            "when results go to the ladder: `at-once`, `at-end` or `never`. Default: `at-once`",
        ]
    ]


class TournamentChangeDocument(TypedDict):
    """Changes to a tournament.

    The body of `PATCH /ladders/{ladder}/tournaments/{tournament}`.
    """

    private: Annotated[bool, "whether only those see the tournament who have a scope on its ladder"]


class JoiningEntrantDocument(TypedDict):
    """An entrant who joins a tournament."""

    player: Annotated[str, "name of the entrant"]
    rating: NotRequired[
        Annotated[float | None, "rating of the entrant. Default: that on the ladder, or of a newcomer"]
    ]
    club: NotRequired[Annotated[str | None, "entrants of one club do not play each other"]]
    members: NotRequired[
        Annotated[list[str], "if the entrant is a team: who plays on each board, the first board first"]
    ]
    seed: NotRequired[
        Annotated[int | None, "place in the draw of a knockout or of groups, from 1. Default: by rating"]
    ]


class NextRoundDocument(TypedDict):
    """How the next round is paired."""

    places: NotRequired[Annotated[int | None, "courts or tables of an evening. Default: as many as needed"]]
    rematches: NotRequired[Annotated[bool, "whether opponents may have met before. Default: false"]]
    clubmates: NotRequired[Annotated[bool, "whether opponents may be of one club. Default: false"]]


class TournamentResultDocument(TypedDict):
    """The result of a match of a tournament."""

    match: Annotated[int | str, "number of the match in its round, or the name of an entrant"]
    score: NotRequired[
        Annotated[
            str | list[float] | None,
            "what each side scored, such as `3:1`. After a name, that entrant's side comes first. Null takes "
            "a result back",
        ]
    ]
    boards: NotRequired[
        Annotated[
            list[str | list[float]],
            "instead of `score`, for teams with members: the score of each board, such as `1:0`",
        ]
    ]
    round: NotRequired[Annotated[int | None, "number of the round. Default: the last one"]]
    correct: NotRequired[
        Annotated[bool, "whether it may replace a result that was reported before. Default: false"]
    ]


class TournamentStepRequestDocument(TypedDict):
    """One step of a tournament: exactly one of these keys, and `key`.

    The body of `POST /ladders/{ladder}/tournaments/{tournament}/steps`.
    """

    join: NotRequired[Annotated[list[str | JoiningEntrantDocument], "entrants who join or come back"]]
    leave: NotRequired[Annotated[list[str], "entrants who leave"]]
    here: NotRequired[
        Annotated[list[str], "all who are here: they join, and entrants who are not in the list leave"]
    ]
    forbid: NotRequired[Annotated[list[str], "two entrants who must not play each other"]]
    allow: NotRequired[Annotated[list[str], "two entrants who may play each other again after `forbid`"]]
    clubs: NotRequired[Annotated[dict[str, str | None], "entrants, each with their club, or null for none"]]
    pair: NotRequired[Annotated[NextRoundDocument, "pair the next round"]]
    results: NotRequired[Annotated[list[TournamentResultDocument], "results of matches"]]
    close: NotRequired[Annotated[bool, "true: end an evening, or a tournament before its last round"]]
    undo: NotRequired[Annotated[bool, "true: take back the last step that still counts"]]
    key: NotRequired[
        Annotated[
            str | None,
            "the caller's name for this step, of up to 200 characters. Default: one that the service makes",
        ]
    ]
