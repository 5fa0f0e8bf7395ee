"""Reports of one caller, and what became of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from sqlalchemy import Connection

from podium.arrays import NO_TIME
from podium.documents.service_documents import OutcomeDocument, ReportStatus
from podium.errors import PodiumError
from podium.history import Event
from podium.server.ladders.numbered_ladder import ChangeRow
from podium.server.log.report_differences import shown_time
from podium.server.log.reports import Report
from podium.server.problems import KeyConflictError, UnavailableError, problem_of


@dataclass(slots=True)
class Outcome:
    """What became of one report."""

    status: ReportStatus
    key: str | None
    number: int | None = None
    rated: bool = False
    rated_time: int = NO_TIME
    provisional: bool = False
    """Whether an amendment waits for what follows it to be rated again, which may change everything."""
    changes: list[tuple[str, ChangeRow]] = field(default_factory=list)
    """What it did to each player, by name."""
    error: PodiumError | None = None

    def withheld(self) -> Outcome:
        """The outcome for somebody who may report to a private ladder, but not read it: without ratings.

        What is logged under a key may be a rating that was set.
        """
        error = self.error
        if isinstance(error, KeyConflictError):
            error = KeyConflictError(error.reason, number=error.number, differences=[])
        return replace(self, changes=[], error=error)

    def document(self, *, changes: bool = True) -> OutcomeDocument:
        """The outcome as plain data; without its `changes` if nobody wants them."""
        problem = None if self.error is None else problem_of(self.error)
        return {
            "status": self.status,
            "number": self.number,
            "key": self.key,
            "rated": self.rated,
            "rated_time": shown_time(self.rated_time),
            "provisional": self.provisional,
            "changes": [change.document(name) for name, change in self.changes] if changes else [],
            "problem": None if problem is None else problem["type"].rpartition(":")[2],
            "reason": None if problem is None else problem["detail"],
            "hint": None if problem is None else problem["hint"],
        }


@dataclass(slots=True)
class Submission:
    """Reports of one caller, which count one by one or all together."""

    reports: Sequence[Report]
    together: bool = False
    actor: str | None = None
    """Who reports, as the log keeps it."""
    names_hold: Callable[[Connection], bool] | None = None
    """Whether players are still called as here, if others may rename them before this is recorded."""
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def amends(self) -> bool:
        """Whether a report of it may have what is in the log already rated again."""
        return any(report.amends for report in self.reports)


def pieces_of(submission: Submission) -> list[Submission]:
    """A submission whose reports count one by one, cut at its amendments; others are as they were."""
    if submission.together or not submission.amends:
        return [submission]
    runs = groupby(submission.reports, key=lambda report: report.amends)
    cut = (([report] for report in run) if amends else [list(run)] for amends, run in runs)
    return [replace(submission, reports=reports) for part in cut for reports in part]


def up_to_renames(connection: Connection, submissions: Sequence[Submission]) -> Sequence[Submission]:
    """The first of these submissions, up to one before which players are or may be renamed.

    None are left if that is the first one: then it is refused, as whoever sent it knows the new names.
    """
    for place, submission in enumerate(submissions):
        if submission.names_hold is None:
            continue
        before = (report for one in submissions[:place] for report in one.reports)
        if any(report.amends or not isinstance(report.content, Event) for report in before):
            return submissions[:place]
        if not submission.names_hold(connection):
            if not place:
                error = UnavailableError("players were renamed meanwhile")
                submission.outcomes = [
                    Outcome("refused", report.key, error=error) for report in submission.reports
                ]
            return submissions[:place]
    return submissions
