"""`podium rate`: every option, and agreement with the library."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cli.command import failed, podium, podium_here, said_json, succeeded
from podium import Elo, EloMMR, Glicko, Glicko2, History, Ladder, rate, read_history
from podium.tables.written_tables import with_text_times


def test_the_line_everybody_types(results: Path, tmp_path: Path) -> None:
    """As in the issue: `podium rate FILE --system elo --set k=24 --out … --trace … --top 20 --json`."""
    out, trace = tmp_path / "ratings.csv", tmp_path / "trace.parquet"
    said = said_json(
        *["rate", results, "--system", "elo", "--set", "k=24", "--out", out, "--trace", trace, "--top", 20],
        run=podium,
    )
    run = rate(read_history(results), Elo(k=24), trace=True)
    assert said["system"] == "elo"
    assert said["parameters"] == Elo(k=24).parameters()
    assert (said["players"], said["events"], said["skipped_rows"]) == (25, 40, 0)
    assert said["ratings"] == with_text_times(run.ladder.leaderboard(top=20)).to_dicts()
    written = pl.read_csv(out, schema_overrides={"sigma": pl.Float64})
    board = with_text_times(run.leaderboard(top=20))
    assert_frame_equal(written, board, check_exact=True, check_dtypes=False)
    assert_frame_equal(pl.read_parquet(trace), run.trace, check_exact=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ratings.csv", "trace.parquet"]


def test_the_table_shows_the_best(results: Path) -> None:
    said = succeeded("rate", results, "--system", "glicko2", "--top", 3)
    board = rate(read_history(results), Glicko2()).ladder.leaderboard(top=3)
    assert said.splitlines()[0] == "glicko2: 25 players, 40 events"
    for row in board.iter_rows(named=True):
        cells = [row["place"], row["player"], f"{row['sigma']:.1f}", f"{row['display']:.1f}", row["events"]]
        assert (
            "│".join(f" {cell} " for cell in cells).split()
            == [word for line in said.splitlines() if row["player"] + " " in line for word in line.split()][
                1:-3
            ]
        )
    assert "2026-0" in said
    assert "display" in said
    assert " mu " not in said  # the same number twice


def test_players_who_stopped_are_listed_only_if_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "league.csv"
    rows = [
        f"{year}-05-{day:02},{winner},bob"
        for year, winner in ((2024, "old"), (2026, "ann"))
        for day in (1, 8, 15)
    ]
    file.write_text("\n".join(["time,winner,loser", *rows]))

    def ranked(*options: str) -> list[str]:
        return [row["player"] for row in said_json("rate", file, "--system", "elo", *options)["ratings"]]

    assert ranked() == ["ann", "bob"]
    assert ranked("--active-since", "all") == ["old", "ann", "bob"]
    assert "2 of 3 players have an event since 2025-11-16" in succeeded("rate", file)


def test_ratings_have_no_thousands_separators(results: Path) -> None:
    said = succeeded("rate", results, "--set", "mu=123456")
    assert "123,4" not in said
    assert "1234" in said


TEAMS = "event,player,team,rank\n1,ann,x,1\n1,bob,x,1\n1,cat,y,2\n1,dan,y,2\n"


@pytest.mark.parametrize(
    "table, sentence",
    [
        ("winner,loser\nann,bob\n", "matches: glicko2 tuned for matches of two players"),
        (TEAMS, "teams: weng-lin tuned for matches of teams"),
        ("event,player,rank\n1,ann,1\n1,bob,2\n1,cat,3\n", "races: elo-mmr tuned for small contests"),
    ],
)
def test_the_default_suits_the_results(tmp_path: Path, table: str, sentence: str) -> None:
    (tmp_path / "games.csv").write_text(table)
    chosen, counts, *_ = succeeded("rate", "games.csv", cwd=tmp_path).splitlines()
    assert chosen == f"system {sentence} (change: --system NAME)"
    assert counts.startswith(sentence.partition(":")[0] + ": ")
    assert (
        json.loads(succeeded("rate", "games.csv", "--json", cwd=tmp_path))["system"] == counts.split(":")[0]
    )


def test_a_preset_is_a_system_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("winner,loser\nann,bob\n")
    default = succeeded("rate", "games.csv", cwd=tmp_path)
    assert succeeded("rate", "games.csv", "--system", "matches", cwd=tmp_path) == default.partition("\n")[2]


def test_empty_columns_are_not_shown(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("winner,loser\nann,bob\n")
    said = succeeded("rate", "games.csv", "--system", "elo", cwd=tmp_path)
    assert said.startswith("elo: 2 players, 1 event\n")
    assert "sigma" not in said
    assert "last_time" not in said


@pytest.mark.parametrize("top", [0, 1, 1000])
def test_top(results: Path, top: int) -> None:
    assert len(said_json("rate", results, "--top", top)["ratings"]) == min(top, 25)
    lines = succeeded("rate", results, "--top", top).splitlines()
    assert sum("│ player " in line for line in lines) == min(top, 25)


def test_json_has_all_players(results: Path) -> None:
    said = said_json("rate", results)
    assert len(said["ratings"]) == said["players"] == 25
    assert "The first 20 of 25 players." in succeeded("rate", results)


def test_min_events(results: Path) -> None:
    said = said_json("rate", results, "--min-events", 14)
    assert {row["events"] >= 14 for row in said["ratings"]} == {True}
    assert said["ratings"][0]["place"] == 1
    assert said["players"] == 25


def test_provisional_players_follow_without_a_place(results: Path) -> None:
    ranked = said_json("rate", results, "--min-events", 14)["ratings"]
    assert 0 < len(ranked) < 25
    both = said_json("rate", results, "--min-events", 14, "--provisional", "--top", 100)["ratings"]
    assert both[: len(ranked)] == ranked
    assert {row["place"] for row in both[len(ranked) :]} == {None}
    assert {row["events"] >= 14 for row in both[len(ranked) :]} == {False}
    assert len(both) == 25
    said = succeeded("rate", results, "--min-events", 1000, "--provisional", "--top", 3)
    assert sum("│ player " in line for line in said.splitlines()) == 3  # nobody has a place


def test_whoever_was_never_rated_has_no_place(tmp_path: Path) -> None:
    (tmp_path / "may.csv").write_bytes(
        b"event,player,rank,rated\n1,guest,1,no\n1,ann,2,yes\n1,bob,3,yes\n2,ann,1,yes\n2,bob,2,yes\n"
    )
    out, page = tmp_path / "ratings.csv", tmp_path / "may.html"
    said = json.loads(
        podium_here("rate", tmp_path / "may.csv", "--out", out, "--report", page, "--json").stdout
    )
    assert [row["player"] for row in said["ratings"]] == ["ann", "bob"]
    assert said["players"] == 3
    assert sorted(pl.read_csv(out)["player"]) == ["ann", "bob", "guest"]
    assert "guest" not in page.read_text()
    everybody = json.loads(podium_here("rate", tmp_path / "may.csv", "--min-events", 0, "--json").stdout)
    assert {row["player"]: row["events"] for row in everybody["ratings"]} == {"ann": 2, "bob": 2, "guest": 0}


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Ann and bob play often, cat once and long ago, dan once and last."""
    path = tmp_path / "league.csv"
    games = [f"ann,bob,2026-0{month}-01" for month in range(1, 6)]
    path.write_text("\n".join(["winner,loser,time", "cat,bob,2025-03-01", *games, "dan,cat,2026-06-01\n"]))
    return path


