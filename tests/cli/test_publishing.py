"""`podium changes` and `podium what-if`: on a terminal, as files of every kind, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import podium
from cli.command import failed, podium_here, said_json, succeeded
from podium import EloMMR, read_history

NASTY = "a|b <script>*x*"
SEASON = """event,time,player,rank
round 1,2026-05-01,ann,1
round 1,2026-05-01,bob,2
round 1,2026-05-01,me@home,3
round 2,2026-05-08,bob,1
round 2,2026-05-08,ann,2
round 2,2026-05-08,dan,3
"""


@pytest.fixture
def season(tmp_path: Path) -> Path:
    path = tmp_path / "season.csv"
    path.write_text(SEASON)
    return path


@pytest.fixture
def running(tmp_path: Path) -> Path:
    """A contest of nobody's time, with a name made to break tables."""
    path = tmp_path / "round3.csv"
    path.write_text(f"event,player,rank\nround 3,dan,1\nround 3,ann,2\nround 3,{NASTY},3\n")
    return path


# ---------------------------------------------------------------------- changes


def test_the_last_contest(results: Path) -> None:
    found = podium.changes(read_history(results), EloMMR())
    said = succeeded("changes", results, "--system", "elo-mmr").splitlines()
    assert said[0] == "round 39, 2026-02-12: 8 players, rated by elo-mmr."
    assert len(said) == 4 + 8 + 1
    best = found.frame.row(0, named=True)
    for number in (best["display_before"], best["display"], best["performance"], best["expected_rank"]):
        assert f" {number:.1f} │" in said[4]


def test_another_contest_in_another_order(season: Path) -> None:
    said = said_json("changes", season, "--event", "round 1, 2026-05-01", "--sort", "gain", "--top", 2)
    assert said["kind"] == "contest"
    assert said["title"] == "round 1, 2026-05-01"
    assert [change["player"] for change in said["changes"]] == ["ann", "bob"]
    assert said["players"] == 3


def test_a_long_list_is_cut_on_a_terminal_and_whole_in_json(tmp_path: Path) -> None:
    rows = [{"event": "big", "player": f"p{rank}", "rank": rank} for rank in range(1, 26)]
    pl.DataFrame(rows).write_csv(path := tmp_path / "big.csv")
    said = succeeded("changes", path, "--system", "elo")
    assert said.endswith("… and 5 more\n")
    assert len(said_json("changes", path, "--system", "elo")["changes"]) == 25
    assert "more" not in succeeded("changes", path, "--system", "elo", "--top", 3)


def test_a_preview_after_the_season_or_a_ladder(season: Path, running: Path, tmp_path: Path) -> None:
    asked = ("changes", season, "--preview", running, "--system", "elo")
    assert "This is a preview: podium recorded nothing." in succeeded(*asked)
    saved = tmp_path / "season.podium"
    succeeded("rate", season, "--system", "elo", "--save", saved)
    before = saved.read_bytes()
    after_ladder = said_json("changes", running, "--ladder", saved)
    assert after_ladder == said_json(*asked)
    assert after_ladder["preview"]
    assert saved.read_bytes() == before


def test_a_name_near_to_a_known_one_is_pointed_out(season: Path, tmp_path: Path) -> None:
    running = tmp_path / "round3.csv"
    running.write_text("event,player,rank\nround 3,Ann,1\nround 3,bob,2\n")
    answer = podium_here("changes", season, "--preview", running)
    assert "'ann' of an earlier file and 'Ann' may be one player" in answer.stderr


