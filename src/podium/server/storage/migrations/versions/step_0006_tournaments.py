"""Tournaments and what happened in them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the tables."""
    op.create_table(
        "tournament",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("ladder", sa.Integer, nullable=False),
        sa.Column("slug", sa.String(63), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("head", sa.Integer, nullable=False),
        sa.Column("reported", sa.Integer, nullable=False),
        sa.Column("problem", sa.Text),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_index("tournament_slug", "tournament", ["ladder", "slug"], unique=True)
    op.create_table(
        "tournament_step",
        sa.Column("tournament", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary, nullable=False),
        sa.Column("actor", sa.Text),
        sa.Column("received", sa.BigInteger, nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("tournament_step_key", "tournament_step", ["tournament", "key"], unique=True)


def downgrade() -> None:
    """Drop what was added."""
    op.drop_table("tournament_step")
    op.drop_table("tournament")
