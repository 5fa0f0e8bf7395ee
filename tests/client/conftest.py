"""Tests of clients run with both of them."""

from __future__ import annotations

import pytest

from client.scripted_service import Kind


@pytest.fixture(params=["blocking", "awaiting"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param  # type: ignore[no-any-return]
