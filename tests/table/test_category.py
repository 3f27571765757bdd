"""Texts that are names of things: one thing however its name is spelled."""

import io

import pandas as pd
import pytest

from nri import NRIClassifier, read_table
from nri.rule import from_json
from nri.table import read_columns, table_of
from nri.table.codes import ReadOptions


def test_spellings_of_a_word_are_one_category_with_a_note(caplog: pytest.LogCaptureFixture) -> None:
    """``yes``, ``YES`` and `` yes`` were three categories, of which a rule named one."""
    table = table_of(
        {"smoker": ["yes", "YES", " yes", "no", "yes", "No", "no", "no"], "sex": ["f", "F", "m", "f"] * 2}
    )
    assert table.columns["smoker"].categories == ("no", "yes")
    assert table.columns["sex"].texts.tolist() == ["f", "f", "m", "f"] * 2
    alike = "texts that differ only in case or blanks are read as one"
    assert [str(note) for note in table.notes] == [
        f"smoker: {alike}: ' yes' as 'yes', 'No' as 'no', 'YES' as 'yes'",
        f"sex: {alike}: 'F' as 'f'",
    ]
    assert caplog.messages == [str(note) for note in table.notes]


def test_the_most_frequent_spelling_is_used_and_blanks_inside_count_as_one() -> None:
    table = table_of({"place": ["AT HOME", "At  home", "AT HOME", "away", "away", "Away"]})
    assert table.columns["place"].texts.tolist() == ["AT HOME"] * 3 + ["away"] * 3


def test_capitals_within_words_tell_frequent_things_apart() -> None:
    """Eleven vowels, among them hAd and had, were read as six."""
    table = table_of({"vowel": ["hAd", "had", "hEd", "hed"] * 5})
    assert table.columns["vowel"].categories == ("hAd", "hEd", "had", "hed")
    shouted = table_of({"answer": ["yes", "YES", "no", "No"] * 5})
    assert shouted.columns["answer"].categories is not None
    assert len(shouted.columns["answer"].categories) == 2


def test_spellings_that_are_all_frequent_are_kept_apart_and_rare_ones_joined() -> None:
    """MS, ms and Ms were one value, and the column had nothing to tell."""
    table = table_of({"unit": ["MS", "ms"] * 20, "city": ["Bonn"] * 20 + ["Ulm"] * 18 + ["ULM", "bonn"]})
    assert table.columns["unit"].categories == ("MS", "ms")
    assert table.columns["city"].categories == ("Bonn", "Ulm")
    assert "'MS' and 'ms' differ in case only and are both frequent, so they are kept apart" in str(
        table.notes
    )


def test_spellings_are_kept_apart_where_somebody_says_so() -> None:
    cells = {"gene": ["abc", "ABC", "abc", "ABC"] * 3}
    table = table_of(cells, ReadOptions(exact=True))
    assert table.columns["gene"].categories == ("ABC", "abc")
    assert table.notes == ()
    text = "gene,x\n" + "abc,1\nABC,2\n" * 4
    exact = read_table(io.StringIO(text), exact_text=True)
    assert exact.columns["gene"].categories == ("ABC", "abc")
    assert read_table(io.StringIO(text)).columns["gene"].categories == ("abc",)
    clf = NRIClassifier(model="greedy", exact_text=True).fit(pd.DataFrame(cells), [0, 1] * 6)
    assert clf.predict(pd.DataFrame({"gene": ["abc", "ABC"]})).tolist() == [0, 1]


def test_names_that_hardly_come_again_are_told_apart_by_case() -> None:
    codes = ["aX1", "AX1", "bY2", "c3", "d4", "e5"]
    assert table_of({"code": codes}).columns["code"].texts.tolist() == codes


def test_a_rule_knows_a_category_in_a_spelling_that_it_never_saw(caplog: pytest.LogCaptureFixture) -> None:
    frame = pd.DataFrame({"smoker": ["yes", "YES", "no", "yes"] * 5})
    clf = NRIClassifier(model="greedy").fit(frame, ["ill", "ill", "well", "ill"] * 5)
    caplog.clear()
    new = pd.DataFrame({"smoker": ["Yes ", "YES", "NO", "perhaps"]})
    for rules in (clf.rule_, from_json(clf.rule_.render("json"))):
        assert rules.predict(new).tolist()[:3] == ["ill", "ill", "well"]
    assert (
        caplog.messages
        == [  # YES was told of when the rule was made
            "smoker: texts that differ only in case or blanks are read as one: 'NO' as 'no', 'Yes ' as 'yes'"
        ]
        * 2
    )


def test_numbers_where_categories_are_expected_are_their_texts() -> None:
    plans = table_of({"doors": ["2", "4", "5"] * 3}).plans
    assert read_columns({"doors": [2, 4.0, None]}, plans)["doors"].texts.tolist() == ["2", "4", None]


@pytest.mark.parametrize("times", [1, 2])
def test_every_table_with_spellings_is_told_about(times: int, caplog: pytest.LogCaptureFixture) -> None:
    for _ in range(times):
        table_of({"sex": ["f", "F", "m"] * 4})
    assert len(caplog.messages) == times
