"""The page's server over real sockets: whatever is sent, it answers without a fault of its own."""

import atexit
import contextlib
import http.client
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import threading
from functools import cache

import numpy as np
from fuzz_files import FORMATS, ROOT, _other_values, damaged, whole
from fuzz_tally import HungError
from hypothesis import strategies as st

from nri.errors import InputError

requests = st.tuples(
    st.sampled_from(
        [
            "table",
            "induce",
            "edit",
            "validate",
            "rows",
            "explain",
            "target",
            "download",
            "raw",
            "half",
            "method",
            "stranger",
        ]
    ),
    st.integers(0, 2**32 - 1),
)
QUESTION = {"target": "flu", "model": "greedy", "max_clauses": 3}


@cache
def server() -> tuple[int, subprocess.Popen[str]]:
    """Start a server on a free port and keep its key; it ends with this process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nri", "serve", "--no-browser", "--port", str(port), "--model", "greedy"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    atexit.register(running.kill)
    assert running.stderr is not None
    printed = re.search(r"\?key=(\S+)", running.stderr.readline())
    if printed is None:
        raise RuntimeError("the server did not start")
    threading.Thread(target=running.stderr.read, daemon=True).start()  # a full pipe would stop the server
    _HEADERS["cookie"] = f"nri_key_{port}={printed[1]}"
    return port, running


_HEADERS: dict[str, str] = {}
"""The key as a cookie, and the session of the last table."""


def ask(method: str, path: str, body: bytes = b"", **more: str) -> int:
    """Send one request as the page does, and return the status."""
    port, _ = server()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "x-nri": "1",
        "origin": f"http://127.0.0.1:{port}",
        "sec-fetch-site": "same-origin",
        **_HEADERS,
        **more,
    }
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
    finally:
        connection.close()
    if (method, path, answer.status) == ("POST", "/api/table", 200):
        _HEADERS["x-session"] = json.loads(content)["session"]
    return answer.status


def send(case: tuple[str, int]) -> None:
    """Send something; a 5xx other than "busy" is a finding, and so is a server that is gone."""
    kind, seed = case
    rng = np.random.default_rng(seed)
    port, running = server()
    try:
        status = _sent(kind, seed, rng, port)
    except TimeoutError:
        raise HungError from None
    except (http.client.HTTPException, ConnectionError):
        status = 400  # closed without an answer: what was sent was no request
    if running.poll() is not None:
        raise RuntimeError(f"the server ended with {running.returncode}")
    if status >= 500 and status != 503:
        raise RuntimeError(f"the server said {status}")
    if status >= 400:
        raise InputError("refused")


def _by_another_account(path: str, port: int) -> int:
    """Ask without the key, as the user nobody where that is possible; an answer other than a refusal is a finding."""
    tools = shutil.which("curl"), shutil.which("setpriv")
    if None in tools or os.geteuid() != 0:
        return 403
    nobody = pwd.getpwnam("nobody")
    account = [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    ask = ["-s", "--noproxy", "*", "-H", "x-nri: 1", "-H", f"x-session: {_HEADERS.get('x-session', '')}"]
    url = f"http://127.0.0.1:{port}{path}"
    command = [tools[1], *account, tools[0], *ask, "-o", "/dev/null", "-w", "%{http_code}", url]
    status = int(subprocess.run(command, capture_output=True, timeout=60, check=True, cwd="/").stdout)
    if status < 400:
        raise RuntimeError(f"another account was answered {status} on {path}")
    return status


def _sent(kind: str, seed: int, rng: np.random.Generator, port: int) -> int:
    match kind:
        case "table":
            form = FORMATS[seed % len(FORMATS)]
            content = (
                (ROOT / "docs/examples/visits.csv").read_bytes()
                if rng.random() < 0.5
                else damaged(whole(form), seed)
            )
            return ask("POST", "/api/table", content, **{"x-file-name": f"t.{form}"})
        case "induce" | "edit" | "validate":
            question = (
                json.loads(json.dumps(QUESTION)) if rng.random() < 0.4 else _other_values(dict(QUESTION), rng)
            )
            return ask("POST", f"/api/{kind}", json.dumps(question).encode())
        case "rows" | "explain" | "target" | "download":
            words = ["flu", "age", "", "-1", "1", "x" * 2000, "%00", "json", "sql", "python", "html"]
            word = words[int(rng.integers(len(words)))]
            path = (
                f"/api/download/{word}"
                if kind == "download"
                else f"/api/{kind}?column={word}&row={word}&start={word}"
            )
            return ask("GET", path)
        case "stranger":
            paths = [
                "/",
                "/?key=guess",
                "/api/initial",
                "/api/rows?start=0",
                "/api/explain?row=1",
                "/api/download/json",
                "/static/js/main.js",
            ]
            return _by_another_account(paths[seed % len(paths)], port)
        case "method":
            methods = ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "NONSENSE"]
            return ask(methods[seed % 6], ["/", "/api/table", "/api/induce", "/nothing"][seed % 4])
    with socket.create_connection(("127.0.0.1", port), 30) as raw:
        host = f"127.0.0.1:{port}"
        head = f"POST /api/table HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\nx-nri: 1"
        start = f"{head}\r\ncookie: {_HEADERS['cookie']}\r\ncontent-length: 50\r\n\r\nabc".encode()
        raw.sendall(damaged(start, seed) if kind == "raw" else start[: int(rng.integers(1, len(start)))])
        with contextlib.suppress(OSError):
            raw.shutdown(socket.SHUT_WR)
        answer = raw.recv(100)
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.") and answer[9:12].isdigit() else 400
