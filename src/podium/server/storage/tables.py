"""The tables of the service.

A ladder's log is `event`: numbers without gaps, never edited. Events name players by number; names are in
`player`, so that forgetting somebody never edits the log. `change` is a cache of what each event did, keyed
by generation: a later generation stores only the rows that differ. There is no table of ratings: a player's
rating is the latest change, workers hold all ratings in memory, and one more row for each player of each
event would have no reader. Rows of the log and of changes are written only under the lock of their ladder, so
they have no foreign keys: a database would look up the same ladder for each of thousands of rows.

What was reported is corrected by further entries of the log. An entry with a `target` amends an earlier one;
an event with a `place` was reported late, and is rated behind the entry of that number. A ladder's ratings
with the amendments up to some number are a generation, and so are the times at which entries are rated.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

from podium.ladder.recorded_keys import LONGEST_KEY

LONGEST_SLUG = 63
"""Characters of a ladder's name in addresses."""

metadata = MetaData()


def _partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of few rows, on both databases."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


engine = Table(
    "engine",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("description", Text, nullable=False, unique=True),
)
"""What computed something: versions and the processor. Other engines may differ in the last digits."""

ladder = Table(
    "ladder",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("slug", String(LONGEST_SLUG), nullable=False, unique=True),
    Column("system", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("fill_times", Boolean, nullable=False),
    Column("head", BigInteger, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("events", BigInteger, nullable=False),
    Column("players", Integer, nullable=False),
    Column("last_time", BigInteger),
    Column("created", BigInteger, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("private", Boolean, nullable=False, server_default=false()),
    Column("pending", Integer, nullable=False, server_default="0"),
)
"""Ladders. `pending`: amendments in the log that the ladder's generation does not have yet."""

event = Table(
    "event",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("key", String(LONGEST_KEY), nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("occurred", BigInteger),
    Column("rated_time", BigInteger),
    Column("received", BigInteger, nullable=False),
    Column("actor", Text),
    Column("payload", Text, nullable=False),
    Column("checksum", BigInteger, nullable=False),
    Column("engine", Integer, nullable=False),
    Column("place", BigInteger),
    Column("target", BigInteger),
    Index("event_key", "ladder", "key", unique=True),
    _partial_index("event_late", "ladder", "place", where="place IS NOT NULL"),
    _partial_index("event_target", "ladder", "target", where="target IS NOT NULL"),
    sqlite_with_rowid=False,
)
"""The log. `place`: the entry behind which an event that was reported late is rated; of several behind one
entry, the earlier time comes first, then the smaller number. `target`: the entry that this one amends."""

entry_time = Table(
    "entry_time",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("rated_time", BigInteger),
    sqlite_with_rowid=False,
)
"""When entries are rated, where a generation differs from the one before it. What is here for no generation
is rated at the `rated_time` of its event: the time when it was appended."""

player = Table(
    "player",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text),
    Column("merged_into", Integer),
    Column("former_name", Text),
    UniqueConstraint("ladder", "name", name="player_name"),
    _partial_index("player_merged", "ladder", where="merged_into IS NOT NULL"),
    sqlite_with_rowid=False,
)
"""Names by number. An account that was merged into another one has no name any more: `merged_into` is the
number of the other account, and `former_name` what a void of the merge calls it again, if that is known."""

change = Table(
    "change",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("player", Integer, primary_key=True, autoincrement=False),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("rank", Integer, nullable=False),
    Column("mu_before", Double, nullable=False),
    Column("sigma_before", Double),
    Column("display_before", Double, nullable=False),
    Column("performance", Double),
    Column("mu", Double, nullable=False),
    Column("sigma", Double),
    Column("display", Double, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("expected", Double),
    Column("draw", Double),
    Index("change_of_player", "ladder", "player", "seq"),
    sqlite_with_rowid=False,
)

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("ladder", ForeignKey("ladder.id"), primary_key=True, autoincrement=False),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("engine", ForeignKey("engine.id"), nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
"""Ladders as saved at some number of their log, with numbers in place of names."""

generation = Table(
    "generation",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("system", Text, nullable=False),
    Column("engine", Integer),
    Column("amended_to", BigInteger, nullable=False),
    Column("changed_from", BigInteger, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("replaced", BigInteger),
    Column("builder", String(32)),
    Column("cleaned", Boolean, nullable=False, server_default=false()),
    Column("own_times", Boolean, nullable=False, server_default=false()),
    Column("has_adjustments", Boolean, nullable=False, server_default=false()),
)
"""Ratings of a ladder by some system, with the amendments up to the number `amended_to` of its log, where it
ended when this generation took over. Entries in places before `changed_from` did the same in the generation
before. `engine` computed it all the way from there; nobody knows which did so for the generations of older
versions. `builder` is whoever is still building it. `cleaned`: the rows that it replaces are deleted.
`own_times`: entries are rated at their own time, or the last rated time of this generation if that is later.
Generations of older versions have the `rated_time` of the event in place of the own time.
`has_adjustments`: what each adjustment did is in `change`; older versions kept that of events alone."""

job = Table(
    "job",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder", Integer),
    Column("kind", String(16), nullable=False),
    Column("status", String(16), nullable=False),
    Column("arguments", Text, nullable=False),
    Column("result", Text),
    Column("reason", Text),
    Column("done", BigInteger, nullable=False),
    Column("total", BigInteger),
    Column("attempts", Integer, nullable=False),
    Column("actor", Text),
    Column("created", BigInteger, nullable=False),
    Column("started", BigInteger),
    Column("finished", BigInteger),
    Column("holder", Text),
    Column("held_until", BigInteger),
    Index("job_status", "status", "id"),
    _partial_index(
        "job_of_ladder",
        "ladder",
        where="kind = 'rerate' AND status IN ('waiting', 'running')",
        unique=True,
    ),
)
"""Long work. Whoever does it holds it until a moment that is put off as long as it goes on; what is not held
any more is taken up by another process."""

job_part = Table(
    "job_part",
    metadata,
    Column("job", Integer, primary_key=True, autoincrement=False),
    Column("name", String(16), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)
"""Files that go into a job or come out of it, in pieces."""

tournament = Table(
    "tournament",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder", Integer, nullable=False),
    Column("slug", String(LONGEST_SLUG), nullable=False),
    Column("name", Text, nullable=False),
    Column("settings", Text, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("head", Integer, nullable=False),
    Column("reported", Integer, nullable=False),
    Column("problem", Text),
    Column("created", BigInteger, nullable=False),
    Index("tournament_slug", "ladder", "slug", unique=True),
)
"""Tournaments of ladders. `head`: the number of the last step. `reported`: up to which step the ladder has
the results. `problem`: why the ladder refused a result."""

tournament_step = Table(
    "tournament_step",
    metadata,
    Column("tournament", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("key", String(LONGEST_KEY), nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("actor", Text),
    Column("received", BigInteger, nullable=False),
    Column("payload", Text, nullable=False),
    Index("tournament_step_key", "tournament", "key", unique=True),
    sqlite_with_rowid=False,
)
"""What happened in tournaments, a row for each request, never edited: taking back is a step, too."""

api_key = Table(
    "api_key",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("ladder", Integer),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger),
    Column("revoked", BigInteger),
    Column("last_used", BigInteger),
)
"""Keys of programs: what each may do, on one ladder or on all. Secrets are kept as digests."""

link = Table(
    "link",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("ladder", Integer),
    Column("once", Boolean, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger),
    Column("used", BigInteger),
    Column("revoked", BigInteger),
)
"""Links that let people in: a login link once, a link with a narrow right as often as it is opened."""

session = Table(
    "session",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("digest", LargeBinary, nullable=False),
    Column("link", String(16), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("ended", BigInteger),
)
"""Browsers that came in by a link, and may do what the link allows."""

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", String(32), nullable=False),
    Column("ladder", Integer),
    Column("details", Text, nullable=False),
    Index("audit_of_ladder", "ladder", "id"),
)
"""Who did what. Players are named by number."""
