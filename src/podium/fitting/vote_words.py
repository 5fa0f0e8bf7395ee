"""What people call the columns and the outcomes of votes."""

from __future__ import annotations

import re

from podium.errors import InputError
from podium.tables.columns.column_names import plain_name
from podium.text import listed

SIDES = (
    "model",
    "player",
    "system",
    "generator",
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
WINNERS = ("winner", "winner_name", "winner_model", "chosen", "chosen_model", "preferred", "preferred_model")
"""Names of the column of winners, in tables that have one of losers."""
LOSERS = ("loser", "loser_name", "loser_model", "rejected", "rejected_model")
"""Names of the column of losers."""
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
    "chosen",
    "label",
    "result",
    "answer",
    "selected",
    "better",
)
"""Names of the column that names the winner."""
COUNTS = ("count", "counts", "n", "votes", "n_votes", "num_votes", "frequency")
"""Names of the column that tells how many votes a row stands for."""
TALLIES = (
    ("wins_a", "wins_1", "a_wins", "wins_model_a", "wins_left"),
    ("ties", "draws", "n_ties"),
    ("wins_b", "wins_2", "b_wins", "wins_model_b", "wins_right"),
)
"""Names of the columns of the numbers of first wins, ties and second wins of a pair."""
TIMES = ("time", "tstamp", "timestamp", "date", "created_at", "datetime")
"""Names of the column of times."""
IDENTITIES = ("id", "vote_id", "battle_id", "question_id", "comparison_id", "uuid")
"""Names of the column that tells votes apart."""
VOTERS = tuple(
    f"{voter}{ending}"
    for voter in (
        "judge",
        "user",
        "voter",
        "annotator",
        "rater",
        "worker",
        "grader",
        "labeler",
        "participant",
    )
    for ending in ("", "_id", ".id", "_name")
)
"""Names of the column of voters."""

_FIRST, _SECOND = ({pair[number] for pair in ENDINGS} for number in (0, 1))
_WON, _LOST = {"win", "won", "wins"}, {"loss", "lose", "lost", "loses"}
_TIED = {"tie", "tied", "draw", "equal", "equally", "same", "similar", "both", "neither", "none", "even", "c"}
_COLOURS = {
    *("is", "was", "are", "the", "about", "much", "slightly", "somewhat", "marginally", "moderately"),
    *("significantly", "strongly", "clearly", "far", "way", "better", "best", "preferred", "prefer"),
    *("winner", "wins", "won", "assistant", "output", "equally", "good", "bad", *SIDES),
}
"""Words that an outcome may have besides the one that tells it."""
_SIGNS = {"a>b": 0, "a>>b": 0, "b<a": 0, "a=b": 1, "b>a": 2, "b>>a": 2, "a<b": 2}
_WITHOUT_PREFERENCE = {"no preference", "no difference", "no winner", "tie no preference"}


def outcome_of(word: str) -> int | None:
    """The outcome a word means: 0 for the first side, 1 for a tie, 2 for the second; None if it is none.

    >>> outcome_of("model_a"), outcome_of("tie (bothbad)"), outcome_of("B is slightly better")
    (0, 1, 2)
    """
    said = word.strip().lower()
    if (sign := re.sub(r"[\s\[\]]", "", said)) in _SIGNS:
        return _SIGNS[sign]
    said = (
        re.sub(r"\ba (bit|little|lot)\b", "much", said).replace("bothbad", "both").replace("bothgood", "both")
    )
    tokens = re.findall(r"[^\W_]+", said)
    if " ".join(tokens) in _WITHOUT_PREFERENCE:
        return 1
    told = [
        outcome for outcome, words in ((0, _FIRST), (1, _TIED), (2, _SECOND)) if words.intersection(tokens)
    ]
    others = set(tokens) - _FIRST - _SECOND - _TIED - _COLOURS
    if len(told) == 1 and not others:
        return told[0]
    if len(tokens) == 1 and not told:
        return 0 if tokens[0] in _WON else 2 if tokens[0] in _LOST else None
    return None


def outcomes_of_numbers(numbers: set[float]) -> dict[float, int] | None:
    """The outcomes that numbers mean; None if they may mean several things, as 0 and 1 do.

    1 and 2 are the sides and 1.5 is a tie. With a half, 1 and 0 are the score of the first side.

    >>> outcomes_of_numbers({1, 2})[2], outcomes_of_numbers({0, 0.5, 1})[0], outcomes_of_numbers({0, 1})
    (2, 2, None)
    """
    if numbers <= {1.0, 1.5, 2.0}:
        return {1.0: 0, 1.5: 1, 2.0: 2}
    if 0.5 in numbers and numbers <= {0.0, 0.5, 1.0}:
        return {1.0: 0, 0.5: 1, 0.0: 2}
    return None


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


def unusual_pair(columns: list[str], texts: list[str], source: str | None) -> tuple[str, str]:
    """The only two of the columns of text that end in `_a` and `_b` or the like, such as `essay_a`."""
    unusual = [
        (column, column[: -len(one)] + two)
        for column in texts
        for one, two in ENDINGS
        if column.endswith(one) and column[: -len(one)] + two in texts
    ]
    if len(unusual) == 1:
        return unusual[0]
    raise InputError(
        f"no two columns name the compared sides. The columns are {listed(columns[:12])}",
        source=source,
        hint="name them: columns={'model_a': …, 'model_b': …}, or --column model_a=…. In rankings, event, "
        "player and rank",
    )
