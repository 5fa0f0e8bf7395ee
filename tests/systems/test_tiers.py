"""Tiers in files: what is read, and what is refused with a reason."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import podium
from podium import Elo
from podium.errors import ParameterError
from podium.systems.system_files import from_toml, load_system
from podium.systems.tiers import COLOURS, PRESETS, Tier, load_tiers, preset_tiers

FILE = """
system = "elo"

[parameters]
k = 24

[tiers]
Gold = { from = 1700, colour = "#d4a017" }
Silver = 1400
"no tier" = {}
"""


def test_tiers_are_sorted_and_coloured(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(FILE)
    assert load_tiers(path) == (
        Tier("no tier", -math.inf, COLOURS[0]),
        Tier("Silver", 1400.0, COLOURS[1]),
        Tier("Gold", 1700.0, "#d4a017"),
    )
    assert load_system(path) == Elo(k=24)
    path.write_text('system = "elo"')
    assert load_tiers(path) == ()


@pytest.mark.parametrize(
    ("tiers", "reason", "hint"),
    [
        ("tiers = 3", "tiers are a table", "below a line [tiers]"),
        ('[tiers]\nGold = "much"', "the tier 'Gold' begins at 'much', which is not a number", "Gold = 1700"),
        ("[tiers]\nGold = true", "begins at True", "Gold = 1700"),
        ("[tiers]\nGold = nan", "begins at nan", "Gold = 1700"),
        ("[tiers]\nGold = inf", "begins at inf, which no rating reaches", "Gold = 1700"),
        ("[tiers]\nGold = {from = 1, color = '#ffffff'}", "has no 'color'", "did you mean 'colour'?"),
        ("[tiers]\nGold = {from = 1, colour = 'red'}", "has the colour 'red'", "#d4a017"),
        ("[tiers]\nGold = 1\nJade = 1", "'Gold' and 'Jade' both begin at 1", "Gold = 1700"),
        ("[tiers]\nGold = {}\nJade = {}", "both have no lower bound", "Gold = 1700"),
        ('[tiers]\n" " = 1', "a tier has no name", "Gold = 1700"),
    ],
)
def test_what_is_no_tier_is_refused(tiers: str, reason: str, hint: str) -> None:
    """Everywhere a file of a system is read."""
    first, _, rest = tiers.partition("\n")
    text = f'{first}\nsystem = "elo"\n' if not rest else f'system = "elo"\n{tiers}\n'
    with pytest.raises(ParameterError) as refused:
        from_toml(text, source="mine.toml")
    assert refused.value.reason.startswith("mine.toml: ")
    assert reason in refused.value.reason
    assert hint in (refused.value.hint or "")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("system", ["elo", "elo-mmr", "trueskill"])
def test_presets_rise_on_every_scale(name: str, system: str) -> None:
    tiers = preset_tiers(name, podium.make_system(system))
    bounds = [tier.lower for tier in tiers]
    assert bounds == sorted(set(bounds))
    assert bounds[0] == -math.inf
    assert len({tier.name for tier in tiers}) == len(tiers)
    assert len(tiers) == {"three": 3, "five": 5, "seven": 7, "eight": 8, "ten": 10, "divisions": 15}[name]


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ParameterError, match="there are no tiers called 'sevn'") as refused:
        preset_tiers("sevn", Elo())
    assert "seven" in str(refused.value.hint)
