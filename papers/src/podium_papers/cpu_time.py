"""How long work takes on the processor, which does not depend on what else the machine does at that time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def cpu_timed(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> tuple[T, float]:
    """Call a function in this process; its result, and the processor seconds of all threads together.

    >>> cpu_timed(sum, [2, 2])[0]
    4
    """
    began = time.process_time()
    result = work(*given, **named)
    return result, time.process_time() - began
