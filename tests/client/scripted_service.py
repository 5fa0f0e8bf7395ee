"""A service that answers what a test says, and either client in front of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import islice
from typing import Any, Literal

import httpx2

from podium import AsyncClient, Client
from podium.documents import stamped

Kind = Literal["blocking", "awaiting"]
Answer = httpx2.Response | Exception | Callable[[httpx2.Request], httpx2.Response]

ADDRESS = "http://podium.test"


def told(kind: str, /, **document: Any) -> httpx2.Response:
    """A good answer."""
    return httpx2.Response(200, json=stamped(kind, document))


def problem(
    name: str, status: int, detail: str = "no", hint: str | None = None, **more: Any
) -> httpx2.Response:
    """A refusal."""
    document = {"type": f"urn:podium:problem:{name}", "title": "No", "status": status, "detail": detail}
    return httpx2.Response(status, json={**document, "hint": hint, **more})


class Broken(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """An answer that breaks off after some text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __iter__(self) -> Iterator[bytes]:
        yield self._text.encode()
        raise httpx2.ReadError("the connection broke")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._text.encode()
        raise httpx2.ReadError("the connection broke")


class ScriptedService:
    """Gives one answer after another, and keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, httpx2.Response) else answer(request)

    def bodies(self, method: str = "POST") -> list[Any]:
        """What was sent, as plain data."""
        return [json.loads(request.content) for request in self.requests if request.method == method]

    @property
    def asked(self) -> list[str]:
        """Methods and paths of the requests, below the API."""
        return [f"{one.method} {one.url.raw_path.decode().removeprefix('/api/v1')}" for one in self.requests]

    @property
    def is_done(self) -> bool:
        """Whether all answers were given."""
        return not self._answers


class Caller:
    """A client of one kind at a service; calls give values in both."""

    def __init__(self, kind: Kind, service: ScriptedService, **options: Any) -> None:
        self.kind, self._service, self._options = kind, service, options

    def call(self, name: str, *args: Any, **keywords: Any) -> Any:
        """What a method gives."""
        transport = httpx2.MockTransport(self._service)
        if self.kind == "blocking":
            with Client(ADDRESS, http=httpx2.Client(transport=transport), **self._options) as client:
                return getattr(client, name)(*args, **keywords)

        async def called() -> Any:
            http = httpx2.AsyncClient(transport=transport)
            async with AsyncClient(ADDRESS, http=http, **self._options) as client:
                return await getattr(client, name)(*args, **keywords)

        return asyncio.run(called())

    def take(self, count: int, name: str, *args: Any, **keywords: Any) -> list[Any]:
        """The first values that a method gives one by one."""
        transport = httpx2.MockTransport(self._service)
        if self.kind == "blocking":
            with Client(ADDRESS, http=httpx2.Client(transport=transport), **self._options) as client:
                values = getattr(client, name)(*args, **keywords)
                taken = list(islice(values, count))
                values.close()
                return taken

        async def called() -> list[Any]:
            http = httpx2.AsyncClient(transport=transport)
            async with AsyncClient(ADDRESS, http=http, **self._options) as client:
                values = getattr(client, name)(*args, **keywords)
                taken = []
                while len(taken) < count:
                    try:
                        taken.append(await anext(values))
                    except StopAsyncIteration:
                        break
                await values.aclose()
                return taken

        return asyncio.run(called())
