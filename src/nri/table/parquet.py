"""Parquet: a file that says how large it is before it is read, and whose columns have types."""

import io
from typing import Any

import pandas as pd

from nri.errors import InputError
from nri.table.budget import MEMORY_A_VALUE, Budget
from nri.table.frame import as_frame, check_distinct

MAGIC = b"PAR1"


def read_parquet(content: bytes, name: str, budget: Budget) -> pd.DataFrame:
    """Return the cells of a Parquet file.

    Parameters
    ----------
    content
        The whole file.
    name
        What to call it in messages.
    budget
        What it may take once it is read; checked by what the file says of itself.

    Raises
    ------
    InputError
        If it is damaged, too large, or has no rows.
    """
    from pyarrow import parquet

    try:
        _check_size(content, name, budget)
        table = parquet.ParquetFile(io.BytesIO(content)).read()
        table.validate(full=True)  # texts that are none would be found out much later
        check_distinct(table.column_names)
        frame = table.to_pandas(integer_object_nulls=True)
        if frame.index.name is not None or frame.index.nlevels > 1:
            frame = frame.reset_index()
    except InputError:
        raise
    except Exception as error:  # what bytes were changed by chance decides which one it is
        cause = " ".join(str(error).split())[:100] or type(error).__name__
        raise InputError(f"{name} is no readable Parquet file ({cause}); write it again") from None
    if not len(frame):
        raise InputError(f"{name} has no rows; give at least one row")
    return as_frame(frame)


def _check_size(content: bytes, name: str, budget: Budget) -> None:
    """Refuse a file by what it says of itself, before anything is unpacked."""
    from pyarrow import parquet

    about = parquet.ParquetFile(io.BytesIO(content)).metadata
    budget.check_cells(about.num_rows * about.num_columns, name)
    chunks = [
        about.row_group(group).column(place)
        for group in range(about.num_row_groups)
        for place in range(about.num_columns)
    ]
    values = sum(chunk.num_values for chunk in chunks)  # a cell that is a list holds many
    budget.check_cells(values, name)
    budget.check_unpacked(sum(chunk.total_uncompressed_size for chunk in chunks), name)
    least = sum(MEMORY_A_VALUE * chunk.num_values + chunk.total_uncompressed_size for chunk in chunks)
    budget.check_memory(least, name)
    texts = [chunk for chunk in chunks if chunk.physical_type == "BYTE_ARRAY"]
    most = sum(chunk.num_values * chunk.total_uncompressed_size for chunk in texts)
    if least + most > budget.memory:
        budget.check_memory(least + _text_size(content, about), name)


def _text_size(content: bytes, about: Any) -> int:
    """Return how many bytes all texts have, each counted as often as it occurs, without unfolding them."""
    import pyarrow
    from pyarrow import compute, parquet

    schema = about.schema
    names = sorted(
        {
            schema.column(place).path
            for place in range(about.num_columns)
            if schema.column(place).physical_type == "BYTE_ARRAY" and "." not in schema.column(place).path
        }
    )
    file = parquet.ParquetFile(io.BytesIO(content), read_dictionary=names)
    size = 0
    for group in range(about.num_row_groups):
        for name in names:
            for chunk in file.read_row_group(group, columns=[name]).column(0).chunks:
                if not isinstance(chunk, pyarrow.DictionaryArray):
                    size += chunk.nbytes
                    continue
                lengths = compute.binary_length(chunk.dictionary)
                size += compute.sum(compute.take(lengths, chunk.indices)).as_py() or 0
    return size
