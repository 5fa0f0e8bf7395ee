"""Keeping a waiting pool: files, bytes and pickles, from which it goes on as if it had never stopped."""

from __future__ import annotations

from copy import deepcopy
from io import BytesIO
from typing import IO, Any, Self

from podium.errors import ParameterError, PodiumError, StateError, UnknownPlayerError
from podium.files.file_names import PathLike
from podium.ladder.ladder import Ladder
from podium.ladder.locking import Lockable
from podium.ladder.saving import difference, saved_system
from podium.matchmaking.graphs.matching import Effort
from podium.matchmaking.pool_changes import looking
from podium.matchmaking.pool_files import SavedPool, read_pool, refused, write_pool
from podium.matchmaking.pool_people import Remembering
from podium.matchmaking.pool_reading import fill_pool
from podium.systems import RatingSystem, System, system_meant


class Saving(Remembering):
    """The part of a pool that keeps it."""

    seed: int
    timeout: float | None
    effort: Effort | None

    @classmethod
    def _made(cls, rated: Ladder | System, options: dict[str, Any]) -> Self:
        """A new pool with these options."""
        raise NotImplementedError

    @looking
    def save(self, path: PathLike | IO[bytes]) -> None:
        """Write the pool to a file, atomically: a crash leaves either the old file or the new one.

        It holds the tickets, the matches that are proposed or played, and what is remembered of players.
        `path` may also be a file that is open for writing bytes. A ladder is not in it, and is saved by
        itself. Terms of your own are saved by their names.
        """
        write_pool(path, self)

    @classmethod
    def load(
        cls, path: PathLike | IO[bytes], rated: Ladder | System | None = None, *, unknown: str | None = None
    ) -> Self:
        """Read a saved pool, which goes on as if it had never stopped.

        A pool of a ladder is given its ladder as `rated`, so that there is one ladder and not a copy of it; a
        pool of a rating system needs nothing. A ladder or a system with other parameters is refused.
        `unknown` replaces what the pool does with players whom the ladder does not know. Everything in the
        file is checked; it contains no code.
        """
        saved = read_pool(path)
        try:
            return cls._loaded(saved, rated, unknown)
        except UnknownPlayerError as error:
            raise StateError(
                f"{saved.name}: somebody waits whom the ladder does not know: {error.reason}",
                hint="load the ladder as it was when the pool was saved, or let unknown='newcomer' rate them",
            ) from error
        except PodiumError as error:
            raise refused(saved.name, error) from error

    @classmethod
    def _loaded(cls, saved: SavedPool, rated: Ladder | System | None, unknown: str | None) -> Self:
        header = saved.header
        if header["has_ladder"] and not isinstance(rated, Ladder):
            raise StateError("this is a pool of a ladder", hint="Matchmaker.load(path, ladder)")
        if not header["has_ladder"] and isinstance(rated, Ladder):
            raise StateError(
                "this pool has the ratings in its tickets, not in a ladder", hint="load it alone"
            )
        wanted: RatingSystem | None
        if isinstance(rated, Ladder):
            wanted = rated.system
        else:
            wanted = None if rated is None else system_meant(rated)
        system = saved_system(header, wanted)
        if wanted is not None and not wanted.same_beliefs(system):
            raise StateError(f"the pool is of {difference(system, wanted)}")
        options = {
            "mode": header["mode"],
            "policy": saved.policy,
            "seed": header["seed"],
            "timeout": header["timeout"],
            "unknown": unknown or ("newcomer" if header["newcomers"] else "error"),
            "effort": header["effort"],
            "remembered": header["remembered"],
        }
        pool = cls._made(system if rated is None else rated, options)
        fill_pool(pool, saved)
        return pool

    @looking
    def to_bytes(self) -> bytes:
        """What `save` would write: to keep a pool in a database, or to send it."""
        content = BytesIO()
        write_pool(content, self)
        return content.getvalue()

    @classmethod
    def from_bytes(
        cls, content: bytes, rated: Ladder | System | None = None, *, unknown: str | None = None
    ) -> Self:
        """The pool that `to_bytes` wrote, with the checks of `load`."""
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise ParameterError(
                f"a pool is made of bytes, not of {type(content).__name__}",
                hint="Matchmaker.load reads a file",
            )
        return cls.load(BytesIO(content), rated, unknown=unknown)

    @looking
    def __getstate__(self) -> dict[str, Any]:
        """Everything but the lock, copied: other threads may go on while it is pickled."""
        kept = {name: value for name, value in vars(self).items() if name not in vars(Lockable())}
        shared = {id(value): value for value in (self._source, self.policy, self.mode)}
        return {name: deepcopy(value, shared) for name, value in kept.items()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        Lockable.__init__(self)
        vars(self).update(kept)
