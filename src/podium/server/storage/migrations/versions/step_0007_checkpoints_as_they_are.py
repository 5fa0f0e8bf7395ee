"""Checkpoints on PostgreSQL as they are: compressing a large one took longer than writing it."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Compress no checkpoint from now on."""
    _store("EXTERNAL")


def downgrade() -> None:
    """Leave it to PostgreSQL again."""
    _store("EXTENDED")


def _store(how: str) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"ALTER TABLE checkpoint ALTER COLUMN content SET STORAGE {how}")
