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
    """It took a second to import, two fifths of what a rule for a small table took in all."""
    inducing = """
from contextlib import redirect_stdout, suppress
from io import StringIO
from nri.cli.app import main
with redirect_stdout(StringIO()), suppress(SystemExit):
    main(["induce", "docs/examples/visits.csv", "--target", "flu", "--quiet"])
"""
    assert loaded_after(inducing, "torch matplotlib xgboost lightgbm sklearn scipy.stats") == set()


def test_the_list_of_commands_is_told_without_loading_those_of_other_packages():
    listing = """
from contextlib import redirect_stdout
from io import StringIO
from nri.cli.app import main
said = StringIO()
try:
    with redirect_stdout(said):
        main(["--help"])
except SystemExit:
    assert "bench" in said.getvalue()
"""
    assert loaded_after(listing, f"{HEAVY} pandas sklearn numpy nri_bench") == set()


def test_a_heavy_import_would_be_noticed():
    assert loaded_after("import sklearn", "sklearn torch") == {"sklearn"}


def test_an_unknown_name_is_an_attribute_error():
    import nri

    with pytest.raises(AttributeError, match="no attribute 'NRIForest'"):
        _ = nri.NRIForest
    assert nri.__version__.count(".") == 2


def test_every_public_name_is_there():
    import nri

    assert all(getattr(nri, name) is not None for name in nri.__all__)


def test_what_trains_says_which_extra_it_needs():
    code = "import sys; sys.modules['torch'] = None; import nri; nri.train_network"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: nri.train_network needs torch; run: pip install 'nri[train]'" in done.stderr
