"""Each layout of a club's file in each language: the same results come out."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from podium import History, read_history
from podium.arrays import NO_TIME
from podium.history.times import to_iso


class Words(NamedTuple):
    """What a club calls its columns."""

    date: str
    player: str
    result: str
    winner: str
    loser: str
    home: str
    away: str
    white: str
    black: str
    partner: str
    pair: str
    set: str
    event: str
    place: str
    points: str
    places: tuple[str, str, str]
    walkover: str
    draw: str
    bye: str


WORDS = {
    "English": Words(
        *("Date", "Player", "Result", "Winner", "Loser", "Home", "Away", "White", "Black", "Partner", "Pair"),
        *(
            "Set",
            "Tournament",
            "Place",
            "Points",
            ("1st place", "2nd place", "3rd place"),
            "w.o.",
            "draw",
            "bye",
        ),
    ),
    "German": Words(
        *(
            "Datum",
            "Spieler",
            "Ergebnis",
            "Sieger",
            "Verlierer",
            "Heim",
            "Gast",
            "Weiß",
            "Schwarz",
            "Partner",
        ),
        *("Doppel", "Satz", "Turnier", "Platz", "Punkte", ("1. Platz", "2. Platz", "3. Platz"), "kampflos"),
        *("remis", "spielfrei"),
    ),
    "French": Words(
        *("Date", "Joueur", "Résultat", "Vainqueur", "Perdant", "Domicile", "Extérieur", "Blancs", "Noirs"),
        *("Partenaire", "Paire", "Manche", "Tournoi", "Classement", "Points"),
        *(("1er", "2e", "3e"), "forfait", "nul", "exempt"),
    ),
    "Spanish": Words(
        *("Fecha", "Jugador", "Resultado", "Ganador", "Perdedor", "Local", "Visitante", "Blancas", "Negras"),
        *("Compañero", "Pareja", "Set", "Torneo", "Puesto", "Puntos"),
        *(("1.er puesto", "2.º puesto", "3.er puesto"), "incomparecencia", "tablas", "descansa"),
    ),
    "Italian": Words(
        *("Data", "Giocatore", "Risultato", "Vincitore", "Perdente", "Casa", "Ospite", "Bianco", "Nero"),
        *("Compagno", "Coppia", "Set", "Torneo", "Posizione", "Punti"),
        *(("1° posto", "2° posto", "3° posto"), "a tavolino", "patta", "riposo"),
    ),
    "Portuguese": Words(
        *("Data", "Jogador", "Resultado", "Vencedor", "Perdedor", "Casa", "Visitante", "Brancas", "Pretas"),
        *("Parceiro", "Dupla", "Set", "Torneio", "Colocação", "Pontos"),
        *(("1º lugar", "2º lugar", "3º lugar"), "falta de comparência", "empate", "folga"),
    ),
    "Dutch": Words(
        *("Datum", "Speler", "Uitslag", "Winnaar", "Verliezer", "Thuis", "Uit", "Wit", "Zwart", "Partner"),
        *("Koppel", "Set", "Toernooi", "Plaats", "Punten", ("1e plaats", "2e plaats", "3e plaats")),
        *("reglementair", "remise", "vrij"),
    ),
    "Polish": Words(
        *("Data", "Zawodnik", "Wynik", "Zwycięzca", "Przegrany", "Gospodarz", "Gość", "Białe", "Czarne"),
        *("Partner", "Para", "Set", "Turniej", "Miejsce", "Punkty"),
        *(("1. miejsce", "2. miejsce", "3. miejsce"), "walkower", "remis", "pauza"),
    ),
    "Russian": Words(
        *("Дата", "Игрок", "Счёт", "Победитель", "Проигравший", "Хозяева", "Гости", "Белые", "Чёрные"),
        *("Партнёр", "Пара", "Партия", "Турнир", "Место", "Очки"),
        *(("1 место", "2 место", "3 место"), "неявка", "ничья", "свободен"),
    ),
    "Turkish": Words(
        *("Tarih", "Oyuncu", "Skor", "Kazanan", "Kaybeden", "Ev sahibi", "Deplasman", "Beyaz", "Siyah"),
        *("Eş", "Çift", "Set", "Turnuva", "Sıra", "Puan"),
        *(("1. sıra", "2. sıra", "3. sıra"), "hükmen", "berabere", "bay"),
    ),
}


def layouts(w: Words) -> dict[str, tuple[str, list[str]]]:
    """Files by their layout, each with the events that come out."""
    p, first, second, third = w.player, *w.places
    return {
        "matches": (
            f"{w.date};{p} 1;{p} 2;{w.result}\n13.05.2026;Ann;Bob;3:1\n14.05.2026;Cid;Ann;2:2\n",
            ["2026-05-13: Ann > Bob", "2026-05-14: Cid = Ann"],
        ),
        "letters": (f"{p} A;{p} B;{w.result}\nAnn;Bob;0:1\n", ["Bob > Ann"]),
        "winner and loser": (
            f"{w.winner};{w.loser};{w.date}\nAnn;Bob;13.05.2026\n",
            ["2026-05-13: Ann > Bob"],
        ),
        "winner named": (
            f"{p} 1;{p} 2;{w.winner}\nAnn;Bob;Bob\nBob;Cid;{w.draw}\n",
            ["Bob > Ann", "Bob = Cid"],
        ),
        "home and away": (f"{w.home};{w.away};{w.result}\nAnn;Bob;0-2\n", ["Bob > Ann (at Ann)"]),
        "chess": (
            f"{w.white};{w.black};{w.result}\nAnn;Bob;1-0\nBob;Cid;{w.draw}\n",
            ["Ann > Bob (at Ann)", "Bob = Cid (at Bob)"],
        ),
        "walkovers and byes": (
            f"{p} 1;{p} 2;{w.result}\nAnn;Bob;3:1\nBob;Cid;{w.walkover}\nAnn;{w.bye};3:0\n"
            f"Cid;Bob;3:0 ({w.walkover})\n",
            ["Ann > Bob"],
        ),
        "partners": (
            f"{p} 1;{w.partner} 1;{p} 2;{w.partner} 2;{w.result}\nAnn;Bob;Cid;Dan;3:1\n",
            ["Ann + Bob > Cid + Dan"],
        ),
        "partners behind": (
            f"{p} 1;{w.partner};{p} 2;{w.partner};{w.result}\nAnn;Bob;Cid;Dan;1:3\n",
            ["Cid + Dan > Ann + Bob"],
        ),
        "two winners": (
            f"{w.winner} 1;{w.winner} 2;{w.loser} 1;{w.loser} 2\nAnn;Bob;Cid;Dan\n",
            ["Ann + Bob > Cid + Dan"],
        ),
        "players of pairs": (
            f"{w.pair} 1 {p} 1;{w.pair} 1 {p} 2;{w.pair} 2 {p} 1;{w.pair} 2 {p} 2;{w.result}\n"
            "Ann;Bob;Cid;Dan;3:1\n",
            ["Ann + Bob > Cid + Dan"],
        ),
        "pairs in cells": (
            f"{w.pair} 1;{w.pair} 2;{w.result}\nAnn / Bob;Cid / Dan;3:1\n",
            ["Ann + Bob > Cid + Dan"],
        ),
        "sets": (
            f"{p} 1;{p} 2;{w.set} 1;{w.set} 2;{w.set} 3\nAnn;Bob;11:8;9:11;11:5\n",
            ["Ann > Bob"],
        ),
        "sets in two columns": (
            f"{p} 1;{p} 2;{w.set} 1 A;{w.set} 1 B;{w.set} 2 A;{w.set} 2 B\nAnn;Bob;8;11;9;11\n",
            ["Bob > Ann"],
        ),
        "places": (
            f"{w.date};{first};{second};{third}\n13.05.2026;Ann;Bob;Cid\n",
            ["2026-05-13: Ann > Bob > Cid"],
        ),
        "ranks": (f"{w.event};{p};{w.place}\nA;Ann;2\nA;Bob;1\n", ["Bob > Ann"]),
        "points": (f"{w.event};{p};{w.points}\nA;Ann;2\nA;Bob;10\n", ["Bob > Ann"]),
        "cross table": (
            f"{p};Ann;Bob;Cid\nAnn;x;1:3;2:0\nBob;3:1;x;{w.draw}\nCid;0:2;{w.draw};x\n",
            ["Bob > Ann", "Ann > Cid", "Bob = Cid"],
        ),
    }


CASES = [(language, name) for language, words in WORDS.items() for name in layouts(words)]


def lines_of(history: History) -> list[str]:
    """The events of a history in words."""
    lines = []
    for event in history:
        ranked = sorted(zip(event.ranks, event.sides, strict=True), key=lambda side: side[0])
        equal = len({rank for rank, _ in ranked}) == 1
        text = (" = " if equal else " > ").join(" + ".join(side) for _, side in ranked)
        when = "" if event.time in (None, NO_TIME) else to_iso(event.time).partition("T")[0] + ": "
        lines.append(when + text + (f" (at {event.home})" if event.home is not None else ""))
    return lines


@pytest.mark.parametrize(("language", "name"), CASES)
def test_layouts(language: str, name: str, tmp_path: Path) -> None:
    content, expected = layouts(WORDS[language])[name]
    path = tmp_path / "club.csv"
    path.write_text(content, encoding="utf-8")
    assert lines_of(read_history(path)) == expected
