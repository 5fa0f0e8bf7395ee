"""DNF, DSQ, DNS: what the marks of a result list mean, wherever they stand."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from podium import History
from podium.tables.forms.number_formats import MARKS
from tables.messy import Messy, guesses, ranks


@pytest.fixture
def messy(tmp_path: Path) -> Messy:
    return Messy(tmp_path)


RACE = "event,player,rank\nspa,ann,1\nspa,bob,2\nspa,cat,DNF\nspa,dan,DSQ\nspa,eve,DNS\nspa,fay,dnf\n"


def test_each_mark_has_its_meaning(messy: Messy) -> None:
    history = messy.read(RACE)
    assert ranks(history) == {"ann": 1, "bob": 2, "cat": 3, "fay": 3}
    assert guesses(history) == ["2 rows DNF in last place", "1 row DSQ, 1 row DNS left out"]


@pytest.mark.parametrize(
    "options, left",
    [
        ({"unfinished": "drop"}, ["ann", "bob"]),
        ({"disqualified": "last"}, ["ann", "bob", "cat", "dan", "fay"]),
        ({"unfinished": "drop", "disqualified": "last"}, ["ann", "bob", "dan"]),
    ],
)
def test_options_decide(options: dict[str, str], left: list[str], messy: Messy) -> None:
    history = messy.read(RACE, **options)
    assert sorted(ranks(history)) == left
    assert {rank for name, rank in ranks(history).items() if name > "bob"} <= {3}
    assert sorted(history.players) == left, "who never took part is no player"


@pytest.mark.parametrize("column", ["rank", "score", "finished"])
@pytest.mark.parametrize(
    "text, left",
    [
        ("Did not finish", True),
        ("Ret.", True),
        (" retired ", True),
        ("W/D", True),
        ("-", True),
        ("D.N.F.", True),
        ("DQ", False),
        ("Excluded", False),
        ("did not start", False),
        ("DNQ", False),
        ("w/o", False),
    ],
)
def test_marks_in_every_column(column: str, text: str, left: bool, messy: Messy) -> None:
    if column == "finished":
        content = f"event,player,rank,finished\nspa,ann,1,yes\nspa,bob,2,Finished\nspa,cat,3,{text}\n"
    else:
        first, second = ("1", "2") if column == "rank" else ("9", "8")
        content = f"event,player,{column}\nspa,ann,{first}\nspa,bob,{second}\nspa,cat,{text}\n"
    expected = {"ann": 1, "bob": 2} | ({"cat": 3} if left else {})
    assert ranks(messy.read(content)) == expected


def test_among_durations(messy: Messy) -> None:
    history = messy.read("event,player,score\nspa,ann,1:02.3\nspa,bob,DNF\nspa,cat,59.8\nspa,dan,DNS\n")
    assert ranks(history) == {"cat": 1, "ann": 2, "bob": 3}


def test_a_rank_beside_a_mark_in_the_score(messy: Messy) -> None:
    content = (
        "event,player,rank,score\nspa,ann,1,9\nspa,bob,2,DNF\nspa,cat,3,DSQ\nspa,dan,DNF,4\nspa,eve,,DNF\n"
    )
    history = messy.read(content)
    assert ranks(history) == {"ann": 1, "bob": 2, "dan": 3, "eve": 3}
    assert guesses(history) == ["2 rows DNF in last place", "1 row DSQ left out"]


def test_the_strongest_mark_counts(messy: Messy) -> None:
    content = "event,player,rank,finished\nspa,ann,1,yes\nspa,bob,2,ok\nspa,cat,DNF,DNS\nspa,dan,DSQ,no\n"
    assert ranks(messy.read(content)) == {"ann": 1, "bob": 2}


def test_an_event_that_marks_leave_one_side_of_is_no_event(messy: Messy) -> None:
    content = RACE + "pau,ann,1\npau,bob,DNS\n"
    assert messy.read(content).event_names == ("spa",)
    error = messy.refusal(RACE + "pau,ann,1\n")
    assert error.reason == "an event of one player"


def test_other_words_are_refused(messy: Messy) -> None:
    error = messy.refusal("event,player,rank,finished\nspa,ann,1,yes\nspa,bob,2,Engine\n")
    assert (error.line, error.reason) == (3, "finished is 'Engine', not yes or no")
    assert "DNF" in str(error.hint)
    error = messy.refusal("event,player,rank\nspa,ann,1\nspa,bob,DNX\n")
    assert (error.line, error.reason) == (3, "rank is 'DNX', not a number")


def test_every_text_means_one_thing() -> None:
    texts = [text for mark in MARKS for text in mark.texts]
    assert len(set(texts)) == len(texts)
    strength = ["unfinished", "disqualified", "absent"]
    meanings = [strength.index(mark.meaning) for mark in MARKS]
    assert meanings == sorted(meanings), "a stronger mark stands later"


@pytest.mark.parametrize(
    "yes, no", [("ja", "nein"), ("Oui", "Non"), ("Sí", "no"), ("vrai", "FAUX"), ("x", "0")]
)
def test_yes_and_no_in_other_languages(yes: str, no: str) -> None:
    frame = pl.DataFrame(
        {"event": "e", "player": ["a", "b", "c"], "rank": [1, 2, 3], "rated": [yes, no, yes]}
    )
    assert History.from_frame(frame).unrated.tolist() == [False, True, False]


def test_marks_are_counted_over_all_pieces(messy: Messy) -> None:
    races = "".join(f"{race},ann,1\n{race},bob,DNF\n" for race in range(20))
    pieces = messy.pieces(f"event,player,rank\n{races}", rows=4)
    assert len(pieces) > 1
    assert guesses(*pieces)[-1] == "20 rows DNF in last place"


@pytest.mark.parametrize("column", ["Mark", "Finals Time", "time", "points", "Result"])
def test_marks_beside_an_empty_place(column: str, messy: Messy) -> None:
    content = f"race,place,athlete,{column}\nspa,1,ann,9.87\nspa,2,bob,9.91\nspa,,cat,DNF\nspa,,dan,DQ\n"
    history = messy.read(content)
    assert ranks(history) == {"ann": 1, "bob": 2, "cat": 3}
    assert {"1 row DNF in last place", "1 row DSQ left out"} <= set(guesses(history))
    error = messy.refusal(content + "spa,,eve,10.1\n")
    assert (error.line, error.reason) == (6, "rank is empty")
    assert messy.refusal(content + "spa,x,eve,DNF\n").reason == "rank is 'x', not a number"


def test_marks_among_durations_beside_ranks(messy: Messy) -> None:
    history = messy.read("pos,name,time\n1,Kip,02:05:12\n2,Joe,02:06:00\nDNF,Sam,DNF\n")
    assert ranks(history) == {"Kip": 1, "Joe": 2, "Sam": 3}
    assert "time is a duration, not the time of the event" in guesses(history)


def test_gaps_and_nulls_of_databases_beside_ranks(messy: Messy) -> None:
    content = (
        'race,driver,rank,time\n1,a,1,1:34:50.616\n1,b,2,+5.478\n1,c,3,+1 Lap\n1,d,4,\\N\n1,e,5,"\\\\N"\n'
    )
    history = messy.read(content)
    assert list(ranks(history).values()) == [1, 2, 3, 4, 5]
    assert history.readings[0].unused == ("time",)


def test_cells_without_a_value_are_empty_in_lines_read_slowly(messy: Messy) -> None:
    content = "event,player,rank,team\ncup,ann,1,\\N\ncup,bob,2,\\N\ncup,cat,3,x,y,z\n"
    history = messy.read(content, on_bad_row="skip")
    assert history.team is None
    assert len(history.skipped) == 1
