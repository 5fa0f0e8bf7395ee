"""`podium arena`: files as people have them, words, files and JSON."""

import json
from pathlib import Path

import pytest

from cli.command import failed, said_json, succeeded

VOTES = """\
model_a,model_b,winner,len_a,len_b,user
gpt,claude,model_a,10,20,u1
claude,llama,tie (bothbad),30,20,u2
llama,gpt,model_b,10,50,u1
claude,gpt,claude,40,20,u3
llama,claude,model_a,10,25,u3
gpt,llama,tie,10,20,u2
claude,gpt,model_b,15,15,u4
llama,claude,model_b,15,25,u4
gpt,llama,model_b,30,20,u4
gpt,llama,model_a,20,30,u4
llama,claude,model_a,9,9,u4
"""


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("arena") / "votes.csv"
    header, _, rows = VOTES.partition("\n")
    path.write_text(f"{header}\n{rows * 20}")
    return path


def test_a_board_from_a_file_without_options(votes: Path) -> None:
    said = " ".join(succeeded("arena", votes).split())
    assert "model_a against model_b, winner names the winner" in said
    assert "220 votes of 3 players, Davidson, sandwich errors" in said
    assert "Ask next" in said
    assert "First place is" in said


def test_files_and_json(votes: Path, tmp_path: Path) -> None:
    page, picture, table = tmp_path / "board.html", tmp_path / "board.svg", tmp_path / "board.csv"
    options = ("--position", "--covariate", "len", "--cluster", "user", "--anchor", "gpt=1200")
    succeeded("arena", votes, *options, "--report", page, "--chart", picture, "--out", table)
    text = page.read_text()
    for heading in (
        "Leaderboard",
        "Other effects on votes",
        "Who beats whom",
        "Largest deviations from the fit",
    ):
        assert heading in text
    assert "1–" in picture.read_text()
    assert table.read_text().startswith("player,strength,error,low,high,rank")
    told = said_json("arena", votes, *options)
    assert told["kind"] == "arena"
    assert told["errors"] == "cluster"
    assert [row["effect"] for row in told["effects"]] == ["position", "len"]
    assert next(row["strength"] for row in told["strengths"] if row["player"] == "gpt") == 1200


