import datetime as dt
import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nri.table.cuts import find_thresholds, plain_date, plain_number

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def digits(number: float) -> int:
    """Significant digits of the number as a person would write it."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits) if number else 0


@given(FINITE, FINITE)
def test_a_plain_number_separates_its_neighbours(low: float, high: float) -> None:
    low, high = sorted((low, high))
    assume(low < high)
    assert low <= plain_number(low, high) < high


@given(st.integers(-10_000, 10_000), st.integers(1, 500))
def test_no_number_between_the_neighbours_has_fewer_digits(low: int, gap: int) -> None:
    chosen = plain_number(low, low + gap)
    assert digits(chosen) == min(digits(float(number)) for number in range(low, low + gap))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (61, 62, 61),
        (58, 65, 60),
        (59.9, 60.1, 60),
        (22, 29, 25),
        (0.1234567, 0.1234571, 0.123457),
        (95, 120, 100),
        (-1.5, 3, 0),
        (0, 7, 0),
        (-7, 0, -5),
        (-64, -59, -60),
        (1e-300, 2e-300, 1e-300),
        (0.1, 0.3, 0.2),
        (1, math.inf, 1),
        (-math.inf, -1, -2),
        (-math.inf, math.inf, 0),
    ],
)
def test_a_plain_number_is_what_a_person_would_say(low: float, high: float, expected: float) -> None:
    assert plain_number(low, high) == expected


@given(
    st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2200, 1, 1)),
    st.timedeltas(dt.timedelta(microseconds=1)),
)
def test_a_plain_date_separates_its_neighbours(low: dt.datetime, gap: dt.timedelta) -> None:
    assume(gap < dt.timedelta(days=30_000))
    ends = np.array([low, low + gap], dtype="datetime64[us]")
    assert ends[0] <= plain_date(ends[0], ends[1], ends[0]) < ends[1]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        ("2019-11-05", "2020-02-03", "2020-01-01"),
        ("2020-02-20", "2020-03-25", "2020-03-01"),
        ("2020-03-10", "2020-03-12", "2020-03-10"),
        ("2020-03-10T08:30", "2020-03-10T12:15", "2020-03-10T09"),
        ("2020-03-10T08:30:01.5", "2020-03-10T08:30:01.7", "2020-03-10T08:30:01.5"),
        ("2000-05-01", "2020-05-01", "2001-01-01"),
    ],
)
def test_a_plain_date_is_the_start_of_the_longest_span(low: str, high: str, expected: str) -> None:
    ends = np.array([low, high], dtype="datetime64[us]")
    assert plain_date(ends[0], ends[1], ends[0]) == np.datetime64(expected, "us")


def test_the_place_where_the_labels_change_is_found_among_many() -> None:
    values = np.random.default_rng(0).permutation(np.arange(200.0))
    labels = ((values > 40) & (values <= 130)).astype(np.int64)
    found = find_thresholds(values, labels)
    assert {40.0, 130.0} <= set(found)


def test_a_noise_free_cut_stays_exact_however_ugly_the_number() -> None:
    values = np.linspace(0, 1, 1000)
    labels = (values > 0.4321).astype(np.int64)
    found = find_thresholds(values, labels)
    assert any(np.array_equal(values > threshold, labels == 1) for threshold in found)


def test_a_noisy_cut_is_moved_to_a_plain_number_nearby() -> None:
    generator = np.random.default_rng(1)
    values = generator.normal(50_000, 10_000, size=2000).round()
    labels = (generator.random(2000) < np.where(values > 51_234, 0.6, 0.4)).astype(np.int64)
    found = find_thresholds(values, labels)
    assert found
    assert all(digits(threshold) <= 4 for threshold in found)


def test_without_labels_or_evidence_the_middle_is_cut() -> None:
    values = np.arange(1, 101).astype(float)
    unsupervised = find_thresholds(values)
    assert len(unsupervised) == 3
    assert np.allclose(unsupervised, [25, 50, 75], atol=3)
    labels = np.arange(100) % 2  # says nothing about the order
    guessed = find_thresholds(values, labels)
    assert min(abs(threshold - 50) for threshold in guessed) <= 3


def test_never_more_thresholds_than_asked_for() -> None:
    generator = np.random.default_rng(2)
    values = generator.random(500)
    labels = (values * 20).astype(np.int64) % 2
    assert len(find_thresholds(values, labels)) == 6
    assert len(find_thresholds(values, labels, max_thresholds=1)) == 1


@pytest.mark.parametrize("n_rows", [2, 3, 5, 10, 20])
def test_few_rows_are_enough(n_rows: int) -> None:
    values = np.arange(n_rows, dtype=float) * 3
    labels = (np.arange(n_rows) >= n_rows // 2).astype(np.int64)
    found = find_thresholds(values, labels)
    assert any(np.array_equal(values > threshold, labels == 1) for threshold in found)


def test_one_value_or_none_gives_no_threshold() -> None:
    assert find_thresholds(np.array([])) == []
    assert find_thresholds(np.array([5.0, 5.0]), np.array([0, 1])) == []


def test_infinite_cells_still_give_finite_thresholds() -> None:
    values = np.array([-np.inf, -np.inf, 1.0, 2.0, np.inf, np.inf])
    found = find_thresholds(values, np.array([0, 0, 1, 1, 0, 0]))
    assert found
    assert np.isfinite(found).all()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e9, 1e9), st.integers(0, 3), st.floats(0, 5)), min_size=2, max_size=40),
    st.randoms(use_true_random=False),
)
def test_thresholds_part_the_rows_and_do_not_depend_on_their_order(rows: list[tuple], random: object) -> None:
    def found(ordered: list[tuple]) -> list[float]:
        values, labels, weights = zip(*ordered, strict=True)
        return find_thresholds(np.array(values), np.array(labels), np.array(weights))

    thresholds = found(rows)
    values = np.array([row[0] for row in rows])
    parts = {(values > threshold).tobytes() for threshold in thresholds}
    assert len(parts) == len(thresholds)
    assert all((values > threshold).any() and (values <= threshold).any() for threshold in thresholds)
    random.shuffle(rows)  # type: ignore[attr-defined]
    assert found(rows) == thresholds


def test_two_cuts_never_round_to_one() -> None:
    """Both cuts of these three values could be said as a plain number between the last two."""
    values = np.array([-500_001.0, -500_000.0, 0.0])
    found = find_thresholds(values, np.array([0, 1, 0]))
    assert len({(values > threshold).tobytes() for threshold in found}) == len(found)
