"""The real results that come with podium; what is expected of them is what record books say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from cli.command import failed, said_json, succeeded
from podium import History, InputError, read_history, sample
from podium.tables.sources.sample_files import SAMPLES

SCRIPT = Path(__file__).parents[2] / "wheels" / "make_samples.py"


def podium_of(race: str) -> list[str]:
    history = sample("formula-1")
    event = history.event(history.find_event(race))
    placed = sorted(zip(event.ranks, event.sides, strict=True))
    return [name for _, (name,) in placed[:3]]


def test_races_ended_as_people_remember() -> None:
    assert podium_of("Great Britain 1950") == ["Nino Farina", "Luigi Fagioli", "Reg Parnell"]
    assert podium_of("Monaco 1996") == ["Olivier Panis", "David Coulthard", "Johnny Herbert"]
    assert podium_of("São Paulo sprint 2021") == ["Valtteri Bottas", "Max Verstappen", "Carlos Sainz Jr."]


def match(history: History, day: str, first: str) -> podium.Event:
    (found,) = (event for event in history.between(day, f"{day}T12:00") if event.sides[0] == (first,))
    return found


def test_matches_ended_as_people_remember() -> None:
    history = sample("football")
    belo_horizonte = match(history, "2014-07-08", "Brazil")
    assert (belo_horizonte.sides, belo_horizonte.scores) == ((("Brazil",), ("Germany",)), (1.0, 7.0))
    assert belo_horizonte.home == "Brazil"
    lusail = match(history, "2022-12-18", "Argentina")  # won by penalties
    assert (lusail.sides[1], lusail.scores, lusail.home) == (("France",), (3.0, 3.0), None)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_in_podiums_own_words(name: str) -> None:
    history = read_history(f"sample:{name}")
    (reading,) = history.readings
    assert reading.is_plain
    assert (reading.source, reading.warnings) == (f"sample:{name}", ())
    assert np.array_equal(history.player, sample(name).player)


@pytest.mark.parametrize("name, licence", [("formula-1", "Attribution 4.0"), ("football", "CC0 1.0")])
def test_source_and_licence_are_beside_a_sample(name: str, licence: str) -> None:
    told = SAMPLES[name].with_suffix(".txt").read_text(encoding="utf-8")
    assert f"Licence: Creative Commons {licence}" in told
    assert "Source: " in told
    assert len(told) > 5_000, "its text too"


def test_names_that_no_sample_has() -> None:
    with pytest.raises(InputError, match="no sample 'fotball'") as refused:
        sample("fotball")
    assert refused.value.hint == "did you mean 'football'? there are formula-1, football"
    said = failed(1, "rate", "sample:")
    assert said == "podium: there is no sample ''\n  hint: there are formula-1, football\n"
    assert "there is no file" not in failed(1, "reproduce", "elo-mmr", "--contests", "sample:formula1")


def test_a_folder_called_like_a_sample_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sample:football").mkdir()
    (tmp_path / "sample:football" / "ours.csv").write_text("winner,loser\nann,bob\n")
    monkeypatch.chdir(tmp_path)
    for given in ("sample:football", "./sample:football", Path("./sample:football")):
        assert list(read_history(given).players) == ["ann", "bob"]


def test_a_sample_stands_where_a_file_may(tmp_path: Path) -> None:
    given = ["sample:formula-1", "Jim Clark", "--system", "elo", "--event", "Italy 1967"]
    told = said_json("explain", *given)
    assert told["explanation"]["rating"]["events"] == 72
    assert (told["event"]["rank"], told["event"]["sides"]) == (3, 18)
    succeeded(
        "rate", "sample:football", "--system", "elo", "--out", tmp_path / "all.csv", "--chunk-rows", 60000
    )
    assert len((tmp_path / "all.csv").read_text().splitlines()) == 1 + len(sample("football").players)


def test_ids_become_names() -> None:
    spec = importlib.util.spec_from_file_location("make_samples", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for identifier, name in {
        "lewis-hamilton": "Lewis Hamilton",
        "bruce-mclaren": "Bruce McLaren",
        "pedro-de-la-rosa": "Pedro de la Rosa",
        "nelson-piquet-jr": "Nelson Piquet Jr.",
        "stuart-lewis-evans": "Stuart Lewis-Evans",
        "mika-hakkinen": "Mika Häkkinen",
    }.items():
        assert script.name_of_id(identifier) == name
    assert script.event_name("2022-21-sao-paulo-sprint") == "São Paulo sprint 2022"
