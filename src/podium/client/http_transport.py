"""Two transports for one core: effects carried out with httpx2, blocking or awaiting."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from time import sleep
from typing import TYPE_CHECKING, Any, TypeVar

from podium.client.effects import (
    Effect,
    Feed,
    Item,
    Lost,
    NextLine,
    Opening,
    Pause,
    Reply,
    Request,
    Sent,
    Steps,
)
from podium.errors import ParameterError

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")
KEY_VARIABLE = "PODIUM_KEY"
"""The variable of the environment that holds the API key: secrets are better not in programs."""


def import_httpx2() -> Any:
    """The module httpx2; if it is missing, an error that says how to install it."""
    try:
        import httpx2
    except ImportError:
        raise ParameterError(
            "podium.Client needs the package httpx2", hint="pip install 'podium[client]'"
        ) from None
    return httpx2


def key_meant(key: str | None) -> str | None:
    """The API key to send: the given one, or that of the environment; None if there is neither."""
    return os.environ.get(KEY_VARIABLE) or None if key is None else key


class Transport:
    """What both transports share: where requests go and with which headers."""

    def __init__(self, address: str, key: str | None, timeout: float) -> None:
        self._httpx2 = import_httpx2()
        self.address, self.timeout = address, timeout
        self._headers = {} if key is None else {"authorization": f"Bearer {key}"}

    def _built(self, http: Any, request: Request) -> httpx2.Request:
        timeout = self._httpx2.Timeout(self.timeout)
        if request.quiet_seconds is not None:
            timeout = self._httpx2.Timeout(self.timeout, read=max(self.timeout, request.quiet_seconds))
        built: httpx2.Request = http.build_request(
            request.method,
            self.address + request.path,
            params=dict(request.query),
            content=request.content,
            headers={**self._headers, **request.headers},
            timeout=timeout,
        )
        return built

    def _lost(self, error: Exception) -> Lost:
        """What came of a request whose connection failed."""
        unsent = isinstance(error, (self._httpx2.ConnectError, self._httpx2.ConnectTimeout))
        return Lost(str(error) or type(error).__name__, was_sent=not unsent)


def _reply(response: httpx2.Response, content: bytes) -> Reply:
    return Reply(response.status_code, {k.lower(): v for k, v in response.headers.items()}, content)


class BlockingTransport(Transport):
    """Carries out effects one after another, waiting for each."""

    def __init__(self, address: str, key: str | None, timeout: float, http: httpx2.Client | None) -> None:
        super().__init__(address, key, timeout)
        self.http: httpx2.Client = self._httpx2.Client() if http is None else http

    def run(self, steps: Steps[T]) -> T:
        """Carry out a call; its value."""
        sent: Sent = None
        while True:
            try:
                effect = steps.send(sent)
            except StopIteration as end:
                value: T = end.value
                return value
            sent = self._carry_out(effect)

    def iterate(self, feed: Feed[T]) -> Generator[T, None, None]:
        """Carry out a call of many values, one by one as they are wanted."""
        sent: Sent = None
        answer: _OpenAnswer | None = None
        try:
            while True:
                try:
                    effect = feed.send(sent)
                except StopIteration:
                    return
                sent = None
                if isinstance(effect, Item):
                    yield effect.value
                elif isinstance(effect, Opening):
                    if answer is not None:
                        answer.close()
                    answer, sent = self._open(effect.request)
                elif isinstance(effect, NextLine):
                    assert answer is not None
                    sent = answer.next_line()
                else:
                    sent = self._carry_out(effect)
        finally:
            if answer is not None:
                answer.close()

    def _carry_out(self, effect: Effect) -> Sent:
        if isinstance(effect, Pause):
            sleep(effect.seconds)
            return None
        assert isinstance(effect, Request)
        try:
            response = self.http.send(self._built(self.http, effect))
        except self._httpx2.TransportError as error:
            return self._lost(error)
        return _reply(response, response.content)

    def _open(self, request: Request) -> tuple[_OpenAnswer | None, Reply | Lost]:
        try:
            response = self.http.send(self._built(self.http, request), stream=True)
            if response.is_success:
                return _OpenAnswer(self, response), _reply(response, b"")
            content = response.read()
        except self._httpx2.TransportError as error:
            return None, self._lost(error)
        return None, _reply(response, content)


class _OpenAnswer:
    """An answer that is read line by line."""

    def __init__(self, transport: BlockingTransport, response: httpx2.Response) -> None:
        self._transport, self._response, self._lines = transport, response, response.iter_lines()

    def next_line(self) -> str | Lost | None:
        try:
            return next(self._lines, None)
        except self._transport._httpx2.TransportError as error:
            return self._transport._lost(error)

    def close(self) -> None:
        self._response.close()


class AwaitingTransport(Transport):
    """Carries out effects with await, so that other tasks run meanwhile."""

    def __init__(
        self, address: str, key: str | None, timeout: float, http: httpx2.AsyncClient | None
    ) -> None:
        super().__init__(address, key, timeout)
        self.http: httpx2.AsyncClient = self._httpx2.AsyncClient() if http is None else http

    async def run(self, steps: Steps[T]) -> T:
        """Carry out a call; its value."""
        sent: Sent = None
        while True:
            try:
                effect = steps.send(sent)
            except StopIteration as end:
                value: T = end.value
                return value
            sent = await self._carry_out(effect)

    async def iterate(self, feed: Feed[T]) -> AsyncGenerator[T, None]:
        """Carry out a call of many values, one by one as they are wanted."""
        sent: Sent = None
        response: httpx2.Response | None = None
        lines: AsyncIterator[str] | None = None
        try:
            while True:
                try:
                    effect = feed.send(sent)
                except StopIteration:
                    return
                sent = None
                if isinstance(effect, Item):
                    yield effect.value
                elif isinstance(effect, Opening):
                    if response is not None:
                        await response.aclose()
                    response, sent = await self._open(effect.request)
                    lines = None if response is None else response.aiter_lines()
                elif isinstance(effect, NextLine):
                    assert lines is not None
                    sent = await self._next_line(lines)
                else:
                    sent = await self._carry_out(effect)
        finally:
            if response is not None:
                await response.aclose()

    async def _next_line(self, lines: AsyncIterator[str]) -> str | Lost | None:
        try:
            return await anext(lines, None)
        except self._httpx2.TransportError as error:
            return self._lost(error)

    async def _carry_out(self, effect: Effect) -> Sent:
        if isinstance(effect, Pause):
            from anyio import sleep as async_sleep  # which httpx2 brings; it also knows Trio

            await async_sleep(effect.seconds)
            return None
        assert isinstance(effect, Request)
        try:
            response = await self.http.send(self._built(self.http, effect))
        except self._httpx2.TransportError as error:
            return self._lost(error)
        return _reply(response, response.content)

    async def _open(self, request: Request) -> tuple[httpx2.Response | None, Reply | Lost]:
        try:
            response = await self.http.send(self._built(self.http, request), stream=True)
            if response.is_success:
                return response, _reply(response, b"")
            content = await response.aread()
        except self._httpx2.TransportError as error:
            return None, self._lost(error)
        return None, _reply(response, content)
