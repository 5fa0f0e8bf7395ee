"""What people write where a result or an opponent would stand, by language: draws, walkovers, nobody.

One table for thirteen languages. A match that was won without being played is no result, so its row is
left out. Words that mean nobody only mark candidates: the rows around them decide
(`podium.tables.table_reader`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from podium.tables.columns.column_names import plain_accents, plain_name


class ResultWords(NamedTuple):
    """The words of one language, separated by commas."""

    draw: str
    win: str
    loss: str
    walkover: str
    """The match was not played, and one side got the points."""
    unplayed: str
    """The match has no result, or none yet."""
    nobody: str
    """What stands in place of an opponent."""
    unfinished: str
    """Started a race and has no place."""
    disqualified: str
    absent: str
    """Did not start."""


BY_LANGUAGE: dict[str, ResultWords] = {
    "English": ResultWords(
        "draw, drawn, agreed draw, tie, tied, split, stalemate, halved, all square",
        "win, won, victory",
        "loss, lost, lose, defeat",
        "walkover, walk over, walk-over, w/o, wo, w.o., forfeit, forfeited, forfeits, ff, fft, by forfeit, "
        "win by forfeit, awarded, default, by default, no show, no-show, wbf",
        "postponed, cancelled, canceled, abandoned, unplayed, not played, void, scheduled",
        "bye, no opponent, rests",
        "did not finish, retired, withdrew, withdrawn",
        "disqualified, excluded",
        "did not start, not started, scratched",
    ),
    "German": ResultWords(
        "unentschieden, remis, Punkteteilung, Patt",
        "Sieg, gewonnen",
        "Niederlage, verloren",
        "kampflos, kampfl., kl., k.l., nicht angetreten, zurückgezogen, Nichtantritt, am grünen Tisch",
        "verlegt, abgesagt, ausgefallen, nicht gespielt, verschoben, offen",
        "spielfrei, Freilos, frei, kein Gegner",
        "aufgegeben, ausgeschieden, ausgefallen, Ausfall, Aufgabe",
        "disqualifiziert, disqu., ausgeschlossen",
        "nicht gestartet, nicht am Start",
    ),
    "French": ResultWords(
        "nul, nulle, match nul, partie nulle, égalité, remise",
        "victoire, gagné, gagnée",
        "défaite, perdu, perdue",
        "forfait, par forfait, forf., ff., abs. excusé, victoire par forfait, tapis vert",
        "reporté, annulé, non joué, remis à plus tard, à jouer",
        "exempt, exempte, exempté, repos, au repos, sans adversaire",
        "abandon, abandonné",
        "disqualifié, exclu",
        "non partant, np, absent",
    ),
    "Spanish": ResultWords(
        "empate, tablas, empatado",
        "victoria, ganado, ganada, gana",
        "derrota, perdido, perdida, pierde",
        "incomparecencia, no presentado, por incomparecencia, ausencia, walk over, retirada previa",
        "aplazado, suspendido, cancelado, no jugado, pendiente",
        "libre, descansa, descanso, exento, sin rival",
        "abandono, retirado, no terminó",
        "descalificado",
        "no salió, no sale, no tomó la salida",
    ),
    "Italian": ResultWords(
        "pareggio, pari, patta, parità",
        "vittoria, vinto, vinta",
        "sconfitta, perso, persa",
        "a tavolino, forfait, rinuncia, per rinuncia, per forfait, assente, mancata presentazione",
        "rinviata, rinviato, annullata, sospesa, non giocata, da giocare",
        "riposo, riposa, turno di riposo",
        "ritirato, ritirata, ritiro",
        "squalificato, squalificata",
        "non partito, non partita",
    ),
    "Portuguese": ResultWords(
        "empate, empatado, tablas",
        "vitória, ganhou, vence",
        "derrota, perdeu, perde",
        "falta, por falta, falta de comparência, não compareceu, ausência, desistência, w.o.",
        "adiado, cancelado, não jogado, suspenso, por jogar",
        "folga, isento, isenta, descansa",
        "abandonou, desistiu, não terminou",
        "desclassificado, desqualificado",
        "não partiu, não largou",
    ),
    "Dutch": ResultWords(
        "remise, gelijk, gelijkspel, gelijk spel",
        "winst, gewonnen",
        "verlies, verloren",
        "reglementair, reg., niet opgekomen, niet opgedaagd, forfait, walk-over, arbitrair",
        "uitgesteld, afgelast, niet gespeeld, verplaatst, afgebroken",
        "vrij, vrijloting, vrij lot, geen tegenstander",
        "opgegeven, opgave, uitgevallen",
        "gediskwalificeerd, uitgesloten",
        "niet gestart",
    ),
    "Polish": ResultWords(
        "remis",
        "wygrana, zwycięstwo, wygrał, wygrała",
        "przegrana, porażka, przegrał, przegrała",
        "walkower, w.o., oddany walkowerem, nie stawił się",
        "przełożony, przełożone, odwołany, odwołane, nierozegrany, nie rozegrano",
        "pauza, pauzuje, wolny los, brak przeciwnika",
        "nie ukończył, nie ukończyła, wycofał się",
        "zdyskwalifikowany, dyskwalifikacja",
        "nie wystartował, nie wystartowała",
    ),
    "Russian": ResultWords(
        "ничья, вничью",
        "победа, выигрыш, выиграл, выиграла",
        "поражение, проигрыш, проиграл, проиграла",
        "неявка, без игры, техническое поражение, техническая победа, тех. поражение, т.п., тп",
        "перенесен, перенесён, перенос, отменен, отменён, не сыграно, не играли",
        "свободен, свободна, выходной, пропуск, пропускает, без пары",
        "сошел, сошёл, сошла, не финишировал, не финишировала",
        "дисквалифицирован, дисквалификация",
        "не стартовал, не стартовала",
    ),
    "Turkish": ResultWords(
        "berabere, beraberlik",
        "galibiyet, kazandı, galip",
        "mağlubiyet, kaybetti, mağlup",
        "hükmen, hükmen galip, hükmen mağlup, gelmedi, çekildi",
        "ertelendi, iptal, oynanmadı",
        "bay, boş, maç yok, rakip yok",
        "yarış dışı, bitiremedi, tamamlayamadı",
        "diskalifiye",
        "başlamadı, katılmadı",
    ),
    "Swedish": ResultWords(
        "oavgjort, remi",
        "vinst, seger, vann",
        "förlust, förlorade",
        "walkover, w.o., uteblev, ej närvarande",
        "uppskjuten, inställd, ej spelad",
        "frirond, spelfri, vilar",
        "bröt, bruten",
        "disk, diskad, diskvalificerad",
        "ej start, startade ej",
    ),
    "Norwegian": ResultWords(
        "uavgjort, remis",
        "seier, vant",
        "tap, tapte",
        "walkover, w.o., ikke møtt",
        "utsatt, avlyst, ikke spilt",
        "frirunde, fri runde, står over",
        "brutt, brøt",
        "diskvalifisert, disket",
        "ikke startet, startet ikke",
    ),
    "Danish": ResultWords(
        "uafgjort, remis",
        "sejr, vandt",
        "nederlag, tabt, tabte",
        "walkover, w.o., ikke mødt",
        "udsat, aflyst, ikke spillet",
        "oversidder, fri runde, sidder over",
        "udgået, udgik",
        "diskvalificeret",
        "ikke startet, startede ikke",
    ),
}


def words_of(kind: str) -> dict[str, str]:
    """The words of one kind in all languages: as people write them -> as `plain_name` does."""
    texts = (text.strip() for words in BY_LANGUAGE.values() for text in getattr(words, kind).split(","))
    return {text: plain_name(text) for text in texts}


def with_plain(word: str) -> set[str]:
    """A word as it is and without its accents, in lower case."""
    return {word.casefold(), plain_accents(word.casefold())}


_DRAW_SIGNS = ("½", "1/2", "=", "1/2-1/2", "½-½")
_WINS, _DRAWS, _LOSSES = (frozenset(words_of(kind).values()) for kind in ("win", "draw", "loss"))
_WALKOVERS, _UNPLAYED = (frozenset(words_of(kind).values()) for kind in ("walkover", "unplayed"))
_RETIREMENTS = frozenset({"ret", "rit", "aufg", "abd", "opg"} | set(words_of("unfinished").values()))
NOT_FINISHED = "(not finished)"
"""Stands behind the sets of a match that was broken off."""
_PLUS_MINUS = re.compile(r"\+\s*[:/-]?\s*[-–—−]|[-–—−]\s*[:/-]?\s*\+")
_FORFEIT_LETTER = re.compile(
    r"[01½]\s*(?:f|ff|k)\s*[-–:]\s*[01½]?\s*(?:f|ff|k)?|[01½]?\s*[-–:]\s*[01½]?\s*(?:f|ff|k)"
)
"""1-0F, 0F-1, 1F-0F, 1-F, 1:0k."""
_PAIR_AND_WORD = re.compile(r"\d+\s*[-–—−:]\s*\d+[\s,;(\[]*(?P<word>[^\d)\]]+)[)\]]?")
_WORD_AND_PAIR = re.compile(r"(?P<word>[^\d(\[]+?)[\s:(\[]+\d+\s*[-–—−:]\s*\d+[)\]]?")
_NAME_OF_ABSENT = re.compile(r"[^\W\d_][^\d]*")
_LONE_FORFEIT = re.compile(r"[01½]?\s*(?:f|ff)|[01]\s*k")


def is_draw(cell: str) -> bool:
    """Whether a cell says that nobody won.

    >>> [is_draw(cell) for cell in ("Remis", "½", "beraberlik", "ничья", "1-0")]
    [True, True, True, True, False]
    """
    return cell.strip() in _DRAW_SIGNS or plain_name(cell) in _DRAWS


def is_win(cell: str) -> bool:
    """Whether a cell says in a word that the side won."""
    return plain_name(cell) in _WINS


def is_loss(cell: str) -> bool:
    """Whether a cell says in a word that the side lost."""
    return plain_name(cell) in _LOSSES


def is_walkover(cell: str) -> bool:
    """Whether a cell says that a side won because the other did not play.

    >>> [is_walkover(cell) for cell in ("w.o.", "+:-", "0-1F", "3:0 (kampflos)", "hükmen 3-0", "1-0", "-:-")]
    [True, True, True, True, True, False, False]
    """
    text = cell.strip().casefold()
    if plain_name(text) in _WALKOVERS or _PLUS_MINUS.fullmatch(text) or _FORFEIT_LETTER.fullmatch(text):
        return True
    word = _PAIR_AND_WORD.fullmatch(text) or _WORD_AND_PAIR.fullmatch(text)
    return word is not None and plain_name(word["word"]) in _WALKOVERS


def names_absent(cell: str) -> bool:
    """Whether the result of a match is a word for a walkover, and who did not come: `forfait de Théo`.

    >>> [names_absent(cell) for cell in ("forfait de Théo", "Théo forfait", "w.o. (Ann)", "Ann", "3:0")]
    [True, True, True, False, False]
    """
    words = cell.casefold().replace("(", " ").replace(")", " ").replace(":", " ").split()
    if len(words) < 2 or not all(map(_NAME_OF_ABSENT.fullmatch, words)):
        return False
    parts = (" ".join(words[:size]) for size in range(1, min(4, len(words))))
    ends = (" ".join(words[-size:]) for size in range(1, min(4, len(words))))
    return any(plain_name(part) in _WALKOVERS for part in (*parts, *ends))


def is_walkover_of(first: str, second: str) -> bool:
    """Whether the cells with the points of both sides say so together: + and -, 1 and 0F."""
    one, other = first.strip().casefold(), second.strip().casefold()
    if (one == "+" and other in "-–—−") or (other == "+" and one in "-–—−"):
        return True
    return any(
        is_walkover(text) or _LONE_FORFEIT.fullmatch(text) is not None for text in (one, other) if text
    )


def is_unplayed(cell: str) -> bool:
    """Whether a cell says that there is no result, or none yet."""
    return plain_name(cell) in _UNPLAYED


def is_retirement(remark: str) -> bool:
    """Whether a remark on a match says that a player gave up.

    >>> [is_retirement(remark) for remark in ("Aufgabe Brandt", "Bob retired", "ret.", "MTB", "")]
    [True, True, True, False, False]
    """
    words = re.findall(r"\w+", remark)
    return any(plain_name(word) in _RETIREMENTS for word in (*words, remark))
