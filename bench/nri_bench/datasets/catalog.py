"""The paper's fourteen UCI sets: where each one is found and what its columns are."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Entry:
    """One catalogued data set."""

    name: str
    openml_id: int
    rows: int
    classes: tuple[str, ...]
    numeric: tuple[str, ...]
    sha256: str
    """checksum of the cells our published rows were computed from"""


@cache
def catalog() -> dict[str, Entry]:
    """Return the fourteen sets by name, in the order of the paper's Table 1."""
    text = resources.files("nri_bench.datasets").joinpath("catalog.json").read_text(encoding="utf-8")
    return {
        name: Entry(
            name=name,
            openml_id=fields["openml_id"],
            rows=fields["rows"],
            classes=tuple(fields["classes"]),
            numeric=tuple(fields["numeric"]),
            sha256=fields["sha256"],
        )
        for name, fields in json.loads(text).items()
    }
