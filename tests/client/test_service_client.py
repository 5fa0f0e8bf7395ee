"""The two clients have every call, with its arguments and its documentation; importing them is light."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import podium
from podium import AsyncClient, Client, Ladder
from podium.client.service_client import Calls

CALLS = {name for name, _ in inspect.getmembers(Calls, inspect.isfunction) if not name.startswith("_")}


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_client_has_every_call(client: type) -> None:
    for name in CALLS - ({"known_system"} if client is Client else set()):
        method, call = getattr(client, name), getattr(Calls, name)
        assert method.__doc__ == call.__doc__
        assert inspect.signature(method).parameters == inspect.signature(call).parameters
        assert "Steps" not in str(inspect.signature(method))
        assert "Feed" not in str(inspect.signature(method))


def test_signatures_say_what_comes() -> None:
    assert str(inspect.signature(Client.rating)).endswith("-> 'Rating'")
    assert str(inspect.signature(Client.stream)).endswith("-> 'Generator[LoggedEvent, None, None]'")
    assert str(inspect.signature(AsyncClient.stream)).endswith("-> 'AsyncGenerator[LoggedEvent, None]'")
    assert inspect.iscoroutinefunction(AsyncClient.rating)


LEFT_OUT = {
    *("undo", "void", "replace"),  # corrections
    *("save", "load", "open", "to_bytes", "from_bytes", "copy", "checkpoint"),  # the service keeps it
    "at",  # a keyword of each question
    *("shares", "calibration", "numbered_events"),  # explain, the service's own business, events
    *("win_matrix", "differences", "rank_intervals"),  # an analyst's: many players at once
}
"""What a ladder on a service does not have: the service keeps it, and what is corrected there."""


def test_the_words_are_those_of_a_ladder() -> None:
    public = {name for name in dir(Ladder) if not name.startswith("_")} - LEFT_OUT
    assert public - set(dir(Client)) == set()
    for name in public & CALLS:
        here, there = (inspect.signature(getattr(cls, name)).parameters for cls in (Ladder, Client))
        shared = [word for word in here if word in there]
        assert [word for word in there if word in here] == shared, name
        optional = [word for word in here if word not in there]
        assert set(optional) <= {"late", "at", "trace"}, name


def test_httpx2_is_loaded_when_a_client_is_made() -> None:
    code = "import sys, podium; podium.Client; print('httpx2' in sys.modules, 'polars' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]


def test_errors_are_podiums() -> None:
    for error in (podium.ServiceError, podium.UnreachableError, podium.KeyConflictError):
        assert issubclass(error, podium.PodiumError)
