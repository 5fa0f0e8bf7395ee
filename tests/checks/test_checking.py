"""podium.checks as authors use it: what is reported, and what is needed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest

import podium
from checks import broken
from checks.twins import twin_of
from podium import Elo, Event, History, ParameterError, SetRating
from podium.checks import BrokenLawError, Law, check_system, laws
from podium.checks.checking import _shortened


def law(name: str) -> Law:
    return next(law for law in laws(twin=True) if law.name == name)


def test_a_good_system_keeps_all_laws() -> None:
    check_system(Elo(), examples=3, twin=twin_of(Elo()))


def test_every_broken_law_is_named_with_a_history() -> None:
    with pytest.raises(BrokenLawError) as caught:
        check_system(broken.Uncounted(k=20), examples=5)
    said = str(caught.value)
    assert "Uncounted(k=20.0) breaks law books: Rated events are counted" in said
    assert "    the state counts [0, 0" in said
    assert "with History.from_events([\n    Event.of(" in said
    assert "law 2" not in said
    with pytest.raises(BrokenLawError, match=r"(?s)Batched\(\) breaks law 1 pieces: .*\nand cuts=\["):
        law("law 1 pieces").check(broken.Batched())


def test_what_a_system_raises_is_told_too() -> None:
    class Failing(Elo):
        def rate_events(self, *_: object) -> None:
            raise ZeroDivisionError("somewhere inside")

    with pytest.raises(BrokenLawError, match="ZeroDivisionError: somewhere inside"):
        law("law 5 threads").check(Failing())


def test_what_breaks_a_law_is_made_short() -> None:
    def attempt(drawn: dict[str, History]) -> None:
        assert "cat" not in drawn["history"].players.to_list()

    items = [
        Event.of(ranks={"ann": 1, "bob": 2}, time="2026-01-01"),
        SetRating(player="ann", mu=1600.0),
        Event.of(ranks={"ann": 1, "cat": 2}, time="2026-01-02"),
        Event.of(ranks={"ann": 1, "bob": 1}, time="2026-01-03"),
    ]
    drawn, _ = _shortened(attempt, {"history": History.from_events(items)}, AssertionError())
    (event,) = drawn["history"]
    assert event.sides == (("ann",), ("cat",))
    assert not drawn["history"].adjustments


def test_twins() -> None:
    with pytest.raises(ParameterError, match="law 8 twin needs the naive twin of elo"):
        law("law 8 twin").check(Elo())
    assert "law 8 twin" not in [law.name for law in laws()]

    def only_ratings(events: Sequence[Event]) -> dict[str, tuple[float, float | None]]:
        found = twin_of(Elo())(events)
        assert not isinstance(found, dict)
        return dict(found.ratings)

    law("law 8 twin").check(Elo(), examples=3, twin=only_ratings)
    with pytest.raises(BrokenLawError, match=r"mu of .* is .*, its twin's"):
        law("law 8 twin").check(Elo(k=40), twin=only_ratings)


def test_without_hypothesis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    assert podium.checks.laws()
    with pytest.raises(ParameterError, match=r"pip install 'podium\[checks\]'"):
        podium.checks.check_system(Elo())
