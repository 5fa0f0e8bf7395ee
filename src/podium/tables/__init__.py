"""From any table or file to a history, and back.

`read_history` takes any file podium knows and gives one history; `read_chunks` gives the same history in
pieces, for files larger than memory; `write_history` writes a table that they read back; `sample` gives real
results that come with podium.
"""

from podium.tables.history_files import read_chunks, read_history, sample, write_history

__all__ = ["read_chunks", "read_history", "sample", "write_history"]
