"""Neural Rule Inducer: a table goes in, a rule that a person can read comes out.

>>> from nri import NRIClassifier
>>> clf = NRIClassifier().fit([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, ["no", "yes", "no", "no"] * 5)
>>> print(clf.rules_)
IF  (x0 AND x1)     precision 1.00   covers 5 of 20
THEN y = yes        ELSE no
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.estimator import NRIClassifier

__all__ = ["NRIClassifier", "__version__"]


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for: the command line needs no scikit-learn to start."""
    if name == "NRIClassifier":
        from nri.estimator import NRIClassifier

        return NRIClassifier
    if name == "__version__":
        from importlib.metadata import version

        return version("nri")
    raise AttributeError(f"module 'nri' has no attribute {name!r}")
