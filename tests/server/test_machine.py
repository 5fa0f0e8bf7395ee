"""Time, randomness, threads and sockets of the service come through one module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import podium.server
from podium.server import machine
from podium.server.access.access_control import RequestLimits

SERVER = Path(podium.server.__file__).parent
OUTSIDE = {"queue", "random", "secrets", "threading", "time", "uuid"}
"""Modules that only `machine` imports."""
REACHED_PAST = {
    "ThreadPoolExecutor",
    "create_connection",
    "datetime.now",
    "datetime.utcnow",
    "os.urandom",
    "socket.create_server",
    "socket.socket",
}
"""Calls that `machine` has a name for."""


def findings(path: Path) -> list[str]:
    """Where a module takes something of the machine by itself."""
    tree, found = ast.parse(path.read_text(encoding="utf-8")), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name in OUTSIDE]
        elif isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            if node.module in OUTSIDE or node.module == "podium.server.machine" or names & REACHED_PAST:
                found.append(f"from {node.module} import {', '.join(sorted(names))}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in REACHED_PAST:
            found.append(ast.unparse(node.func))
    return found


def test_the_service_takes_time_randomness_threads_and_sockets_through_one_module() -> None:
    others = [
        path for path in SERVER.rglob("*.py") if path.name != "machine.py" and "migrations" not in path.parts
    ]
    assert {str(path.relative_to(SERVER)): found for path in others if (found := findings(path))} == {}


def test_a_module_that_reaches_past_is_found(tmp_path: Path) -> None:
    path = tmp_path / "hasty.py"
    path.write_text(
        "import time\nfrom threading import Lock\nfrom podium.server.machine import sleep\n"
        "now, listener = datetime.now(UTC), socket.socket()\n",
        encoding="utf-8",
    )
    assert len(findings(path)) == 5


def test_only_one_module_makes_connections() -> None:
    makers = [
        path.name for path in SERVER.rglob("*.py") if "create_engine(" in path.read_text(encoding="utf-8")
    ]
    assert makers == ["database.py"]


def test_a_replaced_clock_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "monotonic", lambda: 7.0)
    assert RequestLimits()._clock() == 7.0
