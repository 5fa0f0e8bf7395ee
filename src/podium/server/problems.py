"""Why something is refused, as RFC 9457 problem documents with podium's reason and hint."""

from __future__ import annotations

from collections.abc import Sequence

from podium.documents.service_documents import OutcomeDocument, ProblemDocument, ReportDifferenceDocument
from podium.errors import (
    CooldownError,
    InputError,
    OrderError,
    ParameterError,
    PodiumError,
    RepeatError,
    StateError,
    UnknownPlayerError,
    UnsupportedError,
)
from podium.text import shorten

LONGEST_REASON = 2_000
"""Characters of a reason or a hint."""


class ServedError(PodiumError):
    """An error of the service only. Its class sets the status."""

    name = "refused"
    title = "Refused"
    status = 400


class UnknownLadderError(ServedError):
    """A ladder that does not exist."""

    name, title, status = "unknown-ladder", "No such ladder", 404


class UnknownEntryError(ServedError):
    """An entry of the log that does not exist."""

    name, title, status = "unknown-event", "No such event", 404


class AmendmentError(ServedError):
    """An amendment of something that is void already, or cannot be amended in this way."""

    name, title, status = "amendment", "It cannot be amended this way", 409


class NothingAheadError(AmendmentError):
    """A repair of the clock where no time is ahead of it."""


class AmendmentPreviewError(ServedError):
    """A dry run of an amendment together with other reports."""

    name, title, status = "amendment-preview", "Preview amendments one at a time", 400


class SupersededError(ServedError):
    """Ratings that another job is recomputing."""

    name, title, status = "superseded", "Ratings are being recomputed", 409


class UnknownJobError(ServedError):
    """A job that does not exist or has no file."""

    name, title, status = "unknown-job", "No such job", 404


class UnknownTournamentError(ServedError):
    """A tournament that does not exist."""

    name, title, status = "unknown-tournament", "No such tournament", 404


class TournamentExistsError(ServedError):
    """A slug that another tournament of the ladder has."""

    name, title, status = "tournament-exists", "The tournament already exists", 409


class UnknownPageError(ServedError):
    """A page that does not exist."""

    name, title, status = "unknown-page", "No such page", 404


class UnknownKeyError(ServedError):
    """An API key that does not exist."""

    name, title, status = "unknown-key", "No such key", 404


class UnknownLinkError(ServedError):
    """A link that does not exist."""

    name, title, status = "unknown-link", "No such link", 404


class KeyNeededError(ServedError):
    """A request without a key that needs one."""

    name, title, status = "key-needed", "An API key is needed", 401


class WrongKeyError(ServedError):
    """A key that is unknown, revoked or expired."""

    name, title, status = "wrong-key", "The API key is not valid", 401


class ForbiddenError(ServedError):
    """A request that the key or session does not allow."""

    name, title, status = "forbidden", "Not allowed", 403


class WrongLinkError(ServedError):
    """A link that is unknown, used or expired."""

    name, title, status = "wrong-link", "The link is not valid", 403


class CrossSiteError(ServedError):
    """A request that may come from another website."""

    name, title, status = "cross-site", "Sent from another website", 403


class TooManyRequestsError(ServedError):
    """More requests than a caller may make."""

    name, title, status = "too-many-requests", "Too many requests", 429

    def __init__(
        self, reason: str, *, seconds: int, hint: str = "wait for the seconds in Retry-After"
    ) -> None:
        self.seconds = seconds
        """How long to wait."""
        super().__init__(reason, hint=hint)


class LadderExistsError(ServedError):
    """A slug that another ladder has."""

    name, title, status = "ladder-exists", "The ladder already exists", 409


class TimeAheadError(ServedError):
    """A time that is further ahead of the server's clock than it may be."""

    name, title, status = "time-ahead", "The time is ahead of the clock", 422


class ArchivedError(ServedError):
    """A report to an archived ladder."""

    name, title, status = "archived", "The ladder is archived", 409


class KeyConflictError(ServedError):
    """An idempotency key that was used for a different report."""

    name, title, status = "key-conflict", "The idempotency key was used for a different report", 409

    def __init__(self, reason: str, *, number: int, differences: Sequence[ReportDifferenceDocument]) -> None:
        self.number, self.differences = number, differences
        super().__init__(reason, hint="send a new report with a new idempotency key")


class StaleCursorError(ServedError):
    """A cursor into ratings that have been recomputed since."""

    name, title, status = "stale-cursor", "The list has changed", 410


class OtherLogError(ServedError):
    """A place in a log that this one does not have, as when an older backup was restored."""

    name, title, status = "other-log", "The service was restored from a backup", 410


class TooLargeError(ServedError):
    """More than the service takes at once."""

    name, title, status = "too-large", "Too large", 413


class TooSlowError(ServedError):
    """A body that arrived too slowly."""

    name, title, status = "too-slow", "Too slow", 408


class MediaTypeError(ServedError):
    """A body of a media type that the endpoint does not accept."""

    name, title, status = "media-type", "Unsupported media type", 415


