"""docs/service-correcting.md: requests run against a real service and are answered as shown."""

from __future__ import annotations

import re
from pathlib import Path

from podium.server.correcting.generations import KEPT_SECONDS
from podium.server.correcting.near_amendments import NEAR_ROWS
from server.test_service_page import DOCS, commands, curl, matches, running

PAGE = (DOCS / "service-correcting.md").read_text(encoding="utf-8")


def test_requests_are_answered_as_shown(tmp_path: Path) -> None:
    variables: dict[str, str] = {}
    asked = 0
    with running(tmp_path) as server:
        for block in re.findall(r"^```console no-run service\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
            for command, shown in commands(block):
                if assigned := re.fullmatch(r"([A-Z]+)=(\S+)", command):
                    variables[f"${assigned[1]}"] = assigned[2]
                    continue
                for name, value in variables.items():
                    command = command.replace(name, value)
                said, _ = curl(command, tmp_path, server, "")
                assert matches(shown, said), f"{command}\n{said}"
                asked += 1
    assert asked > 12


def test_numbers_are_those_of_the_code() -> None:
    assert f"at most\n  {NEAR_ROWS:,} rows have to be rated again" in PAGE
    assert KEPT_SECONDS == 600
    assert "for ten minutes" in PAGE
