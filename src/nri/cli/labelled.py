"""From a file and a target, as a person names them, to a labelled table."""

import pandas as pd

from nri.errors import InputError
from nri.labelled import Asked, label_table
from nri.table.read import read_table


def read_labelled(
    file: str, target: str | None, positive: str | None = None, weights: str | None = None
) -> Asked:
    """Read a file and split off its target; see :func:`nri.labelled.label_table`."""
    frame = read_table(file)
    if target is None:
        raise InputError(f"which column is to be explained? Add --target COLUMN, one of {_listed(frame)}")
    return label_table(frame, target, positive, weights)


def _listed(frame: pd.DataFrame, most: int = 12) -> str:
    """Name the columns; of many the first ones and the last, which is often the target."""
    names = [repr(name) for name in frame.columns]
    return ", ".join(names if len(names) <= most else [*names[: most - 1], "...", names[-1]])
