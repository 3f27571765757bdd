"""Find a data set by name: in a folder, among the generated ones, or on OpenML."""

import logging
import os
from functools import lru_cache
from pathlib import Path

from nri import InputError
from nri_bench.datasets.files import Entry, catalog, read_catalogued, read_own
from nri_bench.datasets.generated import generate, generated_names
from nri_bench.datasets.openml import read_openml
from nri_bench.datasets.table import Dataset, RawTable, binarize

logger = logging.getLogger("nri.bench")  # below "nri", whose notes the command line shows


def dataset_names() -> tuple[str, ...]:
    """Return every name :func:`load_dataset` knows: the fourteen of the paper, then the generated ones."""
    return tuple(catalog()) + tuple(name for name in generated_names() if name not in catalog())


def uci_names() -> tuple[str, ...]:
    """Return the fourteen sets of the paper's Table 1."""
    return tuple(catalog())


def load_dataset(name: str, data_dir: Path | None = None, *, download: bool = True) -> Dataset:
    """Return a data set by name, binarised.

    Parameters
    ----------
    name
        One of :func:`dataset_names`.
    data_dir
        Folder of CSV files; else the environment variable ``NRI_DATA`` is taken.
    download
        Whether OpenML may be asked for a set that is neither on disk nor generated.

    Examples
    --------
    >>> load_dataset("monks-1", download=False).X.shape
    (432, 17)
    """
    folder = data_dir or (Path(os.environ["NRI_DATA"]) if os.environ.get("NRI_DATA") else None)
    return _load(name, folder, download)


def load_raw(name: str, data_dir: Path | None = None, *, download: bool = False) -> RawTable:
    """Return a data set by name as it was read; see :func:`load_dataset`."""
    folder = data_dir or (Path(os.environ["NRI_DATA"]) if os.environ.get("NRI_DATA") else None)
    return _read(name, catalog().get(name), folder, download)


def load_csv(path: Path, target: str | None = None) -> Dataset:
    """Return the caller's own CSV, binarised; the target is the named column, or else the last one."""
    return binarize(read_own(path, target))


@lru_cache(maxsize=4)
def _load(name: str, folder: Path | None, download: bool) -> Dataset:
    entry = catalog().get(name)
    if entry is None and name not in generated_names():
        raise InputError(
            f"no data set {name!r}; there are {', '.join(dataset_names())}; own data: --csv FILE"
        )
    if folder is not None and not folder.is_dir():
        raise InputError(
            f"{folder}: not a folder; --data (or NRI_DATA) must name the folder of the CSV files"
        )
    data = binarize(_read(name, entry, folder, download))
    if entry is not None and data.sha256 != entry.sha256:
        logger.warning(
            "%s from %s is not cell for cell the table of our published results; expect small differences",
            name,
            data.source,
        )
    return data


def _read(name: str, entry: Entry | None, folder: Path | None, download: bool) -> RawTable:
    if entry is not None and folder is not None:
        raw = read_catalogued(entry, folder)
        if raw is not None:
            return raw
    if name in generated_names():
        return generate(name)
    assert entry is not None
    if download:
        return read_openml(entry)
    where = f"not in {folder}" if folder else "no folder given"
    raise InputError(
        f"{name}: {where} and downloading is off; "
        f"give a folder that holds {name}.csv with --data DIR or NRI_DATA"
    )
