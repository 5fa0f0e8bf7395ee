"""The system that docs/adding-a-system.md writes keeps the laws it is said to keep."""

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


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RatingSystem]:
    code = re.search(r"```python name=\S+\n(from __future__.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    path = tmp_path_factory.mktemp("documented") / "documented_win_share.py"
    path.write_text(code[1])
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    with temporary_registrations():
        exec(compile(code[1], str(path), "exec"), module.__dict__)
        yield module.WinShare()
    del sys.modules[path.stem]


@pytest.mark.parametrize("law", laws(), ids=str)
def test_law(system: RatingSystem, law: Law) -> None:
    law.check(system)
