"""Rating systems as plain data: one with its parameters, and what `podium systems` says of each."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, TypedDict, cast

from podium.documents.plain_data import ParameterValue, plain_parameter, plain_parameters

if TYPE_CHECKING:
    from podium.parameters import Parameter
    from podium.systems import RatingSystem


class SystemDocument(TypedDict):
    """A rating system with its parameters; `system` is its name, or that of the preset it is."""

    system: str
    parameters: dict[str, ParameterValue]
    state_format: int


class SupportsDocument(TypedDict):
    """What a system can use of results; what it cannot is refused."""

    many: bool
    teams: bool
    ties: bool
    shares: bool
    weights: bool
    time: bool
    home: bool
    play: bool


class ParameterDocument(TypedDict):
    """One parameter of a system."""

    value: ParameterValue
    default: ParameterValue
    meaning: str
    choices: list[str]


class SystemDescriptionDocument(TypedDict):
    """What a system is for, what it can use, and its parameters."""

    summary: str
    supports: SupportsDocument
    parameters: dict[str, ParameterDocument]


class SystemsDocument(TypedDict):
    """Systems by name."""

    systems: dict[str, SystemDescriptionDocument]


def system_document(system: RatingSystem) -> SystemDocument:
    """A system with its parameters.

    >>> from podium import Elo, make_system
    >>> system_document(Elo(k=24))["parameters"]["k"], system_document(make_system("contests"))["system"]
    (24.0, 'contests')
    """
    return {
        "system": system.preset or system.name,
        "parameters": plain_parameters(system.parameters()),
        "state_format": system.state_format,
    }


def systems_document(
    kinds: dict[str, type[RatingSystem]], made: RatingSystem | None = None
) -> SystemsDocument:
    """Systems by name; the values of parameters are those of one that is `made`, or the defaults."""
    return {"systems": {name: _description(cls, made) for name, cls in kinds.items()}}


def _description(cls: type[RatingSystem], made: RatingSystem | None) -> SystemDescriptionDocument:
    declared: dict[str, Parameter] = {**cls.declared(), **cls.limits}
    return {
        "summary": cls.summary,
        "supports": cast(SupportsDocument, asdict(cls.supports)),
        "parameters": {
            name: {
                "value": plain_parameter(p.default if made is None else getattr(made, name)),
                "default": plain_parameter(p.default),
                "meaning": p.meaning,
                "choices": list(p.choices),
            }
            for name, p in declared.items()
        },
    }
