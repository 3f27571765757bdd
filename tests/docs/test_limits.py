"""Every promise of docs/limits.md and SECURITY.md names a test that exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADS = {"docs/limits.md": "| Promise | Held by |", "SECURITY.md": "| Who | What is tried |"}


@pytest.mark.parametrize(("page", "least"), [("docs/limits.md", 25), ("SECURITY.md", 10)])
def test_each_promise_names_a_test_that_exists(page, least):
    text = (ROOT / page).read_text(encoding="utf-8")
    tables = [part.partition("\n\n")[0].splitlines()[2:] for part in text.split(f"\n{HEADS[page]}")[1:]]
    rows = [row for table in tables for row in table]
    assert len(rows) >= least
    for row in rows:
        assert "`tests/" in row, f"no test is named: {row}"
    for file, test in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text):
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"
