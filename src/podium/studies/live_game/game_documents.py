"""Live games side by side, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

from podium.documents.plain_data import ParameterValue, plain_parameters, records
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.studies.live_game.comparison import GameComparison
    from podium.studies.live_game.game import Game
    from podium.systems import RatingSystem


class GameMeasuresDocument(TypedDict):
    """One system with one matcher, in a few numbers: the means of all seeds, or deviations between them."""

    system: str
    matcher: str
    games: float | None
    accounts: float | None
    churned: float | None
    gave_up: float | None
    wait: float | None
    wait_p95: float | None
    wait_worst: float | None
    ends_wait: float | None
    gap: float | None
    true_gap: float | None
    even: float | None
    near_half: float | None
    long_won: float | None
    long_lost: float | None
    worst_lost: float | None
    rematches: float | None
    rmse: float | None
    smurf_rmse: float | None
    thrower_rmse: float | None


GameWaitDocument = TypedDict(
    "GameWaitDocument",
    {
        "system": str,
        "matcher": str,
        "from": float,
        "to": float,
        "percentile": float,
        "tickets": float,
        "mean": float,
        "p95": float,
        "worst": float,
        "gave_up": float,
    },
)


class GameWinRateDocument(TypedDict):
    """How often so many of a player's last games were won."""

    system: str
    matcher: str
    wins: int
    share: float
    coin: float


class GameStreakDocument(TypedDict):
    """Streaks of so many games or more, in a thousand games of a player."""

    system: str
    matcher: str
    length: int
    won: float
    lost: float
    coin: float


class GameErrorDocument(TypedDict):
    """How far ratings are from the truth."""

    system: str
    matcher: str
    games: float
    rmse: float
    mean: float


class GameDayErrorDocument(GameErrorDocument):
    """The same, in one part of a day."""

    day: float


class GameExperienceErrorDocument(GameErrorDocument):
    """The same, after so many games played."""

    experience: int


class GameKindErrorDocument(GameErrorDocument):
    """The same, of one kind of accounts."""

    kind: str


class GameDocument(TypedDict):
    """Live games: the same people, served by other matchers and rated by other systems."""

    systems: dict[str, SystemDocument]
    game: dict[str, ParameterValue]
    seeds: list[int]
    summary: list[GameMeasuresDocument]
    deviations: list[GameMeasuresDocument]
    waits: list[GameWaitDocument]
    win_rates: list[GameWinRateDocument]
    streaks: list[GameStreakDocument]
    errors: list[GameDayErrorDocument]
    experience: list[GameExperienceErrorDocument]
    kinds: list[GameKindErrorDocument]


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
