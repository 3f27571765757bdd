"""The tables of the golden cases: from docs/examples, from scikit-learn, and generated with a fixed seed."""

import datetime as dt
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn import datasets

_EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def visits() -> pd.DataFrame:
    """60 rows with yes and no, a number and a category."""
    return pd.read_csv(_EXAMPLES / "visits.csv")


def cell_cycle() -> pd.DataFrame:
    """Ten columns of 0 and 1, and the next state of one of them."""
    frame = pd.read_csv(_EXAMPLES / "cell-cycle.csv")
    return frame[[name for name in frame if not name.endswith("'") or name == "CycB'"]]


def cancer() -> pd.DataFrame:
    return _from_sklearn(datasets.load_breast_cancer(as_frame=True), "tumour", 120, columns=10)


def iris() -> pd.DataFrame:
    return _from_sklearn(datasets.load_iris(as_frame=True), "species", 90)


def wine() -> pd.DataFrame:
    return _from_sklearn(datasets.load_wine(as_frame=True), "cultivar", 120)


def diabetes() -> pd.DataFrame:
    data = datasets.load_diabetes(as_frame=True, scaled=False)
    return data.frame.sample(150, random_state=0).sort_index().reset_index(drop=True)


def patients() -> pd.DataFrame:
    """150 rows with every kind of column, missing cells, missing labels, weights and every outcome."""
    rng, rows = np.random.default_rng(20), 150
    age = rng.integers(18, 90, rows)
    bmi = np.round(rng.normal(26, 4, rows), 1)
    dose = rng.choice([2.5, 5.0, 7.5, 10.0], rows)
    smoker = rng.random(rows) < 0.4
    ward = rng.choice(["North", "South", "West", "intensive care"], rows, p=[0.4, 0.3, 0.2, 0.1])
    admitted = [dt.date(2023, 1, 1) + dt.timedelta(days=int(day)) for day in rng.integers(0, 700, rows)]
    late = np.array([day >= dt.date(2024, 1, 1) for day in admitted])
    ill = ((age > 60) & smoker) | ((ward == "West") & (bmi > 25)) | (late & (dose > 7))
    ill ^= rng.random(rows) < 0.05
    severity = np.where((age > 65) & smoker, "severe", np.where((bmi > 27) | (age > 75), "mild", "none"))
    bill = 500 + 900 * (age > 60) + 1400 * (ward == "intensive care") + 300 * late + rng.normal(0, 90, rows)
    days = rng.exponential(np.where((age > 60) & smoker, 60, np.where(bmi > 28, 150, 400)))
    died = days < 365
    frame = pd.DataFrame(
        {
            "id": [f"P{1000 + row}" for row in range(rows)],
            "age": age,
            "bmi": bmi,
            "dose": [f"{one:g} mg" for one in dose],
            "smoker": np.where(smoker, "yes", "no"),
            "ward": [text.upper() if row % 17 == 3 else text for row, text in enumerate(ward)],
            "admitted": [day.isoformat() for day in admitted],
            "country": "NL",
            "weight": rng.integers(1, 4, rows),
            "ill": np.where(ill, "ill", "well"),
            "severity": severity,
            "bill": np.round(bill, 2),
            "days": np.round(np.minimum(days, 365)),
            "died": died,
        }
    )
    for name, share in {"bmi": 0.08, "ward": 0.05, "smoker": 0.03}.items():
        frame.loc[rng.random(rows) < share, name] = None
    for name in ("ill", "severity", "bill"):
        frame.loc[rng.random(rows) < 0.06, name] = None
    return frame


def signs() -> pd.DataFrame:
    """Seven yes-no columns of which at least three of four make the outcome."""
    rng = np.random.default_rng(7)
    truth = rng.random((160, 7)) < 0.45
    outcome = (truth[:, :4].sum(axis=1) >= 3) ^ (rng.random(160) < 0.02)
    frame = pd.DataFrame(truth, columns=["fever", "cough", "pain", "rash", "chills", "cramp", "thirst"])
    return frame.assign(case=outcome)


def noise() -> pd.DataFrame:
    """80 rows whose outcome has nothing to do with their columns."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(np.round(rng.normal(size=(80, 4)), 2), columns=["a", "b", "c", "d"])
    number = np.round(rng.normal(10, 2, 80), 2)
    colour, y = rng.choice(["red", "blue"], 80), rng.choice(["no", "yes"], 80)
    return frame.assign(colour=colour, y=y, number=number)


def wide() -> pd.DataFrame:
    """1100 columns: more than are searched."""
    rng = np.random.default_rng(5)
    truth = rng.random((60, 1100)) < 0.5
    frame = pd.DataFrame(truth, columns=[f"g{column}" for column in range(1100)])
    return frame.assign(y=np.where(frame.g7 & frame.g500, "on", "off"))


def long_classes() -> pd.DataFrame:
    """9000 rows: more than are searched at once."""
    frame, rng = _long()
    hit = ((frame.x0 > 0.6) & (frame.kind == "b")) | ((frame.x1 < -0.8) & frame.flag)
    return frame.assign(y=np.where(hit ^ (rng.random(len(frame)) < 0.03), "yes", "no"))


def long_number() -> pd.DataFrame:
    frame, rng = _long()
    value = 5 + 3 * (frame.x0 > 0.5) + 2 * ((frame.kind == "b") & frame.flag)
    return frame.assign(y=np.round(value + rng.normal(0, 0.5, len(frame)), 3))


def _long() -> tuple[pd.DataFrame, np.random.Generator]:
    rng, rows = np.random.default_rng(11), 9000
    frame = pd.DataFrame(np.round(rng.normal(size=(rows, 4)), 2), columns=["x0", "x1", "x2", "x3"])
    return frame.assign(kind=rng.choice(["a", "b", "c"], rows), flag=rng.random(rows) < 0.5), rng


def _from_sklearn(data: object, target: str, rows: int, columns: int | None = None) -> pd.DataFrame:
    names = data.target_names  # type: ignore[attr-defined]
    frame = data.data.iloc[:, :columns]  # type: ignore[attr-defined]
    frame = frame.assign(**{target: names[data.target]})  # type: ignore[attr-defined]
    return frame.sample(rows, random_state=0).sort_index().reset_index(drop=True)


_MADE: dict[str, Callable[[], pd.DataFrame]] = {
    made.__name__: made
    for made in (
        visits,
        cell_cycle,
        cancer,
        iris,
        wine,
        diabetes,
        patients,
        signs,
        noise,
        wide,
        long_classes,
        long_number,
    )
}


@cache
def table_named(name: str) -> pd.DataFrame:
    """Return a table by the name of its function; do not change it."""
    return _MADE[name]()
