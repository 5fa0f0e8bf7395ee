"""The pages of docs/reference are those that the code gives, and nothing public is missing in them."""

from __future__ import annotations

import inspect

import pytest

import podium
from cli.test_help_pages import COMMANDS
from reference_pages import FOLDER, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_up_to_date(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == PAGES[name], "make documents writes the reference again"


def test_no_page_is_left_over() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(PAGES)


def test_every_public_name_is_described() -> None:
    text = "\n".join(PAGES.values())
    public = {name: getattr(podium, name) for name in podium.__all__}
    named = [name for name, one in public.items() if inspect.isclass(one) or inspect.isfunction(one)]
    assert [name for name in named if f"## podium.{name}\n" not in text] == []


def test_every_command_and_system_is_described() -> None:
    told = [f"## podium {' '.join(path)}\n" for path, _ in COMMANDS if path[0] != "reproduce"]
    assert [one for one in told if one not in PAGES["commands.md"]] == []
    assert [name for name in podium.list_systems() if f"## {name}\n" not in PAGES["systems.md"]] == []
