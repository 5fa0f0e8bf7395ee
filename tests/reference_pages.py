"""The pages of docs/reference, written from the code: `make documents` renews them.

Commands come from the command line, Python names from their docstrings, systems and settings from their
declarations. So nothing public is missing in them, and nothing is out of date.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
import typer

import podium
from podium.cli.added_commands import AddedCommand
from podium.cli.main import app
from podium.server.settings import ServerSettings

FOLDER = Path(__file__).parent.parent / "docs" / "reference"
OF_MANY = 6
"""Options of so many commands are described once, at the top of the page."""
ROOMS = {
    "results": ("Results and files", ("history", "tables")),
    "ladders": ("Rating and ladders", ("ladder",)),
    "systems": ("Rating systems", ("systems",)),
    "matches": ("Matchmaking and tournaments", ("matchmaking", "tournaments")),
    "comparing": ("Comparing, tuning and fitting", ("evaluation", "tuning", "fitting")),
    "rest": ("Service, errors and the rest", ("client", "documents", "studies", "compiling", "errors")),
}
"""Page -> its title, and the folders whose public names it describes."""
_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Yields):$")
_HEAD = "<!-- Written by `make documents`. -->\n"


def pages() -> dict[str, str]:
    """Every page by its file's name."""
    found = {"commands.md": commands_page(), "systems.md": systems_page(), "settings.md": settings_page()}
    return found | {f"python-{name}.md": python_page(name) for name in ROOMS}


def cell(text: str) -> str:
    """Text in a cell of a table."""
    return escaped(" ".join(text.split()).replace("|", "\\|"))


def escaped(text: str) -> str:
    """Text in which nothing is an HTML tag."""
    return re.sub("<(?=[A-Za-z/!])", "&lt;", text)


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [" | ".join(header), " | ".join("---" for _ in header), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


# ---------------------------------------------------------------------- commands


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, AddedCommand):
            continue  # of another package
        if isinstance(command, click.Group) or hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def commands_page() -> str:
    found = list(commands(typer.main.get_command(app)))
    options = {path: [one for one in command.params if one.name != "help"] for path, command in found}
    texts = Counter((name_of(one), one.help or "") for params in options.values() for one in params)
    shared = {text for text, count in texts.items() if count >= OF_MANY}
    many = {name_of(one): row_of(one) for params in options.values() for one in params if is_in(one, shared)}
    parts = [
        "# Command line\n",
        _HEAD,
        "Every command with its arguments and options. `podium COMMAND --help` prints the usual ones with "
        "examples, and `--help-all` prints all.\n",
        "## Options of many commands\n",
        table(("option", "meaning"), (many[name] for name in sorted(many))) + "\n",
    ]
    for path, command in found:
        parts.append(f"## podium {' '.join(path)}\n")
        parts.append(" ".join(inspect.cleandoc(command.help or "").split()) + "\n")
        own = [row_of(one) for one in options[path] if not is_in(one, shared)]
        if own:
            parts.append(table(("argument or option", "meaning"), own) + "\n")
        others = [f"`{name_of(one)}`" for one in options[path] if is_in(one, shared)]
        if others:
            parts.append(f"And [of many commands](#options-of-many-commands): {', '.join(others)}.\n")
    return "\n".join(parts)


def is_in(one: Any, shared: set[tuple[str, str]]) -> bool:
    return one.param_type_name == "option" and (name_of(one), one.help or "") in shared


def name_of(one: Any) -> str:
    return one.opts[0] if one.param_type_name == "option" else (one.metavar or one.name.upper())


def row_of(one: Any) -> tuple[str, str]:
    metavar = "" if one.param_type_name != "option" or one.is_flag else f" {one.metavar or one.name.upper()}"
    return f"`{name_of(one)}{metavar}`", cell(one.help or "")


# ---------------------------------------------------------------------- systems and settings


def systems_page() -> str:
    parts = [
        "# Parameters of all systems\n",
        _HEAD,
        "A parameter is a field of the system, `--set NAME=VALUE` on the command line, and a key of "
        "`parameters` in files and over HTTP. [Rating systems](../systems.md) helps to choose one.\n",
    ]
    for name, system in podium.list_systems().items():
        parts.append(f"## {name}\n")
        made = system.__name__ if hasattr(podium, system.__name__) else f'make_system("{name}")'
        parts.append(f"`podium.{made}`: {cell(system.summary)}.\n")
        parts.append(parameters_of(system) + "\n")
    return "\n".join(parts)


