"""What the estimators share: tables, labels, numbers and weights as scikit-learn's callers give them.

They are checked the way scikit-learn checks them, and columns are known by their names in ``fit``.
"""

import numbers
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import cleandoc
from string import Template
from typing import TYPE_CHECKING, Any, Literal, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError, listed
from nri.induce.assemble import coded_predictions
from nri.induce.induce import Induction
from nri.induce.settings import Knowledge, Settings, names, shown, whole, yes_or_no
from nri.outcome import Classes, Number
from nri.rule import Explanation, from_json
from nri.rule.column import Columns, empty_column
from nri.rule.labels import as_label
from nri.table.cells import missing_cells, objects_of, spelling_note, spellings_of
from nri.table.codes import ReadOptions, read_options
from nri.table.source import Source, source_of
from nri.table.table import Note, Table, logger
from nri.table.weights import checked_weights
from nri.texts import first_line

if TYPE_CHECKING:
    from nri.induce.alternatives import Alternatives

_REPEATS = 3  # How often scikit-learn is shown each class, so that it wonders about none.
_MIXED = "labels mix text, numbers or booleans, of which some may look alike; convert them all to text"

_PARAMETERS = """\
max_clauses : int
    Most clauses in the rule of one class; for a number or a time, most segments beside the rest.
max_branches : int, optional
    Most branches of the whole rule; by default about two a class.
max_literals : int
    Most literals in one clause.
columns : list of str, or dict of str to bool, optional
    The only columns that rules may use. As a dict: columns that are True are the only ones used, or, if all
    are False, those are never used. All columns by default, without those that look like identifiers or free
    text: naming one here uses it all the same. Columns of a plain array are called ``x0``, ``x1``, ...
require : list of str, optional
    Columns that every clause must speak about.
negations : bool
    Whether rules may say ``NOT x`` and ``x != a``. ``x <= 3`` is no negation.
binarize : {"auto", "paper"}
    How columns become yes/no questions: by thresholds that the target suggests and frequent categories, or as
    in the paper (number > median, every category). A float table of 0, 1 and NaN is used as it is.
knowledge : Knowledge, optional
    What a person knows: clauses to keep, conditions never to say, places to cut, ways that columns go.
exact_text : bool
    Whether texts that differ only in case and blanks (``yes``, ``YES``) are kept apart. By default they are
    one value, in features and in labels, with a note.
missing : cell, list of cells, or dict of such by column, optional
    Cells that stand for nothing, e.g. ``[-999, "unknown"]`` or ``{"sbp": -999}``; an empty list keeps the
    codes of a column that would else be found to stand for nothing.
random_state : int, RandomState or None
    Seed of the search. None is a fixed seed here: the same table gives the same rule."""
_ATTRIBUTES = """\
rule_ : Rule
    The rule: branches in order, each with what it predicts; print it.
left_out_ : tuple of LeftOut
    Columns that could not be of use to a rule, and why.
feature_importances_ : array [n_features]
    For each column what leaving it out costs, as a share of all such costs; see ``column_costs_``.
column_costs_ : dict of str to float
    For each column of the rule, by how much its score on the rows of ``fit`` falls (accuracy, R² or
    concordance) where the cells of the column are unknown: its clauses then do not fire.
n_features_in_ : int
    Columns seen in ``fit``.
feature_names_in_ : array of str
    Their names, if they had any."""
_SECTIONS = f"Parameters\n----------\n{_PARAMETERS}\n\nAttributes\n----------\n{_ATTRIBUTES}"