@pytest.mark.parametrize(
    ("options", "players"),
    [
        ([], ["ann", "dan", "cat", "bob"]),
        (["--active-since", "2026-05-01"], ["ann", "dan", "cat", "bob"]),
        (["--active-since", "2026-05-02"], ["dan", "cat"]),
        (["--active-since", "4w"], ["dan", "cat"]),  # before the last event, of 1 June
        (["--active-since", "31d"], ["ann", "dan", "cat", "bob"]),
        (["--min-events", 2], ["ann", "cat", "bob"]),
        (["--min-events", 2, "--active-since", "30d"], ["cat"]),
    ],
)
def test_who_is_on_the_leaderboard(league: Path, options: list[object], players: list[str]) -> None:
    out = league.parent / "out.csv"
    said = said_json("rate", league, "--system", "glicko", "--out", out, *options)
    assert [(row["place"], row["player"]) for row in said["ratings"]] == list(enumerate(players, start=1))
    written = pl.read_csv(out)
    assert written.columns[:2] == ["place", "player"]
    assert written["player"].head(len(players)).to_list() == players
    assert sorted(written["player"]) == ["ann", "bob", "cat", "dan"]
    assert written["place"].to_list() == [*range(1, len(players) + 1), *[None] * (4 - len(players))]
    others = written["display"].tail(4 - len(players))
    assert others.to_list() == sorted(others, reverse=True)


