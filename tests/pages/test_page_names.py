"""Names of pages: whatever people are called, each has a file of its own, inside the folder, for good."""

from __future__ import annotations

import re
import unicodedata

import pytest

from podium.pages import urls as module
from podium.pages.urls import (
    LONGEST_SLUG,
    bundle_number,
    event_page_names,
    name_digest,
    page_name,
    page_names,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" 'name'",
    "../../etc/passwd",
    "..",
    ".",
    "/",
    "C:\\Windows",
    "אבג",
    "\u202eevil",
    "🦊",
    "羽生 結弦",
    "x" * 200,
    "x" * 201,
    "Ann",
    "ann",
    "ANN",
    "Ann ",
    "ann.",
    "Ann-Lee",
    "Ann Lee",
    "ann-lee",
    unicodedata.normalize("NFC", "Zoë"),
    unicodedata.normalize("NFD", "Zoë"),
    "Zoe",
    "con",
    "Con",
    "CON",
    "Nul",
    "Lpt1",
    "%2e%2e%2f",
    "a?b#c&d",
    "index",
    "few",
    "\0",
    "\ud800",
]


def test_hostile_names_have_pages_of_their_own() -> None:
    pages = page_names(HOSTILE)
    assert len(set(pages)) == len(HOSTILE)
    for page in pages:
        assert re.fullmatch(r"[a-z0-9][a-z0-9_-]*", page)  # so no case to fold, nothing to escape, no dots
        assert len(f"{page}.html") < 100
        assert page not in ("con", "nul", "lpt1")  # which Windows would open as devices


def test_plain_names_stay_readable() -> None:
    assert page_names(["Lewis Hamilton", "Great Britain 1950", "tourist", "Brazil"]) == [
        "lewis-hamilton",
        "great-britain-1950",
        "tourist_",
        "brazil",
    ]
    assert page_name("Kimi Räikkönen").startswith("kimi-raikkonen_")
    assert len(page_name("Ab " * 60)) <= LONGEST_SLUG + 11


def test_nobody_else_changes_a_page() -> None:
    alone = [page_names([name])[0] for name in HOSTILE]
    assert page_names(HOSTILE) == alone
    assert page_names(reversed(HOSTILE)) == alone[::-1]


def test_two_names_with_one_digest_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = {"a b": "x" * 20 + "1", "a_b": "x" * 20 + "2", "c d": "y" * 21}
    monkeypatch.setattr(module, "name_digest", lambda name, letters: whole[name][:letters])
    assert page_names(["a b", "c d"]) == ["a-b_xxxxxxxxxx", "c-d_yyyyyyyyyy"]
    assert page_names(list(whole)) == [f"a-b_{'x' * 20}1", f"a-b_{'x' * 20}2", "c-d_yyyyyyyyyy"]


def test_digests_are_the_same_in_every_run() -> None:
    # printf '%s' ann | b2sum -l 256 | xxd -r -p | base32 | head -c 10
    assert name_digest("ann", 10) == "mjeycfnn7x"
    # the first eight bytes of b2sum -l 64, as a number, modulo 64
    assert bundle_number("ann", 64) == 37


def test_events_that_share_a_name() -> None:
    names = ["Final", "Cup", "Final", "Final"]
    assert event_page_names(names) == ["final", "cup", "final.2", "final.3"]
    assert event_page_names(names[:3]) == ["final", "cup", "final.2"]
