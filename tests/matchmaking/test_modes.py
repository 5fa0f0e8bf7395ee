"""Modes: what is read, what is written back, what is refused."""

from __future__ import annotations

import pytest

from podium.errors import InputError, ParameterError
from podium.matchmaking.lobbies.modes import Mode


@pytest.mark.parametrize(
    ("text", "sides", "size", "players"),
    [
        ("1v1", 2, 1, 2),
        ("2v2", 2, 2, 4),
        ("5v5", 2, 5, 10),
        ("ffa:8", 8, 1, 8),
        ("ffa:100", 100, 1, 100),
        ("2v2v2v2", 4, 2, 8),
        ("1v4", 2, 4, 5),
        ("5v5: tank, healer, 3 damage", 2, 5, 10),
        ("1v4: killer / 4 survivor", 2, 4, 5),
    ],
)
def test_a_mode_is_read_and_written_back(text: str, sides: int, size: int, players: int) -> None:
    mode = Mode.parse(text)
    assert (mode.sides, mode.size, mode.players, str(mode)) == (sides, size, players, text)
    assert Mode.parse(str(mode)) == mode == Mode.parse(mode) == Mode.parse(f" {text.upper()} ")
    assert mode.is_duel == (text == "1v1")


@pytest.mark.parametrize(
    "text",
    [
        *("", "1", "v", "1v", "1v2v", "0v0", "ffa", "ffa:", "ffa:2", "ffa:0", "ffa:-3", "5 v 5 5"),
        *("2v2:", "2v2: tank", "2v2: tank, 3", "2v2: 2 tank, healer", "2v2: tank / healer", "1v1: a / b / c"),
        *("7v7: a, b, c, d, e, f, g", "50v50v50v50v1", "2v2: 0 tank, healer"),
    ],
)
def test_what_is_no_mode_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ParameterError) as error:
        Mode.parse(text)
    assert error.value.hint


def test_limits_are_stated() -> None:
    for given in ((51, 51), (1,) * 201, (1,), (), (2, 2.0), (True, 1), (50, 50, 50, 51)):
        with pytest.raises(ParameterError):
            Mode(given)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="is not a mode"):
        Mode.parse(5)  # type: ignore[arg-type]


def test_a_party_larger_than_a_side_is_refused_by_name() -> None:
    Mode.parse("3v3").check_party(3)
    with pytest.raises(InputError, match="a party of 4 is larger than a team of 3v3"):
        Mode.parse("3v3").check_party(4)
    with pytest.raises(InputError, match="a party of 2 is larger than a side of ffa:8"):
        Mode.parse("ffa:8").check_party(2)


def test_roles_are_read_in_several_spellings() -> None:
    mode = Mode.parse("5v5: tank, healer, 3 damage")
    assert mode.roles == (("tank", "healer", "damage", "damage", "damage"),) * 2
    for text in ("5V5:Tank,healer,3 × damage", "5v5: tank, healer, 3x damage / tank, healer, 3*damage"):
        assert Mode.parse(text) == mode
    assert Mode.parse("1v1: 1 x-ray / 1 xenon").role_names == ("x-ray", "xenon")
    assert Mode.parse("1v1v1") == Mode.parse("ffa:3")
    assert [mode.role_bits(said) for said in ("tank", ["Healer", "damage"], None)] == [1, 6, 7]
    with pytest.raises(InputError, match="no role 'tnak'") as error:
        mode.role_bits("tnak")
    assert "tank" in str(error.value.hint)
    with pytest.raises(InputError, match="2v2 has no roles"):
        Mode.parse("2v2").role_bits("tank")
