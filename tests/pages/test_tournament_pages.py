"""Tournaments of a website: every page is there, its links lead somewhere, and it shows what happened."""

from __future__ import annotations

import json
from pathlib import Path

from cli.command import failed, succeeded
from pages.site_links import broken_links
from podium.tournaments.tournament import Tournament

RESULTS = "winner,loser\nann,bob\ncat,dan\nann,cat\n"


def saved(path: Path, form: str, name: str, rounds: int, players: str = "ann bob cat dan eve") -> Path:
    """A tournament after some rounds, the last of which is open if the tournament has more."""
    tournament = Tournament(form, name=name)
    for player in players.split():
        tournament.join(player, club="north" if form == "knockout" and player < "c" else None)
    for _ in range(rounds):
        for game in tournament.field.unfinished:
            tournament.result(game.number, "2:1")
        tournament.pair()
    if form.startswith("swiss"):
        for game in tournament.field.unfinished:
            tournament.result(game.number, "2:1")
    tournament.save(path)
    return path


def test_finished_and_running_tournaments(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RESULTS)
    files = [
        saved(tmp_path / "swiss.jsonl", "swiss:2", "Spring cup", 2),
        saved(tmp_path / "cup.jsonl", "knockout", "Spring cup", 2),
        saved(tmp_path / "night.jsonl", "evening:2v2", "<b>Night & day</b>", 1),
        saved(tmp_path / "new.jsonl", "groups:2x1", "Not yet", 0),
    ]
    given = [word for file in files for word in ("--tournament", str(file))]
    out = tmp_path / "site"
    for _ in range(2):  # the second time most pages are the same
        succeeded("site", str(tmp_path / "r.csv"), "--out", str(out), *given)
        assert broken_links(out) == []
        assert len(list(out.rglob("tournaments/*.html"))) == 4
    listed = (out / "tournaments.html").read_text()
    assert listed.count("Spring cup") == 2
    assert "&lt;b&gt;Night &amp; day&lt;/b&gt;" in listed
    assert "tournaments.html" in (out / "index.html").read_text()
    (swiss,) = [page for page in out.glob("tournaments/*.html") if "Final standings" in page.read_text()]
    assert "Swiss, 2 rounds. 5 entrants, finished." in swiss.read_text()
    told = json.loads(swiss.with_suffix(".json").read_text())
    assert (told["kind"], told["finished"], len(told["rounds"])) == ("tournament", True, 2)
    path = (swiss.with_suffix("") / "players" / "1.html").read_text()
    assert "Where the numbers come from" in path
    assert "Rating and history" in path
    bracket = [page for page in out.glob("tournaments/*.html") if '<svg class="bracket' in page.read_text()]
    assert len(bracket) == 1


def test_what_is_no_tournament_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RESULTS)
    results = str(tmp_path / "r.csv")
    said = failed(1, "site", results, "--out", str(tmp_path / "s"), "--tournament", results)
    assert "line 1 is not a JSON object" in said
    assert not (tmp_path / "s").exists()


def test_each_tournament_is_with_the_ladder_that_knows_its_entrants(tmp_path: Path) -> None:
    (tmp_path / "chess.csv").write_text(RESULTS)
    (tmp_path / "darts.csv").write_text(RESULTS.replace("ann", "fay").replace("cat", "gil"))
    (tmp_path / "golf.csv").write_text("winner,loser\nx,y\n")
    saved(tmp_path / "a.jsonl", "swiss:2", "Chess day", 1)
    saved(tmp_path / "b.jsonl", "swiss:2", "Darts day", 1, "fay gil bob dan")
    given = [word for name in "ab" for word in ("--tournament", str(tmp_path / f"{name}.jsonl"))]
    files = [str(tmp_path / f"{name}.csv") for name in ("chess", "darts", "golf")]
    out = tmp_path / "site"
    succeeded("site", *files, "--out", str(out), *given)
    assert broken_links(out) == []
    shown = {path.parent.name: path.read_text() for path in out.rglob("tournaments.html")}
    assert sorted(shown) == ["chess_", "darts_"]
    assert [("Chess day" in text, "Darts day" in text) for _, text in sorted(shown.items())] == [
        (True, False),
        (False, True),
    ]


def test_a_finished_match_of_teams_shows_its_boards(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RESULTS)
    teams, cup = Tournament("round-robin", name="Teams"), Tournament("knockout:double", name="Double")
    teams.join("Reds", members=["ann", "bob"])
    teams.join("Blues", members=["cat", "dan"])
    teams.pair()
    teams.team_result("Reds", ["1:0", "½:½"])
    for name in ("ann", "bob", "cat"):
        cup.join(name)
    cup.pair()
    given = list[str]()
    for tournament in (teams, cup):
        tournament.save(tmp_path / f"{tournament.name}.jsonl")
        given += ["--tournament", str(tmp_path / f"{tournament.name}.jsonl")]
    out = tmp_path / "site"
    succeeded("site", str(tmp_path / "r.csv"), "--out", str(out), *given)
    pages = [path.read_text() for path in out.glob("tournaments/*.html")]
    (match,) = (text for text in pages if "Reds" in text)
    assert "1½:½" in match
    assert '<ul class="on-boards">' in match
    (double,) = (text for text in pages if "Double knockout. 3 entrants" in text)
    assert '<h2 id="bracket-1">' in double
    assert '<h2 id="bracket-2">' not in double  # nobody has lost yet
