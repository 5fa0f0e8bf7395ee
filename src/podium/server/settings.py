"""A service's settings, and their sources: the command line, then the environment, then a TOML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from podium.errors import ParameterError
from podium.files.toml import parse_toml, read_text
from podium.parameters import Declared, parameter
from podium.server import machine
from podium.text import did_you_mean, shorten

MEGABYTE = 1_000_000
DAY_SECONDS = 86_400.0
EVERY_HOST = "0.0.0.0"
"""The host of a service that all machines in the network reach."""
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
    """The settings of a service, from the command line, environment variables or a file."""

    name: ClassVar[str] = "the service"

    database: str = parameter("podium.db", "a SQLite file, or postgresql://user:password@host/name")
    database_connections: int = parameter(
        20, "largest number of database connections per worker", low=4, high=10_000
    )
    host: str = parameter("127.0.0.1", "the IP address or host name to listen on")
    port: int = parameter(8000, "the port to listen on", low=1, high=65_535)
    public_address: str | None = parameter(
        None,
        "the URL that people use, such as https://ladder.example.org behind a proxy. Links start with it, "
        "and requests to other host names are refused",
    )
    club: str = parameter("podium", "name of the club or site, on every page")
    club_words: str | None = parameter(None, "a sentence about the club, on the front page")
    club_colour: str | None = parameter(None, "colour above every page, such as #1f6f43")
    club_logo: str | None = parameter(
        None, "picture next to the club's name: a .png, .jpg, .webp or .svg file of at most 500 kB"
    )
    workers: int = parameter(1, "processes that answer requests (SQLite allows one)", low=1, high=256)
    connections: int = parameter(
        1_000,
        "largest number of open connections per worker. Beyond it, the longest idle connection is closed",
        low=10,
        high=1_000_000,
    )
    head_seconds: float = parameter(
        10.0, "seconds within which a request's URL and headers must arrive", low=0.001, high=DAY_SECONDS
    )
    body_bytes: int = parameter(
        20 * MEGABYTE, "largest request body, in bytes", low=1_000, high=10_000 * MEGABYTE
    )
    body_seconds: float = parameter(
        30.0,
        "seconds within which a body must arrive, plus the time for its size",
        low=0.001,
        high=DAY_SECONDS,
    )
    upload_rate: int = parameter(
        10_000, "slowest upload of a body, in bytes per second", low=1, high=1_000 * MEGABYTE
    )
    reports_at_once: int = parameter(10_000, "largest number of reports in one request", low=1)
    page_rows: int = parameter(1_000, "largest number of rows on one page of a list", low=1)
    clock_tolerance: float = parameter(
        300.0,
        "seconds that a report's time may be ahead of this machine's clock. Later times are refused",
        high=100 * 365 * DAY_SECONDS,
    )
    checkpoint_rows: int = parameter(
        100_000,
        "rows of events after which a ladder is saved, so that it loads quickly at the next start",
        low=1,
    )
    import_bytes: int = parameter(
        1_000 * MEGABYTE, "largest file that can be imported, in bytes", low=1_000, high=1_000_000 * MEGABYTE
    )
    unpacked_bytes: int = parameter(
        1_000 * MEGABYTE,
        "largest size of an imported file after decompression, in bytes",
        low=1_000,
        high=1_000_000 * MEGABYTE,
    )
    line_bytes: int = parameter(
        10 * MEGABYTE,
        "longest line of an imported table, in bytes",
        low=MEGABYTE,
        high=1_000_000 * MEGABYTE,
    )
    jobs_at_once: int = parameter(
        2, "jobs of different ladders that run at once, each in a separate process", low=1, high=64
    )
    job_memory: int = parameter(
        2_000 * MEGABYTE,
        "memory limit of a job, in bytes. A job that needs more fails (on Linux)",
        low=500 * MEGABYTE,
        high=1_000_000 * MEGABYTE,
    )
    job_seconds: float = parameter(
        7_200.0,
        "time limit of a job, in seconds. A job that takes longer fails",
        low=1.0,
        high=365 * DAY_SECONDS,
    )
    job_process: Literal["on", "off"] = parameter(
        "on", "on: run jobs (imports, exports, re-rating), off: leave them to other services"
    )
    requests_per_second: float = parameter(
        200.0,
        "requests per second that one IP address may send to one worker without a key. Large ones count by "
        "their cost. 0 means no limit",
    )
    requests_per_second_of_keys: float = parameter(
        0.0,
        "requests per second that one key or session may send to one worker. Large ones count by their "
        "cost. 0 means no limit",
    )
    requests_at_once: int = parameter(
        100,
        "requests without a key from one IP address that may run at once in one worker, including streams. "
        "0 means no limit",
        high=1_000_000,
    )
    requests_at_once_of_keys: int = parameter(
        500,
        "requests with one key or session that may run at once in one worker, including streams. 0 means no "
        "limit",
        high=1_000_000,
    )
    request_cost: float = parameter(
        1_000.0, "highest cost of one request without a key. A plain request costs 1", low=100.0
    )
    request_cost_of_keys: float = parameter(
        10_000.0, "highest cost of one request with a key or session, or from this machine", low=100.0
    )
    heavy_at_once: int = parameter(
        1, "heavy requests, such as large previews, that may run at once in one worker", low=1, high=64
    )
    follow_seconds: float = parameter(
        0.5,
        "seconds between checks for new entries from other workers, while clients follow a ladder",
        low=0.001,
        high=DAY_SECONDS,
    )
    drain_seconds: float = parameter(
        0.0, "seconds to accept requests after the signal to stop, while /readyz returns 503", high=3600
    )
    grace_seconds: int = parameter(
        20, "seconds that running requests may take to finish at shutdown", low=1, high=3600
    )
    log_format: Literal["text", "json"] = parameter("text", "format of log lines: text, json")
    log_level: Literal["debug", "info", "warning", "error"] = parameter(
        "warning",
        "lowest level to log: error, warning, info (also each request), debug (also error texts, with names)",
    )
    metrics: Literal["on", "off"] = parameter("on", "on: serve /metrics, off: do not")

    @property
    def is_reached_from_outside(self) -> bool:
        """Whether others than this machine reach the service: then nobody may do everything without a key."""
        name = urlsplit(self.public_address or "").hostname
        return self.host not in LOCAL_NAMES or (name is not None and name not in LOCAL_NAMES)

    @property
    def shown_address(self) -> str:
        """What links begin with."""
        if self.public_address is None and self.host == EVERY_HOST:
            return f"http://{machine.network_address()}:{self.port}"
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
            hint = did_you_mean(name, list(known)) or f"the settings are {', '.join(known)}"
            raise ParameterError(f"{owner}: {shorten(name)!r} is not a setting of the service", hint=hint)
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
