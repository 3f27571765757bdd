import math

import clingo
from hypothesis import given
from hypothesis import strategies as st

from nri.rule import Literal, Op, column_of, literal_truth
from nri.rule.render.as_logic import NumberCode

numbers = st.one_of(
    st.integers(-20, 20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-100, 100, places=3).map(float),
    st.sampled_from(
        [0.1, math.nextafter(0.1, 1), math.nextafter(0.1, 0), 999_999_999, 10**9, -(10**9), 3e9, 5e-324]
    ),
)
literals = st.builds(Literal, st.just("x"), st.sampled_from(list(Op)), numbers)


@given(st.lists(literals, min_size=1, max_size=4), st.lists(numbers, min_size=1, max_size=4))
def test_coded_numbers_compare_as_the_numbers_do(literals, extra):
    """Cells: the thresholds, their float neighbours, other numbers and the infinities."""
    values = [float(literal.value) for literal in literals]
    around = [math.nextafter(v, to) for v in values for to in (-math.inf, math.inf)]
    cells = [*values, *around, *map(float, extra), math.inf, -math.inf]
    code = NumberCode(literals)
    program = "".join(f"cell({i},{code.term(cell)}).\n" for i, cell in enumerate(cells))
    for j, literal in enumerate(literals):
        program += f"holds(I,{j}) :- cell(I,V), V {literal.op} {code.term(literal.value)}.\n"
    control = clingo.Control(["--warn=none"])
    control.add("base", [], program)
    control.ground([("base", [])])
    holds = {
        (atom.symbol.arguments[0].number, atom.symbol.arguments[1].number)
        for atom in control.symbolic_atoms.by_signature("holds", 2)
    }
    columns = {"x": column_of(cells)}
    for j, literal in enumerate(literals):
        expected = literal_truth(literal, columns)[0]
        assert [(i, j) in holds for i in range(len(cells))] == expected.tolist()


def test_small_whole_numbers_stay_as_they_are():
    code = NumberCode([Literal("age", Op.GT, 61)])
    assert (code.term(61), code.term(60.5), code.about) == ("61", "61", "")
    category = NumberCode([Literal("zone", Op.EQ, 2)])
    assert (category.term(2.0), category.term(2.5), category.about) == ("2", '"2.5"', "")


def test_cells_beyond_the_largest_code_stay_beyond_every_threshold():
    """Cells that are too large for clingo take the last code, which no threshold may have."""
    for threshold in (999_999_998, 999_999_999, 1_000_000_000):
        code = NumberCode([Literal("x", Op.GT, threshold)])
        assert code.term(math.inf) != code.term(threshold)
        assert code.term(-math.inf) != code.term(-threshold)


def test_decimals_are_scaled_and_long_numbers_grouped():
    assert NumberCode([Literal("x", Op.GT, 0.25)]).term(1.5) == "150"
    assert NumberCode([Literal("x", Op.GT, 0.25)]).about == "numbers times 10^2"
    wide = NumberCode([Literal("x", Op.GT, 3_000_000_000)])
    assert wide.term(3_000_000_001) == "(3,1)"
    assert wide.term(-1) == "(-1,999999999)"
    assert wide.about == "numbers times 10^0, as 2 groups of 9 digits"
