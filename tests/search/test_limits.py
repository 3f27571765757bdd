import pytest

from nri.errors import InputError
from nri.search.limits import Limits


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_clauses", 0), ("max_literals", 0), ("min_precision", 1.5), ("min_precision", -0.1)],
)
def test_impossible_limits_are_refused_by_name(name, value):
    with pytest.raises(InputError, match=rf"{name} is {value}.*use"):
        Limits(**{name: value})


def test_no_negations_leaves_the_plain_literals():
    assert Limits(negations=False).literal_mask(2).tolist() == [True, True, False, False]
