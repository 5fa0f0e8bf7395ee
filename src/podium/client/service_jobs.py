"""Long work of a service: files imported, ladders exported, and how far that is."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from podium.client.connection import API, FILE_SECONDS, PAGE_ROWS, Connection, plain_query, understood
from podium.client.effects import Request, Steps, pause
from podium.documents.job_documents import JobDocument
from podium.errors import InputError

if TYPE_CHECKING:  # tables load Polars, which whoever only reports does not need
    from podium.tables.columns.shapes import ReadKeywords

FILE = {"content-type": "application/octet-stream"}
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.1, 1.0
"""How often a job is looked at: often at first, as small ones are done soon."""

JobProgress = Callable[[int, int | None], None]
"""Called with how much of a job is done, and how much there is to do, if the service knows."""


class JobCalls(Connection):
    """Imports, exports and other jobs."""

    def import_file(
        self,
        path: str | os.PathLike[str],
        *,
        allow_repeat: bool = False,
        dry_run: bool = False,
        wait: bool = True,
        progress: JobProgress | None = None,
        **options: Unpack[ReadKeywords],
    ) -> Steps[JobDocument]:
        """Import a file of results, or an export, into this ladder. Returns the import's job.

        Options say how the file is read, as in `read_history`. With `wait` this returns when everything is
        recorded. It raises an error if the file cannot be imported. `progress` is called meanwhile.
        With `dry_run` nothing is recorded, and the job's result shows how podium reads the file.
        """
        file = Path(path)
        if not file.is_file():
            raise InputError(f"there is no file {file}")
        yield from self._settle()
        query = {"name": file.name, "allow_repeat": allow_repeat, **_plain_options(options)}
        if dry_run:
            query["dry_run"] = True
        request = Request(
            "POST",
            f"{API}{self.path}/imports",
            plain_query(query),
            file.read_bytes(),
            FILE,
            repeatable=False,
            quiet_seconds=FILE_SECONDS,
        )
        ordered = cast(JobDocument, understood((yield from self._exchanged(request))))
        job = (yield from self._waited(ordered, progress)) if wait else ordered
        self.system = None  # an empty ladder may take that of the file
        return job

    def export(
        self,
        path: str | os.PathLike[str],
        *,
        format: Literal["parquet", "csv"] = "parquet",
        progress: JobProgress | None = None,
    ) -> Steps[Path]:
        """Export this ladder with everything stored about it as a zip file of tables. Returns its path.

        `import_file` makes an equal ladder of it.
        """
        answer = yield from self._ask("POST", "/exports", body={"format": format}, again=False)
        done = yield from self._waited(cast(JobDocument, answer), progress)
        yield from self._fetch_output(done["number"], path)
        return Path(path)

    def job(self, number: int) -> Steps[JobDocument]:
        """A job of the service: its status, progress and result."""
        return cast(JobDocument, (yield from self._ask_service("GET", f"/jobs/{number}")))

    def jobs(self, *, status: str | None = None) -> Steps[list[JobDocument]]:
        """The jobs of this ladder, latest first."""
        query = {"ladder": self.slug, "status": status, "limit": PAGE_ROWS}
        page = yield from self._ask_service("GET", "/jobs", query=query)
        return cast(list[JobDocument], page["jobs"])

    def cancel_job(self, number: int) -> Steps[JobDocument]:
        """Cancel a job. Entries that it has recorded stay."""
        return cast(JobDocument, (yield from self._ask_service("DELETE", f"/jobs/{number}")))

    def _waited(self, job: JobDocument, progress: JobProgress | None) -> Steps[JobDocument]:
        """A job when it is done; raises why if it failed."""
        seconds = FIRST_PAUSE_SECONDS
        while job["status"] in ("waiting", "running"):
            yield from pause(seconds)
            seconds = min(2 * seconds, LONGEST_PAUSE_SECONDS)
            job = yield from self.job(job["number"])
            if progress is not None:
                progress(job["done"], job["total"])
        if job["status"] != "done":
            raise InputError(job["reason"] or f"job {job['number']} was {job['status']}")
        return job


def _plain_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of reading as parameters of an address."""
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, (Mapping, list, tuple)) else value
        for name, value in options.items()
    }
