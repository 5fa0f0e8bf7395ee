"""Reading PGN: what a header is, what only looks like one, and what becomes of games with a fault."""

from __future__ import annotations

import io
from collections import Counter
from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.errors import InputError
from podium.tables.sources import pgn
from podium.tables.sources.pgn import PgnGames, Problem, pgn_batches


def read(text: str | bytes) -> PgnGames:
    data = text.encode() if isinstance(text, str) else text
    batches = list(pgn_batches(io.BytesIO(data), "games.pgn"))
    return PgnGames(
        frame=pl.concat([batch.frame for batch in batches]),
        unfinished=[problem for batch in batches for problem in batch.unfinished],
        byes=sum((batch.byes for batch in batches), Counter()),
        undated=sum(batch.undated for batch in batches),
        partly_dated=[problem for batch in batches for problem in batch.partly_dated],
        problems=[problem for batch in batches for problem in batch.problems],
    )


def game(
    white: str = "ann", black: str = "bob", result: str = "1-0", moves: str = "1. e4 e5", **more: str
) -> str:
    headers = {"White": white, "Black": black, "Result": result} | more
    return "".join(f'[{name} "{value}"]\n' for name, value in headers.items()) + f"\n{moves} {result}\n\n"


def players(games: PgnGames) -> list[tuple[str, str]]:
    return games.frame.select("player_a", "player_b").rows()


def micros(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp()) * 1_000_000  # type: ignore[misc,arg-type]


def time_of(**headers: str) -> int | None:
    games = read(game(**headers))
    assert games.problems == []
    time: int | None = games.frame["time"].item()
    return time


# The table ----------------------------------------------------------------------------------------

TYPICAL = """\
[Event "Club championship"]
[Site "Bergen"]
[Date "2021.03.14"]
[Round "1"]
[White "Carlsen, Magnus"]
[Black "Nepomniachtchi, Ian"]
[Result "1/2-1/2"]
[WhiteElo "2847"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6
4. Ba4 Nf6 1/2-1/2

[Event "Club championship"]
[Site "Bergen"]
[Date "2021.03.15"]
[Round "2"]
[White "Nepomniachtchi, Ian"]
[Black "Carlsen, Magnus"]
[Result "0-1"]

1. d4 Nf6 0-1
"""


def test_two_ordinary_games() -> None:
    games = read(TYPICAL)
    assert games.frame.schema == {
        "player_a": pl.String,
        "player_b": pl.String,
        "score_a": pl.Float64,
        "time": pl.Int64,
        "line": pl.UInt64,
    }
    assert games.frame.rows() == [
        ("Carlsen, Magnus", "Nepomniachtchi, Ian", 0.5, micros(2021, 3, 14), 1),
        ("Nepomniachtchi, Ian", "Carlsen, Magnus", 0.0, micros(2021, 3, 15), 13),
    ]
    assert (games.unfinished, games.undated, games.partly_dated, games.problems) == ([], 0, [], [])


@pytest.mark.parametrize(("result", "score"), [("1-0", 1.0), ("0-1", 0.0), ("1/2-1/2", 0.5)])
def test_scores_are_whites(result: str, score: float) -> None:
    assert read(game(result=result)).frame["score_a"].to_list() == [score]


def test_unfinished_games_are_counted_and_left_out_whatever_else_they_lack() -> None:
    games = read(game(result="*") + game("cat", "dan") + game(white="?", result="*", Date="2021.99.99"))
    assert [problem.line for problem in games.unfinished] == [1, 13]
    assert games.problems == []
    assert players(games) == [("cat", "dan")]


@pytest.mark.parametrize("bye", ["BYE", "Bye", "bye", " (bye) ", "-BYE-", "Bye,", "-", "spielfrei", "Exempt"])
def test_a_bye_needs_no_result(bye: str) -> None:
    games = read(game() + game(black=bye, result="+/-") + game(white=bye, result=""))
    assert players(games) == [("ann", "bob")]
    assert (games.byes.total(), games.unfinished, games.problems) == (2, [], [])


