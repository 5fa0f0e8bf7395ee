"""What commands ask of a server that runs on this machine."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from podium.documents.service_documents import RebuildDocument
from podium.errors import InputError
from podium.server.storage.database_locks import Holder


def rebuilt_by_server(server: Holder, slug: str, *, repair_clock: bool) -> RebuildDocument:
    """Let a server rebuild a ladder, however long it takes."""
    asked = "?repair_clock=true" if repair_clock else ""
    found: RebuildDocument = ordered(server, "POST", f"/ladders/{quote(slug, safe='')}/rebuild{asked}")
    return {
        "slug": found["slug"],
        "generation": found["generation"],
        "head": found["head"],
        "rows": found["rows"],
        "changed": found["changed"],
        "clock_repair": found["clock_repair"],
    }


def ordered(server: Holder, method: str, path: str, sent: Any = None) -> Any:
    """What a server answers to whoever runs it: its secret stands in a file that only they can read."""
    content = b"" if sent is None else json.dumps(sent).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.secret}"}
    order = Request(f"{server.address}/api/v1{path}", data=content, headers=headers, method=method)
    try:
        with build_opener(ProxyHandler({})).open(order) as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            problem = json.load(error)
        raise InputError(problem["detail"], hint=problem.get("hint")) from error
    except (URLError, OSError) as error:
        raise InputError(
            f"the server at {server.address} does not answer: {getattr(error, 'reason', error)}",
            hint="it may be starting or shutting down, so try again",
        ) from error
