"""NRIRegressor and NRISurvival: rules for a number and for the time until an event, as estimators."""

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray, IntArray
from nri.induce.induce import induce_rule
from nri.rule.estimate import SurvivalTarget
from nri.sklearn_base import TableEstimator, has_names, read_followed, read_numbers
from nri.table.frames import as_frame
from nri.table.survival import with_survival
from nri.table.table import Table


class SegmentEstimator(TableEstimator):
    """An estimator whose rule parts the rows into segments, each with what was counted on its rows."""

    def predict(self, X: Any) -> FloatArray:
        """[M]: the value of each row's segment; a DataFrame needs only the columns that the rule uses."""
        rows = self._named(X)
        return self.rule_.predict(rows)

    def apply(self, X: Any) -> IntArray:
        """[M]: the index of each row's segment in ``rule_.branches``; their number for the ELSE."""
        rows = self._named(X)
        return self.rule_.decide(rows)

    def _fit(self, table: Table, X: Any) -> Self:
        columns = [name for name in as_frame(X).columns if name in table.columns]
        induction = induce_rule(table, self.settings, rng=self._generator())
        return self._keep(induction, table, columns, named=has_names(X))

    def _expected(self, X: Any) -> FloatArray:
        posterior = self._beyond("rows that differ", "predict")
        return np.asarray(posterior.predicted(self._named(X)))


