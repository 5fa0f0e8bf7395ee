"""Podium against the vectors of its peers' test suites: one table, in `docs/peers.md` and here.

Each suite (`systems.peers`) has vectors: what podium finds, and what the peer's tests want, to the digits
they give. Those that differ are in `differs` with the reason, and must differ: a reason that is no longer
true fails too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from systems.peers.federation_vectors import skillratings
from systems.peers.glicko_vectors import glicko
from systems.peers.openskill_vectors import openskill
from systems.peers.suites import Suite, Vector
from systems.peers.trueskill_vectors import trueskill

TABLE = [trueskill(), *openskill(), *skillratings(), *glicko()]
CASES = [(suite, vector) for suite in TABLE for vector in suite.vectors]
PAGE = Path(__file__).parents[2] / "docs" / "peers.md"


@pytest.mark.parametrize(
    ("suite", "vector"), CASES, ids=[f"{suite.peer}: {vector.what}" for suite, vector in CASES]
)
def test_vector(suite: Suite, vector: Vector) -> None:
    found, wanted = _flat(vector.found()), _flat(vector.wanted)
    equal = len(found) == len(wanted) and all(
        abs(mine - theirs) <= vector.digits * 1.0001 for mine, theirs in zip(found, wanted, strict=True)
    )
    assert equal == (vector.what not in suite.differs), (found, wanted)


def test_every_reason_is_of_a_vector() -> None:
    for suite in TABLE:
        assert suite.differs.keys() <= {vector.what for vector in suite.vectors}


def test_the_page_has_the_table() -> None:
    """Each suite with its numbers, and their sum; no other."""
    equal = len(CASES) - sum(len(suite.differs) for suite in TABLE)
    rows = [suite.row for suite in TABLE] + [f"| all | | {len(CASES)} | {equal} | |"]
    head = "| suite | source | vectors | equal | different, and why |\n|---|---|---|---|---|\n"
    assert head + "\n".join(rows) + "\n" in PAGE.read_text()


def _flat(numbers: object) -> list[float]:
    if isinstance(numbers, list | tuple):
        return [number for one in numbers for number in _flat(one)]
    return [float(numbers)]  # type: ignore[arg-type]
