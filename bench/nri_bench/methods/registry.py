"""One list of all methods: plain scikit-learn estimators, built on demand, each package imported lazily."""

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.impute import SimpleImputer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from nri import InputError

WEIGHTS = ".onnx"
"""What a method's name ends in that is a file of weights."""

Build = Callable[[int], Any]
"""Takes a random state, gives an unfitted estimator."""


@dataclass(frozen=True)
class Method:
    """A way to learn a classifier, and how it is called in tables."""

    name: str
    label: str
    family: str
    """reference, black box, rules or ours"""
    build: Build
    packages: tuple[str, ...] = ()
    """importable packages it needs beyond the base installation"""
    one_vs_rest: bool = False
    """it separates two classes only"""
    keeps_missing: bool = False
    """it reads NaN itself; the others get the column's most frequent support value"""

    def make(self, random_state: int = 0) -> Any:
        """Return an unfitted estimator that takes a 0/1/NaN matrix and any number of classes."""
        estimator = self.build(random_state)
        if self.one_vs_rest:
            estimator = OneVsRestClassifier(estimator)
        if self.keeps_missing:
            return estimator
        # the median of a boolean column is its most frequent value; a column never seen is all False
        return make_pipeline(SimpleImputer(strategy="most_frequent", keep_empty_features=True), estimator)

    def missing_packages(self) -> list[str]:
        """Return the packages that are needed and not installed."""
        return [package for package in self.packages if importlib.util.find_spec(package) is None]

    def versions(self) -> dict[str, str]:
        """Return the versions of what computes the answer."""
        names = ["nri", "numpy", "scikit-learn", *(_DISTRIBUTIONS.get(name, name) for name in self.packages)]
        return {name: importlib.metadata.version(name) for name in names}


_DISTRIBUTIONS = {"interpret": "interpret-core"}
"""Packages whose distribution has another name."""


def get_method(name: str) -> Method:
    """Return a method by its name, or a network of the user's whose weights are in the file ``name``."""
    if name.endswith(WEIGHTS):
        if not Path(name).is_file():
            raise InputError(f"no weights {name}; make some with nri export-weights")
        return Method(name, Path(name).stem, "ours", _ours(name), keeps_missing=True)
    if name not in METHODS:
        raise InputError(
            f"no method {name!r}; there are {', '.join(METHODS)}, and files of weights, NAME.onnx"
        )
    return METHODS[name]


def choose_methods(names: Iterable[str]) -> list[Method]:
    """Return the named methods, and refuse those whose package is not installed."""
    methods = [get_method(name) for name in names]
    for method in methods:
        missing = method.missing_packages()
        if missing:
            raise InputError(f"method {method.name!r} needs {', '.join(missing)}; run: pip install ./bench")
    return methods


def _majority(random_state: int) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="most_frequent")


def _best_literal(random_state: int) -> Any:
    from nri_bench.methods.simple import BestLiteralClassifier

    return BestLiteralClassifier()


def _logistic(random_state: int) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000, random_state=random_state)


def _tree(random_state: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=random_state)


def _tree_of_depth_4(random_state: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=4, random_state=random_state)


def _tree_dnf(random_state: int) -> Any:
    from nri_bench.methods.simple import TreeDNFClassifier

    return TreeDNFClassifier(random_state)


def _random_forest(random_state: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=100, n_jobs=1, random_state=random_state)


def _xgboost(random_state: int) -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_jobs=1, verbosity=0, random_state=random_state)


def _lightgbm(random_state: int) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbose=-1, random_state=random_state)


def _ebm(random_state: int) -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(n_jobs=1, random_state=random_state)


def _ripper(random_state: int) -> Any:
    from nri_bench.methods.rivals import RipperClassifier

    return RipperClassifier(random_state)


def _rulefit(random_state: int) -> Any:
    from nri_bench.methods.rivals import RuleFitClassifier

    return RuleFitClassifier(random_state)


