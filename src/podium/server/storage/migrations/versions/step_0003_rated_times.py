"""The time at which an entry is rated belongs to a generation, no longer to the entry."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from podium.errors import StateError

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the times of later generations; those that are there keep the times of their entries."""
    op.create_table(
        "entry_time",
        sa.Column("ladder", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("generation", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("rated_time", sa.BigInteger),
        sqlite_with_rowid=False,
    )
    op.add_column("generation", sa.Column("own_times", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop what was added; refused if the step before would rate some entry at another time."""
    bind = op.get_bind()
    moved = bind.execute(sa.text("SELECT count(*) FROM entry_time")).scalar_one()
    repairs = bind.execute(sa.text("SELECT count(*) FROM event WHERE kind = 'clock'")).scalar_one()
    if moved or repairs:
        raise StateError(
            "corrections in this database changed when entries are rated, which an older podium cannot read",
            hint="restore a backup from before the upgrade",
        )
    op.drop_column("generation", "own_times")
    op.drop_table("entry_time")
