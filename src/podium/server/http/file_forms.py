"""Files that a browser sends: a form of several parts, whose last one is the file, read as it arrives."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from starlette.requests import Request

from podium.errors import InputError
from podium.server.http.bodies import body_parts
from podium.server.problems import TooLargeError

MULTIPART = "multipart/form-data"
LONGEST_HEAD, LONGEST_FIELD = 10_000, 100_000
"""Bytes of what stands before the content of a part, and of a field."""
MOST_FIELDS = 100
_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))', re.IGNORECASE)
_NAME, _FILE_NAME = (re.compile(rf'[;\s]{word}="([^"]*)"', re.IGNORECASE) for word in ("name", "filename"))


class Upload:
    """The fields of such a form, and the file behind them as it arrives."""

    def __init__(self, stream: AsyncIterator[bytes], boundary: bytes) -> None:
        self.fields: dict[str, str] = {}
        self.file_name: str | None = None
        """What the browser calls the file; None if the form has none."""
        self._stream = stream
        self._end = b"\r\n--" + boundary
        self._waiting = bytearray(b"\r\n")

    async def read_fields(self) -> None:
        """Read the fields before the file."""
        await self._until(self._end, LONGEST_HEAD)
        while len(self.fields) < MOST_FIELDS:
            while len(self._waiting) < 2:
                await self._more()
            if self._waiting.startswith(b"--"):
                return
            head = (await self._until(b"\r\n\r\n", LONGEST_HEAD)).decode("utf-8", "replace")
            name, file_name = _NAME.search(head), _FILE_NAME.search(head)
            if file_name is not None:
                self.file_name = file_name[1].replace("%22", '"')
                return
            value = (await self._until(self._end, LONGEST_FIELD)).decode("utf-8", "replace")
            if name is not None:
                self.fields[name[1]] = value
        raise TooLargeError(f"a form has at most {MOST_FIELDS} fields")

    async def content(self) -> AsyncIterator[bytes]:
        """The file, piece by piece."""
        while (end := self._waiting.find(self._end)) < 0:
            if (safe := len(self._waiting) - len(self._end)) > 0:
                yield bytes(self._waiting[:safe])
                del self._waiting[:safe]
            await self._more()
        yield bytes(self._waiting[:end])
        behind = 0
        async for part in self._stream:  # a few bytes, after which a browser reads the answer
            behind += len(part)
            if behind > LONGEST_HEAD:
                raise TooLargeError("the form is longer than its file")

    async def _until(self, sign: bytes, most: int) -> bytes:
        """What arrives before a sign, which is taken away too."""
        while (end := self._waiting.find(sign)) < 0:
            if len(self._waiting) > most:
                raise TooLargeError("a field of the form is too long")
            await self._more()
        found = bytes(self._waiting[:end])
        del self._waiting[: end + len(sign)]
        return found

    async def _more(self) -> None:
        part = await anext(self._stream, None)
        if part is None:
            raise InputError("the form did not arrive completely", hint="send it again")
        self._waiting += part


async def upload_of(request: Request) -> Upload:
    """The form of a request of several parts, read up to its file. It may be asked for again."""
    found: Upload | None = getattr(request.state, "upload", None)
    if found is None:
        boundary = _BOUNDARY.search(request.headers.get("content-type", ""))
        if boundary is None:
            raise InputError("the form does not declare the boundary between its parts")
        stream = body_parts(request, request.app.state.service.settings)
        found = Upload(stream, (boundary[1] or boundary[2]).encode("latin-1", "replace"))
        await found.read_fields()
        request.state.upload = found
    return found
