import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def _one_thread():
    """As in the benchmark's own processes; small fits are slower with more."""
    with threadpool_limits(1):
        yield
