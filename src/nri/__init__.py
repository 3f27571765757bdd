"""Neural Rule Inducer: a table goes in, a rule that a person can read comes out.

>>> from nri import NRIClassifier
>>> clf = NRIClassifier().fit([[0, 1], [1, 1], [1, 0], [0, 0]] * 5, ["no", "yes", "no", "no"] * 5)
>>> print(clf.rule_)
IF  (x0 AND x1)     5 of 5 rows, about 0.87 on new ones
THEN y = yes        ELSE no   15 of 15 rows, about 0.98 on new ones
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.api import binarize as binarize
    from nri.api import read_rule as read_rule
    from nri.api import read_table as read_table
    from nri.api import write_rule as write_rule
    from nri.display import CalibrationDisplay as CalibrationDisplay
    from nri.display import CoverageDisplay as CoverageDisplay
    from nri.display import RuleDisplay as RuleDisplay
    from nri.display import WhyDisplay as WhyDisplay
    from nri.errors import InputError as InputError
    from nri.errors import NRIError as NRIError
    from nri.estimator import NRIClassifier as NRIClassifier
    from nri.induce.alternatives import Alternatives as Alternatives
    from nri.induce.alternatives import alternatives as alternatives
    from nri.induce.induce import induce_rule as induce_rule
    from nri.induce.settings import Knowledge as Knowledge
    from nri.induce.settings import Settings as Settings
    from nri.induce.validate import cross_validate as cross_validate
    from nri.induce.validate import diagnose as diagnose
    from nri.networks import export_weights as export_weights
    from nri.networks import train_network as train_network
    from nri.regressor import NRIRegressor as NRIRegressor
    from nri.regressor import NRISurvival as NRISurvival
    from nri.report import ReportOptions as ReportOptions
    from nri.report import write_report as write_report
    from nri.rule import Rule as Rule
    from nri.table import Table as Table
    from nri.tasks.compare import compare_rules as compare_rules
    from nri.tasks.slices import error_slices as error_slices
    from nri.tasks.stability import clause_stability as clause_stability
    from nri.tasks.surrogate import surrogate_of_model as surrogate_of_model

_NAMES = {
    "nri.estimator": ("NRIClassifier",),
    "nri.regressor": ("NRIRegressor", "NRISurvival"),
    "nri.api": ("read_table", "read_rule", "write_rule", "binarize"),
    "nri.table": ("Table",),
    "nri.rule": ("Rule",),
    "nri.induce.induce": ("induce_rule",),
    "nri.induce.settings": ("Settings", "Knowledge"),
    "nri.induce.alternatives": ("alternatives", "Alternatives"),
    "nri.induce.validate": ("cross_validate", "diagnose"),
    "nri.report": ("write_report", "ReportOptions"),
    "nri.tasks.slices": ("error_slices",),
    "nri.tasks.surrogate": ("surrogate_of_model",),
    "nri.tasks.compare": ("compare_rules",),
    "nri.tasks.stability": ("clause_stability",),
    "nri.display": ("RuleDisplay", "CoverageDisplay", "WhyDisplay", "CalibrationDisplay"),
    "nri.networks": ("train_network", "export_weights"),
    "nri.errors": ("InputError", "NRIError"),
}
"""The modules of the public names, in the order in which people need them. One is loaded when a name of it is
asked for: the command line needs none of them."""
_PLACES = {name: module for module, names in _NAMES.items() for name in names}

_NEED_TORCH = () if find_spec("torch") else _NAMES["nri.networks"]  # which ``from nri import *`` would load
__all__ = ["__version__", *(name for name in _PLACES if name not in _NEED_TORCH)]


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
