"""Numbers, durations and ranks as people write them."""

from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from podium import History
from podium.errors import InputError
from tables.messy import Messy, guesses, ranks


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


def results(*cells: str, column: str = "score", event: str = "cup") -> str:
    quoted = (cell.replace('"', '""') for cell in cells)
    rows = (f'{event},p{number},"{cell}"\n' for number, cell in enumerate(quoted))
    return f"event,player,{column}\n" + "".join(rows)


def scores(history: History) -> list[float]:
    assert history.score is not None
    return history.score.tolist()


@pytest.mark.parametrize(
    "cells, read, said",
    [
        (["3,5", "2"], [3.5, 2], ["decimal commas"]),
        (["3,25", "1.234,5", "1.234"], [3.25, 1234.5, 1234], ["decimal commas"]),
        (["1.234.567", "1,000"], [1234567, 1], ["decimal commas"]),
        (["0,125", "1,125"], [0.125, 1.125], ["decimal commas"]),
        (["1,234.5", "7,890"], [1234.5, 7890], ["commas between thousands"]),
        (["1,234,567", "2"], [1234567, 2], ["commas between thousands"]),
        (["2.5", "7,890"], [2.5, 7890], ["commas between thousands"]),
        (["−3", "–4", "5"], [-3, -4, 5], []),
        (["1\u00a0234", "12\u202f345,5"], [1234, 12345.5], ["decimal commas"]),
        (["1 234", "1’234.5", "1'234'567"], [1234, 1234.5, 1234567], []),
        (["4½", "½", "3"], [4.5, 0.5, 3], []),
        (["1.234", "2.5"], [1.234, 2.5], []),
        (["1.000", "1e3"], [1, 1000], []),
    ],
)
def test_numbers(cells: list[str], read: list[float], said: list[str], messy: Messy) -> None:
    history = messy.read(results(*cells))
    assert scores(history) == read
    assert guesses(history) == said


def test_a_number_that_may_be_two_is_refused_with_both(messy: Messy) -> None:
    content = results("12", "1,234")
    error = messy.refusal(content)
    assert (error.line, error.event, error.reason) == (
        3,
        "cup",
        "score is '1,234', which may be 1234 or 1.234",
    )
    assert "--decimal" in str(error.hint)
    assert "decimal=','" in str(error.hint)
    assert scores(messy.read(content, decimal=",")) == [12, 1.234]
    assert scores(messy.read(content, decimal=".")) == [12, 1234]


def test_a_given_sign_holds_for_every_cell(messy: Messy) -> None:
    assert scores(messy.read(results("1.234", "3"), decimal=",")) == [1234, 3]
    error = messy.refusal(results("2,5", "2.5"), decimal=",")
    assert (error.line, error.reason) == (3, "score is '2.5', not a number")
    error = messy.refusal(results("2.5", "2,5"), decimal=".")
    assert (error.line, error.reason) == (3, "score is '2,5', not a number")


def test_both_signs_in_one_column_are_refused(messy: Messy) -> None:
    error = messy.refusal(results("2.5", "1", "3,5"))
    assert error.line == 4
    assert error.reason == "score is '3,5', with a decimal comma, but '2.5' (line 2) has a decimal point"


def test_numbers_of_matches(messy: Messy) -> None:
    history = messy.read('player_a,player_b,score_a,weight\nann,bob,"0,5","1,5"\nann,bob,1,2\n')
    assert history.event(0).ranks == (1, 1)
    assert history.weight is not None
    assert history.weight.tolist() == [1.5, 2]


def test_numbers_of_adjustments(messy: Messy) -> None:
    content = 'adjustment,player,mu,sigma\nseed,ann,"1.800,5",100\nseed,bob,"1.750",x\n'
    history = messy.read(content.replace("x", "90"))
    assert [placed.adjustment.describe() for placed in history.adjustments] == [
        "set-rating player=ann, mu=1800.5, sigma=100.0",
        "set-rating player=bob, mu=1750.0, sigma=90.0",
    ]
    assert "sigma" in messy.refusal(content).reason


def by_event(*cells: str) -> str:
    rows = (f'e{number // 2},p{number},"{cell}"\n' for number, cell in enumerate(cells))
    return "event,player,score\n" + "".join(rows)


def test_pieces_keep_the_sign_of_the_first(messy: Messy) -> None:
    content = by_event("3,5", "2", "1.234", "7", "1,250", "8")
    pieces = messy.pieces(content, rows=1)
    assert len(pieces) > 1
    assert [score for piece in pieces for score in scores(piece)] == scores(messy.read(content))
    assert guesses(*pieces) == ["decimal commas"]
    for cells in (("1.25", "2", "3,5", "4"), ("3,5", "2", "2.5", "4")):
        with pytest.raises(InputError, match="but the rows before have a decimal") as caught:
            messy.pieces(by_event(*cells), rows=1)
        assert caught.value.line == 4


