"""What importing us does not import: the installed product needs neither torch nor a plotting library."""

import subprocess
import sys

import pytest

HEAVY = "torch onnxruntime matplotlib xgboost lightgbm"


def loaded_after(statement: str, wanted: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*(set({wanted.split()!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_nri_imports_nothing_heavy():
    assert loaded_after("import nri", f"{HEAVY} pandas sklearn numpy") == set()


def test_the_estimator_needs_neither_torch_nor_a_plotting_library():
    assert loaded_after("from nri import NRIClassifier", HEAVY) == set()


def test_the_command_line_starts_without_pandas_and_scikit_learn():
    assert loaded_after("import nri.cli.app", f"{HEAVY} pandas sklearn numpy") == set()


def test_inducing_from_the_command_line_does_without_scikit_learn():
    assert loaded_after("import nri.induce.path, nri.cli.files", f"{HEAVY} sklearn") == set()


def test_a_heavy_import_would_be_noticed():
    assert loaded_after("import sklearn", "sklearn torch") == {"sklearn"}


def test_an_unknown_name_is_an_attribute_error():
    import nri

    with pytest.raises(AttributeError, match="no attribute 'NRIRegressor'"):
        _ = nri.NRIRegressor
    assert nri.__version__.count(".") == 2
