"""`podium site`: a website of a file, of several, of a saved ladder; written again as little as needed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cli.command import failed, podium_here, succeeded
from pages.site_links import broken_links, reachable
from pages.test_page_names import HOSTILE
from podium import Elo, Ladder
from podium.pages import urls
from podium.pages.site_folders import MANIFEST
from podium.pages.urls import page_name
from podium.tables.names.player_numbers import tidy_names

CONTESTS = """\
event,time,player,rank
one,2026-01-01,ann,1
one,2026-01-01,bob,2
one,2026-01-01,cat,3
two,2026-01-08,bob,1
two,2026-01-08,cat,2
two,2026-01-08,dan,3
"""
LATER = """\
three,2026-01-15,ann,1
three,2026-01-15,bob,2
"""


@pytest.fixture
def contests(tmp_path: Path) -> Path:
    path = tmp_path / "contests.csv"
    path.write_text(CONTESTS)
    return path


def written(folder: Path) -> dict[str, int]:
    """The files of a site, and which file on disk each is."""
    return {str(path.relative_to(folder)): path.stat().st_ino for path in folder.rglob("*") if path.is_file()}


def player_page(name: str) -> str:
    page = page_name(name)
    return f"players/{page[0]}/{page}"


def test_a_site_of_a_file(contests: Path) -> None:
    out = contests.parent / "public"
    said = succeeded("site", contests, "--out", out, "--title", "Our league", "--system", "elo")
    assert said.splitlines()[0] == "contests: elo, 4 players, 2 events"
    assert f"wrote {out}: " in said
    assert said.splitlines()[-1] == f"open {out / 'index.html'}"
    assert broken_links(out) == []
    pages = {name for name in written(out) if name.endswith(".html")}
    assert reachable(out) == pages
    assert {f"{player_page(name)}.html" for name in ("ann", "bob", "cat", "dan")} <= pages
    assert "Our league" in (out / "index.html").read_text()
    for page in pages:  # each has a twin, which says what it is
        twin = json.loads((out / page).with_suffix(".json").read_text())
        assert twin["podium"] == 1
        assert twin["kind"].split("-")[-1] in ("page", "list")
    assert {path.name for path in contests.parent.iterdir()} == {"contests.csv", "public"}
    manifest = json.loads((out / MANIFEST).read_text())
    assert len(manifest["pages"]) == len(pages)
    assert f"{len(pages)} pages" in said


def test_downloads_hold_ratings_and_results(contests: Path) -> None:
    out = contests.parent / "public"
    succeeded("site", contests, "--out", out, "--system", "elo", "--min-events", "2")
    for name in ("ratings", "results"):
        frames = [
            pl.read_csv(out / "downloads" / f"{name}.csv", try_parse_dates=False),
            pl.read_parquet(out / "downloads" / f"{name}.parquet"),
            pl.read_ndjson(out / "downloads" / f"{name}.ndjson"),
        ]
        assert [frame.columns for frame in frames] == [frames[0].columns] * 3
        assert [len(frame) for frame in frames] == [4 if name == "ratings" else 6] * 3
    ratings = pl.read_csv(out / "downloads" / "ratings.csv")
    assert dict(zip(ratings["player"], ratings["place"], strict=True))["ann"] is None  # one event


def test_equal_pages_are_linked_and_others_written(contests: Path) -> None:
    out = contests.parent / "public"
    command = ["site", contests, "--out", out, "--system", "elo"]
    succeeded(*command)
    first = written(out)
    pages = sum(name.endswith(".html") for name in first)
    said = succeeded(*command)
    assert f"{pages} pages, {pages} of them unchanged" in said
    second = written(out)
    assert {name for name in first if first[name] != second[name]} == {MANIFEST}
    with contests.open("a") as file:
        file.write(LATER)
    succeeded(*command)
    third = written(out)
    assert broken_links(out) == []
    same = {name for name in second if second[name] == third.get(name)}
    for name in ("cat", "dan"):  # who did not take part
        assert f"{player_page(name)}.html" in same
        assert f"{player_page(name)}.json" in same
    for name in ("ann", "bob"):
        assert f"{player_page(name)}.html" not in same
    assert "events/one_.html" in same
    assert "events/three_.html" in third
    assert "index.html" not in same
    # Another title is on every page.
    assert "as before" not in succeeded(*command, "--title", "Another")


def test_hostile_names(tmp_path: Path) -> None:
    # Files cannot hold the last two names, and reading tidies some: what looks the same is the same.
    names = tidy_names(pl.Series(HOSTILE[:-2])).unique().sort().to_list()
    assert len(names) == len(HOSTILE) - 4
    rows = [{"event": "<b>one</b> ../x", "player": name, "rank": 1 + i} for i, name in enumerate(names)]
    rows += [{"event": "two & more", "player": name, "rank": 1 + i} for i, name in enumerate(names[::-1])]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    out = tmp_path / "public"
    answer = podium_here("site", tmp_path / "a.csv", "--out", out, "--system", "elo")  # which warns of names
    assert f"{len(names)} players" in answer.stdout, answer.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "public"}
    assert broken_links(out) == []
    pages = {name for name in written(out) if name.endswith(".html")}
    assert reachable(out) == pages
    assert {f"{player_page(name)}.html" for name in names} <= pages
    for path in (*out.rglob("*.html"), *out.rglob("*.js")):
        assert "<script>alert" not in path.read_text()
        assert "<b>one" not in path.read_text()
    for name in names:
        assert json.loads((out / f"{player_page(name)}.json").read_text())["player"] == name


def test_players_with_few_events_share_pages(contests: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urls, "OWN_PAGES_UP_TO", 3)
    monkeypatch.setattr(urls, "SHARED_EVENTS", 1)
    out = contests.parent / "public"
    succeeded("site", contests, "--out", out, "--system", "elo")
    assert broken_links(out) == []
    pages = written(out)
    assert f"{player_page('bob')}.html" in pages
    assert f"{player_page('ann')}.html" not in pages
    assert "#ann_" in (out / "index.html").read_text()
    event = pages["events/one_.html"]
    with contests.open("a") as file:
        file.write(LATER)
    succeeded("site", contests, "--out", out, "--system", "elo")
    # ann has a page by now; the page of an event of before still leads to her, by way of the shared one.
    assert f"{player_page('ann')}.html" in written(out)
    assert written(out)["events/one_.html"] == event
    assert "players/few/0.html#ann_" in (out / "events" / "one_.html").read_text()
    assert broken_links(out) == []
    assert reachable(out) == {name for name in written(out) if name.endswith(".html")}


def test_many_matches_have_no_pages_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those without names are called by their days, with and without pages."""
    rows = ["time,winner,loser", "2026-05-01,ann,bob", "2026-05-02,bob,cat", "2026-05-03,ann,cat"]
    (tmp_path / "chess.csv").write_text("\n".join(rows) + "\n")
    out = tmp_path / "public"
    command = ["site", tmp_path / "chess.csv", "--out", out, "--system", "elo"]

    def texts(page: str) -> str:
        return " ".join(re.sub("<[^>]*>", " ", (out / page).read_text(encoding="utf-8")).split())

    succeeded(*command)
    assert len(list((out / "events").glob("*.html"))) == 3
    [ann] = [page.relative_to(out).as_posix() for page in (out / "players").rglob("ann*.html")]
    row = "Date Result Change Rating 3 May 2026 won against cat"
    assert row in texts(ann)
    assert 'href="../../events/3_.html"' in (out / ann).read_text()
    monkeypatch.setattr(urls, "MATCH_PAGES_UP_TO", 2)
    succeeded(*command)
    assert row in texts(ann)
    assert "Event 3" not in texts(ann) + texts("matches.html")
    assert not (out / "events").exists()
    assert broken_links(out) == []
    assert json.loads((out / "event-list" / "1.json").read_text())["events"] == 3


