"""Every promise of docs/limits.md names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_promise_names_a_test_that_exists():
    page = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and "Held by" not in line]
    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row)
        assert named, f"no test is named: {row}"
        for file, test in named:
            assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {test}"
