"""Access control: what a worker knows of keys, sessions and private ladders, read from the database.

What was looked up counts for a second: a key that was revoked by another worker opens nothing after that.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from hmac import compare_digest
from typing import Generic, NamedTuple, TypeVar

from sqlalchemy import Connection, select, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from podium.server import machine
from podium.server.access.key_rows import has_keys, scopes_listed
from podium.server.access.link_rows import find_session
from podium.server.access.rights import ANYBODY, LOCAL, Access
from podium.server.access.tokens import KEY, SESSION, Token, read_token
from podium.server.problems import TooManyRequestsError, UnknownLadderError, WrongKeyError
from podium.server.settings import ServerSettings
from podium.server.storage import tables
from podium.server.storage.database import Database
from podium.server.storage.ladder_rows import SLUG, unknown_ladder

BURST_SECONDS = 2.0
"""How many seconds' worth of requests a caller may make at once."""
MOST_CALLERS = 50_000
"""Buckets that are kept; full ones are dropped first, as they say nothing."""
RETRY_SECONDS = 2
"""When to try again, if too many requests of a caller are under way."""
ROUNDING = 1e-9
"""What sums of seconds may be wrong by."""


class RequestLimits:
    """Buckets by caller, in the memory of one worker."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or machine.monotonic
        self._full_at: dict[str, float] = {}
        """When the bucket of each caller is full again."""
        self._lock = machine.Lock()

    def take(
        self, caller: str, per_second: float, setting: str, cost: float = 1.0, paid: float = 0.0
    ) -> None:
        """Count a request, or what more it costs than what is `paid` for it; refused if there was too much
        lately.

        There is no limit if `per_second`, the value of a setting, is 0.

        >>> limits = RequestLimits(clock=lambda: 0.0)
        >>> for _ in range(3): limits.take("ann", 1.0, "rate")
        Traceback (most recent call last):
        podium.server.problems.TooManyRequestsError: more than 1 requests a second, which the setting rate allows
          hint: wait for the seconds in Retry-After (a large request counts as several)
        """  # noqa: E501
        if not per_second:
            return
        now, most = self._clock(), max(1.0, per_second * BURST_SECONDS)
        with self._lock:
            full_at = max(now, self._full_at.get(caller, now))
            missing = full_at - now + (min(1.0, cost) - most - paid) / per_second
            if missing > ROUNDING:
                raise TooManyRequestsError(
                    f"more than {per_second:g} requests a second, which the setting {setting} allows",
                    hint="wait for the seconds in Retry-After (a large request counts as several)",
                    seconds=math.ceil(missing),
                )
            if caller not in self._full_at and len(self._full_at) >= MOST_CALLERS:
                self._forget(now)
            self._full_at[caller] = full_at + cost / per_second

    def _forget(self, now: float) -> None:
        """Drop buckets that are full again by now, or the oldest half if none is."""
        lately = {who: full_at for who, full_at in self._full_at.items() if full_at > now}
        if len(lately) >= MOST_CALLERS:
            lately = dict(list(lately.items())[MOST_CALLERS // 2 :])
        self._full_at = lately


class RequestsUnderWay:
    """How many requests of each caller are under way, in one worker: streams, slow bodies and slow readers
    too, of which each takes a connection. Only the event loop uses it.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def enter(self, caller: str, most: int, setting: str) -> Callable[[], None]:
        """Count a request until what is returned is called; refused if its caller has `most` already, the
        value of a setting.
        """
        if self._counts[caller] >= most:
            raise TooManyRequestsError(
                f"{most:,} requests of this caller are already running (setting {setting})",
                hint="close a stream or wait for a request to finish",
                seconds=RETRY_SECONDS,
            )
        self._counts[caller] += 1
        return lambda: self._leave(caller)

    def _leave(self, caller: str) -> None:
        self._counts[caller] -= 1
        if not self._counts[caller]:
            del self._counts[caller]


REMEMBERED_SECONDS = 1.0
"""How long what was looked up counts."""
MOST_REMEMBERED = 20_000
"""Answers that are remembered; then all are forgotten."""
USE_NOTED_MICROS = 3_600_000_000
"""How much later a key must be used again for that to be written down."""

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Answers of the database that are wanted again at once."""

    def __init__(self) -> None:
        self._answers: dict[K, tuple[float, V]] = {}

    def find(self, key: K) -> tuple[V] | None:
        """What was answered within the last second, alone in a tuple; None if nothing was."""
        found = self._answers.get(key)
        if found is None or found[0] < machine.monotonic() - REMEMBERED_SECONDS:
            return None
        return (found[1],)

    def keep(self, key: K, answer: V, asked: float) -> V:
        """Remember what was answered to a question of some moment."""
        if len(self._answers) >= MOST_REMEMBERED:
            self._answers = {}
        self._answers[key] = asked, answer
        return answer

    def forget(self) -> None:
        """Ask everything anew."""
        self._answers = {}


class Shown(NamedTuple):
    """What a request shows of who sends it."""

    bearer: str | None
    cookie: str | None


class Refused(NamedTuple):
    """Why a key is not taken."""

    reason: str
    hint: str


class GuardedLadder(NamedTuple):
    """A ladder's number, and whether it is private."""

    id: int
    private: bool


