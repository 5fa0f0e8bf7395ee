"""What people call their columns: podium's name of a column, and the names it goes by elsewhere.

Names are compared by their letters and digits: `HomeTeam`, `home_team` and `Home team` are one name, and so
are `Équipe` and `equipe`. Of two columns that could be one, the name that stands first here is read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

from podium.tables.columns import column_languages
from podium.tables.columns.column_languages import MORE_LANGUAGES

_BREAKS = re.compile(r"[\s_\-.?!:*()\[\]'’°]+")
_UNDECOMPOSED = str.maketrans("łøđı", "lodi")


def plain_name(name: str) -> str:
    """A name without its case, accents, blanks and the signs that stand between or behind words.

    >>> plain_name("HomeTeam"), plain_name("home_team"), plain_name(" Équipe-1 "), plain_name("Tie?")
    ('hometeam', 'hometeam', 'equipe1', 'tie')
    """
    return _BREAKS.sub("", plain_accents(name.casefold()))


def plain_accents(text: str) -> str:
    """A text in lower case without its accents."""
    letters = unicodedata.normalize("NFKD", text).translate(_UNDECOMPOSED)
    return "".join(sign for sign in letters if not unicodedata.combining(sign))


def plain_names(names: str, role: str | None = None) -> tuple[str, ...]:
    """The names as they are compared; of a `role` those in more languages, too."""
    more = [] if role is None else [words[role] for words in MORE_LANGUAGES.values() if role in words]
    return tuple(dict.fromkeys(plain_name(name) for name in ",".join([names, *more]).split(",")))


DATES = plain_names(
    "match date, game date, game day, event date, race date, contest date, fight date, tourney date, "
    "tournament date, date played, date of match, start date, date, day, utc date, date utc, Datum, "
    "Spieldatum, Tag, fecha, día, data, giorno, jour, date du match, data partita, data da partida",
    "dates",
)
"""Columns of days, which may have a clock beside them."""
CLOCKS = plain_names(
    "time, kickoff, kick off, kickoff time, kick off time, clock, time of day, start time, match time, game "
    "time, utc time, time utc, local time, Uhrzeit, Anstoß, Anstoßzeit, hora, heure, ora, orario, horário",
    "clocks",
)
"""Columns of times of day, where a column of days stands beside them."""
_MOMENTS = plain_names(
    "datetime, date time, date and time, played at, played on, match datetime, game datetime, match time, "
    "game time, started at, starts at, start datetime, start time, start time seconds, begins at, "
    "scheduled at, when, fecha y hora, date et heure, Zeitpunkt"
)
_LESS_CERTAIN_MOMENTS = plain_names(
    "timestamp, start timestamp, played, epoch, unix time, utc, start, begin, Beginn, kickoff, kick off, "
    "kickoff time, finished at, ended at, end date, end time, completed at, created at, created, "
    "created on, recorded at, ts, Zeitstempel, horodateur, marca temporal, informazioni cronologiche, "
    "carimbo de data/hora, tijdstempel, sygnatura czasowa, отметка времени, zaman damgası, tidstämpel, "
    "tidsstempel, tidsmerke"
)
CERTAIN_TIMES = (*_MOMENTS, *DATES)
"""Columns of times, by names that hardly mean anything else."""
YEARS = plain_names("year, season, Jahr, Saison, año, temporada, année, saison, anno, stagione, ano", "years")
"""Columns of years, which are times if somebody says so."""
PARTS_OF_YEARS = plain_names(
    "month, week, matchday, Monat, Woche, Spieltag, mes, jornada, mois, journée, mese, giornata"
)
"""Columns that say something about the time of an event, and not enough to read it."""
WEEKDAYS = plain_names("day, Tag, día, giorno, jour")
"""Columns of days that may be those of the week."""

RESULT_TIMES = plain_names(
    "result time, finish time, finishing time, finish duration, race time, total time, final time, chip "
    "time, gun time, net time, official time, lap time, best lap, best time, duration, elapsed, elapsed "
    "time, time taken, running time, swim time, time in seconds, time seconds, time s, time ms, time in ms, "
    "seconds, Zeit, "
    "Endzeit, Laufzeit, Gesamtzeit, tiempo, tiempo total, temps, temps total, tempo, tempo totale, tempo "
    "total",
    "result times",
)
"""Columns of scores that say how long somebody took."""
_TIME_ENDS = ("time", "zeit", "tiempo", "temps", "tempo")
_OTHER_TIMES = (
    *("last", "first", "start", "end", "begin", "creat", "updat", "join", "sign", "entry", "seed", "regist"),
    *("local", "utc", "reaction", "letzte", "erste"),
)
_UNIT_OF_TIME = re.compile(
    r"(?i)\s*[(\[]\s*(?:in )?(?:s|secs?|seconds|sek\.?|ms|mins?|minutes|minuten|min\.|mm:ss|h+:mm:ss|"
    r"min:s|min:sec|min:sek)\s*[)\]]\s*$"
)
"""The unit behind the name of a column of times: `Zeit (min)`."""
_LONG_IS_GOOD = ("play", "ice", "surviv", "hang", "hold", "air", "onfield")
LOW_SCORES = plain_names("strokes, total strokes, Schläge, to par, score to par")
"""Columns of scores of which fewer are better."""
TOTALS = plain_names("total, sum, gesamt, summe, suma, somme, totale, totaal, итого, toplam, totalt")
"""Columns of scores whose names do not tell which are better."""

WON_MARKS = plain_names(
    "win, won, is win, is winner, is won, victory, has won, W/L, win/loss, Sieg, gewonnen, gagné, ganado, "
    "vinto"
)
"""Columns that say of a row's player whether this player won."""

