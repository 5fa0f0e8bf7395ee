"""Members of a team in one cell, with --teams-split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import podium
from cli.command import podium_here
from podium.errors import InputError
from podium.history import History
from podium.tables.columns.shapes import ROW, ReadOptions
from podium.tables.rows.defects import Source
from podium.tables.table_reader import TableReader


def read(folder: Path, content: str, **options: Any) -> History:
    path = folder / "x.csv"
    path.write_bytes(content.encode())
    return podium.read_history(path, **options)


def test_a_row_of_results_is_a_team(tmp_path: Path) -> None:
    history = read(tmp_path, "event,player,rank\ne,ann & bob,1\ne,cat&dan ,2\ne, eve ,3\n", teams_split="&")
    event = history.event(0)
    assert event.sides == (("ann", "bob"), ("cat", "dan"), ("eve",))
    assert event.ranks == (1, 2, 3)
    assert history.team_names == ("ann & bob", "cat&dan")
    assert history.players.to_list() == ["ann", "bob", "cat", "dan", "eve"]


def test_scores_of_teams(tmp_path: Path) -> None:
    history = read(tmp_path, "event,player,score\ne,ann/bob,1\ne,cat/dan/eve,9\n", teams_split="/")
    assert history.event(0).ranks == (2, 1)


def test_without_the_option_a_cell_is_a_name(tmp_path: Path) -> None:
    history = read(tmp_path, "event,player,rank\ne,AC/DC,1\ne,bob,2\n")
    assert history.players.to_list() == ["AC/DC", "bob"]
    unsplit = read(tmp_path, "event,player,rank\ne,ann,1\ne,bob,2\n", teams_split="&")
    assert unsplit.side is None


MATCHES = "home,away,score\nann/bob,cat / dan,3-1\ncat/ann,eve,0-1\neve,ann/bob,1-1\n"


def test_matches_of_teams(tmp_path: Path) -> None:
    history = read(tmp_path, MATCHES, teams_split="/")
    assert [event.sides for event in history] == [
        (("ann", "bob"), ("cat", "dan")),
        (("cat", "ann"), ("eve",)),
        (("eve",), ("ann", "bob")),
    ]
    assert [event.ranks for event in history] == [(1, 2), (2, 1), (1, 1)]
    assert [event.scores for event in history] == [(3, 1), (0, 1), (1, 1)]
    assert [event.home for event in history] == ["ann", "cat", "eve"]
    assert history.to_frame()["team"].unique(maintain_order=True).to_list() == [
        *("ann/bob", "cat / dan", "cat/ann"),
        None,
    ]
    run = podium.rate(history, podium.TrueSkill())
    assert run.ladder.rating("bob").mu > run.ladder.rating("dan").mu


def test_winners_and_losers_who_are_teams(tmp_path: Path) -> None:
    rows = "winner,loser,time,rated\nann & bob,cat & dan,2026-05-01,yes\neve,ann & cat,2026-05-02,no\n"
    history = read(tmp_path, rows, teams_split="&")
    assert [event.sides for event in history] == [
        (("ann", "bob"), ("cat", "dan")),
        (("eve",), ("ann", "cat")),
    ]
    assert history.event(1).unrated == {"eve", "ann", "cat"}


def test_a_winner_who_is_a_team(tmp_path: Path) -> None:
    rows = "team1,team2,winner\nann & bob,cat & dan,cat & dan\n"
    assert read(tmp_path, rows, teams_split="&").event(0).ranks == (2, 1)


def test_teams_as_players(tmp_path: Path) -> None:
    history = read(tmp_path, MATCHES, teams_split="/", teams="rosters")
    assert history.side is None
    assert history.players.to_list() == ["ann + bob", "cat + dan", "ann + cat", "eve"]
    named = read(tmp_path, "event,player,rank\ne,bob/ann,1\ne,cat,2\n", teams_split="/", teams="players")
    assert named.players.to_list() == ["bob/ann", "cat"]


@pytest.mark.parametrize(
    "header, good, bad, reason",
    [
        ("event,player,rank", "e,ann/bob,1\ne,cat,2", "e,dan/,3", "team 'dan/' has a member without a name"),
        ("event,player,rank", "e,ann/bob,1\ne,cat,2", "e,dan/ dan,3", "team 'dan/ dan' has a member twice"),
        (
            "event,player,rank",
            "e,ann/bob,1\ne,cat,2",
            "e,dan/ann,3",
            "player 'ann' appears twice in one event",
        ),
        ("event,player,rank", "e,ann/bob,1\ne,cat,2", "e,dan/eve,0", "rank is 0, and the best rank is 1"),
        ("winner,loser", "ann/bob,cat\ncat,ann", "dan/,cat", "team 'dan/' has a member without a name"),
        ("winner,loser", "ann/bob,cat\ncat,ann", "cat,dan/dan", "team 'dan/dan' has a member twice"),
        (
            "winner,loser",
            "ann/bob,cat\ncat,ann",
            "cat/ann,ann/dan",
            "'ann' appears twice in one match",
        ),
        ("winner,loser", "ann/bob,cat\ncat,ann", "ann/dan,", "loser is empty"),
    ],
)
def test_teams_that_are_none(tmp_path: Path, header: str, good: str, bad: str, reason: str) -> None:
    rows = f"{header}\n{good}\n{bad}\n"
    with pytest.raises(InputError) as caught:
        read(tmp_path, rows, teams_split="/")
    assert (caught.value.line, caught.value.reason) == (4, reason)
    history = read(tmp_path, rows, teams_split="/", on_bad_row="skip")
    assert [skipped.reason for skipped in history.skipped] == [reason]
    assert history.to_frame().equals(read(tmp_path, f"{header}\n{good}\n", teams_split="/").to_frame())


def test_a_column_team_beside_split_cells(tmp_path: Path) -> None:
    rows = "event,player,rank,team\ne,ann/bob,1,red\ne,cat/dan,2,red\n"
    history = read(tmp_path, rows, teams_split="/")
    assert history.event(0).sides == (("ann", "bob"), ("cat", "dan"))
    assert "use either --teams-split or a column team, not both" in history.readings[0].guesses
    with pytest.raises(InputError, match="and there is a column team too"):
        read(tmp_path, rows, teams_split="/", columns={"team": "team"})


def test_pieces_and_dataframes(tmp_path: Path) -> None:
    rows = "".join(f"e{e},p{e}/q{e},1\ne{e},r,2\n" for e in range(9))
    whole = read(tmp_path, f"event,player,rank\n{rows}", teams_split="/")
    pieces = podium.read_chunks(tmp_path / "x.csv", rows=4, teams_split="/")
    assert History.concat(pieces).to_frame().equals(whole.to_frame())
    frame = pl.read_csv(tmp_path / "x.csv").with_columns(pl.col("player").cast(pl.Categorical))
    assert History.from_frame(frame, teams_split="/").to_frame().equals(whole.to_frame())


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(MATCHES.encode())
    done = podium_here("rate", tmp_path / "x.csv", "--teams-split", "/", "--system", "trueskill")
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("ann", "bob", "cat", "dan", "eve"))


def test_a_column_team_beside_split_cells_is_left_out_of_every_piece(tmp_path: Path) -> None:
    rows = "event,player,rank,team\n" + "".join(
        f"{event},{one},1,red\n{event},{two},2,red\n"
        for event, one, two in (("a", "ann", "bob"), ("b", "ann/bob", "cat/dan"))
    )
    whole = read(tmp_path, rows, teams_split="/")
    assert whole.event(0).sides == (("ann",), ("bob",))
    frame = pl.read_csv(rows.encode()).with_row_index(ROW)
    reader = TableReader(ReadOptions(teams_split="/"), Source())
    pieces = [reader.read_table(frame[:2]), reader.read_table(frame[2:])]
    assert History.concat(pieces).to_frame().equals(whole.to_frame())


def test_a_member_twice_by_an_alias(tmp_path: Path) -> None:
    rows = "winner,loser\nann/Ann Berg,cat\n"
    with pytest.raises(InputError, match="line 2: 'Ann Berg' appears twice in one match"):
        read(tmp_path, rows, teams_split="/", aliases={"ann": "Ann Berg"})
