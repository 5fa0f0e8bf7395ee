"""Make the samples that come with podium, from the tables of real results.

    python wheels/make_samples.py ../shared/data

The table of Formula 1 has ids in place of names. They become the names that f1db has for them: by the rules
below, and by SPELLINGS where an id has lost an accent, an apostrophe or a capital.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from podium.tables.sources.sample_files import SAMPLES

SMALL_WORDS = {"da", "de", "der", "di", "la", "van", "von"}
"""Parts of a name that are written small."""
HYPHENATED = (
    *(
        "hans-joachim",
        "heinz-harald",
        "jean-christophe",
        "jean-denis",
        "jean-louis",
        "jean-marc",
        "jean-pierre",
    ),
    *("karl-gunther", "pierre-henri", "campbell-jones", "fotheringham-parker", "giraud-cabantous"),
    *("lewis-evans", "montgomerie-charrington", "pesenti-rossi", "riseley-prichard", "servoz-gavin"),
    *("shawe-taylor", "soler-roig", "barcelona-catalunya"),
)
"""Parts of ids whose hyphen stays one; everywhere else it is a blank."""
SPELLINGS = {
    "adrian-campos": "Adrián Campos",
    "andre-guelfi": "André Guelfi",
    "andre-lotterer": "André Lotterer",
    "andre-milhoux": "André Milhoux",
    "andre-pilette": "André Pilette",
    "andre-simon": "André Simon",
    "antonio-pizzonia": "Antônio Pizzonia",
    "carlos-menditeguy": "Carlos Menditéguy",
    "elie-bayol": "Élie Bayol",
    "eric-bernard": "Éric Bernard",
    "erik-comas": "Érik Comas",
    "esteban-gutierrez": "Esteban Gutiérrez",
    "eugene-chaboud": "Eugène Chaboud",
    "eugene-martin": "Eugène Martin",
    "francois-cevert": "François Cevert",
    "francois-hesnault": "François Hesnault",
    "francois-mazet": "François Mazet",
    "francois-migault": "François Migault",
    "francois-picard": "François Picard",
    "fritz-dorey": "Fritz d'Orey",
    "gaston-mazzacane": "Gastón Mazzacane",
    "gerard-larrousse": "Gérard Larrousse",
    "hector-rebaque": "Héctor Rebaque",
    "herbert-mackay-fraser": "Herbert MacKay-Fraser",
    "jean-denis-deletraz": "Jean-Denis Délétraz",
    "jean-eric-vergne": "Jean-Éric Vergne",
    "jerome-dambrosio": "Jérôme d'Ambrosio",
    "jesus-iglesias": "Jesús Iglesias",
    "jj-lehto": "JJ Lehto",
    "jose-dolhem": "José Dolhem",
    "jose-froilan-gonzalez": "José Froilán González",
    "karl-gunther-bechem": "Karl-Günther Bechem",
    "kimi-raikkonen": "Kimi Räikkönen",
    "luis-perez-sala": "Luis Pérez-Sala",
    "marc-gene": "Marc Gené",
    "mario-de-araujo-cabral": "Mário de Araújo Cabral",
    "mauricio-gugelmin": "Maurício Gugelmin",
    "michel-leclere": "Michel Leclère",
    "miguel-angel-guerra": "Miguel Ángel Guerra",
    "mika-hakkinen": "Mika Häkkinen",
    "mike-macdowel": "Mike MacDowel",
    "moises-solana": "Moisés Solana",
    "nasif-estefano": "Nasif Estéfano",
    "nico-hulkenberg": "Nico Hülkenberg",
    "onofre-marimon": "Onofre Marimón",
    "oscar-alfredo-galvez": "Oscar Alfredo Gálvez",
    "oscar-gonzalez": "Óscar González",
    "pat-oconnor": "Pat O'Connor",
    "patrick-neve": "Patrick Nève",
    "paul-frere": "Paul Frère",
    "pedro-rodriguez": "Pedro Rodríguez",
    "philippe-etancelin": "Philippe Étancelin",
    "rene-arnoux": "René Arnoux",
    "ricardo-rodriguez": "Ricardo Rodríguez",
    "robert-la-caze": "Robert La Caze",
    "robert-obrien": "Robert O'Brien",
    "sao-paulo": "São Paulo",
    "sebastien-bourdais": "Sébastien Bourdais",
    "sebastien-buemi": "Sébastien Buemi",
    "sergio-perez": "Sergio Pérez",
    "stephane-sarrazin": "Stéphane Sarrazin",
    "tomas-enge": "Tomáš Enge",
}


def name_of_id(identifier: str) -> str:
    """The name that an id of f1db stands for.

    >>> name_of_id("wolfgang-von-trips"), name_of_id("bruce-mclaren"), name_of_id("stuart-lewis-evans")
    ('Wolfgang von Trips', 'Bruce McLaren', 'Stuart Lewis-Evans')
    """
    if identifier in SPELLINGS:
        return SPELLINGS[identifier]
    text = identifier.replace("-", " ")
    for part in HYPHENATED:
        text = text.replace(part.replace("-", " "), part)
    return " ".join(map(_capitalised, text.split()))


def _capitalised(word: str) -> str:
    if word in SMALL_WORDS:
        return word
    if word == "jr":
        return "Jr."
    if word.startswith("mc"):
        return f"Mc{word[2:].capitalize()}"
    return "-".join(part.capitalize() for part in word.split("-"))


def event_name(identifier: str) -> str:
    """What people call a race.

    >>> event_name("1950-02-monaco"), event_name("2024-11-austria-sprint")
    ('Monaco 1950', 'Austria sprint 2024')
    """
    year, _, race = identifier.split("-", 2)
    place = name_of_id(race.removesuffix("-sprint"))
    return f"{place} sprint {year}" if race.endswith("-sprint") else f"{place} {year}"


def formula_1(folder: Path) -> pl.DataFrame:
    """Races and sprints: the columns that podium reads, with names."""
    frame = pl.read_csv(
        folder / "f1.results.csv.gz", columns=["event", "time", "player", "rank"], try_parse_dates=True
    )
    for column, name in (("event", event_name), ("player", name_of_id)):
        names = {identifier: name(identifier) for identifier in frame[column].unique()}
        if len(set(names.values())) < len(names):
            raise SystemExit(f"two ids of the column {column} would have one name")
        frame = frame.with_columns(pl.col(column).replace_strict(names))
    return frame


def football(folder: Path) -> pl.DataFrame:
    """Matches with goals; the first side is at home unless the ground is neutral."""
    frame = pl.read_csv(folder / "intl_football.matches.csv.gz", try_parse_dates=True)
    return frame.select(
        "time", "player_a", "player_b", score_a="goals_a", score_b="goals_b", neutral="neutral"
    )


def main() -> None:
    """Write both samples into the package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="the tables of real results")
    folder = parser.parse_args().folder
    for name, frame in (("formula-1", formula_1(folder)), ("football", football(folder))):
        frame.write_parquet(SAMPLES[name], compression_level=22)
        print(f"{SAMPLES[name].name}: {frame.height:,} rows, {SAMPLES[name].stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
