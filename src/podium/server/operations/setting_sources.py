"""Where the settings of a service come from: the command line, else the environment, else one TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podium.errors import ParameterError
from podium.files.toml import parse_toml, read_text
from podium.server.settings import ServerSettings
from podium.text import did_you_mean, shorten

PREFIX = "PODIUM_"
CONFIG_VARIABLE = f"{PREFIX}CONFIG"
"""The variable of the environment that names the file."""


def environment_name(setting: str) -> str:
    """The variable of the environment that gives a setting.

    >>> environment_name("log_format")
    'PODIUM_LOG_FORMAT'
    """
    return f"{PREFIX}{setting.upper()}"


def gathered_settings(
    given: Mapping[str, Any], environment: Mapping[str, str], config: str | None = None
) -> ServerSettings:
    """The settings by what was `given` on the command line, the environment, and the file `config`.

    >>> gathered_settings({"port": 9000}, {"PODIUM_PORT": "8001", "PODIUM_WORKERS": "2"}).port
    9000
    """
    config = config or environment.get(CONFIG_VARIABLE) or None
    found = {} if config is None else _of_file(config)
    found |= _of_environment(environment)
    return ServerSettings(**found | _checked(given, "the command line"))


def _of_file(path: str) -> dict[str, Any]:
    plain = parse_toml(read_text(path), "a file of settings", source=path)
    return _checked(plain, path)


def _of_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    """Settings of the environment; a variable that is empty says nothing, as in files for containers."""
    return {
        name: declared.parse(text, f"the environment variable {environment_name(name)}")
        for name, declared in ServerSettings.declared().items()
        if (text := environment.get(environment_name(name)))
    }


def _checked(given: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Values by name, each of its type and within its limits."""
    known = ServerSettings.declared()
    for name in given:
        if name not in known:
            hint = did_you_mean(name, list(known)) or f"there are {', '.join(known)}"
            raise ParameterError(f"{owner}: {shorten(name)!r} is no setting of the service", hint=hint)
    return {name: known[name].check(value, owner) for name, value in given.items()}


def parsed_setting(text: str) -> tuple[str, Any]:
    """A setting as written behind --set: its name and its value.

    >>> parsed_setting("page_rows=500")
    ('page_rows', 500)
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise ParameterError(f"--set takes NAME=VALUE, not {shorten(text)!r}")
    declared = ServerSettings.declared().get(name)
    return name, value if declared is None else declared.parse(value, "--set")
