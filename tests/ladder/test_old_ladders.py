"""Ladders saved by version 0.1.0 load, and go on to the ratings that version went on to.

`saved_by_0_1_0` was written by podium 0.1.0 before the house was rebuilt: one ladder per system after a few
events, and in `went_on.json` the events that came next and the ratings 0.1.0 had after them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from podium import Ladder

SAVED = Path(__file__).parent / "saved_by_0_1_0"
WENT_ON = json.loads((SAVED / "went_on.json").read_text())


def test_every_system_of_0_1_0_is_there() -> None:
    assert {path.stem for path in SAVED.glob("*.podium")} == set(WENT_ON["systems"])
    assert len(WENT_ON["systems"]) == 12


@pytest.mark.parametrize("name", WENT_ON["systems"])
def test_an_old_ladder_goes_on(name: str, tmp_path: Path) -> None:
    ladder = Ladder.load(SAVED / f"{name}.podium")
    assert ladder.system.name == name
    expected = WENT_ON["systems"][name]
    for event in WENT_ON["next"][expected["kind"]]:
        ladder.record(**event)
    for player, (mu, sigma, display, events) in expected["ratings"].items():
        rating = ladder.rating(player)
        assert rating.events == events
        # The same versions on the same processor agree to the last bit; the contract says 1e-9 elsewhere.
        assert rating.mu == pytest.approx(mu, abs=1e-9, rel=0)
        assert rating.display == pytest.approx(display, abs=1e-9, rel=0)
        assert rating.sigma == (None if sigma is None else pytest.approx(sigma, abs=1e-9, rel=0))
