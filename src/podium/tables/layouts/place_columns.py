"""An event a row with a column for each place: `1. Platz, 2. Platz …`, `1st, 2nd`, `Gold, Silver, Bronze`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from shlex import quote

from podium.tables.columns.column_names import SYNONYMS as NAMES
from podium.tables.columns.column_names import NamedColumns, plain_name, plain_names
from podium.tables.layouts.grids import Cells, Grid, Laid, event_names

_WORDS = "|".join(
    sorted(
        (
            *NAMES["rank"],
            *plain_names("place, Platz, lugar, puesto, posto, plaats, miejsce, место, sıra, sırada"),
        ),
        key=len,
        reverse=True,
    )
)
_ORDINAL = r"(?:st|nd|rd|th|er|ere|re|e|eme|nd|nde|o|a|ste|de|y|ый|ий|ое|е|inci|nci|uncu|uncu|ª|º)?"
_PLACE = re.compile(rf"([1-9]|1[0-9]|20){_ORDINAL}(?:{_WORDS})|(?:{_WORDS})([1-9]|1[0-9]|20)")
_BARE = re.compile(r"([1-9]|1[0-9]|20)(?:st|nd|rd|th|er|ere|re|e|eme|º|ª|o|ste|de|ый|ий|inci|nci)")
_IN_WORDS = [
    plain_names(words)
    for words in (
        "first, winner, champion, gold, erster, sieger, premier, vainqueur, or, primero, oro, ganador, "
        "primo, vincitore, primeiro, ouro, vencedor, eerste, winnaar, goud, pierwszy, złoto, первый, золото, "
        "birinci, altın",
        "second, runner up, silver, zweiter, silber, deuxième, argent, segundo, plata, secondo, argento, "
        "prata, tweede, zilver, drugi, srebro, второй, серебро, ikinci, gümüş",
        "third, bronze, dritter, troisième, tercero, bronce, terzo, bronzo, terceiro, derde, brons, trzeci, "
        "brąz, третий, бронза, üçüncü, bronz",
        "fourth, vierter, quatrième, cuarto, quarto, vierde, czwarty, четвертый, dördüncü",
        "fifth, fünfter, cinquième, quinto, vijfde, piąty, пятый, beşinci",
    )
]
_TIES = re.compile(r"\s*(?:/|&|\+|;| und | and | et | y | e )\s*")
_TIE_HINT = (
    "write each player of an event on a row, with the columns event, player and rank. Equal ranks are a tie. "
    "If such cells are teams: --teams-split {option} (teams_split={sign!r})"
)


def places_as_rows(grid: Grid, teams_split: str | None) -> Laid | None:
    """The table with a row for each player and the columns event, time, player and rank."""
    for header, columns in grid.headers():
        places = place_columns(columns)
        below = (cells[place] for _, cells in grid.below(header) for place in places)
        if len(places) > 1 and not any(_place(cell) for cell in below):  # or this is a row of places
            return _laid(grid, header, columns, places, teams_split)
    return None


def place_columns(columns: Sequence[str]) -> list[int]:
    """The position of the column of each place, counted from the first place; two columns may share one."""
    by_place: dict[int, int] = {}
    for position, column in enumerate(columns):
        if (place := _place(column)) is not None and place not in by_place:
            by_place[place] = position
    found: list[int] = []
    while len(found) + 1 in by_place:
        found.append(by_place[len(found) + 1])
    return found if len(found) == len(by_place) else []


def _place(column: str) -> int | None:
    name = plain_name(column)
    match = _PLACE.fullmatch(name)
    if match is not None:
        return int(match[1] or match[2])
    if (match := _BARE.fullmatch(name)) is not None or (
        match := re.fullmatch(r"\s*([1-9]|1[0-9]|20)\s*[.°º)]\s*", column)
    ) is not None:
        return int(match[1])
    return next((place for place, words in enumerate(_IN_WORDS, start=1) if name in words), None)


def _laid(grid: Grid, header: int, columns: Cells, places: list[int], teams_split: str | None) -> Laid | None:
    named = NamedColumns(columns)
    taken = {columns[place] for place in places}
    time = named.first(NAMES["time"], taken)
    event = named.first(NAMES["event"], taken | {time or ""})
    others = [place for place, column in enumerate(columns) if column and place not in places]
    if "winner" in {plain_name(columns[places[0]])} and len(places) < 3:
        return None
    if time is None and event is None and len(others) > 1:
        return None
    if not any(re.search(r"[^\W\d_]", cells[place]) for _, cells in grid.below(header) for place in places):
        return None  # numbers of medals, or points of parts of a game
    laid = Laid(["event", *([] if time is None else [time]), "player", "rank"])
    laid.guesses.append(f"{columns[places[0]]} to {columns[places[-1]]} are places")
    known = [*(columns[place] for place in places), event, time]
    if unused := [name for name in columns if name and name not in known]:
        laid.guesses.append(f"not used: {', '.join(unused)}")
    own = (
        event
        if event is not None
        else next((columns[place] for place in others if columns[place] != time), None)
    )
    rows = list(grid.below(header))
    whens = [cells[columns.index(time)] if time is not None else "" for _, cells in rows]
    names = event_names(
        (cells[columns.index(own)] if own is not None else "", when, row - header)
        for (row, cells), when in zip(rows, whens, strict=True)
    )
    for (row, cells), name, when in zip(rows, names, whens, strict=True):
        for rank, place in enumerate(places, start=1):
            if not (cell := cells[place]):
                continue
            if teams_split is None and (found := _TIES.search(cell)) is not None:
                sign = f" {found[0].strip()} " if found[0].strip().isalpha() else found[0].strip()
                raise grid.error(
                    f"{columns[place]} is {cell!r}, which may be a team or two who share the place",
                    row,
                    hint=_TIE_HINT.format(option=quote(sign), sign=sign),
                )
            laid.rows.append((row, [name, *([] if time is None else [when]), cell, str(rank)]))
    return laid
