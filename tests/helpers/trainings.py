"""Trainings of networks in tests that are about something else than how good the network becomes."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from effort import THOROUGH


@contextmanager
def judged_briefly() -> Iterator[None]:
    """Judge the paper's networks by one hidden rule of each kind: the same scores of a tenth of the rules."""
    from nri.paper.torch import training

    whole = training.deployed_suite
    with pytest.MonkeyPatch.context() as patch:
        if not THOROUGH:
            brief = lambda size: {name: rules[:1] for name, rules in whole(1).items()}  # noqa: E731
            patch.setattr(training, "deployed_suite", brief)
        yield
