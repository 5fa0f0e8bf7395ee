"""Plain words: every text that users meet keeps the rules of `plain_words`.

Each area has a ceiling of retired words. A ceiling may only go down: lower it when you mend an area. In the
folder `tests`, `python test_plain_words.py` prints the counts of today, and the sentences of the areas named.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import podium
import podium.checks
from cli.test_help_pages import COMMANDS, context
from docs_pages import PAGES
from plain_words import faults, long, messages, sentences
from podium.sklearn import RatingClassifier, RatingFeatures

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "podium"
FEW = 0.05
"""The part of an area's sentences that may be long."""
SMALLEST = 20
"""An area of fewer sentences may have one long one."""

CEILINGS: dict[str, int] = {}
"""Sentences with retired words by area, where there still are any. Other areas have none."""


def modules(room: str) -> list[Path]:
    """The modules of a room, which is a folder or a file."""
    path = SOURCE / room
    return [path] if path.suffix else sorted(path.rglob("*.py"))


def rooms() -> list[str]:
    """The folders and files of the package."""
    return sorted(
        one.name for one in SOURCE.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()
    )


def messages_of(room: str) -> list[str]:
    """The texts in the code of a room."""
    return [text for path in modules(room) for text in messages(path)]


def command_help() -> list[str]:
    """The help of all commands, arguments and options."""
    found = []
    for path, command in COMMANDS:
        found.append(command.help or "")
        found += [
            one.help or "" for one in command.get_params(context(path, command)) if hasattr(one, "help")
        ]
    return found


def public_docstrings() -> list[str]:
    """What `help` prints of every public name and its methods, without examples."""
    found = {}
    for name in podium.__all__:
        one = getattr(podium, name)
        found[name] = inspect.getdoc(one) or ""
        if inspect.isclass(one):
            for own, member in inspect.getmembers(one):
                if not own.startswith("_") and callable(member):
                    found[f"{name}.{own}"] = inspect.getdoc(member) or ""
    return [without_examples(text) for text in found.values()]


def without_examples(text: str) -> str:
    """A docstring up to its examples, which are code."""
    return re.sub(r"^\s*>>>.*?(?=\n\s*\n|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)


def templates_of(room: str) -> list[str]:
    """The words in the templates of a room: what stands between tags."""
    found = []
    for path in sorted((SOURCE / room).rglob("*.html")):
        text = re.sub(
            r"<(script|style)\b.*?</\1>|\{#.*?#\}", " ", path.read_text(encoding="utf-8"), flags=re.DOTALL
        )
        text = re.sub(r"\{\{.*?\}\}", "…", text, flags=re.DOTALL)
        text = re.sub(r"</?(?:a|b|i|em|strong|code|abbr|span|time|kbd)\b[^>]*>", "", text)
        found += [" ".join(one.split()) for one in re.split(r"<[^>]*>|\{%.*?%\}", text)]
    return [one for one in found if len(re.findall(r"[A-Za-z]{2,}", one)) >= 3]


def page(path: Path) -> list[str]:
    """A page of the documentation, without its code and the tables that programs write into it."""
    text = re.sub(
        r"<!-- (?:made|study): .*?<!-- end -->",
        "",
        path.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    return [re.sub(r"^#.*$", "", text, flags=re.MULTILINE)]


AREAS: dict[str, Callable[[], list[str]]] = {
    "help of commands": command_help,
    "docstrings of public names": public_docstrings,
    "templates of pages": lambda: templates_of("pages"),
    "templates of server": lambda: templates_of("server"),
}
AREAS |= {f"messages of {room.removesuffix('.py')}": lambda room=room: messages_of(room) for room in rooms()}
AREAS |= {path.relative_to(ROOT).as_posix(): lambda path=path: page(path) for path in PAGES}


@pytest.mark.parametrize("area", AREAS)
def test_no_retired_words(area: str) -> None:
    found = [f"[{one.words}] {one.sentence}" for text in AREAS[area]() for one in faults(text)]
    assert len(found) <= CEILINGS.get(area, 0), "\n".join(found)


@pytest.mark.parametrize("area", AREAS)
def test_sentences_are_short(area: str) -> None:
    said = [sentence for text in AREAS[area]() for sentence in sentences(text)]
    too_long = [sentence for sentence in said if long(sentence)]
    assert len(too_long) <= max(FEW * len(said), 1 if len(said) < SMALLEST else 0), "\n".join(too_long)


def public() -> dict[str, object]:
    """The public classes and functions by name."""
    found = {f"podium.{name}": getattr(podium, name) for name in podium.__all__}
    found |= {f"podium.checks.{name}": getattr(podium.checks, name) for name in podium.checks.__all__}
    found |= {f"podium.sklearn.{one.__name__}": one for one in (RatingClassifier, RatingFeatures)}
    return {name: one for name, one in found.items() if inspect.isclass(one) or inspect.isfunction(one)}


def takes_arguments(one: object) -> bool:
    """Whether a user calls it: a function, or a class with its own `__init__`."""
    return inspect.isfunction(one) or ("__init__" in vars(one) and not getattr(one, "_is_protocol", False))


def test_every_public_name_is_documented() -> None:
    assert not [name for name, one in public().items() if not inspect.getdoc(one)]


def test_public_names_show_an_example() -> None:
    """`tests/test_documentation.py` runs them."""
    assert not [name for name, one in public().items() if ">>>" not in (inspect.getdoc(one) or "")]


@pytest.mark.parametrize("name", [name for name, one in public().items() if takes_arguments(one)])
def test_the_arguments_of_public_names_are_described(name: str) -> None:
    one = public()[name]
    described = f"{inspect.getdoc(one)}\n{inspect.getdoc(one.__init__) if inspect.isclass(one) else ''}"
    given = [own for own in inspect.signature(one).parameters if not own.startswith("_")]
    assert not [own for own in given if not re.search(rf"^ *{own}: \S", described, re.MULTILINE)]


EXPERT = re.compile(
    r"(?<![.\w-])(?:TOML|NDJSON|Parquet|Dask|stdin|stdout|HTTP|digest|checksum|bootstrap|resamples|prior|sandwich|UTF-8|"
    r"standard deviation|covariate|cluster|regularisation|serialis\w+)\b"
)
"""Words that only experts know. `--help` leaves them to `--help-all`."""


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path, _ in COMMANDS])
def test_the_first_help_needs_no_expert(path: tuple[str, ...], command: Any) -> None:
    ctx = context(path, command)
    rare = command.rare
    usual = [one.help or "" for one in command.get_params(ctx) if one not in rare and one.name != "help_all"]
    assert [text for text in [command.help or "", *usual] if EXPERT.search(text)] == []


