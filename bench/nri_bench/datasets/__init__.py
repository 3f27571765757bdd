"""Benchmark data sets by name."""

from nri_bench.datasets.load import dataset_names, load_csv, load_dataset, uci_names
from nri_bench.datasets.table import Dataset, RawTable

__all__ = ["Dataset", "RawTable", "dataset_names", "load_csv", "load_dataset", "uci_names"]
