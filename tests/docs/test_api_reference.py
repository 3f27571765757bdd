from api_reference import MODULES, PLACE, reference


def test_the_reference_is_what_the_docstrings_say():
    assert PLACE.read_text(encoding="utf-8") == reference(), "run `make docs` to renew it"


def test_every_public_task_is_in_the_reference():
    import nri.report
    import nri.tasks

    told = {name for names in MODULES.values() for name in names}
    assert set(nri.tasks.__all__) <= told
    assert set(nri.report.__all__) <= told | {"steps_of"}
