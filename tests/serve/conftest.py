"""The page's server in this process, and tables to drop on it."""

from collections.abc import Iterator

import pytest
from browser import Running, Visitor, running_browser, running_server, visiting
from pages import MODEL, ORIGIN, PORT, Clock
from playwright.sync_api import Browser
from starlette.testclient import TestClient

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
        create_app(PORT, visitors, model=MODEL),
        base_url=ORIGIN,
        headers=headers,
        raise_server_exceptions=False,
    ) as client:
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(browser: Browser) -> Iterator[Running]:
    with running_server() as server:
        yield server


@pytest.fixture
def visitor(browser: Browser, server: Running) -> Iterator[Visitor]:
    """Somebody who has just opened the page."""
    with visiting(browser, server) as visitor:
        yield visitor


@pytest.fixture
def worker(visitor: Visitor) -> Visitor:
    """Somebody with the rule of the example before them."""
    visitor.use_example()
    return visitor
