"""Run the real command in this process: what it prints, and with which code it exits."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nri.cli.app import main


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def nri(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Return a function that runs ``nri`` with these arguments."""

    def run(*arguments: object) -> Run:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Run(int(ended.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Sixty visits; flu is fever and cough, or chills in the old."""
    rng = np.random.default_rng(0)
    lines = ["fever,cough,chills,age,ward,flu"]
    for _ in range(60):
        fever, cough, chills = rng.integers(0, 2, 3)
        age, ward = rng.integers(20, 90), rng.choice(["a", "b", "c"])
        flu = "yes" if (fever and cough) or (chills and age > 61) else "no"
        lines.append(f"{fever},{cough},{chills},{age},{ward},{flu}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rule(visits: Path, nri: Callable[..., Run]) -> Path:
    """The rule of the visits as a file."""
    path = visits.with_name("rule.json")
    assert nri("induce", visits, "--target", "flu", "--out", path, "--quiet").code == 0
    return path
