"""Kinds of numbers that parameters of simulations are: chances, points, counts, with their ranges."""

from __future__ import annotations

from typing import Any

from podium.parameters import parameter


def chance(default: float, meaning: str) -> Any:
    """Declare a parameter that is a chance, or a part of something."""
    return parameter(default, meaning, high=1.0, hint="a part, from 0 to 1")


def some_part(default: float, meaning: str) -> Any:
    """Declare a parameter that is the part of people who come: somebody does."""
    return parameter(default, meaning, low=1e-6, high=1.0, hint="a part, above 0 and up to 1")


def points(default: float, meaning: str) -> Any:
    """Declare a parameter that is a rating, or a difference of two."""
    return parameter(default, meaning, low=-1e6, high=1e6, hint="points")


def deviation(default: float, meaning: str) -> Any:
    """Declare a parameter that is a standard deviation, or another distance, in points."""
    return parameter(default, meaning, high=1e5, hint="points, 0 or more")


def positive(default: float, meaning: str) -> Any:
    """Declare a parameter that is a number above 0."""
    return parameter(default, meaning, low=1e-6, hint="a number above 0")


def amount(default: float, meaning: str) -> Any:
    """Declare a parameter that is a number from 0."""
    return parameter(default, meaning, hint="a number from 0")


def count(default: int, meaning: str, least: int = 1, most: float = 1e8) -> Any:
    """Declare a parameter that counts people, events or games."""
    words = {0: "a whole number, 0 or more", 1: "one or more", 2: "two or more"}
    return parameter(default, meaning, low=least, high=most, hint=words[least])
