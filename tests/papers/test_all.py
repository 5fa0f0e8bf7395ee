"""Whole papers in their quick form, as the command makes them: one always, the others by `pytest -m long`."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from cli.command import podium, succeeded
from podium_papers import PAPERS

NOTHING = re.compile(r"\b(nan|inf|None)\b")


SHORT = ("elo-r",)
WHOLE = [pytest.param(paper, marks=[] if paper in SHORT else pytest.mark.long) for paper in PAPERS]


@pytest.mark.parametrize("paper", WHOLE)
def test_a_whole_paper(paper: str, tmp_path: Path) -> None:
    """In one test, so that two processes of a run do not make the paper twice."""
    succeeded("reproduce", paper, "--quick", "--seed", 3, "--jobs", 1, "--out", tmp_path, run=podium)
    check_numbers(tmp_path, paper)
    check_page(tmp_path, paper)


def check_numbers(folder: Path, paper: str) -> None:
    """Published ones to a place in the paper, ours to seeds or a file, and none of them to nothing."""
    items = PAPERS[paper].items
    assert items
    published = 0
    for name, item in items.items():
        made = json.loads((folder / paper / f"{name}.json").read_text())
        assert made["title"] == item.title
        assert made["words"]
        for number in made["numbers"]:
            assert number["what"]
            assert number["source"]
            assert not NOTHING.search(f"{number['ours']} {number['remark']}"), number
            assert bool(number["published"]) <= bool(number["place"]), number["what"]
            published += bool(number["published"])
    assert published


def check_page(folder: Path, paper: str) -> None:
    """Nothing of it is left out, and it needs no other file."""
    page = (folder / f"{paper}.html").read_text()
    pictures = sorted(path.stem for path in (folder / paper).glob("*.svg"))
    assert page.count("<svg") == len(pictures)
    assert not any(word in page for word in ("<script", "src="))
    written = (folder / f"{paper}.md").read_text()
    for item in PAPERS[paper].items.values():
        assert f"## {item.title}" in written
    for name in pictures:
        assert f"]({paper}/{name}.svg)" in written
        width, height = struct.unpack(">II", (folder / paper / f"{name}.png").read_bytes()[16:24])
        assert 600 < width < 2600
        assert 400 < height < 4000
