"""What commands ask of a server that runs on this machine."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from podium.documents.service_documents import RebuildDocument
from podium.errors import InputError


def rebuilt_by_server(address: str, slug: str) -> RebuildDocument:
    """Let a server rebuild a ladder, however long it takes."""
    found: RebuildDocument = _posted(f"{address}/api/v1/ladders/{quote(slug, safe='')}/rebuild")
    return {
        "slug": found["slug"],
        "generation": found["generation"],
        "head": found["head"],
        "rows": found["rows"],
        "changed": found["changed"],
    }


def _posted(address: str) -> Any:
    """What a server answers to an order without a body."""
    order = Request(address, data=b"", headers={"Content-Type": "application/json"}, method="POST")
    try:
        with build_opener(ProxyHandler({})).open(order) as answer:
            return json.load(answer)
    except HTTPError as error:
        with error:
            problem = json.load(error)
        raise InputError(problem["detail"], hint=problem.get("hint")) from error
    except (URLError, OSError) as error:
        where, reason = address.partition("/api")[0], getattr(error, "reason", error)
        raise InputError(
            f"the server at {where} does not answer: {reason}",
            hint="it may still be starting, or have ended just now: try again",
        ) from error
