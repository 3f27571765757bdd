"""Inducers: every way to find rules for an episode, by the name users give as ``model``.

To add one, write an object with ``induce`` and name it in :data:`INDUCERS`; it is built on first use, so
that what it needs (weights, a runtime) is loaded only when somebody asks for it. Weights of one's own are
named by their file, which ends in ``.onnx``.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Protocol

import numpy as np

from nri.arrays import IntArray
from nri.episode import Episode
from nri.errors import InputError
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.result import Induced
from nri.weights import SeededNetwork, checked_card

"""The model of users who name none."""
STABLE_LABEL_SHARE = 0.0
"""How far a labelled row speaks for itself in a steady rule; the usual one lets it by half."""
STABLE_PRICE = 1.4
"""Price of a bit of a steady rule, by that of the usual one."""


class Inducer(Protocol):
    """Finds rules in index space; it sees neither names nor the original table."""

    @property
    def sharpens(self) -> bool:
        """Whether cuts may move once its rule is known; the paper's is left as its network says it."""
        ...

    @property
    def reorders(self) -> bool:
        """Whether it is shown tables in canonical order; the paper's network sees a table as it is."""
        ...

    def induce(
        self,
        episode: Episode,
        groups: IntArray,
        limits: Limits,
        rng: np.random.Generator,
        positive: int | None,
    ) -> Induced:
        """Return rules for the classes of an episode.

        ``groups`` [N + F] are equal where variables and numbers come from one column. ``positive`` is, of two
        classes, the one that the rule must be about; None if the inducer may choose.
        """
        ...


class GreedyInducer:
    """The symbolic proposer and the selection by description length; it needs no network."""

    sharpens = True
    reorders = True

    def induce(
        self,
        episode: Episode,
        groups: IntArray,
        limits: Limits,
        rng: np.random.Generator,
        positive: int | None,
    ) -> Induced:
        """See :class:`Inducer`."""
        return induce(episode, rng=rng, limits=limits, positive=positive, groups=groups)


def _seeded() -> Inducer:
    from nri.seeded.model import SeededModel

    return SeededModel()


def _paper() -> Inducer:
    from nri.paper.model import PaperModel

    return PaperModel()


def _paper_tuned() -> Inducer:
    from nri.paper.model import tuned_paper_model

    return tuned_paper_model()


def _paper_feedback() -> Inducer:
    from nri.paper.model import feedback_model

    return feedback_model()


INDUCERS: dict[str, Callable[[], Inducer]] = {
    "seeded": _seeded,
    "greedy": GreedyInducer,
    "paper": _paper,
    "paper-tuned": _paper_tuned,
    "paper-feedback": _paper_feedback,
}
"""What makes the inducer of each name."""


def get_inducer(model: str | PathLike[str], *, stable: bool = False) -> Inducer:
    """Return the inducer of that name, or the one whose weights are in that file; or its stable variant.

    >>> get_inducer("magic")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    nri.errors.InputError: no model 'magic'; use one of 'seeded', 'greedy', ..., or a file NAME.onnx
    """
    name = fspath(model)
    if not name.endswith(".onnx"):
        inducer = _by_name(name)
    else:
        file = Path(name).absolute()
        # the checksum is that of the file now: weights written anew under the same name are loaded anew
        card = checked_card(file)
        inducer = _by_file(file, str(card["inducer"]), str(card["sha256"]))
    return _stable(inducer) if stable else inducer


@cache
def _by_name(name: str) -> Inducer:
    if name not in INDUCERS:
        known = ", ".join(map(repr, INDUCERS))
        raise InputError(f"no model {name!r}; use one of {known}, or a file NAME.onnx")
    return INDUCERS[name]()


@lru_cache(maxsize=4)
def _by_file(onnx_file: Path, kind: str, sha256: str) -> Inducer:
    """Load a network from a file that has been checked against its card."""
    if kind == "seeded":
        from nri.seeded.model import SeededModel

        return SeededModel(network=SeededNetwork(onnx_file))
    if kind.startswith("paper"):
        from nri.paper.model import PaperModel, PaperNetwork

        return PaperModel(PaperNetwork(onnx_file), reorders=kind == "paper-feedback")
    raise InputError(f"{onnx_file} holds the unknown network {kind!r}; this nri runs 'seeded' and 'paper'")


def _stable(model: Inducer) -> Inducer:
    """Return a model that looks for the rule that other rows would have given too.

    Of few rows each label pulls the rule its own way, and the rows of another day pull otherwise. What
    experts and network together believe moves less from draw to draw. So the stable rule is the best one
    under that belief alone: a labelled row counts as what is believed of it, as any plausible row does, and a
    condition must bring a little more. Where the labels tell their rule plainly, or are very many, it is the
    rule of labels as ever.

    Choosing by bootstrap samples among rules that are nearly as good was measured too, and gave rules that
    agree less (docs/log.md): rules of samples are longer and worse than that of the table.
    """
    from nri.seeded.model import SeededModel  # which loads what a network needs

    if not isinstance(model, SeededModel):
        raise InputError("stable is for the model 'seeded', which knows more than its rule; drop one of both")
    usual = model.config
    config = replace(usual, label_share=STABLE_LABEL_SHARE, price_share=STABLE_PRICE * usual.price_share)
    return SeededModel(config, model.network)
