"""Reports on a fitted classifier, for those who work in Python."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.errors import InputError
from nri.induce.path import Induction, LabelledTable
from nri.report.gather import gather_report
from nri.report.page import render_report
from nri.report.records import Report, ReportOptions
from nri.table.atomic import atomic_file

if TYPE_CHECKING:
    from nri.estimator import NRIClassifier


def write_report(
    classifier: "NRIClassifier",
    X: Any,
    y: Any,
    path: "str | PathLike[str]",
    *,
    sample_weight: Any = None,
    options: ReportOptions | None = None,
) -> None:
    """Write a page about a fitted classifier to a file, whole or not at all.

    Parameters
    ----------
    classifier
        A fitted :class:`nri.NRIClassifier`.
    X, y, sample_weight
        The rows it was fitted on; for what is counted, not cross-validated, other rows serve too.
    path
        The file, by custom ending in ``.html``.
    options
        What the page says and how much work it may be.
    """
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

    from nri.sklearn_inputs import read_labels, read_weights
    from nri.table.frame import as_frame

    check_is_fitted(classifier)
    frame = as_frame(X)
    labels = read_labels(y, len(frame))
    weights = read_weights(sample_weight, len(frame))
    ruleset = classifier.rules_
    strange = [label for label in labels.plain_classes if label not in ruleset.classes]
    if strange:
        raise InputError(
            f"y has the class {strange[0]!r}, which the classifier was not fitted on; leave such rows out"
        )
    codes = np.array([ruleset.index_of(label) for label in labels.plain_classes])[labels.codes]
    table = LabelledTable(frame, codes.astype(np.int64), ruleset.classes, ruleset.target, weights)
    return gather_report(
        table,
        Induction(ruleset, classifier.left_out_),
        classifier._settings(),
        positive=classifier._positive(ruleset.classes),
        options=options,
    )
