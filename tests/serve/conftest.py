"""The page's server in this process, and tables to drop on it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

sys.path.insert(0, str(Path(__file__).parent))  # so that tests can import what stands beside them

from pages import ORIGIN, PORT, Clock

from nri.serve.app import create_app
from nri.serve.visitors import Visitors


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def visitors(clock: Clock) -> Visitors:
    return Visitors(most=3, idle_seconds=60, clock=clock)


@pytest.fixture
def client(visitors: Visitors) -> Iterator[TestClient]:
    """A visitor whose requests look like those of our page."""
    headers = {"x-nri": "1", "origin": ORIGIN, "sec-fetch-site": "same-origin"}
    with TestClient(
        create_app(PORT, visitors), base_url=ORIGIN, headers=headers, raise_server_exceptions=False
    ) as client:
        yield client
