"""Run the real command in this process: what it prints, and with which code it exits."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nri.cli.app import main
from nri.cli.console import set_quiet


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def nri(capfd: pytest.CaptureFixture[str]) -> Iterator[Callable[..., Run]]:
    """Return a function that runs ``nri`` with these arguments."""

    def run(*arguments: object) -> Run:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Run(int(ended.value.code or 0), captured.out, captured.err)

    yield run
    set_quiet(False)  # which the last command may have set


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with sixty visits, of which flu is fever and cough, or chills in the old, and their rule."""
    rng = np.random.default_rng(0)
    lines = ["fever,cough,chills,age,ward,flu"]
    for _ in range(60):
        fever, cough, chills = rng.integers(0, 2, 3)
        age, ward = rng.integers(20, 90), rng.choice(["a", "b", "c"])
        flu = "yes" if (fever and cough) or (chills and age > 61) else "no"
        lines.append(f"{fever},{cough},{chills},{age},{ward},{flu}")
    folder = tmp_path_factory.mktemp("visits")
    path = folder / "visits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["induce", str(path), "--target", "flu", "--out", str(folder / "rule.json"), "--quiet"])
    assert not ended.value.code
    return folder


@pytest.fixture
def visits(made_once: Path, tmp_path: Path) -> Path:
    """The visits as a file that a test may change."""
    return Path(shutil.copy(made_once / "visits.csv", tmp_path))


@pytest.fixture
def rule(made_once: Path, visits: Path) -> Path:
    """The rule of the visits as a file beside them."""
    return Path(shutil.copy(made_once / "rule.json", visits.parent))
