"""Inducers: every way to find rules for an episode, by the name users give as ``model``.

To add one, write a class with ``induce`` and name it in :data:`INDUCERS`; it is built on first use, so that
what it needs (weights, a runtime) is loaded only then. Other weights are named by their file, which ends in
``.onnx``.
"""

from functools import cache
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path

from nri.errors import InputError
from nri.induce.variants import in_file, stable_variant
from nri.search.result import Inducer

INDUCERS = {
    "seeded": "nri.seeded.model.SeededModel",
    "greedy": "nri.induce.variants.GreedyInducer",
    "paper": "nri.paper.model.PaperModel",
    "paper-tuned": "nri.paper.model.tuned_paper_model",
    "paper-feedback": "nri.paper.model.feedback_model",
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
    inducer = in_file(Path(name).absolute()) if name.endswith(".onnx") else _by_name(name)
    return stable_variant(inducer) if stable else inducer


@cache
def _by_name(name: str) -> Inducer:
    if name not in INDUCERS:
        known = ", ".join(map(repr, INDUCERS))
        raise InputError(f"no model {name!r}; use one of {known}, or a file NAME.onnx")
    module, _, made_by = INDUCERS[name].rpartition(".")
    inducer: Inducer = getattr(import_module(module), made_by)()
    return inducer
