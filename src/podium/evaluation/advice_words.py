"""Advice in words and as a table: what is in the history, what to use, how sure that is, what to run next."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from podium.evaluation.conclusions import COIN_LOG_LOSS, FEWEST_EVENTS
from podium.presets import nearest
from podium.systems import RatingSystem, make_system
from podium.text import counted, listed, percent, write_number

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.advice import Advice, Estimate, Factor
    from podium.presets import Preset

NAMED = 3
"""Of more systems than this, the first are named and the others counted."""
THOUSAND = 1000


def sentences(advice: Advice) -> tuple[str, ...]:
    """The advice in words, the most important first."""
    if not advice.candidates:
        events = counted(advice.summary.events, "event")
        return (
            (
                f"Too few events: of {events}, {advice.judged_events:,} can be measured, and "
                f"{FEWEST_EVENTS} are needed."
            ),
            f"Use {advice.preset.name}, podium's default for these results: {advice.preset.meaning}.",
        )
    said = [_use(advice), _how_sure(advice), _luck(advice), _cost(advice), _fit(advice)]
    return (*(one for one in said if one), *map(_about, advice.factors))


def _use(advice: Advice) -> str:
    best = advice.candidates[0]
    if not advice.predictable:
        return (
            "No system predicts these results significantly better than a coin flip. Ratings mean little. "
            f"(Log loss: {best.label} {best.log_loss.value:.4f}, a coin flip {COIN_LOG_LOSS:.4f}.)"
        )
    chosen = next((one for one in advice.candidates if one.system == advice.recommended), best)
    if advice.recommended == make_system(advice.preset.name):
        return (
            f"Use {advice.preset.name}, podium's default for these results: no system is significantly "
            f"better. It is {advice.preset.meaning}."
        )
    if chosen.label == "auto":
        return "Use auto, which combines many systems: it predicted better than every single one."
    better = advice.candidates[: advice.candidates.index(chosen)]
    if any(one.label != "auto" for one in better):
        return f"Use {chosen.label}: it is not significantly worse than {best.label}, the best."
    return f"Use {chosen.label}: no single system predicted better."


def _how_sure(advice: Advice) -> str:
    best, *others = advice.candidates
    level = [one.label for one in others if one.standing == "level"]
    worse = [one for one in others if one.standing == "worse"]
    said = (
        f"podium predicted each of the last {advice.judged_events:,} events from the events before it, with "
        f"calibration=learned. The best was {best.label}."
    )
    if level:
        said += f" The difference to {_some(level)} may be chance."
    if worse:
        others_words = (
            "The other" if len(others) == 1 else f"The other {len(worse)}" if level else "All others"
        )
        said += f" {others_words} {'was' if len(worse) == 1 else 'were'} significantly worse."
    return said


def _luck(advice: Advice) -> str:
    """How far from a coin the best gets."""
    if not advice.predictable:
        return ""
    best = advice.candidates[0]
    words = "" if math.isnan(best.right) else f"Its favourites won {percent(best.right)} of the points. "
    return (
        f"{words}Its log loss, a penalty for wrong predictions, is {best.log_loss.value:.4f}. That of a coin "
        f"flip is {COIN_LOG_LOSS:.4f}."
    )


def _cost(advice: Advice) -> str:
    """What choosing wrongly would cost."""
    best, worst = advice.candidates[0], advice.candidates[-1]
    if worst.standing != "worse":
        return ""
    words = f"The log loss of the worst system ({worst.label}) is {worst.behind.value:.4f} higher"
    fewer = 0 if math.isnan(worst.right) else round(THOUSAND * (best.right - worst.right))
    if fewer > 0:
        words += f", and its favourites won {counted(fewer, 'point')} fewer in a thousand matches"
    return f"{words}."


def _fit(advice: Advice) -> str:
    """That a fit suits strengths that do not change."""
    drift = advice.drift
    if drift is None or not advice.predictable or drift.is_change or drift.noise > drift.spread / 2.0:
        return ""
    return (
        f"{drift} If strengths cannot change, as with models or essays, use `podium arena`: "
        "a fit of all results at once is more exact than ratings."
    )


_FACTORS = {
    "home side": "Home side",
    "absence": "Time away",
    "margins": "Score margins",
    "newcomers": "Newcomers",
}


def _about(factor: Factor) -> str:
    name = _FACTORS[factor.name]
    if factor.worth is None:
        return f"{name}: {factor.answer}."
    size = f"{abs(factor.worth.value):.4f}"
    if factor.answer == "no difference shown":
        return f"{name}: no significant difference {_between(factor.worth)}."
    if factor.answer == "misleads":
        return f"{name}: better ignored. With it, the log loss is {size} higher {_between(factor.worth, -1)}."
    return f"{name}: matters. Without it, the log loss is {size} higher {_between(factor.worth)}."


def _between(difference: Estimate, sign: int = 1) -> str:
    low, high = sorted((sign * difference.low, sign * difference.high))
    return f"({write_number(low, '.4f')} to {write_number(high, '.4f')})"


def _some(names: list[str]) -> str:
    more = len(names) - NAMED
    return listed([*names[:NAMED], f"{more} more"] if more > 0 else names)


def options(system: RatingSystem, preset: Preset) -> tuple[str, ...]:
    """The options that make a command use a system: none for the preset."""
    if system == make_system(preset.name):
        return ()
    name, changed = nearest(system)
    settings = [word for one, value in changed.items() for word in ("--set", f"{one}={value}")]
    return "--system", name, *settings


def candidates_frame(advice: Advice) -> pl.DataFrame:
    """All candidates, best first."""
    import polars as pl

    rows = [
        {
            "system": one.label,
            "log_loss": one.log_loss.value,
            "log_loss_low": one.log_loss.low,
            "log_loss_high": one.log_loss.high,
            "right": None if math.isnan(one.right) else one.right,
            "difference": one.behind.value,
            "low": one.behind.low,
            "high": one.behind.high,
            "standing": one.standing,
        }
        for one in advice.candidates
    ]
    texts = ("system", "standing")
    names = list(rows[0]) if rows else texts
    return pl.DataFrame(rows, {name: pl.String if name in texts else pl.Float64 for name in names})