SYNONYMS: dict[str, tuple[str, ...]] = {
    "time": (*_MOMENTS, *DATES, *_LESS_CERTAIN_MOMENTS),
    "event": plain_names(
        "event name, event title, event, contest name, contest, race name, race, grand prix, gp, "
        "tournament name, tourney name, tournament, tourney, competition name, competition, meet name, "
        "meet, meeting, match name, game name, heat, round name, round, event id, contest id, race id, "
        "tournament id, tourney id, competition id, match id, game id, match no, match number, game no, "
        "game number, match, game, session, lobby id, lobby, heat no, heat number, "
        "Wettkampf, Wettbewerb, Rennen, Turnier, Veranstaltung, Lauf, "
        "Runde, Spiel, evento, carrera, torneo, competición, prueba, ronda, partido, épreuve, course, "
        "tournoi, compétition, concours, rencontre, gara, competizione, turno, prova, corrida, torneio, "
        "competição, rodada, partida",
        "event",
    ),
    "player": plain_names(
        "player name, player, driver name, driver, athlete name, athlete, competitor name, competitor, "
        "participant name, participant, contestant name, contestant, entrant, racer, rider name, rider, "
        "runner, skier, swimmer, skater, golfer, sailor, fighter, wrestler, climber, archer, horse, "
        "handle, username, user name, user, nickname, nick, gamertag, login, full name, name, display "
        "name, your name, my name, Spielername, Spieler, Fahrername, Fahrer, Teilnehmer, Athlet, Läufer, "
        "Schwimmer, jugador, "
        "piloto, corredor, atleta, participante, competidor, nombre, joueur, pilote, coureur, athlète, "
        "concurrent, pseudo, nom, giocatore, pilota, corridore, concorrente, partecipante, nome, jogador, "
        "player id, driver id, athlete id, competitor id, participant id, contestant id, rider id, user "
        "id, Spieler-ID",
        "player",
    ),
    "rank": plain_names(
        "rank, final rank, final position, final place, finish position, finishing position, finish place, "
        "finishing place, position order, overall rank, overall place, overall position, place, placing, "
        "placement, position, pos, standing, finish, ranking, Platz, Platzierung, Rang, Rangliste, puesto, "
        "posición, lugar, clasificación, classement, posizione, piazzamento, classifica, posição, "
        "colocação, classificação, rk",
        "rank",
    ),
    "score": (
        *plain_names(
            "score, final score, total score, points, pts, total points, total, overall score, points "
            "total, Punkte, Punktzahl, Gesamtpunkte, puntos, puntaje, puntuación, pointage, punti, "
            "punteggio, pontos, pontuação",
            "score",
        ),
        *LOW_SCORES,
        *RESULT_TIMES,
        *plain_names("result, outcome, Ergebnis, resultado, résultat, risultato"),
    ),
    "team": plain_names(
        "team, side, squad, team name, team id, Mannschaft, Team-Name, equipo, équipe, squadra, equipa, "
        "bando",
        "team",
    ),
    "rated": plain_names("rated, is rated, rated?"),
    "weight": plain_names("weight, event weight, match weight, contest weight"),
    "neutral": plain_names(
        "neutral, is neutral, neutral site, neutral venue, neutral ground, neutral field, neutral court, "
        "neutraler Platz, campo neutral, terrain neutre, campo neutro"
    ),
    "draw": plain_names(
        "draw, drawn, is draw, was draw, tie, tied, is tie, Unentschieden, remis, empate, match nul, "
        "pareggio",
        "draw",
    ),
    "winner": plain_names(
        "winner name, winner, winner player, winning player, winning team, winner team, won by, victor, "
        "who won, winner/tie, match winner, Sieger, Gewinner, ganador, vainqueur, gagnant, vincitore, "
        "vencedor, winner id",
        "winner",
    ),
    "result": plain_names(
        "score, final score, full time, ft, ft score, result, final result, match result, ftr, full time "
        "result, res, outcome, Ergebnis, Resultat, Spielstand, resultado, marcador, résultat, risultato, "
        "esito, segno, placar, Tore, goles, Tanteo, punteggio, "
        "my result, mein Ergebnis, sets, legs, frames, maps, Sätze, Satzverhältnis, manches",
        "result",
    ),
    "display": plain_names(
        "rating, current rating, displayed rating, new rating, final rating, player rating, rating points, "
        "elo, elo rating, current elo, glicko, glicko rating, glicko 2 rating, standard rating, std rating, "
        "Wertung, Wertungszahl, Elo-Zahl, DWZ, clasificación elo, classement elo, punteggio elo",
        "display",
    ),
    "sigma": plain_names(
        "deviation, rating deviation, rd, glicko rd, standard deviation, std dev, sd, uncertainty, "
        "Abweichung, desviación, écart type, deviazione",
        "sigma",
    ),
    "volatility": plain_names(
        "volatility, rating volatility, vol, glicko 2 volatility, Volatilität, volatilidad"
    ),
    "events": plain_names(
        "games, games played, number of games, rated games, matches, matches played, number of matches, "
        "rated matches, contests, contests played, number of contests, rated contests, events played, number "
        "of events, rated events, races, rounds, tournaments, played, gp, Spiele, Partien, Wettkämpfe, "
        "partidas, partidos, parties, matchs, partite"
    ),
}
"""podium's name of a column -> the names people use for it, the best first."""

