"""A service's settings, and their sources: the command line, then the environment, then a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from podium.errors import ParameterError
from podium.files.toml import parse_toml, read_text
from podium.parameters import Declared, parameter
from podium.text import did_you_mean, shorten

MEGABYTE = 1_000_000
DAY_SECONDS = 86_400.0
LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
"""Names of this machine that lead nowhere else."""
EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses to listen at that mean all of this machine."""

Told = Callable[[str, int, int], None]
"""Called with what a worker is doing before it is ready, how much of it is done, and how much there is."""
LOADING_KERNELS, COMPILING, LOADING_LADDERS = "loading kernels", "compiling kernels", "loading ladders"
"""What a worker does before it is ready."""


@dataclass(frozen=True, kw_only=True)
class ServerSettings(Declared):
    """The settings of a service: each can be given by command line, by environment or in a file."""

    name: ClassVar[str] = "the service"

    database: str = parameter("podium.db", "a file of SQLite, or postgresql://user:password@host/name")
    database_connections: int = parameter(
        20, "connections to the database that one worker opens at most", low=4, high=10_000
    )
    host: str = parameter("127.0.0.1", "the address at which it listens")
    port: int = parameter(8000, "the port at which it listens", low=1, high=65_535)
    public_address: str | None = parameter(
        None,
        "where people reach it, such as https://ladder.example.org behind a proxy: the only name under which "
        "it answers beside those of this machine, and what links begin with",
    )
    workers: int = parameter(1, "processes that answer; SQLite takes one", low=1, high=256)
    connections: int = parameter(
        1_000,
        "connections that one worker keeps open at most; then it closes the one that has waited longest "
        "without a request",
        low=10,
        high=1_000_000,
    )
    head_seconds: float = parameter(
        10.0, "how long a request's address and headers may take to arrive", low=0.001, high=DAY_SECONDS
    )
    body_bytes: int = parameter(
        20 * MEGABYTE, "largest body of a request, in bytes", low=1_000, high=10_000 * MEGABYTE
    )
    body_seconds: float = parameter(30.0, "how long a body may take to arrive", low=0.001, high=DAY_SECONDS)
    reports_at_once: int = parameter(10_000, "most reports of one request", low=1)
    page_rows: int = parameter(1_000, "most rows of one page of a list", low=1)
    clock_tolerance: float = parameter(
        300.0,
        "seconds by which the time of a report may be ahead of this machine's clock; later ones are refused",
        high=100 * 365 * DAY_SECONDS,
    )
    checkpoint_rows: int = parameter(
        100_000,
        "rows of events after which a ladder is saved, so that a start loads it quickly",
        low=1,
    )
    import_bytes: int = parameter(
        1_000 * MEGABYTE, "largest file that can be imported, in bytes", low=1_000, high=1_000_000 * MEGABYTE
    )
    unpacked_bytes: int = parameter(
        1_000 * MEGABYTE,
        "most bytes that a file to import may hold when it is decompressed",
        low=1_000,
        high=1_000_000 * MEGABYTE,
    )
    line_bytes: int = parameter(
        10 * MEGABYTE,
        "longest line of a table to import, in bytes",
        low=MEGABYTE,
        high=1_000_000 * MEGABYTE,
    )
    jobs_at_once: int = parameter(
        2, "jobs of different ladders that it does at once, each in a process of its own", low=1, high=64
    )
    job_memory: int = parameter(
        2_000 * MEGABYTE,
        "memory that a job may take, in bytes; one that needs more is ended and has failed (on Linux)",
        low=500 * MEGABYTE,
        high=1_000_000 * MEGABYTE,
    )
    job_seconds: float = parameter(
        7_200.0,
        "how long a job may take; one that takes longer is ended and has failed",
        low=1.0,
        high=365 * DAY_SECONDS,
    )
    job_process: Literal["on", "off"] = parameter(
        "on", "whether it does jobs (imports, exports, re-rating), or leaves them to other services: on, off"
    )
    requests_per_second: float = parameter(
        200.0,
        "requests that one address may make of one worker without a key, large ones counted by their cost; "
        "0 for no limit",
    )
    requests_per_second_of_keys: float = parameter(
        0.0,
        "requests that one key or session may make of one worker, large ones counted by their cost; "
        "0 for no limit",
    )
    request_cost: float = parameter(
        1_000.0, "most that one request may cost without a key; a plain request costs 1", low=100.0
    )
    request_cost_of_keys: float = parameter(
        10_000.0, "most that one request may cost with a key or session, or from this machine", low=100.0
    )
    heavy_at_once: int = parameter(
        1, "heavy requests, such as large previews, that one worker computes at once", low=1, high=64
    )
    follow_seconds: float = parameter(
        0.5,
        "how often a worker looks for what other workers have recorded, while somebody follows a ladder",
        low=0.001,
        high=DAY_SECONDS,
    )
    drain_seconds: float = parameter(
        0.0, "how long it goes on taking requests after it was told to end, while /readyz says 503", high=3600
    )
    grace_seconds: int = parameter(
        20, "how long requests under way may take to finish when it ends", low=1, high=3600
    )
    log_format: Literal["text", "json"] = parameter("text", "how lines of the log are written: text, json")
    log_level: Literal["debug", "info", "warning", "error"] = parameter(
        "warning",
        "what is logged: error, warning, info (each request too), debug (texts of errors, with names)",
    )
    metrics: Literal["on", "off"] = parameter("on", "whether /metrics answers: on, off")

    @property
    def is_reached_from_outside(self) -> bool:
        """Whether others than this machine reach the service: then nobody may do everything without a key."""
        name = urlsplit(self.public_address or "").hostname
        return self.host not in LOCAL_NAMES or (name is not None and name not in LOCAL_NAMES)

    @property
    def shown_address(self) -> str:
        """What links begin with."""
        return (self.public_address or self.address).rstrip("/")

    @property
    def is_encrypted(self) -> bool:
        """Whether people reach it by https."""
        return (self.public_address or "").startswith("https://")

    @property
    def local_address(self) -> str:
        """Where programs of this machine reach it."""
        host = "127.0.0.1" if self.host in EVERYWHERE else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def address(self) -> str:
        """Where the service answers."""
        return f"http://{self.host}:{self.port}"


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
