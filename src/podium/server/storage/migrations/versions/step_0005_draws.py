"""The chance of a draw that a calibrated system gave a match before it was played."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add a column; what older versions rated has nothing in it until it is rated again."""
    op.add_column("change", sa.Column("draw", sa.Double))


def downgrade() -> None:
    """Drop what was added."""
    op.drop_column("change", "draw")
