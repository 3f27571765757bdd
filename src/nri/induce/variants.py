"""Inducers beside the usual one: without a network, with weights in a file, and for stable rules."""

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from nri.arrays import IntArray
from nri.episode import Episode
from nri.errors import InputError
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.result import Induced, Inducer
from nri.weights import SeededNetwork, checked_card

STABLE_LABEL_SHARE = 0.0
"""How much of a labelled row's vote in a stable rule is its own label; in the usual rule it is half."""
STABLE_PRICE = 3.0  # Price of a bit of a stable rule, by that of the usual one.


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
        """See :class:`nri.search.result.Inducer`."""
        return induce(episode, rng=rng, limits=limits, positive=positive, groups=groups)


def in_file(file: Path) -> Inducer:
    """Return the inducer whose weights are in a file."""
    # the checksum is that of the file now: weights written anew under the same name are loaded anew
    card = checked_card(file)
    return _loaded(file, str(card["inducer"]), str(card["sha256"]))


@lru_cache(maxsize=4)
def _loaded(file: Path, kind: str, sha256: str) -> Inducer:
    """Load a network from a file that has been checked against its card."""
    if kind == "seeded":
        from nri.seeded.model import SeededModel

        return SeededModel(network=SeededNetwork(file))
    if kind.startswith("paper"):
        from nri.paper.model import PaperModel, PaperNetwork

        return PaperModel(PaperNetwork(file), reorders=kind == "paper-feedback")
    raise InputError(f"{file} holds the unknown network {kind!r}; this nri runs 'seeded' and 'paper'")


def stable_variant(model: Any) -> Inducer:
    """Return a model that looks for the rule that other rows would have given too.

    Each of few labels pulls the rule its own way; what experts and network believe together moves less. So
    the stable rule is the best one under that belief alone, and a condition must bring a little more.
    Choosing among the rules of bootstrap samples gave rules that agree less (docs/log.md).
    """
    from nri.seeded.model import SeededModel  # which loads what a network needs

    if not isinstance(model, SeededModel):
        raise InputError("stable is for the model 'seeded', which knows more than its rule; drop one of both")
    usual = model.config
    price_share = STABLE_PRICE * usual.price_share
    config = replace(usual, label_share=STABLE_LABEL_SHARE, price_share=price_share, rules_decide=1.0)
    return SeededModel(config, model.network)
