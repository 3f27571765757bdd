"""Other sites, other names and other machines get nothing, whatever they try."""

import pytest
from pages import ORIGIN, PORT, drop
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from nri.serve.app import create_app
from nri.serve.guard import CONTENT_POLICY
from nri.serve.run import listen


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
def test_a_form_of_another_site_changes_nothing(client, visitors, origin):
    drop(client)
    assert client.post("/api/table", content=b"a,b\n1,2\n", headers={"origin": origin}).status_code == 403
    assert client.delete("/api/table", headers={"origin": origin}).status_code == 403
    assert len(visitors) == 1


def test_a_request_that_changes_something_must_name_its_origin(visitors):
    with TestClient(create_app(PORT, visitors), base_url=ORIGIN, headers={"x-nri": "1"}) as client:
        assert drop(client).status_code == 403
        assert (
            drop(client).json()["error"].startswith("a request that changes something must name its Origin")
        )
    assert len(visitors) == 0


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


def test_calls_need_a_header_that_no_form_can_send(visitors):
    with TestClient(create_app(PORT, visitors), base_url=ORIGIN, headers={"origin": ORIGIN}) as client:
        assert drop(client).status_code == 403
        assert client.get("/").status_code == 200


def test_web_sockets_are_not_spoken(client):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/rows"):
        pass


@pytest.mark.parametrize("path", ["/", "/static/js/main.js", "/api/rows", "/nowhere"])
def test_every_answer_carries_the_strict_policy(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"] == CONTENT_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_refusals_carry_the_policy_too(client):
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.headers["content-security-policy"] == CONTENT_POLICY


def test_the_policy_allows_own_files_only_and_no_text_to_become_markup():
    assert "default-src 'none'" in CONTENT_POLICY
    assert "unsafe" not in CONTENT_POLICY
    assert "http" not in CONTENT_POLICY
    assert "require-trusted-types-for 'script'" in CONTENT_POLICY


def test_no_file_outside_the_page_is_served(client):
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert client.get(path).status_code in (403, 404)


def test_only_loopback_is_listened_on():
    listener = listen()
    try:
        assert listener.getsockname()[0] == "127.0.0.1"
    finally:
        listener.close()
