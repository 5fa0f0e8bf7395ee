"""The first tables: ladders, their logs, players, changes and checkpoints."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create everything."""
    op.create_table(
        "engine",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("description", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "ladder",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("slug", sa.String(63), nullable=False, unique=True),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("fill_times", sa.Boolean, nullable=False),
        sa.Column("head", sa.BigInteger, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("events", sa.BigInteger, nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("last_time", sa.BigInteger),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("archived", sa.Boolean, nullable=False),
    )
    op.create_table(
        "event",
        _of_ladder(),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("occurred", sa.BigInteger),
        sa.Column("rated_time", sa.BigInteger),
        sa.Column("received", sa.BigInteger, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("checksum", sa.BigInteger, nullable=False),
        sa.Column("engine", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("event_key", "event", ["ladder", "key"], unique=True)
    op.create_table(
        "player",
        _of_ladder(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text),
        sa.UniqueConstraint("ladder", "name", name="player_name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "change",
        _of_ladder(),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("player", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("mu_before", sa.Double, nullable=False),
        sa.Column("sigma_before", sa.Double),
        sa.Column("display_before", sa.Double, nullable=False),
        sa.Column("performance", sa.Double),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double),
        sa.Column("display", sa.Double, nullable=False),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("expected", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_index("change_of_player", "change", ["ladder", "player", "seq"])
    op.create_table(
        "checkpoint",
        sa.Column("ladder", sa.Integer, sa.ForeignKey("ladder.id"), primary_key=True, autoincrement=False),
        sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("engine", sa.Integer, sa.ForeignKey("engine.id"), nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Drop everything: the database is as it was before podium."""
    for name in ("checkpoint", "change", "player", "event", "ladder", "engine"):
        op.drop_table(name)


def _of_ladder() -> sa.Column[int]:
    return sa.Column("ladder", sa.Integer, primary_key=True, autoincrement=False)
