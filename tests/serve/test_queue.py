"""A few computations at a time; requests that wait know their place, and leave it with their client."""

import asyncio
import http.client
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from browser import Running, running_server
from pages import VISITS

from nri.serve import app as module
from nri.serve.queue import DisconnectedError, Queue, in_thread, progress_lines


async def here() -> bool:
    return False


async def settled(*, times: int = 5) -> None:
    """Let every task go as far as it can."""
    for _ in range(times):
        await asyncio.sleep(0)


def test_turns_are_taken_in_order_and_places_are_told():
    async def scene() -> None:
        queue, order = Queue(2), []
        release = {name: asyncio.Event() for name in "abcd"}

        async def visitor(name: str) -> None:
            async with queue.turn(name, here):
                order.append(name)
                await release[name].wait()

        tasks = [asyncio.create_task(visitor(name)) for name in "abcd"]
        await settled()
        assert order == ["a", "b"]
        assert [queue.before(name) for name in "abcd"] == [None, None, 2, 3]
        release["b"].set()
        await settled()
        assert order == ["a", "b", "c"]
        assert queue.before("d") == 2
        for event in release.values():
            event.set()
        await asyncio.gather(*tasks)
        assert order == list("abcd")
        async with queue.turn("e", here):
            assert queue.before("e") is None, "nobody is left in the way"

    asyncio.run(scene())


def test_who_goes_away_leaves_the_line(monkeypatch):
    monkeypatch.setattr("nri.serve.queue.POLL_SECONDS", 0.01)

    async def scene() -> None:
        queue, gone, turn_over = Queue(1), asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with queue.turn("first", here):
                await turn_over.wait()

        async def is_gone() -> bool:
            return gone.is_set()

        async def wait(name: str, away) -> None:
            async with queue.turn(name, away):
                pass

        holding = asyncio.create_task(hold())
        leaver = asyncio.create_task(wait("leaver", is_gone))
        await settled()
        patient = asyncio.create_task(wait("patient", here))
        await settled()
        assert queue.before("patient") == 2
        gone.set()
        with pytest.raises(DisconnectedError):
            await leaver
        assert queue.before("patient") == 1
        turn_over.set()
        await asyncio.gather(holding, patient)

    asyncio.run(scene())


def test_what_a_thread_raises_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(lambda: 1 // 0))


def test_who_waits_for_a_long_computation_is_told_the_place(monkeypatch):
    monkeypatch.setattr("nri.serve.queue.POLL_SECONDS", 0.01)

    async def scene() -> list[dict[str, object]]:
        queue, told = Queue(1), []
        async with queue.turn("somebody", here):
            lines = progress_lines(lambda step: (step(), {"answer": 42})[1], 1, queue)
            told.append(json.loads(await anext(lines)))
        async for line in lines:
            told.append(json.loads(line))
        return told

    told = asyncio.run(scene())
    assert told[0] == {"before": 1}
    assert told[-2:] == [{"done": 1, "of": 1}, {"answer": 42}]


def test_a_reader_who_leaves_ends_a_long_computation_and_its_turn_only_then():
    async def scene() -> None:
        queue, at_work, go_on = Queue(1), threading.Event(), threading.Event()

        def compute(step) -> dict[str, object]:
            step()
            at_work.set()
            go_on.wait(20)
            step()
            raise AssertionError("nobody waits for this")

        lines = progress_lines(compute, 2, queue)
        await anext(lines)
        await lines.aclose()
        assert at_work.wait(20)
        second = asyncio.create_task(queue.turn("second", here).__aenter__())
        await settled()
        assert queue.before("second") == 1, "the thread still computes"
        go_on.set()
        await asyncio.wait_for(second, 20)

    asyncio.run(scene())


class Caller:
    """A visitor over a real connection."""

    def __init__(self, server: Running) -> None:
        self.server = server
        self.session = ""

    def __call__(self, method: str, path: str, body: bytes = b"", **more: str) -> Any:
        address = self.server.address.removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=30)
        headers = {
            "X-NRI": "1",
            "Origin": self.server.address,
            "Cookie": self.server.cookie,
            "X-Session": self.session,
            **more,
        }
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = json.loads(answer.read())
        self.session = data.get("session", self.session)
        connection.close()
        assert answer.status == 200, data
        return data


def test_visitors_in_line_learn_their_place_and_small_requests_pass_them(monkeypatch):
    """While two searches run, the third waits and knows it; rows of a fourth visitor are answered at once."""
    end = threading.Event()
    with running_server() as server, ThreadPoolExecutor(3) as pool:
        reader, *seekers = (Caller(server) for _ in range(4))
        question = json.dumps({"target": "flu"}).encode()
        for caller in (reader, *seekers):
            caller("POST", "/api/table", VISITS)
        reader("POST", "/api/induce", question)
        real = module.answer
        monkeypatch.setattr(module, "answer", lambda *given: (end.wait(30), real(*given))[1])
        tickets = ["a", "b", "c"]
        try:
            answers = [
                pool.submit(one, "POST", "/api/induce", question, **{"X-Ticket": ticket})
                for one, ticket in zip(seekers, tickets, strict=True)
            ]
            places = []
            while not any(places):
                places = [reader("GET", f"/api/place?ticket={ticket}")["before"] for ticket in tickets]
            assert sorted(place or 0 for place in places) == [0, 0, 2]
            assert reader("GET", "/api/rows")["total"] == 60
        finally:
            end.set()
        assert all(answer.result()["filters"]["right"] == 58 for answer in answers)


def test_connections_beyond_the_limit_are_refused_until_others_end(monkeypatch):
    monkeypatch.setattr(module, "MAX_CONNECTIONS", 5)
    with running_server() as server:
        host, port = server.address.removeprefix("http://").split(":")
        half = b"POST /api/table HTTP/1.1\r\nHost: "
        held = [socket.create_connection((host, int(port)), timeout=30) for _ in range(5)]
        for one in held:
            one.sendall(half)
        while status(server) != 503:  # the server has yet to take the last ones up
            pass
        for one in held:
            one.close()
        while status(server) == 503:
            pass
        assert status(server) == 200


def test_a_body_without_the_key_is_refused_before_it_is_sent():
    with running_server() as server:
        host, port = server.address.removeprefix("http://").split(":")
        lines = [f"Host: {host}:{port}", f"Origin: {server.address}", "X-NRI: 1", "Content-Length: 50000000"]
        with socket.create_connection((host, int(port)), timeout=30) as caller:
            caller.sendall("\r\n".join(["POST /api/table HTTP/1.1", *lines, "", ""]).encode())
            assert caller.recv(12) == b"HTTP/1.1 403"


def status(server: Running) -> int:
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=30)
    connection.request("GET", "/", headers={"Cookie": server.cookie})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status