class AccessControl:
    """Identifies the caller of a request, with their rights, and finds private ladders."""

    def __init__(self, database: Database, settings: ServerSettings) -> None:
        self._database, self._settings = database, settings
        self._accesses: Remembered[bytes, Access | Refused] = Remembered()
        self._ladders: Remembered[str, GuardedLadder | None] = Remembered()
        self._guarded: Remembered[None, bool] = Remembered()
        self._was_guarded = settings.is_reached_from_outside
        self.limits = RequestLimits()
        self.under_way = RequestsUnderWay()
        self.local_secret: str | None = None
        """What commands on this machine show; its file can only be read by whoever runs the service."""

    def forget(self) -> None:
        """Look everything up anew: something of it was changed here."""
        for remembered in (self._accesses, self._ladders, self._guarded):
            remembered.forget()

    # ------------------------------------------------------------------ who asks

    def known(self, shown: Shown) -> Access | None:
        """Who shows this, if no database has to be asked; a key that is not valid is refused."""
        found = self._accesses.find(_digest(shown)) if shown.bearer or shown.cookie else None
        if found is not None and found[0] is not ANYBODY:
            return _admitted(found[0])
        if shown.bearer or (shown.cookie and found is None):
            return None
        if self._was_guarded:
            return ANYBODY
        guarded = self._guarded.find(None)
        return None if guarded is None else self._without_keys(guarded[0])

    def identified(self, shown: Shown) -> Access:
        """Who shows this, by what the database says now; a key that is not valid is refused."""
        if shown.bearer is not None:
            asked = machine.monotonic()
            return _admitted(self._accesses.keep(_digest(shown), self._of_key(shown.bearer), asked))
        if shown.cookie is not None and (token := read_token(shown.cookie, SESSION)) is not None:
            asked = machine.monotonic()
            access = self._accesses.keep(_digest(shown), self._of_session(token), asked)
            if access is not ANYBODY:
                return _admitted(access)
        return self._without_keys(self._is_guarded())

    def _without_keys(self, guarded: bool) -> Access:
        return ANYBODY if guarded else LOCAL

    def _is_guarded(self) -> bool:
        """Whether a key is needed to do more than read: once there was one, always."""
        if not self._was_guarded:
            asked = machine.monotonic()
            self._was_guarded = self._guarded.keep(None, self._asked(has_keys), asked)
        return self._was_guarded

    def _of_key(self, text: str) -> Access | Refused:
        if self.local_secret is not None and compare_digest(text.encode(), self.local_secret.encode()):
            return LOCAL
        token, key = read_token(text, KEY), tables.api_key
        row = None
        if token is not None:
            query = select(key).where(key.c.id == token.id)
            row = self._asked(lambda connection: connection.execute(query).one_or_none())
        if token is None or row is None or not token.fits(bytes(row.digest)):
            return Refused("unknown API key", "podium keys create makes a key")
        if row.revoked is not None:
            return Refused(f"the API key {row.id} was revoked", "ask the admin for a new key")
        if row.expires is not None and row.expires <= machine.now_micros():
            return Refused(f"the API key {row.id} has expired", "ask the admin for a new key")
        self._note_use(row.id, row.last_used)
        return Access(f"key {row.id}", frozenset(scopes_listed(row.scopes)), row.ladder)

    def _note_use(self, name: str, last_used: int | None) -> None:
        """Write down that a key is used, once an hour."""
        now = machine.now_micros()
        if last_used is not None and now - last_used < USE_NOTED_MICROS:
            return
        key = tables.api_key
        with suppress(SQLAlchemyError), self._database.writing() as connection:  # it is no reason to refuse
            connection.execute(update(key).where(key.c.id == name).values(last_used=now))

    def _of_session(self, token: Token) -> Access:
        found = self._asked(lambda connection: find_session(connection, token))
        if found is None:
            return ANYBODY
        csrf = sha256(b"podium form " + token.text.encode()).hexdigest()
        return Access(f"link {found.link}", frozenset(found.scopes), found.ladder, csrf)

    # ------------------------------------------------------------------ which ladder

    def known_ladder(self, slug: str) -> tuple[GuardedLadder | None] | None:
        """A ladder by name, if it was looked up within a second."""
        return self._ladders.find(slug)

    def ladder(self, slug: str) -> GuardedLadder | None:
        """A ladder by name, as the database has it now; None if there is none."""
        asked, ladder, row = machine.monotonic(), tables.ladder, None
        if SLUG.fullmatch(slug):
            query = select(ladder.c.id, ladder.c.private).where(ladder.c.slug == slug)
            row = self._asked(lambda connection: connection.execute(query).one_or_none())
        found = None if row is None else GuardedLadder(row.id, bool(row.private))
        return self._ladders.keep(slug, found, asked)

    def no_such_ladder(self, slug: str, access: Access) -> UnknownLadderError:
        """Why a ladder is not shown to somebody: the same whether it is private or not there."""
        return self._asked(lambda connection: unknown_ladder(connection, slug, access))

    def _asked(self, question: Callable[[Connection], V]) -> V:
        """What the database answers; asked once more if the connection to it turns out to be broken."""
        try:
            with self._database.reading() as connection:
                return question(connection)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
        with self._database.reading() as connection:
            return question(connection)


def _digest(shown: Shown) -> bytes:
    """What a key or a cookie is remembered by; secrets do not stay in memory."""
    return sha256((shown.bearer or shown.cookie or "").encode()).digest()


def _admitted(found: Access | Refused) -> Access:
    if isinstance(found, Refused):
        raise WrongKeyError(found.reason, hint=found.hint)
    return found
