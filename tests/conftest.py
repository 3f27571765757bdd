"""One way of drawing examples for every property test, and no processes beside those of the tests."""

import os

from effort import usually
from hypothesis import HealthCheck, settings

# The same examples on every machine by default: what passed here passes there. `make test-all` draws others.
# Timings depend on what else the machine does, so no deadline; the first example pays for imports.
settings.register_profile(
    "nri",
    deadline=None,
    max_examples=usually(15, 40),
    derandomize=usually(True, False),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("nri")

os.environ["NRI_JOBS"] = "1"  # folds of a slow test would else start processes that compete with other tests
