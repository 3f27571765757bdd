"""Run ``nri dynamics`` in this process, found by the entry point that pyproject.toml declares."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from nri.cli import running
from nri.cli.app import main

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@dataclass(frozen=True)
class Run:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the metadata of pyproject.toml be found, whether or not the package is installed."""
    folder = tmp_path / "installed" / f"nri_dynamics-{PROJECT['version']}.dist-info"
    folder.mkdir(parents=True)
    about = f"Name: {PROJECT['name']}\nVersion: {PROJECT['version']}\nSummary: {PROJECT['description']}\n"
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\n{about}", encoding="utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in PROJECT["entry-points"].items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    running.installed.cache_clear()
    yield
    running.installed.cache_clear()


@pytest.fixture
def nri(installed: None, capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Return a function that runs ``nri`` with these arguments."""

    def run(*arguments: object) -> Run:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Run(int(ended.value.code or 0), captured.out, captured.err)

    return run
