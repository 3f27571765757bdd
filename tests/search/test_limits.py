import numpy as np
import pytest

from nri.errors import InputError
from nri.induce.settings import Settings
from nri.search.limits import Limits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_clauses", 0),
        ("max_branches", -1),
        ("max_literals", 0),
        ("min_precision", 1.5),
        ("min_precision", -0.1),
    ],
)
def test_impossible_limits_are_refused_by_name(name, value):
    where = Limits if name == "min_precision" else Settings
    with pytest.raises(InputError, match=rf"{name} is {value}.*use"):
        where(**{name: value})


def test_every_literal_may_be_used_unless_some_are_allowed():
    allowed = np.array([True, True, False, False])
    assert Limits().literal_mask(2).all()
    assert Limits(allowed=allowed).literal_mask(2).tolist() == allowed.tolist()
