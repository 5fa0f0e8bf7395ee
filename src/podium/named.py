"""What goes by a name: registries, and functions that are saved, compared and typed by their names.

A `Registry` holds everything of one kind: systems, terms, attacks, … Podium's own are there from the start,
perhaps imported only when somebody asks for them; what users register joins them.

A parameter that is a function has a name too. A *family* is a class that derives from `Named` directly, such
as the luck functions; its members are found by name in the family's registry. A name may carry numbers in
parentheses: ``margin(0.25)`` calls the maker registered as ``margin`` with 0.25.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from podium.errors import ParameterError
from podium.text import known_names

T = TypeVar("T")


class Imported(NamedTuple):
    """The module and the name of an entry that is imported when it is first used."""

    module: str
    attribute: str


class Registry(Mapping[str, T], Generic[T]):
    """Everything of one kind by its name; the names of podium's own entries cannot be taken.

    `kind` is what errors call an entry, `own` tells how to register one. Aliases are further names of an
    entry that are not listed.

    >>> shapes = Registry("shape", {"square": 4, "fraction": Imported("fractions", "Fraction")})
    >>> shapes.register("triangle", 3)
    >>> list(shapes), shapes["fraction"]
    (['square', 'fraction', 'triangle'], <class 'fractions.Fraction'>)
    >>> shapes.find("tringle")
    Traceback (most recent call last):
    podium.errors.ParameterError: there is no shape 'tringle'
      hint: did you mean 'triangle'? there are square, fraction, triangle
    """

    _all: ClassVar[list[Registry[Any]]] = []

    def __init__(
        self,
        kind: str,
        built_in: Mapping[str, T | Imported] | None = None,
        *,
        aliases: Mapping[str, str] | None = None,
        own: str = "",
    ) -> None:
        self.kind, self.own = kind, own
        self._built_in: dict[str, T | Imported] = dict(built_in or {})
        self._aliases = dict(aliases or {})
        self._registered: dict[str, T] = {}
        Registry._all.append(self)

    def __getitem__(self, name: str) -> T:
        name = self._aliases.get(name, name)
        if name not in self._built_in:
            return self._registered[name]
        entry = self._built_in[name]
        if isinstance(entry, Imported):
            entry = self._built_in[name] = getattr(import_module(entry.module), entry.attribute)
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter([*self._built_in, *self._registered])

    def __len__(self) -> int:
        return len(self._built_in) + len(self._registered)

    def __contains__(self, name: object) -> bool:
        return name in self._built_in or name in self._registered or name in self._aliases

    def find(self, name: str) -> T:
        """The entry of this name; for an unknown name an error that suggests the closest one."""
        if name not in self:
            raise self.unknown(name)
        return self[name]

    def unknown(self, name: str, kind: str | None = None) -> ParameterError:
        """The error for a name that is not registered; suggests the closest one."""
        return ParameterError(
            f"there is no {kind or self.kind} {name!r}", hint=known_names(name, self) + self.own
        )

    def is_built_in(self, name: str) -> bool:
        """Whether the name belongs to one of podium's own entries."""
        return name in self._built_in or name in self._aliases

    def register(self, name: str, entry: T, *, replace: bool = False) -> None:
        """Register your own entry under a name; `replace` allows it to replace an earlier one."""
        self.check_free(name, entry, replace=replace)
        if not self.is_built_in(name):
            self._registered[name] = entry

    def check_free(self, name: str, entry: T, *, replace: bool = False) -> None:
        """Refuse a name used by another entry; the same entry may be registered twice."""
        if self.is_built_in(name) and (name in self._aliases or self[name] is not entry):
            raise ParameterError(
                f"{name!r} is {_a(self.kind)} that podium defines", hint="give yours another name"
            )
        if self._registered.get(name, entry) is not entry and not replace:
            raise ParameterError(
                f"{_a(self.kind)} {name!r} already exists", hint="to replace the other one, use replace=True"
            )

    def build_in(self, name: str, entry: T) -> None:
        """Register one of podium's own entries, whose name nobody else can take."""
        self._built_in[name] = entry

    def build_in_alias(self, alias: str, name: str) -> None:
        """Add a further name of one of podium's own entries, which is not listed."""
        self._aliases[alias] = name


