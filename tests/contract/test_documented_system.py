"""The system that docs/adding-a-system.md writes keeps the laws it is said to keep."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract import laws
from contract.strategies import histories
from podium.named import temporary_registrations
from podium.systems import RatingSystem

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


@given(data=st.data())
@settings(max_examples=20)
def test_laws(system: RatingSystem, data: Any) -> None:
    can = system.supports
    laws.law_1_pieces(system, data.draw(histories(can)), data.draw(st.lists(st.integers(0, 12), max_size=4)))
    laws.law_2_names_and_rows(system, data.draw(histories(can)), 11)
    laws.law_3_looking(system, data.draw(histories(can, timed=True, max_events=3)))
    laws.law_4_saving(system, data.draw(histories(can, max_events=4)), 2)
    laws.law_5_threads(system, data.draw(histories(can)))
    laws.law_6_finite(system, data.draw(histories(can)))
    laws.law_6_refusal(system)
    laws.law_7_sums(system, data.draw(histories(can)), 0.0)
    laws.law_books(system, data.draw(histories(can, adjusted=False)))
    laws.law_held(system, data.draw(histories(can, adjusted=False)))