# ------------------------------------------------------------------ durations


@pytest.mark.parametrize(
    "cells, read",
    [
        (["1:23.45", "59:12"], [83.45, 3552]),
        (["1:02:03.4", "0:59:12"], [3723.4, 3552]),
        (["75:30", "1:23,5"], [4530, 83.5]),
        (["1'23.456", "1'24\"", "1′25″"], [83.456, 84, 85]),
        (["1h02m03s", "59m", "2h"], [3723, 3540, 7200]),
        (["83.2s", "1 min 23.4 sec"], [83.2, 83.4]),
        (["1:02.3", "59.8", "7"], [62.3, 59.8, 7]),
        (["1:02,3", "59,8"], [62.3, 59.8]),
    ],
)
def test_durations(cells: list[str], read: list[float], messy: Messy) -> None:
    history = messy.read(results(*cells))
    assert scores(history) == pytest.approx(read)
    assert "scores are durations, lower is better" in guesses(history)
    order = sorted(range(len(read)), key=lambda i: read[i])
    assert ranks(history) == {f"p{i}": order.index(i) + 1 for i in range(len(read))}


def test_longer_may_be_better(messy: Messy) -> None:
    history = messy.read(results("1:00", "2:00"), lower_is_better=False)
    assert ranks(history) == {"p0": 2, "p1": 1}
    assert guesses(history) == ["scores are durations"]


def test_durations_beside_ranks_are_scores_only(messy: Messy) -> None:
    history = messy.read("event,player,rank,score\ncup,ann,2,1:00\ncup,bob,1,2:00\n")
    assert ranks(history) == {"ann": 2, "bob": 1}
    assert (scores(history), guesses(history)) == ([60, 120], ["scores are durations"])


@pytest.mark.parametrize(
    "values", [[timedelta(seconds=62), timedelta(seconds=59.8)], [time(0, 1, 2), time(0, 0, 59, 800_000)]]
)
def test_typed_durations(values: list[Any]) -> None:
    history = History.from_frame(pl.DataFrame({"event": "cup", "player": ["ann", "bob"], "score": values}))
    assert scores(history) == [62, 59.8]
    assert ranks(history) == {"ann": 2, "bob": 1}
    assert guesses(history) == ["scores are durations, lower is better"]


@pytest.mark.parametrize(
    "cells, line, reason",
    [
        (["1:02.3", "83"], 3, "score is '83', a plain number among durations"),
        (["1:02:03", "59.8"], 3, "score is '59.8', a plain number among durations"),
        (["59.8", "83.2s"], 2, "score is '59.8', a plain number among durations"),
        (["1:02.3", "+0.532"], 3, "score is '+0.532', a gap to another player's time"),
        (["1:34:50.616", "+1:02.3"], 3, "score is '+1:02.3', a gap to another player's time"),
        (["1:02.3", "0:00.0"], 3, "score is 0:00.0, and a duration must be longer than 0"),
        (["1:02.3", "1:62.3"], 3, "score is '1:62.3', not a number"),
        (["1:02.3", "2 days, 3:04:05"], 3, "score is '2 days, 3:04:05', not a number"),
        (["3:1", "4"], 2, "score is '3:1', not a number"),
    ],
)
def test_what_is_no_duration(cells: list[str], line: int, reason: str, messy: Messy) -> None:
    error = messy.refusal(results(*cells))
    assert (error.line, error.event, error.reason) == (line, "cup", reason)


def test_scores_of_those_who_did_not_finish_refuse_nothing(messy: Messy) -> None:
    finishers = "event,player,score,finished\nspa,ann,1:02.3,yes\nspa,cat,1:01,yes\n"
    history = messy.read(finishers + "spa,bob,+1 lap,no\nspa,dan,83,DNF\n")
    assert ranks(history) == {"ann": 2, "bob": 3, "cat": 1, "dan": 3}


def test_plain_numbers_with_a_plus_stay_numbers(messy: Messy) -> None:
    assert scores(messy.read(results("+3", "-5"))) == [3, -5]


def test_durations_in_pieces(messy: Messy) -> None:
    content = by_event("1:02.3", "59.8", "58.1", "57.2", "1:00", "0:59")
    pieces = messy.pieces(content, rows=1)
    assert len(pieces) > 1
    assert [score for piece in pieces for score in scores(piece)] == scores(messy.read(content))
    assert [rank for piece in pieces for rank in piece.rank] == messy.read(content).rank.tolist()
    for cells, reason in (
        (("59.8", "58", "1:02.3", "57"), "a duration, but the rows before are plain numbers"),
        (("1:00", "59.8", "1:02:03", "1:00"), "'1:02:03', but rows before are plain seconds"),
    ):
        with pytest.raises(InputError, match=reason) as caught:
            messy.pieces(by_event(*cells), rows=1)
        assert caught.value.line == 4