@contextmanager
def temporary_registrations() -> Iterator[None]:
    """Undo at the end of the block what was registered inside it, in every registry: for tests.

    >>> shapes = Registry("shape", {"square": 4})
    >>> with temporary_registrations():
    ...     shapes.register("triangle", 3)
    >>> list(shapes)
    ['square']
    """
    before = [dict(registry._registered) for registry in Registry._all]
    try:
        yield
    finally:
        before += [{} for _ in Registry._all[len(before) :]]
        for registry, registered in zip(Registry._all, before, strict=True):
            registry._registered = registered


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0].lower() in "aeiou" else f"a {kind}"


# ---------------------------------------------------------------------- functions with a name

_WRITTEN = re.compile(r"([A-Za-z][\w-]*)(?:\((.*)\))?")
_LEGAL = "a letter, then letters, digits and -, and not none"


class Named:
    """A function with a name; two functions of one family are equal if their names are.

    A family may say what `find` calls a member it does not know (`kind`), and how to register one (`own`).
    """

    name: str
    _known: ClassVar[Registry[Any]]
    """By name: a member, or what makes one of numbers."""
    _family: ClassVar[type[Named]]
    _kind: ClassVar[str]

    def __init_subclass__(cls, kind: str | None = None, own: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Named in cls.__bases__:
            if own is None:
                own = f"{cls.__name__}.register, on the command line in a file given with podium --import"
            cls._known = Registry(cls.__name__, own=f". Register your own first: {own}")
            cls._family, cls._kind = cls, kind or cls.__name__

    # ------------------------------------------------------------------ making them known

    @classmethod
    def register(cls, member: Self, *, replace: bool = False) -> None:
        """Register your function so that `find` finds it by its name. `replace` replaces an earlier one."""
        if not isinstance(member, cls._family):
            raise ParameterError(f"{cls._family.__name__}.register needs one of them, not {member!r}")
        cls._enter(member.name, member, replace)

    @classmethod
    def register_maker(cls, name: str, make: Callable[..., Self], *, replace: bool = False) -> None:
        """Register a family of functions with numbers: `find` calls `make` with those in parentheses.

        What `make` returns for 0.5 must be named ``name(0.5)``, so that it is found again.
        """
        cls._enter(name, make, replace)

    @classmethod
    def _enter(cls, name: str, known: Any, replace: bool) -> None:
        match = _WRITTEN.fullmatch(name)
        if match is None or match[2] is not None or name.lower() == "none":
            raise ParameterError(f"{name!r} is not a name of {_a(cls._known.kind)}", hint=_LEGAL)
        cls._known.register(name, known, replace=replace)

    # ------------------------------------------------------------------ finding them

    @classmethod
    def names(cls) -> list[str]:
        """The registered names, in order of registration."""
        return list(cls._known)

    @classmethod
    def forms(cls) -> list[str]:
        """The registered names with the numbers they take, such as ``margin(epsilon)``."""
        return [_form(name, known) for name, known in cls._known.items()]

    @classmethod
    def knows(cls, text: str) -> bool:
        """Whether this name is registered, ignoring the numbers in parentheses."""
        match = _WRITTEN.fullmatch(text.strip())
        return match is not None and match[1] in cls._known

    @classmethod
    def is_built_in(cls, name: str) -> bool:
        """Whether this name, without numbers, is that of one of podium's own functions."""
        return cls._known.is_built_in(name)

    @classmethod
    def find(cls, text: str) -> Self:
        """The registered function with this name, such as ``logistic`` or ``margin(0.1)``."""
        match = _WRITTEN.fullmatch(text.strip())
        if match is None or match[1] not in cls._known:
            raise cls._known.unknown(text, cls._kind)
        known, numbers = cls._known[match[1]], _parsed(match[2], text)
        if not _takes(known, len(numbers)):
            form = f"is written {_form(match[1], known)}" if _numbers(known) else "takes no numbers"
            raise ParameterError(f"{text!r}: {match[1]} {form}")
        try:
            found = known if isinstance(known, Named) else known(*numbers)
        except ParameterError as error:
            raise ParameterError(f"{text!r}: {error.reason}", hint=error.hint) from None
        except (TypeError, ValueError, ArithmeticError) as error:
            raise ParameterError(f"{text!r}: {error}") from None
        if not isinstance(found, cls):
            raise ParameterError(f"{text!r} is not a {cls.__name__} but {found!r}")
        return found

    @property
    def is_found(self) -> bool:
        """Whether `find` returns this function for its name, as saved files and other processes need."""
        try:
            found = self._family.find(self.name)
        except ParameterError:
            return False
        fixed = isinstance(self._known.get(self.name), Named)  # others are made anew each time
        return found is self or (not fixed and type(found) is type(self) and found == self)

    def check_name(self) -> None:
        """Refuse a function with the name of a built-in one: functions are compared by name."""
        match = _WRITTEN.fullmatch(self.name)
        if match is not None and self.is_built_in(match[1]) and not self.is_found:
            raise ParameterError(
                f"{self.name!r} is a {self._family.__name__} that podium defines, and this one differs",
                hint="give yours another name",
            )

    def check_found(self) -> None:
        """Refuse a function that a file could not refer to by name."""
        if self.is_found:
            return
        family = self._family.__name__
        match = _WRITTEN.fullmatch(self.name)
        if match is None or (match[2] is not None and match[1] not in self._known):
            raise ParameterError(
                f"a file cannot hold the {family} {self.name!r}: it has no name",
                hint=f"name it ({_LEGAL}), and register it with {family}.register",
            )
        again = ", replace=True" if self.name in self._known else ""
        raise ParameterError(
            f"a file cannot hold the {family} {self.name!r}: "
            + ("another one is registered with that name" if again else "it is not registered"),
            hint=f"{family}.register(function{again}) before saving, and before loading",
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and (self._family, self.name) == (other._family, other.name)

    def __hash__(self) -> int:
        return hash((self._family, self.name))

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], Named], tuple[str]]:
        """Pickle only the name: another process finds the function by it, as lambdas cannot be pickled."""
        return self._family.find, (self.name,)

    def __copy__(self) -> Self:
        return self  # a value: there is nothing to change in a copy

    def __deepcopy__(self, memo: object) -> Self:
        return self