def test_only_players_whose_rating_is_known_well(league: Path) -> None:
    whole = said_json("rate", league, "--system", "glicko")["ratings"]
    limit = sorted(row["sigma"] for row in whole)[1]
    said = said_json("rate", league, "--system", "glicko", "--max-sigma", limit)
    assert {row["player"] for row in said["ratings"]} == {"ann", "bob"}
    assert "--max-sigma: elo has no sigma" in " ".join(
        failed(2, "rate", league, "--system", "elo", "--max-sigma", 100).split()
    )


def test_nobody_on_the_leaderboard_is_said(league: Path) -> None:
    options = ["--min-events", 7, "--active-since", "2026-01-01", "--max-sigma", 80]
    said = succeeded("rate", league, "--system", "glicko", *options)
    words = "No player has 7 rated events, an event since 2026-01-01 "
    words += "and a sigma of 80 or less."
    assert " ".join(said.split()).endswith(words)
    page = league.parent / "page.html"
    succeeded("rate", league, "--system", "glicko", *options, "--report", page)
    assert words in page.read_text()


def test_a_date_that_is_none_is_refused_before_the_work(tmp_path: Path) -> None:
    said = " ".join(failed(2, "rate", tmp_path / "missing.csv", "--active-since", "soon").split())
    assert "--active-since: 'soon' is neither a time nor a duration" in said


def test_the_ratings_of_a_date(league: Path, tmp_path: Path) -> None:
    out, saved = tmp_path / "board.parquet", tmp_path / "past.podium"
    asked = ["rate", league, "--system", "glicko2", "--at", "2026-04-15"]
    said = said_json(*asked, "--out", out, "--save", saved)
    past = rate(read_history(league).between(None, "2026-04-16"), Glicko2()).ladder
    board = past.leaderboard(at="2026-04-15")
    assert (said["at"], said["players"], said["events"]) == ("2026-04-15", 3, 5)
    assert said["ratings"] == with_text_times(board).to_dicts()
    everyone = past.leaderboard(at="2026-04-15", provisional=True)
    assert_frame_equal(pl.read_parquet(out), everyone, check_exact=True)
    assert Ladder.load(saved).ratings().equals(past.ratings())
    assert said_json(*asked, "--chunk-rows", 2)["ratings"] == said["ratings"]
    assert succeeded(*asked).startswith(f"glicko2 at 2026-04-15: {said['players']} players, ")
    whole = tmp_path / "whole.podium"
    succeeded("rate", league, "--system", "glicko2", "--save", whole)
    later = league.with_name("later.csv")
    later.write_text(league.read_text().replace("2026-", "2027-").replace("2025-", "2027-"))
    refused = failed(1, "rate", later, "--ladder", whole, "--at", "2026-04-15")
    assert "none for 2026-04-15" in refused


