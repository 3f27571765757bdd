import hashlib
import itertools
import warnings
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from nri import InputError
from nri_bench.datasets import dataset_names, load_csv, load_dataset, uci_names
from nri_bench.datasets.files import Entry, catalog, read_catalogued
from nri_bench.datasets.generated import generate, generated_names
from nri_bench.datasets.openml import read_openml
from nri_bench.datasets.table import binarize, checksum

TINY = Entry("tiny", 7, 4, ("no", "yes"), ("age",), "")
COLUMNS = pd.DataFrame({"age": [10, 20, 30, None], "colour": ["red", None, "blue", "red"]})
TARGET = pd.Series(["no", "no", "yes", "yes"])


@pytest.fixture(autouse=True)
def _no_data_folder(monkeypatch):
    monkeypatch.delenv("NRI_DATA", raising=False)


@pytest.mark.parametrize("name", generated_names())
def test_a_generated_set_is_the_same_every_time(name):
    one, two = binarize(generate(name)), binarize(generate(name))
    assert one.sha256 == two.sha256
    assert set(np.unique(one.X)) <= {0.0, 1.0}
    assert len(one.variables) == one.n_variables


def test_generated_tic_tac_toe_is_the_uci_file_cell_for_cell():
    assert binarize(generate("tic-tac-toe")).sha256 == catalog()["tic-tac-toe"].sha256


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("monks-1", [216, 216]),
        ("monks-2", [290, 142]),
        ("monks-3", [204, 228]),
        ("tic-tac-toe", [332, 626]),
        ("balance-scale", [49, 288, 288]),
        ("mux6", [32, 32]),
        ("mux11", [1024, 1024]),
        ("parity5+5", [512, 512]),
        ("corral", [72, 56]),
    ],
)
def test_class_counts_are_the_published_ones(name, counts):
    assert np.bincount(load_dataset(name).y).tolist() == counts


def test_the_multiplexer_address_chooses_the_data_bit():
    data = load_dataset("mux6")
    for bits in itertools.product((0, 1), repeat=6):
        row = (bits == data.X).all(axis=1)
        assert data.y[row].tolist() == [bits[2 + 2 * bits[0] + bits[1]]]


def test_corral_correlated_column_is_right_three_times_of_four():
    data = load_dataset("corral")
    assert np.mean(data.X[:, 5] == data.y) == 0.75


def test_numbers_are_cut_at_the_median_and_missing_stays_missing(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("age,colour,ok\n10,red,n\n20,,n\n30,blue,y\n,red,y\n")
    data = load_csv(path)
    assert data.variables == ("age > 20", "colour = blue", "colour = red")
    expected = [[0, 0, 1], [0, np.nan, np.nan], [1, 1, 0], [np.nan, 0, 1]]
    np.testing.assert_array_equal(data.X, expected)
    assert data.y.tolist() == [0, 0, 1, 1]
    assert data.classes == ("n", "y")


def test_a_named_target_may_stand_anywhere(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("ok,b\nn,0\ny,1\n")
    assert load_csv(path, "ok").variables == ("b",)


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        ("a,b\n1,x\n", "c", "no column 'c'"),
        ("a,b\n1,x\n2,\n", None, "line 3 has no value"),
        ("a,b\n1,x\n2,x\n", None, "one class only"),
        ("a,b\n,x\n,y\n", None, "every column is empty"),
        ("a\n1\n", None, "needs a header"),
        ("", None, "not a readable CSV"),
    ],
)
def test_an_unusable_csv_says_what_is_wrong(tmp_path, text, target, message):
    path = tmp_path / "own.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_csv(path, target)


def test_files_in_the_data_folder_come_first(tmp_path):
    entry = catalog()["tic-tac-toe"]
    raw = generate("tic-tac-toe")
    raw.frame.assign(**{"class": raw.target}).to_csv(tmp_path / "tic-tac-toe.csv", index=False)
    found = read_catalogued(entry, tmp_path)
    assert found is not None
    assert found.source.endswith("tic-tac-toe.csv")
    assert load_dataset("tic-tac-toe", tmp_path).source.endswith("tic-tac-toe.csv")


