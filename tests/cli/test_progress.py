"""What a bar says of the time that is left."""

from __future__ import annotations

import io
import time

import pytest

from podium.cli import progress as bars
from podium.cli.progress import Speed, progress
from podium.numerics.compiler_choice import announce


class Screen(io.StringIO):
    """A terminal that remembers all that was written to it."""

    def isatty(self) -> bool:
        return True


def test_a_bar_moves_while_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    monkeypatch.setattr(bars, "BAR_AFTER_SECONDS", 0.0)
    for name, value in {"TERM": "xterm", "COLUMNS": "100", "TTY_COMPATIBLE": "1"}.items():
        monkeypatch.setenv(name, value)
    with progress("rating", 10) as advance:
        announce()
        announce()
        time.sleep(0.25)  # it is drawn ten times a second
        seen = screen.getvalue()
        advance(4)
        time.sleep(0.25)
    assert "compiling" in seen
    assert "2 kernels" in seen
    assert "0 of 10 rows" in seen
    later = screen.getvalue()[len(seen) :]
    assert "4 of 10 rows" in later
    assert "kernels" not in later.split("4 of 10 rows", 1)[1]
    announce()  # nobody listens any more


@pytest.mark.parametrize(
    "done, total, seconds, said",
    [
        (1, 4, 1.0, "0:03 left"),
        (1000, 4000, 100.0, "5:00 left"),
        (1, 1001, 10.0, "2:46:40 left"),
        (0, 4, 1.0, ""),
        (4, 4, 1.0, ""),
    ],
)
def test_the_rest_takes_its_share_of_the_time(done: int, total: int, seconds: float, said: str) -> None:
    speed = Speed(50.0)
    speed.note(50.0 + seconds, done)
    assert speed.rest(total) == said


def test_the_speed_is_said_where_it_means_something() -> None:
    rows, trials = Speed(0.0), Speed(0.0)
    rows.note(4.0, 500_000)
    trials.note(100.0, 2)
    assert rows.rest(1_000_000, with_speed=True) == "125,000/s, 0:04 left"
    assert trials.rest(4, with_speed=True) == "1:40 left"


def test_a_slow_system_after_a_fast_one() -> None:
    """A million rows in a second, then a thousand a second: the first second says nothing of the rest."""
    speed = Speed(0.0)
    for second in range(1, 31):
        speed.note(float(second), 1_000_000 + 1000 * (second - 1))
    assert speed.per_second == 1000.0
    assert speed.rest(1_089_000) == "1:00 left"


def test_two_trials_that_end_together_are_not_fast() -> None:
    """One minute each, two at a time."""
    speed = Speed(0.0)
    for number in range(1, 7):
        speed.note(60.0 * ((number + 1) // 2) + 0.1 * (number % 2), number)
    assert speed.per_second == pytest.approx(6 / 180)
