"""Names as people type them: blanks around them, composed letters, and names that may mean one player."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import polars as pl
import pytest

from podium import History, InputError, Ladder, ReadingWarning, rate, read_chunks, read_history
from podium.history import Reading, SetRating
from podium.history.names import BLANKS, tidy_name
from podium.tables.names.near_names import LOOK_ALIKE, NearNames, near_warning
from podium.tables.names.player_numbers import tidy_names
from podium.tables.suspicions import names_used_again


def read(tmp_path: Path, text: str, name: str = "r.csv", **options: object) -> History:
    (tmp_path / name).write_bytes(text.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        return read_history(tmp_path / name, **options)  # type: ignore[arg-type]


def said(history: History) -> list[str]:
    return [warning for reading in history.readings for warning in reading.warnings]


# ------------------------------------------------------------------ blanks and letters

BOB = ["Bob", "Bob ", " Bob", "Bob\u00a0", "\u200bBob\u200b", "\ufeffBob", "\u3000Bob\u2009", "\tBob"]


@pytest.mark.parametrize("bob", BOB)
def test_blanks_around_a_name_mean_nothing(bob: str, tmp_path: Path) -> None:
    text = f'event,player,rank\none,ann,1\none,"{bob}",2\ntwo,Bob,1\ntwo,ann,2\n'
    history = read(tmp_path, text)
    assert history.players.to_list() == ["ann", "Bob"]
    assert history.event(0).sides == (("ann",), ("Bob",))


def test_one_letter_written_in_two_ways(tmp_path: Path) -> None:
    history = read(tmp_path, "winner,loser\nZoe\u0308,ann\nann,Zo\u00eb\n")
    assert history.players.to_list() == ["Zo\u00eb", "ann"]


def test_a_name_keeps_what_is_inside(tmp_path: Path) -> None:
    history = read(tmp_path, 'winner,loser\n"two\nlines",a\u00a0b\n')
    assert history.players.to_list() == ["two\nlines", "a\u00a0b"]


def test_events_teams_and_home_sides(tmp_path: Path) -> None:
    teams = "event,player,rank,team\nr1,a,1,Red\nr1 ,b,1,Red \n r1,c,2,Blue\n"
    history = read(tmp_path, teams)
    assert history.event_names == ("r1",)
    assert history.team_names == ("Red", "Blue")
    assert history.event(0).sides == (("a", "b"), ("c",))
    games = "event,player_a,player_b,score_a,home\nOpen ,ann,bob,1,bob \nOpen,ann,bob,1,\u00a0\n"
    history = read(tmp_path, games)
    assert history.event_names == ("Open", "Open")
    assert [event.home for event in history] == ["bob", None]


def test_adjustments(tmp_path: Path) -> None:
    text = "event,player,rank,adjustment,mu\n,Bob ,,seed,1900\none,ann,1,,\none,Bob,2,,\n"
    history = read(tmp_path, text)
    assert history.adjustments[0].adjustment == SetRating(player="Bob", mu=1900.0)
    assert history.players.to_list() == ["ann", "Bob"]


def test_chess_and_contests(tmp_path: Path) -> None:
    game = '[White "Zoe\u0308"]\n[Black " bob"]\n[Date "2026.05.01"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    again = '[White "bob\u00a0"]\n[Black "Zo\u00eb"]\n[Date "2026.05.02"]\n[Result "1-0"]\n\n1. e4 1-0\n'
    assert read(tmp_path, game + again, "g.pgn").players.to_list() == ["Zo\u00eb", "bob"]
    folder = tmp_path / "contests"
    folder.mkdir()
    for number, (name, player) in enumerate([("Round", "bob "), ("Round ", "bob")]):
        contest = {"name": name, "time_seconds": 1_700_000_000 + number, "standings": []}
        contest["standings"] = [["ann", 0, 0], [player, 1, 1]]
        (folder / f"{number}.json").write_text(json.dumps(contest))
    history = read_history(folder)
    assert history.players.to_list() == ["ann", "bob"]
    assert history.event_names == ("Round", "Round (1)")  # two contests, not one of four


def test_dataframes_and_python_values_are_tidied() -> None:
    frame = pl.DataFrame({"winner": ["Bob ", "ann"], "loser": ["ann", "Bob"]})
    assert History.from_frame(frame).players.to_list() == ["Bob", "ann"]
    categories = frame.cast(pl.Categorical)
    assert History.from_frame(categories).players.to_list() == ["Bob", "ann"]
    assert History.from_matches(["Bob ", "Bob"], ["ann", " ann"]).players.to_list() == ["Bob", "ann"]
    with pytest.raises(InputError, match="plays against itself"):
        History.from_matches(["Bob "], ["Bob"])
    assert History.from_events([{"ranks": {"Bob ": 1, "ann": 2}}]).players.to_list() == ["Bob", "ann"]


def test_names_of_a_saved_ladder_stay(tmp_path: Path) -> None:
    """An older version kept blanks around names."""
    ladder = Ladder()
    ladder.record_match("Bob", "ann")
    ladder.players.relabel({0: "Bob "})
    ladder.save(tmp_path / "saved")
    loaded = Ladder.load(tmp_path / "saved")
    assert loaded.players.to_list() == ["Bob ", "ann"]


def test_two_spellings_in_one_event(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        read(tmp_path, "event,player,rank\none,Bob,1\none,ann,2\none,Bob ,3\n")
    assert refused.value.line == 4
    assert refused.value.event == "one"
    assert refused.value.reason == "'Bob' and 'Bob ' are one player, and appear twice in one event"
    with pytest.raises(InputError, match="player 'Bob' appears twice in one event"):
        read(tmp_path, "event,player,rank\none,Bob,1\none,Bob,3\n")
    with pytest.raises(InputError, match="line 2: 'Bob' and 'Bob ' are one player, who plays against itself"):
        read(tmp_path, "winner,loser\nBob,Bob \n")


def test_pieces_cut_where_tidied_names_of_events_end(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("event,player,rank\none,a,1\none ,b,2\ntwo,a,1\n two,b,2\n")
    pieces = list(read_chunks(path, rows=1))
    assert [event.sides for piece in pieces for event in piece] == [(("a",), ("b",))] * 2
    path.write_text("event,player,rank\none,a,1\none,b,2\ntwo,a,1\ntwo,b,2\none ,c,1\none ,d,2\n")
    with pytest.raises(InputError, match="the event's rows are not together"):
        list(read_chunks(path, rows=1))


def test_a_column_and_a_single_name_are_tidied_alike() -> None:
    letters = [chr(n) for n in (*range(1, 0x250), *range(0x1E00, 0x2100), 0x3000, 0xFEFF, 0xFF21)]
    texts = [f"{sign}a{sign}" for sign in letters] + letters
    assert tidy_names(pl.Series(texts)).to_list() == [tidy_name(text) for text in texts]
    assert all(sign in BLANKS for sign in letters if sign.isspace())


def test_clean_names_are_not_copied() -> None:
    names = pl.Series(["ann", "Zo\u00eb", None])
    assert tidy_names(names) is names


# ------------------------------------------------------------------ near to each other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anna", "Anna"),
        ("José", "Jose"),
        ("Ann Lee", "ann  lee"),
        ("Ann Lee", "AnnLee"),
        ("Ann Lee", "Ann\u00a0Lee"),
        ("anna", "\u0430nna"),
        ("HAH", "\u041d\u0410\u041d"),
        ("NIKOS", "\u039dIKOS"),
        ("Anna", "\uff21\uff4e\uff4e\uff41"),
        ("\u0412\u0410\u041d\u042f", "\u0432\u0430\u043d\u044f"),
        ("Weiß", "WEISS"),
        ("O'Brien", "O\u2019Brien"),
        ("An\u200bna", "Anna"),
    ],
)
def test_names_that_may_be_one(one: str, other: str) -> None:
    assert NearNames().pairs([one, "somebody", other]) == [(one, other)]
    across = NearNames([one, "somebody"])
    assert across.pairs_with_known([other, "else"]) == [(one, other)]
    assert across.pairs(["else", other]) == [(one, other)]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Anna", "Anne"), ("player 1 2", "player 12"), ("\u304b", "\u304c"), ("12", "1 2"), ("a-b", "ab")],
)
def test_names_that_are_two(one: str, other: str) -> None:
    assert NearNames().pairs([one, other]) == []


def test_every_letter_looks_like_one_latin_letter() -> None:
    assert all(
        len(latin) == 1 and latin.isascii() and not other.isascii() for other, latin in LOOK_ALIKE.items()
    )
    for other, latin in LOOK_ALIKE.items():
        assert NearNames().pairs([f"x{latin}x", f"x{other}x"]) == [(f"x{latin}x", f"x{other}x")]


def test_the_warning_names_three_pairs_and_counts_the_others() -> None:
    pairs = [(f"p{i}", f"P{i}") for i in range(5)]
    assert near_warning(pairs) == (
        "'p0' and 'P0', 'p1' and 'P1', 'p2' and 'P2' may be one player each (2 more pairs like this): merge "
        "them with --aliases FILE (aliases=)"
    )


def test_near_names_of_a_file_are_said_once(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("winner,loser\nanna,Bob\nAnna,Bob\nAnna,anna\n")
    with pytest.warns(ReadingWarning, match="r.csv: 'anna' and 'Anna' may be one player: merge them"):
        history = read_history(path)
    assert len(said(history)) == 1
    assert len(history.players) == 3  # nothing is merged by a guess


def test_near_names_in_pieces(tmp_path: Path) -> None:
    lines = ["winner,loser", "anna,bob", "Anna,bob", "anna,Anna", *(f"x{i},X{i}" for i in range(10))]
    (tmp_path / "r.csv").write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadingWarning)
        pieces = list(read_chunks(tmp_path / "r.csv", rows=1))
    found = [warning for piece in pieces for warning in said(piece)]
    assert [warning.partition(" may")[0] for warning in found] == [
        "'anna' and 'Anna'",
        "'x0' and 'X0'",
        "'x1' and 'X1'",
    ]


def test_names_listed_as_their_own_alias_are_two(tmp_path: Path) -> None:
    text = "winner,loser\nanna,bob\nAnna,bob\n"
    assert said(read(tmp_path, text, aliases={"anna": "anna", "Anna": "Anna"})) == []


def test_values_from_python_are_not_judged() -> None:
    history = History.from_matches(["anna"], ["Anna"])
    assert history.readings == () or not said(history)
    assert isinstance(rate(history).ladder, Ladder)


def test_a_clean_file_has_nothing_to_warn_of(tmp_path: Path) -> None:
    history = read(tmp_path, "winner,loser\nanna,bob\n")
    assert said(history) == []
    assert isinstance(history.readings[0], Reading)


# ------------------------------------------------------------------ names that became free


def test_results_under_a_name_that_was_merged_or_renamed_before_are_warned_of(tmp_path: Path) -> None:
    """They count for a new player, which the person who merged two spellings hardly means."""
    matches = (
        "time,winner,loser\n2026-01-01,A. Berg,Bob\n2026-01-02,Anna Berg,Bob\n"
        "2026-03-01,A. Berg,Bob\n2026-03-02,Cid,A. Berg\n2026-03-03,Rob,Cid\n2026-05-01,Bob,Cid\n"
    )
    adjustments = (
        "time,adjustment,player,into\n2026-02-01,merge,A. Berg,Anna Berg\n2026-02-02,rename,Bob,Rob\n"
        "2026-04-01,rename,Rob,Bob\n"
    )
    folder = tmp_path / "season"
    folder.mkdir()
    history = read(folder, matches), read(folder, adjustments, "s.csv")
    assert not [text for one in history for text in said(one)]
    expected = [
        "'A. Berg' was merged into 'Anna Berg', and 2 later events name 'A. Berg' again: a new player. "
        "For the same player, write 'Anna Berg' in these events",
        "'Bob' was renamed to 'Rob', and 1 later event names 'Bob' again: a new player. "
        "For the same player, write 'Rob' in these events",
    ]
    assert names_used_again(History.concat(history)) == expected
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        assert said(read_history(folder)) == expected
    assert [str(one.message).partition(": ")[2] for one in noted] == expected
