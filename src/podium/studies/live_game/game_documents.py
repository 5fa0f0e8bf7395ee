"""Live games side by side, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import kind
from podium.documents.plain_data import ParameterValue, plain_parameters, records
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.studies.live_game.comparison import GameComparison
    from podium.studies.live_game.game import Game
    from podium.systems import RatingSystem


class GameMeasuresDocument(TypedDict):
    """One system with one matcher, in a few numbers: the means of all seeds, or deviations between them."""

    system: Annotated[str, "rating system"]
    matcher: Annotated[str, "how players were paired"]
    games: Annotated[float | None, "number of games measured"]
    accounts: Annotated[float | None, "number of accounts that ever came"]
    churned: Annotated[float | None, "fraction of them that left for good"]
    gave_up: Annotated[float | None, "fraction of tickets that gave up waiting"]
    wait: Annotated[float | None, "mean seconds until a game"]
    wait_p95: Annotated[float | None, "95th percentile of these seconds"]
    wait_worst: Annotated[float | None, "most seconds waited"]
    ends_wait: Annotated[float | None, "mean seconds of the weakest and the strongest hundredth"]
    gap: Annotated[float | None, "mean distance of the estimated win probability from the wanted one"]
    true_gap: Annotated[float | None, "the same by true skills"]
    even: Annotated[float | None, "mean distance of the true win probability from one half"]
    near_half: Annotated[float | None, "fraction of the time with 4 to 6 of the last 10 games won"]
    long_won: Annotated[
        float | None, "winning streaks of 5 games or more, as a multiple of those of fair coins"
    ]
    long_lost: Annotated[float | None, "the same of losing streaks"]
    worst_lost: Annotated[float | None, "longest losing streak"]
    rematches: Annotated[float | None, "fraction of games against the last opponent"]
    rmse: Annotated[
        float | None,
        "root mean square error of ratings, in points, after the mean error of all in the same "
        "quarter of a day is subtracted",
    ]
    smurf_rmse: Annotated[float | None, "the same of strong players' new accounts"]
    thrower_rmse: Annotated[float | None, "the same of accounts that lose on purpose"]


GameWaitDocument = TypedDict(
    "GameWaitDocument",
    {
        "system": Annotated[str, "rating system"],
        "matcher": Annotated[str, "how players were paired"],
        "from": Annotated[float, "lowest percentile of true skill"],
        "to": Annotated[float, "highest percentile"],
        "percentile": Annotated[float, "the middle of both"],
        "tickets": Annotated[float, "number of tickets"],
        "mean": Annotated[float, "mean seconds waited"],
        "p95": Annotated[float, "95th percentile of these seconds"],
        "worst": Annotated[float, "most seconds waited"],
        "gave_up": Annotated[float, "number of tickets that gave up"],
    },
)


class GameWinRateDocument(TypedDict):
    """How often so many of a player's last games were won."""

    system: Annotated[str, "rating system"]
    matcher: Annotated[str, "how players were paired"]
    wins: Annotated[int, "wins among the last 10 games"]
    share: Annotated[float, "fraction of the time"]
    coin: Annotated[float, "the result of fair coins"]


class GameStreakDocument(TypedDict):
    """Streaks of so many games or more, in a thousand games of a player."""

    system: Annotated[str, "rating system"]
    matcher: Annotated[str, "how players were paired"]
    length: Annotated[int, "length of the streak, or more"]
    won: Annotated[float, "winning streaks in a thousand games"]
    lost: Annotated[float, "losing streaks in a thousand games"]
    coin: Annotated[float, "the result of fair coins"]


class GameErrorDocument(TypedDict):
    """How far ratings are from the truth."""

    system: Annotated[str, "rating system"]
    matcher: Annotated[str, "how players were paired"]
    games: Annotated[float, "number of sides measured"]
    rmse: Annotated[
        float,
        "root mean square error, in points, after the mean error of all in the same part of a day is "
        "subtracted",
    ]
    mean: Annotated[float, "mean error after that, in points"]


class GameDayErrorDocument(GameErrorDocument):
    """The same, in one part of a day."""

    day: Annotated[float, "day from which a part of the game begins"]


class GameExperienceErrorDocument(GameErrorDocument):
    """The same, after so many games played."""

    experience: Annotated[int, "least number of games played before"]


class GameKindErrorDocument(GameErrorDocument):
    """The same, of one kind of accounts."""

    kind: Annotated[str, "kind of account"]


@kind("game")
class GameDocument(TypedDict):
    """Live games: the same people, served by other matchers and rated by other systems.

    `podium simulate game --json`. Values are means over all seeds.
    """

    systems: Annotated[dict[str, SystemDocument], "the systems, by name"]
    game: Annotated[dict[str, ParameterValue], "the parameters of the game, by name"]
    seeds: Annotated[list[int], "the random seeds"]
    summary: Annotated[list[GameMeasuresDocument], "each system with each matcher"]
    deviations: Annotated[
        list[GameMeasuresDocument], "standard deviations of the same over the seeds. Null for one seed"
    ]
    waits: Annotated[list[GameWaitDocument], "waiting times by skill"]
    win_rates: Annotated[list[GameWinRateDocument], "how often each number of the last games was won"]
    streaks: Annotated[list[GameStreakDocument], "streaks of wins and losses"]
    errors: Annotated[list[GameDayErrorDocument], "errors of ratings by day"]
    experience: Annotated[list[GameExperienceErrorDocument], "errors of ratings by games played"]
    kinds: Annotated[list[GameKindErrorDocument], "errors of ratings by kind of account"]


def game_document(
    compared: GameComparison, systems: Mapping[str, RatingSystem], game: Game, seeds: Sequence[int]
) -> GameDocument:
    """Live games of these systems, with these seeds."""
    return {
        "systems": {name: system_document(system) for name, system in systems.items()},
        "game": plain_parameters(game.parameters()),
        "seeds": list(seeds),
        "summary": records(compared.summary, GameMeasuresDocument),
        "deviations": records(compared.deviations, GameMeasuresDocument),
        "waits": records(compared.waits, GameWaitDocument),
        "win_rates": records(compared.win_rates, GameWinRateDocument),
        "streaks": records(compared.streaks, GameStreakDocument),
        "errors": records(compared.errors, GameDayErrorDocument),
        "experience": records(compared.experience, GameExperienceErrorDocument),
        "kinds": records(compared.kinds, GameKindErrorDocument),
    }