def test_several_ladders_and_a_saved_one(contests: Path, tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("eve", "fay", time="2026-02-01")
    ladder.save(tmp_path / "chess.podium")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "contests.csv").write_text(CONTESTS)
    out = tmp_path / "public"
    files = [contests, tmp_path / "chess.podium", tmp_path / "more" / "contests.csv"]
    said = succeeded("site", *files, "--out", out, "--title", "Our club")
    assert said.count("contests: ") == 2
    assert broken_links(out) == []
    assert {path.name for path in out.iterdir() if path.is_dir()} == {
        "assets",
        "contests_",
        "chess_",
        "contests_.2",
    }
    front = json.loads((out / "index.json").read_text())
    assert [ladder["title"] for ladder in front["ladders"]] == ["contests", "chess", "contests"]
    assert reachable(out) == {name for name in written(out) if name.endswith(".html")}
    assert "eve" in (out / "chess_" / "index.html").read_text()
    assert not (out / "chess_" / "events").exists()  # a saved ladder does not know them


def test_a_saved_ladder_alone_keeps_its_system(tmp_path: Path) -> None:
    ladder = Ladder(Elo())
    ladder.record_match("eve", "fay")
    ladder.save(tmp_path / "chess.podium")
    succeeded("site", tmp_path / "chess.podium", "--out", tmp_path / "public")
    assert broken_links(tmp_path / "public") == []
    assert json.loads((tmp_path / "public" / "about.json").read_text())["system"] == "elo"
    assert "--set needs --system" in failed(2, "site", tmp_path / "chess.podium", "--set", "k=3")
    with Ladder.open(tmp_path / "log", system=Elo()) as logged:
        logged.record_match("gil", "hal")
    succeeded("site", tmp_path / "log", "--out", tmp_path / "public")
    assert "gil" in (tmp_path / "public" / "index.html").read_text()