RATING_DATES = (
    *plain_names(
        "rating date, date of rating, as of, last time, last played, last game, last match, last event, last "
        "contest, last active, last activity, last seen, last rated, updated, updated at, updated on, last "
        "updated, Stand, zuletzt gespielt"
    ),
    *SYNONYMS["time"],
)
"""Columns of the date that a rating from elsewhere is of."""

MATCH_EVENTS = plain_names(
    "event name, event title, event, match id, game id, match name, game name, match no, match number, "
    "game no, game number, event id"
)
"""Columns that name a single match; a tournament or a round is the name of many."""
REMARKS = plain_names(
    "comment, comments, note, notes, remark, remarks, Bemerkung, Bemerkungen, Kommentar, Anmerkung, "
    "comentario, comentarios, observaciones, commentaire, commentaires, remarque, note, osservazioni",
    "remarks",
)
"""Columns of remarks, in which may stand that a row does not count."""
RESULTS_OF_SETS = plain_names(
    "sets, set scores, games, frames, Sätze, Satzergebnis, Satzergebnisse, parciales, parcial, tanteo, "
    "manches, parziali, parciais, sety, сеты, setler"
)
"""Columns beside the winner in which results may stand."""
GAMES = plain_names(
    "Spiele, games, matches, partidos, partidas, matchs, rencontres, partite, partijen, mecze"
)
"""Columns of what a match of teams has, which are made of sets themselves."""
OPPONENTS = plain_names(
    "opponent, opponent name, opponents name, your opponent, name of opponent, "
    "versus, vs, against, Gegner, oponente, rival, adversaire, avversario",
    "opponents",
)
"""Columns that make a match of a row of one player."""

