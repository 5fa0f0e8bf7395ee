"""Jobs of a service as plain data: long work that a caller ordered, its progress and its result."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from podium.documents.declarations import TimeText, kind


@kind("job")
class JobDocument(TypedDict):
    """Long work of a service, such as an import or an export.

    `GET`, `DELETE /jobs/{number}`, `POST /ladders/{ladder}/imports` and `POST
    /ladders/{ladder}/exports`.
    """

    number: Annotated[int, "number of the job"]
    task: Annotated[str, "the kind of work: `import`, `export` or another [kind of job](service-jobs.md)"]
    ladder: Annotated[str | None, "name of its ladder in URLs, or null if it belongs to no ladder"]
    status: Annotated[
        Literal["waiting", "running", "done", "failed", "cancelled"],
        "`waiting`, `running`, `done`, `failed` or `cancelled`",
    ]
    done: Annotated[int, "how much of it is done, such as entries recorded"]
    total: Annotated[int | None, "how much there is to do, or null if not yet known"]
    result: Annotated[dict[str, Any] | None, "its result, which depends on its kind. null until it is done"]
    reason: Annotated[str | None, "why it failed"]
    attempts: Annotated[int, "how often it was begun: again whenever its process died"]
    actor: Annotated[str | None, "the caller who ordered it"]
    created: Annotated[TimeText, "when it was ordered"]
    started: Annotated[TimeText | None, "when it was first begun"]
    finished: Annotated[TimeText | None, "when it was over"]
    output: Annotated[str | None, "URL of the file that it produced"]


@kind("jobs")
class JobsDocument(TypedDict):
    """Jobs of a service, latest first.

    `GET /jobs`.
    """

    jobs: Annotated[list[JobDocument], "the jobs, latest first"]
    next: Annotated[str | None, "cursor of the next page, or null if this is the last one"]


class ExportRequestDocument(TypedDict):
    """How a ladder is to be exported.

    `POST /ladders/{ladder}/exports`.
    """

    format: NotRequired[
        Annotated[Literal["parquet", "csv"], "how tables are written: `parquet` (the default) or `csv`"]
    ]