def test_who_is_called_nearly_so_is_a_player() -> None:
    games = read(game(black="Bye, Robert") + game(black="Byers") + game(black="bye bye"))
    assert [black for _, black in players(games)] == ["Bye, Robert", "Byers", "bye bye"]
    unknown = read(game(black="?"))
    assert [problem.reason for problem in unknown.problems] == ['Black "?" is not a name']


def test_a_file_of_unfinished_games_gives_an_empty_table_of_the_right_types() -> None:
    games = read(game(result="*"))
    assert games.frame.height == 0
    assert games.frame.schema == pgn.GAMES_SCHEMA


@pytest.mark.parametrize("data", ["", "\n\n", "1. e4 e5 1-0\n", "a,b,c\n1,2,3\n", "[section]\nkey = 1\n"])
def test_a_file_without_headers_is_refused(data: str) -> None:
    with pytest.raises(InputError, match="no PGN games found") as caught:
        read(data)
    assert caught.value.source == "games.pgn"
    assert caught.value.hint is not None


# What is a header, and what is not ----------------------------------------------------------------

FAKE = '[White "nobody"]\n[Black "no one"]\n[Result "1-0"]\n'


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 { a comment\nFAKE\n\nFAKE} e5",
        "1. e4 { one } e5 { two\nFAKE}",
        "1. e4 { no { nesting\nFAKE} e5",
        "1. e4 { a ; inside of braces is mere text } e5 {\nFAKE}",
        "1. e4 { first\n second } e5 { third\nFAKE}",
        "{\n% not an escape inside of a comment }{\nFAKE}",
        '; [White "nobody"]\n1. e4 e5',
        '% [White "nobody"]\n%[Result "0-1"]\n1. e4',
        "[not a header] 1. e4",
    ],
)
def test_moves_and_comments_are_no_headers(moves: str) -> None:
    games = read(game("ann", "bob", moves=moves.replace("FAKE", FAKE)) + game("cat", "dan"))
    assert players(games) == [("ann", "bob"), ("cat", "dan")]
    assert games.problems == []


@pytest.mark.parametrize(
    "moves",
    [
        "1. e4 ; a brace { in a comment to the end of the line opens nothing",
        "; { neither here",
        "% { nor here",
        "1. e4 {closed} ; {",
        "1. e4 } a stray one",
        "1. e4 {;} e5",
    ],
)
def test_what_opens_no_comment_hides_no_game(moves: str) -> None:
    games = read(game("ann", "bob", moves=moves + "\n") + game("cat", "dan"))
    assert players(games) == [("ann", "bob"), ("cat", "dan")]


def test_a_comment_that_is_never_closed_is_a_problem_on_its_line() -> None:
    games = read(game("ann", "bob", moves="1. e4 { oh") + game("cat", "dan"))
    assert players(games) == [("ann", "bob")]
    assert [problem.line for problem in games.problems] == [5]
    assert "never closed" in games.problems[0].reason


def test_games_need_no_blank_lines() -> None:
    games = read((game("ann", "bob") + game("cat", "dan") + game("eve", "fay")).replace("\n\n", "\n"))
    assert players(games) == [("ann", "bob"), ("cat", "dan"), ("eve", "fay")]
    assert games.frame["line"].to_list() == [1, 5, 9]


@pytest.mark.parametrize("between", ["\n", "", "\n\n\n"])
def test_games_need_no_moves(between: str) -> None:
    first = '[Event "x"]\n[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'
    second = '[Event "y"]\n[White "cat"]\n[Black "dan"]\n[Result "0-1"]\n'
    games = read(first + between + second)
    assert players(games) == [("ann", "bob"), ("cat", "dan")]
    assert games.frame["line"].to_list() == [1, 5 + between.count("\n")]


