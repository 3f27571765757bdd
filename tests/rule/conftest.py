"""Make the strategies of this folder importable by its tests."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

# Timings depend on what else the machine does, so no deadline; the first example pays for imports.
settings.register_profile(
    "rule", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("rule")
