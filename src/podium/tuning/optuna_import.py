"""Optuna, which is asked for only where something is tuned, and kept quiet."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from podium.errors import ParameterError


def import_optuna() -> Any:
    """The module optuna; if it is missing, an error that says how to install it."""
    try:
        import optuna
    except ImportError:
        raise ParameterError("tuning needs the package optuna", hint="pip install 'podium[lab]'") from None
    return optuna


@contextmanager
def quiet_optuna(optuna: Any) -> Iterator[None]:
    """Silence Optuna's log and its warnings about experiments during the block."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield
    finally:
        optuna.logging.set_verbosity(before)
