"""Reports on a fitted classifier, for those who work in Python."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.induce.path import Induction
from nri.regress.path import NumberInduction
from nri.report.gather import gather_report
from nri.report.number import gather_number_report, render_number_report
from nri.report.page import render_report
from nri.report.records import Report, ReportOptions
from nri.table.atomic import atomic_file

if TYPE_CHECKING:
    from nri.estimator import NRIClassifier
    from nri.regressor import NRIRegressor


def write_report(
    classifier: "NRIClassifier | NRIRegressor",
    X: Any,
    y: Any,
    path: "str | PathLike[str]",
    *,
    sample_weight: Any = None,
    options: ReportOptions | None = None,
) -> None:
    """Write a page about a fitted classifier or regressor to a file, whole or not at all.

    Parameters
    ----------
    classifier
        A fitted :class:`nri.NRIClassifier` or :class:`nri.NRIRegressor`.
    X, y, sample_weight
        The rows it was fitted on; for what is counted, not cross-validated, other rows serve too.
    path
        The file, by custom ending in ``.html``.
    options
        What the page says and how much work it may be.
    """
    from nri.regressor import NRIRegressor

    if isinstance(classifier, NRIRegressor):
        table = classifier.measured(X, y, sample_weight)
        found = NumberInduction(classifier.rules_, classifier.left_out_)
        number_report = gather_number_report(table, found, classifier.settings, options=options)
        text = render_number_report(number_report)
    else:
        text = render_report(report_on(classifier, X, y, sample_weight=sample_weight, options=options))
    with atomic_file(Path(path)) as file:
        file.write(text)


def report_on(
    classifier: "NRIClassifier",
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    options: ReportOptions | None = None,
) -> Report:
    """Gather the numbers about a fitted classifier; see :func:`write_report`."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(classifier)
    return gather_report(
        classifier.labelled(X, y, sample_weight),
        Induction(classifier.rules_, classifier.left_out_),
        classifier.settings,
        options=options,
    )
