"""What a term of a policy is: a small value with a name that says what it costs two tickets to meet.

A term may forbid meetings, add to their cost (in units of probability), widen what a ticket accepts, and say
which tickets share a group outside of which they meet nobody. One of your own derives from `Term`, has a
name, and any of these functions; from then on policy files know it by that name.

>>> class Clanmates(Term):
...     name = "clanmates"
...     def forbids(self, meetings):
...         return meetings.first["clan"] == meetings.second["clan"]
>>> Clanmates()
Clanmates()

Tickets divided in several ways at once: into groups, and into kinds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.errors import ParameterError
from podium.matchmaking.policies.meetings import Meetings, Ranges, Tickets, Waiting
from podium.matchmaking.pool.growing_tables import numbered
from podium.matchmaking.pool.player_lists import PlayerLists
from podium.named import Imported, Registry
from podium.parameters import Declared

MOST_GROUPS = 256
"""Groups that are told apart; what divides further is looked at meeting by meeting only."""


def both_groups(one: Bools | None, other: Bools, most: int = MOST_GROUPS) -> Bools | None:
    """Groups of tickets that share a group of both kinds; `one` alone if that makes more than `most`."""
    if one is None:
        return other if other.shape[1] <= most else None
    columns = one.shape[1] * other.shape[1]
    if columns > most:
        return one
    # A group's column in one piece: whoever asks for its members goes along it.
    joint: Bools = (one.T[:, None] & other.T[None]).reshape(columns, len(one))
    return joint[joint.any(axis=1)].T


def both_kinds(one: Longs, other: NDArray[Any]) -> Longs:
    """A number for each combination of both, from 0 on without gaps."""
    number = numbered(other)
    return numbered(one * (number.max(initial=0) + 1) + number)


_BUILT_IN = {
    "win-probability-gap": "WinProbabilityGap",
    "rating-gap": "RatingGap",
    "waiting-time": "WaitingTime",
    "no-rematch": "NoRematch",
    "block-list": "BlockList",
    "latency": "Latency",
    "needs": "Needs",
    "same-attribute": "SameAttribute",
    "premade-gap": "PremadeGap",
}
"""podium's own terms."""
_SAYING = ("forbids", "cost", "allowance", "groups")
"""Functions by which a term says something; one without any is a slip of the pen."""
_OF_FORBIDDING = ("is_settled", "kinds", "ranges", "apart", "parts", "groups")
"""What a term says about what it forbids."""


