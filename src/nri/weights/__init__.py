"""Networks on plain arrays, by numpy: those that ship, and others that were exported.

The weights are an ONNX file; a JSON card beside it says what they are. Nothing is fetched, no pickle is read.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import one_thread
from nri.errors import InputError
from nri.texts import first_line
from nri.weights.onnx import Array, read_graph

CARD_VERSION = 1  # Of what inputs, outputs and card of an exported network mean; raised with a change.

EXPERTS = (
    "linear, loose",
    "linear, firm",
    "linear, tight",
    "wide neighbourhood",
    "near neighbourhood",
    "wide neighbourhood by relevance",
    "near neighbourhood by relevance",
    "quadratic",
    "quadratic by relevance",
    "naive Bayes",
    "council",
)
"""The experts that the seeded network reads, in the order of the last axis of their opinions."""

FLOATS_AT_ONCE = 1_500_000  # Numbers that a call of the network holds for its heads and channels, about.

_CARD_FIELDS = {"inducer": str, "config": dict, "sha256": str}


def shipped_file(name: str) -> Path:
    """Return the place of the package's own weights for a model."""
    return Path(__file__).with_name(f"{name}.onnx")


def checked_card(onnx_file: Path) -> dict[str, Any]:
    """Read the card beside the weights, and refuse weights that are not the ones it describes."""
    card_file, is_ours = onnx_file.with_suffix(".json"), onnx_file.parent == shipped_file("").parent
    remedy = "reinstall nri" if is_ours else "`nri export-weights` writes it and its card"
    if not os.path.isfile(onnx_file):
        raise InputError(f"no weights at {onnx_file}; {remedy}")
    if not os.path.isfile(card_file):
        raise InputError(f"{onnx_file} has no card {card_file.name} beside it; {remedy}")
    try:
        card: Any = json.loads(card_file.read_text(encoding="utf-8"))
        sha256 = hashlib.sha256(onnx_file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot read the network's weights: {error}; {remedy}") from None
    except (ValueError, RecursionError):  # neither JSON nor text at all
        card = None
    if not isinstance(card, dict) or not all(isinstance(card.get(k), t) for k, t in _CARD_FIELDS.items()):
        raise InputError(f"{card_file} is no card, a JSON object of inducer, config and sha256; {remedy}")
    if card.get("checksum") != checksum_of(card):
        raise InputError(f"{card_file} is damaged: its checksum is not that of its content; {remedy}")
    if card.get("version", 1) != CARD_VERSION:
        versions = f"a card of version {card['version']}, this nri reads version {CARD_VERSION}"
        raise InputError(f"{onnx_file} has {versions}; export it anew, or use the nri that exported it")
    if sha256 != card["sha256"]:
        raise InputError(f"{onnx_file} is damaged: its SHA-256 is not that of its card; {remedy}")
    return card


def checksum_of(card: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all fields of a card but this itself.

    >>> checksum_of({"b": 1, "a": 2}) == checksum_of({"a": 2, "b": 1, "checksum": "x"})
    True
    """
    fields = {key: value for key, value in card.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()


class Network:
    """Weights that were checked against their card; one instance serves any number of tables."""

    def __init__(self, onnx_file: Path) -> None:
        self.card = checked_card(onnx_file)
        # freed at once: glibc then keeps the memory of smaller arrays, where new pages take a tenth of a fit
        np.empty(30_000_000, dtype=np.uint8)
        try:
            self.graph = read_graph(onnx_file.read_bytes())
        except (LookupError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{onnx_file} is no network that nri can run: {error}; export it anew") from None

    def run(self, inputs: Mapping[str, NDArray[Any]]) -> list[Any]:
        """Return the outputs of the graph; one that does not fit its card gives an error of one line."""
        try:
            # sums in one order: with more threads the last digits differ; small graphs are no slower
            with one_thread(), np.errstate(all="ignore"):
                return self.graph.run(inputs)
        except Exception as error:  # whatever numpy says of shapes and types that do not fit
            why = first_line(error)[:200]
            raise InputError(f"the network cannot answer ({why}); export its weights anew") from None


class SeededNetwork(Network):
    """The seeded network with its weights."""

    def __init__(self, onnx_file: Path) -> None:
        super().__init__(onnx_file)
        if self.card.get("experts") != list(EXPERTS):
            raise InputError(f"{onnx_file} was trained with other experts than these; train it anew")
        try:
            self._heads = max(1, int(self.card["config"]["model"]["heads"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise InputError(f"the card of {onnx_file} has no config.model.heads; export it anew") from None

    def evaluate(self, table: Mapping[str, NDArray[Any]], seeds: Mapping[str, NDArray[Any]]) -> list[Array]:
        """Evaluate S rows against a table of M rows; all inputs are those of the graph, by name.

        ``table`` has ``rows`` [M, N] with cells -1, +1, or 0 where unknown, ``labels`` [M] of 0 and 1,
        ``weights`` [M] and ``row_opinions`` [M, E] of the experts; ``seeds`` has ``seeds`` (the rows [S, N]),
        ``seed_opinions`` [S, E] and ``seed_parts`` [S, N]. Returns log-odds: that a row is positive [S], that
        its values are part of its clause [S, N], and that an unseen row of this clause is positive [S].
        """
        table = {name: array.astype(np.float32, copy=False) for name, array in table.items()}
        M, N = table["rows"].shape
        size = max(1, FLOATS_AT_ONCE // (3 * self._heads * max(M, 4 * N)))
        parts = []
        for start in range(0, max(1, len(seeds["seeds"])), size):
            chunk = {name: array[start : start + size] for name, array in seeds.items()}
            apart = np.tile(table["weights"], (len(chunk["seeds"]), 1))
            parts.append(self.run({**table, **chunk, "apart": apart}))
        return [np.concatenate(column) for column in zip(*parts, strict=True)]


@cache
def shipped_seeded_network() -> SeededNetwork:
    """Return the seeded network whose weights are part of the package, loaded once."""
    return SeededNetwork(shipped_file("seeded"))
