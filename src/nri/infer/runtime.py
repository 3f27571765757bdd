"""The runtime: the shipped network on plain arrays, by onnxruntime, with nothing fetched and no pickle."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.infer.experts import EXPERTS, Opinions, consult
from nri.infer.weight_files import checked_card, open_session, shipped_file

FloatArray = NDArray[np.float32]

FLOATS_AT_ONCE = 6_000_000
"""About how many numbers one call of the network may hold for each of its heads and channels together."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What the network says of the rows asked about, as log-odds."""

    posterior: FloatArray
    """[S], that the row is positive"""
    reason: FloatArray
    """[S, N], that the row's value at a variable is part of the clause which covers it"""
    precision: FloatArray
    """[S], that an unseen row which this clause covers is positive"""


class SeededNetwork:
    """The seeded network with its weights; one instance serves any number of tables."""

    def __init__(self, onnx_file: Path) -> None:
        self.card = _checked_card(onnx_file)
        self._session = open_session(onnx_file)
        self._heads = int(self.card["config"]["model"]["heads"])

    def ask(
        self,
        rows: FloatArray,
        labels: NDArray[Any],
        weights: NDArray[Any],
        asked: FloatArray | None = None,
    ) -> Answers:
        """Ask about rows [S, N], or, when none are given, about each support row without one unit of itself.

        Cells are -1, +1, or 0 where unknown; labels are 0 or 1.
        """
        opinions = consult(rows, rows[:0] if asked is None else asked, labels, weights)
        seeds = rows if asked is None else asked
        parts = []
        size = self._chunk(rows)
        for start in range(0, len(seeds), size):
            parts.append(self._run(rows, labels, weights, seeds, opinions, asked is None, start, size))
        posterior, reason, precision = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Answers(posterior, reason, precision)

    def _chunk(self, rows: FloatArray) -> int:
        each = 3 * self._heads * max(rows.shape[0], 4 * rows.shape[1])
        return int(max(1, FLOATS_AT_ONCE // each))

    def _run(
        self,
        rows: FloatArray,
        labels: NDArray[Any],
        weights: NDArray[Any],
        seeds: FloatArray,
        opinions: Opinions,
        own: bool,
        start: int,
        size: int,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        chunk = slice(start, start + size)
        count = len(seeds[chunk])
        apart = np.tile(weights.astype(np.float32), (count, 1))
        if own:
            own_rows = np.arange(start, start + count)
            apart[np.arange(count), own_rows] = np.maximum(apart[np.arange(count), own_rows] - 1, 0)
        feed = {
            "rows": rows,
            "labels": labels.astype(np.float32),
            "weights": weights.astype(np.float32),
            "seeds": seeds[chunk],
            "apart": apart,
            "row_opinions": opinions.support,
            "seed_opinions": (opinions.support if own else opinions.asked)[chunk],
            "seed_parts": (opinions.support_parts if own else opinions.asked_parts)[chunk],
        }
        posterior, reason, precision = self._session.run(None, feed)
        return posterior, reason, precision


@cache
def shipped_network() -> SeededNetwork:
    """Return the network whose weights are part of the package, loaded once."""
    return SeededNetwork(shipped_file("seeded"))


def _checked_card(onnx_file: Path) -> dict[str, Any]:
    """Read the card, and refuse weights that are not the ones it describes or that know other experts."""
    card = checked_card(onnx_file)
    if card["experts"] != list(EXPERTS):
        raise InputError(
            f"{onnx_file} was trained with other experts than this version consults; reinstall nri"
        )
    return card
