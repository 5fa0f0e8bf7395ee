"""What the job process and its keeper send each other: objects in frames, a length and a pickle.

Both ends are podium, on one machine, parent and child.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any

from sqlalchemy.exc import DBAPIError

from podium.server.settings import ServerSettings
from podium.server.storage.database import refusal

if TYPE_CHECKING:
    from podium.server.service import Service

PROGRAM = "from podium.server.jobs.job_process import work; work()"
LOOK_SECONDS = 0.1
"""How often to look for jobs."""
LENGTH_BYTES = 8


def start_words(settings: ServerSettings, keeper: str, number: int, modules: list[str]) -> dict[str, Any]:
    """What a job process is told first."""
    return {"settings": asdict(settings), "keeper": keeper, "number": number, "modules": modules}


def send_frame(stream: IO[bytes], content: Any) -> None:
    """Send an object to the other process."""
    pickled = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    stream.write(len(pickled).to_bytes(LENGTH_BYTES, "little"))
    stream.write(pickled)
    stream.flush()


def receive_frame(stream: IO[bytes]) -> Any:
    """The next object from the other process; raises `EOFError` when it is gone."""
    length = int.from_bytes(_exactly(stream, LENGTH_BYTES), "little")
    return pickle.loads(_exactly(stream, length))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def answered(service: Service, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    """Call a function for the job process: True and its answer, or False and the error to raise there."""
    try:
        return True, function(service, *args)
    except DBAPIError as error:
        return False, refusal(error) or RuntimeError(str(error))
    except Exception as error:
        return False, _sendable(error)


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # whatever it is that some error cannot be pickled with
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
