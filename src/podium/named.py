"""Functions as values: a parameter that is a function has a name, by which it is saved, compared and typed.

A *family* is a class that derives from `Named` directly, such as the luck functions; its members are found by
name. A name may carry numbers in parentheses: ``margin(0.25)`` calls the member registered as ``margin`` with
0.25.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, Self

from podium.errors import ParameterError, did_you_mean

_WRITTEN = re.compile(r"([A-Za-z][\w-]*)(?:\((.*)\))?")


class Named:
    """A function with a name; two of one family are equal where their names are."""

    name: str
    _makers: ClassVar[dict[str, Callable[..., Any]]]
    _family: ClassVar[type[Named]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Named in cls.__bases__:
            cls._makers, cls._family = {}, cls

    @classmethod
    def register(cls, name: str, make: Callable[..., Self]) -> None:
        """Let `find` know a member: `make` is called with the numbers in parentheses, if there are any."""
        written = _WRITTEN.fullmatch(name)
        if written is None or written[2] is not None:
            raise ParameterError(f"{name!r} is no name", hint="letters, digits and - between them")
        if cls._makers.get(name, make) is not make:
            raise ParameterError(f"there is a {cls._family.__name__} {name!r} already")
        cls._makers[name] = make

    @classmethod
    def names(cls) -> list[str]:
        """The members registered, in order."""
        return list(cls._makers)

    @classmethod
    def find(cls, text: str) -> Self:
        """The member of this name."""
        written = _WRITTEN.fullmatch(text.strip())
        if written is None or written[1] not in cls._makers:
            there_are = "there are " + ", ".join(cls._makers)
            guess = did_you_mean(text, cls.names())
            raise ParameterError(
                f"there is no {cls._family.__name__} {text!r}",
                hint=f"{guess} {there_are}" if guess else f"{there_are}; one of your own is registered first",
            )
        try:
            numbers = [float(item) for item in written[2].split(",")] if written[2] else []
            found: Self = cls._makers[written[1]](*numbers)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"{text!r}: {error}") from None
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and (self._family, self.name) == (other._family, other.name)

    def __hash__(self) -> int:
        return hash((self._family, self.name))

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], Named], tuple[str]]:
        """Another process gets the name, and finds the function by it; lambdas cannot travel."""
        return self._family.find, (self.name,)

    def __copy__(self) -> Self:
        return self  # a value: there is nothing to change in a copy

    def __deepcopy__(self, memo: object) -> Self:
        return self