RATED_MARKS = plain_names("rated, ranked, official, counts, counted, is official, gewertet")
"""Columns that may mark the rows which count."""
UNRATED_MARKS = plain_names(
    "unrated, exhibition, friendly, is friendly, practice, walkover, walk over, wo, w/o, forfeit, "
    "forfeited, abandoned, cancelled, canceled, postponed, void, voided, deleted, is deleted, removed, "
    "unofficial, Freundschaftsspiel, kampflos, abgesagt, "
    "amistoso, amical"
)
"""Columns that may mark rows which do not count."""
PLAYED_MARKS = plain_names("played, is played, was played, gespielt")
"""Columns that may mark which matches took place; in tables of results they count matches."""
STATUSES = plain_names(
    "status, match status, game status, state, Spielstatus, estado, statut, stato, situação"
)
"""Columns of matches that may mark which were played."""
RESULT_STATUSES = plain_names("status, result status, statut")
"""The same beside scores, where they may mark who finished."""
FINISHED_MARKS = plain_names(
    "finished, status, classified, dnf, dns, dsq, dq, disqualified, retired, withdrawn, did not finish, "
    "position text, result status, ausgeschieden"
)
"""Columns that may mark who did not finish."""


_COUNT_MARKS = re.compile(
    r".*(?:ladder|league|rated|ranked|ranking|rating|official)(?:match|game|result)?|doesitcount|counts?(?:for.*)?|"
    r"(?:zahlt|compte|cuenta|conta|telt|vale|valid|gultig|gewertet|ufficiale?|oficial|officiel).*"
)
"""What questions whether a row counts end in or begin with: `Was it a ladder match?`."""


def says_not_counted(column: str) -> bool | None:
    """Whether yes or no in a column of this name says that a row does not count; None if it says nothing.

    >>> says_not_counted("Friendly"), says_not_counted("Was it a ladder match?"), says_not_counted("Paid?")
    (True, False, None)
    """
    name = plain_name(column)
    if name in UNRATED_MARKS:
        return True
    return False if name in RATED_MARKS or _COUNT_MARKS.fullmatch(name) else None


MORE_PLAYERS = plain_names(
    "3rd, third, 3rd place, third place, place 3, rank 3, dritter, Platz 3, tercero, troisième, terzo, "
    "terceiro, player 3, team 3, p3, winner 2, loser 2, winner b, loser b"
)
"""Columns of tables that have more than two players in a row."""


def result_names() -> tuple[str, ...]:
    """Columns beside a rank in which the mark of somebody without a place may stand."""
    return (*SYNONYMS["score"], *plain_names("mark, finals time, time, performance"), *FINISHED_MARKS)


def is_low_score(name: str) -> bool:
    """Whether a column of scores says by its name that fewer is better."""
    plain = plain_name(_UNIT_OF_TIME.sub("", name))
    return plain in _low_scores() or (plain.endswith(_TIME_ENDS) and not plain.startswith(_LONG_IS_GOOD))


def is_result_time(name: str) -> bool:
    """Whether a column says by its name how long somebody took, such as `finals time`."""
    plain = plain_name(name)
    is_clock = plain in (*SYNONYMS["time"], *CLOCKS) and _UNIT_OF_TIME.search(name) is None
    if is_clock or plain.startswith(_OTHER_TIMES):
        return False
    return is_low_score(name)


@cache
def _low_scores() -> frozenset[str]:
    return frozenset((*RESULT_TIMES, *LOW_SCORES, "time"))


# ------------------------------------------------------------------ the two sides of a match


class NamePair(NamedTuple):
    """The names of two columns, one for each side of a match."""

    first: str
    second: str
    at_home: bool = False
    """Whether the first of two players has the advantage: the home side, or White."""
    third: str = ""
    """What a third column would be called, where names are numbered; else nothing."""


