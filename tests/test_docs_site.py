"""The documentation as a website: every page is in it once, it loads nothing, and a dead link fails."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs_pages import DOCS, ROOT

SETTINGS = ROOT / "zensical.toml"


def pages_of(nav: list[Any]) -> Iterator[str]:
    for item in nav:
        if isinstance(item, str):
            yield item
        else:
            for inner in item.values():
                yield from pages_of(inner)


NAV = list(pages_of(tomllib.loads(SETTINGS.read_text(encoding="utf-8"))["project"]["nav"]))


def built(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documentation")
    (folder / "zensical.toml").write_text(SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    for path in DOCS.rglob("*"):
        if path.suffix in (".md", ".png", ".svg"):
            copy = folder / "docs" / path.relative_to(DOCS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    answer = built(folder)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return folder / "build" / "docs"


def test_every_page_is_in_the_menu_once() -> None:
    assert sorted(NAV) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([^)#]+)", (DOCS / "index.md").read_text(encoding="utf-8")))
    assert {page for page in NAV if not page.startswith("papers/")} - linked == {"index.md"}


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=[\"']?(https?://[^\"' >]+)", page.read_text()
        )
        assert not loaded, page


def test_letters_of_all_languages_stay_in_anchors(site: Path) -> None:
    assert 'id="teams-in-elo-mmχ"' in (site / "teams.html").read_text(encoding="utf-8")


def test_a_dead_link_fails(tmp_path: Path) -> None:
    settings = SETTINGS.read_text(encoding="utf-8")
    settings = re.sub(r"^nav = \[.*?^\]$", "", settings, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "zensical.toml").write_text(settings, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "index.md"
    page.write_text("# One\n\n[two](#one)\n", encoding="utf-8")
    assert built(tmp_path).returncode == 0
    page.write_text("# One\n\n[two](two.md)\n", encoding="utf-8")
    assert built(tmp_path).returncode != 0
