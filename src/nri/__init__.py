"""Neural Rule Inducer: a table goes in, a rule that a person can read comes out.

>>> from nri import NRIClassifier
>>> clf = NRIClassifier().fit([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, ["no", "yes", "no", "no"] * 5)
>>> print(clf.rules_)
IF  (x0 AND x1)     precision 1.00   covers 5 of 20
THEN y = yes        ELSE no
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.errors import InputError, NRIError
    from nri.estimator import NRIClassifier
    from nri.networks import export_weights, train_network
    from nri.table.binarizer import binarize

__all__ = [
    "InputError",
    "NRIClassifier",
    "NRIError",
    "__version__",
    "binarize",
    "export_weights",
    "train_network",
]

_PLACES = {
    "InputError": "nri.errors",
    "NRIClassifier": "nri.estimator",
    "NRIError": "nri.errors",
    "binarize": "nri.table.binarizer",
    "export_weights": "nri.networks",
    "train_network": "nri.networks",
}
"""The module of each name; it is loaded when the name is asked for: the command line needs none of them."""


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("nri")
    if name not in _PLACES:
        raise AttributeError(f"module 'nri' has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(_PLACES[name]), name)
    except ModuleNotFoundError as error:
        if _PLACES[name] != "nri.networks":
            raise
        raise ImportError(f"nri.{name} needs {error.name}; run: pip install 'nri[train]'") from error
