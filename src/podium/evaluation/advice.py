"""Which rating system suits a history, how sure that is, and what choosing wrongly would cost.

`auto` rates the history once, with its experts and a few more that differ from one of them in one thing. Each
expert predicts every event before it is rated. All that is said here comes from these losses: which one
was best after the first tenth of the events, which others are not shown to be worse, whether `auto` did
better than any single one, and what the home side, absence, margins and newcomers are worth.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from podium.arrays import Bools, Floats
from podium.errors import InputError, UnsupportedError
from podium.evaluation.advice_words import candidates_frame, options, sentences
from podium.evaluation.block_bootstrap import Resampling
from podium.evaluation.conclusions import COIN_LOG_LOSS, FEWEST_EVENTS, events_of_advice
from podium.fitting.fit import fit
from podium.fitting.time_check import Drift
from podium.history import HistoryLike, history_meant
from podium.history.ragged import Progress
from podium.history.summary import Summary
from podium.notebooks import expect_work, frame_html, with_bar
from podium.presets import PRESETS, Preset, preset_for
from podium.systems import RatingSystem, make_system
from podium.systems.auto.auto import Auto
from podium.systems.auto.expert_lists import STANDARD, Expert, ExpertList
from podium.systems.auto.expert_losses import ExpertLosses, expert_losses, losses_of
from podium.tables.given_frames import given_kind_property, like_given, with_polars

if TYPE_CHECKING:
    import polars as pl

    from podium.history import History

MOST = 0.9
"""The least part of the events that an expert has to rate. One that slept through more would look worse than
its system, which alone also rates matches without scores, by their ranks.
"""

MOST_FITTED_PLAYERS = 500
"""With more players, a history is not tested: the test grows with their cube."""

PUBLISHED = ("lichess", "fide", "uscf", "dwz", "egf", "atcoder")
"""Systems of federations and sites, which are compared with the experts of `auto`."""
MOST_PUBLISHED_ROWS = 20_000
"""With more rows they are not compared: they are ordinary Python, and take two seconds each for as many."""

Standing = Literal["best", "level", "worse"]
FactorName = Literal["home side", "absence", "margins", "newcomers"]
Answer = Literal["matters", "misleads", "no difference shown", "in too few events", "not in this data"]

_Variant = tuple[str, Mapping[str, float | str]]
_CONTESTS = PRESETS["contests"].parameters
_MATCHES = PRESETS["matches"].parameters
_FOLLOWING: Mapping[str, float | str] = {"sigma": 200.0, "c": 15.0, "newcomer_start": "adaptive"}


class _Contrast(NamedTuple):
    """An expert without something, and the same with it; of several, the best."""

    without: _Variant
    having: tuple[_Variant, ...]


_IN_MATCHES: Mapping[FactorName, _Contrast] = {
    "absence": _Contrast(("glicko", {**_FOLLOWING, "c": 0.0}), (("glicko", _FOLLOWING),)),
    "margins": _Contrast(
        ("glicko2", _MATCHES), tuple(("glicko2", {**_MATCHES, "margin": margin}) for margin in (2.0, 6.0))
    ),
    "newcomers": _Contrast(("glicko", {**_FOLLOWING, "newcomer_start": "fixed"}), (("glicko", _FOLLOWING),)),
}
_IN_CONTESTS: Mapping[FactorName, _Contrast] = {
    "absence": _Contrast(("elo-mmr", {**_CONTESTS, "drift_per_day": 0.0}), (("elo-mmr", _CONTESTS),)),
    "newcomers": _Contrast(("elo-mmr", {**_CONTESTS, "newcomer_start": "fixed"}), (("elo-mmr", _CONTESTS),)),
}


@dataclass(frozen=True)
class Estimate:
    """A mean over events, and how sure it is."""

    value: float
    low: float
    """In 95% of resamples it lies between this and `high`; NaN if there are too few events to say."""
    high: float


@dataclass(frozen=True)
class Candidate:
    """A system that could be used, and how well it predicted."""

    label: str
    system: RatingSystem
    log_loss: Estimate
    right: float
    """The share of the points that favourites of two sides won; NaN for contests."""
    behind: Estimate
    """Its log loss less that of the best."""
    standing: Standing
    """The best, not shown to be worse, or shown to be worse."""


@dataclass(frozen=True)
class Factor:
    """Something that may matter in a history."""

    name: FactorName
    answer: Answer
    worth: Estimate | None
    """How much larger the log loss is without it; None if the data has nothing of it, or too little."""


@dataclass(frozen=True)
class Advice:
    """Which system suits a history, how sure that is, and what choosing wrongly would cost.

    Attributes:
        summary: Counts of events, players, ties and teams.
        preset: What podium uses if no system is named.
        judged_events: Number of events whose predictions were judged.
        candidates: `auto` and single systems with calibrated predictions, best first. It is empty if there
            are too few events.
        left_out: Experts that `auto` skips for some of the events, although their systems can rate them. They
            are not judged.
        factors: The findings on which the choice depends, each with its evidence.
        recommended: The recommended system.
        gain: The difference in loss between the best and a coin. None if there are too few events.
        drift: Whether strengths change with time. None if there are too few events.

    >>> import podium
    >>> advice = podium.advise(podium.History.from_matches(["ann", "bob"], ["bob", "cat"]))
    >>> advice.preset.name, advice.recommended.name
    ('matches', 'glicko2')
    """

    summary: Summary
    preset: Preset
    judged_events: int
    candidates: tuple[Candidate, ...]
    left_out: tuple[str, ...]
    factors: tuple[Factor, ...]
    recommended: RatingSystem
    gain: Estimate | None
    drift: Drift | None

    @property
    def predictable(self) -> bool:
        """Whether the best is better than a coin by more than noise."""
        return self.gain is not None and self.gain.low > 0.0

    @property
    def sentences(self) -> tuple[str, ...]:
        """The advice in words, the most important first."""
        return sentences(self)

    @property
    def options(self) -> tuple[str, ...]:
        """What makes `podium rate` use the recommended system. Empty if it would do so anyway."""
        return options(self.recommended, self.preset)

    @given_kind_property
    def table(self) -> pl.DataFrame:
        """All candidates, best first: log loss and difference to the best, with their intervals."""
        return candidates_frame(self)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return frame_html(str(self), with_polars(self).table)


@with_bar("rating")
def advise(history: HistoryLike, *, seed: int = 0, progress: Progress | None = None) -> Advice:
    """Which rating system suits a history, how sure that is, and the cost of a wrong choice.

    It rates the history by `auto` and its experts, all at once, and by the systems of federations and sites.

    Args:
        history: A history, or anything that `read_history` reads.
        seed: Seed of the resampling by which intervals are found.
        progress: Called with the number of rows rated since the last call.

    Returns:
        The recommended system, the evidence for it, and the other candidates.

    >>> from podium import History
    >>> print(advise(History.from_matches(["ann", "bob"], ["bob", "cat"])).sentences[0])
    Too few events: of 2 events, 1 can be measured, and 100 are needed.
    """
    rated = history_meant(history, "advise")
    expect_work(rated.rows)
    preset, summary = preset_for(rated), rated.summary()
    judged = events_of_advice(len(rated))
    if judged < FEWEST_EVENTS:
        return Advice(summary, preset, judged, (), (), (), make_system(preset.name), None, None)
    losses = expert_losses(rated, _advisers(_contrasts(rated)), progress=progress)
    return like_given(_advice(rated, losses, len(rated) - judged, preset, summary, seed), history)


def _contrasts(history: History) -> Mapping[FactorName, _Contrast]:
    """The contrasts that fit the events of a history."""
    return _IN_MATCHES if np.all(history.sides_per_event == 2) else _IN_CONTESTS


def _advisers(contrasts: Mapping[FactorName, _Contrast]) -> ExpertList:
    """The experts of `auto`, and after them those of contrasts that are not among them."""
    known = [expert.system for expert in STANDARD.experts]
    added: list[RatingSystem] = []
    for contrast in contrasts.values():
        for variant in (contrast.without, *contrast.having):
            if (system := _system(variant)) not in known + added:
                added.append(system)
    return ExpertList("advisers", [*STANDARD.given, *added])


def _system(variant: _Variant) -> RatingSystem:
    """A system as an expert has it: not calibrated itself, as `auto` takes each one both ways."""
    name, parameters = variant
    return replace(make_system(name, **parameters), calibration="off")


def _advice(
    history: History, losses: ExpertLosses, start: int, preset: Preset, summary: Summary, seed: int
) -> Advice:
    """Advice from the losses of all experts after the first events."""
    known = ~np.isnan(losses.mixture)
    known[:start] = False
    resampling, own = Resampling(int(known.sum()), seed=seed), losses.experts[: len(STANDARD)]
    loss = {"auto": losses.mixture[known]}
    right = {"auto": losses.mixture_right[known]}
    systems: dict[str, RatingSystem] = {"auto": Auto()}
    left_out, best_expert = [], 0
    for number, expert in enumerate(own):
        label, lost = _label(expert), losses.calibrated[number, known]
        if np.isnan(lost).any() or not _can_rate(expert.system, history, losses.rated[number]):
            left_out.append(label)
            continue
        loss[label], right[label] = lost, losses.right[number, known]
        systems[label] = replace(expert.system, calibration="learned")
        if len(loss) == 2 or lost.mean() < losses.calibrated[best_expert, known].mean():
            best_expert = number
    for name in PUBLISHED:
        system = make_system(name, calibration="learned")
        found = _published(system, history)
        if found is not None and not np.isnan(found[0][known]).any():
            loss[name], right[name] = (numbers[known] for numbers in found)
            systems[name] = system
    ranked = sorted(loss, key=lambda label: float(loss[label].mean()))
    candidates = [
        Candidate(
            label,
            systems[label],
            _estimate(resampling, loss[label]),
            _mean(right[label]),
            behind,
            _standing(behind),
        )
        for label in ranked
        for behind in (_estimate(resampling, loss[label] - loss[ranked[0]]),)
    ]
    usual = make_system(preset.name)
    gain = _estimate(resampling, COIN_LOG_LOSS - loss[ranked[0]])
    return Advice(
        summary,
        preset,
        resampling.events,
        tuple(candidates),
        tuple(left_out),
        tuple(_factors(history, losses, known, best_expert, resampling)),
        _recommended(
            candidates,
            preset,
            predictable=gain.low > 0.0,
            beaten=_is_beaten(resampling, loss, [name for name in loss if systems[name] == usual]),
        ),
        gain,
        _drift(history),
    )


def _published(system: RatingSystem, history: History) -> tuple[Floats, Floats] | None:
    """What a system by itself lost in each event, and what favourites scored; None if it cannot rate them."""
    if history.rows > MOST_PUBLISHED_ROWS or not _can_rate(system, history, 1.0):
        return None
    trace = system.update(system.new_state(), history)
    return losses_of(history, trace.expected)


def _drift(history: History) -> Drift | None:
    """Whether strengths change with time; None where a fit cannot tell, such as for many players or teams."""
    if len(history.players) > MOST_FITTED_PLAYERS or not np.all(history.sizes == 2):
        return None
    with suppress(InputError):
        return fit(history, position=history.home is not None).drift
    return None


def _can_rate(system: RatingSystem, history: History, rated: float) -> bool:
    """Whether a system alone can rate a history, and its expert rated enough of it to tell how well."""
    try:
        system.check(history)
    except UnsupportedError:
        return False
    return rated >= MOST


def _standing(behind: Estimate) -> Standing:
    return "worse" if behind.low > 0.0 else "best" if behind.high == 0.0 else "level"


def _is_beaten(resampling: Resampling, loss: Mapping[str, Floats], names: Sequence[str]) -> bool:
    """Whether some candidate is shown to be better than those with these names."""
    return any(
        _estimate(resampling, loss[name] - other).low > 0.0 for name in names for other in loss.values()
    )


def _recommended(
    candidates: Sequence[Candidate], preset: Preset, *, predictable: bool, beaten: bool
) -> RatingSystem:
    """The preset, unless it is `beaten`: something is shown to be better. Then the best single system that is
    level with the best, and `auto` if none is.
    """
    usual = make_system(preset.name)
    level = [one.system for one in candidates if one.standing != "worse"]
    if not predictable or (usual in level and not beaten):
        return usual
    level = [system for system in level if system != usual]
    return next((system for system in level if system.name != "auto"), level[0])


def _factors(
    history: History, losses: ExpertLosses, known: Bools, best: int, resampling: Resampling
) -> list[Factor]:
    """What the home side, absence, margins and newcomers are worth, by experts with and without them."""
    systems, contrasts = [expert.system for expert in losses.experts], _contrasts(history)
    matches = contrasts is _IN_MATCHES
    scored = matches and history.score is not None and not np.isnan(history.score).all()
    timed = bool(np.any(history.time[1:] != history.time[:-1]))
    present = {"absence": timed, "margins": scored, "newcomers": True}

    def worth(without: Floats, having: Floats) -> Estimate | None:
        apart = without[known] - having[known]
        return None if np.isnan(apart).any() else _estimate(resampling, apart)

    def contrast(name: FactorName) -> Estimate | None:
        pair = contrasts.get(name)
        if pair is None or not present[name]:
            return None
        numbers = [systems.index(_system(variant)) for variant in pair.having]
        if losses.rated[numbers].min() < MOST:
            return None
        having = [losses.calibrated[number] for number in numbers]
        least = min(having, key=lambda loss: float(loss[known].mean()))
        return worth(losses.calibrated[systems.index(_system(pair.without))], least)

    best_loss, home, newcomers = losses.calibrated[best], None, contrast("newcomers")
    if matches and losses.at_home[known].any():
        home = worth(losses.without_home[best], best_loss)
    if matches:  # an expert may know of newcomers by where they start, or by the term of its calibration
        by_term = worth(losses.without_experience[best], best_loss)
        told = [one for one in (newcomers, by_term) if one is not None]
        newcomers = max(told, key=lambda one: one.value, default=None)
    found: dict[FactorName, Estimate | None] = {
        "home side": home,
        "absence": contrast("absence"),
        "margins": contrast("margins"),
        "newcomers": newcomers,
    }
    partly = {"margins"} if scored else set()
    return [Factor(name, _answer(apart, partly=name in partly), apart) for name, apart in found.items()]


def _answer(worth: Estimate | None, *, partly: bool) -> Answer:
    if worth is None:
        return "in too few events" if partly else "not in this data"
    return "matters" if worth.low > 0.0 else "misleads" if worth.high < 0.0 else "no difference shown"


def _label(expert: Expert) -> str:
    """A candidate's name: that of its preset, if it is one, or of its expert."""
    for preset in PRESETS.values():
        if _system((preset.system, preset.parameters)) == expert.system:
            return preset.name
    return expert.label


def _estimate(resampling: Resampling, per_event: Floats) -> Estimate:
    """The mean over all events, with the interval of resampled blocks of events."""
    sums = np.stack(
        [resampling.block_sums(per_event), resampling.block_sums(np.ones(len(per_event)))], axis=1
    )
    drawn = resampling.resampled(sums)
    low, high = resampling.interval(drawn[:, 0] / drawn[:, 1], sums)
    return Estimate(float(per_event.mean()), low, high)


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan
