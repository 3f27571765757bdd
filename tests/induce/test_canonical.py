import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.episode import Episode, make_episode
from nri.induce.classes import canonical
from nri.rule import Literal, Op


def meanings(n: int) -> tuple[Literal, ...]:
    variables = [Literal(f"v{i}", Op.EQ, True) for i in range(n)]
    return (*variables, *(variable.negate() for variable in variables))


def random_episode(seed: int, n_rows: int = 30, n_variables: int = 7) -> Episode:
    rng = np.random.default_rng(seed)
    shape = (n_rows, n_variables)
    return make_episode(
        rng.random(shape) < 0.5,
        rng.random(shape) < 0.9,
        rng.integers(0, 3, n_rows),
        rng.integers(1, 4, n_rows),
        n_classes=3,
    )


@settings(deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_shuffled_and_flipped_tables_have_one_canonical_form(seed):
    rng = np.random.default_rng(seed)
    episode = random_episode(seed)
    rows, order, flip = rng.permutation(30), rng.permutation(7), rng.random(7) < 0.5
    values, known = episode.values[rows][:, order], episode.known[rows][:, order]
    other = make_episode((values ^ flip) & known, known, episode.labels[rows], episode.weights[rows], 3)
    names = np.array(meanings(7), dtype=object)
    said = np.concatenate([np.where(flip, order + 7, order), np.where(flip, order, order + 7)])
    first = canonical(episode, meanings(7), np.arange(7))
    second = canonical(other, tuple(names[said]), np.arange(7))
    assert (first.episode.values == second.episode.values).all()
    assert (first.episode.known == second.episode.known).all()
    assert (first.episode.labels == second.episode.labels).all()
    assert first.literals == second.literals


def test_every_literal_keeps_its_meaning():
    episode = random_episode(4)
    view = canonical(episode, meanings(7), np.arange(7))
    for index, literal in enumerate(view.literals[:7]):
        cells = episode.values[:, int(literal.column[1:])] == literal.positive
        known = episode.known[:, int(literal.column[1:])]
        assert view.episode.known[:, index].sum() == known.sum()
        assert view.episode.values[:, index].sum() == (cells & known).sum()
        assert view.literals[index + 7] == literal.negate()


def test_thresholds_and_categories_are_never_flipped_and_keep_their_groups():
    variables = [Literal("age", Op.GT, 5), Literal("colour", Op.EQ, "red"), Literal("age", Op.GT, 9)]
    values = np.array([[1, 1, 1], [1, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=bool)
    episode = make_episode(values, labels=np.array([1, 1, 0, 0]))
    literals = (*variables, *(variable.negate() for variable in variables))
    view = canonical(episode, literals, np.array([0, 1, 0]))
    assert all(literal.positive for literal in view.literals[:3])
    by_column = {
        literal.column: {
            int(g)
            for other, g in zip(view.literals, view.groups, strict=False)
            if other.column == literal.column
        }
        for literal in view.literals[:3]
    }
    assert all(len(groups) == 1 for groups in by_column.values())
    assert by_column["age"] != by_column["colour"]
    assert view.groups[0] == 0


def test_the_more_telling_variable_comes_first_and_the_rarer_answer_is_positive():
    labels = np.array([1] * 5 + [0] * 15)
    noise = np.arange(20) % 2 == 0
    values = np.stack([noise, labels == 0], axis=1)
    view = canonical(make_episode(values, labels=labels), meanings(2), np.arange(2))
    assert view.literals[0] == Literal("v1", Op.NE, True)


def test_an_episode_without_variables_passes():
    view = canonical(make_episode(np.zeros((3, 0), bool)), (), np.zeros(0, np.int64))
    assert len(view.episode) == 3
    assert view.literals == ()
