"""Every script of the cookbook runs as it is, and says what it is for."""

import re
import runpy
from pathlib import Path

import pytest

COOKBOOK = Path(__file__).parents[2] / "docs" / "cookbook"
SCRIPTS = sorted(path for path in COOKBOOK.glob("*.py") if path.name != "visits.py")

EXPECTED = {
    "classes": "y = setosa",
    "clinic": "sensitivity: 0.",
    "compare": "age > 65 AND chills = yes -> age > 60 AND chills = yes",
    "dynamics": "0 fixed points, cycles of [2, 6] states",
    "excel": "rows: 300 columns: fever, cough, chills, age, ward",
    "first_rule": "because: age > 60 AND chills = yes => yes",
    "missing": "lacks pressure > 3 (it is unknown)",
    "price": 'THEN "rent > 900" = true',
    "report": "wrote report.html",
    "segments": "explains 9",
    "slices": "chills = yes",
    "stability": "cough = yes AND fever = yes: same conditions in",
    "surrogate": "THEN prediction = yes",
    "survey_weights": "760 of 760 rows (weighted)",
    "survival": "concordance on new rows: 0.6",
    "to_sql": "same as predict: True",
    "tuning": "clauses: 2",
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_runs_and_prints_its_answer(script: Path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(COOKBOOK)  # as Python does for a script
    runpy.run_path(str(script), run_name="__main__")
    assert EXPECTED[script.stem] in capsys.readouterr().out


def test_the_list_of_scripts_is_whole():
    listed = re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\)", (COOKBOOK / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == [script.stem for script in SCRIPTS] == sorted(EXPECTED)
