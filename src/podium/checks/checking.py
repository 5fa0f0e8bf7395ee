"""Trying laws on random histories, and saying which history breaks which law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from podium.arrays import NO_TIME
from podium.checks import contract_laws, result_laws, season_laws
from podium.checks.contract_laws import Twin
from podium.errors import ParameterError
from podium.history import Adjustment, Event, History
from podium.history.times import to_iso
from podium.systems import RatingSystem

EXAMPLES = 20
"""Histories a law is tried on, unless somebody says how many."""


class BrokenLawError(AssertionError):
    """A system breaks a law; the message says which, on which history, and what was found there.

    >>> import podium
    >>> @podium.simple_system
    ... class Lazy:
    ...     def rate(self, event):
    ...         return [0.0 for _ in event.players]
    ...     def predict(self, a, b):
    ...         return 0.9
    >>> try:
    ...     podium.checks.check_system(Lazy())
    ... except podium.checks.BrokenLawError as error:
    ...     print(type(error).__name__)
    BrokenLawError
    """


@dataclass(frozen=True)
class Law:
    """One law: `check` tries it on random histories.

    Args:
        function: The function that checks it. Its name is the law's name, and its docstring the law's text.

    >>> from podium import Elo
    >>> law = laws()[3]
    >>> law
    <law 3 looking: Predicting, viewing, previewing and explaining change nothing.>
    >>> law.check(Elo(), examples=2)
    """

    function: Callable[..., None]
    """The law itself, of one of the modules of laws: of a system and data; raises AssertionError."""

    @property
    def name(self) -> str:
        """Such as `law 1 pieces`."""
        return self.function.__name__.replace("_", " ")

    @property
    def statement(self) -> str:
        """What it demands, in a sentence."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @property
    def needs_twin(self) -> bool:
        """Whether it compares the system with a naive twin."""
        return "twin" in self.function.__annotations__

    def check(self, system: RatingSystem, *, examples: int = EXAMPLES, twin: Twin | None = None) -> None:
        """Try the law on so many histories; raises `BrokenLawError` with one that breaks it, made short.

        Histories are new in every run, unless the profile of Hypothesis says otherwise. The law of the naive
        twin needs a `twin`: a function from events to a `TwinOutcome`, or to each player's (mu, sigma).
        """
        if self.needs_twin and twin is None:
            raise ParameterError(
                f"{self.name} needs the naive twin of {system.name}", hint="give it as twin="
            )
        _need_hypothesis()
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis.errors import HypothesisException

        from podium.checks.random_histories import arguments

        slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
        more = {"twin": twin} if self.needs_twin else {}
        last: dict[str, Any] = {}

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # what breaks a law is made short below, in a moment
            suppress_health_check=slow,
        )
        @given(arguments(self.function.__name__, system))
        def holds(drawn: dict[str, Any]) -> None:
            last.clear()
            last.update(drawn)
            self.function(system, **drawn, **more)

        try:
            holds()
        except HypothesisException:
            raise
        except Exception as error:  # whatever a system raises, on the last example
            drawn, found = _shortened(lambda drawn: self.function(system, **drawn, **more), last, error)
            raise BrokenLawError(_report(self, system, drawn, found)) from found

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self.name}: {self.statement}>"


def laws(*, twin: bool = False) -> list[Law]:
    """All laws in order, for a test that takes them one by one.

    Args:
        twin: Include the law about naive twins.

    Returns:
        The laws.

    >>> [law.name for law in laws()][:3]
    ['law 1 pieces', 'law 1 columns', 'law 2 names and rows']
    """
    written = {**vars(contract_laws), **vars(result_laws), **vars(season_laws)}
    found = [Law(value) for name, value in written.items() if name.startswith("law_")]
    return [law for law in found if twin or not law.needs_twin]


def check_system(system: RatingSystem, *, examples: int = EXAMPLES, twin: Twin | None = None) -> None:
    """Try every law on a system.

    Args:
        system: The system.
        examples: Number of random histories for each law.
        twin: The same system written once more, slow and obvious, from events to ratings. Both must agree.

    Raises:
        BrokenLawError: With all laws that are broken.

    >>> from podium import Elo
    >>> check_system(Elo(), examples=2)
    """
    broken = []
    for law in laws(twin=twin is not None):
        try:
            law.check(system, examples=examples, twin=twin)
        except BrokenLawError as error:
            broken.append(error)
    if broken:
        raise BrokenLawError("\n\n".join(map(str, broken))) from broken[0]


def _shortened(
    attempt: Callable[[dict[str, Any]], None], drawn: dict[str, Any], error: Exception
) -> tuple[dict[str, Any], Exception]:
    """What breaks a law, without the events and adjustments that are not needed for that."""
    if not isinstance(drawn.get("history"), History):
        return drawn, error
    items = _items(drawn["history"])
    for item in items[::-1]:
        fewer = [other for other in items if other is not item]
        if not any(isinstance(other, Event) for other in fewer):
            continue
        try:
            attempt(shorter := {**drawn, "history": History.from_events(fewer)})
        except type(error) as same:
            items, drawn, error = fewer, shorter, same
        except Exception:  # broken otherwise: it stays
            continue
    return drawn, error


def _items(history: History) -> list[Event | Adjustment]:
    """Events, and adjustments where they stand."""
    items: list[Event | Adjustment] = []
    for number in range(len(history) + 1):
        items += [placed.adjustment for placed in history.adjustments if placed.before == number]
        items += history[number : number + 1]
    return items


def _report(law: Law, system: RatingSystem, drawn: Mapping[str, Any], error: Exception) -> str:
    found = str(error).strip() or "no reason given"
    if not isinstance(error, AssertionError):
        found = f"{type(error).__name__}: {found}"
    lines = [f"{_label(system)} breaks {law.name}: {law.statement}", *_indented(found.splitlines())]
    history = drawn.get("history")
    if isinstance(history, History):
        written = (_event(item) if isinstance(item, Event) else repr(item) for item in _items(history))
        lines += ["with History.from_events([", *_indented(f"{item}," for item in written), "])"]
    others = [f"{name}={value!r}" for name, value in drawn.items() if name != "history"]
    return "\n".join([*lines, *([f"and {', '.join(others)}"] if others else [])])


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}".rstrip() for line in lines]


def _label(system: RatingSystem) -> str:
    """A system as one would make it: its class, and what differs from the defaults."""
    defaults = type(system)().parameters()
    changed = [f"{n}={value!r}" for n, value in system.parameters().items() if value != defaults[n]]
    return f"{type(system).__name__}({', '.join(changed)})"


def _event(event: Event) -> str:
    """An event as one would type it."""
    said: dict[str, Any] = {"teams": [list(side) for side in event.sides], "ranks": list(event.ranks)}
    if not event.has_teams and event.share is None:
        said = {"ranks": {side[0]: rank for side, rank in zip(event.sides, event.ranks, strict=True)}}
    default = {field.name: field.default for field in fields(Event)}
    for name in ("share", "weight", "home", "ceiling"):
        if (value := getattr(event, name)) != default[name]:
            said[name] = value
    if event.time != NO_TIME:
        said["time"] = to_iso(event.time)
    if event.unrated:
        said["unrated"] = sorted(event.unrated)
    if event.play:
        said["play"] = dict(event.play)
    return f"Event.of({', '.join(f'{name}={value!r}' for name, value in said.items())})"


def _need_hypothesis() -> None:
    try:
        import hypothesis  # noqa: F401
    except ImportError as error:
        raise ParameterError(
            "laws need Hypothesis, which is not installed", hint="pip install 'podium[checks]'"
        ) from error
