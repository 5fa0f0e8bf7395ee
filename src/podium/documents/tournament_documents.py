"""Tournaments as plain data: entrants, rounds, standings, and the chances of every place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import TimeText, kind
from podium.documents.plain_data import plain_form

if TYPE_CHECKING:
    from podium.tournaments.chances import Chances
    from podium.tournaments.happenings import Game, Round
    from podium.tournaments.knockouts import BracketMatch
    from podium.tournaments.reasons import PairingReasons, Term
    from podium.tournaments.tournament import Tournament


class TournamentEntrantDocument(TypedDict):
    """An entrant of a tournament."""

    player: Annotated[str, "name of the entrant"]
    mu: Annotated[float, "rating of the entrant on joining"]
    sigma: Annotated[float | None, "deviation of the rating, or null if the system has none"]
    club: Annotated[str | None, "entrants of one club do not play each other"]
    members: Annotated[list[str], "who plays on each board, if the entrant is a team"]
    seed: Annotated[int | None, "place in the draw, from 1, or null if the rating decides"]
    here: Annotated[bool, "whether the entrant is in the next round"]
    byes: Annotated[int, "rounds without an opponent, with the points of a win"]
    rests: Annotated[int, "rounds in which the entrant sat out"]


class TournamentGameDocument(TypedDict):
    """A match of a round."""

    number: Annotated[int, "number of the match in its round, counted from 1"]
    sides: Annotated[list[list[str]], "the entrants of each side"]
    points: Annotated[list[float] | None, "the score of each side, or null until a result is reported"]
    boards: Annotated[list[list[float]], "the score of each board of a team match"]
    winner: Annotated[list[str] | None, "the side that won, or null without a result or after a draw"]


class TournamentRoundDocument(TypedDict):
    """A round of a tournament."""

    number: Annotated[int, "number of the round, counted from 1"]
    games: Annotated[list[TournamentGameDocument], "the matches"]
    byes: Annotated[list[str], "entrants without an opponent, who get the points of a win"]
    resting: Annotated[list[str], "entrants who sit out, without points"]
    notes: Annotated[
        list[str],
        "sentences on entrants who are kept apart: matches that are left out, and matches that a bracket has "
        "because it leaves no other way",
    ]


class TournamentStandingDocument(TypedDict):
    """One row of the standings."""

    place: Annotated[int, "place, counted from 1. Entrants with equal values share a place"]
    player: Annotated[str, "name of the entrant"]
    points: Annotated[float, "points until now. In a knockout, the number of rounds survived"]
    played: Annotated[int, "matches with a result"]
    wins: Annotated[int, "matches won"]
    draws: Annotated[int, "matches drawn"]
    losses: Annotated[int, "matches lost"]
    byes: Annotated[int, "rounds without an opponent, with the points of a win"]
    buchholz: Annotated[float, "sum of the opponents' points"]
    sonneborn_berger: Annotated[float, "points of the opponents beaten, and half of those drawn against"]
    direct: Annotated[float, "points against the others with equal points (0 unless all have met)"]
    difference: Annotated[float, "own scores minus those of the opponents"]


class BracketMatchDocument(TypedDict):
    """A match of a bracket, also one that is not paired yet."""

    part: Annotated[str, "where it is: `main`, `losers`, `final` or `third`"]
    column: Annotated[int, "number of the round within its part, counted from 1"]
    row: Annotated[int, "place from the top of its column, counted from 1"]
    sides: Annotated[
        list[str | None], "the two entrants, or null where there is none or where it is not known yet"
    ]
    points: Annotated[list[float] | None, "the score, or null without a result"]
    winner: Annotated[str | None, "the entrant who wins it or has a bye, or null as long as that is open"]


@kind("tournament")
class TournamentDocument(TypedDict):
    """A tournament: its entrants, rounds and standings.

    `tournament_document(tournament)`.
    """

    name: Annotated[str, "name of the tournament"]
    format: Annotated[str, "the format, such as swiss:5"]
    finished: Annotated[bool, "whether all announced rounds have their results"]
    entrants: Annotated[list[TournamentEntrantDocument], "the entrants, in the order in which they joined"]
    rounds: Annotated[list[TournamentRoundDocument], "the rounds paired until now"]
    standings: Annotated[list[TournamentStandingDocument], "the entrants, the first one first"]
    groups: Annotated[
        list[list[TournamentStandingDocument]], "the standings of each group. Empty for other formats"
    ]
    bracket: Annotated[list[BracketMatchDocument], "all matches of a knockout. Empty for other formats"]


@kind("service-tournament")
class ServiceTournamentDocument(TournamentDocument):
    """A tournament of a service.

    `GET`, `PATCH /ladders/{ladder}/tournaments/{tournament}` and `POST /ladders/{ladder}/tournaments`.
    """

    slug: Annotated[str, "name of the tournament in URLs"]
    private: Annotated[bool, "whether only those see it who have a scope on its ladder"]
    reports: Annotated[str, "when results go to the ladder: `at-once`, `at-end` or `never`"]
    head: Annotated[int, "number of its last step (0 if nothing has happened)"]
    reported: Annotated[int, "number of the last step whose results the ladder has"]
    problem: Annotated[str | None, "why the ladder refused a result, or null"]
    paired: Annotated[TimeText | None, "when the last round was paired, or null"]
    created: Annotated[TimeText, "when it was created"]


class ListedTournamentDocument(TypedDict):
    """A tournament in a list."""

    slug: Annotated[str, "name of the tournament in URLs"]
    name: Annotated[str, "name of the tournament"]
    format: Annotated[str, "the format, such as swiss:5"]
    private: Annotated[bool, "whether only those see it who have a scope on its ladder"]
    created: Annotated[TimeText, "when it was created"]


@kind("service-tournaments")
class ServiceTournamentsDocument(TypedDict):
    """The tournaments of a ladder, the latest first.

    `GET /ladders/{ladder}/tournaments`.
    """

    tournaments: Annotated[list[ListedTournamentDocument], "the tournaments"]
    next: Annotated[int | None, "what to ask for as `before=` to get the next ones, or null"]


@kind("tournament-step")
class TournamentStepDocument(TypedDict):
    """What became of a step of a tournament.

    `POST /ladders/{ladder}/tournaments/{tournament}/steps`.
    """

    status: Annotated[str, "`recorded`, or `known` if its key was sent before"]
    number: Annotated[int, "number of the step"]
    key: Annotated[str, "the caller's name for it, or one that the service made"]
    finished: Annotated[bool, "whether the tournament is over"]
    open: Annotated[int, "matches without a result"]
    round: Annotated[TournamentRoundDocument | None, "the last round that is paired, or null"]
    problem: Annotated[str | None, "why the ladder refused a result, or null"]


class OtherOpponentDocument(TypedDict):
    """An opponent who was passed over."""

    player: Annotated[str, "name of the opponent"]
    reason: Annotated[str, "why they do not play"]


class PairingReasonsDocument(TypedDict):
    """Why a match was paired."""

    round: Annotated[int, "number of the round, counted from 1"]
    match: Annotated[int, "number of the match in its round, counted from 1"]
    sides: Annotated[list[list[str]], "the entrants of each side"]
    why: Annotated[list[str], "what speaks for the match"]
    others: Annotated[
        list[OtherOpponentDocument], "opponents who were at least as close, and why it is none of them"
    ]


class StandingTermDocument(TypedDict):
    """One part of a number in the standings."""

    what: Annotated[str, "where it comes from"]
    value: Annotated[float, "how much it adds"]


@kind("tournament-explanation")
class TournamentExplanationDocument(TypedDict):
    """Why an entrant has their opponent, and where their numbers in the standings come from.

    `tournament_explanation_document(tournament, player)` and
    `GET /ladders/{ladder}/tournaments/{tournament}/explanation`. The terms of each number add up to it.
    """

    player: Annotated[str, "name of the entrant"]
    pairing: Annotated[
        PairingReasonsDocument | None, "why their match of the round was paired, or null if they have none"
    ]
    points: Annotated[list[StandingTermDocument], "what each round gave"]
    buchholz: Annotated[list[StandingTermDocument], "the points of each opponent"]
    sonneborn_berger: Annotated[
        list[StandingTermDocument], "the points of opponents beaten, and half of those drawn against"
    ]
    difference: Annotated[list[StandingTermDocument], "own score minus the opponent's, of each match"]


class PlaceChancesDocument(TypedDict):
    """An entrant's chance of each final place."""

    player: Annotated[str, "name of the entrant"]
    places: Annotated[list[float], "chance of place 1, 2, 3, …"]


