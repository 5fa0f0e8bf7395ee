"""Words in the address of a request that changes something: one that the route does not know is refused.

`?dry-run=true` would otherwise record what was only to be tried.
"""

from __future__ import annotations

from typing import Any

from fastapi import Request

from podium.errors import ParameterError
from podium.server.access.requirements import READING_METHODS
from podium.text import known_names, shorten


def check_query(request: Request) -> None:
    """Refuse a word that means nothing to the route."""
    if request.method in READING_METHODS or not request.query_params:
        return
    known = _known_words(request.scope["route"].dependant)
    for word in request.query_params:
        if word not in known:
            hint = known_names(word, known) if known else "there are none"
            raise ParameterError(f"there is no parameter {shorten(word)!r} here", hint=hint)


def _known_words(dependant: Any) -> list[str]:
    """The words that a route and what it depends on take from an address."""
    known = [field.alias for field in dependant.query_params]
    return known + [word for further in dependant.dependencies for word in _known_words(further)]