HOME_SIDES = (
    ("home", "away"),
    ("home", "visitor"),
    ("home", "visiting"),
    ("home", "guest"),
    ("host", "guest"),
    ("host", "visitor"),
    ("white", "black"),
    ("heim", "gast"),
    ("weiss", "schwarz"),
    ("local", "visitante"),
    ("mandante", "visitante"),
    ("casa", "visitante"),
    ("casa", "fora"),
    ("domicile", "exterieur"),
    ("casa", "ospite"),
    ("casa", "ospiti"),
    ("casa", "trasferta"),
    ("blancas", "negras"),
    ("brancas", "pretas"),
    ("blancs", "noirs"),
    ("bianco", "nero"),
    *(tuple(map(plain_name, sides)) for sides in column_languages.HOME_SIDES),
)
_WHITE = (
    *("white", "weiss", "blancas", "brancas", "blancs", "bianco"),
    *map(plain_name, column_languages.WHITE),
)
_HOME_FORMS = (
    *("{} team", "{} player", "{}", "{} name", "{} team name", "{} player name", "{} club", "{} side"),
    *("{}mannschaft", "{}verein", "team {}", "player {}", "equipo {}", "equipe {}", "squadra {}", "time {}"),
    *("{} username", "{} user", "{} id", "{} team id", "{} player id", "{}/neutral"),
)
_COLOURS = (("red", "blue"), ("r", "b"))
_COLOUR_FORMS = ("{} team", "{} player", "{} fighter", "{} corner", "{}", "{} fighter name", "{} name")
_NUMBERS = (("1", "2", "3"), ("a", "b", "c"), ("one", "two", "three"))
NUMBERED = plain_names(
    "player, team, p, side, competitor, participant, contestant, opponent, fighter, name, wrestler, boxer, "
    "pair, Spieler, Mannschaft, jugador, equipo, joueur, équipe, giocatore, squadra, jogador, equipa",
    "numbered",
)
_NUMBER_FORMS = ("{noun} {} name", "{noun} name {}", "{noun} {}", "{noun} {} id", "{noun} id {}")
_PARTS_OF_MATCHES = plain_names(
    f"sets, Sätze, Saetze, maps, frames, legs, {column_languages.PARTS_OF_MATCHES}"
)
"""What a match is won by where it has such parts, whatever points there are in them."""
_POINTS = (
    *_PARTS_OF_MATCHES,
    *plain_names(
        "score, goals, points, pts, runs, result, final score, Tore, Punkte, goles, puntos, buts, gol, gols, "
        f"reti, punti, pontos, {column_languages.POINTS}"
    ),
)
_POINTS_FORMS = (
    *("{} {points}", "{points} {}", "{} team {points}", "{} player {points}", "{points} {} team"),
    *("ft {} {points}", "full time {} {points}"),
)
_SHORT_SIDES = (("h", "a"), ("h", "g"), ("w", "b"), ("w", "s"), ("l", "v"))


@cache
def player_pairs() -> tuple[NamePair, ...]:
    """The names of two columns that say who plays, the best first."""
    home = _formed(HOME_SIDES, _HOME_FORMS, at_home=True)
    coloured = _formed(_COLOURS[:1], _COLOUR_FORMS)
    corners = _formed(_COLOURS[1:], ("{} fighter", "{} fighter name"))
    ladder = _formed(
        (("challenger", "defender"), ("challenger", "challenged")), ("{}", "{} name", "{} player")
    )
    numbered = (
        pair
        for noun, sides in product(NUMBERED, _NUMBERS)
        for pair in _formed([sides], [form.replace("{noun}", noun) for form in _NUMBER_FORMS])
    )
    return (*home, *coloured, *corners, *ladder, *numbered)


def names_home(first: str, second: str) -> bool:
    """Whether the names of the columns of two sides say that the first one is at home."""
    return (plain_name(first), plain_name(second)) in _home_pairs()


@cache
def _home_pairs() -> frozenset[tuple[str, str]]:
    return frozenset((pair.first, pair.second) for pair in player_pairs() if pair.at_home)


