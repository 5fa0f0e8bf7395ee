"""Each law fails on a system that breaks it, and holds for the system it was broken from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from checks import broken, broken_visibly
from checks.twins import twin_of
from podium.checks import contract_laws as laws
from podium.checks import result_laws as seen
from podium.history import Event, History, SetRating
from podium.systems import RatingSystem
from podium.systems.elo import Elo

EVENTS = [
    Event.of(ranks={"ann": 1, "bob": 2, "cat": 3}, time="2026-01-01"),
    Event.of(ranks={"bob": 1, "ann": 2}, time="2026-01-02", home="ann"),
    Event.of(ranks={"cat": 1, "dan": 1}, time="2026-02-01", unrated=["dan"]),
    Event.of(ranks={"ann": 1, "cat": 2}, time="2026-03-01"),
]
HISTORY = History.from_events(EVENTS)
FAR = History.from_events([SetRating(player="ann", mu=1e9, sigma=1.0), EVENTS[0]])

BREACHES: list[tuple[type[RatingSystem], Callable[[RatingSystem], None]]] = [
    (broken.Batched, lambda system: laws.law_1_pieces(system, HISTORY, [2])),
    (broken.Columnar, lambda system: laws.law_1_columns(system, HISTORY)),
    (broken.RowOrdered, lambda system: laws.law_2_names_and_rows(system, HISTORY, 3)),
    (broken.FirstIsFavourite, lambda system: laws.law_2_names_and_rows(system, HISTORY, 3)),
    (broken.Meddling, lambda system: laws.law_3_looking(system, HISTORY)),
    (broken.Amnesiac, lambda system: laws.law_4_saving(system, HISTORY, 2)),
    (broken.Futuristic, lambda system: laws.law_4_saving(system, HISTORY, 2)),
    (broken.Trusting, lambda system: laws.law_4_crafted(system, HISTORY)),
    (broken.Threaded, lambda system: laws.law_5_threads(system, HISTORY)),
    (broken.ThreadedWhenLarge, lambda system: laws.law_5_threads(system, HISTORY)),
    (broken.Overflowing, lambda system: laws.law_6_finite(system, FAR)),
    (broken.Ignorant, lambda system: laws.law_6_refusal(system)),
    (broken.Generous, lambda system: laws.law_7_sums(system, HISTORY, 0.0)),
    (broken.Sloppy, lambda system: laws.law_8_twin(system, HISTORY, twin_of(Elo()))),
    (broken.FirstIsHome, lambda system: laws.law_home(system, HISTORY)),
    (broken.Uncounted, lambda system: laws.law_books(system, HISTORY)),
    (broken.Backwards, lambda system: laws.law_ranks(system, HISTORY)),
    (broken.Unanchored, lambda system: laws.law_held(system, HISTORY)),
    (broken.Ageless, lambda system: seen.law_imported(system, HISTORY)),
    (broken_visibly.NobodyLoses, lambda system: seen.law_results(system)),
    (broken_visibly.FirstMemberOnly, lambda system: seen.law_sides(system)),
    (broken_visibly.PredictsBackwards, lambda system: seen.law_forecast(system, HISTORY)),
    (broken_visibly.InflatesEverybody, lambda system: seen.law_undo(system, HISTORY)),
    (broken_visibly.DisplayLeaksIntoRatings, lambda system: seen.law_shown(system, HISTORY)),
]


@pytest.mark.parametrize(("cls", "law"), BREACHES, ids=[cls.__name__ for cls, _ in BREACHES])
def test_a_broken_system_is_caught(
    cls: type[RatingSystem], law: Callable[[RatingSystem], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    law(Elo())
    if cls is not broken.Amnesiac and cls is not broken.Futuristic:
        with pytest.raises(AssertionError):
            law(cls())
        return
    # Loading makes a system by its name: the broken one has to be found there.
    monkeypatch.setattr("podium.ladder.saving.make_system", lambda name, **parameters: cls(**parameters))
    with pytest.raises(AssertionError):
        law(cls())


def test_every_law_has_its_breach() -> None:
    written = {name for name in {**vars(laws), **vars(seen)} if name.startswith("law_")}
    broken_here = {name for _, law in BREACHES for name in law.__code__.co_names if name.startswith("law_")}
    assert written == broken_here