def _figs(random_state: int) -> Any:
    from nri_bench.methods.rivals import FIGSClassifier

    return FIGSClassifier(random_state)


def _boosted_rules(random_state: int) -> Any:
    from imodels import BoostedRulesClassifier

    return BoostedRulesClassifier(random_state=random_state)


def _rulekit(random_state: int) -> Any:
    from nri_bench.methods.raw_rivals import RuleKitClassifier

    return RuleKitClassifier()


def _neural_dnf(random_state: int) -> Any:
    from nri_bench.methods.neural_dnf import NeuralDNFClassifier

    return NeuralDNFClassifier(random_state=random_state)


def _exact(random_state: int) -> Any:
    from nri_bench.methods.exact_limit import ExactDNFClassifier

    return ExactDNFClassifier()


def _bayes_limit(random_state: int) -> Any:
    from nri_bench.methods.bayes_limit import FamilyPosterior

    return FamilyPosterior(random_state=random_state)


def _ours(model: str) -> Build:
    def build(random_state: int) -> Any:
        from nri import NRIClassifier

        return NRIClassifier(model=model, random_state=random_state)

    return build


def _posterior(random_state: int) -> Any:
    from nri_bench.methods.simple import PosteriorClassifier

    return PosteriorClassifier(random_state)


_ALL = [
    Method("majority", "Majority", "reference", _majority),
    Method("best-literal", "Best literal", "reference", _best_literal),
    Method("logistic", "Logistic", "black box", _logistic),
    Method("random-forest", "RF", "black box", _random_forest),
    Method("xgboost", "XGB", "black box", _xgboost, ("xgboost",)),
    Method("lightgbm", "LGBM", "black box", _lightgbm, ("lightgbm",)),
    Method("ebm", "EBM", "black box", _ebm, ("interpret",)),
    Method("ripper", "RIPPER", "rules", _ripper, ("wittgenstein",), one_vs_rest=True),
    Method("rulefit", "RuleFit", "rules", _rulefit, ("imodels",), one_vs_rest=True),
    Method("figs", "FIGS", "rules", _figs, ("imodels",)),
    Method("boosted-rules", "BoostedRules", "rules", _boosted_rules, ("imodels",)),
    Method("rulekit", "RuleKit", "rules", _rulekit, ("rulekit",)),
    Method("tree", "DT", "rules", _tree),
    Method("tree-4", "DT depth 4", "rules", _tree_of_depth_4),
    Method("tree-dnf", "DT-DNF", "rules", _tree_dnf, one_vs_rest=True),
    Method("neural-dnf", "N-DNF", "rules", _neural_dnf, ("torch",)),
    Method("exact", "Exact limit", "rules", _exact, one_vs_rest=True),
    Method("paper", "NRI paper", "ours", _ours("paper"), keeps_missing=True),
    Method("paper-tuned", "NRI paper tuned", "ours", _ours("paper-tuned"), keeps_missing=True),
    Method(
        "paper-feedback",
        "NRI paper feedback",
        "ours",
        _ours("paper-feedback"),
        keeps_missing=True,
    ),
    Method("greedy", "NRI greedy", "ours", _ours("greedy"), keeps_missing=True),
    Method("seeded", "NRI seeded", "ours", _ours("seeded"), keeps_missing=True),
    Method("posterior", "NRI posterior", "ours", _posterior, keeps_missing=True),
    Method("bayes-limit", "Bayes limit", "reference", _bayes_limit),
]

METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""Every method by its name, in the order of the tables' columns."""

TABLE_METHODS = tuple(
    name for name in METHODS if name not in ("exact", "bayes-limit", "rulekit", "tree-4", "paper-feedback")
)
"""Those that take part in Table 1; the limits are for small synthetic tables only, RuleKit and the tree of
depth 4 for the wide suite, and the network with feedback for the experiments of the paper."""

QUICK_METHODS = ("majority", "best-literal", "logistic", "tree", "xgboost", "ripper", "paper", "greedy")
"""Those that take well under a second on a small table."""