# ------------------------------------------------------------------ ranks


@pytest.mark.parametrize(
    "cells, read",
    [
        (["1st", "2nd", "3rd", "4th"], [1, 2, 3, 4]),
        (["1.", "2.", "2.", "4."], [1, 2, 2, 4]),
        (["1", "T2", "T-2", "t4"], [1, 2, 2, 4]),
        (["1", "=2", "2=", "4"], [1, 2, 2, 4]),
        (["#1", "#2", "P3", "4T"], [1, 2, 3, 4]),
        (["1er", "2e", "3ème", "4eme"], [1, 2, 3, 4]),
        (["1º", "2ª", "3.º", "4°"], [1, 2, 3, 4]),
        (["1", "2", "3", "1,234"], [1, 2, 3, 1234]),
    ],
)
def test_ranks(cells: list[str], read: list[int], messy: Messy) -> None:
    history = messy.read(results(*cells, column="rank"))
    assert (history.rank.tolist(), guesses(history)) == (read, [])


@pytest.mark.parametrize("cell", ["1/24", "first", "st", "1st place", "1-2", "1,5"])
def test_what_is_no_rank(cell: str, messy: Messy) -> None:
    error = messy.refusal(results("1", cell, column="rank"))
    assert (error.line, error.reason) == (3, f"rank is {cell!r}, not a number")


@pytest.mark.parametrize("cells", [["12.500", "850"], ["1.234", "987", "1.100", "DNF"]])
def test_points_before_three_digits_beside_whole_numbers_are_refused(cells: list[str], messy: Messy) -> None:
    error = messy.refusal(results(*cells))
    assert error.line == 2
    assert error.reason == f"score is {cells[0]!r}, which may be {cells[0].replace('.', '')} or " + (
        "12.5" if cells[0] == "12.500" else "1.234"
    )
    assert "--decimal" in str(error.hint)
    assert scores(messy.read(results(*cells), decimal=","))[0] == float(cells[0].replace(".", ""))
    assert scores(messy.read(results(*cells), decimal="."))[0] == float(cells[0])


@pytest.mark.parametrize(
    "cells, read",
    [
        (["58.123", "59.456"], [58.123, 59.456]),
        (["0.125", "1.125", "3"], [0.125, 1.125, 3]),
        (["1.125", "3.5", "3"], [1.125, 3.5, 3]),
        (["58.123", "1:02.456", "57"], [58.123, 62.456, 57]),
    ],
)
def test_points_that_stand_before_decimals(cells: list[str], read: list[float], messy: Messy) -> None:
    assert scores(messy.read(results(*cells))) == read


@pytest.mark.parametrize(
    "column, options, said, first",
    [
        ("Total", {}, "higher Total is better", "p1"),
        ("Finals Time", {"columns": {"score": "Finals Time"}}, "lower Finals Time is better", "p0"),
        ("Schwimmzeit", {"columns": {"score": "Schwimmzeit"}}, "lower Schwimmzeit is better", "p0"),
        ("score", {}, None, "p1"),
        ("Finals Time", {"columns": {"score": "Finals Time"}, "lower_is_better": False}, None, "p1"),
    ],
)
def test_the_direction_is_said(
    column: str, options: dict[str, Any], said: str | None, first: str, messy: Messy
) -> None:
    history = messy.read(results("34.2", "35.9", column=column), **options)
    assert ranks(history)[first] == 1
    assert guesses(history) == ([] if said is None else [said])


def test_strokes_from_par(messy: Messy) -> None:
    history = messy.read(results("-12", "−9", "E", "+3", "CUT"))
    assert ranks(history) == {"p0": 1, "p1": 2, "p2": 3, "p3": 4, "p4": 5}
    assert guesses(history) == ["1 row CUT in last place", "scores are strokes from par, lower is better"]
    assert messy.refusal(results("68", "E", "70")).reason == "score is 'E', not a number"
    assert messy.refusal(results("A", "E")).reason == "score is 'A', not a number"


def test_pieces_begin_to_count_from_par_at_once(messy: Messy) -> None:
    content = by_event("-3", "+2", "E", "-1")
    with pytest.raises(InputError, match="line 4, event 'e1': score is 'E', not a number"):
        messy.pieces(content, rows=1)


def test_an_event_of_one_player_can_be_left_out(messy: Messy) -> None:
    content = "event,player,rank\nmini,bob,1\ncup,ann,1\ncup,bob,2\n"
    assert "--on-bad-row skip" in str(messy.refusal(content).hint)
    assert len(messy.read(content, on_bad_row="skip")) == 1
