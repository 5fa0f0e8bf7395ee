"""The OpenAPI description: schemas made from the declared documents, so that they say what is answered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from podium.documents import SCHEMA_VERSION
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
    "key_id": "3fa9c1d2",
    "link_id": "81c2e0a7",
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
        if origin is NotRequired:
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

    def _reference(self, document: Any) -> Schema:
        name = document.__name__.removesuffix("Document")
        if name not in self.components:
            self.components[name] = {}  # a document may hold documents of its own kind
            hints = get_type_hints(document, include_extras=True)
            self.components[name] = {
                "type": "object",
                "description": (document.__doc__ or "").strip(),
                "properties": {key: self.of(hint) for key, hint in hints.items()},
                "required": [key for key, hint in hints.items() if get_origin(hint) is not NotRequired],
                "additionalProperties": False,
            }
        return {"$ref": f"#/components/schemas/{name}"}

    def stamped(self, kind: str, document: Any) -> Schema:
        """The schema of an answer: a document with its version and kind on top."""
        hints = get_type_hints(document, include_extras=True)
        stamp = {"podium": {"const": SCHEMA_VERSION}, "kind": {"const": kind}}
        properties = stamp | {key: self.of(hint) for key, hint in hints.items()}
        required = ["podium", "kind", *(k for k, h in hints.items() if get_origin(h) is not NotRequired)]
        return {
            "type": "object",
            "title": document.__name__.removesuffix("Document"),
            "description": (document.__doc__ or "").strip(),
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }


SCHEMAS = Schemas()


def answers(
    kind: str, document: Any, *, status: int = 200, also: Iterable[int] = (), refusals: Iterable[int] = ()
) -> dict[int | str, dict[str, Any]]:
    """What an operation answers, as FastAPI takes it: a stamped document, or a problem."""
    content = {"application/json": {"schema": SCHEMAS.stamped(kind, document), "example": EXAMPLES[kind]}}
    found: dict[int | str, dict[str, Any]] = {
        code: {"description": (document.__doc__ or "").strip(), "content": content}
        for code in (status, *also)
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
    400: "Something was sent that podium does not understand; `detail` says what and where.",
    401: "A key is needed, or the one that was sent is not valid.",
    403: "The key or the session may not do this, or another site has sent it.",
    404: "There is no such ladder, player, event or job.",
    405: "The address does not know this method.",
    408: "The body did not arrive in time.",
    409: "It contradicts what is there: a key used before, an event rated already, an archived ladder.",
    410: "The cursor is of ratings that have been computed anew since, or the bookmark of another log.",
    413: "Too much at once.",
    415: "The body is of another kind than the address takes.",
    422: "The rating system cannot use this evidence, or a time is ahead of the clock.",
    429: "Too many requests of one caller; `Retry-After` says when to go on.",
    503: "The database is not available; `Retry-After` says when to send the same again.",
}


def body(
    document: Any, examples: Mapping[str, Any], *, media: Iterable[str] = ("application/json",)
) -> Schema:
    """The body of an operation, for `openapi_extra`."""
    schema = SCHEMAS.of(document)
    shown = {name: {"value": value} for name, value in examples.items()}
    content = {kind: {"schema": schema, "examples": shown} for kind in media}
    return {"requestBody": {"required": True, "content": content}}
