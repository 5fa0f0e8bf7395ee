"""The systems that docs/adding-a-system.md writes keep the laws they are said to keep."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from podium.checks import Law, laws
from podium.named import temporary_registrations
from podium.systems import RatingSystem

pytestmark = pytest.mark.compiled

PAGE = Path(__file__).parent.parent.parent / "docs" / "adding-a-system.md"


SYSTEMS = {"WinShare": "win_share", "Drifting": "drifting"}
"""Each class with the file it is written in."""


@pytest.fixture(scope="module", params=SYSTEMS)
def system(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RatingSystem]:
    name = SYSTEMS[request.param]
    code = re.search(rf"```python name={name}.py\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    path = tmp_path_factory.mktemp("documented") / f"documented_{name}.py"
    path.write_text(code[1])
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    with temporary_registrations():
        exec(compile(code[1], str(path), "exec"), module.__dict__)
        yield getattr(module, request.param)()
    del sys.modules[path.stem]


@pytest.mark.parametrize("law", laws(), ids=str)
def test_law(system: RatingSystem, law: Law) -> None:
    law.check(system)
