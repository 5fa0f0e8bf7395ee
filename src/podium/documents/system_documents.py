"""Rating systems as plain data: one with its parameters, and a summary of each for `podium systems`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from podium.documents.declarations import From, kind
from podium.documents.plain_data import ParameterValue, plain_form, plain_parameter

if TYPE_CHECKING:
    from podium.parameters import Parameter
    from podium.systems import RatingSystem


@kind("system")
class SystemDocument(TypedDict):
    """A rating system with its parameters. `system` is its name, or the name of its preset.

    `system_document(podium.Elo(k=24))`.
    """

    system: Annotated[
        str,
        "name of the rating system or preset",
        From(lambda system: system.preset or system.name),
    ]
    parameters: Annotated[
        dict[str, ParameterValue],
        "the parameters of the system, by name",
        From(lambda system: system.parameters()),
    ]
    state_format: Annotated[int, "version of the system's state in saved ladders"]


class SupportsDocument(TypedDict):
    """The kinds of results that a system can use. Others are refused."""

    many: Annotated[bool, "events of more than two sides"]
    teams: Annotated[bool, "teams"]
    ties: Annotated[bool, "ties"]
    shares: Annotated[bool, "scores that are neither a win, a draw nor a loss"]
    weights: Annotated[bool, "weights of events"]
    time: Annotated[bool, "whether time passing means anything"]
    home: Annotated[bool, "the home side"]
    play: Annotated[bool, "players who took part in less than the whole event"]


class ParameterDocument(TypedDict):
    """One parameter of a system."""

    value: Annotated[ParameterValue, "its value: of the FILE.toml asked for, otherwise the default"]
    default: Annotated[ParameterValue, "its default"]
    meaning: Annotated[str, "the meaning"]
    choices: Annotated[list[str], "the names it may take. Empty for numbers"]


class SystemDescriptionDocument(TypedDict):
    """A system's purpose, its capabilities, and its parameters."""

    summary: Annotated[str, "the system's purpose"]
    supports: Annotated[SupportsDocument, "its capabilities"]
    parameters: Annotated[dict[str, ParameterDocument], "its parameters, by name"]


@kind("systems")
class SystemsDocument(TypedDict):
    """Systems by name.

    `podium systems --json`.
    """

    systems: Annotated[dict[str, SystemDescriptionDocument], "the systems, by name"]


def system_document(system: RatingSystem) -> SystemDocument:
    """A system with its parameters.

    >>> from podium import Elo, make_system
    >>> system_document(Elo(k=24))["parameters"]["k"], system_document(make_system("contests"))["system"]
    (24.0, 'contests')
    """
    return plain_form(system, SystemDocument)


def systems_document(
    kinds: dict[str, type[RatingSystem]], made: RatingSystem | None = None
) -> SystemsDocument:
    """Systems by name. The values of parameters are those of one that is `made`, or the defaults."""
    return {"systems": {name: _description(cls, made) for name, cls in kinds.items()}}


def _description(cls: type[RatingSystem], made: RatingSystem | None) -> SystemDescriptionDocument:
    declared: dict[str, Parameter] = {**cls.declared(), **cls.limits}
    return {
        "summary": cls.summary,
        "supports": plain_form(cls.supports, SupportsDocument),
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
