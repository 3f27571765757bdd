"""Tables are kept for one visitor each, and not for long; those not in use rest on disk, without a name."""

import io
import os
import re
import tempfile

import pytest
from pages import PORT, VISITS, Clock, ask, drop, edit
from starlette.testclient import TestClient

from nri.serve.app import create_app
from nri.serve.body import Spool
from nri.serve.visitors import Visit, Visitors
from nri.table.excel import SheetChoice


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
    assert answer.json()["error"].startswith("the table was not used for 1 minutes and is forgotten; drop it")
    assert len(visitors) == 0


def visit(content: bytes = b"a,b\n1,2\n") -> Visit:
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(content)
    file.flush()
    return Visit(file, "t.csv", SheetChoice())


def test_idle_tables_are_forgotten_even_when_nobody_asks():
    clock = Clock()
    visitors = Visitors(idle_seconds=10, clock=clock)
    idle = visit()
    visitors.begin(idle)
    clock.now += 11
    visitors.forget_idle()
    assert len(visitors) == 0
    assert idle.file.closed, "the file goes with it"


def test_of_too_many_tables_the_one_unused_for_longest_goes():
    visitors = Visitors(most=2)
    first, second = visitors.begin(visit()), visitors.begin(visit())
    assert visitors.find(first) is not None
    visitors.begin(visit())
    assert visitors.find(second) is None
    assert visitors.find(first) is not None
    assert len(visitors) == 2
    visitors.close()


def test_files_take_no_more_of_the_disk_than_they_may():
    visitors = Visitors(most_bytes=100)
    kept = [visit(b"x" * 40) for _ in range(4)]
    for one in kept:
        visitors.begin(one)
    assert [one.file.closed for one in kept] == [True, True, False, False]
    visitors.close()
    assert all(one.file.closed for one in kept)


def test_who_had_to_make_room_is_told_so_and_what_to_do(client, visitors):
    drop(client)
    for _ in range(3):
        drop(fresh(client))
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert answer.json()["error"] == (
        "the table had to make room for those of others, who came later; drop it again to go on"
    )


def test_a_cookie_of_an_earlier_server_is_told_that_it_was_started_anew(client):
    client.cookies.set(f"nri_visit_{PORT}", "of-yesterday")
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert "it was started anew" in answer.json()["error"]


@pytest.fixture
def cramped(client) -> TestClient:
    """A visitor at a server that has room for one table in memory."""
    app = create_app(PORT, Visitors(most_cells=1), model="greedy")
    return TestClient(app, base_url=client.base_url, headers=client.headers)


RENTS = "rooms,area,rent\n" + "".join(f"{1 + i % 4},{20 + i},{400.5 + 7 * i}\n" for i in range(60))


def test_work_goes_on_where_it_was_left_after_its_table_rested(cramped):
    """Fifty visitors once evicted each other: 43 of them were told that their table was gone."""
    with cramped:
        others = [fresh(cramped) for _ in range(3)]
        drop(cramped)
        ask(cramped, never=["age"])
        edited = edit(cramped, [("cough", "=", "yes")]).json()
        pages = [cramped.get("/api/rows").json(), cramped.get("/api/download/json").text]
        for other in others:
            drop(other)
            ask(other)
        visitors = cramped.app.state.visitors
        assert (len(visitors), visitors.awake) == (4, 1), "the others rest"
        assert [cramped.get("/api/rows").json(), cramped.get("/api/download/json").text] == pages
        back = cramped.post("/api/edit", json={"rules": [{"clauses": edited["rules"][0]["clauses"]}]})
        assert back.json() == edited
        assert edit(cramped).json()["scores"]["covered"] == 0, "and it can be edited on"
        assert ask(others[0]).status_code == 200


def test_a_number_that_was_explained_is_there_after_its_table_rested(cramped):
    with cramped:
        drop(cramped, RENTS.encode(), "rents.csv")
        assert "segments" in ask(cramped, target="rent").json()
        rule = cramped.get("/api/download/json").text
        drop(fresh(cramped))
        assert cramped.app.state.visitors.awake == 1
        assert cramped.get("/api/download/json").text == rule
        assert cramped.get("/api/rows").status_code == 410


def test_a_table_forgotten_while_it_is_read_again_is_told_to_be_gone(visitors):
    resting = visit(VISITS)
    resting.file.close()
    with pytest.raises(ValueError, match="drop it again"):
        resting.wake()


def test_nothing_with_a_name_is_written_to_disk(client, tmp_path, monkeypatch):
    """Files have no name from the start, so that nothing is left, whatever becomes of the server."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    content = VISITS + b"61,yes,no,no,no,north,no\n" * 40_000  # more than any buffer holds
    assert drop(client, content).status_code == 200
    ask(client)
    client.get("/api/download/csv")
    (kept,) = client.app.state.visitors._visits.values()
    assert os.fstat(kept.file.fileno()).st_size == len(content), "it is on disk"
    assert os.fstat(kept.file.fileno()).st_nlink == 0
    assert list(tmp_path.iterdir()) == []


def test_files_on_their_way_take_no_more_of_the_disk_than_they_may(client, visitors, monkeypatch):
    """A hundred visitors who send fifty megabytes at once would fill it before any file is read."""
    spool = Spool(most=len(VISITS) + 10)
    monkeypatch.setattr(client.app.state.page, "spool", spool)
    assert drop(client).status_code == 200
    spool._used = 11  # somebody else is sending
    answer = drop(client)
    assert answer.status_code == 429
    assert answer.json()["error"].startswith("busy: others are sending large files; try again")
    assert spool._used == 11, "what was refused is not counted on"
    assert len(visitors) == 1, "the table before it stays"


def test_a_full_disk_is_told_with_what_to_do(client, visitors, monkeypatch):
    class Full(io.BytesIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    answer = drop(client)
    assert answer.status_code == 413
    assert "no room on disk for the file (No space left on device); make some" in answer.json()["error"]
    assert len(visitors) == 0
