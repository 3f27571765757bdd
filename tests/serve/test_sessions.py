"""Tables are kept for one tab each, and not for long; those not in use rest on disk, without a name."""

import io
import os
import re
import tempfile

import pytest
from pages import KEY, PORT, VISITS, Clock, ask, branches, caller, drop, edit
from starlette.testclient import TestClient

from nri.serve.app import create_app
from nri.serve.sessions import Session, Sessions
from nri.table.excel import SheetChoice


def fresh(client: TestClient) -> TestClient:
    """Another tab of the same page."""
    return caller(client.app)


def in_memory(sessions: Sessions) -> int:
    """How many tables are in memory."""
    return sum(one.upload is not None for one in sessions._sessions.values())


def test_a_tab_sees_only_its_own_table(client):
    drop(client)
    ask(client)
    other = fresh(client)
    assert other.get("/api/rows").status_code == 410
    assert other.get("/api/download/csv").status_code == 410
    drop(other, b"secret,flu\n1,yes\n2,no\n3,yes\n4,no\n", "other.csv")
    assert client.get("/api/rows").json()["total"] == 60


def test_a_new_table_takes_the_place_of_the_old_one_in_its_tab(client, sessions):
    first = drop(client).json()["session"]
    second = drop(client).json()["session"]
    assert first != second
    assert re.fullmatch(r"[\w-]{43}", first), "256 bits"
    assert len(sessions) == 1


def test_removing_is_at_once(client, sessions):
    drop(client)
    ask(client)
    assert client.delete("/api/table").status_code == 200
    assert len(sessions) == 0
    assert client.get("/api/rows").status_code == 410


def test_an_unused_table_is_removed_and_the_page_says_so(client, sessions, clock):
    drop(client)
    clock.now += 59
    assert ask(client).status_code == 200
    clock.now += 59
    assert client.get("/api/rows").status_code == 200, "use keeps it"
    clock.now += 61
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert answer.json()["error"].startswith("the table was not used for 1 minutes and was removed; drop it")
    assert len(sessions) == 0


def session(content: bytes = b"a,b\n1,2\n") -> Session:
    file = tempfile.TemporaryFile()  # noqa: SIM115
    file.write(content)
    file.flush()
    return Session(file, "t.csv", SheetChoice())


def test_idle_tables_are_removed_even_without_a_request():
    clock = Clock()
    sessions = Sessions(idle_seconds=10, clock=clock)
    idle = session()
    sessions.begin(idle)
    clock.now += 11
    sessions.end_idle()
    assert len(sessions) == 0
    assert idle.file.closed, "the file goes with it"


def test_of_too_many_tables_the_one_unused_for_longest_goes():
    sessions = Sessions(most=2)
    first, second = sessions.begin(session()), sessions.begin(session())
    sessions.get(first)
    sessions.begin(session())
    with pytest.raises(ValueError, match="had to make room"):
        sessions.get(second)
    assert sessions.get(first)
    assert len(sessions) == 2
    sessions.close()


def test_reasons_of_old_sessions_are_forgotten_in_the_end():
    """A server that ran for months kept a line for every table that it ever had."""
    sessions = Sessions(most=2)
    tokens = [sessions.begin(session()) for _ in range(9)]
    assert len(sessions._ended) == 2
    for token, why in ((tokens[6], "had to make room"), (tokens[0], "started anew")):
        with pytest.raises(ValueError, match=why):
            sessions.get(token)
    sessions.close()


def test_files_take_no_more_of_the_disk_than_they_may():
    sessions = Sessions(max_disk=100)
    kept = [session(b"x" * 40) for _ in range(4)]
    for one in kept:
        sessions.begin(one)
    assert [one.file.closed for one in kept] == [True, True, False, False]
    sessions.close()
    assert all(one.file.closed for one in kept)


def test_who_had_to_make_room_is_told_so_and_what_to_do(client, sessions):
    drop(client)
    for _ in range(3):
        drop(fresh(client))
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert answer.json()["error"] == ("the table had to make room for later ones; drop it again to go on")


def test_a_session_of_an_earlier_server_is_told_that_it_was_started_anew(client):
    client.headers["x-session"] = "of-yesterday"
    answer = client.get("/api/rows")
    assert answer.status_code == 410
    assert "it was started anew" in answer.json()["error"]


@pytest.fixture
def cramped() -> TestClient:
    """A visitor at a server that has room for one table in memory."""
    app = create_app(PORT, KEY, Sessions(max_cells=1), model="greedy")
    return caller(app)


RENTS = "rooms,area,rent\n" + "".join(f"{1 + i % 4},{20 + i},{400.5 + 7 * i}\n" for i in range(60))


def test_work_goes_on_where_it_was_left_after_its_table_rested(cramped):
    """Fifty sessions once evicted each other: 43 of them were told that their table was gone."""
    with cramped:
        others = [fresh(cramped) for _ in range(3)]
        drop(cramped)
        ask(cramped, never=["age"])
        edited = edit(cramped, [("cough", "=", "yes")]).json()
        pages = [cramped.get("/api/rows").json(), cramped.get("/api/download/json").text]
        for other in others:
            drop(other)
            ask(other)
        sessions = cramped.app.state.sessions
        assert (len(sessions), in_memory(sessions)) == (4, 1), "the others rest"
        assert [cramped.get("/api/rows").json(), cramped.get("/api/download/json").text] == pages
        back = cramped.post("/api/edit", json={"branches": branches(edited)})
        assert back.json() == edited
        assert edit(cramped).json()["filters"]["covered"] == 0, "and it can be edited on"
        assert ask(others[0]).status_code == 200


def test_a_number_that_was_explained_is_there_after_its_table_rested(cramped):
    with cramped:
        drop(cramped, RENTS.encode(), "rents.csv")
        assert ask(cramped, target="rent").json()["kind"] == "number"
        rule = cramped.get("/api/download/json").text
        drop(fresh(cramped))
        assert in_memory(cramped.app.state.sessions) == 1
        assert cramped.get("/api/download/json").text == rule
        assert cramped.get("/api/rows").json()["total"] == 60


def test_a_table_forgotten_while_it_is_read_again_is_told_to_be_gone(sessions):
    resting = session(VISITS)
    resting.file.close()
    with pytest.raises(ValueError, match="drop it again"):
        resting.load()


def test_nothing_with_a_name_is_written_to_disk(client, tmp_path, monkeypatch):
    """Files have no name from the start, so that nothing is left, whatever becomes of the server."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    content = VISITS + b"61,yes,no,no,no,north,no\n" * 40_000  # more than any buffer holds
    assert drop(client, content).status_code == 200
    ask(client)
    client.get("/api/download/csv")
    (kept,) = client.app.state.sessions._sessions.values()
    assert os.fstat(kept.file.fileno()).st_size == len(content), "it is on disk"
    assert os.fstat(kept.file.fileno()).st_nlink == 0
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_with_what_to_do(client, sessions, monkeypatch):
    class Full(io.BytesIO):
        def write(self, content):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    answer = drop(client)
    assert answer.status_code == 413
    assert "no room on disk for the file (No space left on device); make some" in answer.json()["error"]
    assert len(sessions) == 0
