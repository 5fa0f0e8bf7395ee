"""Points of several events in one table: a column for each player, or a column for each day.

`Game, Date, Ann, Bob, Cid` has an event a row, with empty cells for those who were absent.

Columns of numbers may as well be anything else. So they are players only if somebody was absent at times, or
if the caller says so by `player="Ann,Bob,Cid"`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from podium.tables.columns import column_names
from podium.tables.columns.column_names import SYNONYMS, NamedColumns, plain_name
from podium.tables.columns.round_columns import dated_or_round, day_columns
from podium.tables.layouts.grids import Cells, Grid, Laid, event_names
from podium.tables.names.player_numbers import is_total
from podium.tables.rows.result_cells import DIRECTION_HINT
from podium.text import counted, listed

FEWEST_PLAYERS = 3
_NUMBER = re.compile(r"([-+]?)(?:[$€£]\s?)?(-?\d+(?:[.,]\d+)?)(?:\s?[$€£])?")
_YEAR = re.compile(r"\d{4}|[./-]\d{1,2}[./-]\d{2}\b")
_ABSENT = re.compile(r"[\s\-–—−./x×]*", re.IGNORECASE)
_KNOWN = frozenset(
    name
    for names in (*SYNONYMS.values(), column_names.YEARS, column_names.PARTS_OF_YEARS, column_names.REMARKS)
    for name in names
)
_HINT = (
    "if each of these columns is a player and their cells are points: "
    "--column player={joined!r} (columns={{'player': {joined!r}}}), and --higher-is-better or "
    "--lower-is-better"
)


def players_as_rows(grid: Grid, given: str | None, *, lower_is_better: bool | None = None) -> Laid | None:
    """The table with a row for each player of an event; `given` are the players' columns, if somebody says.

    The cells are places where those of each row are, and points else. Which points are better must be said,
    unless those of each row add up to 0, as money does.
    """
    for header, columns in grid.headers():
        named = NamedColumns(columns)
        players = _given(given, columns) if given is not None else _players(columns)
        if given is None:
            below = [cells for _, cells in grid.below(header)]
            players = [
                one for one in players if any(_shown(row[columns.index(one)].strip()) for row in below)
            ]
        time = named.first(SYNONYMS["time"], players)
        event = named.first(SYNONYMS["event"], {*players, time or ""})
        if len(players) < (2 if given else FEWEST_PLAYERS) or (given is None and time is event is None):
            continue
        laid = _laid(grid, header, (event, time), players, given)
        return _with_direction(laid, grid, header, lower_is_better)
    return None


def days_as_events(grid: Grid, *, lower_is_better: bool | None = None) -> Laid | None:
    """The table with a row for each player of a day, from one with a player a row: `Name, 3 May, 10 May`."""
    for header, columns in grid.headers():
        days = day_columns(columns)
        player = NamedColumns(columns).first(SYNONYMS["player"], {columns[place] for place in days})
        if not days or player is None:
            continue
        name = columns.index(player)
        below = [(row, cells) for row, cells in grid.below(header) if cells[name]]
        rows = [(row, cells) for row, cells in below if not is_total(cells[name])]
        shown = {place: [_shown(cells[place].strip()) for _, cells in rows] for place in days}
        if any(None in of_day for of_day in shown.values()):
            return None
        results = {place: [text or "" for text in of_day] for place, of_day in shown.items()}
        alone = [place for place in days if sum(map(bool, results[place])) == 1]
        days = [place for place in days if sum(map(bool, results[place])) > 1]
        if not days:
            return None
        are_places = all(_are_places([text for text in results[place] if text]) for place in days)
        is_timed = all(_YEAR.search(columns[place]) for place in days)
        laid = Laid(["event", *(["time"] if is_timed else []), "player", "rank" if are_places else "score"])
        what = "places" if are_places else "points"
        laid.guesses.append(
            f"each of the columns {columns[days[0]]} to {columns[days[-1]]} is an event, with {what}"
        )
        if unused := [one for place, one in enumerate(columns) if one and place not in (name, *days, *alone)]:
            laid.guesses.append(f"not used: {', '.join(unused)}")
        laid.left_out = [
            (row, f"{cells[name]!r} is a total") for row, cells in below if is_total(cells[name])
        ]
        laid.left_out += [(header, f"{columns[place]}: an event of one player") for place in alone]
        if laid.left_out:
            laid.guesses.append(f"left out: {listed([reason for _, reason in laid.left_out])}")
        for place in days:
            day = [columns[place]] * (2 if is_timed else 1)
            laid.rows += [
                (row, [*day, cells[name], text])
                for (row, cells), text in zip(rows, results[place], strict=True)
                if text
            ]
        return _with_direction(laid, grid, header, lower_is_better)
    return None


def _with_direction(laid: Laid | None, grid: Grid, header: int, lower_is_better: bool | None) -> Laid | None:
    """The table with its players' points; refused where nobody says which of them are better."""
    if laid is None or laid.columns[-1] != "score" or lower_is_better is not None:
        return laid
    sums: dict[str | None, float] = {}
    for _, cells in laid.rows:
        sums[cells[0]] = sums.get(cells[0], 0.0) + float((cells[-1] or "0").replace(",", "."))
    if any(abs(points) > 1e-6 for points in sums.values()):
        raise grid.error(
            f"{laid.guesses[0]}: more may be better, or fewer",
            header,
            DIRECTION_HINT,
        )
    laid.guesses.append("the points of each row add up to 0, so higher is better")
    return laid


