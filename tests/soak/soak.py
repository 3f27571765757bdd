"""A soak of the page's server: ``make soak MINUTES=10``.

A hundred visitors at once, on the loopback address only: most of them work (drop a table, ask, edit, look at
rows, take the rule along), some send large tables, some never finish a request, some go away, some mean ill.
Half-way the server is killed and started again. One line of counts at the end; it fails (exit code 1) on any
answer of 500 or above, any edit that was lost, too much memory, or anything left behind.
"""

import argparse
import asyncio
import contextlib
import functools
import gzip
import json
import random
import socket
import sys
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NamedTuple

from calling import Answer, Caller, Unreachable
from serving import Server
from tally import Tally

from nri_bench.run.rows import commit_of

VISITS = (Path(__file__).parents[2] / "docs" / "examples" / "visits.csv").read_bytes()
MOST_MEMORY = 2500
"""Megabytes: two tables that are read within 1 GB each, and what is kept (docs/page.md)."""
HALVES = 5.0
"""Seconds for which a request stays half sent."""
EDITS = ("cough", "fever", "chills", "body_aches")


class LostTable(Exception):  # noqa: N818  # told by 410: the visitor sends the table again
    """The server no longer has the table, and says so."""


def held(answer: Answer) -> Answer:
    """Return an answer of 200; raise what a page would act upon."""
    if answer.status == 410:
        raise LostTable
    if answer.status in (403, 503):  # it was just started, with another key, or has too many connections
        raise Unreachable
    return answer


async def work(caller: Caller, tally: Tally, rng: random.Random) -> None:
    """Drop a table, ask, edit and look, as a person does; what the server lost is sent again with edits."""
    has_table, mine = False, None
    while not tally.over:
        try:
            if not has_table:
                table = VISITS if rng.random() < 0.8 else grown(rng.randrange(200, 3000), rng)
                await drop(caller, tally, table)
                await ask(caller, tally, rng)
                has_table = True
                if mine is not None:
                    await edit(caller, tally, mine)
                    await verify(caller, tally, mine)
            for _ in range(rng.randrange(2, 6)):
                mine = [rng.sample(EDITS, rng.randrange(1, 3)) for _ in range(rng.randrange(1, 3))]
                await edit(caller, tally, mine)
                held(await tally.small(caller("GET", "/api/rows?filter=wrong")))
                held(await tally.small(caller("GET", f"/api/explain?row={rng.randrange(60)}")))
                await verify(caller, tally, mine)
                await asyncio.sleep(rng.random())
            if rng.random() < 0.1:
                await estimate(caller, tally)
            has_table, mine = False, None
        except LostTable:
            tally.resent += 1
            has_table = False
        except Unreachable:
            await asyncio.sleep(0.5)


async def drop(caller: Caller, tally: Tally, table: bytes) -> None:
    held(await in_line(caller, tally, caller("POST", "/api/table", table, X_Ticket=ticket(caller))))


async def ask(caller: Caller, tally: Tally, rng: random.Random) -> None:
    never = rng.sample(["ward", "age"], rng.randrange(2))
    question = {"target": "flu", "positive": "yes", "never": never}
    held(await in_line(caller, tally, caller.ask("/api/induce", question, X_Ticket=ticket(caller))))


def ticket(caller: Caller) -> str:
    return f"ticket-{id(caller)}"


async def in_line(caller: Caller, tally: Tally, asking: Coroutine[Any, Any, Answer]) -> Answer:
    """Wait for an answer as the page does, and look after a second how many are before."""
    waiting = asyncio.ensure_future(asking)
    done, _ = await asyncio.wait([waiting], timeout=1.0)
    if not done:
        with contextlib.suppress(Unreachable):
            place = tally.count(await Caller(caller.server)("GET", f"/api/place?ticket={ticket(caller)}"))
            tally.waited += place.data["before"] is not None
    return tally.count(await waiting)


