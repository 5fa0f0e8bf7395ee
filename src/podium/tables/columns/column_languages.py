"""What people call their columns in Dutch, Polish, Russian, Turkish, Swedish, Danish and Norwegian.

It has more names in the other languages, too.

`podium.tables.columns.column_names` has what most files are written in, and adds these names behind them.
"""

from __future__ import annotations

MORE_LANGUAGES: dict[str, dict[str, str]] = {
    "Dutch": {
        "dates": "datum, speeldatum, wedstrijddatum",
        "clocks": "tijdstip, aanvang, aanvangstijd",
        "years": "jaar, seizoen",
        "event": "wedstrijd, toernooi, evenement, ronde, partij, competitie",
        "player": "speler, spelernaam, deelnemer, renner, loper, naam",
        "rank": "plaats, positie, eindstand, rang",
        "score": "punten, totaal punten, eindscore, puntentotaal",
        "result times": "tijd, eindtijd, looptijd",
        "team": "ploeg, elftal",
        "draw": "gelijk, remise, gelijkspel",
        "winner": "winnaar",
        "result": "uitslag, resultaat, eindstand",
        "remarks": "opmerking, opmerkingen",
        "numbered": "speler, ploeg, deelnemer, koppel",
        "opponents": "tegenstander",
        "display": "ratingcijfer, huidige rating",
    },
    "Polish": {
        "dates": "data, data meczu, data gry, dzień",
        "clocks": "godzina",
        "years": "rok, sezon",
        "event": "turniej, zawody, wyścig, bieg, impreza, runda, mecz",
        "player": "zawodnik, zawodniczka, gracz, uczestnik, imię i nazwisko, nazwisko, nazwisko i imię",
        "rank": "miejsce, pozycja, lokata",
        "score": "punkty, pkt, suma, suma punktów",
        "result times": "czas, wynik czasowy",
        "team": "drużyna, zespół",
        "draw": "remis",
        "winner": "zwycięzca, wygrany",
        "result": "wynik, rezultat, wynik meczu",
        "remarks": "uwagi, uwaga, komentarz",
        "numbered": "zawodnik, gracz, drużyna, zespół, para",
        "opponents": "przeciwnik, rywal",
        "display": "ranking elo",
    },
    "Russian": {
        "dates": "дата, дата матча, дата игры, день",
        "clocks": "время начала",
        "years": "год, сезон",
        "event": "турнир, соревнование, гонка, забег, этап, матч, тур",
        "player": "игрок, участник, спортсмен, фамилия, фио, имя, фамилия имя, гонщик",
        "rank": "место, позиция",
        "score": "очки, баллы, сумма, набрано очков",
        "result times": "результат времени, итоговое время",
        "team": "команда",
        "draw": "ничья",
        "winner": "победитель, выиграл",
        "result": "счет, счёт, результат, итог",
        "remarks": "примечание, примечания, комментарий",
        "numbered": "игрок, команда, участник, пара",
        "opponents": "соперник, противник",
        "display": "рейтинг, рейтинг эло",
        "sigma": "отклонение",
    },
    "Turkish": {
        "dates": "tarih, maç tarihi, oyun tarihi, gün",
        "clocks": "saat, başlama saati",
        "years": "yıl, sezon",
        "event": "turnuva, yarış, yarışma, etkinlik, müsabaka, tur, maç",
        "player": "oyuncu, oyuncu adı, sporcu, yarışmacı, katılımcı, ad soyad, adı soyadı, isim",
        "rank": "sıra, sıralama, derece, yer",
        "score": "puan, toplam puan, toplam",
        "result times": "süre, bitiş süresi",
        "team": "takım",
        "draw": "beraberlik, berabere",
        "winner": "kazanan, galip",
        "result": "sonuç, skor, maç sonucu",
        "remarks": "açıklama, not, notlar",
        "numbered": "oyuncu, takım, yarışmacı, çift",
        "opponents": "rakip",
        "display": "reyting, elo puanı",
    },
    "Swedish, Danish and Norwegian": {
        "dates": "datum, dato, speldatum, spilledato, matchdatum",
        "clocks": "klockslag, klokkeslett, klokkeslæt",
        "years": "år, säsong, sesong, sæson",
        "event": "tävling, konkurranse, konkurrence, turnering, omgång, omgang, runda, lopp, løp, løb, gren",
        "player": "spelare, spelarnamn, spiller, spillernavn, deltagare, deltaker, deltager, namn, navn",
        "rank": "placering, plassering, plats, plass, plads, plac",
        "score": "poäng, poeng, totalpoäng",
        "result times": "tid, sluttid",
        "team": "lag, hold",
        "draw": "oavgjort, uavgjort, uafgjort",
        "winner": "vinnare, segrare, vinner, vinder",
        "result": "resultat, ställning, stilling",
        "remarks": "anmärkning, kommentar, merknad, bemærkning",
        "numbered": "spelare, spiller, lag, hold, deltagare, deltaker, deltager, namn, navn, par",
        "opponents": "motståndare, motstander, modstander",
    },
    "Portuguese": {
        "result times": "tempo final",
        "remarks": "observação, observações, comentário",
        "opponents": "adversário",
        "numbered": "atleta, dupla",
        "result": "resultado, placar, pontuação final",
    },
    "German": {
        "dates": "Termin, Spieltermin",
        "result": "Endstand, Endergebnis",
        "remarks": "Hinweis, Notiz, Anmerkungen",
        "numbered": "Name, Teilnehmer, Paar, Doppel",
    },
    "French": {"remarks": "observation, observations", "numbered": "participant, nom, paire, double"},
    "Spanish": {"remarks": "observación, nota, notas", "numbered": "participante, nombre, pareja"},
    "Italian": {"remarks": "nota, osservazione, commento", "numbered": "concorrente, nome, coppia"},
}
"""Language -> what a column holds -> its names there, separated by commas."""

HOME_SIDES = (
    ("thuis", "uit"),
    ("wit", "zwart"),
    ("gospodarz", "gość"),
    ("gospodarze", "goście"),
    ("białe", "czarne"),
    ("хозяева", "гости"),
    ("хозяин", "гость"),
    ("белые", "черные"),
    ("ev sahibi", "deplasman"),
    ("ev sahibi", "misafir"),
    ("ev sahibi", "konuk"),
    ("beyaz", "siyah"),
    ("hemma", "borta"),
    ("hemmalag", "bortalag"),
    ("hjemme", "borte"),
    ("hjemme", "ude"),
    ("vit", "svart"),
    ("hvit", "svart"),
    ("hvid", "sort"),
)
"""What the two sides of a match are called where the first is at home."""
WHITE = ("wit", "białe", "белые", "beyaz", "hvit", "hvid")
WINNING_SIDES = (
    ("winnaar", "verliezer"),
    ("zwycięzca", "przegrany"),
    ("wygrany", "przegrany"),
    ("победитель", "проигравший"),
    ("kazanan", "kaybeden"),
    ("galip", "mağlup"),
    ("vinnare", "förlorare"),
    ("vinner", "taper"),
    ("vinder", "taber"),
)
POINTS = (
    "doelpunten, punten, bramki, gole, punkty, голы, очки, gol, goller, puan, sayı, mål, poäng, poeng, "
    "Erg, Ergebnis, Resultat"
)
PARTS_OF_MATCHES = "sety, сеты, setler"
