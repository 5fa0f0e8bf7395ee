"""What adjustments did to each player, and which accounts were merged into which."""

from __future__ import annotations

import json
import time

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ADJUSTED = -1
"""The rank in a change that an adjustment made."""
_ADJUSTMENTS = sa.text("SELECT ladder, payload FROM event WHERE kind = 'adjustment' ORDER BY ladder, seq")
_MERGED = sa.text(
    "UPDATE player SET merged_into = :into WHERE ladder = :ladder AND number = :player AND name IS NULL"
)
_ORDERED = sa.text(
    "INSERT INTO job (ladder, kind, status, arguments, done, attempts, created) "
    "SELECT id, 'rerate', 'waiting', '{}', 0, 0, :now FROM ladder WHERE id = :ladder AND NOT EXISTS "
    "(SELECT 1 FROM job WHERE job.ladder = ladder.id AND kind = 'rerate' "
    "AND status IN ('waiting', 'running'))"
)


def upgrade() -> None:
    """Add columns, and have ladders with adjustments rated again: what those did was not kept before."""
    op.add_column(
        "generation", sa.Column("has_adjustments", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("player", sa.Column("merged_into", sa.Integer))
    op.add_column("player", sa.Column("former_name", sa.Text))
    is_merged = sa.text("merged_into IS NOT NULL")
    op.create_index("player_merged", "player", ["ladder"], sqlite_where=is_merged, postgresql_where=is_merged)
    connection = op.get_bind()
    ladders = set()
    for ladder, payload in connection.execute(_ADJUSTMENTS).all():
        plain = json.loads(payload)
        if plain["adjustment"] != "rename":
            ladders.add(ladder)
        if plain["adjustment"] == "merge":
            merged = {"ladder": ladder, "player": plain["player"], "into": plain["into"]}
            connection.execute(_MERGED, merged)
    op.execute("UPDATE generation SET has_adjustments = true")
    for ladder in sorted(ladders):
        connection.execute(
            sa.text("UPDATE generation SET has_adjustments = false WHERE ladder = :ladder"),
            {"ladder": ladder},
        )
        connection.execute(_ORDERED, {"ladder": ladder, "now": time.time_ns() // 1000})


def downgrade() -> None:
    """Drop what was added."""
    op.execute(f"DELETE FROM change WHERE rank = {_ADJUSTED}")
    op.drop_index("player_merged", "player")
    op.drop_column("player", "former_name")
    op.drop_column("player", "merged_into")
    op.drop_column("generation", "has_adjustments")
