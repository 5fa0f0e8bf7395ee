"""Corrections and generations, jobs, keys and people: what the second half of the service needs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from podium.errors import StateError

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add columns and tables; what is there becomes the first generation of each ladder."""
    op.add_column("event", sa.Column("place", sa.BigInteger))
    op.add_column("event", sa.Column("target", sa.BigInteger))
    _create_partial_index("event_late", "event", ["ladder", "place"], "place IS NOT NULL")
    _create_partial_index("event_target", "event", ["ladder", "target"], "target IS NOT NULL")
    op.add_column("ladder", sa.Column("private", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("ladder", sa.Column("pending", sa.Integer, nullable=False, server_default="0"))
    _create_generations()
    _create_jobs()
    _create_access()
    _describe_sizes()


def downgrade() -> None:
    """Drop what was added; refused if the step before could not make sense of a log, or would open it."""
    amended = sa.text("SELECT count(*) FROM event WHERE place IS NOT NULL OR target IS NOT NULL")
    if op.get_bind().execute(amended).scalar_one():
        raise StateError(
            "logs of this database have corrections, which an older podium cannot read",
            hint="restore a backup from before the upgrade",
        )
    guarded = sa.text("SELECT (SELECT count(*) FROM api_key) + (SELECT count(*) FROM ladder WHERE private)")
    if op.get_bind().execute(guarded).scalar_one():
        raise StateError(
            "this database has API keys or private ladders. Without them it would be public",
            hint="restore a backup from before the upgrade",
        )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DELETE FROM sqlite_stat1")
    for name in ("audit", "session", "link", "api_key", "job_part", "job", "generation"):
        op.drop_table(name)
    op.drop_column("ladder", "pending")
    op.drop_column("ladder", "private")
    op.drop_index("event_target", "event")
    op.drop_index("event_late", "event")
    op.drop_column("event", "target")
    op.drop_column("event", "place")


def _describe_sizes() -> None:
    """Tell SQLite how many rows its indexes have for one value of their columns, in large ladders.

    Otherwise it guesses, and reads all changes of a ladder to find those of one player.
    """
    if op.get_bind().dialect.name != "sqlite":
        return
    op.execute("ANALYZE sqlite_schema")  # which makes the table of sizes, and later reads it
    for table, index, sizes in (
        ("change", "change", "1000000 1000000 2 1 1"),
        ("change", "change_of_player", "1000000 1000000 100 1"),
        ("event", "event", "1000000 1000000 1"),
        ("event", "event_key", "1000000 1000000 1"),
        ("event", "event_late", "1000 1000 2"),
        ("event", "event_target", "1000 1000 2"),
    ):
        op.execute(f"INSERT INTO sqlite_stat1 VALUES ('{table}', '{index}', '{sizes}')")
    op.execute("ANALYZE sqlite_schema")


def _create_generations() -> None:
    op.create_table(
        "generation",
        sa.Column("ladder", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("engine", sa.Integer),
        sa.Column("amended_to", sa.BigInteger, nullable=False),
        sa.Column("changed_from", sa.BigInteger, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("replaced", sa.BigInteger),
        sa.Column("builder", sa.String(32)),
        sa.Column("cleaned", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.execute(
        "INSERT INTO generation (ladder, number, system, amended_to, changed_from, created) "
        "SELECT id, generation, system, 0, 0, created FROM ladder"
    )


def _create_jobs() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("ladder", sa.Integer),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("result", sa.Text),
        sa.Column("reason", sa.Text),
        sa.Column("done", sa.BigInteger, nullable=False),
        sa.Column("total", sa.BigInteger),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("started", sa.BigInteger),
        sa.Column("finished", sa.BigInteger),
        sa.Column("holder", sa.Text),
        sa.Column("held_until", sa.BigInteger),
    )
    op.create_index("job_status", "job", ["status", "id"])
    _create_partial_index(
        "job_of_ladder",
        "job",
        ["ladder"],
        "kind = 'rerate' AND status IN ('waiting', 'running')",
        unique=True,
    )
    op.create_table(
        "job_part",
        sa.Column("job", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def _create_access() -> None:
    op.create_table(
        "api_key",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("ladder", sa.Integer),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger),
        sa.Column("revoked", sa.BigInteger),
        sa.Column("last_used", sa.BigInteger),
    )
    op.create_table(
        "link",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("ladder", sa.Integer),
        sa.Column("once", sa.Boolean, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger),
        sa.Column("used", sa.BigInteger),
        sa.Column("revoked", sa.BigInteger),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("link", sa.String(16), nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.BigInteger),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("ladder", sa.Integer),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_index("audit_of_ladder", "audit", ["ladder", "id"])


def _create_partial_index(
    name: str, table: str, columns: list[str], condition: str, *, unique: bool = False
) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, unique=unique, sqlite_where=where, postgresql_where=where)
