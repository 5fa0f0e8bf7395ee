"""`podium --import`: code of one's own, which registers systems and functions before the command runs."""

from __future__ import annotations

import importlib
import sys
import traceback
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path

import typer

from podium.cluster.processes import also_import
from podium.errors import ParameterError, PodiumError

LOADERS = [Path(file).parent for file in (__file__, importlib.__file__, typer.__file__)]
"""Folders with the code that loads other code; a fault that shows there is not theirs."""


def import_code(module: str) -> None:
    """Import a module of the current folder or of the environment, or a ``.py`` file anywhere."""
    import podium.numerics.jit  # noqa: F401 - from here on kernels are compiled, theirs like podium's

    path = Path(module).resolve() if module.endswith(".py") else None
    if path is not None and not path.is_file():
        raise ParameterError(f"--import {module}: there is no such file")
    _look_in(Path.cwd() if path is None else path.parent)
    name = module if path is None else path.stem
    try:
        if path is not None:
            _check_free(name, path)
        import_module(name)
        also_import(name)
    except (Exception, SystemExit) as error:  # whatever somebody's code may raise
        raise ParameterError(f"--import {module}: {failure(error)}", hint=_hint(error, name)) from error


def _look_in(folder: Path) -> None:
    """Let imports also search this folder, last: a file polars.py must not hide the library."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    invalidate_caches()


def _check_free(name: str, path: Path) -> None:
    spec = find_spec(name)
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
        raise ParameterError(
            f"there is another module {name}", hint="rename the file, without dots in its name"
        )


def failure(error: BaseException) -> str:
    """What went wrong when code of others was loaded, and at which of its lines."""
    what = error.reason if isinstance(error, PodiumError) else f"{type(error).__name__}: {error}"
    theirs = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_theirs(frame.filename)]
    return f"{what} ({Path(theirs[0].filename).name}, line {theirs[0].lineno})" if theirs else what


def _is_theirs(filename: str) -> bool:
    if filename.startswith("<frozen"):
        return False
    return not any(Path(filename).is_relative_to(folder) for folder in LOADERS)


def _hint(error: BaseException, name: str) -> str | None:
    if isinstance(error, ModuleNotFoundError) and error.name == name:
        return (
            "a module must be installed or in the current folder: for others, give the path of the .py file"
        )
    return error.hint if isinstance(error, PodiumError) else None
