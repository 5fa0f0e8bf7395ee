"""What computes here: versions and the processor, as the log and its checkpoints name it."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

import podium
from podium.server.storage import tables


@cache
def engine_description() -> str:
    """The versions and the processor on which results depend in their last digits."""
    import llvmlite.binding
    import numba
    import numpy as np

    processor = llvmlite.binding.get_host_cpu_name()
    return f"podium {podium.__version__}, numba {numba.__version__}, numpy {np.__version__}, {processor}"


def engine_number(connection: Connection) -> int:
    """The number of this engine in the database, which is entered if it is new."""
    table = tables.engine
    query = select(table.c.id).where(table.c.description == engine_description())
    found = connection.execute(query).scalar_one_or_none()
    if found is None:
        try:
            with connection.begin_nested():
                connection.execute(insert(table).values(description=engine_description()))
        except IntegrityError:
            pass  # another worker was quicker
        found = connection.execute(query).scalar_one()
    return int(found)
