"""The runtime: the network on plain arrays, by onnxruntime, with nothing fetched and no pickle."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.seeded.experts import EXPERTS, Opinions
from nri.weights import answers, checked_card, open_session, shipped_file

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]

FLOATS_AT_ONCE = 600_000
"""About how many numbers one call of the network may hold for each of its heads and channels together: few
enough for a processor's cache, which saves a seventh of the time."""


@dataclass(frozen=True, eq=False)
class Answers:
    """What the network says of the query rows, as log-odds."""

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
        self._heads = _heads(self.card, onnx_file)

    def answer(
        self,
        rows: FloatArray,
        labels: NDArray[Any],
        weights: NDArray[Any],
        opinions: Opinions,
        query: FloatArray,
    ) -> Answers:
        """Evaluate rows [S, N].

        Cells are -1, +1, or 0 where unknown; labels are 0 or 1. ``opinions`` are the experts', on the same
        support rows and query rows.
        """
        seeds = _Seeds(query, opinions.query, opinions.query_parts, None)
        return self._answer(rows, labels, weights, opinions, seeds)

    def answer_left_out(
        self,
        rows: FloatArray,
        labels: NDArray[Any],
        weights: NDArray[Any],
        opinions: Opinions,
        which: IntArray,
    ) -> Answers:
        """Evaluate some of the support rows, each as if one such row fewer had been seen."""
        seeds = _Seeds(rows[which], opinions.support[which], opinions.support_parts[which], which)
        return self._answer(rows, labels, weights, opinions, seeds)

    def _answer(
        self,
        rows: FloatArray,
        labels: NDArray[Any],
        weights: NDArray[Any],
        opinions: Opinions,
        seeds: "_Seeds",
    ) -> Answers:
        table = {
            "rows": rows,
            "labels": labels.astype(np.float32),
            "weights": weights.astype(np.float32),
            "row_opinions": opinions.support,
        }
        size = self._chunk(rows)
        parts = []
        for start in range(0, max(1, len(seeds.rows)), size):
            chunk = slice(start, start + size)
            feed = table | {
                "seeds": seeds.rows[chunk],
                "apart": seeds.apart(weights, chunk),
                "seed_opinions": seeds.opinions[chunk],
                "seed_parts": seeds.parts[chunk],
            }
            parts.append(answers(self._session, feed))
        posterior, reason, precision = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Answers(posterior, reason, precision)

    def _chunk(self, rows: FloatArray) -> int:
        each = 3 * self._heads * max(rows.shape[0], 4 * rows.shape[1])
        return int(max(1, FLOATS_AT_ONCE // each))


@dataclass(frozen=True, eq=False)
class _Seeds:
    """The rows that one call is about, with what the experts say of them."""

    rows: FloatArray
    opinions: FloatArray
    parts: FloatArray
    own: IntArray | None
    """[S], which support row each seed is; None if they are other rows"""

    def apart(self, weights: NDArray[Any], chunk: slice) -> FloatArray:
        """[S, M], how much each support row counts for each seed of a chunk."""
        result = np.tile(weights.astype(np.float32), (len(self.rows[chunk]), 1))
        if self.own is not None:
            own = self.own[chunk]
            result[np.arange(len(own)), own] = np.maximum(result[np.arange(len(own)), own] - 1, 0)
        return result


@cache
def shipped_network() -> SeededNetwork:
    """Return the network whose weights are part of the package, loaded once."""
    return SeededNetwork(shipped_file("seeded"))


def _checked_card(onnx_file: Path) -> dict[str, Any]:
    """Read the card, and refuse weights that are not the ones it describes or that know other experts."""
    card = checked_card(onnx_file)
    if card.get("experts") != list(EXPERTS):
        raise InputError(
            f"{onnx_file} was trained with other experts than this version consults; train it anew"
        )
    return card


def _heads(card: dict[str, Any], onnx_file: Path) -> int:
    try:
        return max(1, int(card["config"]["model"]["heads"]))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"the card of {onnx_file} has no config.model.heads; export it anew") from None
