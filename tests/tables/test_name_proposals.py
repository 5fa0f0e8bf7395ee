"""Names that may be one player: proposed, never merged, and never two that met."""

from __future__ import annotations

import pytest

from podium import History
from podium.tables.names.name_proposals import propose_names


def proposed(*pairs: tuple[str, str]) -> dict[str, str]:
    history = History.from_matches([a for a, _ in pairs], [b for _, b in pairs], [1] * len(pairs))
    return {one.alias: one.player for one in propose_names(history)}


@pytest.mark.parametrize(
    "alias, player",
    [
        ("Mueller, Hans", "Hans Müller"),
        ("Müller, Hans", "Hans Müller"),
        ("Hans Mueller", "Hans Müller"),
        ("hans muller", "Hans Müller"),
        ("Müller Hans", "Hans Müller"),
        ("H. Müller", "Hans Müller"),
        ("Müller, H.", "Hans Müller"),
        ("H. Mueller", "Hans Müller"),
        ("H. Müller", "Hans Mueller"),
        ("Müller, H.", "Hans Mueller"),
        ("Hans M.", "Hans Müller"),
        ("Hansi", "Hans Müller"),
        ("Hans", "Hans Müller"),
        ("Jose Nunez", "José Núñez"),
        ("Lukasz Gaj", "Łukasz Gaj"),
        ("Иванов Пётр", "Пётр Иванов"),
        ("Hans Müller (1850)", "Hans Müller"),
        ("[2] Hans Müller", "Hans Müller"),
        ("17 Hans Müller", "Hans Müller"),
        ("Hans Müller*", "Hans Müller"),
        ("MÜLLER Hans (GER)", "Hans Müller"),
        ("Müller", "Hans Müller"),
    ],
)
def test_two_names_of_one(alias: str, player: str) -> None:
    assert proposed((player, "Ann Lee"), (alias, "Bob Ray"), (player, "Bob Ray")) == {alias: player}


@pytest.mark.parametrize("other", ["Hansi", "H. Müller", "Müller, Hans", "hans muller"])
def test_who_met_are_two(other: str) -> None:
    assert proposed(("Hans Müller", "Ann Lee"), (other, "Hans Müller")) == {}


def test_two_who_fit_are_not_proposed() -> None:
    assert proposed(("Hans Müller", "Heinz Müller"), ("H. Müller", "Ann Lee")) == {}
    assert proposed(("Hans Müller", "Hans Vogt"), ("Hansi", "Ann Lee")) == {}


def test_names_that_are_not_alike() -> None:
    assert proposed(("Hans Müller", "Hanna Maurer"), ("Ann Lee", "Bob Ray"), ("17", "18")) == {}
