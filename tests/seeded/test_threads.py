"""What the model believes has the same digits on every number of threads."""

import os
import subprocess
import sys

CODE = """
import numpy as np
from nri import NRIClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(80, 6))
clf = NRIClassifier().fit(X, X[:, 0] + X[:, 1] * X[:, 2] > 0)
print(clf.posterior_proba(X).tobytes().hex())
"""


def test_the_posterior_has_the_same_digits_whatever_the_number_of_threads():
    """They differed by up to 1e-5: linear algebra and the network summed in the order of their threads."""
    outputs = set()
    for threads in ("1", "3"):
        env = os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=env
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
