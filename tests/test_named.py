"""Functions as parameters: found by name, compared by name, saved by name."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from podium.errors import ParameterError
from podium.named import Imported, Named, Registry, build_in, temporary_registrations
from podium.parameters import parameter, parameters_of


class Shape(Named):
    def __init__(self, name: str) -> None:
        self.name = name


class Circle(Shape):
    def __init__(self, radius: float = 1.0) -> None:
        super().__init__(f"circle({radius:g})")


class Fruit(Named):
    def __init__(self, name: str) -> None:
        self.name = name


SQUARE = Shape("square")
build_in(Shape, SQUARE, circle=Circle)
build_in(Fruit, Fruit("square"))


@pytest.fixture(autouse=True)
def _forgetting() -> Iterator[None]:
    """What a test registers is unknown to the next."""
    with temporary_registrations():
        yield


@dataclass(frozen=True)
class Drawing:
    name: ClassVar[str] = "drawing"
    shape: Shape = parameter(Shape.find("square"), "what is drawn")
    other: Shape | None = parameter(None, "what is drawn beside it")


DECLARED = parameters_of(Drawing)


def test_found_by_name_with_or_without_numbers() -> None:
    assert Shape.find("square").name == "square"
    assert Shape.find("circle").name == "circle(1)"
    assert Shape.find(" circle(2.5)") == Shape("circle(2.5)")
    assert Shape.find("square()") is SQUARE
    assert Shape.names() == ["square", "circle"]
    assert Shape.forms() == ["square", "circle(radius)"]


def test_families_are_apart() -> None:
    assert Shape.find("square") != Fruit.find("square")
    assert hash(Shape.find("square")) == hash(Shape.find("square"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sqare", "no Shape 'sqare'"),
        ("circle(", "no Shape"),
        ("circle(big)", "'big' is not a number"),
        ("circle(inf)", "'inf' is not a number"),
        ("circle(1,)", "'' is not a number"),
        ("circle(1,2)", "circle is written circle(radius)"),
        ("square(3)", "square takes no numbers"),
        ("", "no Shape ''"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(reason)):
        Shape.find(text)


def test_hints_at_what_was_meant() -> None:
    for text, guess in (("sqare", "did you mean 'square'? there are square, circle."), ("egg", "there are")):
        with pytest.raises(ParameterError) as caught:
            Shape.find(text)
        assert str(caught.value.hint).startswith(guess)
        assert "Register your own first: Shape.register, " in str(caught.value.hint)


# ---------------------------------------------------------------------- registering


def test_one_of_ones_own_is_found_by_its_name() -> None:
    egg = Shape("egg")
    Shape.register(egg)
    assert Shape.find("egg") is egg
    Shape.register(egg)  # again, as when a cell of a notebook is run twice
    other = Shape("egg")
    with pytest.raises(ParameterError, match="a Shape 'egg' already exists") as caught:
        Shape.register(other)
    assert "replace=True" in str(caught.value.hint)
    assert Shape.find("egg") is egg
    Shape.register(other, replace=True)
    assert Shape.find("egg") is other


def test_a_maker_is_called_with_the_numbers() -> None:
    Shape.register_maker("star", lambda points, depth=0.5: Shape(f"star({points:g},{depth:g})"))
    assert Shape.find("star(5)").name == "star(5,0.5)"
    assert Shape.find("star(5,0.25)").is_found
    for text in ("star", "star(1,2,3)"):
        with pytest.raises(ParameterError, match=r"star is written star\(points, depth\)"):
            Shape.find(text)
    Shape.register_maker("pile", lambda *heights: Shape("pile"))
    assert Shape.find("pile(1,2,3)").name == "pile"
    assert Shape.forms()[-1] == "pile(heights…)"


def test_makers_may_fail() -> None:
    Shape.register_maker("apple", lambda: Fruit("apple"))  # type: ignore[arg-type, return-value]
    with pytest.raises(ParameterError, match="'apple' is not a Shape but"):
        Shape.find("apple")
    Shape.register_maker("inverse", lambda number: Shape(f"inverse({1 / number:g})"))
    with pytest.raises(ParameterError, match=r"'inverse\(0\)': float division by zero"):
        Shape.find("inverse(0)")


@pytest.mark.parametrize("replace", [False, True])
def test_the_name_of_a_built_in_is_never_taken(replace: bool) -> None:
    for name in ("square", "circle"):
        with pytest.raises(ParameterError, match=f"'{name}' is a Shape that podium defines"):
            Shape.register(Shape(name), replace=replace)
    with pytest.raises(ParameterError, match="that podium defines"):
        Shape.register_maker("circle", lambda: Shape("other"), replace=replace)
    Shape.register(SQUARE, replace=replace)


@pytest.mark.parametrize("name", ["two(2)", "my shape", " egg", "2d", "", "a+b", "none", "None"])
def test_names_that_nobody_could_write(name: str) -> None:
    with pytest.raises(ParameterError, match="is not a name of a Shape"):
        Shape.register(Shape(name))


def test_only_members_are_registered() -> None:
    with pytest.raises(ParameterError, match=r"Shape.register needs one of them, not 'egg'"):
        Shape.register("egg")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"Shape.register needs one of them"):
        Shape.register(Fruit("apple"))  # type: ignore[arg-type]


# ---------------------------------------------------------------------- their names lead back to them


def test_which_are_found_again() -> None:
    for shape in (SQUARE, Circle(), Circle(2.5)):
        assert shape.is_found
        shape.check_name()
        shape.check_found()
    assert not Shape("egg").is_found
    assert not Shape("square").is_found


@pytest.mark.parametrize("name", ["square", "circle", "circle(2)", "circle(x)"])
def test_another_one_by_the_name_of_a_built_in(name: str) -> None:
    with pytest.raises(ParameterError, match="is a Shape that podium defines, and this one differs"):
        Shape(name).check_name()
    with pytest.raises(ParameterError, match=r"drawing: shape: .* this one differs"):
        DECLARED["shape"].check(Shape(name), "drawing")


@pytest.mark.parametrize(
    ("name", "reason", "hint"),
    [
        ("egg", "'egg': it is not registered", "Shape.register(function) before saving"),
        ("oval", "'oval': another one is registered", "Shape.register(function, replace=True) before"),
        ("my egg", "'my egg': it has no name", "name it (a letter, then letters"),
        ("egg(2)", "'egg(2)': it has no name", "name it (a letter, then letters"),
    ],
)
def test_what_files_cannot_hold(name: str, reason: str, hint: str) -> None:
    Shape.register(Shape("oval"))
    with pytest.raises(ParameterError, match=re.escape(reason)) as caught:
        Shape(name).check_found()
    assert str(caught.value.hint).startswith(hint)


# ---------------------------------------------------------------------- as parameters


def test_as_a_parameter() -> None:
    shape, other = DECLARED["shape"], DECLARED["other"]
    assert shape.choices == ("square", "circle")
    assert shape.parse("circle(3)", "drawing").name == "circle(3)"
    assert shape.check(Shape("mine"), "drawing").name == "mine"
    assert other.parse("none", "drawing") is None
    assert other.parse("square", "drawing").name == "square"
    with pytest.raises(ParameterError, match="drawing: shape: there is no Shape 'egg'"):
        shape.parse("egg", "drawing")
    with pytest.raises(ParameterError, match="drawing: shape is a Shape or the name of one, not 3"):
        shape.check(3, "drawing")
    with pytest.raises(ParameterError, match="is a Shape or the name of one"):
        shape.check(Fruit("square"), "drawing")


def test_they_travel_by_name() -> None:
    circle = Shape.find("circle(2.5)")
    assert pickle.loads(pickle.dumps(circle)) == circle
    own = Shape("triangle")
    assert copy.deepcopy(own) is own
    assert copy.copy(own) is own
    with pytest.raises(ParameterError, match="Register your own first"):
        pickle.loads(pickle.dumps(own))


# ---------------------------------------------------------------------- registries


def test_a_registry_lists_its_own_and_what_was_registered() -> None:
    tools: Registry[object] = Registry(
        "tool", {"saw": 1, "path": Imported("pathlib", "Path")}, aliases={"s": "saw"}
    )
    tools.register("hammer", 2)
    assert list(tools) == ["saw", "path", "hammer"]
    assert len(tools) == 3
    assert tools["path"].__name__ == "Path"  # type: ignore[attr-defined]
    assert tools["s"] == tools.find("s") == 1
    assert "s" in tools
    assert [name for name in ("saw", "s", "hammer") if tools.is_built_in(name)] == ["saw", "s"]
    assert tools.get("axe") is None
    with pytest.raises(ParameterError, match="there is no tool 'sow'\n  hint: did you mean 'saw'"):
        tools.find("sow")


def test_names_in_a_registry_are_taken_once() -> None:
    adzes: Registry[object] = Registry("adze", {"a": "own"}, aliases={"b": "a"})
    mine = object()
    for name in ("a", "b"):
        with pytest.raises(ParameterError, match=f"'{name}' is an adze that podium defines"):
            adzes.register(name, mine, replace=True)
    adzes.register("c", mine)
    adzes.register("c", mine)
    with pytest.raises(ParameterError, match="an adze 'c' already exists"):
        adzes.register("c", object())
    assert adzes["c"] is mine


def test_what_is_registered_inside_is_forgotten() -> None:
    tools: Registry[int] = Registry("tool", {"saw": 1})
    tools.register("hammer", 2)
    with temporary_registrations():
        tools.register("hammer", 3, replace=True)
        tools.register("axe", 4)
        later: Registry[int] = Registry("later")
        later.register("one", 1)
        with temporary_registrations():
            tools.register("file", 5)
        assert list(tools) == ["saw", "hammer", "axe"]
    assert dict(tools) == {"saw": 1, "hammer": 2}
    assert not later
    with pytest.raises(ZeroDivisionError), temporary_registrations():
        tools.register("file", 1 // 0)
    assert dict(tools) == {"saw": 1, "hammer": 2}