def _shown(text: str) -> str | None:
    """A number without a currency, empty for a player who was absent; None if a cell is neither.

    >>> _shown("-$20"), _shown("3,5"), _shown("-"), _shown("n.a.")
    ('-20', '3,5', '', None)
    """
    number = _NUMBER.fullmatch(text)
    return number[1] + number[2] if number is not None else "" if _ABSENT.fullmatch(text) else None


def _given(given: str, columns: Sequence[str]) -> list[str]:
    """The columns that somebody names, separated by commas; none if one of them is not there."""
    wanted = [name.strip() for name in given.split(",")]
    return wanted if len(wanted) > 1 and set(wanted) <= set(columns) else []


def _players(columns: Sequence[str]) -> list[str]:
    """The columns whose names mean nothing else; none if others are called after a player."""
    if NamedColumns(columns).first((*SYNONYMS["player"], *SYNONYMS["winner"])) is not None:
        return []
    return [name for name in columns if name and plain_name(name) not in _KNOWN and not dated_or_round(name)]


def _laid(
    grid: Grid, header: int, of_event: tuple[str | None, str | None], players: list[str], given: str | None
) -> Laid | None:
    columns = grid.rows[header]
    places = [columns.index(player) for player in players]
    below = [(row, cells, _title(cells, places)) for row, cells in grid.below(header)]
    rows = [(row, cells) for row, cells, title in below if not is_total(title)]
    texts = [[_shown(cells[place].strip()) for place in places] for _, cells in rows]
    if not rows or any(None in row or sum(map(bool, row)) < 2 for row in texts):
        return None
    shown = [[text or "" for text in row] for row in texts]
    for _, cells, title in below:
        if is_total(title) and _is_last_row(texts, [_shown(cells[place].strip()) for place in places]):
            raise grid.error(
                f"{title!r} has the points of the row above it, so each row holds the points so far",
                rows[-1][0],
                hint="write into each row the points of that game alone",
            )
    full = all(all(row) for row in shown)
    same = [
        name for name, *points in zip(players, *shown, strict=True) if points[1:] and len(set(points)) == 1
    ]
    odd = players if full else same
    if given is None and odd:
        likely = players if full else [name for name in players if name not in same]
        raise grid.error(
            f"{', '.join(odd[:4])} may be players, or numbers of anything else",
            header,
            hint=_HINT.format(joined=",".join(likely)),
        )
    are_places = all(_are_places([text for text in row if text]) for row in shown)
    event, time = of_event
    kept = [name for name in (*players, event, time) if name is not None]
    said = f"each of the columns {players[0]} to {players[-1]} is a player, with "
    laid = Laid(
        ["event", *([] if time is None else [time]), given or "player", "rank" if are_places else "score"]
    )
    laid.guesses.append(said + ("places" if are_places else "points"))
    laid.left_out = [(row, f"{title!r} is a total") for row, _, title in below if is_total(title)]
    if laid.left_out:
        laid.guesses.append(f"left out: {counted(len(laid.left_out), 'row')} of totals")
    if unused := [name for name in columns if name and name not in kept]:
        laid.guesses.append(f"not used: {', '.join(unused)}")
    whens = ["" if time is None else cells[columns.index(time)] for _, cells in rows]
    names = event_names(
        ("" if event is None else cells[columns.index(event)], when, row - header)
        for (row, cells), when in zip(rows, whens, strict=True)
    )
    for (row, _), name, when, results in zip(rows, names, whens, shown, strict=True):
        for player, result in zip(players, results, strict=True):
            if result:
                laid.rows.append((row, [name, *([] if time is None else [when]), player, result]))
    return laid


def _is_last_row(rows: Sequence[Sequence[str | None]], total: Sequence[str | None]) -> bool:
    """Whether a total is no sum of the rows, and has the points of the last of them."""
    points = [[float((text or "0").replace(",", ".")) for text in row] for row in (*rows, total)]
    sums = [sum(column) for column in zip(*points[:-1], strict=True)]
    return points[-1] == points[-2] and points[-1] != sums


def _title(cells: Cells, places: Sequence[int]) -> str:
    """The first cell that is no player's."""
    return next((cell for place, cell in enumerate(cells) if cell and place not in places), "")


def _are_places(results: Sequence[str]) -> bool:
    """Whether numbers are the places of all in an event: 1, 2, 2, 4.

    >>> _are_places(["2", "1", "3"]), _are_places(["1", "2", "2", "4"]), _are_places(["10", "8", "6"])
    (True, True, False)
    """
    if not all(result.isdecimal() for result in results):
        return False
    ordered = sorted(map(int, results))
    return all(place == 1 + ordered.index(place) for place in ordered)
