"""What people call the columns and the outcomes of votes."""

from __future__ import annotations

from podium.errors import InputError
from podium.tables.columns.column_names import plain_name
from podium.text import listed

SIDES = (
    "model",
    "player",
    "system",
    "item",
    "option",
    "response",
    "answer",
    "image",
    "candidate",
    "side",
    "llm",
)
"""What a side is called in `model_a`, `model_b` and the like."""
ENDINGS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"))
"""How the columns of the two sides end."""
PAIRS = (
    *((f"{side}_{one}", f"{side}_{two}") for side in SIDES for one, two in ENDINGS),
    *((f"{one}_{side}", f"{two}_{side}") for side in SIDES for one, two in ENDINGS[2:]),
    *(ENDINGS[0], ENDINGS[2]),
)
"""Names of the columns of the two sides."""
OUTCOMES = (
    "winner",
    "preference",
    "preferred",
    "outcome",
    "vote",
    "verdict",
    "judgment",
    "judgement",
    "choice",
    "label",
    "result",
)
"""Names of the column that names the winner."""
TIMES = ("time", "tstamp", "timestamp", "date", "created_at", "datetime")
"""Names of the column of times."""

_FIRST = {
    *(one for one, _ in ENDINGS),
    *(f"{side}_{one}" for side in SIDES for one, _ in ENDINGS),
    *("win", "a_wins", "a wins", "a>b", "a>>b", "[[a]]", "a is better"),
}
_SECOND = {
    *(two for _, two in ENDINGS),
    *(f"{side}_{two}" for side in SIDES for _, two in ENDINGS),
    *("loss", "lose", "b_wins", "b wins", "b>a", "b>>a", "[[b]]", "b is better"),
}
_TIED = {
    *("tie", "tied", "draw", "equal", "same", "both", "neither", "none", "0", "0.5", "c", "a=b", "[[c]]"),
    *(
        "tie (bothbad)",
        "tie(bothbad)",
        "bothbad",
        "both_bad",
        "both bad",
        "bothgood",
        "both_good",
        "both good",
    ),
    *("tie (both good)", "tie (both bad)", "no preference"),
}


def outcome_of(word: str) -> int | None:
    """The outcome a word means: 0 for the first side, 1 for a tie, 2 for the second; None if it is none."""
    said = " ".join(word.strip().lower().removesuffix(".0").split())
    if said in _FIRST:
        return 0
    if said in _SECOND:
        return 2
    return 1 if said in _TIED else None


def find_column(columns: list[str], names: tuple[str, ...]) -> str | None:
    """The table's column that has one of these names, in any way of writing; the earliest name counts."""
    plain = {plain_name(column): column for column in reversed(columns)}
    return next((plain[plain_name(name)] for name in names if plain_name(name) in plain), None)


def find_pair(columns: list[str]) -> tuple[str, str] | None:
    """The table's columns of the two sides; None if it has none."""
    for one, two in PAIRS:
        first, second = find_column(columns, (one,)), find_column(columns, (two,))
        if first is not None and second is not None:
            return first, second
    return None


def find_sides(columns: list[str], source: str | None) -> tuple[str, str]:
    """The table's columns of the two sides."""
    if (found := find_pair(columns)) is not None:
        return found
    raise InputError(
        f"no two columns name the compared sides. The columns are {listed(columns[:12])}",
        source=source,
        hint="name them: columns={'model_a': …, 'model_b': …}, or --column model_a=…",
    )
