from api_reference import PLACE, reference

import nri


def test_the_reference_is_what_the_docstrings_say():
    assert PLACE.read_text(encoding="utf-8") == reference(), "run `make docs` to renew it"


def test_the_reference_tells_of_every_public_name_and_each_can_be_imported():
    assert set(nri.__all__) - {"__version__"} == set(nri._PLACES)
    names = reference().split("## What they take and return")[0]
    for name in nri._PLACES:
        assert f"`{name}" in names
        assert getattr(nri, name).__doc__
