"""Warnings of columns that are not read, and by their names could matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from shlex import quote

from podium.tables.columns import column_names
from podium.tables.columns.column_choice import Shape, column_option
from podium.tables.columns.column_names import SYNONYMS, NamedColumns, plain_name
from podium.tables.columns.round_columns import FEWEST_ROUNDS, dated_or_round
from podium.text import shorten

NOT_COUNTED_HINT = "take these rows out of the table, or add a column rated with no in them"


def unused_warnings(
    unused: Sequence[str], theirs: Mapping[str, str], shape: Shape, given: Mapping[str, str | None]
) -> tuple[str, ...]:
    """Warnings of columns that are not read, and by their names could matter."""
    if shape == "adjustments":
        return ()
    said = [
        f"{shorten(column)!r} {reason}"
        for column in unused
        if (reason := _suspicion(column, theirs, shape, given)) is not None
    ]
    rounds = [shorten(column, 30) for column in unused if dated_or_round(column)]
    if shape == "results" and "event" not in theirs and len(rounds) >= FEWEST_ROUNDS:
        ranked = next((theirs[name] for name in ("rank", "score") if name in theirs), "the rank")
        said.append(
            f"{rounds[0]} to {rounds[-1]} are not read: all rows are one event, by {shorten(ranked, 30)}. If "
            "each of those columns is an event, write a row for each player and event, with the columns "
            "event, player and score"
        )
    pair = NamedColumns(unused).pair(column_names.score_pairs())
    if "score_b" in theirs and pair is not None and "score_a" not in given:
        read = [shorten(theirs[name]) for name in ("score_a", "score_b")]
        a, b = (shorten(column) for column in pair[:2])
        options = f"--column {quote(f'score_a={a}')} --column {quote(f'score_b={b}')}"
        said.append(
            f"{a!r} and {b!r} are not used, and look like scores: {options} "
            f"(columns={{'score_a': {a!r}, 'score_b': {b!r}}}) reads them instead of {read[0]} and {read[1]}"
        )
    return tuple(said)


def _suspicion(
    column: str, theirs: Mapping[str, str], shape: Shape, given: Mapping[str, str | None]
) -> str | None:
    """Why a column that is not read could matter, and what to do about it.

    Scores beside ranks do not matter, and neither do those of a match whose winner is known. What the caller
    has said is not doubted.
    """
    name = plain_name(column)

    def looks_like(role: str, what: str) -> str:
        instead = f" instead of {shorten(theirs[role])}" if role in theirs else ""
        said = column_option(role, shorten(column))
        return f"is not used, and looks like {what}: to read it, use {said}{instead}"

    if "time" in theirs:
        times = set(column_names.CERTAIN_TIMES).difference(column_names.WEEKDAYS)
    else:
        times = set(SYNONYMS["time"]).difference(column_names.PLAYED_MARKS)
    if name in times and "time" not in given:
        return looks_like("time", "a time")
    if "time" not in {*theirs, *given}:
        if name in column_names.YEARS:
            said = quote(f"time={shorten(column)}")
            return (
                f"is not read as a time: --column {said} --time-format %Y (columns={{'time': {column!r}}}, "
                "time_format='%Y') reads years"
            )
        if name in column_names.PARTS_OF_YEARS:
            return "is not enough to read a time: events keep the order of the file"
    if shape == "results" and name in SYNONYMS["display"] and not {"event", "time", "score"} & theirs.keys():
        said = column_option("display", shorten(column))
        return f"is not used: if the table is a list of ratings from another source, use {said}"
    if shape == "results" and name in SYNONYMS["rank"] and not {"rank", "score"} & given.keys():
        return looks_like("rank", "a rank")
    if shape == "results" and name in SYNONYMS["score"] and "rank" not in theirs and "score" not in given:
        return looks_like("score", "a score")
    own_score = theirs.get("score_a", "score_a").strip().lower() == "score_a"
    if not own_score and name in SYNONYMS["winner"] and not {"winner", "score_a"} & given.keys():
        said = column_option("winner", shorten(column))
        return f"is not used, and may differ from the scores, as after a shoot-out: to read it, use {said}"
    is_looked_at = name in column_names.RESULT_STATUSES and "rank" not in theirs
    if (
        shape == "results"
        and name in column_names.FINISHED_MARKS
        and not is_looked_at
        and "finished" not in {*theirs, *given}
    ):
        return looks_like("finished", "a mark of the players who finished")
    if "rated" in {*theirs, *given}:
        return None
    if name in column_names.RATED_MARKS:
        return looks_like("rated", "a mark of the rows that count")
    of_matches = set(column_names.FINISHED_MARKS).difference(column_names.STATUSES)
    if name in column_names.UNRATED_MARKS or (shape == "matches" and name in of_matches):
        return f"is not used, and seems to mark rows that do not count: {NOT_COUNTED_HINT}"
    return None
