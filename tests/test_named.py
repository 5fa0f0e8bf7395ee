"""Functions as parameters: found by name, compared by name, saved by name."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass
from typing import ClassVar

import pytest

from podium.errors import ParameterError
from podium.named import Named
from podium.systems.parameters import parameter, parameters_of


class Shape(Named):
    def __init__(self, name: str) -> None:
        self.name = name


class Fruit(Named):
    def __init__(self, name: str) -> None:
        self.name = name


Shape.register("circle", lambda radius=1.0: Shape(f"circle({radius:g})"))
Shape.register("square", lambda: Shape("square"))
Fruit.register("square", lambda: Fruit("square"))


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
    assert Shape.names() == ["circle", "square"]


def test_families_are_apart() -> None:
    assert Shape.find("square") != Fruit.find("square")
    assert hash(Shape.find("square")) == hash(Shape.find("square"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sqare", "no Shape 'sqare'"),
        ("circle(", "no Shape"),
        ("circle(big)", "could not convert"),
        ("square(3)", "positional argument"),
        ("", "no Shape ''"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason.replace("(", r"\(")):
        Shape.find(text)


def test_hints_at_what_was_meant() -> None:
    with pytest.raises(ParameterError) as caught:
        Shape.find("sqare")
    assert "square" in str(caught.value.hint)


def test_a_name_is_taken_once() -> None:
    with pytest.raises(ParameterError, match="already"):
        Shape.register("square", lambda: Shape("other"))
    with pytest.raises(ParameterError, match="is no name"):
        Shape.register("two(2)", lambda: Shape("two"))


def test_as_a_parameter() -> None:
    shape, other = DECLARED["shape"], DECLARED["other"]
    assert shape.choices == ("circle", "square")
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
    with pytest.raises(ParameterError, match="one of your own is registered first"):
        pickle.loads(pickle.dumps(own))