def test_tiers_and_parameters_of_a_file(contests: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'system = "elo"\n\n[parameters]\nk = 64\n\n[tiers]\nBronze = {}\nGold = 1510\n'
    )
    out = tmp_path / "public"
    succeeded("site", contests, "--system", tmp_path / "mine.toml", "--out", out)
    board = json.loads((out / "index.json").read_text())
    assert [tier["name"] for tier in board["tiers"]] == ["Bronze", "Gold"]
    assert "Gold" in (out / "index.html").read_text()
    about = json.loads((out / "about.json").read_text())
    assert {row["name"]: row["value"] for row in about["parameters"]}["k"] == 64.0


def test_refusals_leave_everything_as_it_was(contests: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    assert "not a podium website" in failed(1, "site", contests, "--out", mine)
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert "is inside" in failed(2, "site", mine / "thesis.txt", "--out", mine)
    assert "no rating system" in failed(2, "site", contests, "--system", "eloo", "--out", tmp_path / "x")
    out = tmp_path / "public"
    succeeded("site", contests, "--out", out, "--system", "elo")
    before = written(out)
    contests.write_text(CONTESTS + "three,2026-01-15,ann\n")
    assert "line 8" in failed(1, "site", contests, "--out", out, "--system", "elo")
    assert written(out) == before
    contests.write_text(CONTESTS)
    said = failed(2, "site", contests, "--out", out, "--max-sigma", "9", "--system", "elo")
    assert "elo has no sigma" in said


@pytest.mark.long
def test_processes_write_the_same_pages(contests: Path, tmp_path: Path) -> None:
    found = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        succeeded("site", contests, "--out", out, "--title", "Our league", "--system", "elo", "--jobs", jobs)
        files = {name: (out / name).read_bytes() for name in written(out) if not name.startswith("about")}
        found.append({name: text for name, text in files.items() if name != MANIFEST})
    assert found[0] == found[1]


KILLED = """
import sys
from podium.cli.program import main
from podium.pages.ladder_writing import PageWriter

page, done = PageWriter.page, []
def slow_page(self, *given, **options):
    page(self, *given, **options)
    done.append(given)
    if len(done) == 5:
        print("now", flush=True)
        sys.stdin.read()

PageWriter.page = slow_page
main()
"""


def test_a_killed_run_leaves_the_site_whole(contests: Path, tmp_path: Path) -> None:
    out = tmp_path / "public"
    command = ["site", str(contests), "--out", str(out), "--system", "elo"]
    succeeded(*command)
    before = written(out)
    contests.write_text(CONTESTS + LATER)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", KILLED, *command], text=True, **pipes) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "now\n":
            assert process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
    assert written(out) == before
    assert len(list(tmp_path.iterdir())) > 2
    succeeded(*command)
    assert {path.name for path in tmp_path.iterdir()} == {"contests.csv", "public"}
    assert "events/three_.html" in written(out)
    assert broken_links(out) == []
