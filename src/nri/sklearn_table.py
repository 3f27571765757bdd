"""What the estimators share: rows as scikit-learn's callers give them, by the names of columns in fit."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.induce.settings import shown
from nri.rule import Rule, from_json
from nri.rule.column import Columns, empty_column
from nri.sklearn_inputs import feature_names
from nri.table.binarizer import LeftOut, Reason
from nri.table.frames import as_frame
from nri.table.table import Table


class TableEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """An estimator that is fitted on a table with named columns, and predicts by a rule, ``rule_``."""

    rule_: Rule
    left_out_: tuple[LeftOut, ...]
    random_state: Any
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    column_costs_: dict[str, float]
    feature_importances_: FloatArray
    _column_names: tuple[str, ...]

    def _html_repr(self) -> str:
        """Show the rule in a notebook once there is one, and before that what any estimator shows."""
        if hasattr(self, "rule_"):
            return str(self.rule_._repr_html_())
        return str(super()._html_repr())

    def _weigh_columns(
        self, table: Table, score: Callable[[Columns], float], names: Sequence[str] | None = None
    ) -> None:
        """Find out what leaving out each column costs: how much worse the rule does where it is unknown."""
        columns = {name: table.columns[name] for name in self.rule_.columns}
        whole = score(columns)
        self.column_costs_ = {
            name: whole - score({**columns, name: empty_column(column.kind, len(table))})
            for name, column in columns.items()
        }
        costs = np.array([max(self.column_costs_.get(name, 0.0), 0.0) for name in names or table.names])
        self.feature_importances_ = costs / costs.sum() if costs.sum() > 0 else costs

    def _remember(self, frame: pd.DataFrame, names: NDArray[Any] | None) -> None:
        """Keep what columns the table of fit had."""
        self.n_features_in_ = frame.shape[1]
        self._column_names = tuple(frame.columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _generator(self) -> np.random.Generator:
        if isinstance(self.random_state, np.random.Generator):
            return self.random_state
        if self.random_state is None:
            return np.random.default_rng(0)
        try:
            return np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        except (TypeError, ValueError):
            raise InputError(
                f"random_state is {shown(self.random_state)}; give a whole number from 0 to 2**32 - 1, "
                "a generator of numpy, or None"
            ) from None

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
        if named and set(self.rule_.columns) <= set(frame.columns):
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Keep the rule as its JSON: what is restored is what any other reader of the file would see.

        The posterior is not kept, since it holds rows of the table, which a saved rule must not carry.
        """
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_posterior", None)
        if "rule_" in state:
            state["rule_"] = self.rule_.render("json")
            state["left_out_"] = [(one.column, str(one.reason)) for one in self.left_out_]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "rule_" in state:
            state["rule_"] = from_json(state["rule_"])
            state["left_out_"] = tuple(LeftOut(name, Reason(why)) for name, why in state["left_out_"])
        super().__setstate__(state)