def literals(columns: list[str]) -> list[dict[str, str]]:
    return [{"column": column, "op": "=", "value": "yes"} for column in sorted(columns)]


async def edit(caller: Caller, tally: Tally, clauses: list[list[str]]) -> None:
    sent = [{"literals": literals(columns), "at_least": None, "label": "yes"} for columns in clauses]
    held(await tally.small(caller.ask("/api/edit", {"branches": sent})))
    tally.edits += 1


async def verify(caller: Caller, tally: Tally, clauses: list[list[str]]) -> None:
    """Take the rule along and see whether it is the one that was edited."""
    rule = held(tally.count(await caller("GET", "/api/download/json"))).data
    found = {
        tuple(sorted(literal["column"] for literal in clause["literals"])) for clause in rule["branches"]
    }
    if found != {tuple(sorted(columns)) for columns in clauses}:
        tally.lost += 1
        tally.faults.append(f"edited to {clauses}, found {found}")


async def estimate(caller: Caller, tally: Tally) -> None:
    last = held(tally.count(await caller("POST", "/api/validate"))).lines[-1]
    if last.get("measure") != "accuracy":
        tally.faults.append(f"no estimate: {last}")


def grown(rows: int, rng: random.Random) -> bytes:
    """The visits, many times over, in another order."""
    head, *body = VISITS.splitlines(keepends=True)
    return head + b"".join(rng.choices(body, k=rows))


async def carry(caller: Caller, tally: Tally, rng: random.Random) -> None:
    """Drop large tables, each of a few megabytes."""
    while not tally.over:
        try:
            table = grown(rng.randrange(50_000, 200_000), rng)
            await drop(caller, tally, table)
            await ask(caller, tally, rng)
            held(tally.count(await caller("GET", "/api/download/csv")))
        except LostTable:
            tally.resent += 1
        except Unreachable:
            await asyncio.sleep(0.5)


async def dawdle(caller: Caller, tally: Tally, rng: random.Random) -> None:
    """Never finish a request; others must not notice."""
    whole = caller.head("POST", "/api/table", 100_000) + VISITS
    while not tally.over:
        sent = whole[: rng.choice([0, 10, 60, len(whole) - 500, len(whole)])]
        try:
            await caller.half(sent, HALVES)
            tally.halves += 1
        except Unreachable:
            await asyncio.sleep(0.5)


async def vanish(caller: Caller, tally: Tally, rng: random.Random) -> None:
    """Ask for something long, and go away."""
    question = json.dumps({"target": "flu"}).encode()
    while not tally.over:
        try:
            tally.count(await caller("POST", "/api/table", VISITS))
            await caller.leave_early("POST", "/api/induce", question, rng.random())
            tally.count(await caller.ask("/api/induce", {"target": "flu"}))
            for path in ("/api/validate", "/api/report"):
                await caller.leave_early("POST", path, b"", rng.random())
            tally.left += 3
            await asyncio.sleep(rng.random())
        except Unreachable:
            await asyncio.sleep(0.5)


@functools.cache
def bomb() -> bytes:
    """Four hundred megabytes in a few kilobytes."""
    return gzip.compress(gzip.compress(b"0" * 400 * 2**20, 1))


@functools.cache
def flood() -> bytes:
    """A hundred million cells in less than a megabyte."""
    return gzip.compress(b"0\n" * 10**8, 1)


async def mean_ill(caller: Caller, tally: Tally, rng: random.Random) -> None:
    """Send what nobody should, and be refused."""
    tries = [
        lambda: caller("POST", "/api/table", bomb()),
        lambda: caller("POST", "/api/table", flood()),
        lambda: caller("POST", "/api/table", rng.randbytes(1000)),
        lambda: caller("POST", "/api/induce", b"[" * 100_000),
        lambda: caller("GET", "/api/rows", Host="evil.example"),
        lambda: caller("GET", "/api/rows", Cookie="guess"),
        lambda: caller("GET", "/static/../app.py"),
        lambda: caller("BREW", "/api/table", b"x" * 1000),
        lambda: caller("POST", "/api/edit", b'{"branches": [{"literals": [{}]}]}'),
    ]
    while not tally.over:
        try:
            answer = tally.count(await rng.choice(tries)(), 400, 403, 404, 405, 413)
            if answer.status == 200:
                tally.faults.append("what should be refused was taken")
            await asyncio.sleep(rng.random() / 2)
        except Unreachable:
            await asyncio.sleep(0.5)


