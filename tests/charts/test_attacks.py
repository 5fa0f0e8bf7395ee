"""Pictures of attacks: what they show of the tables they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from podium import InputError, charts

PHASES = ["honest"] * 2 + ["farming"] * 3 + ["honest"]


def curves(*systems: str, band: float = 10.0) -> pl.DataFrame:
    """Six events: honest ratings rise, those of the cheat stay, and the third and the fifth are thrown."""
    rows = []
    for system in systems:
        for who in ("honest", "cheating"):
            for number, phase in enumerate(PHASES, start=1):
                mean = 1500.0 + 10 * (number if who == "honest" else min(number, 2))
                thrown = {3: 1.0, 5: 0.5}.get(number, 0.0) if who == "cheating" else 0.0
                row = {"system": system, "attack": "farming", "number": number, "phase": phase, "who": who}
                rows.append({**row, "mean": mean, "low": mean - band, "high": mean + band, "thrown": thrown})
    return pl.DataFrame(rows)


def datasets(chart: Any) -> list[list[dict[str, Any]]]:
    return list(chart.to_dict()["datasets"].values())


def test_curves_show_both_and_what_was_thrown() -> None:
    sets = datasets(charts.attack_curves(curves("topcoder")))
    drawn = next(rows for rows in sets if {row.get("who") for row in rows} == {"honest", "cheating"})
    honest = [row["mean"] for row in drawn if row["who"] == "honest"]
    assert honest == [1510.0, 1520, 1530, 1540, 1550, 1560]
    # From the last event that both have in common.
    assert [row["number"] for row in drawn if row["who"] == "cheating"] == [2, 3, 4, 5, 6]
    assert [{"from": 2.5, "to": 5.5}] in sets
    # So too where a leaderboard displays nobody at first.
    late = datasets(charts.attack_curves(curves("topcoder").with_columns(pl.col("number") + 10)))
    drawn = next(rows for rows in late if {row.get("who") for row in rows} == {"honest", "cheating"})
    assert [row["number"] for row in drawn if row["who"] == "cheating"] == [12, 13, 14, 15, 16]
    marks = next(rows for rows in sets if all(row.get("thrown", 0) > 0 for row in rows))
    assert [(row["number"], row["thrown"]) for row in marks] == [(3, 1.0), (5, 0.5)]


def test_a_panel_a_system(tmp_path: Path) -> None:
    path = tmp_path / "curves.svg"
    charts.save(charts.attack_curves(curves("topcoder", "elo-mmr", band=0.0)), path)
    said = [
        "".join(text.itertext()) for text in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert {"Farming", "topcoder", "elo-mmr", "honest", "cheating"} <= set(said)
    assert said.count("rating (points)") == 2
    assert not any("80%" in words for words in said)


def test_gains_are_coloured_by_what_is_shown() -> None:
    rows = [
        {"system": system, "attack": attack, "goal": goal, "pays": pays, "gain": gain}
        | {"low": gain - 5.0, "high": gain + 5.0, "level": 0.95, "spread": 9.0, "runs": 8}
        for system, attack, goal, pays, gain in (
            ("a", "farming", "higher", True, 500.0),
            ("b", "farming", "higher", False, -20.0),
            ("a", "smurf", "lower", True, -90.0),
            ("b", "smurf", "lower", None, 1.0),
        )
    ]
    chart = charts.attack_gains(pl.DataFrame(rows))
    shown = [row for rows in datasets(chart) for row in rows if "shown" in row]
    assert [(row["row"], row["shown"]) for row in shown] == [
        (0, "pays"),
        (1, "does not"),
        (0, "pays"),
        (1, "not shown"),
    ]
    titles = [panel["title"]["text"] for panel in chart.to_dict()["concat"]]
    assert titles == ["farming", "smurf (lower)"]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="no attack 'smurf'"):
        charts.attack_curves(curves("elo"), "smurf")
    for draw in (charts.attack_curves, charts.attack_gains):
        with pytest.raises(InputError, match="no data to draw"):
            draw(pl.DataFrame())
