"""`Client` and `AsyncClient`: the same calls, blocking or awaited.

Each method is written once, in `Calls`, as a generator without input or output; here it is handed to a
transport. `blocking`, `awaiting` and the others keep its arguments, its types and its documentation.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar, Unpack

from podium.client.administration import AdministrationCalls
from podium.client.amendment_calls import AmendmentCalls
from podium.client.connection import API
from podium.client.effects import Feed, Steps
from podium.client.followed_log import LogCalls
from podium.client.http_transport import AwaitingTransport, BlockingTransport, key_meant
from podium.client.ladder_calls import LookingCalls, PredictingCalls, RecordingCalls
from podium.client.retrying import Retries
from podium.client.service_jobs import JobCalls
from podium.client.service_values import LadderSettings
from podium.client.tournament_calls import TournamentCalls
from podium.client.uploads import UploadCalls
from podium.errors import ParameterError
from podium.history.times import to_micros
from podium.notebooks import frame_html
from podium.systems import RatingSystem, System, system_meant
from podium.text import shorten

if TYPE_CHECKING:
    import httpx2

P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_LADDER = "main"
DEFAULT_RETRIES = 4
"""Pauses of 0.1, 0.2, 0.4 and 0.8 seconds at most: a service that restarts is back by then, or somebody
should know."""
DEFAULT_TIMEOUT_SECONDS = 10.0


class Calls(
    RecordingCalls,
    UploadCalls,
    AmendmentCalls,
    LookingCalls,
    PredictingCalls,
    LogCalls,
    TournamentCalls,
    AdministrationCalls,
    JobCalls,
):
    """Everything that can be asked of a ladder on a service."""

    @classmethod
    def at(
        cls, url: str, ladder: str, system: System | None, retries: int, settings: LadderSettings
    ) -> Calls:
        """The calls of one ladder at an address."""
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise ParameterError(
                f"{shorten(repr(url))} is not the URL of a service",
                hint='use a URL such as "http://127.0.0.1:8000"',
            )
        if settings and system is None:
            raise ParameterError(
                f"{', '.join(settings)} can only be given when a ladder is created",
                hint="also give system= to create one, or use change() for an existing ladder",
            )
        if retries < 0:
            raise ParameterError(f"retries must be 0 or more, not {retries}")
        wanted = None if system is None else system_meant(system)
        address = url.rstrip("/").removesuffix(API)
        return cls(address, ladder, wanted, settings, Retries(retries))


def blocking(call: Callable[Concatenate[Calls, P], Steps[T]]) -> Callable[Concatenate[Client, P], T]:
    """A method of `Client` that carries out a call."""

    @wraps(call)
    def method(self: Client, /, *args: P.args, **keywords: P.kwargs) -> T:
        return self._transport.run(call(self._calls, *args, **keywords))

    return _signed(method, call, "{}")


def iterating(
    call: Callable[Concatenate[Calls, P], Feed[T]],
) -> Callable[Concatenate[Client, P], Generator[T, None, None]]:
    """A method of `Client` that gives values one by one."""

    @wraps(call)
    def method(self: Client, /, *args: P.args, **keywords: P.kwargs) -> Generator[T, None, None]:
        return self._transport.iterate(call(self._calls, *args, **keywords))

    return _signed(method, call, "Generator[{}, None, None]")


def awaiting(
    call: Callable[Concatenate[Calls, P], Steps[T]],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, T]]:
    """A method of `AsyncClient` that carries out a call."""

    @wraps(call)
    async def method(self: AsyncClient, /, *args: P.args, **keywords: P.kwargs) -> T:
        return await self._transport.run(call(self._calls, *args, **keywords))

    return _signed(method, call, "{}")


def awaiting_each(
    call: Callable[Concatenate[Calls, P], Feed[T]],
) -> Callable[Concatenate[AsyncClient, P], AsyncGenerator[T, None]]:
    """A method of `AsyncClient` that gives values one by one."""

    @wraps(call)
    def method(self: AsyncClient, /, *args: P.args, **keywords: P.kwargs) -> AsyncGenerator[T, None]:
        return self._transport.iterate(call(self._calls, *args, **keywords))

    return _signed(method, call, "AsyncGenerator[{}, None]")


def _signed(method: T, call: Callable[..., Any], form: str) -> T:
    """The method with the call's arguments and what it gives, for `help` and notebooks."""
    signature = inspect.signature(call)
    given = str(signature.return_annotation)  # Steps[…] or Feed[…]
    shown = form.format(given.partition("[")[2].removesuffix("]"))
    method.__signature__ = signature.replace(return_annotation=shown)  # type: ignore[attr-defined]
    return method


