"""What came of attacks, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict, cast

from podium.documents.any_result import register_document
from podium.documents.plain_data import ParameterValue, plain_parameters, records
from podium.documents.system_documents import SystemDocument, system_document

if TYPE_CHECKING:
    from podium.studies.attacks.attack_report import AttackReport


class AttackGainDocument(TypedDict):
    """One system against one attack."""

    system: str
    attack: str
    kind: Literal["scripted", "searched", "hindsight"]
    goal: str
    runs: int
    gain: float | None
    low: float | None
    high: float | None
    level: float | None
    spread: float | None
    share: float | None
    pays: bool | None
    gain_mu: float | None
    peak_gain: float | None
    last_phase: float | None
    lowest: float | None
    events_above: float | None
    events_back: float | None
    thrown: float | None
    missed: float | None
    accounts: float | None
    found: str | None
    verdict: str | None


class AttackCurveDocument(TypedDict):
    """The rating at one event of the honest or the cheating player, over all runs."""

    system: str
    attack: str
    number: int
    phase: str
    who: Literal["honest", "cheating"]
    mean: float
    low: float
    high: float
    thrown: float


class DefendedSystemDocument(TypedDict):
    """A system under a rule of the organisers."""

    system: str
    defence: str
    parameters: dict[str, ParameterValue]


class AttackDocument(TypedDict):
    """Every system against every attack."""

    systems: dict[str, SystemDocument]
    defended: dict[str, DefendedSystemDocument]
    attacks: dict[str, dict[str, ParameterValue]]
    where: str
    cases: Literal["seeds", "players"]
    named: list[str]
    refused: dict[str, str]
    verdicts: dict[str, str]
    summary: list[AttackGainDocument]
    policies: dict[str, dict[str, ParameterValue] | None]
    curves: list[AttackCurveDocument]


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