@dataclass(frozen=True)
class Term(Declared):
    """One part of a policy: it forbids meetings, gives them a cost, or raises what tickets accept.

    >>> import podium
    >>> from podium.matchmaking.policies.terms import NoRematch
    >>> isinstance(NoRematch(3), podium.Term), NoRematch(3).name
    (True, 'no-rematch')
    """

    name: ClassVar[str] = ""
    """Its name in policy files."""
    uses: ClassVar[frozenset[str]] = frozenset()
    """What it reads besides attributes: needs, latency, blocks; pools accept only what a term uses."""
    known: ClassVar[Registry[type[Term]]] = Registry(
        "term",
        {name: Imported("podium.matchmaking.policies.terms", kind) for name, kind in _BUILT_IN.items()},
        own=". Import your own terms first",
    )
    """All registered terms, by name."""

    def __init_subclass__(cls, *, built_in: bool = False, **options: Any) -> None:
        """Register a term under its name; `built_in` ones are podium's own."""
        super().__init_subclass__(**options)
        if not cls.name or not isinstance(cls.name, str):
            raise ParameterError(f"{cls.__name__} has no name", hint='for example name = "clanmates"')
        if not built_in:
            Term.known.check_free(cls.name, cls, replace=True)
        if all(getattr(cls, name) is getattr(Term, name) for name in _SAYING):
            raise ParameterError(
                f"the term {cls.name!r} neither forbids nor adds a cost",
                hint=f"give it one of {', '.join(_SAYING)}",
            )
        if cls.forbids is Term.forbids and cls.groups is not Term.groups:
            cls.forbids = Term._share_no_group  # type: ignore[method-assign]
        if built_in:
            Term.known.build_in(cls.name, cls)
        else:
            Term.known.register(cls.name, cls, replace=True)
        cls._forget_what_was_said()

    @classmethod
    def _forget_what_was_said(cls) -> None:
        """What a term inherits about what it forbids does not count where it forbids something else."""
        order = cls.__mro__
        where = {name: next(c for c in order if name in vars(c)) for name in ("forbids", *_OF_FORBIDDING)}
        for name in _OF_FORBIDDING:
            inherited = order.index(where[name]) > order.index(where["forbids"])
            if inherited and issubclass(where[name], Term):
                setattr(cls, name, getattr(Term, name))

    @property
    def label(self) -> str:
        """Its name in errors. A policy has each label once."""
        return self.name

    @property
    def asks(self) -> tuple[str, ...]:
        """The attributes that every ticket must have."""
        return ()

    @property
    def patience(self) -> float:
        """Seconds after which a ticket accepts everything not forbidden, and is served first."""
        return math.inf

    @property
    def rematch_games(self) -> int:
        """The number of last games of each player whose opponents are remembered: see `Meetings.met`."""
        return 0

    @property
    def most_latency(self) -> float:
        """The largest allowed latency to a match's region, in milliseconds.

        If it is finite, every ticket needs latencies. A term that has it also ``uses`` latency, and forbids
        meetings that are farther apart. The pool holds whole lobbies to it.
        """
        return math.inf

    def latency_limits(self, waited: Floats) -> Floats | None:
        """The latency that each ticket allows after waiting so long. None if it is `most_latency` for all."""
        return None

    @property
    def premade_weight(self) -> float:
        """What each player costs by which the largest party of a side is larger than another side's."""
        return 0.0

    @property
    def least_cost(self) -> float:
        """The lowest cost of a meeting by this term: pools pass over matches that cannot be acceptable."""
        return 0.0 if type(self).cost is Term.cost else -math.inf

    def forbids(self, meetings: Meetings) -> Bools | None:
        """Which meetings are forbidden. None forbids nothing."""
        return None

    def kinds(self, tickets: Tickets) -> Longs | None:
        """A number for each ticket on which all this term forbids depends. None if it depends on more."""
        return None

    def ranges(self, tickets: Tickets) -> Sequence[Ranges] | None:
        """All this term forbids as ranges: two may meet if each is in all ranges of the other. None: more."""
        return None

    def apart(self, waiting: Waiting) -> PlayerLists | None:
        """All this term forbids as lists: two may meet if none is on a list of the other. None: more."""
        return None

    def parts(self, tickets: Tickets) -> Longs | None:
        """A number for each ticket. Tickets with different numbers never meet. Stronger than groups."""
        return None

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether a meeting it forbids stays forbidden while both tickets wait, so that it is asked once."""
        return type(self).forbids is Term.forbids

    def cost(self, meetings: Meetings) -> Floats | None:
        """The cost of each meeting, in units of probability. None costs nothing."""
        return None

    def allowance(self, tickets: Tickets) -> Floats | None:
        """How much more than the policy's tolerance each ticket accepts. None is nothing."""
        return None

    def groups(self, tickets: Tickets) -> Bools | None:
        """Tickets × groups: tickets that share no group never meet. None is one group."""
        return None

    def _share_no_group(self, meetings: Meetings) -> Bools | None:
        """What a term forbids that has groups and does not say otherwise."""
        known = meetings.waiting.groups
        if self.label not in known:
            known[self.label] = self.groups(meetings.waiting.everybody)
        if (groups := known[self.label]) is None:
            return None
        apart: Bools = ~np.any(groups[meetings.first.rows] & groups[meetings.second.rows], axis=1)
        return apart
