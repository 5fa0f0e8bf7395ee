"""A fit of strengths that do not change, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypedDict, cast

from podium.documents.declarations import From, kind
from podium.documents.plain_data import plain_form

if TYPE_CHECKING:
    from podium.fitting.fit_result import Fit


class StrengthDocument(TypedDict):
    """A strength, and how sure it is."""

    player: Annotated[str, "the name"]
    strength: Annotated[float, "the estimate in points. By default 400 points are odds of ten to one"]
    error: Annotated[float, "its standard error"]
    low: Annotated[float, "lower end of its interval"]
    high: Annotated[float, "upper end"]
    rank: Annotated[int, "rank by strength, from 1, inside its component"]
    rank_low: Annotated[int, "best rank that the votes allow, for all players at once"]
    rank_high: Annotated[int, "worst rank that the votes allow"]
    best: Annotated[float, "probability of being the best"]
    votes: Annotated[float, "weight of the votes with this player"]
    wins: Annotated[float, "weight of those it won"]
    ties: Annotated[float, "weight of its ties"]
    losses: Annotated[float, "weight of those it lost"]
    component: Annotated[int, "players with different numbers are linked by no votes"]


class EffectDocument(TypedDict):
    """Something else that explains votes."""

    effect: Annotated[str, "`position`, or the covariate"]
    points: Annotated[float, "the value of one unit, in points for the first side"]
    error: Annotated[float, "its standard error"]
    low: Annotated[float, "lower end of its interval"]
    high: Annotated[float, "upper end"]
    p: Annotated[float | None, "probability of as large an effect by chance if there is none"]


class SettledDocument(TypedDict):
    """Whether the best are known."""

    top: Annotated[int, "the number of best players"]
    is_settled: Annotated[bool, "whether there are enough votes to name them"]
    players: Annotated[list[str], "the best, best first"]
    closest: Annotated[list[str], "the least clear pair: one of the best, and one of the others"]
    evidence: Annotated[float, "the evidence for that pair, as a share of the evidence needed"]


class AskedPairDocument(TypedDict):
    """A pair to be voted on next."""

    first: Annotated[str, "the name"]
    second: Annotated[str, "the other name"]


@kind("arena")
class ArenaDocument(TypedDict):
    """Strengths that do not change, fitted to votes, and how sure they are.

    `podium arena --json` or `arena_document(podium.fit(votes))`.
    """

    summary: Annotated[str, "the number of votes, the model and the errors, in a line"]
    model: Annotated[str, "the model", From("choices.model")]
    errors: Annotated[str, "how standard errors were computed: `model`, `sandwich`, `cluster` or `bootstrap`"]
    level: Annotated[float, "the level of intervals and rank sets"]
    votes: Annotated[int, "number of votes or rankings", From(lambda fit: len(fit.votes))]
    prior: Annotated[
        float | None,
        "standard deviation of the strengths' prior in points, or null if there is no prior",
        From("solution.prior"),
    ]
    notes: Annotated[list[str], "remarks about the result, a sentence each"]
    strengths: Annotated[
        list[StrengthDocument], "the players, best first", From(lambda fit: fit.strengths.to_dicts())
    ]
    effects: Annotated[
        list[EffectDocument], "effects that also explain votes", From(lambda fit: fit.effects.to_dicts())
    ]
    settled: Annotated[SettledDocument | None, "whether the best are known, or null if there are no others"]
    next: Annotated[list[AskedPairDocument], "the pairs to ask next, best first"]


class ArenaOpponentDocument(TypedDict):
    """The votes of a player against one other."""

    opponent: Annotated[str, "the name"]
    votes: Annotated[float, "weight of the votes"]
    wins: Annotated[float, "weight of those the player won"]
    ties: Annotated[float, "weight of the ties"]
    losses: Annotated[float, "weight of those the player lost"]
    score: Annotated[float, "the share won, with ties as half"]
    expected: Annotated[float, "the expected score by the fit"]
    low: Annotated[float, "lower end of its interval"]
    high: Annotated[float, "upper end"]
    z: Annotated[float, "how far `score` is from the fit, in standard errors"]


@kind("arena-player")
class ArenaPlayerDocument(TypedDict):
    """A player of an arena, with the votes against each opponent.

    The page of a player in a website that `podium site --arena` writes.
    """

    strength: Annotated[StrengthDocument, "the player's strength"]
    opponents: Annotated[list[ArenaOpponentDocument], "the opponents, most votes first"]


def arena_document(fit: Fit, *, best: int = 1, ask: int = 5) -> ArenaDocument:
    """A fit of strengths that do not change; whether the `best` are settled; so many pairs to ask next."""
    many = len(fit.players) > best
    pairs = fit.next_votes(ask).select("first", "second") if ask and has_pairs(fit) else None
    return plain_form(
        fit,
        ArenaDocument,
        settled=plain_form(fit.settled(best), SettledDocument) if many else None,
        next=[] if pairs is None else pairs.to_dicts(),
    )


def has_pairs(fit: Fit) -> bool:
    """Whether votes between two were fitted, and not rankings."""
    from podium.fitting.votes import Votes

    return isinstance(fit.votes, Votes) and len(fit.players) > 1


def arena_player_documents(fit: Fit) -> list[ArenaPlayerDocument]:
    """All players of an arena, best first, with their opponents."""
    import polars as pl

    own = fit.matches
    turned = own.select(
        pl.col("opponent").alias("player"),
        pl.col("player").alias("opponent"),
        "votes",
        pl.col("losses").alias("wins"),
        "ties",
        pl.col("wins").alias("losses"),
        (1.0 - pl.col("score")).alias("score"),
        (1.0 - pl.col("expected")).alias("expected"),
        (1.0 - pl.col("high")).alias("low"),
        (1.0 - pl.col("low")).alias("high"),
        -pl.col("z"),
    )
    both = pl.concat([own, turned]).sort("votes", "opponent", descending=[True, False])
    of: dict[str, list[Any]] = {name: [] for name in fit.players}
    for row in both.iter_rows(named=True):
        of[row.pop("player")].append(row)
    return [
        {"strength": cast(StrengthDocument, row), "opponents": of[row["player"]]}
        for row in fit.strengths.iter_rows(named=True)
    ]
