"""Whatever looks public is: a page of the documentation names it. What is not starts with an underscore."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest

import podium
from docs_pages import PAGES

TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

EVERYDAY = [
    podium.AsyncClient,
    podium.Backtest,
    podium.Client,
    podium.History,
    podium.Ladder,
    podium.Ladders,
    podium.Matchmaker,
    podium.Policy,
    podium.Run,
    podium.Smoothing,
]
INSIDE = {
    "Backtest": {  # for reports and charts
        "measured_metric",
        "resampling",
        "refusals",
        "first_event",
        "interval",
        "interval_of",
        "result",
        "two_sided",
    },
}


def public_names(cls: type) -> set[str]:
    fields = {one.name for one in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set()
    made = set(re.findall(r"self\.(\w+)(?:: [^=\n]+)? = ", inspect.getsource(cls)))
    return {name for name in fields | made | set(dir(cls)) if not name.startswith("_")}


@pytest.mark.parametrize("cls", EVERYDAY, ids=lambda cls: cls.__name__)
def test_what_looks_public_is_documented(cls: type) -> None:
    unknown = {name for name in public_names(cls) if not re.search(rf"\b{name}\b", TEXT)}
    assert unknown - INSIDE.get(cls.__name__, set()) == set()


def test_every_function_of_podium_is_documented() -> None:
    functions = {name for name in podium.__all__ if inspect.isfunction(getattr(podium, name))}
    assert {name for name in functions if not re.search(rf"\b{name}\b", TEXT)} == set()


def public_classes() -> list[type]:
    found = {getattr(podium, name) for name in podium.__all__}
    return sorted((one for one in found if inspect.isclass(one)), key=lambda one: one.__name__)


@pytest.mark.parametrize("cls", public_classes(), ids=lambda cls: cls.__name__)
def test_help_of_a_class_names_its_fields(cls: type) -> None:
    """`help` shows the docstring: each field that a user may read or give stands there with its meaning."""
    fields = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()
    shown = {one.name for one in fields if not one.name.startswith("_")}
    told = set(re.findall(r"^ *(\w+): \S", inspect.getdoc(cls) or "", re.MULTILINE))
    assert shown - told == set()