def test_a_blank_line_keeps_the_headers_of_two_games_without_moves_apart() -> None:
    first = '[White "ann"]\n[Black "bob"]\n[Result "1-0"]\n'
    second = '[Date "2021.01.01"]\n[White "cat"]\n[Black "dan"]\n[Result "1-0"]\n'
    games = read(f"{first}\n{second}")
    assert games.frame["time"].to_list() == [None, micros(2021, 1, 1)]


def test_headers_come_in_any_order_and_unused_ones_may_repeat() -> None:
    headers = ['Result "0-1"', 'ECO "B01"', 'Black "bob"', 'ECO "B02"', 'Date "1999.12.31"', 'White "ann"']
    games = read("".join(f"[{header}]\n" for header in headers) + "\n0-1\n")
    assert games.frame.rows() == [("ann", "bob", 0.0, micros(1999, 12, 31), 1)]


def test_escapes_and_comment_lines_do_not_end_a_section_of_headers() -> None:
    games = read('[White "ann"]\n% exported by hand\n; so it is\n[Black "bob"]\n[Result "1-0"]\n\n1-0\n')
    assert players(games) == [("ann", "bob")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks(end: str, mark: bytes) -> None:
    one = mark + TYPICAL.replace("\n", end).encode()
    expected = read(TYPICAL)
    assert read(one).frame.equals(expected.frame)
    both = read(one + end.encode() + one)  # files appended to each other keep their marks
    assert players(both) == players(expected) * 2


def test_the_last_line_needs_no_end() -> None:
    assert players(read('[White "ann"]\n[Result "1-0"]\n[Black "bob"]')) == [("ann", "bob")]


@pytest.mark.parametrize(
    "headers",
    [
        '[White "ann"] [Black "bob"][Result "1-0"]\n',
        '  [White "ann"]\n\t[Black "bob"]\n [ Result   "1-0" ] \n',
        '[White\t"ann"]\n[Black"bob"]\n[Result "1-0"]   \n',
        '[White "ann"]\n[Black "bob"]\n[Result "1-0"] 1. e4 {\n[White "nobody"] }\n',
    ],
)
def test_sloppy_spacing(headers: str) -> None:
    games = read(headers + "\n1. e4 1-0\n")
    assert games.problems == []
    assert players(games) == [("ann", "bob")]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (r"Joe \"Rocket\" Smith", 'Joe "Rocket" Smith'),
        (r"back\\slash", r"back\slash"),
        (r"both \\\" of them", r"both \" of them"),
        (r"ends in \\", "ends in \\"),
        ('Joe "Rocket" Smith', 'Joe "Rocket" Smith'),  # not escaped, as it ought to be
        ("ends in \\", "ends in \\"),
        (r"C:\chess", r"C:\chess"),  # no escape known to the standard
        ("[brackets] {braces} ; %", "[brackets] {braces} ; %"),
        ("  spaces around ", "spaces around"),
    ],
)
def test_values_are_unescaped(written: str, name: str) -> None:
    games = read(game(white=written) + game("cat", "dan"))
    assert players(games) == [(name, "bob"), ("cat", "dan")]


def test_each_value_is_utf8_or_else_latin1() -> None:
    text = game("Müller", "Þórr").encode() + game("Müller", "Łukasz").encode().replace("ü".encode(), b"\xfc")
    assert players(read(text)) == [("Müller", "Þórr"), ("Müller", "Łukasz")]


# Dates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2021.03.14", (2021, 3, 14)),
        ("2021.03.??", (2021, 3, 1)),
        ("2021.??.??", (2021, 1, 1)),
        ("2021.??.14", (2021, 1, 1)),
        ("2021", (2021, 1, 1)),
        ("2021-3-4", (2021, 3, 4)),
        ("1851.06.21", (1851, 6, 21)),
        ("2020.02.29", (2020, 2, 29)),
    ],
)
def test_dates(written: str, day: tuple[int, int, int]) -> None:
    games = read(game(Date=written))
    assert games.frame["time"].to_list() == [micros(*day)]
    part = [] if len(written) > 7 and "?" not in written else [Problem(1, f'"{written}"')]
    assert games.partly_dated == part


