"""NRIClassifier: the product as a scikit-learn estimator."""

import numbers
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.induce import models
from nri.induce.path import Settings, TablePosterior, induce_rules
from nri.rule import Explanation, Label, RuleSet, from_json, render
from nri.rule.labels import as_label
from nri.sklearn_inputs import feature_names, read_labels, read_weights
from nri.table.frame import as_frame, read_columns
from nri.table.source import Source
from nri.table.table import Table, Target
from nri.table.usable import LeftOut, Reason


class NRIClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Induce a rule that a person can read, and predict by it.

    Parameters
    ----------
    model : str
        What finds the rules: ``"seeded"`` asks the pretrained network and the experts what they believe,
        and takes the rule that is best under it; ``"greedy"`` is the symbolic search on the labels alone,
        ``"paper"`` the paper's network as its text deploys it, ``"paper-tuned"`` the same with clauses and
        class chosen on the table; or the path of exported weights, ``NAME.onnx``.
    max_clauses : int
        Most clauses in the rule of one class.
    max_literals : int
        Most literals in one clause.
    columns : list of str, or dict of str to bool, optional
        The only columns that rules may use. As a dict: columns that are True are the only ones used, or, if
        all are False, those are never used. All columns by default, without those that look like identifiers
        or free text: naming one here uses it all the same. Columns of a plain array are called ``x0``,
        ``x1``, ...
    require : list of str, optional
        Columns that every clause must speak about.
    negations : bool
        Whether rules may say ``NOT x`` and ``x != a``. ``x <= 3`` is no negation.
    min_precision : float
        Least share of its class among the support rows that a clause covers.
    binarize : {"auto", "paper"}
        How columns become yes/no questions: by thresholds that the labels suggest and frequent
        categories, or as in the paper (number > median, every category). A float table of 0, 1 and
        NaN is used as it is.
    counts : {"auto", "never", "only"}
        Whether clauses may count: ``AT LEAST 2 OF (age > 65, confused, urea > 7)``. With ``"auto"`` they
        compete with conjunctions, with ``"only"`` every clause is such a one or has a single condition.
        ``max_literals`` bounds the members.
    class_weight : dict of label to float, or "balanced", optional
        What it costs to take a row of a class for another one; 1 where nothing is said. The rule, the class
        that it speaks about and the default class are those that cost least. ``"balanced"`` makes all classes
        weigh the same together. What rules say of rows stays counted in rows.
    positive : label, optional
        For two classes, the class that the rule is about; by default the one with the simpler rule.
    exact_text : bool
        Whether texts that differ only in case and blanks (``yes``, ``YES``) are kept apart. By default they
        are one value, in features and in labels, with a note.
    random_state : int, RandomState or None
        Seed of the search. None is a fixed seed here: the same table gives the same rule.

    Attributes
    ----------
    rules_ : RuleSet
        The rule of the positive class if there are two classes, else one rule for each; print it.
    classes_ : array
        Labels in the order of ``predict_proba``.
    left_out_ : tuple of LeftOut
        Columns that could not be of use to a rule, and why.
    n_features_in_ : int
        Columns seen in ``fit``.
    feature_names_in_ : array of str
        Their names, if they had any.

    Examples
    --------
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"age": [20, 30, 64, 70, 25, 68], "fever": [1, 0, 1, 1, 1, 0]})
    >>> clf = NRIClassifier().fit(visits, ["no", "no", "yes", "yes", "no", "no"])
    >>> clf.predict(pd.DataFrame({"fever": [1], "age": [80]})).tolist()
    ['yes']
    """

    rules_: RuleSet
    classes_: NDArray[Any]
    left_out_: tuple[LeftOut, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _posterior: TablePosterior | None

    def __init__(
        self,
        model: str = models.DEFAULT,
        *,
        max_clauses: int = 8,
        max_literals: int = 6,
        columns: Sequence[str] | Mapping[str, bool] | None = None,
        require: Sequence[str] | None = None,
        negations: bool = True,
        min_precision: float = 0.0,
        binarize: Literal["auto", "paper"] = "auto",
        counts: Literal["auto", "never", "only"] = "auto",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        positive: Label | None = None,
        exact_text: bool = False,
        random_state: Any = None,
    ) -> None:
        self.model = model
        self.max_clauses = max_clauses
        self.max_literals = max_literals
        self.columns = columns
        self.require = require
        self.negations = negations
        self.min_precision = min_precision
        self.binarize = binarize
        self.counts = counts
        self.class_weight = class_weight
        self.positive = positive
        self.exact_text = exact_text
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, unlabelled: Any = None) -> Self:
        """Induce rules from labelled rows.

        Parameters
        ----------
        X : DataFrame, polars frame, array or list of rows
            Missing cells are unknown.
        y : array of labels [M]
            Text, numbers or booleans, without missing ones.
        sample_weight : float [M], optional
            How many rows each row stands for.
        unlabelled : rows like X, optional
            Further rows whose label nobody knows. The seeded model asks what it believes of them, so that the
            rule is good where rows really are.
        """
        names = feature_names(X)
        frame = as_frame(X)
        labels, classes = read_labels(y, len(frame), exact=self.exact_text)
        table = self._table(frame, labels, sample_weight)
        if unlabelled is not None:
            more = as_frame(unlabelled)
            if names is None:
                more = more.set_axis(list(frame.columns), axis="columns")
            table = replace(table, unlabelled=read_columns(more, table.plans))
        found = induce_rules(table, self.settings, rng=self._generator())
        self.rules_ = found.ruleset
        self.left_out_ = found.left_out
        self._posterior = found.posterior
        self.classes_ = classes
        self.n_features_in_ = frame.shape[1]
        self._column_names = tuple(frame.columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """[M]: the label of each row; a DataFrame needs only the columns that the rules use."""
        rows = self._named(X)
        return self.classes_[self.rules_.predict_index(rows)]

    def predict_proba(self, X: Any) -> FloatArray:
        """[M, n_classes]: probabilities, from the precision of the clause that decides each row."""
        rows = self._named(X)
        return self.rules_.predict_proba(rows)

    def posterior_proba(self, X: Any) -> FloatArray:
        """[M, n_classes]: what the model believes beyond its rule; all columns of ``fit`` are needed.

        The rule is the readable form of this; the difference in accuracy is what being readable costs.
        """
        check_is_fitted(self)
        posterior = getattr(self, "_posterior", None)
        if posterior is None:
            raise InputError(
                "there is no posterior: it comes with model='seeded' and two classes or more, and not saved "
                "with the estimator because it holds rows of the table; fit again, or use predict_proba"
            )
        return np.asarray(posterior.chances(self._named(X)))

    def explain(self, X: Any) -> list[Explanation]:
        """For each row, which clauses fired or, when none did, what the nearest one lacked."""
        rows = self._named(X)
        return self.rules_.explain(rows)

    def labelled(self, X: Any, y: Any, sample_weight: Any = None) -> Table:
        """Return rows and labels as a table with the classes of ``fit``, e.g. to report on them."""
        check_is_fitted(self)
        frame = as_frame(X)
        labels, _ = read_labels(y, len(frame), exact=self.exact_text)
        strange = [label for label in labels.classes if label not in self.rules_.classes]
        if strange:
            raise InputError(
                f"y has the class {strange[0]!r}, which the classifier was not fitted on; leave such rows out"
            )
        into = np.array([self.rules_.index_of(label) for label in labels.classes], dtype=np.int64)
        known = Target(self.rules_.target, self.rules_.classes, into[labels.codes])
        return self._table(frame, known, sample_weight)

    def _table(self, frame: pd.DataFrame, labels: Target, sample_weight: Any) -> Table:
        weights = read_weights(sample_weight, len(frame))
        table = Source(frame).table(exact=self.exact_text).labelled(labels)
        table = table.about(self._positive(labels.classes))
        return table if weights is None else table.reweighted(weights)

    @property
    def settings(self) -> Settings:
        """What is asked of the rules, checked."""
        use: Sequence[str] | None = None
        never: Sequence[str] = ()
        if isinstance(self.columns, Mapping):
            use = [str(name) for name, wanted in self.columns.items() if wanted] or None
            never = [str(name) for name, wanted in self.columns.items() if not wanted]
        elif isinstance(self.columns, str):
            raise InputError(f"columns is the text {self.columns!r}; give a list of names")
        elif self.columns is not None:
            use = [str(name) for name in self.columns]
        if isinstance(self.require, str):
            raise InputError(f"require is the text {self.require!r}; give a list of names")
        return Settings(
            model=self.model,
            max_clauses=_whole("max_clauses", self.max_clauses),
            max_literals=_whole("max_literals", self.max_literals),
            use=use,
            never=never,
            require=[str(name) for name in self.require or ()],
            negations=self.negations,
            min_precision=_real("min_precision", self.min_precision),
            binarize=self.binarize,
            counts=self.counts,
            costs=self._costs(),
        )

    def _costs(self) -> Mapping[Label, float] | Literal["balanced"] | None:
        """Return what errors cost, by the labels of rules."""
        if self.class_weight is None or isinstance(self.class_weight, str):
            return self.class_weight
        if not isinstance(self.class_weight, Mapping):
            raise InputError(
                f"class_weight is {self.class_weight!r}; give a mapping of labels to costs, or 'balanced'"
            )
        return {as_label(label): cost for label, cost in self.class_weight.items()}

    def _generator(self) -> np.random.Generator:
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state
        if self.random_state is None:
            return np.random.default_rng(0)
        return np.random.default_rng(check_random_state(self.random_state).randint(2**31))

    def _positive(self, classes: tuple[Label, ...]) -> int | None:
        if self.positive is None or len(classes) == 1:
            return None
        if len(classes) > 2:
            raise InputError(
                f"positive={self.positive!r} is for two classes, but there are {len(classes)}, "
                "each with its own rule; leave it out, or fit y == positive"
            )
        label = as_label(self.positive)
        if label not in classes:
            raise InputError(f"positive={self.positive!r} is no class; choose one of {list(classes)}")
        return classes.index(label)

    def _named(self, X: Any) -> pd.DataFrame:
        """Return rows to predict with the names that columns had in fit."""
        check_is_fitted(self)
        names = feature_names(X)
        frame = as_frame(X)
        if names is None or not hasattr(self, "feature_names_in_"):
            frame = self._by_position(frame, named=names is not None)
        if not len(frame):
            raise InputError(
                f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required; "
                "give at least one row"
            )
        return frame

    def _by_position(self, frame: pd.DataFrame, named: bool) -> pd.DataFrame:
        if named and set(self.rules_.columns) <= set(frame.columns):
            return frame
        if frame.shape[1] != self.n_features_in_:
            raise InputError(
                f"X has {frame.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input: give the columns of fit in their order"
            )
        if hasattr(self, "feature_names_in_"):
            warnings.warn(
                "X does not have valid feature names, but "
                f"{type(self).__name__} was fitted with feature names",
                stacklevel=4,
            )
        return frame.set_axis(list(self._column_names), axis="columns")

    def __getstate__(self) -> dict[str, Any]:
        """Keep rules as their JSON: what is restored is what any other reader of the file would see.

        The posterior is not kept, since it holds rows of the table, which a saved rule must not carry.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_posterior", None)
        if "rules_" in state:
            state["rules_"] = render(self.rules_, "json")
            state["left_out_"] = [(one.column, str(one.reason)) for one in self.left_out_]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "rules_" in state:
            state["rules_"] = from_json(state["rules_"])
            state["left_out_"] = tuple(LeftOut(name, Reason(why)) for name, why in state["left_out_"])
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _whole(name: str, value: Any) -> int:
    """Return a parameter that counts; a bool counts nothing, though Python takes it for a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name} is {value!r}, which is no whole number: use 1 or more")
    return int(value)


def _real(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} is {value!r}, which is no number: use one from 0 to 1")
    return float(value)