def test_a_truncated_file_is_refused(tmp_path):
    (tmp_path / "vote.csv").write_text("a,class\ny,democrat\n")
    with pytest.raises(InputError, match="435"):
        load_dataset("vote", tmp_path)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["no", "no", "", "yes"], "line 4 has no value in the target 'class'"),
        (["no", "no", "yes", "maybe"], "the classes are maybe, no, yes, but tiny has no, yes"),
        (["no", "no", "no", "no"], "the classes are no, but tiny has no, yes"),
        (["0", "0", "1", "1"], "the classes are 0, 1, but tiny has no, yes"),
    ],
)
def test_a_catalogued_file_with_other_classes_is_refused(tmp_path, labels, message):
    """An empty class was once a class of its own, and the catalogue's classes were never looked at."""
    COLUMNS.assign(**{"class": labels}).to_csv(tmp_path / "tiny.csv", index=False)
    with pytest.raises(InputError, match=message):
        read_catalogued(TINY, tmp_path)


def test_the_generated_sets_of_the_catalogue_have_its_classes():
    for name in set(generated_names()) & set(catalog()):
        assert binarize(generate(name)).classes == catalog()[name].classes


def test_a_set_that_is_nowhere_names_the_remedy(tmp_path):
    with pytest.raises(InputError, match="--data DIR or NRI_DATA"):
        load_dataset("vote", tmp_path, download=False)
    with pytest.raises(InputError, match="no data set 'votes'"):
        load_dataset("votes")
    with pytest.raises(InputError, match="not a folder"):
        load_dataset("vote", tmp_path / "nowhere")


def test_the_catalogue_has_the_papers_fourteen_sets():
    assert len(uci_names()) == 14
    assert set(uci_names()) < set(dataset_names())
    assert all(len(entry.sha256) == 64 for entry in catalog().values())


def test_checksums_read_numbers_as_numbers_and_ignore_names():
    one = checksum(pd.DataFrame({"a": ["1", "2"]}), ["x", "y"], ["a"])
    two = checksum(pd.DataFrame({"b": ["1.0", "2.00"]}), ["x", "y"], ["b"])
    other = checksum(pd.DataFrame({"b": ["2", "1"]}), ["x", "y"], ["b"])
    assert one == two != other


def test_openml_is_asked_once_then_the_cache_serves(tmp_path):
    asked = []

    def fetch(openml_id):
        asked.append(openml_id)
        return COLUMNS, TARGET

    first = read_openml(TINY, tmp_path, fetch)
    second = read_openml(TINY, tmp_path, fetch)
    assert asked == [7]
    pd.testing.assert_frame_equal(first.frame, second.frame)
    assert binarize(first).variables == ("age > 20", "colour = blue", "colour = red")


def test_a_damaged_cache_is_fetched_again(tmp_path):
    asked = []

    def fetch(openml_id):
        asked.append(openml_id)
        return COLUMNS, TARGET

    read_openml(TINY, tmp_path, fetch)
    path = tmp_path / "tiny.csv"
    path.write_text(path.read_text().replace("10", "99"))
    assert read_openml(TINY, tmp_path, fetch).frame["age"].tolist()[0] in ("10", "10.0")
    assert asked == [7, 7]
    assert (tmp_path / "tiny.csv.sha256").read_text().strip() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_an_unreachable_openml_names_the_remedy(tmp_path):
    def fetch(openml_id):
        raise OSError("no route to host")

    with pytest.raises(InputError, match=r"tiny\.csv with --data DIR or NRI_DATA"):
        read_openml(TINY, tmp_path, fetch)


def test_an_unreachable_openml_is_told_once(tmp_path, monkeypatch):
    """scikit-learn's warning that it tries again once stood above our line; here it would be an error."""

    def fetch_openml(**options):
        warnings.warn("A network error occurred while downloading x. Retrying...", stacklevel=2)
        raise URLError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(InputError, match="cannot be reached"):
        read_openml(TINY, tmp_path)