@pytest.mark.parametrize("written", ["????.??.??", "????.03.14", "", "?"])
def test_unknown_dates_are_counted(written: str) -> None:
    games = read(game(Date=written) + game(Date="2021.01.01") + game())
    assert games.frame["time"].to_list() == [None, micros(2021, 1, 1), None]
    assert games.undated == 2
    assert games.problems == []


def test_utc_goes_before_local_time() -> None:
    local = {"Date": "2021.03.15", "Time": "01:30:00"}
    assert time_of(**local) == micros(2021, 3, 15, 1, 30)
    assert time_of(**local, UTCDate="2021.03.14", UTCTime="23:30:05") == micros(2021, 3, 14, 23, 30, 5)
    assert time_of(**local, UTCDate="2021.03.14") == micros(2021, 3, 14)
    assert time_of(**local, UTCDate="????.??.??", UTCTime="23:30:05") == micros(2021, 3, 15, 1, 30)
    assert time_of(Date="2021.03.15", UTCTime="23:30:05") == micros(2021, 3, 15)


@pytest.mark.parametrize(
    ("written", "clock"),
    [
        ("18:30:15", (18, 30, 15)),
        ("18:30", (18, 30)),
        ("9:05", (9, 5)),
        ("18:30:15.250", (18, 30, 15)),
        ("24:00:00", ()),
        ("18:61:00", ()),
        ("??:??:??", ()),
        ("evening", ()),
        ("", ()),
    ],
)
def test_a_time_counts_if_it_can_be_read(written: str, clock: tuple[int, ...]) -> None:
    assert time_of(Date="2021.03.14", Time=written) == micros(2021, 3, 14, *clock)


def test_the_time_of_an_unknown_day_is_dropped() -> None:
    assert time_of(Date="2021.03.??", Time="18:30:00") == micros(2021, 3, 1)


# Problems -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({"Date": "2021.13.45"}, 'Date "2021.13.45" is not in the calendar'),
        ({"Date": "2021.02.30"}, 'Date "2021.02.30" is not in the calendar'),
        ({"UTCDate": "2021.02.30", "Date": "2021.03.01"}, 'UTCDate "2021.02.30" is not in the calendar'),
        ({"Date": "0000.01.01"}, 'Date "0000.01.01" is not in the calendar'),
        ({"Date": "14 March"}, 'Date "14 March" is not a date'),
        ({"white": ""}, 'White "" is not a name'),
        ({"white": "?"}, 'White "?" is not a name'),
        ({"black": "  "}, 'Black "" is not a name'),
        ({"result": "2-0"}, 'Result "2-0" must be 1-0, 0-1, 1/2-1/2 or *'),
        ({"result": ""}, 'Result "" must be'),
    ],
)
def test_faulty_games_are_left_out_and_told(headers: dict[str, str], reason: str) -> None:
    games = read(game("cat", "dan") + game(**headers) + game("eve", "fay"))
    assert players(games) == [("cat", "dan"), ("eve", "fay")]
    [problem] = games.problems
    assert problem.line == 7
    assert problem.reason.startswith(reason)


@pytest.mark.parametrize("missing", ["White", "Black", "Result"])
@pytest.mark.parametrize("damage", [lambda name: "", lambda name: f'[{name} "cut sho\n'])
def test_missing_and_damaged_headers(missing: str, damage: object) -> None:
    assert callable(damage)
    lines = ['[White "ann"]\n', '[Black "bob"]\n', '[Result "1-0"]\n']
    kept = "".join(damage(missing) if line.startswith(f"[{missing} ") else line for line in lines)
    games = read(kept + "\n1. e4 1-0\n\n" + game("cat", "dan"))
    assert players(games) == [("cat", "dan")]
    assert games.problems == [Problem(1, f"no {missing} header, or none that can be read")]


def test_a_long_value_is_shortened_in_the_message() -> None:
    [problem] = read(game(result="1-0" * 1000)).problems
    assert len(problem.reason) < 200


# Batches ------------------------------------------------------------------------------------------


