"""Many ladders in one table: the whole table tells how its cells are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from podium import History
from podium.errors import InputError
from podium.tables.ladder_column import read_ladders
from tables.messy import guesses, iso_times, ranks


def ladders(folder: Path, content: str) -> dict[str, History]:
    path = folder / "ladders.csv"
    path.write_bytes(content.encode())
    return read_ladders(path, by="game")


def test_durations_of_one_ladder_tell_that_plain_seconds_of_another_are_durations(tmp_path: Path) -> None:
    found = ladders(
        tmp_path,
        "game,event,player,score\n100 m,a,ann,59.8\n100 m,a,bob,58.1\n400 m,b,ann,4:02\n400 m,b,bob,4:03\n",
    )
    assert ranks(found["100 m"]) == {"ann": 2, "bob": 1}
    assert ranks(found["400 m"]) == {"ann": 1, "bob": 2}
    assert guesses(*found.values()) == ["scores are durations, lower is better"]


def test_one_day_above_12_tells_for_all_ladders(tmp_path: Path) -> None:
    found = ladders(tmp_path, "game,winner,loser,date\ngo,ann,bob,03/04/2026\nchess,ann,bob,13/04/2026\n")
    assert iso_times(*found.values()) == ["2026-04-03", "2026-04-13"]


def test_ladders_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'04/14/2026' is month/day/year, but '13/04/2026' \(line 2\)"):
        ladders(tmp_path, "game,winner,loser,date\ngo,ann,bob,13/04/2026\nchess,ann,bob,04/14/2026\n")


def test_decimal_commas_of_one_ladder_hold_for_another(tmp_path: Path) -> None:
    rows = 'go,e,ann,"2,5"\ngo,e,bob,"1,5"\nchess,e,ann,"1,234"\nchess,e,bob,3\n'
    found = ladders(tmp_path, f"game,event,player,score\n{rows}")
    assert found["chess"].event(0).scores == (1.234, 3.0)


def test_a_time_that_is_none_is_left_out_of_all_ladders(tmp_path: Path) -> None:
    content = (
        "game,date,time,winner,loser\ngo,2026-05-01,2026-05-01T20:00Z,ann,bob\nchess,,2026-05-02,ann,bob\n"
    )
    assert iso_times(*ladders(tmp_path, content).values()) == ["2026-05-01T20:00:00Z", "2026-05-02"]


def test_a_form_of_results_is_that_of_the_whole_table(tmp_path: Path) -> None:
    found = ladders(tmp_path, "game,home,away,result\ngo,ann,bob,1\nchess,ann,bob,2\nchess,ann,bob,X\n")
    assert [event.ranks for event in found["chess"]] == [(2, 1), (1, 1)]
    assert guesses(*found.values()) == ["results are 1, X and 2"]


def test_marks_are_counted_over_all_ladders(tmp_path: Path) -> None:
    rows = "go,e,ann,1\ngo,e,bob,DNF\nchess,e,ann,1\nchess,e,bob,DNF\nchess,e,cat,DNS\n"
    found = ladders(tmp_path, f"game,event,player,rank\n{rows}")
    assert guesses(*found.values()) == ["2 rows DNF in last place", "1 row DNS left out"]
