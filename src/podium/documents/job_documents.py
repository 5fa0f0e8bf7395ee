"""Jobs of a service as plain data: long work that somebody ordered, how far it is, and what came of it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class JobDocument(TypedDict):
    """Long work of a service, such as an import or an export."""

    number: int
    task: str
    ladder: str | None
    status: Literal["waiting", "running", "done", "failed", "cancelled"]
    done: int
    total: int | None
    result: dict[str, Any] | None
    reason: str | None
    attempts: int
    actor: str | None
    created: str
    started: str | None
    finished: str | None
    output: str | None


class JobsDocument(TypedDict):
    """Jobs of a service, latest first."""

    jobs: list[JobDocument]
    next: str | None


class ExportRequestDocument(TypedDict):
    """How a ladder is to be exported."""

    format: NotRequired[Literal["parquet", "csv"]]
