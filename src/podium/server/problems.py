"""Why something is refused, as RFC 9457 problem documents with podium's reason and hint."""

from __future__ import annotations

from collections.abc import Sequence

from podium.documents.service_documents import OutcomeDocument, ProblemDocument, ReportDifferenceDocument
from podium.errors import (
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
    """Something that only a service refuses; its class says with which status."""

    name = "refused"
    title = "Refused"
    status = 400


class UnknownLadderError(ServedError):
    """A ladder that is not there."""

    name, title, status = "unknown-ladder", "No such ladder", 404


class UnknownEntryError(ServedError):
    """An entry of the log that is not there."""

    name, title, status = "unknown-event", "No such event", 404


class AmendmentError(ServedError):
    """An amendment of something that is void already, or cannot be amended in this way."""

    name, title, status = "amendment", "It cannot be amended so", 409


class NothingAheadError(AmendmentError):
    """A repair of the clock where no time is ahead of it."""


class AmendmentPreviewError(ServedError):
    """A dry run of an amendment together with other reports."""

    name, title, status = "amendment-preview", "Amendments are previewed one by one", 400


class SupersededError(ServedError):
    """Ratings that somebody else is computing anew by now."""

    name, title, status = "superseded", "Ratings are being computed anew", 409


class UnknownJobError(ServedError):
    """A job that is not there, or has no file."""

    name, title, status = "unknown-job", "No such job", 404


class UnknownPageError(ServedError):
    """A page that is not there."""

    name, title, status = "unknown-page", "No such page", 404


class UnknownKeyError(ServedError):
    """An API key that is not there."""

    name, title, status = "unknown-key", "No such key", 404


class UnknownLinkError(ServedError):
    """A link that is not there."""

    name, title, status = "unknown-link", "No such link", 404


class KeyNeededError(ServedError):
    """Something that not everybody may do, without a key."""

    name, title, status = "key-needed", "A key is needed", 401


class WrongKeyError(ServedError):
    """A key that is not valid, or not any more."""

    name, title, status = "wrong-key", "The key is not valid", 401


class ForbiddenError(ServedError):
    """Something that a key or a session may not do."""

    name, title, status = "forbidden", "Not allowed", 403


class WrongLinkError(ServedError):
    """A link that is not valid, or was used up."""

    name, title, status = "wrong-link", "The link is not valid", 403


class CrossSiteError(ServedError):
    """What a page of another site may have made a browser send."""

    name, title, status = "cross-site", "Sent by another site", 403


class TooManyRequestsError(ServedError):
    """More requests than a caller may make."""

    name, title, status = "too-many-requests", "Too many requests", 429

    def __init__(self, reason: str, *, seconds: int, hint: str = "wait as long as Retry-After says") -> None:
        self.seconds = seconds
        """How long to wait."""
        super().__init__(reason, hint=hint)


class LadderExistsError(ServedError):
    """A name that another ladder has."""

    name, title, status = "ladder-exists", "The ladder exists", 409


class TimeAheadError(ServedError):
    """A time that is further ahead of the server's clock than it may be."""

    name, title, status = "time-ahead", "The time is ahead of the clock", 422


class ArchivedError(ServedError):
    """A report to a ladder that takes none any more."""

    name, title, status = "archived", "The ladder is archived", 409


class KeyConflictError(ServedError):
    """A key that was used for another report."""

    name, title, status = "key-conflict", "The key was used for another report", 409

    def __init__(self, reason: str, *, number: int, differences: Sequence[ReportDifferenceDocument]) -> None:
        self.number, self.differences = number, differences
        super().__init__(reason, hint="send what is new with a new key")


class StaleCursorError(ServedError):
    """A cursor into ratings that have been computed anew since."""

    name, title, status = "stale-cursor", "The list has changed", 410


class OtherLogError(ServedError):
    """A place in a log that this one does not have, as when an older backup was restored."""

    name, title, status = "other-log", "Not the log that was read", 410


class TooLargeError(ServedError):
    """More than the service takes at once."""

    name, title, status = "too-large", "Too large", 413


class TooSlowError(ServedError):
    """A body that does not arrive."""

    name, title, status = "too-slow", "Too slow", 408


class MediaTypeError(ServedError):
    """A body of another kind than the address takes."""

    name, title, status = "media-type", "Another kind of body", 415


class UnavailableError(ServedError):
    """A database that does not answer or cannot be written; the same report may be sent again."""

    name, title, status = "unavailable", "The database is not available", 503

    def __init__(self, reason: str, *, hint: str | None = None, is_uncertain: bool = False) -> None:
        self.is_uncertain = is_uncertain
        """Whether something may have been recorded all the same."""
        super().__init__(reason, hint=hint)


class RefusedTogetherError(ServedError):
    """Reports that count together or not at all, one of which was refused."""

    name, title, status = "refused", "One of the reports was refused, so none is recorded", 409

    def __init__(self, reason: str, *, hint: str | None, outcomes: Sequence[OutcomeDocument]) -> None:
        self.outcomes = outcomes
        super().__init__(reason, hint=hint)


class NotRecordedError(InputError):
    """A report with which nothing is wrong, but which counts together with one that was refused."""

    def __init__(self) -> None:
        super().__init__("not recorded, as another report of the request was refused")


_KNOWN: list[tuple[type[PodiumError], str, str, int]] = [
    (UnknownPlayerError, "unknown-player", "No such player", 404),
    (UnsupportedError, "unsupported", "The rating system cannot use this", 422),
    (OrderError, "order", "Earlier than the last event", 409),
    (RepeatError, "repeat", "Rated already", 409),
    (StateError, "damaged", "What is stored is damaged", 500),
    (ParameterError, "parameter", "A parameter is not allowed", 400),
    (InputError, "input", "podium does not understand what was sent", 400),
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
