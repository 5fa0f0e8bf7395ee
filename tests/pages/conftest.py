"""A small site, written once, and a browser that opens it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pages.small_sites import SmallSite, written_site

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """A site of two ladders."""
    return written_site(tmp_path_factory.mktemp("sites") / "site")


@pytest.fixture(
    scope="module"
)  # while it is open, this thread has a running event loop: not for others' tests
def browser() -> Iterator[Browser]:
    """Chromium as it is installed on this machine."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium on PATH")
    switches = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=switches)
        yield opened
        opened.close()
