"""Other sites, other names and other machines get nothing, whatever they try."""

import time
from collections.abc import Iterator

import pytest
from pages import COOKIE, HEADERS, KEY, ORIGIN, PORT, caller, drop
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from nri.serve import guard
from nri.serve.app import create_app, listen

POLICY = guard.HEADERS["content-security-policy"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_the_page_answers_under_the_names_of_loopback(client, host):
    assert client.get("/", headers={"host": f"{host}:{PORT}"}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        f"evil.example:{PORT}",
        "evil.example",
        f"127.0.0.1.evil.example:{PORT}",
        "127.0.0.1:80",
        f"127.0.0.1:{PORT}0",
        f"0.0.0.0:{PORT}",
        "",
    ],
)
def test_a_rebound_name_gets_neither_the_page_nor_its_data(client, host):
    """DNS rebinding: a name of theirs resolves to 127.0.0.1, so their script has our origin."""
    drop(client)
    for path in ("/", "/static/js/main.js", "/api/rows"):
        answer = client.get(path, headers={"host": host, "origin": f"http://{host}"})
        assert answer.status_code == 403
        assert "flu" not in answer.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8123", ORIGIN + ".evil"]
)
def test_a_form_of_another_site_changes_nothing(client, sessions, origin):
    drop(client)
    assert client.post("/api/table", content=b"a,b\n1,2\n", headers={"origin": origin}).status_code == 403
    assert client.delete("/api/table", headers={"origin": origin}).status_code == 403
    assert len(sessions) == 1


def test_a_request_that_changes_something_must_name_its_origin(sessions):
    with caller(create_app(PORT, KEY, sessions), **{"x-nri": "1"}) as client:
        assert drop(client).status_code == 403
        assert (
            drop(client).json()["error"].startswith("a request that changes something must name its Origin")
        )
    assert len(sessions) == 0


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_site_cannot_embed_or_read_anything(client, site):
    """Another port of the same host is "same-site", and no friend either."""
    drop(client)
    for path in ("/api/rows", "/static/js/main.js", "/"):
        assert client.get(path, headers={"sec-fetch-site": site}).status_code == 403


def test_a_link_from_elsewhere_opens_the_empty_page(client):
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/api/download/csv", headers=headers).status_code == 403


@pytest.fixture
def stranger(client) -> Iterator[TestClient]:
    """A program of another account: it can send any header, but has no key."""
    with TestClient(client.app, base_url=ORIGIN, headers=HEADERS) as stranger:
        yield stranger


CALLS = {
    "/": "GET",
    "/static/js/main.js": "GET",
    "/nowhere": "GET",
    "/api/initial": "GET",
    "/api/rows": "GET",
    "/api/download/csv": "GET",
    "/api/induce": "POST",
    "/api/table": "DELETE",
}


@pytest.mark.parametrize("key", [None, "", "guess", "größe"])
def test_without_the_key_everything_is_refused_in_one_line(client, stranger, sessions, key):
    drop(client)
    stranger.headers["x-session"] = client.headers["x-session"]
    if key is not None and key.isascii():
        stranger.headers["cookie"] = f"{COOKIE}={key}"
    for path, method in CALLS.items():
        answer = stranger.request(method, path, params={} if key is None else {"key": key})
        assert answer.status_code == 403
        assert "open the URL that nri serve printed" in answer.text
        assert len(answer.text.splitlines()) == 1
    assert len(sessions) == 1


def test_the_printed_url_sets_a_cookie_that_scripts_and_other_sites_cannot_use(stranger):
    answer = stranger.get("/", params={"key": KEY.value}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"nri_key_{PORT}=")  # cookies know no ports: each server has its own name
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Max-Age" not in cookie, "it ends with the browser session"
    assert stranger.get("/").status_code == 200
    assert stranger.get("/api/initial").status_code == 204


def test_an_old_key_in_the_address_does_no_harm_to_the_owner(client):
    assert client.get("/", params={"key": "of-yesterday"}, follow_redirects=False).status_code == 303


def test_the_key_counts_at_the_page_only(stranger):
    assert stranger.get("/api/initial", params={"key": KEY.value}).status_code == 403


def test_a_key_for_the_browser_s_command_line_works_once_and_soon(stranger, monkeypatch):
    key = KEY.once()
    assert key != KEY.value
    assert stranger.get("/", params={"key": key}, follow_redirects=False).status_code == 303
    stranger.cookies.clear()
    assert stranger.get("/", params={"key": key}).status_code == 403
    late = KEY.once()
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert stranger.get("/", params={"key": late}).status_code == 403


def test_calls_need_a_header_that_no_form_can_send(sessions):
    with caller(create_app(PORT, KEY, sessions), origin=ORIGIN) as client:
        assert drop(client).status_code == 403
        assert client.get("/").status_code == 200


def test_web_sockets_are_not_spoken(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/rows"):
        pass


@pytest.mark.parametrize("path", ["/", "/static/js/main.js", "/api/rows", "/nowhere"])
def test_every_answer_carries_the_strict_policy(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_refusals_carry_the_policy_too(client):
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.headers["content-security-policy"] == POLICY


def test_the_policy_allows_own_files_only_and_no_text_to_become_markup():
    assert "default-src 'none'" in POLICY
    assert "unsafe" not in POLICY
    assert "http" not in POLICY
    assert "require-trusted-types-for 'script'" in POLICY


def test_no_file_outside_the_page_is_served(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert client.get(path).status_code in (403, 404)


def test_only_loopback_is_listened_on():
    listener = listen()
    try:
        assert listener.getsockname()[0] == "127.0.0.1"
    finally:
        listener.close()
