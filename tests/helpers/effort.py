"""How long the tests look: briefly by default, in full with NRI_THOROUGH=1 (``make test-all``)."""

import os
from typing import TypeVar

THOROUGH = bool(os.environ.get("NRI_THOROUGH"))
T = TypeVar("T")


def usually(brief: T, full: T) -> T:
    """Return what is enough to see a promise broken, or the full amount where that was asked for."""
    return full if THOROUGH else brief