def test_lines_of_json_with_fields_inside_fields(tmp_path: Path) -> None:
    path = tmp_path / "votes.ndjson"
    lines = [
        {"model_a": "x", "model_b": "y", "preference": word, "judge": {"id": judge, "tags": ["a"]}}
        for word, judge in zip("ABAA" * 5, "jk" * 10, strict=True)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = said_json("arena", path, "--cluster", "judge.id")
    assert told["notes"] == [
        f"{path}: votes; model_a against model_b, preference names the winner, judge.id.",
        "The votes are in 2 groups, too few to see how much groups differ, so errors are too small. 10 or "
        "more groups are needed.",
    ]
    assert told["strengths"][0]["wins"] == 15


@pytest.mark.parametrize(
    "header, row, wins",
    [
        ("left,right,outcome", "x,y,left", (1, 0, 0)),
        ("player_1,player_2,score_1,score_2", "x,y,3,3", (0, 1, 0)),
        ("model_a,model_b,winner_model_a,winner_model_b,winner_tie", "x,y,0,1,0", (0, 0, 1)),
        ("winner,loser", "y,x", (0, 0, 1)),
        ("response_a,response_b,verdict", "x,y,[[B]]", (0, 0, 1)),
        ("model_a,model_b,winner", "x,y,y", (0, 0, 1)),
        ("a,b,label", "x,y,both_bad", (0, 1, 0)),
        ("essay_a,essay_b,choice", "x,y,Response B is slightly better", (0, 0, 1)),
        ("option1,option2,answer", "x,y,about the same", (0, 1, 0)),
        ("prompt,chosen_model,rejected_model", "p,x,y", (1, 0, 0)),
        ("generator_1,generator_2,preference", "x,y,2.0", (0, 0, 1)),
        ("model_a,model_b,winner,count", "x,y,B,7", (0, 0, 7)),
        ("model_a,model_b,wins_a,wins_b,ties", "x,y,4,2,1", (4, 1, 2)),
    ],
)
def test_columns_people_have(header: str, row: str, wins: tuple[int, int, int], tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(f"{header}\n{row}\n")
    told = said_json("arena", path)["strengths"]
    x = next(one for one in told if one["player"] == "x")
    assert (x["wins"], x["ties"], x["losses"]) == wins


@pytest.mark.parametrize(
    "text, options, said",
    [
        ("model_a,model_b,winner\nx,y,maybe\n", [], "row 1: winner is 'maybe', which names no side"),
        ("model_a,model_b,winner\nx,x,tie\n", [], "no votes, but 1 row that compares a player with itself"),
        ("model_a,model_b,label\nx,y,0\ny,x,1\n", [], "label is 0 and 1, which may mean several things"),
        ("model_a,model_b,label\nx,y,0\ny,x,1\ny,x,2\n", [], "label is 0, 1 and 2, which may mean several"),
        ("a,b,label\nx,y,0\ny,x,3\n", ["--column", "score_a=label"], "row 2: label is 3, and a score"),
        (
            "model_a,model_b,winner,count\nx,y,A,1.5\n",
            [],
            "row 1: count is 1.5, which is not a number of votes",
        ),
        ("model_a,winner\nx,tie\n", [], "no two columns name the compared sides"),
        ("model_a,model_b\nx,y\n", [], "no column names the winner"),
        ("model_a,model_b,winner\nx,y,x\n", ["--prior", "none"], "1 player never won (y)"),
        ("model_a,model_b,winner\nx,y,x\n", ["--cluster", "usr"], "no column 'usr'"),
        ("model_a,model_b,winner,lang\nx,y,x,en\n", ["--covariate", "lang"], "the same for both sides"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, options: list[str], said: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    assert said in failed(1, "arena", path, *options)


@pytest.mark.parametrize(
    "numbers, options, wins",
    [
        ("1 0.5 0 0", [], (1, 1, 2)),
        ("1 0 0 0", ["--column", "score_a=vote"], (1, 0, 3)),
        ("1 0 0 0", ["--column", "score_b=vote"], (3, 0, 1)),
        ("1 -1 0 0", ["--column", "score_a=vote"], (1, 2, 1)),
        ("A B 0 B", [], (1, 1, 2)),
    ],
)
def test_numbers_tell_the_winner(
    numbers: str, options: list[str], wins: tuple[int, int, int], tmp_path: Path
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("".join(["model_a,model_b,vote\n", *(f"x,y,{number}\n" for number in numbers.split())]))
    told = said_json("arena", path, *options)["strengths"]
    x = next(one for one in told if one["player"] == "x")
    assert (x["wins"], x["ties"], x["losses"]) == wins


def test_rows_that_cannot_count_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = [
        "NA,y,A,u1",
        "y,NA,A,u2",
        "NA,y,,u1",
        "y,NA,n/a,u1",
        "y,y,tie,u1",
        ",y,A,u1",
        "y,NA,A,",
        "y,NA,A,u2",
    ]
    path.write_text("\n".join(["model_a,model_b,winner,user", *rows]))
    told = said_json("arena", path)
    assert [(row["player"], row["votes"]) for row in told["strengths"]] == [("y", 4), ("NA", 4)]
    assert told["notes"][1:] == [
        "Left out: 1 row without model_a, 2 rows without winner and 1 row that compares a player with "
        "itself.",
        "Votes of the same user may depend on each other. Intervals allow for that with cluster='user' "
        "(--cluster user).",
    ]
    assert "1 row without user" in said_json("arena", path, "--cluster", "user")["notes"][1]


def test_rows_that_repeat_others_are_named(tmp_path: Path) -> None:
    path, rows = tmp_path / "votes.csv", "1,x,y,A\n2,x,y,B\n2,x,y,B\n"
    path.write_text(f"id,model_a,model_b,winner\n{rows}")
    assert (
        "1 row repeats an earlier row in every column. They count as votes."
        in said_json("arena", path)["notes"]
    )
    path.write_text(f"no,model_a,model_b,winner\n{rows}")
    assert len(said_json("arena", path)["notes"]) == 1


def test_an_array_of_json_with_sides_inside_names(tmp_path: Path) -> None:
    """The file of votes that LMSYS published."""
    path = tmp_path / "clean_battle.json"
    votes = [
        {"model_a": "x", "model_b": "y", "winner": word, "conv_metadata": metadata}
        for number, word in enumerate(["model_a", "model_b", "tie", "model_a"] * 5)
        for metadata in [
            {
                "sum_assistant_a_tokens": number,
                "sum_assistant_b_tokens": 7,
                "header_count_a": {"h1": 1},
                "header_count_b": {"h1": number % 3},
            }
        ]
    ]
    path.write_text(json.dumps(votes))
    names = ("conv_metadata.sum_assistant_tokens", "conv_metadata.header_count.h1")
    told = said_json("arena", path, *(word for name in names for word in ("--covariate", name)))
    assert [row["effect"] for row in told["effects"]] == list(names)


def test_rankings_are_fitted(tmp_path: Path) -> None:
    path = tmp_path / "races.csv"
    path.write_text("event,player,rank\n1,a,1\n1,b,2\n1,c,3\n2,c,1\n2,a,2\n2,b,3\n3,b,1\n3,a,2\n3,c,2\n")
    said = succeeded("arena", path, "--errors", "bootstrap")
    assert "3 rankings of 3 players, Plackett–Luce, bootstrap errors" in said
    assert "Ask next" not in said


def test_rankings_with_other_columns_are_named(tmp_path: Path) -> None:
    path, rows = tmp_path / "pages.csv", "1,a,1\n1,b,2\n1,c,3\n2,c,1\n2,a,2\n2,b,3\n3,b,1\n3,a,2\n3,c,2\n"
    path.write_text(f"query,document,rank\n{rows}")
    assert "In rankings, event, player and rank" in failed(1, "arena", path)
    named = ("--column", "event=query", "--column", "player=document")
    assert "3 rankings of 3 players, Plackett–Luce" in succeeded("arena", path, *named)
    assert "rankings have no" in failed(1, "arena", path, *named, "--cluster", "query")


def test_an_arena_has_a_website(votes: Path, tmp_path: Path) -> None:
    assert "4 pages" in succeeded("site", votes, "--arena", "--out", tmp_path / "site", "--title", "Models")
    succeeded("arena", votes, "--cluster", "user", "--site", tmp_path / "other")
    assert "cluster errors" in (tmp_path / "other" / "index.html").read_text()
    assert "no rating system" in failed(2, "site", votes, "--arena", "--system", "elo")
    assert "one file of votes" in failed(2, "site", votes, votes, "--arena")


def test_numbers_on_the_command_line_are_checked(votes: Path) -> None:
    assert "not a number of points" in failed(2, "arena", votes, "--prior", "much")
    assert "there is no model" in failed(2, "arena", votes, "--model", "davison")


def test_the_board_prints_chances_and_counts_as_people_read_them(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "x,y,A\nx,y,A\nx,y,B\n" * 40 + "new,x,A\n" * 3)
    said = " ".join(succeeded("arena", path, "--ask", "3").split())
    assert "new has 3 of the 30 votes needed" in said
    assert "│ new │" in said
    assert "│ 0% │ 120 │" in said
    assert "Ask next: x or new (3 votes)." in said


def test_why_parts_without_a_link_are_not_settled(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "a,b,A\nb,a,A\nc,d,A\nd,c,A\nd,c,A\n" * 40)
    said = " ".join(succeeded("arena", path).split())
    assert "no chain of votes links them." in said


def test_the_document_says_what_is_settled_and_what_to_ask(votes: Path) -> None:
    told = said_json("arena", votes, "--settled", "2", "--ask", "3")
    assert told["settled"]["top"] == 2
    assert len(told["settled"]["players"]) == 2
    assert 1 <= len(told["next"]) <= 3
    assert said_json("arena", votes, "--ask", "0")["next"] == []