@dataclass(kw_only=True, eq=False, repr=False)
class TableEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator that is fitted on a table with named columns, and predicts by a rule, ``rule_``."""

    def __init_subclass__(cls, **more: Any) -> None:
        """Complete the help by the parameters and attributes that all estimators have."""
        super().__init_subclass__(**more)
        shared = {"parameters": _PARAMETERS, "attributes": _ATTRIBUTES, "sections": _SECTIONS}
        cls.__doc__ = Template(cleandoc(cls.__doc__ or "")).safe_substitute(shared)

    max_clauses: int = 8
    max_branches: int | None = None
    max_literals: int = 6
    columns: Sequence[str] | Mapping[str, bool] | None = None
    require: Sequence[str] | None = None
    negations: bool = True
    binarize: Literal["auto", "paper"] = "auto"
    knowledge: Knowledge | None = None
    exact_text: bool = False
    missing: Any = None
    random_state: Any = None

    def explain(self, X: Any) -> list[Explanation]:
        """For each row, which clauses fired or, when none did, what the nearest one lacked."""
        rows = self._named(X)
        return self.rule_.explain(rows)

    def alternatives(
        self, X: Any, y: Any = None, *, within: float = 0.01, most: int = 20, **more: Any
    ) -> "Alternatives":
        """Return the best rule for a table and others that are nearly as good; see :func:`nri.alternatives`.

        It needs no ``fit``, and changes nothing. ``more`` are weights, times and events, as for ``fit``.
        """
        from nri.induce.alternatives import alternatives

        table = self._explained(X, y, **more)
        floors = getattr(self, "_floors", None)
        return alternatives(table, self.settings, within, most, rng=self._generator(), floors=floors)

    @property
    def settings(self) -> Settings:
        """The settings of the rule, checked."""
        use = None if self.columns is None else names("columns", self.columns)
        never: list[str] = []
        if isinstance(self.columns, Mapping):
            use = [str(name) for name, wanted in self.columns.items() if wanted] or None
            never = [str(name) for name, wanted in self.columns.items() if not wanted]
        return Settings(
            max_clauses=whole("max_clauses", self.max_clauses),
            max_branches=self.max_branches,
            max_literals=whole("max_literals", self.max_literals),
            use=use,
            never=never,
            require=[] if self.require is None else names("require", self.require),
            negations=self.negations,
            binarize=self.binarize,
            knowledge=Knowledge() if self.knowledge is None else self.knowledge,
        )

    @property
    def _options(self) -> ReadOptions:
        return read_options(self.missing, exact=yes_or_no("exact_text", self.exact_text))

    def _rows(self, rows: Source, sample_weight: Any) -> Table:
        weights = read_weights(sample_weight, len(rows))
        table = rows.table(self._options)
        return table if weights is None else table.reweighted(weights)

    def _keep(self, induction: Induction, table: Table, columns: Sequence[str], *, named: bool) -> Self:
        """Keep a rule, the columns of fit, and how much worse it does on a table where one is unknown."""
        rule = self.rule_ = induction.rule
        self.left_out_, self._posterior = induction.left_out, induction.posterior
        self.n_features_in_, self._column_names = len(columns), tuple(columns)
        self.__dict__.pop("feature_names_in_", None)
        if named:
            self.feature_names_in_ = np.array(columns, dtype=object)

        def score(columns: Columns) -> float:
            predicted = coded_predictions(rule, replace(table, columns=columns))
            return table.explained.score(predicted, table.weights).value

        used = {name: table.columns[name] for name in rule.columns}
        best = score(used)
        self.column_costs_ = {
            name: best - score({**used, name: empty_column(column.kind, len(table))})
            for name, column in used.items()
        }
        costs = np.array([max(self.column_costs_.get(name, 0.0), 0.0) for name in columns])
        self.feature_importances_ = costs / costs.sum() if costs.sum() > 0 else costs
        return self

    def _beyond(self, comes_with: str, instead: str) -> Any:
        """Return what the model believes beyond its rule."""
        check_is_fitted(self)
        posterior = getattr(self, "_posterior", None)
        if posterior is None:
            cause = f"it comes with {comes_with}, and is not saved because it holds rows of the table"
            raise InputError(f"there is no posterior: {cause}; fit again, or use {instead}")
        return posterior

    def _html_repr(self) -> str:
        """Show the rule in a notebook once there is one, and before that what any estimator shows."""
        return str(self.rule_._repr_html_() if hasattr(self, "rule_") else super()._html_repr())

    def _generator(self) -> np.random.Generator:
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state
        if self.random_state is None:
            return np.random.default_rng(0)
        try:
            return np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        except (TypeError, ValueError):
            remedy = "give a whole number from 0 to 2**32 - 1, a generator of numpy, or None"
            raise InputError(f"random_state is {shown(self.random_state)}; {remedy}") from None

    def _named(self, X: Any) -> Source:
        """Return rows to predict with the names that columns had in fit."""
        check_is_fitted(self)
        rows, fitted_with_names = source_of(X), hasattr(self, "feature_names_in_")
        has_columns = fitted_with_names or set(self.rule_.columns) <= set(rows.names)
        if not (has_names(X) and has_columns):
            if len(rows.names) != self.n_features_in_:
                expected = f"{type(self).__name__} is expecting {self.n_features_in_} features as input"
                cause = f"X has {len(rows.names)} features, but {expected}"
                raise InputError(f"{cause}: give those of fit, in order")
            if fitted_with_names:
                fitted = f"{type(self).__name__} was fitted with feature names"
                warnings.warn(f"X does not have valid feature names, but {fitted}", stacklevel=3)
            rows = rows.renamed(self._column_names)
        if not len(rows):
            shape = f"(shape=(0, {len(rows.names)}))"
            cause = f"Found array with 0 sample(s) {shape} while a minimum of 1 is required"
            raise InputError(f"{cause}; give at least one row")
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inputs = tags.input_tags
        inputs.allow_nan = inputs.string = inputs.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Keep the rule as its JSON: what is restored is what any other reader of the file would see.

        The posterior is not kept, since it holds rows of the table, which a saved rule must not carry.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_posterior", None)
        if "rule_" in state:
            state["rule_"] = self.rule_.render("json")
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        rule = {"rule_": from_json(state["rule_"])} if "rule_" in state else {}
        super().__setstate__({**state, **rule})


def read_labels(y: Any, n_rows: int, *, exact: bool = False) -> tuple[Classes, NDArray[Any]]:
    """Take labels apart into classes and indices; return the classes as the caller's dtype as well."""
    name, cells = _name_of(y, "label"), _array_of(y)
    is_list = isinstance(cells, list | tuple) or (isinstance(cells, np.ndarray) and cells.dtype == object)
    if is_list and set(map(type, cells)) != {str} and len({*map(_sort_of, cells)} - {""}) > 1:
        raise InputError(_MIXED)  # numpy would make one class of 1 and "1"
    labels = _flat(cells)
    _check_finite(labels, "label")
    try:
        classes, codes = _classes(labels)
    except TypeError:
        raise InputError(_MIXED) from None
    try:
        check_classification_targets(np.repeat(classes, _REPEATS))
    except (TypeError, ValueError) as error:  # bytes, dates, fractions, huge numbers
        cause = first_line(error).rstrip(".")
        raise InputError(f"{cause}; give text, numbers or booleans as labels") from None
    check_length(f"{len(labels)} labels; give one label", len(labels), n_rows)
    if labels.dtype.kind in "OU" and not exact:
        classes, codes = _joined_spellings(classes, codes, name)
    return Classes(name, tuple(as_label(label) for label in classes), codes), classes