@cache
def score_pairs() -> tuple[NamePair, ...]:
    """The names of two columns that say how many points each side has, the best first."""
    numbered = [
        tuple(f"{noun} {number}" for number in numbers) for noun, numbers in product(NUMBERED[:4], _NUMBERS)
    ]
    sides = (*HOME_SIDES, *_COLOURS[:1], *_NUMBERS, *_SHORT_SIDES)
    formed = (
        pair
        for points in _POINTS
        for some, forms in ((sides, _POINTS_FORMS), (numbered, _POINTS_FORMS[:2]))
        for pair in _formed(some, [form.replace("{points}", points) for form in forms])
    )
    return (NamePair("fthg", "ftag"), NamePair("hg", "ag"), *formed)


WINNING_SIDES = (
    ("winner", "loser"),
    ("winning", "losing"),
    ("victor", "loser"),
    ("sieger", "verlierer"),
    ("gewinner", "verlierer"),
    ("ganador", "perdedor"),
    ("vainqueur", "perdant"),
    ("gagnant", "perdant"),
    ("vincitore", "perdente"),
    ("vincitore", "sconfitto"),
    ("vencedor", "perdedor"),
    ("vencedor", "derrotado"),
    ("vainqueur", "vaincu"),
    *(tuple(map(plain_name, sides)) for sides in column_languages.WINNING_SIDES),
)


@cache
def winner_pairs() -> tuple[NamePair, ...]:
    """The names of two columns that say who won and who lost, the best first."""
    forms = (
        "{} name",
        "{}",
        "{} player",
        "{} team",
        "{} player name",
        "{} team name",
        "{} id",
        "{}/tie",
        "{} tag",
        "{} handle",
    )
    others = (NamePair("wonby", "lostby"), NamePair("whowon", "wholost"))
    return (*others, *_formed(WINNING_SIDES, forms))


@cache
def winner_score_pairs() -> tuple[NamePair, ...]:
    """The names of two columns with the points of who won and who lost, the best first.

    `WPts` and `LPts` are not among them: tables of tennis call the points of a ranking so. Neither are sets
    and the like, which are equal where somebody gave up.
    """
    sides = (*WINNING_SIDES, ("winners", "losers"))
    points = [word for word in _POINTS if word not in _PARTS_OF_MATCHES]
    named = _formed(sides, [form.format("{}", points=p) for p in points for form in _POINTS_FORMS[:2]])
    short = _formed([("w", "l")], [*(f"{p}{{}}" for p in points), "{}score", "{}goals"])
    return (*named, *short)


def _formed(
    sides: Iterable[tuple[str, ...]], forms: Sequence[str], *, at_home: bool = False
) -> Iterator[NamePair]:
    """Each form with the words for each side in it, without blanks as `plain_name` writes them."""
    compact = [form.replace(" ", "") for form in forms]
    for words, form in product(sides, compact):
        first, second, *third = (form.replace("{}", word.replace(" ", "")) for word in words)
        yield NamePair(first, second, at_home, *third)


# ------------------------------------------------------------------ finding them in a table


class NamedColumns:
    """The columns of a table, found by what people call them."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._by_name: dict[str, list[str]] = {}
        for column in columns:
            if name := plain_name(column):
                self._by_name.setdefault(name, []).append(column)

    def alike(self, column: str) -> list[str]:
        """All columns with the name of a column, in the order of the table."""
        return self._by_name.get(plain_name(column), [])

    def twice(self) -> list[str]:
        """Columns that have a name with others."""
        return [columns[0] for columns in self._by_name.values() if len(columns) > 1]

    def first(self, names: Iterable[str], taken: Collection[str] = ()) -> str | None:
        """The column with the first of these names that there is, other than those taken."""
        for name in names:
            for column in self._by_name.get(name, ()):
                if column not in taken:
                    return column
        return None

    def pair(
        self, pairs: Iterable[NamePair], taken: Collection[str] = ()
    ) -> tuple[str, str, NamePair] | None:
        """The two columns of the first pair of which both are there, and the pair."""
        for pair in pairs:
            if pair.first in self._by_name and pair.second in self._by_name:
                first, second = self.first([pair.first], taken), self.first([pair.second], taken)
                if first is not None and second is not None:
                    return first, second, pair
        return None


def is_white(column: str) -> bool:
    """Whether a column is called after White, who comes first in the results of chess."""
    return any(word in plain_name(column) for word in _WHITE)
