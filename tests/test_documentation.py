"""Documentation: every example of a docstring, of README and of docs/ runs, and links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import podium
import podium_papers
from cli.command import podium_here
from docs_pages import PAGES
from podium.named import temporary_registrations

PACKAGES = [Path(package.__file__).parent for package in (podium, podium_papers)]
ROOT = Path(__file__).parent.parent


def modules() -> dict[str, str]:
    """The text of every module by its name, but for those that run when they are imported."""
    texts = {}
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            if path.stem != "__main__":
                texts[name.removesuffix(".__init__")] = path.read_text()
    return texts


def test_every_module_can_be_imported() -> None:
    for name in modules():
        importlib.import_module(name)


AT_A_SERVICE = "podium.client.service_client"
"""Its examples need a service: `tests/client/test_real_service.py` runs them."""


@pytest.mark.parametrize(
    "name", [name for name, text in modules().items() if ">>>" in text and name != AT_A_SERVICE]
)
def test_docstring_examples(name: str) -> None:
    module = importlib.import_module(name)
    with temporary_registrations():
        # In a context of its own: an example may begin a request, which must not go on in other tests.
        result = copy_context().run(doctest.testmod, module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0
    assert result.attempted > 0


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_documents_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python and shell examples of a page run in order, in one folder; what they print is what the page says.

    A block ```python is run, and where it holds >>> its output is checked; a block ```console runs each line
    after `$ ` and compares the rest. A block with name=FILE, such as ```csv name=FILE, makes that file too.
    """
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, "example", module)  # dataclasses look for it there
    monkeypatch.chdir(tmp_path)
    with temporary_registrations():
        check_document(path, module.__dict__)


def check_document(path: Path, scope: dict[str, Any]) -> None:
    text = path.read_text()
    for kind, argument, block in re.findall(r"^```(\w+)([^\n]*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if "no-run" in argument:
            continue
        if match := re.search(r"name=(\S+)", argument):
            Path(match[1]).write_text(block)
        if kind == "python" and ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, scope, path.name, str(path), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            scope.update(test.globs)
            assert runner.failures == 0, block
        elif kind == "python":
            exec(compile(block, str(path), "exec"), scope)
        elif kind == "console":
            check_console(block, for_real=path.name == "README.md")


def check_console(block: str, for_real: bool) -> None:
    for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, re.MULTILINE):
        answer = run_command(command, for_real)
        # At a terminal a line about a file comes before the result, and one about what was written after it.
        orders = (answer.stdout + answer.stderr, answer.stderr + answer.stdout)
        checker = doctest.OutputChecker()
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        as_shown = any(checker.check_output(shown, said, flags) for said in orders)
        assert not shown.strip() or as_shown, f"{command}\n{orders[0]}"


def run_command(command: str, for_real: bool) -> subprocess.CompletedProcess[str]:
    """A shell's command; podium without pipes or code of one's own may run here, which saves its imports."""
    simple = not set(command) & set("|<>&;$*`") and "--import" not in command
    if simple and not for_real and command.startswith("podium "):
        return podium_here(*shlex.split(command)[1:])
    command = re.sub(r"^podium\b", f"{sys.executable} -m podium", command)
    environment = {**os.environ, "COLUMNS": "80"}
    return subprocess.run(command, shell=True, capture_output=True, text=True, env=environment)


def anchors_of(path: Path) -> set[str]:
    """What links may point to inside a document: its headings, as they are written in addresses."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "benchmarks" / "README.md"], ids=lambda p: f"{p.parent.name}/{p.name}"
)
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link
