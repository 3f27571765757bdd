"""``nri serve`` on the command line."""

import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from nri.errors import InputError
from nri.serve.run import PORT, listen, serve


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "anyio"])
def test_a_missing_extra_is_told_in_one_line(package):
    code = f"import sys; sys.modules[{package!r}] = None; from nri.cli.app import main; main(['serve'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == "error: the page needs a few packages more: pip install 'nri[serve]'\n"


def test_an_unknown_model_is_told_before_anything_is_served():
    with pytest.raises(InputError, match="no model 'magic'"):
        serve(model="magic", tell=lambda _: pytest.fail("it began"))


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
    code = "from nri.cli.app import main; main(['serve', '--no-browser'])"
    server = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    try:
        told = server.stderr.readline()
        address = told.split()[4]
        assert told.startswith("The page is at http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=20) as answer:
            assert b"A table goes in" in answer.read()
            assert "Server" not in answer.headers
    finally:
        server.send_signal(2)
        rest = server.communicate(timeout=20)[1]
    assert rest == ""
    assert server.returncode == 130


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
