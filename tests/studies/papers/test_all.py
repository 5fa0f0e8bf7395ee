"""Whole papers in their quick form, as the command makes them: two always, the others by `pytest -m long`."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path

import pytest

from cli.command import podium, succeeded
from podium.studies.papers import PAPERS

NOTHING = re.compile(r"\b(nan|inf|None)\b")


SHORT = ("elo-r", "elo-mmr-draft")
WHOLE = [
    pytest.param(paper, paper, marks=[] if paper in SHORT else pytest.mark.long, id=paper) for paper in PAPERS
]
whole_papers = pytest.mark.parametrize("folder, paper", WHOLE, indirect=["folder"])


@pytest.fixture(scope="module")
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("papers")
    succeeded("reproduce", request.param, "--quick", "--seed", 3, "--jobs", 1, "--out", out, run=podium)
    return out


@whole_papers
def test_every_number_can_be_traced(folder: Path, paper: str) -> None:
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


@whole_papers
def test_every_page_is_whole(folder: Path, paper: str) -> None:
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
