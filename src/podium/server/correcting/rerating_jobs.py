"""Ratings computed anew by the job process, where that takes longer than reports may wait."""

from __future__ import annotations

from sqlalchemy import Connection

from podium.server.storage.ladder_rows import LadderRow


def enqueue_rerating(connection: Connection, row: LadderRow) -> None:
    """Have what is amended rated again soon, unless that is asked for already."""
