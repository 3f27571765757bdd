"""Imported first in the process all children come from: every numeric library gets one thread.

With one thread for every method the seconds compare, and a process for each core is no crowd.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[_name] = "1"
