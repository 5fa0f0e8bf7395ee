"""What a careful expert would have chosen: a system with its parameters for each shape of history.

Whoever names no system gets one of these. They were chosen on the first parts of seven sets of real results
and judged on the rest (docs/real-data.md). A preset says what constructors leave out: where newcomers start,
how they are shown, and that predictions are calibrated while results come in. Constructors keep the published
parameters.

A system's name alone means its published parameters, and a preset's name the preset. Anything else is
labelled by what differs from the nearest of these. A label holds no comma, as labels stand in lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from podium.errors import ParameterError
from podium.inventory import Cost
from podium.text import counted

if TYPE_CHECKING:
    from podium.arrays import Bools
    from podium.history import History
    from podium.parameters import Declared


SIDES_OF_A_LARGE_EVENT = 100
"""Number of sides from which on an event of many is a contest, and below it a race."""

Kind = Literal["matches", "teams", "contests", "races"]
"""A kind of event; there is a preset of the same name for each."""

DEFAULT_PRESET: Kind = "matches"
"""What a ladder gets that is made without naming a system, before anything is known of its results."""


@dataclass(frozen=True)
class Preset:
    """A system with parameters, under the name of what it is for."""

    name: Kind
    system: str
    parameters: Mapping[str, float | str]
    suits: str
    """The events it is for, in a few words."""
    team_rule: str
    """How it rates events with teams."""
    cost: Cost
    """Rating once, which also calibrates."""

    @property
    def meaning(self) -> str:
        """The system and what its parameters are for."""
        return f"{self.system} tuned for {self.suits}"


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "matches",
            "glicko2",
            {"sigma": 200.0, "newcomer_start": "adaptive", "calibration": "learned"},
            "matches of two players",
            "a team counts as the mean of its members",
            Cost(15.6, 0.111),
        ),
        Preset(
            "teams",
            "weng-lin",
            # the proportions of the paper on the usual scale; a member adds mu = 3 sigma to a side's strength
            {"mu": 1500.0, "sigma": 500.0, "beta": 250.0, "tau": 15.0, "calibration": "learned"},
            "matches of teams",
            "a team performs as the sum of its members",
            Cost(11.7, 0.02),
        ),
        Preset(
            "contests",
            "elo-mmr",
            {
                "beta": 100.0,
                "gamma": 10.0,
                "drift_per_day": 10.0,
                "newcomer_start": "adaptive",
                "display_k": 1.0,
                "calibration": "learned",
            },
            "large contests",
            "a team performs as the mean of its members",
            Cost(18.6, 0.169),
        ),
        Preset(
            "races",
            "elo-mmr",
            {
                "beta": 200.0,
                "gamma": 35.0,
                "drift_per_day": 10.0,
                "performance": "gumbel-min",
                "newcomer_start": "adaptive",
                "display_k": 2.0,
                "calibration": "learned",
            },
            "small contests",
            "a team performs as the mean of its members",
            Cost(13.2, 0.431),
        ),
    )
}


@dataclass(frozen=True)
class PresetChoice:
    """The preset for some results, and why."""

    preset: Preset
    rows: Mapping[Kind, int]
    """The rows of each kind of event that occurs, most rows first."""
    evidence: str = ""
    """What other presets would refuse, where that decided and not the rows; in words."""

    @property
    def sentence(self) -> str:
        """What a command prints that chose it: the preset, and if kinds are mixed, what each of them gets."""
        said = f"{self.preset.name}: {self.preset.meaning}"
        others = {kind: rows for kind, rows in self.rows.items() if kind != self.preset.name}
        if others:
            said += f" ({self.rows.get(self.preset.name, 0):,} of {counted(sum(self.rows.values()), 'row')})"
        if self.evidence:
            said += f". {self.evidence}. Other presets do not accept them"
        for kind, rows in others.items():
            suits = f"{PRESETS[kind].suits} ({counted(rows, 'row')})"
            if kind == "teams":
                said += f". In {suits} {self.preset.team_rule}"
            else:
                said += f". {suits[:1].upper()}{suits[1:]} are rated alike"
        return said


def preset_for(history: History) -> Preset:
    """The preset for this history."""
    return choose_preset([history]).preset


def choose_preset(histories: Iterable[History]) -> PresetChoice:
    """The preset for the kind of event that most rows are of; and it can use whatever evidence there is.

    >>> from podium import History
    >>> choose_preset([History.from_matches(["ann", "ann"], ["bob", "cat"])]).sentence
    'matches: glicko2 tuned for matches of two players'
    """
    given = list(histories)
    rows = _rows_by_kind(given)
    name = _most(rows)
    shares, parts = (sum(_count(history, what) for history in given) for what in ("share", "play"))
    if shares and name != "matches":  # of the four only Glicko-2 can use them
        return PresetChoice(PRESETS["matches"], rows, f"Rows with shares of a point: {shares:,}")
    if parts and name != "teams":  # of the four only Weng–Lin can use them
        return PresetChoice(PRESETS["teams"], rows, f"Rows of players in a part of the event: {parts:,}")
    return PresetChoice(PRESETS[name], rows)


def _most(rows: Mapping[Kind, int]) -> Kind:
    """The kind that most rows are of; contests and races count together. Of equals the first here wins."""
    large, small = rows.get("contests", 0), rows.get("races", 0)
    sums: dict[Kind, int] = {
        "teams": rows.get("teams", 0),
        "races" if small > large else "contests": large + small,
        "matches": rows.get("matches", 0),
    }
    return max(sums, key=lambda kind: sums[kind]) if rows else DEFAULT_PRESET


def _rows_by_kind(histories: list[History]) -> dict[Kind, int]:
    """The rows of each kind of event that occurs, most rows first."""
    rows: dict[Kind, int] = {}
    for history in histories:
        sides, sizes = history.sides_per_event, history.sizes
        teams, large, two = sides < sizes, sides >= SIDES_OF_A_LARGE_EVENT, sides <= 2
        kinds: dict[Kind, Bools] = {
            "matches": ~teams & two,
            "teams": teams,
            "contests": ~teams & large,
            "races": ~teams & ~large & ~two,
        }
        for kind, events in kinds.items():
            if events.any():
                rows[kind] = rows.get(kind, 0) + int(sizes[events].sum())
    return dict(sorted(rows.items(), key=lambda item: -item[1]))


def _count(history: History, column: Literal["share", "play"]) -> int:
    """The rows with a share of a point, or of players who took part in less than the whole event."""
    import numpy as np

    values = getattr(history, column)
    if values is None:
        return 0
    return int(np.count_nonzero(~np.isnan(values) if column == "share" else values != 1.0))


D = TypeVar("D", bound="Declared")

MOST_SPELLED = 2
"""Changed parameters that a label spells out, at most; of more it has the number."""


def label(system: Declared, most: int = MOST_SPELLED) -> str:
    """The name of a system or preset, with up to `most` parameters that differ from it."""
    base, changed = nearest(system)
    if not changed:
        return base
    if len(changed) > most:
        return f"{base} with {len(changed)} changed parameters"
    return f"{base} with {' and '.join(f'{name}={_written(value)}' for name, value in changed.items())}"


def whole_label(system: Declared) -> str:
    """The name of a system or preset, with all parameters that differ from it."""
    return label(system, most=len(system.declared()))


def labelled(systems: Sequence[D]) -> dict[str, D]:
    """Several systems by label; where short labels are the same, by whole ones."""
    short = [label(system) for system in systems]
    found = {
        one if short.count(one) == 1 else whole_label(system): system
        for one, system in zip(short, systems, strict=True)
    }
    if len(found) < len(systems):
        raise ParameterError("a system is given twice, with the same parameters")
    return found


def preset_name(system: Declared) -> str | None:
    """The name of the preset that a system is; None if it is none."""
    base, changed = nearest(system)
    return base if base in PRESETS and not changed else None


def nearest(system: Declared) -> tuple[str, dict[str, Any]]:
    """The system or preset that differs in the fewest parameters, and what `system` has in place of these."""
    from podium.parameters import plain  # it loads NumPy, which help pages do without

    known = {name: plain(declared.default) for name, declared in system.declared().items()}
    bases: dict[str, dict[str, Any]] = {system.name: known}
    for preset in PRESETS.values():
        if preset.system == system.name:
            bases[preset.name] = {**known, **preset.parameters}
    own = {name: plain(value) for name, value in system.parameters().items()}
    changes = {
        base: {name: value for name, value in own.items() if name in usual and value != usual[name]}
        for base, usual in bases.items()
    }
    return min(changes.items(), key=lambda item: len(item[1]))


def _written(value: object) -> str:
    """A value in a label.

    >>> _written(0.25), _written((0.4, 0.7)), _written("margin(1,2)")
    ('0.25', '0.4/0.7', 'margin(1/2)')
    """
    if isinstance(value, tuple):
        return "/".join(map(_written, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value).replace(",", "/")
