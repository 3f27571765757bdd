"""Rules, their forms, predictions, cross-validated numbers and messages are what they were; see golden.py."""

import difflib
from typing import Any

import golden
import pytest

import nri


@pytest.mark.parametrize("case", golden.CASES, ids=lambda case: case.name)
def test_a_case_gives_what_is_frozen(case: golden.Case) -> None:
    was, now = golden.frozen(case), golden.computed(case)
    changed = [key for key in golden.KEYS if not golden.is_close(was.get(key), now.get(key))]
    assert not changed, "\n".join(
        [f"{case.name}: {', '.join(changed)} changed", *(_difference(key, was, now) for key in changed)]
    )


def test_every_frozen_file_has_its_case() -> None:
    assert {file.stem for file in golden.CASES_FOLDER.glob("*.json")} == set(golden.BY_NAME)


@pytest.mark.parametrize("name", golden.OLDER)
def test_an_older_rule_file_predicts_the_same(name: str) -> None:
    file, rows, expected = golden.older(name)
    predicted = golden.predictions(nri.read_rule(file), rows)
    assert {key: predicted.get(key) for key in expected} == expected


def _difference(key: str, was: dict[str, Any], now: dict[str, Any]) -> str:
    before, after = (golden.dumped(content.get(key)).splitlines() for content in (was, now))
    return "\n".join(difflib.unified_diff(before, after, f"{key} (frozen)", f"{key} (now)", n=2, lineterm=""))
