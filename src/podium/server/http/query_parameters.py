"""Parameters in the URL of a request: one that the route does not have, or that is given twice, is refused.

`?dry-run=true` would otherwise record what was only to be tried, and `explanation?evnt=7` would answer about
something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from fastapi import Request

from podium.errors import ParameterError
from podium.text import known_names, shorten

TRACKING_PREFIX = "utm_"
TRACKING = frozenset({"fbclid", "gclid", "igshid", "mc_cid", "mc_eid", "msclkid"})
"""Parameters that other sites add to the links they show: pages ignore them."""
API = "/api/"


def check_query(request: Request) -> None:
    """Refuse a parameter that the route does not have, and one that is given twice where one is taken."""
    if not request.query_params:
        return
    known = dict(_known_parameters(request.scope["route"].dependant))
    seen = set()
    for word, _ in request.query_params.multi_items():
        if word not in known:
            if is_tracking(word) and not request.url.path.startswith(API):
                continue
            hint = known_names(word, known) if known else "this endpoint takes no parameters"
            raise ParameterError(f"unknown parameter {shorten(word)!r} here", hint=hint)
        if word in seen and not known[word]:
            raise ParameterError(f"the parameter {word!r} is given twice", hint="give it once")
        seen.add(word)


def is_tracking(word: str) -> bool:
    """Whether other sites add a parameter of this name to links."""
    return word.startswith(TRACKING_PREFIX) or word in TRACKING


def _known_parameters(dependant: Any) -> Iterator[tuple[str, bool]]:
    """The parameters of a route and its dependencies, each with whether it may be given several times."""
    for field in dependant.query_params:
        kind = field.field_info.annotation
        yield field.alias, any(get_origin(one) is list for one in (kind, *get_args(kind)))
    for further in dependant.dependencies:
        yield from _known_parameters(further)
