"""Tables live in memory, for one visitor each, and not for long."""

import re

from pages import PORT, Clock, ask, drop
from starlette.testclient import TestClient

from nri.serve.visitors import Visitors


def fresh(client: TestClient) -> TestClient:
    """Another browser at the same server."""
    return TestClient(client.app, base_url=client.base_url, headers=client.headers)


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(client):
    cookie = drop(client).headers["set-cookie"]
    assert re.match(rf"nri_visit_{PORT}=[\w-]{{43}};", cookie)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Max-Age" not in cookie, "it ends with the browser session"


def test_servers_on_two_ports_do_not_share_a_cookie(client):
    """Cookies know no ports: without the port in the name one server would take over the other's visits."""
    assert f"nri_visit_{PORT}=" in drop(client).headers["set-cookie"]


def test_a_visitor_sees_only_the_own_table(client):
    drop(client)
    ask(client)
    other = fresh(client)
    assert other.get("/api/rows").status_code == 410
    assert other.get("/api/download/csv").status_code == 410
    drop(other, b"secret,flu\n1,yes\n2,no\n3,yes\n4,no\n", "other.csv")
    assert client.get("/api/rows").json()["total"] == 60


def test_a_made_up_cookie_opens_nothing(client):
    drop(client)
    other = fresh(client)
    other.cookies.set(f"nri_visit_{PORT}", "guess")
    assert other.get("/api/target", params={"column": "flu"}).status_code == 410


def test_a_new_table_takes_the_place_of_the_old_one_under_a_new_secret(client, visitors):
    first = drop(client).headers["set-cookie"]
    second = drop(client).headers["set-cookie"]
    assert first != second
    assert len(visitors) == 1


def test_forgetting_is_at_once(client, visitors):
    drop(client)
    ask(client)
    assert client.delete("/api/table").status_code == 200
    assert len(visitors) == 0
    assert client.get("/api/rows").status_code == 410


def test_an_unused_table_is_forgotten_and_the_page_says_so(client, visitors, clock):
    drop(client)
    clock.now += 59
    assert ask(client).status_code == 200
    clock.now += 59
    assert client.get("/api/rows").status_code == 200, "use keeps it"
    clock.now += 61
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert "drop it again" in answer.json()["error"]
    assert len(visitors) == 0


def test_idle_tables_are_forgotten_even_when_nobody_asks():
    clock = Clock()
    visitors = Visitors(idle_seconds=10, clock=clock)
    visitors.begin()
    clock.now += 11
    visitors.forget_idle()
    assert len(visitors) == 0


def test_of_too_many_tables_the_one_unused_for_longest_goes():
    clock = Clock()
    visitors = Visitors(most=2, clock=clock)
    secrets = []
    for _ in range(2):
        secrets.append(visitors.begin()[0])
        clock.now += 1
    assert visitors.find(secrets[0]) is not None
    clock.now += 1
    visitors.begin()
    assert visitors.find(secrets[1]) is None
    assert visitors.find(secrets[0]) is not None
    assert len(visitors) == 2


def test_nothing_is_written_to_disk(client, tmp_path, monkeypatch):
    """Every way of opening a file for writing is watched while a visitor works."""
    import builtins
    import io
    import os

    written = []
    real_open, real_os_open = builtins.open, os.open

    def watch_open(file, mode="r", *rest, **named):
        if set(mode) & set("wax+"):
            written.append(file)
        return real_open(file, mode, *rest, **named)

    def watch_os_open(path, flags, *rest, **named):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            written.append(path)
        return real_os_open(path, flags, *rest, **named)

    drop(client)
    ask(client)  # whatever is imported late is imported now
    monkeypatch.setattr(builtins, "open", watch_open)
    monkeypatch.setattr(io, "open", watch_open)
    monkeypatch.setattr(os, "open", watch_os_open)
    with open(tmp_path / "seen", "w"):
        pass
    assert written, "the watch works"
    written.clear()
    drop(client)
    ask(client)
    client.get("/api/download/csv")
    assert written == []
