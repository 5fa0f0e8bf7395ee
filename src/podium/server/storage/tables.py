"""The tables of the service.

A ladder's log is `event`: numbers without gaps, never edited. Events name players by number; names are in
`player`, so that forgetting somebody never edits the log. `change` is a cache of what each event did, keyed
by generation: a later generation stores only the rows that differ. There is no table of ratings: a player's
rating is the latest change, workers hold all ratings in memory, and one more row for each player of each
event would have no reader. Rows of the log and of changes are written only under the lock of their ladder, so
they have no foreign keys: a database would look up the same ladder for each of thousands of rows.
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
)

LONGEST_SLUG = 63
"""Characters of a ladder's name in addresses."""
LONGEST_KEY = 200
"""Characters of a caller's event key."""

metadata = MetaData()

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
)

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
    Index("event_key", "ladder", "key", unique=True),
    sqlite_with_rowid=False,
)

player = Table(
    "player",
    metadata,
    Column("ladder", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("name", Text),
    UniqueConstraint("ladder", "name", name="player_name"),
    sqlite_with_rowid=False,
)

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
