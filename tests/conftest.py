"""One way of drawing examples for every property test."""

from hypothesis import HealthCheck, settings

# Timings depend on what else the machine does, so no deadline; the first example pays for imports.
settings.register_profile("nri", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("nri")