@pytest.mark.parametrize("suffix", ["html", "md"])
def test_names_are_no_markup(season: Path, running: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"round3.{suffix}"
    said = succeeded(
        "changes", season, "--preview", running, "--out", path, "--top", 0, "--system", "elo-mmr"
    )
    assert said.splitlines()[2:] == [f"wrote {path}"]
    text = path.read_text(encoding="utf-8")
    assert text.count("<script") == (1 if suffix == "html" else 0)  # the page's own
    assert "&lt;script&gt;" in text
    name = "<bdi>dan</bdi>" if suffix == "html" else "dan"
    assert text.count(name) == 1  # --top 0 is about what is printed
    if suffix == "md":
        assert r"| 3 | a\|b &lt;script&gt;\*x\* |" in text
    else:
        assert "default-src 'none'" in text


def test_a_page_of_changes_has_tiers_links_and_a_search(season: Path, tmp_path: Path) -> None:
    page = tmp_path / "round2.html"
    pages = "https://club.example/p/{player}.html"
    tiers = ["--tiers", "seven", "--player-pages", pages]
    succeeded("changes", season, "--out", page, "--system", "elo-mmr", *tiers)
    text = page.read_text(encoding="utf-8")
    found = podium.changes(read_history(season), EloMMR())
    assert text.count('<th scope="row">') == found.frame.height
    assert '<a href="https://club.example/p/dan.html">' in text
    assert "data-finds" in text
    assert "<dt>" in text.split('id="tiers"')[1]
    assert "8 May 2026" in text
    assert 'src="' not in text  # nothing is loaded
    unknown = failed(2, "changes", season, "--tiers", "none", "--out", page)
    assert "there are no tiers called 'none'" in unknown


def test_files_of_data(season: Path, tmp_path: Path) -> None:
    table, document = tmp_path / "round2.csv", tmp_path / "round2.json"
    succeeded("changes", season, "--out", table, "--system", "elo-mmr")
    found = podium.changes(read_history(season), EloMMR()).frame
    assert pl.read_csv(table)["display"].to_list() == found["display"].to_list()
    assert pl.read_csv(table)["time"].to_list() == ["2026-05-08"] * 3
    printed = said_json("changes", season, "--out", document, "--digits", 0, "--system", "elo-mmr")
    assert json.loads(document.read_text()) == printed
    assert [change["display"] for change in printed["changes"]] == [round(x) for x in found["display"]]
    for change in printed["changes"]:  # what is published adds up
        assert change["gain"] == change["display"] - change["display_before"]
    expected = [change["expected_rank"] for change in printed["changes"]]
    assert expected == found["expected_rank"].to_list()  # which is no rating, and is not rounded


def test_what_changes_refuses(season: Path, running: Path, tmp_path: Path) -> None:
    assert "there is no event 'round 9'" in failed(1, "changes", season, "--event", "round 9")
    assert ".html, .md and .json" in failed(2, "changes", season, "--out", tmp_path / "x.pdf")
    assert "would be overwritten" in failed(2, "changes", season, "--out", season)
    saved = tmp_path / "season.podium"
    succeeded("rate", season, "--save", saved, "--system", "elo-mmr")
    twice = failed(1, "changes", season, "--ladder", saved)
    assert "a file with this content is already rated" in twice
    assert "podium changes RESULTS --event NAME" in twice
    assert "with --ladder" in failed(2, "changes", season, "--ladder", saved, "--preview", running)
    running.write_text("event,time,player,rank\nround 0,2026-01-01,ann,1\nround 0,2026-01-01,bob,2\n")
    early = failed(1, "changes", season, "--preview", running)
    assert "round3.csv: the event 'round 0' of 2026-01-01 is earlier" in early
    assert "comes after all rated events" in early


def test_a_preview_without_a_time_of_a_contest_that_is_rated(season: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.csv"
    again.write_text("event,player,rank\nround 2,dan,1\nround 2,ann,2\n")
    asked = ("changes", season, "--system", "elo", "--preview", again)
    refused = failed(1, *asked)
    assert "again.csv: the results already hold an event 'round 2'" in refused
    assert "give it a time" in refused
    assert "This is a preview" in succeeded(*asked, "--allow-repeat")
    again.write_text("event,time,player,rank\nround 2,2026-09-01,dan,1\nround 2,2026-09-01,ann,2\n")
    assert "This is a preview" in succeeded(*asked)  # another round 2


def test_digits_are_those_of_ratings(season: Path) -> None:
    exact, rounded = (said_json("changes", season, *digits)["changes"] for digits in ((), ("--digits", "0")))
    assert [change["expected_rank"] for change in rounded] == [change["expected_rank"] for change in exact]
    assert {change["expected_rank"] % 1 for change in rounded} != {0.0}
    assert [change["display"] for change in rounded] == [round(change["display"]) for change in exact]


# ---------------------------------------------------------------------- what-if


def test_three_corrections(season: Path, tmp_path: Path) -> None:
    other = tmp_path / "fixed.csv"
    other.write_text("event,player,rank\nround 1,bob,1\nround 1,ann,2\nround 1,me@home,3\n")
    corrected, saved = tmp_path / "new.csv", tmp_path / "new.podium"
    told = (
        *("--replace", other, "--disqualify", "me@home@round 1", "--disqualify", "ann@round 2"),
        *("--corrected", corrected, "--save", saved),
    )
    said = succeeded("what-if", season, "--system", "elo", *told)
    assert " ".join(said.split()).startswith(
        "with round 1, 2026-05-01 replaced; without me@home in round 1, 2026-05-01; "
        "without ann in round 2, 2026-05-08: 4 of 4 players move"
    )
    assert said.endswith(f"wrote {corrected}, {saved}\n")
    right = read_history(corrected)
    assert [dict(zip(e.sides, e.ranks, strict=True)) for e in right] == [
        {("bob",): 1, ("ann",): 2},
        {("bob",): 1, ("dan",): 2},
    ]
    ladder = podium.rate(right, podium.Elo()).ladder
    assert podium.Ladder.load(saved).ratings().equals(ladder.ratings())


def test_an_event_less(season: Path, tmp_path: Path) -> None:
    out = tmp_path / "moves.csv"
    said = said_json("what-if", season, "--without", "round 2", "--system", "elo", "--out", out)
    assert (said["kind"], said["events_before"], said["events"], said["moved"]) == ("what-if", 2, 1, 3)
    assert {move["player"]: move["place"] for move in said["moves"]} == {"dan": None, "ann": 1, "bob": 2}
    everybody = pl.read_csv(out)
    assert everybody["player"].to_list() == ["ann", "bob", "me@home", "dan"]
    assert everybody["gain"].to_list()[2] == 0.0
    page = tmp_path / "moves.html"
    succeeded("what-if", season, "--without", "round 2", "--out", page, "--top", 1)
    assert page.read_text(encoding="utf-8").count("<tr>") == 2  # the head and one player


def test_who_moves_does_not_depend_on_rounding(season: Path) -> None:
    options = ("what-if", season, "--without", "round 2", "--system", "elo", "--set", "k=0.1")
    exact, whole = said_json(*options), said_json(*options, "--digits", 0)
    assert whole["moved"] == exact["moved"] == 3
    assert [move["player"] for move in whole["moves"]] == [move["player"] for move in exact["moves"]]
    assert {move["gain"] for move in whole["moves"]} == {None, 0}


def test_a_narrow_terminal_keeps_the_gain(season: Path) -> None:
    said = succeeded("what-if", season, "--without", "round 2", "--system", "elo", columns=44)
    assert "gain" in next(line for line in said.splitlines() if line.startswith("┃"))
    assert " ".join(said.split()).endswith("columns left out because the terminal is narrow: old place, old")


@pytest.mark.parametrize(
    "told, status, said",
    [
        ((), 2, "choose a correction"),
        (("--without", "rond 2"), 1, "did you mean 'round 2'?"),
        (("--disqualify", "ann"), 2, "is not PLAYER@EVENT"),
        (("--disqualify", "ann@rond 2"), 1, "did you mean 'round 2'?"),
        (("--disqualify", "@round 2"), 1, "must name a player"),
        (("--disqualify", "bobb@round 2"), 1, "did you mean 'bob'?"),
        (("--disqualify", "dan@round 1"), 1, "event 'round 1': 'dan' did not take part"),
    ],
)
def test_what_what_if_refuses(season: Path, told: tuple[str, ...], status: int, said: str) -> None:
    assert said in failed(status, "what-if", season, *told)


def test_what_cannot_replace_names_its_file(season: Path, tmp_path: Path) -> None:
    other = tmp_path / "fixed.csv"
    other.write_text("event,player,rank\nrond 2,bob,1\nrond 2,ann,2\n")
    said = failed(1, "what-if", season, "--replace", other)
    assert "fixed.csv: there is no event 'rond 2' to replace" in said
    assert "did you mean 'round 2'?" in said
    other.write_text("event,player,rank\nfinal,bob,1\nfinal,ann,2\n")
    assert "To add a new event, add it to the results" in failed(1, "what-if", season, "--replace", other)
    other.write_text("winner,loser\nann,bob\n")
    assert "fixed.csv: the events have no names" in failed(1, "what-if", season, "--replace", other)


def test_an_event_left_out_twice(season: Path) -> None:
    once, twice = (succeeded("what-if", season, *("--without", "round 2") * n) for n in (1, 2))
    assert twice == once


@pytest.mark.parametrize(
    "columns, shown",
    [(46, "player new gain"), (58, "new place player new gain"), (68, "new place player old new gain")],
)
def test_who_moves_by_how_much_fits_a_narrow_terminal(tmp_path: Path, columns: int, shown: str) -> None:
    path = tmp_path / "season.csv"
    path.write_text(SEASON.replace("me@home", "a-name-of-20-letters"))
    said = succeeded(
        "what-if", path, "--without", "round 1", "--system", "elo-mmr", columns=columns
    ).splitlines()
    assert max(map(len, said)) <= columns
    head = next(line for line in said if line.startswith("┃"))
    assert " ".join(head.replace("┃", " ").split()) == shown


def test_a_default_that_changes_is_named(tmp_path: Path) -> None:
    """The preset follows the rows: a preview has that of the results with the contest, and says so."""
    small = [(f"small {day}", f"2026-05-0{day}", f"p{n}", n) for day in (1, 2) for n in range(1, 5)]
    big = [("big", "2026-05-08", f"p{n}", n) for n in range(1, 121)]
    files = {"small": small, "big": big, "both": [*small, *big]}
    for name, rows in files.items():
        frame = pl.DataFrame(rows, ["event", "time", "player", "rank"], orient="row")
        frame.write_csv(tmp_path / f"{name}.csv")
    one, other, both = (tmp_path / f"{name}.csv" for name in files)
    answers = [podium_here("changes", *asked, "--json") for asked in ([one, "--preview", other], [both])]
    assert all("The default for these results was races" in answer.stderr for answer in answers)
    preview, real = (json.loads(answer.stdout) for answer in answers)
    assert (preview["system"], preview["changes"]) == ("contests", real["changes"])
    for asked in ([one, "--preview", other], [both], [both, "--event", "small 1"]):
        said = " ".join(succeeded("changes", *asked, "--top", 0).split())
        assert "The default for these results was races, and is now contests" in said
        assert "--system races" in said
        assert "default" not in succeeded("changes", *asked, "--top", 0, "--system", "races")
    assert "default" not in succeeded("changes", one, "--top", 0)
    said = " ".join(succeeded("what-if", both, "--without", "big", "--top", 0).split())
    assert "By default, contests rates the results and races rates the corrected results" in said
    moved = json.loads(podium_here("what-if", both, "--without", "big", "--json").stdout)["moves"]
    alone = {row["player"]: row["display"] for row in said_json("rate", one)["ratings"]}
    assert {row["player"]: row["display"] for row in moved if row["display"] is not None} == alone
