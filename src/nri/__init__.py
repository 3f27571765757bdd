"""Neural Rule Inducer: a table goes in, a rule that a person can read comes out.

>>> from nri import NRIClassifier
>>> clf = NRIClassifier().fit([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, ["no", "yes", "no", "no"] * 5)
>>> print(clf.rules_)
IF  (x0 AND x1)     precision 1.00   covers 5 of 20
THEN y = yes        ELSE no
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.api import read_rules, read_table, write_rules
    from nri.display import CalibrationDisplay, CoverageDisplay, RuleDisplay, WhyDisplay, progress_bar
    from nri.errors import InputError, NRIError
    from nri.estimator import NRIClassifier
    from nri.induce.knowledge import Knowledge
    from nri.induce.path import induce_rules
    from nri.induce.resample import cross_validate, diagnose
    from nri.induce.settings import Settings
    from nri.networks import export_weights, train_network
    from nri.regress.path import induce_segments
    from nri.regressor import NRIRegressor
    from nri.report import ReportOptions, write_report
    from nri.rule import RuleSet, Segments, SurvivalRule
    from nri.survival.path import cross_validate_survival, follow, induce_survival
    from nri.table import Table
    from nri.table.binarizer import binarize
    from nri.tasks.compare import compare_rules
    from nri.tasks.slices import error_slices
    from nri.tasks.stability import clause_stability
    from nri.tasks.surrogate import surrogate_of_model

_PLACES = {
    "NRIClassifier": "nri.estimator",
    "NRIRegressor": "nri.regressor",
    "read_table": "nri.api",
    "Table": "nri.table",
    "induce_rules": "nri.induce.path",
    "Settings": "nri.induce.settings",
    "Knowledge": "nri.induce.knowledge",
    "cross_validate": "nri.induce.resample",
    "diagnose": "nri.induce.resample",
    "induce_segments": "nri.regress.path",
    "follow": "nri.survival.path",
    "induce_survival": "nri.survival.path",
    "cross_validate_survival": "nri.survival.path",
    "RuleSet": "nri.rule",
    "Segments": "nri.rule",
    "SurvivalRule": "nri.rule",
    "read_rules": "nri.api",
    "write_rules": "nri.api",
    "write_report": "nri.report",
    "ReportOptions": "nri.report",
    "error_slices": "nri.tasks.slices",
    "surrogate_of_model": "nri.tasks.surrogate",
    "compare_rules": "nri.tasks.compare",
    "clause_stability": "nri.tasks.stability",
    "RuleDisplay": "nri.display",
    "CoverageDisplay": "nri.display",
    "WhyDisplay": "nri.display",
    "CalibrationDisplay": "nri.display",
    "progress_bar": "nri.display",
    "binarize": "nri.table.binarizer",
    "train_network": "nri.networks",
    "export_weights": "nri.networks",
    "InputError": "nri.errors",
    "NRIError": "nri.errors",
}
"""The public names, in the order in which people need them, and the module of each. It is loaded when its
name is asked for: the command line needs none of them."""

__all__ = [
    "CalibrationDisplay",
    "CoverageDisplay",
    "InputError",
    "Knowledge",
    "NRIClassifier",
    "NRIError",
    "NRIRegressor",
    "ReportOptions",
    "RuleDisplay",
    "RuleSet",
    "Segments",
    "Settings",
    "SurvivalRule",
    "Table",
    "WhyDisplay",
    "__version__",
    "binarize",
    "clause_stability",
    "compare_rules",
    "cross_validate",
    "cross_validate_survival",
    "diagnose",
    "error_slices",
    "export_weights",
    "follow",
    "induce_rules",
    "induce_segments",
    "induce_survival",
    "progress_bar",
    "read_rules",
    "read_table",
    "surrogate_of_model",
    "train_network",
    "write_report",
    "write_rules",
]


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
