"""A search for the best parameters: Optuna proposes, batch by batch, and what is done is kept in a file.

The sampler is made anew for every batch, of the seed and the number of the batch, and sees the trials of the
batches before. So what is proposed does not depend on how many work or who is done first; and a search that
was killed goes on by going through the same proposals again, taking from the file (`study_log`) what was done
already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.errors import PodiumError
from podium.systems import RatingSystem
from podium.tuning.spaces import Space
from podium.tuning.study_log import StudyLog, Trial, import_optuna, parameters_in_json, quiet_optuna

if TYPE_CHECKING:
    import optuna

RANDOM_TRIALS = 10
"""How many trials are drawn at random before what was found decides."""

Measure = Callable[[Sequence[RatingSystem]], Iterator[tuple[int, float | None, float, str | None]]]
"""Measures systems: the number of each as it is done, its value, the seconds it took, why it failed."""


@dataclass(frozen=True)
class Search:
    """A search: the space, the number of trials, the seed and the first systems to try."""

    space: Space
    starts: Sequence[RatingSystem]
    """The systems to try first."""
    trials: int
    batch: int
    seed: int
    higher_is_better: bool

    def run(
        self,
        measure: Measure,
        log: StudyLog | None = None,
        report: Callable[[Trial], None] | None = None,
    ) -> list[Trial]:
        """Run all trials and return them in order; trials in the log are not measured again."""
        optuna = import_optuna()
        known = {} if log is None else dict(log.trials)
        done: list[Trial] = []
        with quiet_optuna(optuna):
            study = optuna.create_study(direction="maximize" if self.higher_is_better else "minimize")
            for first in range(0, self.trials, self.batch):
                study.sampler = self._sampler(optuna, first // self.batch)
                count = min(self.batch, self.trials - first)
                batch = [self._propose(study, first + place) for place in range(count)]
                done += self._measured(batch, known, measure, log, report)
                for proposal, trial in zip(batch, done[first:], strict=True):
                    self._tell(optuna, study, proposal, trial)
        return done

    def _sampler(self, optuna: Any, batch: int) -> Any:
        seed = int(np.random.SeedSequence([self.seed, batch]).generate_state(1)[0])
        return optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=RANDOM_TRIALS, multivariate=True, group=True
        )

    def _propose(self, study: optuna.Study, number: int) -> _Proposal:
        if number < len(self.starts):
            start = self.starts[number]
            values = {d.name: getattr(start, d.name) for d in self.space.dimensions}
            return _Proposal(number, values, start)
        asked = study.ask()
        drawn = self.space.draw(asked)
        try:
            return _Proposal(number, drawn, self.space.system.changed(**drawn), asked)
        except PodiumError as error:
            return _Proposal(number, drawn, None, asked, error.reason)

    def _measured(
        self,
        batch: Sequence[_Proposal],
        known: Mapping[int, Trial],
        measure: Measure,
        log: StudyLog | None,
        report: Callable[[Trial], None] | None,
    ) -> list[Trial]:
        """Measure a batch; returns its trials in order and logs each as soon as it is done."""
        found: dict[int, Trial] = {}

        def note(trial: Trial, *, is_new: bool = True) -> None:
            found[trial.number] = trial
            if log is not None and is_new:
                log.add(trial)
            if report is not None:
                report(trial)

        untried: list[tuple[_Proposal, RatingSystem]] = []
        for proposal in batch:
            earlier = known.get(proposal.number)
            if earlier is not None and earlier.parameters == parameters_in_json(proposal.values):
                note(replace(earlier, parameters=proposal.values), is_new=False)
            elif proposal.system is None:
                note(Trial(proposal.number, proposal.values, None, 0.0, proposal.reason))
            else:
                untried.append((proposal, proposal.system))
        for index, value, seconds, reason in measure([system for _, system in untried]):
            proposal = untried[index][0]
            note(Trial(proposal.number, proposal.values, value, seconds, reason))
        return [found[proposal.number] for proposal in batch]

    def _tell(self, optuna: Any, study: optuna.Study, proposal: _Proposal, trial: Trial) -> None:
        if proposal.asked is not None:
            state = None if trial.value is not None else optuna.trial.TrialState.FAIL
            study.tell(proposal.asked, trial.value, state)
            return
        assert proposal.system is not None
        placed = self.space.place(proposal.system)
        if placed is not None and trial.value is not None:
            raw, distributions = placed
            study.add_trial(
                optuna.trial.create_trial(params=raw, distributions=distributions, value=trial.value)
            )


@dataclass(frozen=True)
class _Proposal:
    """A trial that has not been measured yet."""

    number: int
    values: dict[str, Any]
    system: RatingSystem | None
    asked: optuna.Trial | None = None
    reason: str | None = None