DEFINED = (
    "player, event, match, contest, ladder, rating, mu, sigma, display, deviation, performance, provisional, "
    "ranked, season, tier, ticket, queue, pool, proposal, tick, idempotency key, generation"
)


def test_the_glossary_defines_the_words_of_the_interface() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = {
        word.strip() for cell in re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE) for word in cell.split(",")
    }
    assert [word for word in DEFINED.split(", ") if word not in words] == []


# ---------------------------------------------------------------------- the rules catch what they are for


@pytest.mark.parametrize(
    "bad",
    [
        "Print a link by which somebody logs in to the service.",
        "Whoever loses is out.",
        "It computes everything anew.",
        "A key is valid for ever.",
        "The column is told by --column.",
        "Default: what the variable says.",
        "A fault of its own.",
        "Nobody's own result moves the own start.",
        "the player stands twice in one event",
        "The rest goes on from there.",
        "A name beside the other.",
        "Give a file; podium reads it.",
        "points of whom most are lost",
        "the file holds what a job made",
        "the doorkeeper refuses",
        "the cell is 'x', which is no result",
    ],
)
def test_a_bad_text_is_found(bad: str) -> None:
    assert list(faults(bad))


@pytest.mark.parametrize(
    "good",
    [
        "Players who are waiting: a table with one row per player.",
        "Confirmed reports survive a crash. Sending one twice has no effect.",
        "Players whose predictions are scored: everyone, experienced:10.",
        "The backup, `somebody; else`, is code.",
        "What is a rating?",
        "There is no player ann, who is no longer here.",
    ],
)
def test_a_good_text_is_left_alone(good: str) -> None:
    assert not list(faults(good))


def test_a_long_sentence_is_found() -> None:
    assert long(" ".join(["word"] * 30))
    assert not long(" ".join(["word"] * 29))
    assert sentences("One is here. Two are there.") == ["One is here.", "Two are there."]


def test_hints_with_an_option_of_python_are_prose(tmp_path: Path) -> None:
    module = tmp_path / "one.py"
    module.write_text("HINT = \"sort the rows; leave it out: --column time= (columns={'time': None})\"\n")
    (found,) = messages(module)
    assert [one.words for one in faults(found)] == [";"]


def test_texts_in_code_are_found(tmp_path: Path) -> None:
    module = tmp_path / "one.py"
    module.write_text(
        '"""A docstring that is not a message."""\n'
        "def check(n):\n"
        "    raise ValueError(f'there are {n} players, and nobody else' ' is here')\n"
    )
    assert list(messages(module)) == ["there are … players, and nobody else is here"]


def print_counts(asked: list[str]) -> None:
    """The counts of each area, and the sentences of the areas asked for."""
    for area, collected in AREAS.items():
        found = [one for text in collected() for one in faults(text)]
        said = [sentence for text in collected() for sentence in sentences(text)]
        print(f"{area}: {len(found)} of {len(said)}, {sum(map(long, said))} long")
        if area in asked:
            print(*(f"  [{one.words}] {one.sentence}" for one in found), sep="\n")
            print(*(f"  [long] {one}" for one in said if long(one)), sep="\n")


if __name__ == "__main__":
    print_counts(sys.argv[1:])
