"""Every promise of docs/limits.md names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_promise_names_a_test_that_exists():
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    tables = [part.strip() for part in page.split("| Promise | Held by |\n|---|---|\n")[1:]]
    rows = [line for table in tables for line in table.split("\n\n")[0].splitlines()]
    assert len(rows) > 25
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, f"no test is named: {row}"
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"
