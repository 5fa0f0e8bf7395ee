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
            "No system predicts these results significantly better than a coin flip (log loss "
            f"{COIN_LOG_LOSS:.4f}, best: {best.label}, {best.log_loss.value:.4f}). Ratings from "
            "these results mean little with any system."
        )
    chosen = next((one for one in advice.candidates if one.system == advice.recommended), best)
    value = f"log loss {chosen.log_loss.value:.4f}"
    if advice.recommended == make_system(advice.preset.name):
        return (
            f"Use {advice.preset.name}, podium's default for these results ({value}): no system is "
            f"significantly better. It is {advice.preset.meaning}."
        )
    if chosen.label == "auto":
        return f"Use auto: it predicted better than every single system ({value})."
    better = advice.candidates[: advice.candidates.index(chosen)]
    if any(one.label != "auto" for one in better):
        return f"Use {chosen.label}: it is not significantly worse than {best.label}, the best ({value})."
    return f"Use {chosen.label}: no single system predicted better ({value})."


def _how_sure(advice: Advice) -> str:
    best, *others = advice.candidates
    level = [one.label for one in others if one.standing == "level"]
    worse = [one for one in others if one.standing == "worse"]
    said = f"Judged on the last {advice.judged_events:,} events, each predicted before it was rated, with "
    said += "calibration=learned: "
    said += f"{best.label} was best"
    if level:
        said += f", but the difference to {_some(level)} is not significant"
    if worse:
        who = "the other" if len(others) == 1 else f"the other {len(worse)}" if level else "all others"
        was = "was" if len(worse) == 1 else "were"
        said += f", and {who} {was} significantly worse"
        if not level:
            said += f" (next: {worse[0].label}, by {worse[0].behind.value:.4f} {_between(worse[0].behind)})"
    return f"{said}."


def _luck(advice: Advice) -> str:
    """How far from a coin the best gets."""
    if not advice.predictable:
        return ""
    best = advice.candidates[0]
    known = 1.0 - best.log_loss.value / COIN_LOG_LOSS
    words = (
        f"Ratings remove {percent(known)} of a coin flip's uncertainty (log loss "
        f"{best.log_loss.value:.4f}, a "
    )
    words += f"coin: {COIN_LOG_LOSS:.4f})"
    if not math.isnan(best.right):
        words += f". Favourites won {percent(best.right)} of the points"
    return f"{words}."


def _cost(advice: Advice) -> str:
    """What choosing wrongly would cost."""
    best, worst = advice.candidates[0], advice.candidates[-1]
    if worst.standing != "worse":
        return ""
    words = f"The wrong system costs up to {worst.behind.value:.4f} of log loss ({worst.label})"
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


def _about(factor: Factor) -> str:
    name = f"{factor.name[0].upper()}{factor.name[1:]}"
    if factor.worth is None:
        return f"{name}: {factor.answer}."
    size = f"{abs(factor.worth.value):.4f} of log loss"
    if factor.answer == "no difference shown":
        return f"{name}: no significant difference {_between(factor.worth)}."
    if factor.answer == "misleads":
        return f"{name}: better left out, because it costs {size} {_between(factor.worth, -1)}."
    return f"{name}: matters. Without it, predictions lose {size} {_between(factor.worth)}."


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
