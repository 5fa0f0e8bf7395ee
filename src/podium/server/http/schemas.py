"""The OpenAPI description: schemas made from the declared documents, so that they say what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, is_typeddict

from podium.documents import SCHEMA_VERSION
from podium.documents.declarations import Key, declared_keys, summary
from podium.documents.service_documents import ProblemDocument

Schema = dict[str, Any]
PROBLEM = "application/problem+json"
EXAMPLES: dict[str, Any] = json.loads(
    files("podium.server.http").joinpath("example_answers.json").read_bytes()
)
"""An answer of each kind, of a small chess club, and a problem; numbers are rounded."""
PARAMETER_EXAMPLES: dict[str, Any] = {
    "ladder": "chess",
    "number": 1,
    "event": "key:game-7",
    "player": "ann",
    "a": "ann",
    "b": "bob",
    "around": "ann",
    "at": "2026-06-01",
    "min_events": 1,
    "active_since": "90d",
    "max_sigma": 120.0,
    "everybody": True,
    "limit": 50,
    "cursor": EXAMPLES["board"]["next"],
    "order": "oldest",
    "key": "game-7",
    "since": EXAMPLES["logged-event"]["bookmark"],
    "archived": True,
    "atomic": True,
    "dry_run": True,
    "repair_clock": False,
    "changes": False,
    "status": "running",
    "name": "season.csv",
    "allow_repeat": False,
    "columns": '{"player": "handle"}',
    "aliases": '{"17": "ann"}',
    "lower_is_better": False,
    "unrated": "opponent",
    "unfinished": "last",
    "disqualified": "drop",
    "on_bad_row": "error",
    "teams": "members",
    "teams_split": "&",
    "time_format": "%d/%m/%Y",
    "decimal": ".",
    "separator": ",",
    "encoding": "utf-8",
    "sheets": '["May"]',
    "key_id": "3fa9c1d2",
    "link_id": "81c2e0a7",
    "tournament": "tuesday",
    "simulations": 200,
    "round": 2,
    "before": 7,
}
"""An example of each parameter, wherever it is used."""
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Any: {},
}


class Schemas:
    """The schemas of documents by name, gathered as they are asked for."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def of(self, hint: Any) -> Schema:
        """The schema of a declared type."""
        origin, inner = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.of(inner[0])
        if origin in (Union, UnionType):
            return {"anyOf": [self.of(kind) for kind in inner]}
        if origin is list:
            return {"type": "array", "items": self.of(inner[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(inner[1])}
        if origin is Literal:
            return {"enum": list(inner)}
        if is_typeddict(hint):
            return self._reference(hint)
        return dict(_PLAIN[hint])

    def _reference(self, document: type) -> Schema:
        name = document.__name__.removesuffix("Document")
        if name not in self.components:
            self.components[name] = {}  # a document may hold documents of its own kind
            self.components[name] = self._object(document, {})
        return {"$ref": f"#/components/schemas/{name}"}

    def _object(self, document: type, stamp: Schema) -> Schema:
        keys = declared_keys(document)
        return {
            "type": "object",
            "description": summary(document),
            "properties": stamp | {name: self._described(key) for name, key in keys.items()},
            "required": [*stamp, *(name for name, key in keys.items() if not key.optional)],
            "additionalProperties": False,
        }

    def _described(self, key: Key) -> Schema:
        """The schema of a key with its meaning, in which links of the documentation are plain words."""
        return self.of(key.type) | {"description": re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", key.meaning)}

    def stamped(self, kind: str, document: type) -> Schema:
        """The schema of an answer: a document with its version and kind on top."""
        stamp = {"podium": {"const": SCHEMA_VERSION}, "kind": {"const": kind}}
        return {"title": document.__name__.removesuffix("Document"), **self._object(document, stamp)}


SCHEMAS = Schemas()


def answers(
    kind: str, document: Any, *, status: int = 200, also: Iterable[int] = (), refusals: Iterable[int] = ()
) -> dict[int | str, dict[str, Any]]:
    """What an operation answers, as FastAPI takes it: a stamped document, or a problem."""
    content = {"application/json": {"schema": SCHEMAS.stamped(kind, document), "example": EXAMPLES[kind]}}
    found: dict[int | str, dict[str, Any]] = {
        code: {"description": summary(document), "content": content} for code in (status, *also)
    }
    return found | problems(refusals)


def problems(statuses: Iterable[int]) -> dict[int | str, dict[str, Any]]:
    """Refusals of an operation; that the database may not answer is one of each."""
    plain = {"schema": SCHEMAS.of(ProblemDocument)}
    example = EXAMPLES["problem"]
    return {
        status: {
            "description": _REFUSALS[status],
            "content": {PROBLEM: plain | ({"example": example} if example["status"] == status else {})},
        }
        for status in sorted({*statuses, 503})
    }


_REFUSALS = {
    400: "The request is not valid. `detail` names the fault and its place.",
    401: "An API key is needed, or the one sent is not valid.",
    403: "The key or session does not allow this, or another website sent the request.",
    404: "The ladder, player, event or job does not exist.",
    405: "The endpoint does not support this method.",
    408: "The body arrived too slowly.",
    409: "A conflict: a used idempotency key, an event that is already rated, or an archived ladder.",
    410: "The ratings were recomputed since the cursor was made, or the bookmark is from another log.",
    413: "The request is too large.",
    415: "The endpoint does not accept this media type.",
    422: "The rating system cannot use this, or a time is ahead of the clock.",
    429: "Too many requests from one caller. Wait for the seconds in `Retry-After`.",
    503: "The database is not available. Send the request again after the seconds in `Retry-After`.",
}


def body(
    document: Any, examples: Mapping[str, Any], *, media: Iterable[str] = ("application/json",)
) -> Schema:
    """The body of an operation, for `openapi_extra`."""
    schema = SCHEMAS.of(document)
    shown = {name: {"value": value} for name, value in examples.items()}
    content = {kind: {"schema": schema, "examples": shown} for kind in media}
    return {"requestBody": {"required": True, "content": content}}