class NRIRegressor(RegressorMixin, SegmentEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Part the rows of a table into segments that a person can read, and predict a number by their means.

    The segments are a list of clauses; the first one that fires decides a row. They are chosen so that the
    number differs most between them for what they take to say, in bits, which also settles their number.
    Values far outside (more than three times the distance of the quartiles beyond these) count as if they
    stood at that fence, so that a heavy tail moves neither the choice of segments nor their values;
    predictions are drawn towards what the experts expect by as much as the segment's own mean is uncertain.

    Parameters
    ----------
    max_clauses : int
        Most segments beside the rest.
    max_branches : int, optional
        Most branches of the whole rule; by default about two a class.
    max_literals : int
        Most literals in one clause.
    columns : list of str, or dict of str to bool, optional
        The only columns that the rule may use, or never to use; see :class:`NRIClassifier`.
    require : list of str, optional
        Columns that every clause must speak about.
    negations : bool
        Whether the rule may say ``NOT x`` and ``x != a``. ``x <= 3`` is no negation.
    binarize : {"auto", "paper"}
        How columns become yes/no questions; see :class:`NRIClassifier`.
    knowledge : Knowledge, optional
        Conditions never to say, and places to cut; see :class:`NRIClassifier`.
    exact_text : bool
        Whether texts that differ only in case and blanks are kept apart.
    missing : cell, list of cells, or dict of such by column, optional
        Cells that stand for nothing, e.g. ``[-999, "unknown"]`` or ``{"sbp": -999}``; an empty list keeps
        the codes of a column that would else be found to stand for nothing.
    random_state : int, RandomState or None
        Draws the rows that are searched, of more than a few thousand. None is a fixed seed here.

    Attributes
    ----------
    rule_ : Rule
        The rule; print it.
    left_out_ : tuple of LeftOut
        Columns that could not be of use to a rule, and why.
    feature_importances_ : array [n_features]
        For each column what leaving it out costs, as a share of all such costs; see ``column_costs_``.
    column_costs_ : dict of str to float
        For each column of the rule, by how much the explained variance of the rows of ``fit`` falls where its
        cells are unknown.
    n_features_in_ : int
        Columns seen in ``fit``.
    feature_names_in_ : array of str
        Their names, if they had any.

    Examples
    --------
    >>> import pandas as pd
    >>> flats = pd.DataFrame({"rooms": [1, 2, 3, 4] * 6, "garden": [False, True, True] * 8})
    >>> rent = 300.0 + 200 * (flats["rooms"] > 2) + flats.index % 5
    >>> reg = NRIRegressor().fit(flats, rent.rename("rent"))
    >>> print(reg.rule_)
    IF      (rooms <= 2)     rent 302   (301 to 303)   12 rows
    ELSE                     rent 502   (501 to 503)   12 rows
    explains 100 % of the variance of these rows
    >>> reg.predict(pd.DataFrame({"rooms": [1, 4]})).tolist()
    [302.0, 502.0]
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find segments of rows in which the number differs.

        Parameters
        ----------
        X : DataFrame, polars frame, array or list of rows
            Missing cells are unknown.
        y : array of numbers [M]
            Without missing ones.
        sample_weight : float [M], optional
            How many rows each row stands for.
        """
        return self._fit(self.measured(X, y, sample_weight), X)

    def posterior_mean(self, X: Any) -> FloatArray:
        """[M]: the number that the experts expect beyond the rule; all columns of ``fit`` are needed."""
        return self._expected(X)

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """Return rows and their numbers as a table, e.g. to report on them."""
        frame = as_frame(X)
        numbers = read_numbers(y, len(frame))
        return self._rows(frame, sample_weight).with_outcome(numbers)

    _explained = measured


class NRISurvival(SegmentEstimator):
    """Part the rows of a table into groups that a person can read, by the time until an event.

    Parameters and attributes are those of :class:`NRIRegressor`. What is to be explained is given as
    scikit-survival has it, a structured array of event and time; or as lifelines has it, two columns of the
    table; or as a frame or an array of time and event. An event is yes or no, true or false, 1 or 0, or 2
    where 1 is censored.

    Examples
    --------
    >>> import pandas as pd
    >>> patients = pd.DataFrame({"age": [50, 60, 70, 80] * 10, "days": [90, 80, 30, 20] * 10})
    >>> patients["dead"] = ["no", "yes", "yes", "yes"] * 10
    >>> groups = NRISurvival().fit(patients, time="days", event="dead")
    >>> print(groups.rule_)
    IF      (age = 50)      median days not reached   (-)          risk 0.08   dead:  0 of 10
    ELSE IF (age <= 60)     median days 80            (80 to 80)   risk 0.89   dead: 10 of 10
    ELSE IF (age > 70)      median days 20            (20 to 20)   risk 3.19   dead: 10 of 10
    ELSE                    median days 30            (30 to 30)   risk 1.72   dead: 10 of 10
    the curves differ (log-rank test on these rows, p < 0.001)
    >>> groups.score(patients, time="days", event="dead")
    1.0
    """

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, time: Any = None, event: Any = None
    ) -> Self:
        """Find groups of rows whose curves differ.

        Parameters
        ----------
        X : DataFrame, polars frame, array or list of rows
            Missing cells are unknown.
        y : structured array, or frame or array of two columns, optional
            A structured array holds event and time, as scikit-survival has it; else time and event.
        sample_weight : float [M], optional
            How many rows each row stands for.
        time, event : str or array [M], optional
            In place of ``y``: columns of ``X``, an event also as ``"status = dead"``, or arrays. Rows
            without either are left out.
        """
        return self._fit(self.measured(X, y, sample_weight, time=time, event=event), X)

    def predict_survival_function(self, X: Any, return_array: bool = False) -> Any:
        """Return the curve of each row's group: a frame [times, M]; or [M, times] as an array."""
        target = self.rule_.predicts
        assert isinstance(target, SurvivalTarget), "fit makes no other rule"
        curves = np.array([estimate.survival for estimate in self.rule_.estimates])[self.apply(X)]
        return curves if return_array else pd.DataFrame(curves.T, index=pd.Index(target.times, name="time"))

    def posterior_risk(self, X: Any) -> FloatArray:
        """[M]: the risk that the experts expect beyond the rule; all columns of ``fit`` are needed."""
        return self._expected(X)

    def score(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, time: Any = None, event: Any = None
    ) -> float:
        """Return the concordance of the risks that are predicted; see :meth:`fit`."""
        check_is_fitted(self)
        table = self.measured(X, y, sample_weight, time=time, event=event)
        return table.explained.score(self.rule_.predict(table.columns, len(table)), table.weights).value

    def measured(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, time: Any = None, event: Any = None
    ) -> Table:
        """Return rows, times and events as a table, e.g. to report on them."""
        frame, time, event = read_followed(as_frame(X), y, time, event)
        return with_survival(self._rows(frame, sample_weight), time, event)

    _explained = measured