@kind("chances")
class TournamentChancesDocument(TypedDict):
    """The chances of every final place of a tournament.

    `chances_document(tournament.chances())`.
    """

    simulations: Annotated[int | None, "number of simulations, or null if the chances are exact"]
    entrants: Annotated[list[PlaceChancesDocument], "the entrants, the best chance of the title first"]


def _game(game: Game) -> TournamentGameDocument:
    return {
        "number": game.number,
        "sides": [list(side) for side in game.sides],
        "points": None if game.points is None else list(game.points),
        "boards": [list(board) for board in game.boards],
        "winner": None if game.winner is None else list(game.winner),
    }


def round_document(each: Round) -> TournamentRoundDocument:
    """A round as plain data."""
    return {
        "number": each.number,
        "games": [_game(game) for game in each.games],
        "byes": list(each.byes),
        "resting": list(each.resting),
        "notes": each.notes,
    }


def _bracket_match(match: BracketMatch) -> BracketMatchDocument:
    return {
        "part": match.part,
        "column": match.column,
        "row": match.row,
        "sides": list(match.sides),
        "points": None if match.points is None else list(match.points),
        "winner": match.winner,
    }


def tournament_document(tournament: Tournament) -> TournamentDocument:
    """A tournament as plain data."""
    return {
        "name": tournament.name,
        "format": str(tournament.format),
        "finished": tournament.finished,
        "entrants": [
            plain_form(each, TournamentEntrantDocument) for each in tournament.field.entrants.values()
        ],
        "rounds": [round_document(each) for each in tournament.field.rounds],
        "standings": [plain_form(row, TournamentStandingDocument) for row in tournament.standings()],
        "groups": [
            [plain_form(row, TournamentStandingDocument) for row in group] for group in tournament.groups()
        ],
        "bracket": [_bracket_match(match) for match in tournament.bracket()],
    }


