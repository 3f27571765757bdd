"""One table gives one rule, whatever the processor that adds its numbers up."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.search.rows import exact_in_sums

# Of severity, two orders of branches are equally good; of wine many clauses are. Each kind of processor chose
# others of them, since the last digits of its sums differ.
_RULES = """
import sys
sys.path.insert(0, sys.argv[1])
import golden
for name in ("severity", "wine", "died-compared", "bill"):
    result = golden.computed(golden.BY_NAME[name])
    print(name, result["rule"], result["json"], result.get("probabilities"))
"""


def rules_on(processor: str) -> str:
    """Return the rules that a kind of processor finds: OpenBLAS has code for each and takes the named one."""
    folder = Path(__file__).parents[1] / "golden"
    done = subprocess.run(
        [sys.executable, "-c", _RULES, str(folder)],
        env={**os.environ, "OPENBLAS_CORETYPE": processor},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the names are those of x86 processors")
def test_processors_find_the_same_rules():
    old, new = rules_on("Prescott"), rules_on("Haswell")
    assert old.count("\n") == 4
    assert old == new


@given(seed=st.integers(0, 1000), rows=st.integers(1, 2000), weight=st.floats(1e-3, 1e6))
@settings(max_examples=50)
def test_sums_of_masses_do_not_depend_on_their_order(seed, rows, weight):
    rng = np.random.default_rng(seed)
    masses = exact_in_sums(weight * rng.dirichlet([1, 1, 1], rows))
    sums = {
        float(order.astype(np.float32).sum()) for order in (rng.permutation(masses[:, 0]) for _ in range(5))
    }
    assert sums == {float(masses[:, 0].sum())}
    assert np.abs(masses.sum() / (weight * rows) - 1) < 1e-3
