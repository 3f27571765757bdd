"""Exports read cells as the rule does: every spelling of a category, numbers as their column writes them."""

import sqlite3

import numpy as np
import pandas as pd

from nri import NRIClassifier

ANSWERS = ["yes", "YES", " yes", "no", "No", "maybe"]


def spelled_table(n: int = 120) -> tuple[pd.DataFrame, list[str]]:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"answer": rng.choice(ANSWERS, n), "size": rng.integers(0, 9, n)})
    return frame, ["ill" if cell.strip().lower() == "yes" else "well" for cell in frame["answer"]]


def test_sql_and_python_know_a_category_by_every_spelling_that_it_had():
    frame, labels = spelled_table()
    rules = NRIClassifier().fit(frame, labels).rule_
    said = rules.predict(frame).tolist()
    assert said == labels
    database = sqlite3.connect(":memory:")
    frame.to_sql("answers", database, index=False)
    assert [row[-1] for row in database.execute(rules.render("sql", table="answers"))] == said
    database.close()
    space: dict = {}
    exec(rules.render("python"), space)
    assert [space["predict"](row) for row in frame.to_dict("records")] == said


def test_python_reads_numbers_with_a_unit_and_a_decimal_comma_as_the_rule_does():
    weights = [f"{w // 10},{w % 10} kg" for w in range(20, 120)]
    frame = pd.DataFrame({"weight": weights})
    labels = np.where(np.arange(20, 120) > 70, "heavy", "light")
    rules = NRIClassifier().fit(frame, labels).rule_
    space: dict = {}
    exec(rules.render("python"), space)
    assert [space["predict"](row) for row in frame.to_dict("records")] == rules.predict(frame).tolist()


def test_python_takes_words_for_nothing_as_missing_where_the_rule_does():
    ages = [*map(str, range(20, 80)), "unknown", "n.a."]
    frame = pd.DataFrame({"age": ages}, dtype=object)
    labels = ["old" if age.isdigit() and int(age) > 50 else "young" for age in ages]
    rules = NRIClassifier().fit(frame, labels).rule_
    space: dict = {}
    exec(rules.render("python"), space)
    assert (
        [space["predict"](row) for row in frame.to_dict("records")] == rules.predict(frame).tolist() == labels
    )
