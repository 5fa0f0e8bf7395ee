"""What requests cost, estimated from what is asked for, before the work begins.

The unit is a plain request, about a millisecond of one processor. What one request may cost has a limit, and
all requests of a caller share one bucket, so that many of medium size are limited too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.requests import Request

from podium.server.access.rights import ANYBODY, LOCAL, Access
from podium.server.problems import TooLargeError, TooManyRequestsError
from podium.server.settings import ServerSettings
from podium.systems import RatingSystem
from podium.systems.auto.auto import Auto

BODY_BYTES = 5_000
"""Bytes of a body that are read at the cost of a plain request. The other numbers here are alike."""
LISTED_ROWS = 40
"""Rows of a list."""
STORED_PLAYERS = 200
"""Players of events that are read from the log."""
SCANNED_ROWS = 1_000
"""Results of a player that are looked through, without the events they are of."""
NAMED_PLAYERS = 40
"""Players of an event that is rated and answered, or of another question."""
PAIRED_SIDES = 1_000
"""Pairs of sides, or of sides and places."""
RERATED_ROWS = 1_000
"""Rows of an event that is rated again and again."""
PAGE = 4.0
"""A page for people, with its tables and pictures."""
TOURNAMENT_ROWS = 100
"""Entrants of a tournament, once for their standing and once for each round."""
SIMULATED_MATCHES = 20
"""Matches of a tournament that is played to its end by chance."""
PAIRED_ENTRANTS = 200
"""Pairs of entrants whose chances against each other are needed."""
PAST_DATE = 10.0
"""A past of a ladder that has to be rated again, from its nearest saved state."""
PAST_PLAYERS = 150
"""Players of the ladder, all of whom are in that state."""
PAST_ENTRIES = 50
"""Entries of the log from that state up to the date."""
PAST_ROWS = 1_000
"""Results of players in these entries."""
FITTED_RESULTS = 50
"""Results of players in events that are read for a fit."""
FIT = 200.0
"""A fit of a ladder to its whole log."""

Cost = Callable[[Request], float]


def network_of(client: tuple[str, int] | None) -> str:
    """By what those without a key are counted: their address, or in IPv6 the network that one line gets.

    >>> network_of(("192.0.2.7", 80)), network_of(("2001:db8::7", 80)), network_of(("::ffff:192.0.2.7", 80))
    ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    host = "" if client is None else client[0]
    try:
        found = ip_address(host)
    except ValueError:  # of a proxy, which may call a caller what it likes
        return host
    if not isinstance(found, IPv6Address):
        return host
    return str(found.ipv4_mapped or ip_network((int(found), 64), strict=False))


def count_under_way(request: Request) -> None:
    """Count a request until it is answered; refused if too many of its caller are under way.

    Callers without a key on this machine are not counted: a proxy on it that names no callers would be shut
    out as one of them.
    """
    access: Access = request.state.access
    service = request.app.state.service
    if access is LOCAL or (access is ANYBODY and network_of(request.client).startswith(("127.", "::/"))):
        return
    setting = f"requests_at_once{_owner(access)}"
    if most := getattr(service.settings, setting):
        request.state.leave = service.access_control.under_way.enter(_caller(request), most, setting)


def _owner(access: Access) -> str:
    """What names of settings end with that are about such callers."""
    return "" if access is ANYBODY else "_of_keys"


def _caller(request: Request) -> str:
    """What the requests of a caller are counted by."""
    access: Access = request.state.access
    return f"address {network_of(request.client)}" if access is ANYBODY else access.actor


def charge(request: Request, cost: float, *, is_stored: bool = False) -> None:
    """Count what a request costs; refused if that is too much for one request, or for its caller now.

    What somebody without a key pays for is counted by address. What `is_stored` in the log was not chosen by
    whoever reads it: it counts as no more than one request may cost.
    """
    access: Access = request.state.access
    service = request.app.state.service
    settings: ServerSettings = service.settings
    owner = _owner(access)
    most, paid = _most(request), _paid(request)
    if is_stored:
        cost = max(0.0, min(cost, most - paid))
    total = request.state.cost = paid + cost
    if total > most:
        raise TooLargeError(
            f"this request costs about {total:,.0f} times as much as a plain one. The limit is "
            f"{most:,.0f} times (setting request_cost{owner})",
            hint="request less at once" if owner else "request less at once, or use an API key",
        )
    if access is LOCAL or not cost:
        return
    setting = f"requests_per_second{owner}"
    limits = service.access_control.limits
    limits.take(_caller(request), getattr(settings, setting), setting, cost, paid)


def may_cost(request: Request) -> float:
    """What a request may cost beyond what it has cost already."""
    return _most(request) - _paid(request)


def _most(request: Request) -> float:
    found: float = getattr(request.app.state.service.settings, f"request_cost{_owner(request.state.access)}")
    return found


def _paid(request: Request) -> float:
    found: float = getattr(request.state, "cost", 0.0)
    return found


async def paced(request: Request, cost: float) -> None:
    """Count what a part of a long answer costs, and wait until its caller may have it."""
    request.state.cost = 0.0
    while True:
        try:
            charge(request, cost, is_stored=True)
        except TooManyRequestsError as error:
            await asyncio.sleep(error.seconds)
        else:
            return


def page_shown(request: Request) -> float:
    """What a page for people costs."""
    return PAGE


def rows_listed(default: int) -> Cost:
    """What a list costs of which so many rows are answered if no `limit` is given."""

    def cost(request: Request) -> float:
        given = request.query_params.get("limit", "")
        most: int = request.app.state.service.settings.page_rows
        is_plain = given.isdecimal() and len(given) < 10  # others may be numbers too, such as +1000
        rows = int(given) if is_plain else most if given else default
        return min(rows, most) / LISTED_ROWS

    return cost


def systems_of(system: RatingSystem) -> int:
    """How many systems rate in place of one: as many as `auto` has experts."""
    return len(system.experts.experts) if isinstance(system, Auto) else 1
