"""A value for many processes: the arrays are mapped and not copied, and nothing stays on the disk."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest

from podium.arrays import Floats
from podium.cluster import shared_values
from podium.cluster.shared_values import SharedValue, shared_value


@dataclass
class Thing:
    name: str
    numbers: Floats
    empty: Floats


def test_another_process_maps_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    thing = Thing("ann", np.arange(1000.0), np.zeros(0))
    with shared_value(thing) as handle:
        assert handle.load() is thing
        monkeypatch.setattr(shared_values, "_own", {})  # as in a process that does not share it
        found = SharedValue(handle.path, handle.pickled, handle.buffers).load()
        assert found is not thing
        assert found.name == "ann"
        np.testing.assert_array_equal(found.numbers, thing.numbers)
        assert len(found.empty) == 0
        assert not found.numbers.flags.writeable
        assert found.numbers.ctypes.data % shared_values.ALIGNMENT == 0
        assert handle.load() is found  # mapped once
        monkeypatch.undo()
    assert not os.path.exists(handle.path)