def test_a_date_is_its_midnight_and_says_so(tmp_path: Path) -> None:
    """A club plays in the evening: the leaderboard of a date has none of its games, which is told."""
    evening = tmp_path / "evening.csv"
    rows = ("2026-01-03 19:30,ann,bob", "2026-01-10 19:30,bob,ann", "2026-01-11 19:30,bob,ann")
    evening.write_text("\n".join(["time,winner,loser", *rows]))
    for more in ([], ["--chunk-rows", 1]):
        result = podium_here("rate", evening, "--at", "2026-01-10", *more)
        assert "at 2026-01-10: 2 players, 1 event" in result.stdout
        told = " ".join(result.stderr.split())
        assert "events later on 2026-01-10 are left out; --at 2026-01-10T23:59:59 has them" in told
        assert told.count("left out") == 1
    for at in ("2026-01-10T23:59:59", "2026-01-10 00:00", "2026-01-09"):
        assert "left out" not in podium_here("rate", evening, "--at", at).stderr


def test_top_is_for_the_table_that_is_written_too(league: Path) -> None:
    out = league.parent / "out.csv"
    succeeded("rate", league, "--top", 2, "--out", out)
    assert pl.read_csv(out)["place"].to_list() == [1, 2]
    for more in ([], ["--top", 0]):
        succeeded("rate", league, *more, "--out", out)
        assert pl.read_csv(out).height == 4


def test_rounding(league: Path) -> None:
    out = league.parent / "out.csv"
    exact = said_json("rate", league, "--system", "glicko")["ratings"]
    for digits in (0, 2):
        options = ["--system", "glicko", "--digits", digits, "--out", out]
        said = said_json("rate", league, *options)["ratings"]
        rounded = [
            {key: round(n, digits or None) if type(n) is float else n for key, n in row.items()}
            for row in exact
        ]
        assert said == rounded
        assert out.read_text().splitlines()[1].split(",")[2] == str(rounded[0]["mu"])
        assert f"│ {exact[0]['display']:.{digits}f} │" in " ".join(
            succeeded("rate", league, *options).split()
        )


@pytest.mark.parametrize("name", ["r.csv", "r.tsv.gz", "r.ndjson", "r.csv.zst", "r.parquet"])
def test_every_format_of_out(results: Path, tmp_path: Path, name: str) -> None:
    succeeded(
        "rate",
        results,
        "--out",
        tmp_path / name,
        "--trace",
        tmp_path / f"t{name}",
        "--top",
        0,
        "--system",
        "elo-mmr",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, f"t{name}"])
    if not name.endswith("gz") and "tsv" not in name:
        read = {"csv": pl.read_csv, "ndjson": pl.read_ndjson, "parquet": pl.read_parquet}[name.split(".")[1]]
        ratings = rate(read_history(results), EloMMR()).ratings
        assert read(tmp_path / name)["mu"].to_list() == ratings["mu"].to_list()
        assert len(read(tmp_path / f"t{name}")) == 320


def test_what_was_written_is_said(results: Path, tmp_path: Path) -> None:
    files = ["--trace", "t.csv", "--out", "o.csv", "--save", "l.podium"]
    said = succeeded("rate", results, "--top", 0, *files, "--system", "elo-mmr", cwd=tmp_path)
    assert said == "elo-mmr: 25 players, 40 events\nwrote t.csv, o.csv, l.podium\n"


def test_options_for_reading(tmp_path: Path) -> None:
    (tmp_path / "race.csv").write_text(
        "contest,handle,score,rated,finished\n"
        "a,ann,61.5,yes,yes\na,bob,60.0,yes,yes\na,cat,59.0,no,yes\na,dan,10.0,yes,no\n"
    )
    mapped = ["--column", "event=contest", "--column", "player=handle"]
    history = read_history(
        tmp_path / "race.csv",
        columns={"event": "contest", "player": "handle"},
        lower_is_better=True,
        unrated="drop",
        unfinished="drop",
    )
    said = said_json(
        "rate",
        "race.csv",
        *mapped,
        "--lower-is-better",
        "--unrated",
        "drop",
        "--unfinished",
        "drop",
        "--system",
        "elo-mmr",
        cwd=tmp_path,
    )
    assert said["ratings"] == with_text_times(rate(history, EloMMR()).ladder.leaderboard()).to_dicts()
    assert [row["player"] for row in said["ratings"]] == ["bob", "ann"]
    whole = said_json(
        "rate",
        "race.csv",
        *mapped,
        "--lower-is-better",
        "--min-events",
        0,
        "--system",
        "elo-mmr",
        cwd=tmp_path,
    )
    assert [row["player"] for row in whole["ratings"]] == ["bob", "cat", "ann", "dan"]