def tournament_explanation_document(
    tournament: Tournament, player: str, round: int | None = None
) -> TournamentExplanationDocument:
    """Why an entrant has their opponent of a round, the last one by default, and their numbers."""
    standing = tournament.explain_standing(player)
    rounds = tournament.field.rounds
    if round is not None:
        tournament.field.check_round(round)
    games = rounds[-1 if round is None else round - 1].games if rounds else []
    game = next((game for game in games if player in game.players), None)

    def terms(found: list[Term]) -> list[StandingTermDocument]:
        return [{"what": words, "value": value} for words, value in found]

    return {
        "player": player,
        "pairing": None if game is None else _pairing(tournament.explain(player, round=game.round), game),
        "points": terms(standing.points),
        "buchholz": terms(standing.buchholz),
        "sonneborn_berger": terms(standing.sonneborn_berger),
        "difference": terms(standing.difference),
    }


def _pairing(reasons: PairingReasons, game: Game) -> PairingReasonsDocument:
    return {
        "round": game.round,
        "match": game.number,
        "sides": [list(side) for side in reasons.sides],
        "why": reasons.why,
        "others": [{"player": name, "reason": reason} for name, reason in reasons.others],
    }


def chances_document(chances: Chances) -> TournamentChancesDocument:
    """The chances of every place as plain data."""
    return {
        "simulations": chances.simulations,
        "entrants": [
            {"player": player, "places": row}
            for player, row in zip(chances.players, chances.places.tolist(), strict=True)
        ],
    }