class UnavailableError(ServedError):
    """A database that does not respond or cannot be written. The same report may be sent again."""

    name, title, status = "unavailable", "The database is not available", 503

    def __init__(self, reason: str, *, hint: str | None = None, is_uncertain: bool = False) -> None:
        self.is_uncertain = is_uncertain
        """Whether something may have been recorded all the same."""
        super().__init__(reason, hint=hint)


class NotFittedError(ServedError):
    """A ladder whose events no fit describes."""

    name, title, status = "not-fitted", "There are no strengths for this ladder", 422


class RefusedTogetherError(ServedError):
    """Reports that count together or not at all, one of which was refused."""

    name, title, status = "refused", "One of the reports was refused, so none was recorded", 409

    def __init__(self, reason: str, *, hint: str | None, outcomes: Sequence[OutcomeDocument]) -> None:
        self.outcomes = outcomes
        super().__init__(reason, hint=hint)


class NotRecordedError(InputError):
    """A report with which nothing is wrong, but which counts together with one that was refused."""

    def __init__(self) -> None:
        super().__init__("not recorded, because another report of the request was refused")


_KNOWN: list[tuple[type[PodiumError], str, str, int]] = [
    (UnknownPlayerError, "unknown-player", "No such player", 404),
    (UnsupportedError, "unsupported", "The rating system cannot use this", 422),
    (OrderError, "order", "Earlier than the last event", 409),
    (RepeatError, "repeat", "Already rated", 409),
    (CooldownError, "cooldown", "The player may not join yet", 409),
    (StateError, "damaged", "The stored data is damaged", 500),
    (ParameterError, "parameter", "A parameter is not allowed", 400),
    (InputError, "input", "The request is not valid", 400),
]


def problem_of(error: PodiumError) -> ProblemDocument:
    """What to answer in place of a result.

    >>> problem_of(UnknownLadderError("there is no ladder 'chess'"))["type"]
    'urn:podium:problem:unknown-ladder'
    """
    if isinstance(error, ServedError):
        name, title, status = error.name, error.title, error.status
    else:
        kinds = ((name, title, status) for kind, name, title, status in _KNOWN if isinstance(error, kind))
        name, title, status = next(kinds, ("refused", "Refused", 400))
    problem = plain_problem(name, title, status, _reason(error), error.hint)
    if isinstance(error, KeyConflictError):
        problem |= {"differences": list(error.differences), "number": error.number}
    if isinstance(error, RefusedTogetherError):
        problem |= {"outcomes": list(error.outcomes)}
    return problem


FOR_PEOPLE = {
    "not-found": ("No such page", "there is no such page", "the list of ladders leads to all pages"),
    "method": ("No such page", "there is no such page", "the list of ladders leads to all pages"),
    "unknown-ladder": ("No such ladder", "there is no such ladder", "you may need a link from its admin"),
    "key-needed": ("Log in first", "you need to log in for this", "ask the admin for a link"),
    "wrong-key": ("Log in first", "you need to log in for this", "ask the admin for a link"),
    "forbidden": ("Not allowed", "your link does not allow this", "ask the admin for another link"),
    "cross-site": (
        "The form has expired",
        "the form has expired",
        "reload the page and fill in the form again",
    ),
    "key-conflict": (
        "Sent already",
        "this form was sent already, with a different result",
        "open a new form",
    ),
    "too-many-requests": (
        "Too many requests",
        "too many requests at once",
        "wait a few seconds and try again",
    ),
    "media-type": (
        "The form could not be read",
        "the form could not be read",
        "reload the page and fill in the form again",
    ),
}
"""Title, reason and hint on pages, by the name of a problem whose own reason is for programs."""


def for_people(problem: ProblemDocument) -> ProblemDocument:
    """A problem as a page shows it, without keys, scopes and HTTP.

    >>> for_people(problem_of(ForbiddenError("this needs the scope admin")))["detail"]
    'your link does not allow this'
    """
    name = problem["type"].rpartition(":")[2]
    if name not in FOR_PEOPLE:
        return problem
    title, detail, hint = FOR_PEOPLE[name]
    return {**problem, "title": title, "detail": detail, "hint": hint}


def _reason(error: PodiumError) -> str:
    """What was wrong, and where; the hint is apart."""
    if not isinstance(error, InputError):
        return error.reason
    place = {"source": error.source, "row": error.row, "line": error.line, "event": error.event}
    return str(InputError(error.reason, **place))  # type: ignore[arg-type]


def plain_problem(
    name: str, title: str, status: int, detail: str, hint: str | None = None
) -> ProblemDocument:
    """A problem document; what was sent may be quoted in it, and is cut if it is long."""
    return {
        "type": f"urn:podium:problem:{name}",
        "title": title,
        "status": status,
        "detail": shorten(detail, LONGEST_REASON),
        "hint": None if hint is None else shorten(hint, LONGEST_REASON),
    }
