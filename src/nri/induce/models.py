"""Inducers: every way to find rules for an episode, by the name users give as ``model``.

To add one, write a class with the members of :class:`nri.search.result.Inducer` and name it in
:data:`INDUCERS`; it is built on first use, so that what it needs (weights, a runtime) is loaded only then.
Other weights are named by their file, which ends in ``.onnx``.
"""

from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

import numpy as np

from nri.arrays import IntArray
from nri.episode import Episode
from nri.errors import InputError
from nri.search.greedy import induce, without_copies
from nri.search.limits import Limits
from nri.search.result import Induced, Inducer
from nri.weights import SeededNetwork, checked_card

INDUCERS = {
    "seeded": "nri.seeded.model.SeededModel",
    "greedy": "nri.induce.models.GreedyInducer",
    "paper": "nri.paper.model.PaperModel",
    "paper-tuned": "nri.paper.model.tuned_paper_model",
    "paper-feedback": "nri.paper.model.feedback_model",
}
"""What makes the inducer of each name."""
STABLE_LABEL_SHARE = 0.0
"""How much of a labelled row's vote in a stable rule is its own label; in the usual rule it is half."""
STABLE_PRICE = 3.0  # Price of a bit of a stable rule, by that of the usual one.


def get_inducer(model: str | PathLike[str], *, stable: bool = False) -> Inducer:
    """Return the inducer of that name, or the one whose weights are in that file; or its stable variant.

    >>> get_inducer("magic")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    nri.errors.InputError: no model 'magic'; use one of 'seeded', 'greedy', ..., or a file NAME.onnx
    """
    name = fspath(model)
    if name.endswith(".onnx"):
        # the checksum is that of the file now: weights written anew under the same name are loaded anew
        file = Path(name).absolute()
        card = checked_card(file)
        inducer = _in_file(file, str(card["inducer"]), str(card["sha256"]))
    else:
        inducer = _by_name(name)
    return _stable_variant(inducer) if stable else inducer


@cache
def _by_name(name: str) -> Inducer:
    if name not in INDUCERS:
        known = ", ".join(map(repr, INDUCERS))
        raise InputError(f"no model {name!r}; use one of {known}, or a file NAME.onnx")
    module, _, made_by = INDUCERS[name].rpartition(".")
    inducer: Inducer = getattr(import_module(module), made_by)()
    return inducer


@lru_cache(maxsize=4)
def _in_file(file: Path, kind: str, sha256: str) -> Inducer:
    """Load a network from a file that has been checked against its card."""
    if kind == "seeded":
        from nri.seeded.model import SeededModel

        return SeededModel(network=SeededNetwork(file))
    if kind.startswith("paper"):
        from nri.paper.model import PaperModel, PaperNetwork

        return PaperModel(PaperNetwork(file), reorders=kind == "paper-feedback")
    raise InputError(f"{file} holds the unknown network {kind!r}; this nri runs 'seeded' and 'paper'")


def _stable_variant(model: Inducer) -> Inducer:
    """Return a model that looks for the rule that other rows would have given too."""
    # Each of few labels pulls the rule its own way; what experts and network believe together moves less. So
    # the stable rule is the best one under that belief alone, and a condition must bring a little more.
    # Choosing among the rules of bootstrap samples gave rules that agree less (docs/log.md).
    from nri.seeded.model import SeededModel  # which loads what a network needs

    if not isinstance(model, SeededModel):
        raise InputError("stable is for the model 'seeded', which knows more than its rule; drop one of both")
    price = STABLE_PRICE * model.config.price_share
    config = replace(model.config, label_share=STABLE_LABEL_SHARE, price_share=price, rules_decide=1.0)
    return SeededModel(config, model.network)


class GreedyInducer:
    """The symbolic proposer and the selection by description length; it needs no network."""

    sharpens = True
    reorders = True

    def induce(self, episode: Episode, groups: IntArray, limits: Limits, rng: np.random.Generator) -> Induced:
        """See :class:`nri.search.result.Inducer`."""
        return induce(episode, rng=rng, limits=without_copies(limits, episode), groups=groups)
