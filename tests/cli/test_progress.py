"""What a bar says of the time that is left."""

from __future__ import annotations

import pytest

from podium.cli.progress import Speed


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
