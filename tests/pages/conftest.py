"""A small site, written once."""

from __future__ import annotations

import pytest

from pages.small_sites import SmallSite, written_site


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """A site of two ladders."""
    return written_site(tmp_path_factory.mktemp("sites") / "site")
