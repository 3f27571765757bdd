"""One definition of firing and of deciding: every fast variant says what the plain one says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_strategies import counted
from search_problems import episodes

from nri.episode import literal_truth
from nri.paper.model import count
from nri.rule import Clause, Dnf, Literal, Op, Rule, clause_matrix, column_of
from nri.rule.truth import deciding_order, first_to_fire
from nri.search.candidates import clause_truth
from nri.search.limits import Limits


def plainly(literals, clauses):
    """[C, M]: a clause fires where all of its literals are known to hold."""
    return np.array([[all(row[j] for j in clause) for row in literals] for clause in clauses]).reshape(
        len(clauses), len(literals)
    )


def by_symbols(episode, clauses):
    columns = {
        f"x{i}": column_of([bool(v) if k else None for v, k in zip(values, known, strict=True)])
        for i, (values, known) in enumerate(zip(episode.values.T, episode.known.T, strict=True))
    }
    return clause_matrix(
        [in_symbols(clause, episode.n_variables) for clause in clauses], columns, len(episode)
    ).T


def in_symbols(clause, n_variables):
    return Clause(Literal(f"x{j % n_variables}", Op.EQ if j < n_variables else Op.NE, True) for j in clause)


def by_bitsets(episode, clauses):
    return clause_truth(literal_truth(episode.values, episode.known), clauses)


@st.composite
def episodes_and_clauses(draw):
    episode = draw(episodes())
    literal = st.integers(0, 2 * episode.n_variables - 1)
    clauses = draw(st.lists(st.lists(literal, max_size=4, unique=True), min_size=1, max_size=6))
    return episode, [tuple(sorted(clause)) for clause in clauses]


@pytest.mark.parametrize("variant", [by_symbols, by_bitsets])
@given(case=episodes_and_clauses())
def test_every_way_to_fire_is_the_plain_one(variant, case):
    episode, clauses = case
    literals = literal_truth(episode.values, episode.known)
    assert (variant(episode, clauses) == plainly(literals, clauses)).all()


@given(case=episodes_and_clauses(), seed=st.integers(0, 99))
def test_clauses_in_the_order_of_their_precision_decide_rows_as_the_rule_set_that_ships_does(case, seed):
    """They were written twice: change one, and the search would have optimised another predictor."""
    episode, clauses = case
    rng = np.random.default_rng(seed)
    shares = rng.integers(0, episode.n_classes, len(clauses))
    rules = tuple(
        tuple(dict.fromkeys(c for c, owner in zip(clauses, shares, strict=True) if owner == k))
        for k in range(episode.n_classes)
    )
    searched = count(episode, list(rules), Limits())
    shipped = as_ruleset(episode, rules, searched.default)
    columns = {
        f"x{i}": column_of([bool(v) if k else None for v, k in zip(values, known, strict=True)])
        for i, (values, known) in enumerate(zip(episode.values.T, episode.known.T, strict=True))
    }
    said = shipped.predict_index(columns, len(episode))
    assert (searched.predict(episode.values, episode.known) == said).all()


def as_ruleset(episode, rules, default) -> Rule:
    columns = {
        f"x{i}": column_of([bool(v) if k else None for v, k in zip(values, known, strict=True)])
        for i, (values, known) in enumerate(zip(episode.values.T, episode.known.T, strict=True))
    }
    weights = np.eye(episode.n_classes)[episode.labels] * episode.weights[:, None]
    symbols = {k: Dnf(in_symbols(c, episode.n_variables) for c in rule) for k, rule in enumerate(rules)}
    return counted("y", range(episode.n_classes), symbols, columns, weights, default=default)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 3)), max_size=8), st.integers(0, 5))
def test_who_goes_first_is_settled_by_precision_then_class_then_reading(clauses, n_rows):
    precision = np.array([p for p, _ in clauses])
    classes = np.array([c for _, c in clauses], dtype=np.int64)
    order = deciding_order(precision, classes).tolist()
    assert order == sorted(range(len(clauses)), key=lambda i: (-round(precision[i], 9), classes[i], i))
    assert first_to_fire(np.zeros((n_rows, len(clauses)), bool)).tolist() == [len(clauses)] * n_rows
