"""NRIRegressor: rules for a number as a scikit-learn estimator."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray, IntArray
from nri.induce.induce import induce_rule
from nri.induce.settings import Knowledge, Settings
from nri.sklearn_base import TableEstimator, feature_names, read_numbers
from nri.table.frames import as_frame
from nri.table.table import Table


class NRIRegressor(RegressorMixin, TableEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Part the rows of a table into segments that a person can read, and predict a number by their means.

    The segments are a list of clauses; the first one that fires decides a row. They are chosen so that the
    number differs most between them for what they take to say, in bits, which also settles their number.
    Values far outside (more than three times the distance of the quartiles beyond these) count as if they
    stood at that fence, so that a heavy tail moves neither the choice of segments nor their values;
    predictions are drawn towards the mean of all rows by as much as the segment's own mean is uncertain.

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

    def __init__(
        self,
        *,
        max_clauses: int = 8,
        max_branches: int | None = None,
        max_literals: int = 6,
        columns: Sequence[str] | Mapping[str, bool] | None = None,
        require: Sequence[str] | None = None,
        negations: bool = True,
        binarize: Literal["auto", "paper"] = "auto",
        knowledge: Knowledge | None = None,
        exact_text: bool = False,
        random_state: Any = None,
    ) -> None:
        self.max_clauses = max_clauses
        self.max_branches = max_branches
        self.max_literals = max_literals
        self.columns = columns
        self.require = require
        self.negations = negations
        self.binarize = binarize
        self.knowledge = knowledge
        self.exact_text = exact_text
        self.random_state = random_state

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
        names, frame = feature_names(X), as_frame(X)
        table = self._table(frame, y, sample_weight)
        induction = induce_rule(table, self.settings, rng=self._generator())
        return self._keep(induction, table, list(frame.columns), names)

    def predict(self, X: Any) -> FloatArray:
        """[M]: the value of each row's segment; a DataFrame needs only the columns that the rule uses."""
        rows = self._named(X)
        return self.rule_.predict(rows)

    def apply(self, X: Any) -> IntArray:
        """[M]: the index of each row's segment in ``rule_.branches``; their number for the ELSE."""
        rows = self._named(X)
        return self.rule_.decide(rows)

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """Return rows and their numbers as a table, e.g. to report on them."""
        check_is_fitted(self)
        return self._table(as_frame(X), y, sample_weight)

    def _table(self, frame: Any, y: Any, sample_weight: Any) -> Table:
        return self._with_outcome(frame, read_numbers(y, len(frame)), sample_weight)

    @property
    def settings(self) -> Settings:
        """What is asked of the rule, checked."""
        return self._settings()