class Client:
    """A ladder that lives on a service, with the same methods as `Ladder`.

    Several threads may use one client. `close` closes it, and so does leaving a ``with`` block.

    Args:
        url: The URL of the service.
        ladder: The name of the ladder in URLs.
        system: If the ladder does not exist, its first use creates it with this system. An existing ladder
            with another system or other parameters is refused. Without a system the ladder must exist.
        key: The API key. Default: the environment variable PODIUM_KEY.
        timeout: The seconds that a request may take.
        retries: If the service does not answer, a request is sent up to so many times again. Every report has
            an idempotency key, so that it counts once.
        http: An `httpx2.Client` to use, for example with certificates or a proxy.
        settings: Settings of a new ladder, such as ``fill_times=False`` or ``min_events=5``.

    >>> import podium
    >>> with podium.Client("http://127.0.0.1:8000", ladder="darts", system="elo") as ladder:
    ...     winner, loser = ladder.record_match("ann", "bob", key="game 1")
    ...     round(winner.display), ladder.rating("bob").events
    (1516, 1)
    """

    def __init__(
        self,
        url: str,
        *,
        ladder: str = DEFAULT_LADDER,
        system: System | None = None,
        key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        http: httpx2.Client | None = None,
        **settings: Unpack[LadderSettings],
    ) -> None:
        self._calls = Calls.at(url, ladder, system, retries, settings)
        self._transport = BlockingTransport(self._calls.address, key_meant(key), timeout, http)
        if http is None:
            weakref.finalize(self, self._transport.http.close)

    # ------------------------------------------------------------------ recording

    record = blocking(Calls.record)
    record_match = blocking(Calls.record_match)
    record_event = blocking(Calls.record_event)
    adjust = blocking(Calls.adjust)
    update = blocking(Calls.update)
    preview = blocking(Calls.preview)
    rank_to_reach = blocking(Calls.rank_to_reach)
    ranks_to_reach = blocking(Calls.ranks_to_reach)

    # ------------------------------------------------------------------ amending

    void = blocking(Calls.void)
    correct = blocking(Calls.correct)
    disqualify = blocking(Calls.disqualify)
    consequences = blocking(Calls.consequences)
    choose_system = blocking(Calls.choose_system)
    compare_system = blocking(Calls.compare_system)

    # ------------------------------------------------------------------ looking

    rating = blocking(Calls.rating)
    ratings = blocking(Calls.ratings)
    leaderboard = blocking(Calls.leaderboard)
    distribution = blocking(Calls.distribution)
    explain = blocking(Calls.explain)
    history = blocking(Calls.history)
    arena = blocking(Calls.arena)
    head_to_head = blocking(Calls.head_to_head)
    has_player = blocking(Calls.has_player)

    # ------------------------------------------------------------------ predicting

    expected_score = blocking(Calls.expected_score)
    outcomes = blocking(Calls.outcomes)
    rank_probabilities = blocking(Calls.rank_probabilities)
    expected_ranks = blocking(Calls.expected_ranks)
    top_chances = blocking(Calls.top_chances)

    # ------------------------------------------------------------------ the log

    event = blocking(Calls.event)
    events = iterating(Calls.events)
    stream = iterating(Calls.stream)

    # ------------------------------------------------------------------ tournaments

    tournaments = blocking(Calls.tournaments)
    create_tournament = blocking(Calls.create_tournament)
    tournament = blocking(Calls.tournament)
    change_tournament = blocking(Calls.change_tournament)
    tournament_step = blocking(Calls.tournament_step)
    tournament_chances = blocking(Calls.tournament_chances)
    tournament_explanation = blocking(Calls.tournament_explanation)

    # ------------------------------------------------------------------ ladders

    service = blocking(Calls.service)
    ladder = blocking(Calls.ladder)
    ladders = blocking(Calls.ladders)
    create_ladder = blocking(Calls.create_ladder)
    change = blocking(Calls.change)
    archive = blocking(Calls.archive)
    reopen = blocking(Calls.reopen)
    verify = blocking(Calls.verify)
    rebuild = blocking(Calls.rebuild)
    import_file = blocking(Calls.import_file)
    export = blocking(Calls.export)
    job = blocking(Calls.job)
    jobs = blocking(Calls.jobs)
    cancel_job = blocking(Calls.cancel_job)

    # ------------------------------------------------------------------ as a Ladder has it

    @property
    def system(self) -> RatingSystem:
        """The ladder's system."""
        return self._transport.run(self._calls.known_system())

    @property
    def n_events(self) -> int:
        """Events rated so far, without adjustments."""
        return self.ladder().events

    @property
    def last_time(self) -> int:
        """The time of the latest event, in microseconds, as `Ladder.last_time`."""
        return to_micros(self.ladder().last_time)

    def __len__(self) -> int:
        """The number of players."""
        return self.ladder().players

    def __bool__(self) -> bool:
        return True

    def __contains__(self, player: object) -> bool:
        return isinstance(player, (str, int)) and self.has_player(str(player))

    def __repr__(self) -> str:
        return f"<Client: ladder {self._calls.slug!r} at {self._calls.address}>"

    def _repr_html_(self) -> str:
        return frame_html(repr(self), self.leaderboard())

    def close(self) -> None:
        """Close the connections to the service."""
        self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """`Client` with await: ``await client.rating("ann")``, ``async for entry in client.stream()``.

    Properties of `Client` are methods here: ``(await client.ladder()).events`` instead of `n_events`, and
    `has_player` instead of ``in``.

    Args:
        url: The URL of the service.
        ladder: The name of the ladder in URLs.
        system: The system of a new ladder, as for `Client`.
        key: The API key. Default: the environment variable PODIUM_KEY.
        timeout: The seconds that a request may take.
        retries: If the service does not answer, a request is sent up to so many times again.
        http: An `httpx2.AsyncClient` to use.
        settings: Settings of a new ladder.

    >>> import asyncio
    >>> import podium
    >>> async def report():
    ...     async with podium.AsyncClient("http://127.0.0.1:8000", ladder="go", system="elo") as ladder:
    ...         await ladder.record_match("ann", "bob", key="game 1")
    ...         return (await ladder.rating("ann")).events
    >>> asyncio.run(report())
    1
    """

    def __init__(
        self,
        url: str,
        *,
        ladder: str = DEFAULT_LADDER,
        system: System | None = None,
        key: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        http: httpx2.AsyncClient | None = None,
        **settings: Unpack[LadderSettings],
    ) -> None:
        self._calls = Calls.at(url, ladder, system, retries, settings)
        self._transport = AwaitingTransport(self._calls.address, key_meant(key), timeout, http)

    # ------------------------------------------------------------------ recording

    record = awaiting(Calls.record)
    record_match = awaiting(Calls.record_match)
    record_event = awaiting(Calls.record_event)
    adjust = awaiting(Calls.adjust)
    update = awaiting(Calls.update)
    preview = awaiting(Calls.preview)
    rank_to_reach = awaiting(Calls.rank_to_reach)
    ranks_to_reach = awaiting(Calls.ranks_to_reach)

    # ------------------------------------------------------------------ amending

    void = awaiting(Calls.void)
    correct = awaiting(Calls.correct)
    disqualify = awaiting(Calls.disqualify)
    consequences = awaiting(Calls.consequences)
    choose_system = awaiting(Calls.choose_system)
    compare_system = awaiting(Calls.compare_system)

    # ------------------------------------------------------------------ looking

    rating = awaiting(Calls.rating)
    ratings = awaiting(Calls.ratings)
    leaderboard = awaiting(Calls.leaderboard)
    distribution = awaiting(Calls.distribution)
    explain = awaiting(Calls.explain)
    history = awaiting(Calls.history)
    arena = awaiting(Calls.arena)
    head_to_head = awaiting(Calls.head_to_head)
    has_player = awaiting(Calls.has_player)

    # ------------------------------------------------------------------ predicting

    expected_score = awaiting(Calls.expected_score)
    outcomes = awaiting(Calls.outcomes)
    rank_probabilities = awaiting(Calls.rank_probabilities)
    expected_ranks = awaiting(Calls.expected_ranks)
    top_chances = awaiting(Calls.top_chances)

    # ------------------------------------------------------------------ the log

    event = awaiting(Calls.event)
    events = awaiting_each(Calls.events)
    stream = awaiting_each(Calls.stream)

    # ------------------------------------------------------------------ tournaments

    tournaments = awaiting(Calls.tournaments)
    create_tournament = awaiting(Calls.create_tournament)
    tournament = awaiting(Calls.tournament)
    change_tournament = awaiting(Calls.change_tournament)
    tournament_step = awaiting(Calls.tournament_step)
    tournament_chances = awaiting(Calls.tournament_chances)
    tournament_explanation = awaiting(Calls.tournament_explanation)

    # ------------------------------------------------------------------ ladders

    service = awaiting(Calls.service)
    ladder = awaiting(Calls.ladder)
    ladders = awaiting(Calls.ladders)
    create_ladder = awaiting(Calls.create_ladder)
    change = awaiting(Calls.change)
    archive = awaiting(Calls.archive)
    reopen = awaiting(Calls.reopen)
    verify = awaiting(Calls.verify)
    rebuild = awaiting(Calls.rebuild)
    import_file = awaiting(Calls.import_file)
    export = awaiting(Calls.export)
    job = awaiting(Calls.job)
    jobs = awaiting(Calls.jobs)
    cancel_job = awaiting(Calls.cancel_job)
    known_system = awaiting(Calls.known_system)

    def __repr__(self) -> str:
        return f"<AsyncClient: ladder {self._calls.slug!r} at {self._calls.address}>"

    async def close(self) -> None:
        """Close the connections to the service."""
        await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
