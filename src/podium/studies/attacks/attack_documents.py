"""What came of attacks, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict, cast

from podium.documents.any_result import register_document
from podium.documents.declarations import kind
from podium.documents.plain_data import ParameterValue, plain_parameters, records
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.studies.attacks.attack_report import AttackReport


class AttackGainDocument(TypedDict):
    """One system against one attack."""

    system: Annotated[str, "name of the system"]
    attack: Annotated[str, "name of the attack"]
    kind: Annotated[
        Literal["scripted", "searched", "hindsight"],
        "`scripted`, `searched`, or `hindsight`: chosen with the luck known, and not tested",
    ]
    goal: Annotated[str, "`higher` or `lower`: the rating the attack is for"]
    runs: Annotated[int, "number of runs in which the cheat has a displayed rating"]
    gain: Annotated[float | None, "mean displayed points above honest play"]
    low: Annotated[float | None, "lower end of the confidence interval"]
    high: Annotated[float | None, "upper end of the confidence interval"]
    level: Annotated[
        float | None, "confidence of the interval, so that all of a system hold together with 95%"
    ]
    spread: Annotated[float | None, "standard deviation over runs"]
    share: Annotated[float | None, "fraction of runs in which it paid"]
    pays: Annotated[bool | None, "whether the attack pays significantly. Null if this is not shown"]
    gain_mu: Annotated[float | None, "mean gain in mu"]
    peak_gain: Annotated[float | None, "mean gain of the highest rating ever"]
    last_phase: Annotated[float | None, "points gained in the last phase"]
    lowest: Annotated[float | None, "most points below honest play"]
    events_above: Annotated[float | None, "events with a higher rating than honest play"]
    events_back: Annotated[float | None, "events until nine tenths of the lowest are made good"]
    thrown: Annotated[float | None, "events lost on purpose"]
    missed: Annotated[float | None, "events the cheat stayed away from, or left"]
    accounts: Annotated[float | None, "accounts used"]
    found: Annotated[
        str | None, ("the search's result, in words. Null if no attack is better than honest play")
    ]
    verdict: Annotated[str | None, "whether it pays, in words"]


class AttackCurveDocument(TypedDict):
    """The rating at one event of the honest or the cheating player, over all runs."""

    system: Annotated[str, "name of the system"]
    attack: Annotated[str, "name of the attack"]
    number: Annotated[int, "number of the player's event, from 1"]
    phase: Annotated[str, "phase of the attack"]
    who: Annotated[Literal["honest", "cheating"], "`honest` or `cheating`"]
    mean: Annotated[float, "mean displayed rating over runs"]
    low: Annotated[float, "tenth percentile over runs"]
    high: Annotated[float, "ninetieth percentile over runs"]
    thrown: Annotated[float, "fraction of runs in which the event was lost on purpose"]


class DefendedSystemDocument(TypedDict):
    """A system under a rule of the organisers."""

    system: Annotated[str, "name of the system without the rule"]
    defence: Annotated[str, "name of the rule"]
    parameters: Annotated[dict[str, ParameterValue], "parameters of the rule"]


@kind("attack")
class AttackDocument(TypedDict):
    """Every system against every attack.

    `podium attack --json`.
    """

    systems: Annotated[dict[str, SystemDocument], "the systems, by name"]
    defended: Annotated[
        dict[str, DefendedSystemDocument], "which of the systems are under a rule of `--defence`, by name"
    ]
    attacks: Annotated[dict[str, dict[str, ParameterValue]], "the attacks and their parameters, by name"]
    where: Annotated[str, "the results attacked, in words"]
    cases: Annotated[
        Literal["seeds", "players"],
        "the kind of runs: `seeds` of simulated seasons or `players` of real results",
    ]
    named: Annotated[list[str], "which seeds or players"]
    refused: Annotated[dict[str, str], "systems that were left out, and why"]
    verdicts: Annotated[dict[str, str], "whether cheating pays, in words, by system"]
    summary: Annotated[list[AttackGainDocument], "each system against each attack"]
    policies: Annotated[
        dict[str, dict[str, ParameterValue] | None],
        "the parameters of the best policy found with `--search`, by system, or null if none is better "
        "than honest play",
    ]
    curves: Annotated[
        list[AttackCurveDocument], "ratings of the honest and the cheating player, event by event"
    ]


def attack_document(report: AttackReport) -> AttackDocument:
    """Every system against every attack."""
    searched = {name: found for name in report.systems if (found := report.policy(name)) is not None}
    return {
        "systems": {name: system_document(system) for name, system in report.systems.items()},
        "defended": {
            name: {
                "system": one.system,
                "defence": one.defence.name,
                "parameters": plain_parameters(one.defence.parameters()),
            }
            for name, one in report.defended.items()
        },
        "attacks": {report.called(one): plain_parameters(one.parameters()) for one in report.strategies},
        "where": report.where,
        "cases": cast(Literal["seeds", "players"], report.cases),
        "named": list(report.named),
        "refused": dict(report.refused),
        "verdicts": report.verdicts,
        "summary": records(report.summary, AttackGainDocument),
        "policies": {
            name: None if found.policy is None else plain_parameters(found.policy.parameters())
            for name, found in searched.items()
        },
        "curves": records(report.curves, AttackCurveDocument),
    }


register_document("AttackReport", "attack", attack_document)
