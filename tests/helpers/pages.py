"""Helpers that the tests of the page share."""

import os
from pathlib import Path

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from nri.serve.guard import Key

ROOT = Path(__file__).parents[2]
PORT = 8123
MODEL = "seeded" if os.environ.get("NRI_SCREENSHOTS") else "greedy"
"""The tests name conditions and numbers, so they keep to one model; pictures show the default one."""
ORIGIN = f"http://127.0.0.1:{PORT}"
KEY = Key()
"""The key of every server in this process."""
COOKIE = f"nri_key_{PORT}"
HEADERS = {"x-nri": "1", "origin": ORIGIN, "sec-fetch-site": "same-origin"}
"""What our page sends with each call."""
VISITS = (ROOT / "docs" / "examples" / "visits.csv").read_bytes()


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def caller(app: ASGIApp, **headers: str) -> TestClient:
    """Return a browser that holds the key; by default its requests look like those of our page."""
    return TestClient(
        app,
        base_url=ORIGIN,
        headers=headers or HEADERS,
        cookies={COOKIE: KEY.value},
        raise_server_exceptions=False,
    )


def drop(client: TestClient, content: bytes = VISITS, name: str = "visits.csv"):
    """Upload a file as the page does."""
    answer = client.post("/api/table", content=content, headers={"x-file-name": name})
    if answer.status_code == 200:
        client.headers["x-session"] = answer.json()["session"]
    return answer


def ask(client: TestClient, **question):
    """Induce a rule as the page does."""
    return client.post("/api/induce", json={"target": "flu", **question})


def branches(work: dict) -> list[dict]:
    """The branches of a rule as the page sends them back."""
    keys = ("literals", "at_least")
    return [
        {**{key: line[key] for key in keys}, "label": line["label"] and line["label"]["label"]}
        for line in work["lines"][:-1]
    ]


def edit(
    client: TestClient,
    *clauses: list[tuple[str, str, object]],
    at_least: int | None = None,
    label: object = "yes",
):
    """Send an edited rule of one class; conditions are (column, comparison, value)."""
    sent = [
        {
            "literals": [{"column": column, "op": op, "value": value} for column, op, value in clause],
            "at_least": at_least,
            "label": label,
        }
        for clause in clauses
    ]
    return client.post("/api/edit", json={"branches": sent})