def test_batches_hold_so_many_games_and_add_up() -> None:
    text = "".join(game(f"w{i}", f"b{i}", result="*" if i % 5 == 0 else "1-0") for i in range(25))
    batches = list(pgn_batches(io.BytesIO(text.encode()), "games.pgn", games=10))
    assert [batch.frame.height for batch in batches] == [8, 8, 4]
    assert [len(batch.unfinished) for batch in batches] == [2, 2, 1]
    assert pl.concat([batch.frame for batch in batches]).equals(read(text).frame)


def test_no_empty_batch_comes_last() -> None:
    text = "".join(game() for _ in range(20)).encode()
    assert [batch.frame.height for batch in pgn_batches(io.BytesIO(text), "games.pgn", games=10)] == [10, 10]


def test_batches_come_before_the_stream_is_read_to_its_end() -> None:
    stream = io.BytesIO(game().encode() * 100_000)
    next(pgn_batches(stream, "games.pgn", games=100))
    assert stream.tell() < len(stream.getvalue()) / 2


@pytest.mark.parametrize("block", [1, 2, 3, 7, 64])
def test_where_blocks_end_does_not_matter(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"\xef\xbb\xbf" + (TYPICAL + game(moves=f"1. e4 {{ \n{FAKE} }}")).replace("\n", "\r\n").encode()
    expected = read(text).frame
    monkeypatch.setattr(pgn, "_BLOCK", block)
    assert read(text).frame.equals(expected)


# Fast against naive -------------------------------------------------------------------------------


def naive_headers(text: str) -> list[dict[str, str]]:
    """The headers of each game, letter by letter; for files with LF, whose headers are well formed."""
    games: list[dict[str, str]] = []
    in_comment = in_headers = False
    for line in text.split("\n"):
        at_start, to_end, moves = True, False, not line.strip() and not in_comment
        if not in_comment and line.startswith("%"):
            continue
        at = 0
        while at < len(line) and not to_end:
            letter = line[at]
            if in_comment:
                in_comment, at_start = letter != "}", False
            elif letter == "{":
                in_comment, moves = True, True
            elif letter == ";":
                to_end = True
            elif letter == "[" and at_start:
                name, _, rest = line[1:].partition(" ")
                value, i = "", 1
                while rest[i] != '"':
                    i += rest[i] == "\\"
                    value += rest[i]
                    i += 1
                if not in_headers or name in games[-1]:
                    games.append({})
                games[-1][name] = value
                in_headers = to_end = True
            else:
                at_start, moves = False, True
            at += 1
        in_headers = in_headers and not moves
    return games


letters = st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])
names = st.text(letters, min_size=1, max_size=8).filter(lambda name: name.strip() == name and name != "?")
tokens = st.sampled_from(
    ["e4", "{", "}", ";", "%", " ", "{ok}", "\n", "\n\n", "\n%", "\n;", '\n[White "x"]\n']
)
results = st.sampled_from(["1-0", "0-1", "*"])


@st.composite
def files(draw: st.DrawFn) -> str:
    text = ""
    for _ in range(draw(st.integers(1, 4))):
        values = {"White": draw(names), "Black": draw(names), "Result": draw(results)}
        for name in draw(st.permutations(list(values))):
            escaped = values[name].replace("\\", "\\\\").replace('"', '\\"')
            text += f'[{name} "{escaped}"]\n'
        text += draw(st.sampled_from(["\n", ""])) + "".join(draw(st.lists(tokens, max_size=8))) + "\n"
    return text


@given(files())
def test_the_scanner_agrees_with_a_naive_reader(text: str) -> None:
    expected = naive_headers(text)
    finished = [headers for headers in expected if headers.get("Result") in ("1-0", "0-1")]
    complete = [headers for headers in finished if {"White", "Black"} <= headers.keys()]
    games = read(text)
    assert players(games) == [(headers["White"], headers["Black"]) for headers in complete]
    assert len(games.unfinished) == sum(headers.get("Result") == "*" for headers in expected)