def test_several_files_are_one_history(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("winner,loser,time\nann,bob,2026-02-01\n")
    (tmp_path / "a.csv").write_text("winner,loser,time\nbob,cat,2026-01-01\n")
    said = said_json("rate", "b.csv", "a.csv", "--system", "elo-mmr", cwd=tmp_path)
    both = History.concat([read_history(tmp_path / name) for name in ("b.csv", "a.csv")])
    assert said["ratings"] == with_text_times(rate(both, EloMMR()).ladder.leaderboard()).to_dicts()


def test_pieces_give_the_same_bytes(results: Path, tmp_path: Path) -> None:
    """One chunk of everything, chunks of a few rows, and no chunks: the same files to the last byte."""
    answers = []
    for name, more in (("whole", []), ("few", ["--chunk-rows", 30]), ("all", ["--chunk-rows", 10_000])):
        folder = tmp_path / name
        folder.mkdir()
        options = ["--system", "glicko2", "--top", 5, *more]
        text = succeeded("rate", results, *options, "--out", "out.csv", "--trace", "trace.ndjson", cwd=folder)
        succeeded("rate", results, *options, "--out", "out.parquet", "--trace", "trace.parquet", cwd=folder)
        files = [(folder / f).read_bytes() for f in ("out.csv", "trace.ndjson", "out.parquet")]
        answers.append((text, files, pl.read_parquet(folder / "trace.parquet").to_dicts()))
    assert answers[0] == answers[1] == answers[2]


def test_going_on_from_a_saved_ladder(results: Path, tmp_path: Path) -> None:
    """Half now, half later, through a file: the same as all at once, to the last byte."""
    frame = pl.read_csv(results)
    frame.head(160).write_csv(tmp_path / "first.csv")
    frame.tail(160).write_csv(tmp_path / "second.csv")
    glicko = ["--system", "glicko2", "--set", "tau=0.4"]
    succeeded("rate", results, *glicko, "--out", tmp_path / "whole.csv", "--save", tmp_path / "whole.podium")
    succeeded("rate", tmp_path / "first.csv", *glicko, "--save", tmp_path / "league.podium")
    said = succeeded(  # the saved ladder knows its system; it may be written over
        "rate",
        tmp_path / "second.csv",
        "--ladder",
        tmp_path / "league.podium",
        "--save",
        tmp_path / "league.podium",
        "--out",
        tmp_path / "later.csv",
        run=podium,
    )
    assert said.startswith("glicko2 with tau=0.4: 25 players, 40 events")
    assert (tmp_path / "later.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    later, whole = Ladder.load(tmp_path / "league.podium"), Ladder.load(tmp_path / "whole.podium")
    assert later.state == whole.state
    assert later.players == whole.players
    assert said_json("rate", tmp_path / "first.csv", *glicko)["events"] == 20


def test_skipped_rows_are_reported(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text(
        "event,player,rank\n1,ann,1\n1,bob,2\n2,ann,\n2,bob,1\n2,cat,2\n3,ann,x\n3,bob,1\n3,cat,2\n"
    )
    answer = podium_here("rate", "games.csv", "--on-bad-row", "skip", "--json", cwd=tmp_path)
    assert answer.returncode == 0
    said = json.loads(answer.stdout)
    assert (said["events"], said["skipped_rows"]) == (3, 2)
    first, second, total = answer.stderr.splitlines()
    assert first.startswith("skipped games.csv, line 4")
    assert second.startswith("skipped games.csv, line 7")
    assert total == "2 rows skipped"
    chunked = podium_here(
        "rate", "games.csv", "--on-bad-row", "skip", "--json", "--chunk-rows", 3, cwd=tmp_path
    )
    assert (chunked.stdout, chunked.stderr) == (answer.stdout, answer.stderr)


def test_many_skipped_rows_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"ann,\nann,bob{i}\n" for i in range(100))
    (tmp_path / "games.csv").write_text("winner,loser\n" + rows)
    said = podium_here(
        "rate", "games.csv", "--on-bad-row", "skip", "--top", 0, cwd=tmp_path
    ).stderr.splitlines()
    assert len(said) == 22
    assert said[-2:] == ["… and 80 more", "100 rows skipped"]


def test_a_report_in_one_file(results: Path, tmp_path: Path) -> None:
    page = tmp_path / "season.html"
    said = succeeded(
        "rate", results, "--report", page, "--min-events", 3, "--system", "glicko", "--set", "c=50"
    )
    assert said.rstrip().endswith(f"wrote {page}")
    text = page.read_text()
    best = read_history(results)
    first = rate(best, Glicko(c=50)).ladder.leaderboard(top=1, min_events=3)["player"][0]
    assert text.count("<svg") == 4
    assert f"Why {first} has this rating" in text
    assert "Rated by glicko with c=50." in text
    assert "results.csv: 25 players, 40 events." in text
    assert not any(word in text for word in ("<script", "src="))
    assert "must end in .html" in failed(2, "rate", results, "--report", tmp_path / "season.pdf")
    assert "--by makes several" in failed(2, "rate", results, "--report", page, "--by", "event")


def test_a_report_beside_a_trace(results: Path, tmp_path: Path) -> None:
    """Both at once and read in pieces, as each alone."""
    page, trace, alone = tmp_path / "season.html", tmp_path / "trace.csv", tmp_path / "alone.csv"
    said = succeeded("rate", results, "--report", page, "--trace", trace, "--chunk-rows", 30)
    assert said.rstrip().endswith(f"wrote {trace}, {page}")
    assert page.read_text().count("<svg") == 4
    succeeded("rate", results, "--trace", alone)
    assert trace.read_bytes() == alone.read_bytes()


def test_a_report_of_a_ladder_that_goes_on(results: Path, tmp_path: Path) -> None:
    """The best of all may have no part in the new results; nobody may have as many events as asked for."""
    (tmp_path / "later.csv").write_text("event,player,rank\nnew,newcomer,1\nnew,player 3,2\n")
    succeeded("rate", results, "--system", "elo", "--save", tmp_path / "season.podium")
    page, saved = tmp_path / "page.html", tmp_path / "season.podium"
    succeeded("rate", tmp_path / "later.csv", "--ladder", saved, "--report", page)
    text = page.read_text()
    assert "later.csv, after season.podium: 26 players, 41 events in all." in text
    assert "Why newcomer has" in text or "Why player 3 has" in text
    succeeded("rate", results, "--system", "elo", "--min-events", 1000, "--report", page)
    assert "No player has 1,000 rated events." in page.read_text()


def test_a_file_with_a_time_in_the_future_is_rated_with_a_warning(tmp_path: Path) -> None:
    """Who was active of late is counted back from there, which is perhaps a misspelt year."""
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,date\nann,bob,2026-05-01\nbob,cat,2199-05-01\n")
    for command in (
        ["rate", file],
        ["chart", file, "--out", tmp_path / "chart.svg"],
        ["rate", file, "--by", "loser"],
    ):
        answer = podium_here(*command)
        assert answer.returncode == 0, answer.stderr
        assert "the last event is in the future (2199-05-01)" in answer.stderr, command


def test_a_name_that_an_adjustment_made_free_is_warned_of_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("time,winner,loser\n2026-01-01,bob,ann\n2026-03-01,bob,ann\n")
    (tmp_path / "a.csv").write_text("time,adjustment,player,into\n2026-02-01,rename,bob,rob\n")
    done = podium_here("rate", "r.csv", "a.csv", "--system", "elo", cwd=tmp_path)
    assert "warning: 'bob' was renamed to 'rob', and 1 later event names 'bob' again" in done.stderr
