"""The notebooks run, print what they show, and hold no path of the machine that ran them."""

import json

import matplotlib
import pytest
from notebooks import NOTEBOOKS, notebooks, run_as_script

matplotlib.use("Agg")


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS)
    for printed, shown in run_as_script(path):
        assert printed.strip() == shown.strip(), "run `make docs` if the new output is right"


def test_there_are_five_and_each_is_executed_and_small():
    assert [path.stem for path in notebooks()] == [
        "clinic",
        "error_slices",
        "paper",
        "policy_to_sql",
        "research",
    ]
    for path in notebooks():
        text = path.read_text(encoding="utf-8")
        assert len(text) < 120_000
        assert "site-packages" not in text
        code = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        assert all(cell["execution_count"] for cell in code)
