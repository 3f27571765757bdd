"""NRIRegressor and NRISurvival: rules for a number and for the time until an event, as estimators."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError, listed, require_extra
from nri.induce.induce import induce_rule
from nri.rule.estimate import SurvivalTarget
from nri.sklearn_base import TableEstimator, check_length, has_names, read_numbers
from nri.table.source import Source, source_of
from nri.table.table import Table
from nri.table.target import with_survival


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
        columns = [name for name in source_of(X).names if name in table.columns]
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

    $sections

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
        rows = source_of(X)
        numbers = read_numbers(y, len(rows))
        return self._rows(rows, sample_weight).with_outcome(numbers)

    _explained = measured


class NRISurvival(SegmentEstimator):
    """Part the rows of a table into groups that a person can read, by the time until an event.

    What is to be explained is given as scikit-survival has it, a structured array of event and time; or as
    lifelines has it, two columns of the table; or as a frame or an array of time and event. An event is yes
    or no, true or false, 1 or 0, or 2 where 1 is censored.

    $sections

    Examples
    --------
    >>> import pandas as pd
    >>> patients = pd.DataFrame({"age": [50, 60, 70, 80] * 10, "days": [90, 80, 30, 20] * 10})
    >>> patients["dead"] = ["no", "yes", "yes", "yes"] * 10
    >>> groups = NRISurvival().fit(patients, time="days", event="dead")
    >>> print(groups.rule_)
    IF      (age = 50)      median days not reached   (-)          risk 0.08   dead:  0 of 10
    ELSE IF (age <= 60)     median days 80            (80 to 80)   risk 0.90   dead: 10 of 10
    ELSE IF (age > 70)      median days 20            (20 to 20)   risk 3.28   dead: 10 of 10
    ELSE                    median days 30            (30 to 30)   risk 1.67   dead: 10 of 10
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
        """Return the curve of each row's group: a frame of pandas [times, M]; or [M, times] as an array."""
        target = self.rule_.predicts
        assert isinstance(target, SurvivalTarget), "fit makes no other rule"
        curves = np.array([estimate.survival for estimate in self.rule_.estimates])[self.apply(X)]
        if return_array:
            return curves
        require_extra(None, "a frame of curves (return_array=True gives an array)", "pandas")
        import pandas as pd

        return pd.DataFrame(curves.T, index=pd.Index(target.times, name="time"))

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
        rows, time, event = read_followed(source_of(X), y, time, event)
        return with_survival(self._rows(rows, sample_weight), time, event)

    _explained = measured


def read_followed(rows: Source, y: Any, time: Any, event: Any) -> tuple[Source, str, str]:
    """Return a table with the time and the event of every row, and what these two columns are called."""
    names = {"time": "time", "event": "event"}
    present = [one is not None for one in (y, time, event)]
    if present not in ([True, False, False], [False, True, True]):
        raise InputError("give either y, an array of event and time, or both time= and event=")
    if y is not None and getattr(getattr(y, "dtype", None), "names", None):
        if len(y.dtype.names) != 2:
            raise InputError(f"y has the fields {listed(y.dtype.names)}; give two, event and time")
        names["event"], names["time"] = y.dtype.names
        event, time = (y[name] for name in y.dtype.names)
    elif y is not None:
        both = source_of(y)
        if len(both.names) != 2:
            raise InputError(f"y has {len(both.names)} columns; give two, time and event")
        if has_names(y):
            names["time"], names["event"] = both.names
        time, event = both.rows.values()
    called = []
    for cells, what in ((time, "time"), (event, "event")):
        if not isinstance(cells, str):
            check_length(f"{len(cells)} cells of {what}; give one", len(cells), len(rows))
            name = str(getattr(cells, "name", None) or names[what])
            while name in rows.names:
                name += "_"
            rows, cells = rows.beside({name: cells}), name
        called.append(cells)
    return rows, called[0], called[1]