N = TypeVar("N", bound=Named)


def build_in(family: type[N], *members: N, **makers: Callable[..., N]) -> None:
    """Register podium's own functions of a family, whose names nobody else can take."""
    for name, known in ({member.name: member for member in members} | makers).items():
        family._known.build_in(name, known)


def build_in_alias(family: type[N], alias: str, member: N) -> None:
    """Let `find` know one of podium's own functions by a further name, which is not listed."""
    family._known.build_in_alias(alias, member.name)


def written(name: str, *numbers: float) -> str:
    """A name with its numbers, as short as they can be read back exactly.

    >>> written("margin", 0.1, 2.0)
    'margin(0.1,2)'
    """
    return f"{name}({','.join(repr(float(number)).removesuffix('.0') for number in numbers)})"


def _numbers(known: Any) -> list[str]:
    """What the numbers mean that go with a name."""
    if isinstance(known, Named):
        return []
    given = inspect.signature(known).parameters.values()
    return [f"{p.name}…" if p.kind is p.VAR_POSITIONAL else p.name for p in given]


def _form(name: str, known: Any) -> str:
    """A name with the numbers that may go with it."""
    numbers = _numbers(known)
    return f"{name}({', '.join(numbers)})" if numbers else name


def _takes(known: Any, count: int) -> bool:
    """Whether the name takes this number of numbers."""
    if isinstance(known, Named):
        return count == 0
    try:
        inspect.signature(known).bind(*range(count))
    except TypeError:
        return False
    return True


def _parsed(listed: str | None, text: str) -> list[float]:
    """The numbers in parentheses after a name; refused if one is not a number."""
    numbers = []
    for item in listed.split(",") if listed else []:
        try:
            numbers.append(float(item))
        except ValueError:
            numbers.append(math.nan)
        if not math.isfinite(numbers[-1]):
            raise ParameterError(f"{text!r}: {item.strip()!r} is not a number")
    return numbers
