"""Commands of other packages: listed and run where one is installed, explained where it is not."""

from importlib.metadata import EntryPoint

import pytest

MODULE = """
import typer

app = typer.Typer()

@app.command()
def hello(name: str) -> None:
    typer.echo(f"hello {name}")

@app.command()
def refuse() -> None:
    raise typer.Exit(1)
"""


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Make entry points of the names and places given."""
    (tmp_path / "further_commands.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)

    def install(**places: str) -> None:
        points = {name: EntryPoint(name, place, "nri.commands") for name, place in places.items()}
        monkeypatch.setattr("nri.cli.running.installed", lambda: points)

    return install


def test_a_command_of_another_package_is_listed_and_run(nri, installed):
    installed(greet="further_commands:app")
    assert "greet" in nri("--help").out
    assert nri("greet", "hello", "you").out == "hello you\n"
    assert nri("greet", "refuse").code == 1
    mistaken = nri("greet", "goodbye")
    assert (mistaken.code, mistaken.err) == (2, "error: no such command 'goodbye' (see nri greet --help)\n")


def test_our_own_commands_come_first(nri, installed):
    installed(induce="further_commands:app")
    assert "missing argument" in nri("induce", "--target", "flu").err


@pytest.mark.parametrize("arguments", [(), ("uci", "--quick"), ("--help",)])
@pytest.mark.parametrize("command", ["bench", "dynamics"])
def test_a_command_that_is_not_installed_says_how_to_get_it(nri, installed, command, arguments):
    installed()
    done = nri(command, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: nri {command} is the package nri-{command}, which is not installed")
    assert done.err.endswith(f"run pip install ./{command}\n")
    assert done.err.count("\n") == 1
    assert command in nri("--help").out
