"""``nri serve`` on the command line."""

import contextlib
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from nri.errors import InputError
from nri.serve.app import PORT, listen, serve


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "anyio"])
def test_a_missing_extra_is_told_in_one_line(package):
    code = f"import sys; sys.modules[{package!r}] = None; from nri.cli.app import main; main(['serve'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "error: the page needs a few packages more: pip install 'nri[serve]'\n"


def test_an_unknown_model_is_told_before_anything_is_served():
    with pytest.raises(InputError, match="no model 'magic'"):
        serve(model="magic", log=lambda _: pytest.fail("it began"))


def test_a_taken_port_is_told_and_the_usual_one_gives_way():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InputError, match="is taken or not allowed; choose another one with --port"):
            listen(taken.getsockname()[1])
    first = listen()
    second = listen()
    assert second.getsockname()[1] not in (PORT, first.getsockname()[1])
    first.close()
    second.close()


def test_the_command_serves_the_page_until_it_is_interrupted():
    with nri_serve() as url:
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with browser.open(url, timeout=20) as answer:
            assert answer.url == url.partition("?")[0], "the key does not stay in the address"
            assert b"A table goes in" in answer.read()
            assert "Server" not in answer.headers


def test_a_file_is_only_for_the_account_that_serves_it(tmp_path):
    """Another account reaches the port, but neither the page nor the file without the key."""
    path = tmp_path / "private.csv"
    path.write_text("a,y\n1,no\n2,yes\n")
    path.chmod(0o600)
    with nri_serve(str(path)) as url:
        address = url.partition("?")[0]
        for part in ("", "api/initial", "api/rows", "static/js/main.js", "?key=guess"):
            status, body = fetched_by_another_account(address + part)
            assert (status, b"open the URL that nri serve printed" in body) == (403, True), part
            assert len(body.splitlines()) == 1


@contextlib.contextmanager
def nri_serve(*arguments: str) -> Iterator[str]:
    """Run the command until interrupted; yields the URL that it prints."""
    code = f"from nri.cli.app import main; main(['serve', '--no-browser', *{arguments!r}])"
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True) as server:
        try:
            for _ in arguments:
                server.stderr.readline()
            printed = server.stderr.readline()
            yield re.match(r"The page is at (http://127\.0\.0\.1:\d+/\?key=\S+) ", printed)[1]
        finally:
            server.send_signal(2)
            rest = server.communicate(timeout=20)[1]
        assert rest == ""
        assert server.returncode == 130


def fetched_by_another_account(url: str) -> tuple[int, bytes]:
    """Ask as the user nobody, as the page would; skip the test where that is not possible."""
    curl, setpriv = shutil.which("curl"), shutil.which("setpriv")
    if curl is None or setpriv is None or os.geteuid() != 0:
        pytest.skip("needs root, setpriv and curl")
    nobody = pwd.getpwnam("nobody")
    account = [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    ask = [curl, "-s", "--noproxy", "*", "-H", "x-nri: 1", "-w", "%{http_code}", url]
    answer = subprocess.run(
        [setpriv, *account, *ask], capture_output=True, timeout=20, check=True, cwd="/"
    ).stdout
    return int(answer[-3:]), answer[:-3]


def test_the_page_asks_nothing_of_any_other_machine():
    """Every address in the page's own files is a path of this server, or the name of an XML dialect."""
    static = Path(listen.__code__.co_filename).parent / "static"
    files = [path for path in static.rglob("*") if path.suffix in (".html", ".css", ".js", ".svg")]
    assert len(files) > 8
    for path in files:
        text = path.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http://" not in text
        assert "https://" not in text
        assert '="//' not in text


def test_no_script_of_the_page_can_write_markup():
    static = Path(listen.__code__.co_filename).parent / "static"
    for path in static.rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
            assert word not in text, f"{path.name}: {word}"