async def disaster(server: Server, tally: Tally, after: float) -> None:
    """Kill the server, and start it again."""
    await asyncio.sleep(after)
    server.kill()
    await asyncio.sleep(1.0)
    server.start_again()
    await up(server)


async def up(server: Server) -> None:
    """Wait until the server answers."""
    while True:
        try:
            answer = await Caller(server)("GET", "/api/place?ticket=x")
            if answer.status == 200:
                return
        except Unreachable:
            if server.process.poll() is not None:
                raise SystemExit("the server does not start; its log says why") from None
            await asyncio.sleep(0.1)


async def visit(server: Server, tally: Tally, visitors: int, seconds: float, seed: int) -> None:
    """Let everybody in."""
    await up(server)
    tally.until = time.monotonic() + seconds
    roles = [work] * 14 + [dawdle] * 2 + [vanish] * 2 + [mean_ill, carry]
    await asyncio.gather(
        disaster(server, tally, seconds / 2),
        *(roles[i % 20](Caller(server), tally, random.Random(seed + i)) for i in range(visitors)),
    )


class Soaked(NamedTuple):
    """How it went."""

    line: str
    faults: list[str]
    row: dict[str, Any]
    """the same for docs/limits.md, which ``nri bench report`` fills"""


def soak(
    minutes: float, visitors: int, most_requests: int = 200_000, model: str = "greedy", seed: int = 0
) -> Soaked:
    """Run it; return what was counted, and what was wrong."""
    tally = Tally(0.0, most_requests)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "tmp"
        folder.mkdir()
        server = Server(port, folder, model)
        try:
            asyncio.run(visit(server, tally, visitors, minutes * 60, seed))
        finally:
            code, left = server.end()
    faults = tally.faults
    megabytes = server.most_memory >> 20
    if code not in (0, 130):  # 0 where whoever started it lets interrupts be ignored
        faults.append(f"the server ended with {code}: {server.said[-500:]}")
    if left:
        faults.append(f"left behind: {left}")
    if megabytes > MOST_MEMORY:
        faults.append(f"{megabytes} MB of memory, {MOST_MEMORY} are promised")
    told = [
        f"soak: {minutes:g} min, {visitors} visitors, {server.starts - 1} kill, {tally.requests} requests",
        *tally.told(),
        f"memory at most {megabytes} of {MOST_MEMORY} MB",
        f"{len(left)} files left",
        f"{len(faults)} faults",
    ]
    row = {
        "minutes": minutes,
        "visitors": visitors,
        "commit": commit_of(Path(__file__).parent),
        **tally.row(),
    }
    row |= {"megabytes": megabytes, "left": len(left), "faults": len(faults)}
    return Soaked("; ".join(told), faults, row)


def main() -> int:
    """Soak as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--visitors", type=int, default=100)
    parser.add_argument("--requests", type=int, default=200_000, help="at most so many")
    parser.add_argument("--model", default="greedy")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=Path, help="a file that a row of counts is added to")
    asked = parser.parse_args()
    soaked = soak(asked.minutes, asked.visitors, asked.requests, asked.model, asked.seed)
    for fault in soaked.faults[:20]:
        print("fault:", fault, file=sys.stderr)
    print(soaked.line)
    if asked.rows:
        with asked.rows.open("a", encoding="utf-8") as file:
            file.write(json.dumps(soaked.row) + "\n")
    return 1 if soaked.faults else 0


if __name__ == "__main__":
    sys.exit(main())
