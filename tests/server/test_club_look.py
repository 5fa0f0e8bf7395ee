"""The club's name, words, colour and logo on the pages of a service."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from podium.errors import ParameterError
from podium.server.http.app import make_app
from podium.server.live_pages.club_look import LARGEST_LOGO, check_club
from podium.server.settings import ServerSettings

LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'


def test_pages_show_the_club(tmp_path: Path) -> None:
    logo = tmp_path / "nord.svg"
    logo.write_text(LOGO)
    settings = ServerSettings(
        database=str(tmp_path / "podium.db"),
        club="Nord <Chess>",
        club_words="We meet on Tuesdays.",
        club_colour="#1f6f43",
        club_logo=str(logo),
    )
    with TestClient(make_app(settings), client=("127.0.0.1", 50_000)) as client:
        client.post("/api/v1/ladders", json={"slug": "chess", "title": "Rapid"})
        client.post("/api/v1/ladders/chess/events", json={"ranks": {"ann": 1, "bob": 2}})
        front, board = client.get("/").text, client.get("/ladders/chess/").text
        assert "We meet on Tuesdays." in front
        assert "place-1" in front
        for page in (front, board, client.get("/ladders/none/").text, client.get("/login").text):
            assert "Nord &lt;Chess&gt;" in page
            assert '<meta name="theme-color" content="#1f6f43">' in page
            style, picture = (page.split(start)[1].split('"')[0] for start in MADE)
            assert client.get(style).text == ".top { border-top: 0.3rem solid #1f6f43; }\n"
            answer = client.get(picture)
            assert (answer.text, answer.headers["content-type"]) == (LOGO, "image/svg+xml")


MADE = ('<meta name="theme-color" content="#1f6f43">\n<link rel="stylesheet" href="', 'class="logo" src="')


def test_a_service_without_a_club_has_no_such_files(tmp_path: Path) -> None:
    with TestClient(make_app(ServerSettings(database=str(tmp_path / "podium.db")))) as client:
        assert "theme-color" not in client.get("/").text
        assert [client.get(f"/assets/0/{name}").status_code for name in ("club.css", "logo")] == [404, 404]


def test_what_pages_cannot_show_is_refused_at_the_start(tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    large.write_bytes(bytes(LARGEST_LOGO + 1))
    for given, words in (
        ({"club_colour": "green"}, "club_colour is 'green'"),
        ({"club_logo": "nord.gif"}, "a logo is a file of .png"),
        ({"club_logo": str(tmp_path / "none.png")}, "cannot be read"),
        ({"club_logo": str(large)}, "more than 500,000"),
    ):
        with pytest.raises(ParameterError, match=words):
            check_club(ServerSettings(**given))
