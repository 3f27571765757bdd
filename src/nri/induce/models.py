"""Inducers: every way to find rules for an episode, by the name users give as ``model``.

To add one, write an object with ``induce`` and name it in :data:`INDUCERS`; it is built on first use, so
that what it needs (weights, a runtime) is loaded only when somebody asks for it.
"""

from collections.abc import Callable
from functools import cache
from typing import Protocol

import numpy as np

from nri.episode import Episode, IntArray
from nri.errors import InputError
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.result import Induced

DEFAULT = "seeded"
"""The model of users who name none."""


class Inducer(Protocol):
    """Finds rules in index space; it sees neither names nor the original table."""

    def induce(
        self,
        episode: Episode,
        groups: IntArray,
        limits: Limits,
        rng: np.random.Generator,
        positive: int | None,
    ) -> Induced:
        """Return rules for the classes of an episode.

        Parameters
        ----------
        episode
            Table, labels and weights.
        groups
            [N], equal where variables come from one column (thresholds of a number, values of a category).
        limits
            Bounds on the rules.
        rng
            The only source of chance.
        positive
            For two classes, the one the rule must speak about; None if the inducer may choose.
        """
        ...


class GreedyInducer:
    """The symbolic proposer and the selection by description length; it needs no network."""

    def induce(
        self,
        episode: Episode,
        groups: IntArray,
        limits: Limits,
        rng: np.random.Generator,
        positive: int | None,
    ) -> Induced:
        """See :class:`Inducer`."""
        return induce(episode, rng=rng, limits=limits, positive=positive)


def _seeded() -> Inducer:
    from nri.seeded.model import SeededModel

    return SeededModel()


def _paper() -> Inducer:
    from nri.paper.model import PaperModel

    return PaperModel()


def _paper_tuned() -> Inducer:
    from nri.paper.model import tuned_paper_model

    return tuned_paper_model()


INDUCERS: dict[str, Callable[[], Inducer]] = {
    "seeded": _seeded,
    "greedy": GreedyInducer,
    "paper": _paper,
    "paper-tuned": _paper_tuned,
}
"""What makes the inducer of each name."""


@cache
def get_inducer(name: str) -> Inducer:
    """Return the inducer of that name.

    >>> get_inducer("magic")
    Traceback (most recent call last):
        ...
    nri.errors.InputError: no model 'magic'; use one of 'seeded', 'greedy', 'paper', 'paper-tuned'
    """
    if name not in INDUCERS:
        raise InputError(f"no model {name!r}; use one of {', '.join(map(repr, INDUCERS))}")
    return INDUCERS[name]()
