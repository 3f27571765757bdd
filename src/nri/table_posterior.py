"""The posterior in the words of the table: what is thought of rows that have columns, not variables."""

from dataclasses import dataclass

import pandas as pd

from nri.episode import BoolArray, FloatArray, IntArray
from nri.infer.posterior import Posterior
from nri.infer.runtime import shipped_network
from nri.table.binarizer import Binarizer
from nri.table.columns import require_columns


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """A posterior, and how a table's columns become the variables it knows."""

    columns: tuple[str, ...]
    """Names of the columns it was formed from"""
    binarizer: Binarizer
    order: IntArray
    flipped: BoolArray
    """[N] each, see :class:`nri.canonical.CanonicalEpisode`"""
    posterior: Posterior

    def chances(self, features: pd.DataFrame) -> FloatArray:
        """[M, n_classes]: probabilities of the classes, row by row."""
        require_columns(features, self.columns)
        cells = self.binarizer.transform(features[list(self.columns)])
        known = cells.known[:, self.order]
        values = (cells.values[:, self.order] ^ self.flipped) & known
        return self.posterior.ask(values, known, shipped_network()).chances
