"""NRIClassifier: the product as a scikit-learn estimator."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.induce.floors import Floored, Floors, meet_floors
from nri.induce.induce import induce_rule
from nri.induce.settings import DEFAULT_MODEL, Settings, order, real, yes_or_no
from nri.induce.validate import price_of_knowledge
from nri.outcome import Classes
from nri.rule import Label
from nri.rule.labels import as_label, label_array
from nri.sklearn_base import TableEstimator, has_names, read_labels, read_unlabelled
from nri.table.source import Source, read_columns, source_of
from nri.table.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class NRIClassifier(ClassifierMixin, TableEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Induce a rule that a person can read, and predict by it.

    Parameters
    ----------
    model : str
        What finds the rules: ``"seeded"`` asks the pretrained network and the experts what they believe,
        and takes the rule that is best under it; ``"greedy"`` is the symbolic search on the labels alone,
        ``"paper"`` the paper's network as its text deploys it, ``"paper-tuned"`` the same with restarts,
        clauses and class chosen on the table, ``"paper-feedback"`` a network of ours that also looks at what
        its clauses cover; or the path of exported weights, ``NAME.onnx``.
    min_precision : float
        Least share of its class among the support rows that a clause covers.
    counts : {"auto", "never", "only", "points"}
        Whether clauses may count: ``AT LEAST 2 OF (age > 65, confused, urea > 7)``. With ``"auto"`` they
        compete with conjunctions, with ``"only"`` every clause is such a one or has a single condition.
        ``"points"`` makes the whole rule for two classes a card: a point for each of some conditions, and a
        share for each total. ``max_literals`` bounds the members.
    class_weight : dict of label to float, or "balanced", optional
        What it costs to take a row of a class for another one; 1 where nothing is said. The rule, the class
        that it speaks about and the default class are those that cost least. ``"balanced"`` makes all classes
        weigh the same together. What rules say of rows stays counted in rows.
    min_sensitivity, min_specificity : float
        Least share of the rows of ``positive`` that is found, and of the other rows that is left alone, on
        cross-validated rows. Errors on ``positive`` count more, or less, until that is reached, or until no
        more can be done: ``floors_`` says which.
    ordered : list of labels, optional
        The classes from low to high, where they have an order: an error then costs as many as it is classes
        off. Of a pandas ``y`` of ordered categories it is their order.
    positive : label, optional
        For two classes, the class that the rule is about; by default the one with the simpler rule.
    stable : bool
        Whether the rule is to be one that other rows would have given too: chosen by what the model believes
        of rows rather than by the labels of the few at hand. For ``model="seeded"``.
    $parameters

    Attributes
    ----------
    classes_ : array
        Labels in the order of ``predict_proba``.
    knowledge_price_ : KnowledgePrice or None
        What the knowledge given costs on the rows of ``fit``, where there is some; print it.
    order_ : tuple of labels
        The order of the classes by which errors were priced; empty without one.
    floors_ : Floored or None
        How floors for sensitivity and specificity were met, where some are asked for; print it.
    $attributes

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"age": [20, 30, 64, 70, 25, 68], "fever": [1, 0, 1, 1, 1, 0]})
    >>> clf = NRIClassifier().fit(visits, ["no", "no", "yes", "yes", "no", "no"])
    >>> clf.predict(pd.DataFrame({"fever": [1], "age": [80]})).tolist()
    ['yes']
    """

    model: str = field(default=DEFAULT_MODEL, kw_only=False)
    min_precision: float = 0.0
    counts: Literal["auto", "never", "only", "points"] = "auto"
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    min_sensitivity: float = 0.0
    min_specificity: float = 0.0
    ordered: Sequence[Any] | None = None
    positive: Label | None = None
    stable: bool = False

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, unlabelled: Any = None, groups: Any = None
    ) -> Self:
        """Induce rules from labelled rows.

        Parameters
        ----------
        X : DataFrame, polars frame, array or list of rows
            Missing cells are unknown. With the name of a column as ``y`` also a table that stays where it is:
            an ibis table, a relation of DuckDB, a LazyFrame of polars or a DataFrame of PySpark.
        y : array of labels [M], or str
            Text, numbers or booleans, without missing ones; or, for such a table, the column to be explained.
        sample_weight : float [M], optional
            How many rows each row stands for.
        unlabelled : rows like X, optional
            Further rows without a label. The seeded model also chooses the rule by what it expects of them.
        groups : str or array [M], optional
            Which rows belong together, e.g. the visits of a patient; for floors, which are cross-validated.
            A named column of X is no feature.
        """
        if isinstance(y, str):
            return self._fit_in_place(X, y, sample_weight=sample_weight, unlabelled=unlabelled, groups=groups)
        rows, named = source_of(X), has_names(X)
        labels, classes = read_labels(y, len(rows), exact=self._options.exact)
        self.order_ = self._order(y, labels.classes)
        table = self._table(rows, labels, sample_weight).arranged(groups)
        if unlabelled is not None:
            more = read_unlabelled(unlabelled, rows.names, named=named)
            table = replace(table, unlabelled=read_columns(more, table.plans))
        self.floors_: Floored | None = None
        if self._floors and len(table.classes) > 1:
            self.floors_, _ = meet_floors(table, self.settings, self._floors, rng=self._generator())
        settings = self.settings
        induction = induce_rule(table, settings, rng=self._generator())
        self.knowledge_price_ = price_of_knowledge(table, settings, induction.rule, rng=self._generator())
        self.classes_ = classes
        return self._keep(induction, table, rows.names, named=named)

    def _fit_in_place(self, X: Any, target: str, **for_memory: Any) -> Self:
        """Induce rules where the rows are: samples are searched, all rows decide."""
        from nri.rows.open import rows_held  # which loads what databases need

        for_memory |= {name: getattr(self, name) or None for name in ("min_sensitivity", "min_specificity")}
        for name in (name for name, value in for_memory.items() if value is not None):
            raise InputError(f"{name} is for tables in memory; leave it out, or collect the table")
        rows = rows_held(X, target, positive=self.positive, options=self._options)
        if not isinstance(rows.outcome, Classes):
            remedy = f"compare it, e.g. '{target} > 1', or collect the table and fit NRIRegressor"
            raise InputError(f"target {target!r} is a number, not classes; {remedy}")
        induction = induce_rule(rows, self.settings, rng=self._generator())
        self.floors_ = self.knowledge_price_ = None
        self.classes_ = label_array(induction.rule.classes)
        columns = [one.name for one in rows.engine.columns if one.name not in rows.target.columns]
        seen = rows.count({literal for clause in induction.rule.clauses for literal in clause}).table
        return self._keep(induction, seen, columns, named=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """[M]: the label of each row; a DataFrame needs only the columns that the rules use."""
        rows = self._named(X)
        return self.classes_[self.rule_.predict_index(rows)]

    def predict_proba(self, X: Any) -> FloatArray:
        """[M, n_classes]: probabilities to expect of new rows, by the branch that decides each row."""
        rows = self._named(X)
        return self.rule_.predict_proba(rows)

    def posterior_proba(self, X: Any) -> FloatArray:
        """[M, n_classes]: what the model believes beyond its rule; all columns of ``fit`` are needed.

        The rule is the readable form of this; the difference in accuracy is what being readable costs.
        """
        posterior = self._beyond("model='seeded' and two classes or more", "predict_proba")
        return np.asarray(posterior.chances(self._named(X)))

    def labelled(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """Return rows and labels as a table with the classes of ``fit``, e.g. to report on them."""
        check_is_fitted(self)
        rows = source_of(X)
        labels, _ = read_labels(y, len(rows), exact=self._options.exact)
        strange = [label for label in labels.classes if label not in self.rule_.classes]
        if strange:
            raise InputError(f"y has the class {strange[0]!r}, which fit had not; leave such rows out")
        into = np.array([self.rule_.labels.index(label) for label in labels.classes], dtype=np.int64)
        known = Classes(self.rule_.target, self.rule_.classes, into[labels.codes])
        return self._table(rows, known, sample_weight)

    def _explained(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        rows = source_of(X)
        labels, _ = read_labels(y, len(rows), exact=self._options.exact)
        return self._table(rows, labels, sample_weight)

    def _table(self, rows: Source, labels: Classes, sample_weight: Any) -> Table:
        return self._rows(rows, sample_weight).with_outcome(labels).about(self._positive(labels.classes))

    @property
    def settings(self) -> Settings:
        """The settings of the rules, checked."""
        floored: Floored | None = getattr(self, "floors_", None)
        return replace(
            super().settings,
            model=self.model,
            min_precision=real("min_precision", self.min_precision),
            counts=self.counts,
            costs=self._costs(),
            ordered=getattr(self, "order_", ()),
            tilt=1.0 if floored is None else floored.tilt,
            stable=yes_or_no("stable", self.stable),
        )

    def _order(self, y: Any, classes: tuple[Label, ...]) -> tuple[Label, ...]:
        """Return the order of classes that was given, or that their categories have."""
        if self.ordered is not None:
            return order(self.ordered)
        cells = nw.from_native(y, pass_through=True, allow_series=True)
        if isinstance(cells, nw.Series) and isinstance(cells.dtype, nw.Enum) and len(classes) > 2:
            return order(cells.dtype.categories)  # the ordered categories of pandas, and those of polars
        return ()

    @property
    def _floors(self) -> Floors:
        return Floors(self.min_sensitivity, self.min_specificity)

    def _costs(self) -> Mapping[Label, float] | Literal["balanced"] | None:
        """Return what errors cost, by the labels of rules."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        if not isinstance(self.class_weight, Mapping):
            raise InputError(f"class_weight is {self.class_weight!r}; give a dict of costs, or 'balanced'")
        return {as_label(label): cost for label, cost in self.class_weight.items()}

    def _positive(self, classes: tuple[Label, ...]) -> int | None:
        if self.positive is None or len(classes) == 1:
            return None
        if len(classes) > 2:
            cause = f"positive={self.positive!r} is for two classes, but there are {len(classes)}"
            raise InputError(f"{cause}; leave it out, or fit y == positive")
        label = as_label(self.positive)
        if label not in classes:
            raise InputError(f"positive={self.positive!r} is no class; choose one of {list(classes)}")
        return classes.index(label)
