"""A policy: who may meet whom, what it costs, and how much of that is acceptable.

>>> from podium.matchmaking.policies.terms import NoRematch
>>> policy = Policy(terms=(WinProbabilityGap(), WaitingTime(patience=60), NoRematch(3)), tolerance=0.05)
>>> policy.patience
60.0
>>> print(policy.to_toml())
tolerance = 0.05
<BLANKLINE>
[terms.win-probability-gap]
weight = 1.0
<BLANKLINE>
[terms.waiting-time]
per_minute = 0.1
patience = 60.0
<BLANKLINE>
[terms.no-rematch]
games = 3
weight = inf
<BLANKLINE>
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.arrays import Bools, Floats, Longs
from podium.errors import ParameterError, PodiumError
from podium.files.toml import parse_toml, read_text, written
from podium.matchmaking.policies.conduct import Conduct, check_conduct
from podium.matchmaking.policies.meetings import Meetings, Waiting
from podium.matchmaking.policies.targets import WinRateTarget
from podium.matchmaking.policies.term_contract import MOST_GROUPS, Term, both_groups, both_kinds
from podium.matchmaking.policies.terms import BlockList, Needs, WaitingTime, WinProbabilityGap
from podium.notebooks import html_table
from podium.numerics.jit import kernel
from podium.parameters import as_float, check_names
from podium.systems import RatingSystem
from podium.text import did_you_mean, shorten

COSTS_AT_ONCE = 32_768
"""Meetings whose costs are computed together, so that a processor's cache holds all columns of them: for a
million at once every step would fetch fresh memory."""
MOST_COST = 1e9
"""What a term may say that a meeting costs, or saves: so much that sums of costs are finite."""


POLICY_KEYS = ("tolerance", "party", "terms", "target", "conduct")
"""What a file of a policy may have."""


class Judged(NamedTuple):
    """Meetings that are not forbidden, by the rows of their tickets."""

    first: Longs
    second: Longs
    cost: Floats
    acceptable: Bools


@dataclass(frozen=True)
class Policy:
    """A sum of terms, and the cost that two tickets accept.

    A meeting is forbidden if any term forbids it. Otherwise its cost is the sum of its terms' costs. It is
    acceptable if that is at most the tolerance plus the larger allowance of its tickets, that of the longer
    wait.

    Attributes:
        terms: The terms that are summed.
        tolerance: The cost that new tickets accept. With the win-probability gap alone, 0.1 means odds from
            40 to 60%.
        target: The win rate that players should return to. None aims at even chances for all.
        conduct: The time for answers to proposals, and the cooldowns for declining and leaving.
        party: The rating of a party: the "mean" of its players, that of its "strongest", or a number between
            them. 0 means the mean, and 1 the strongest.

    >>> import podium
    >>> from podium.matchmaking.policies.terms import NoRematch, WinProbabilityGap
    >>> policy = podium.Policy(terms=(WinProbabilityGap(), NoRematch(3)), tolerance=0.05)
    >>> podium.Matchmaker("elo", policy=policy).policy.tolerance
    0.05
    """

    terms: tuple[Term, ...] = (WinProbabilityGap(), WaitingTime(), Needs(), BlockList())
    tolerance: float = 0.1
    target: WinRateTarget | None = None
    conduct: Conduct = field(default_factory=Conduct)
    party: float | Literal["mean", "strongest"] = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "terms", tuple(self.terms))
        for term in self.terms:
            if not isinstance(term, Term):
                hint = f"with its parameters: {term.__name__}()" if isinstance(term, type) else None
                raise ParameterError(f"{shorten(repr(term))} is not a term", hint=hint)
        labels = [term.label for term in self.terms]
        for label in labels:
            if labels.count(label) > 1:
                raise ParameterError(f"the policy has two terms {label!r}", hint="one of each")
        if isinstance(self.tolerance, bool) or not isinstance(self.tolerance, Real):
            raise ParameterError(f"the tolerance must be a number, not {self.tolerance!r}")
        if not 0.0 <= as_float(self.tolerance) < math.inf:
            said = "accepts no match" if self.tolerance < 0 else "is not a number"
            raise ParameterError(
                f"a tolerance of {shorten(str(self.tolerance))} {said}", hint="a cost from 0, such as 0.1"
            )
        object.__setattr__(self, "tolerance", float(self.tolerance))
        if self.target is not None and not isinstance(self.target, WinRateTarget):
            raise ParameterError(f"the target is {self.target!r}", hint="WinRateTarget(games=5), or None")
        check_conduct(self.conduct)
        object.__setattr__(self, "party", _share(self.party))

    # ------------------------------------------------------------------ what it says

    def _repr_html_(self) -> str:
        target = "" if self.target is None else f", towards {self.target}"
        title = f"Policy: tolerance {self.tolerance:g}{target}"
        rows = [(term.label, repr(term)) for term in self.terms]
        return html_table(title, ("term", "parameters"), rows, count=len(rows))

    def term(self, name: str) -> Term | None:
        """The first of its terms with this name, or None if it has none."""
        return next((term for term in self.terms if term.name == name), None)

    @property
    def patience(self) -> float:
        """Seconds after which a ticket is overdue. Infinite if no term sets it."""
        return min((term.patience for term in self.terms), default=math.inf)

    @property
    def rematch_games(self) -> int:
        """The number of games for which opponents are remembered."""
        return max((term.rematch_games for term in self.terms), default=0)

    @property
    def most_latency(self) -> float:
        """The largest allowed latency to a match's region, in milliseconds. Infinite if no term sets it."""
        return min((term.most_latency for term in self.terms), default=math.inf)

    def latency_limits(self, waited: Floats) -> Floats | None:
        """The latency that each ticket allows after waiting so long. None if it is the same for all."""
        found = [said for term in self.terms if (said := term.latency_limits(waited)) is not None]
        return np.minimum.reduce([np.full(len(waited), self.most_latency), *found]) if found else None

    @property
    def premade_weight(self) -> float:
        """What each player costs by which the largest party of a side is larger than another side's."""
        return sum(term.premade_weight for term in self.terms)

    @property
    def least_cost(self) -> float:
        """The lowest possible cost of a meeting."""
        return sum(term.least_cost for term in self.terms)

    def uses(self, what: str) -> bool:
        """Whether any term reads needs, latency or blocks."""
        return any(what in term.uses for term in self.terms)

    # ------------------------------------------------------------------ judging

    def forbidden(self, meetings: Meetings, terms: Iterable[Term] | None = None) -> Bools:
        """Which meetings are forbidden, by all terms or by these."""
        forbidden = np.zeros(len(meetings), np.bool_)
        for term in self.terms if terms is None else terms:
            if (said := term.forbids(meetings)) is not None:
                refused = _column(term, "forbids", said, len(meetings), np.bool_)
                forbidden |= refused
                counted = meetings.waiting.refusals
                counted[term.label] = counted.get(term.label, 0) + int(np.count_nonzero(refused))
        return forbidden

    def cost(self, meetings: Meetings) -> Floats:
        """The cost of each meeting: the sum over all terms."""
        cost = np.zeros(len(meetings))
        for start in range(0, len(meetings), COSTS_AT_ONCE):
            here = slice(start, start + COSTS_AT_ONCE)
            some = meetings if len(meetings) <= COSTS_AT_ONCE else meetings.take(here)
            for term in self.terms:
                if (said := term.cost(some)) is not None:
                    cost[here] += _column(term, "cost", said, len(some), np.float64)
        return cost

    def limits(self, waiting: Waiting) -> Floats:
        """The cost that each ticket accepts now."""
        limit = np.full(len(waiting), self.tolerance)
        for term in self.terms:
            if (said := term.allowance(waiting.everybody)) is not None:
                limit += _column(term, "allowance", said, len(waiting), np.float64)
        return limit

    def judge(self, waiting: Waiting, first: Longs, second: Longs, limits: Floats) -> Judged:
        """The meetings that are not forbidden, their costs, and whether these are acceptable."""
        meetings = waiting.meet(first, second)
        forbidden = self.forbidden(meetings)
        if forbidden.any():
            meetings = meetings.take(~forbidden)
        first, second, cost = meetings.first.rows, meetings.second.rows, self.cost(meetings)
        return Judged(first, second, cost, _are_acceptable(first, second, cost, limits))

    def parts(self, waiting: Waiting) -> Longs | None:
        """A number for each ticket.

        Tickets with different numbers never meet. None if no term divides tickets so.
        """
        found = [said for term in self.terms if (said := term.parts(waiting.everybody)) is not None]
        if not found:
            return None
        return reduce(both_kinds, found)

    def groups(self, waiting: Waiting, most: int = MOST_GROUPS, *, in_parts: bool = False) -> Bools | None:
        """Groups of all terms together: tickets of different groups never meet.

        If there are too many groups, fewer are made.

        Groups of regions come first, as three tickets may share a region in pairs and none in common. Inside
        of `parts` only terms count that do not divide so.
        """
        found: Bools | None = None
        for term in sorted(self.terms, key=lambda term: "latency" not in term.uses):
            said = term.groups(waiting.everybody)
            if said is None or (in_parts and term.parts(waiting.everybody) is not None):
                continue
            said = np.asarray(said, np.bool_)
            if said.ndim != 2 or len(said) != len(waiting):
                raise ParameterError(f"{term.name}: groups need one row per ticket, not {said.shape}")
            found = both_groups(found, said, most)
        return found

    def is_settled(self, waiting: Waiting) -> bool:
        """Whether a meeting that is forbidden stays so while both tickets wait."""
        return all(term.is_settled(waiting) for term in self.terms)

    # ------------------------------------------------------------------ files

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy written as TOML: what `to_toml` writes."""
        return cls.from_toml(read_text(path), source=os.fspath(path))

    @classmethod
    def from_toml(cls, text: str, *, source: str = "policy") -> Policy:
        """A policy from text. Errors name the `source`."""
        given = parse_toml(text, "a policy", source=source)
        for key in given:
            if key not in POLICY_KEYS:
                hint = did_you_mean(key, [*POLICY_KEYS, *Term.known])
                raise ParameterError(
                    f"{source}: a policy has no {key!r}",
                    hint=f"write terms as tables: [terms.{key}]" if key in Term.known else hint,
                )
        made: dict[str, Any] = {}
        if "tolerance" in given:
            made["tolerance"] = given["tolerance"]
        if "party" in given:
            made["party"] = given["party"]
        if "terms" in given:
            made["terms"] = _terms(given["terms"], source)
        if "target" in given:
            made["target"] = _section(WinRateTarget, given["target"], source)  # the pool has the system
        if "conduct" in given:
            made["conduct"] = _section(Conduct, given["conduct"], source)
        try:
            return cls(**made)
        except PodiumError as error:
            raise ParameterError(f"{source}: {error.reason}", hint=error.hint) from None

    def to_toml(self) -> str:
        """The policy as text that `from_toml` and `from_file` read."""
        parts = [f"tolerance = {written(self.tolerance)}\n"]
        if self.party:
            parts[0] += f"party = {written(self.party)}\n"
        names = [term.name for term in self.terms]
        if not names:
            parts.append("[terms]\n")  # none is something else than those of the default
        for term in self.terms:
            several = names.count(term.name) > 1
            head = f"[[terms.{term.name}]]" if several else f"[terms.{term.name}]"
            lines = [f"{name} = {written(value)}" for name, value in term.parameters().items()]
            parts.append("\n".join([head, *lines]) + "\n")
        for section in (self.target, None if self.conduct == Conduct() else self.conduct):
            if section is not None:
                values = {name: getattr(section, name) for name in section.declared()}
                lines = [f"{name} = {written(value)}" for name, value in values.items() if value is not None]
                parts.append("\n".join([f"[{section.name}]", *lines]) + "\n")
        return "\n".join(parts)


@kernel
def _are_acceptable(first: Longs, second: Longs, cost: Floats, limits: Floats) -> Bools:
    """Whether each cost is at most what the one of the two accepts who accepts more."""
    acceptable = np.empty(len(cost), np.bool_)
    for e in range(len(cost)):
        acceptable[e] = cost[e] <= max(limits[first[e]], limits[second[e]])
    return acceptable


def _column(term: Term, what: str, said: object, rows: int, kind: type) -> NDArray[Any]:
    """What a term says, checked: it may be one of your own."""
    column = np.asarray(said)
    if column.shape not in ((rows,), ()):
        raise ParameterError(f"term {term.name!r}: {what} returned {column.shape} for {rows} rows")
    if kind is np.bool_ and column.dtype != np.bool_:
        raise ParameterError(f"term {term.name!r}: {what} returned {column.dtype}, not true or false")
    if kind is not np.float64:
        return column
    # One NaN makes the least and the greatest NaN.
    known = column.dtype.kind in "fiub"
    least, greatest = (column.min(initial=0), column.max(initial=0)) if known else (math.nan, math.nan)
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise ParameterError(
            f"term {term.name!r}: {what} returned a value that is not a finite number",
            hint="forbid impossible matches",
        )
    if what == "cost" and max(greatest, -least) > MOST_COST:
        raise ParameterError(
            f"term {term.name!r}: a cost is beyond {MOST_COST:g}",
            hint="costs are in units of probability: to exclude a match, forbid it",
        )
    return column


def _terms(given: Any, source: str) -> tuple[Term, ...]:
    if not isinstance(given, Mapping):
        raise ParameterError(f"{source}: terms must be tables", hint="[terms.win-probability-gap]")
    made = []
    for name, tables in given.items():
        try:
            kind = Term.known.find(name)
        except ParameterError as error:
            raise ParameterError(f"{source}: {error.reason}", hint=error.hint) from None
        for table in tables if isinstance(tables, list) else [tables]:
            if not isinstance(table, Mapping):
                raise ParameterError(f"{source}: terms.{name} must be a table", hint=f"[terms.{name}]")
            try:
                made.append(kind(**table))
            except PodiumError as error:
                raise ParameterError(f"{source}: terms.{error.reason}", hint=error.hint) from None
    return tuple(made)


def _share(party: object) -> float:
    """How much the strongest player of a party counts, beside the mean."""
    named = {"mean": 0.0, "strongest": 1.0}
    share = named.get(party, math.nan) if isinstance(party, str) else party
    if isinstance(share, bool) or not isinstance(share, Real) or not 0.0 <= as_float(share) <= 1.0:
        raise ParameterError(
            f"the rating of a party is {shorten(repr(party))}",
            hint='"mean", "strongest", or a number from 0 (mean) to 1 (strongest)',
        )
    return float(share)


def _section(kind: type[WinRateTarget] | type[Conduct], given: Any, source: str) -> WinRateTarget | Conduct:
    if not isinstance(given, Mapping):
        raise ParameterError(f"{source}: {kind.name} must be a table", hint=f"[{kind.name}]")
    try:
        check_names(kind.declared(), given, kind.name)
        return kind(**given)
    except PodiumError as error:
        raise ParameterError(f"{source}: {error.reason}", hint=error.hint) from None


def with_system(policy: Policy, system: RatingSystem) -> Policy:
    """The same policy with its target for this rating system."""
    return policy if policy.target is None else replace(policy, target=replace(policy.target, system=system))