def settings_page() -> str:
    return "\n".join(
        [
            "# Settings of the service\n",
            _HEAD,
            "Set them with `podium serve --set NAME=VALUE`, with an environment variable such as "
            "`PODIUM_PORT`, or in a [file](../service-operations.md#settings).\n",
            parameters_of(ServerSettings) + "\n",
        ]
    )


def parameters_of(owner: Any) -> str:
    rows = ((f"`{one.name}`", f"`{default_of(one)}`", cell(one.meaning)) for one in owner.declared().values())
    return table(("name", "default", "meaning"), rows)


def default_of(one: Any) -> str:
    value = getattr(one.default, "name", one.default)
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value is None or value == () else f"{value}"


# ---------------------------------------------------------------------- Python


def python_page(page: str) -> str:
    title, rooms = ROOMS[page]
    parts = [f"# Python: {title.lower()}\n", _HEAD]
    for name in sorted(podium.__all__, key=str.lower):
        one = getattr(podium, name)
        if room_of(one) in rooms:
            parts += described(f"podium.{name}", one, "##")
            if inspect.isclass(one) and not is_kind_of_system(one):
                for own, member in members_of(one):
                    parts += described(f"{name}.{own}", member, "###")
    return "\n".join(parts)


def room_of(one: Any) -> str:
    return (getattr(one, "__module__", None) or "").removeprefix("podium.").split(".")[0]


def is_kind_of_system(one: type) -> bool:
    """Whether its methods are those of RatingSystem, which are described there."""
    return issubclass(one, podium.RatingSystem) and one is not podium.RatingSystem


def members_of(one: type) -> Iterator[tuple[str, Any]]:
    """Its public methods and properties that have a docstring, from podium's own classes."""
    for own in dir(one):
        member = inspect.getattr_static(one, own)
        if own.startswith("_") or issubclass(one, Exception):
            continue
        if isinstance(member, classmethod | staticmethod):
            member = member.__func__
        if (inspect.isfunction(member) or isinstance(member, property)) and inspect.getdoc(member):
            yield own, member


def described(name: str, one: Any, level: str) -> list[str]:
    parts = [f"{level} {name}\n"]
    if inspect.isfunction(one):
        called = f"{name.rpartition('.')[2]}{inspect.signature(one)}".replace("'", "")
        lines = textwrap.wrap(called, 100, subsequent_indent="    ", break_long_words=False)
        parts.append("```text\n" + "\n".join(lines) + "\n```\n")
    return parts + list(written(inspect.getdoc(one) or ""))


def written(docstring: str) -> Iterator[str]:
    """A docstring as Markdown: arguments and the like in tables, examples as code."""
    lines = docstring.split("\n")
    while lines:
        if match := _SECTION.match(lines[0]):
            block = list(taken(lines[1:], lambda line: not line.strip() or line.startswith("    ")))
            lines = lines[1 + len(block) :]
            yield from section(match[1], textwrap.dedent("\n".join(block)))
        elif lines[0].startswith(">>>"):
            block = list(taken(lines, lambda line: bool(line.strip())))
            lines = lines[len(block) :]
            yield "```pycon\n" + "\n".join(block) + "\n```\n"
        elif lines[0].strip():
            block = list(taken(lines, lambda line: bool(line.strip()) and not line.startswith(">>>")))
            lines = lines[len(block) :]
            yield escaped("\n".join(block)) + "\n"
        else:
            lines = lines[1:]


def taken(lines: list[str], holds: Any) -> Iterator[str]:
    for line in lines:
        if not holds(line):
            return
        yield line


def section(kind: str, block: str) -> Iterator[str]:
    items = re.split(r"\n(?=\S)", block.strip())
    pairs = [item.partition(":")[::2] for item in items]
    if kind in ("Returns", "Yields"):
        yield f"{kind}: {cell(block)}\n"
    else:
        rows = ((f"`{name.strip()}`", cell(text)) for name, text in pairs)
        header = ({"Args": "argument", "Raises": "error"}.get(kind, "attribute"), "meaning")
        yield table(header, rows) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
