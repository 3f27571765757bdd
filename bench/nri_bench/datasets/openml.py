"""Data sets from OpenML, through scikit-learn, kept in a cache with a checksum beside each file."""

import hashlib
import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from urllib.error import URLError

import pandas as pd

from nri import InputError
from nri_bench.datasets.files import TARGET, Entry, read_catalogued
from nri_bench.datasets.table import RawTable

logger = logging.getLogger("nri.bench")  # below "nri", whose notes the command line shows

Fetch = Callable[[int], tuple[pd.DataFrame, "pd.Series[str]"]]
"""Takes an OpenML id, gives the columns and the target."""


NETWORK_TROUBLE = "A network error occurred"


def cache_folder() -> Path:
    """Return the folder of fetched data sets: ``NRI_CACHE``, else the user's cache folder."""
    if "NRI_CACHE" in os.environ:
        return Path(os.environ["NRI_CACHE"]) / "datasets"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "nri" / "datasets"


def read_openml(entry: Entry, folder: Path | None = None, fetch: Fetch | None = None) -> RawTable:
    """Return the data set from the cache, fetching it first if it is not there or was damaged."""
    folder = cache_folder() if folder is None else folder
    path, mark = folder / f"{entry.name}.csv", folder / f"{entry.name}.csv.sha256"
    if not _intact(path, mark):
        frame, target = _fetch(entry, fetch or fetch_from_openml)
        folder.mkdir(parents=True, exist_ok=True)
        _normalise(entry, frame, target).to_csv(path, index=False)
        mark.write_text(_file_sum(path) + "\n", encoding="utf-8")
    raw = read_catalogued(entry, folder)
    assert raw is not None, "the file was just written"
    return RawTable(raw.name, raw.frame, raw.target, raw.numeric, f"OpenML {entry.openml_id}")


def fetch_from_openml(openml_id: int) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    """Download one data set; scikit-learn checks the archive's own MD5."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # that it tries again after a network error; the outcome is one line
        warnings.filterwarnings("ignore", message=NETWORK_TROUBLE, category=UserWarning)
        bunch = fetch_openml(data_id=openml_id, as_frame=True, parser="auto", data_home=None, cache=False)
    return bunch.data, bunch.target


def _fetch(entry: Entry, fetch: Fetch) -> tuple[pd.DataFrame, "pd.Series[str]"]:
    logger.info("fetching %s (OpenML %d)", entry.name, entry.openml_id)
    try:
        return fetch(entry.openml_id)
    except (URLError, OSError, ValueError) as error:
        raise InputError(
            f"{entry.name}: not on disk and OpenML {entry.openml_id} cannot be reached ({error}); "
            f"give a folder that holds {entry.name}.csv with --data DIR or NRI_DATA"
        ) from error


def _normalise(entry: Entry, frame: pd.DataFrame, target: "pd.Series[str]") -> pd.DataFrame:
    """Bring OpenML's table to the catalogue's form: its row count, its numeric names, target last."""
    if len(frame) < entry.rows:
        raise InputError(
            f"{entry.name}: OpenML {entry.openml_id} has {len(frame)} rows, not {entry.rows}; use --data DIR"
        )
    # OpenML's adult is UCI's test part followed by its training part; ours is the training part.
    tidy = frame.tail(entry.rows).reset_index(drop=True)
    labels = target.tail(entry.rows).reset_index(drop=True)
    tidy = tidy.rename(columns=_unescaped).astype(object)
    for column in tidy.columns:
        tidy[column] = tidy[column].map(_tidy_cell, na_action="ignore")
    tidy[TARGET] = labels.astype(str).map(_tidy_cell)
    return tidy


def _tidy_cell(cell: object) -> object:
    return cell.strip().strip("'\"").strip() if isinstance(cell, str) else cell


def _unescaped(column: str) -> str:
    """OpenML writes punctuation in names as percent codes, e.g. ``char_freq_%3B``."""
    from urllib.parse import unquote

    return unquote(str(column)).strip("'\"")


def _intact(path: Path, mark: Path) -> bool:
    if not (path.is_file() and mark.is_file()):
        return False
    if mark.read_text(encoding="utf-8").strip() == _file_sum(path):
        return True
    logger.warning("%s does not match its checksum; fetching it again", path)
    return False


def _file_sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
