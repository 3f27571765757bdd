"""The page's server in this process, and tables to drop on it."""

from collections.abc import Iterator

import pytest
from browser import Running, Visitor, running_browser, running_server, visiting
from pages import KEY, MODEL, PORT, Clock, caller
from playwright.sync_api import Browser
from starlette.testclient import TestClient

from nri.serve.app import create_app
from nri.serve.sessions import Sessions


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sessions(clock: Clock) -> Sessions:
    return Sessions(most=3, idle_seconds=60, clock=clock)


@pytest.fixture
def client(sessions: Sessions) -> Iterator[TestClient]:
    """A browser with the key whose requests look like those of our page."""
    with caller(create_app(PORT, KEY, sessions, model=MODEL)) as client:
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