def _classes(labels: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    """Return the different labels in order, and which of them each one is; texts are sorted once each."""
    if labels.dtype != object:
        return np.unique(labels, return_inverse=True)
    first: dict[Any, int] = {}
    codes = np.array([first.setdefault(label, len(first)) for label in labels], dtype=np.int64)
    classes, places = np.unique(objects_of(first), return_inverse=True)
    return classes, places[codes]


def _array_of(y: Any) -> Any:
    """Return a series or a frame of any library as an array; anything else as it is."""
    native = nw.from_native(y, pass_through=True, allow_series=True)
    if isinstance(native, nw.Series) and native.dtype in (nw.Int128, nw.UInt128):  # numpy has no such type
        return np.asarray(native.to_list())
    return native.to_numpy() if isinstance(native, nw.Series | nw.DataFrame) else y


def check_length(values: str, n: int, n_rows: int) -> None:
    """Raise unless there is a value for each row, and a row."""
    if n != n_rows:
        cause = "Found input variables with inconsistent numbers of samples"
        raise InputError(f"{cause}: {n_rows} rows and {values} for each row")
    if not n_rows:
        raise InputError("Found array with 0 sample(s) while a minimum of 1 is required; give rows")


def _check_finite(cells: NDArray[Any], what: str) -> None:
    if missing_cells(cells).any():
        raise InputError(f"Input y contains NaN: a {what} is missing; leave such rows out")
    if cells.dtype.kind == "f" and not np.isfinite(cells).all():
        raise InputError(f"Input y contains infinity: a {what} cannot be infinite; leave such rows out")


def _flat(y: Any) -> NDArray[Any]:
    """Return one array of cells, with scikit-learn's warning where it was a column."""
    try:
        return np.asarray(column_or_1d(y, warn=True))
    except (TypeError, ValueError) as error:
        cause = first_line(error).rstrip(".")
        raise InputError(f"{cause}; give one label for each row, in a list or an array") from None


def _sort_of(cell: Any) -> str:
    if isinstance(cell, bool | np.bool_):
        return "boolean"
    if isinstance(cell, str | bytes):
        return "text"
    return "number" if isinstance(cell, numbers.Real) and cell == cell else ""


def _joined_spellings(classes: NDArray[Any], codes: IntArray, name: str) -> tuple[NDArray[Any], IntArray]:
    """Make one class of texts that differ only in case and blanks, with a note."""
    texts = [str(label) for label in classes]
    spellings = spellings_of(texts, np.bincount(codes))
    if not spellings:
        return classes, codes
    logger.warning("%s", Note(name, spelling_note(spellings)))
    kept = [i for i, text in enumerate(texts) if text not in spellings]
    places = {texts[i]: place for place, i in enumerate(kept)}
    into = np.array([places[spellings.get(text, text)] for text in texts], dtype=np.int64)
    return classes[kept], into[codes]


def read_unlabelled(rows: Any, names: Sequence[str], *, named: bool) -> Source:
    """Return rows without labels under the names of the labelled ones; without names by their order."""
    more, remedy = source_of(rows), "give rows with the columns of X, cells may be missing"
    lacks = [name for name in names if name not in more.names]
    if named and lacks:
        raise InputError(f"unlabelled: no column {listed(lacks)}, which X has; {remedy}")
    if not named and len(more.names) != len(names):
        raise InputError(f"unlabelled: {len(more.names)} columns, X has {len(names)}; {remedy}")
    return more if named else more.renamed(names)


def read_weights(sample_weight: Any, n_rows: int) -> FloatArray | None:
    """Return one weight for each row, None if all count the same."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(_array_of(sample_weight), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"sample_weight is {shown(sample_weight)}: give a number for each row") from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        cause = f"sample_weight has shape {weights.shape} for {n_rows} rows"
        raise InputError(f"{cause}: Sample weights must be 1D, one a row")
    return checked_weights(weights, "sample_weight")


def has_names(X: Any) -> bool:
    """Whether the columns of a table have names, all of them text."""
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        X = dict.fromkeys(name for row in X for name in row)
    elif hasattr(X, "collect_schema"):  # polars; the names of a lazy frame are a query of their own
        X = X.collect_schema()
    names_of = getattr(X, "column_names", getattr(X, "columns", ()))  # pyarrow; pandas
    names = list(X if isinstance(X, Mapping) else names_of)
    return bool(names) and all(isinstance(name, str) for name in names)


def read_numbers(y: Any, n_rows: int) -> Number:
    """Return a number that is to be explained, for every row."""
    name, cells = _name_of(y, "number"), _flat(_array_of(y))
    if cells.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers as y")
    try:
        values = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("y holds no numbers (Unknown label type); use NRIClassifier for classes") from None
    check_length(f"{len(values)} values; give one", len(values), n_rows)
    _check_finite(values, "value")
    return Number(name, values)


def _name_of(y: Any, what: str) -> str:
    """Return the name of a target, y if it has none."""
    if y is None:
        raise InputError(f"requires y to be passed, but the target y is None: give a {what} for each row")
    columns = list(getattr(y, "columns", ()))
    name = columns[0] if len(columns) == 1 else getattr(y, "name", None)
    return str(name) if isinstance(name, str | int) and str(name) else "y"
