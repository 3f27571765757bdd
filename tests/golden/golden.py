"""The golden corpus: what small tables give, frozen, so that a rebuild can be compared with it.

Each case is frozen in ``cases/NAME.json``, with keys that can be judged one by one. ``older`` holds rule
files as an earlier version wrote them, with rows and what the rule predicts of these. To freeze anew:

    python tests/golden/golden.py                        all cases
    python tests/golden/golden.py NAME ... --keys json   only some cases, only some keys
    python tests/golden/golden.py --older                add rule files of this version to ``older``
"""

import argparse
import io
import json
import logging
import math
import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from golden_tables import table_named

import nri

os.environ["NRI_JOBS"] = "1"  # commands cross-validate in this process
HERE = Path(__file__).parent
CASES_FOLDER, OLDER_FOLDER = HERE / "cases", HERE / "older"
PREDICTED_ROWS, OLDER_ROWS = 40, 30


@dataclass(frozen=True)
class Case:
    """A table, what is explained, and how."""

    name: str
    table: str
    target: str | None = None
    time: str | None = None
    event: str | None = None
    positive: str | None = None
    weights: str | None = None
    without: tuple[str, ...] = ()
    """columns that are dropped before the table is written, such as other outcomes"""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """arguments of :class:`nri.Settings`"""
    knowledge: Mapping[str, Any] = field(default_factory=dict)
    """arguments of :class:`nri.Knowledge`; ``keep`` names a case whose clauses are kept"""
    source: str = "csv"
    """csv, tsv, parquet, xlsx, frame, sqlite or duckdb, which reads a CSV file in place"""
    command: tuple[str, ...] | None = None
    """further options, where the case goes through the command line; settings have no effect then"""
    config: str = ""
    """a file of settings for the command line"""
    cv: bool = False
    """whether cross-validated numbers are frozen too"""

    @property
    def frame(self) -> pd.DataFrame:
        return table_named(self.table).drop(columns=list(self.without))


# ---------------------------------------------------------------------------------------------- the cases


def _about(outcome: str) -> dict[str, Any]:
    """Return the columns of ``patients`` that a case about one outcome leaves out."""
    dropped = {"ill", "severity", "bill", "days", "died", "weight"} - set(outcome.split())
    return {"table": "patients", "without": tuple(sorted(dropped))}


_VISITS: dict[str, Any] = {"table": "visits", "target": "flu"}
_ILL: dict[str, Any] = {**_about("ill"), "target": "ill"}
_SEVERITY: dict[str, Any] = {**_about("severity"), "target": "severity"}
_BILL: dict[str, Any] = {**_about("bill"), "target": "bill"}
_DIED: dict[str, Any] = {**_about("days died"), "time": "days", "event": "died"}

CASES: tuple[Case, ...] = (
    # two classes, by source
    Case("visits-csv", **_VISITS),
    Case("visits-tsv", **_VISITS, source="tsv"),
    Case("visits-parquet", **_VISITS, source="parquet"),
    Case("visits-xlsx", **_VISITS, source="xlsx"),
    Case("visits-frame", **_VISITS, source="frame"),
    Case("visits-command", **_VISITS, command=("--cv",)),
    Case("visits-sqlite", **_VISITS, source="sqlite", command=("--table", "rows")),
    Case("visits-duckdb", **_VISITS, source="duckdb", command=("--cv",)),
    # two classes, by model and limit
    Case("visits-greedy", **_VISITS, settings={"model": "greedy"}, cv=True),
    Case("visits-paper", **_VISITS, settings={"model": "paper"}),
    Case("visits-paper-tuned", **_VISITS, settings={"model": "paper-tuned"}),
    Case("visits-stable", **_VISITS, settings={"stable": True}),
    Case(
        "visits-floor",
        **_VISITS,
        command=("--positive", "no", "--min-sensitivity", "0.93", "--model", "greedy"),
    ),
    Case("visits-short", **_VISITS, settings={"max_clauses": 1, "max_literals": 2}),
    Case("visits-positive", **_VISITS, positive="no"),
    Case("cancer", table="cancer", target="tumour"),
    Case("cancer-min-precision", table="cancer", target="tumour", settings={"min_precision": 0.97}),
    Case(
        "cancer-monotone",
        table="cancer",
        target="tumour",
        positive="malignant",
        knowledge={
            "monotone": {"mean radius": "up", "mean texture": "up"},
            "cuts": {"mean radius": [12, 15]},
        },
    ),
    Case("cell-cycle", table="cell_cycle", target="CycB'", source="frame"),
    Case("noise", table="noise", target="y", without=("number",)),
    # every kind of column, missing cells, rows without a label
    Case("ill", **_ILL, cv=True),
    Case("ill-parquet", **_ILL, source="parquet"),
    Case("ill-weights", **_about("ill weight"), target="ill", weights="weight"),
    Case("ill-costs", **_ILL, settings={"costs": {"ill": 5.0}}),
    Case("ill-columns", **_ILL, settings={"use": ("age", "smoker", "admitted")}),
    Case("ill-without", **_ILL, settings={"never": ("smoker",)}),
    Case("ill-require", **_ILL, settings={"require": ("age",), "max_clauses": 2}),
    Case("ill-forbid", **_ILL, knowledge={"forbid": ("age > 50",)}),
    Case("ill-cuts", **_ILL, knowledge={"cuts": {"age": [40, 65]}}),
    Case("ill-one", **_ILL, positive="ill", settings={"max_clauses": 1, "max_literals": 2}),
    Case("ill-keep", **_ILL, positive="ill", knowledge={"keep": "ill-one"}),
    Case("ill-positive-literals", **_ILL, settings={"negations": False}),
    Case("ill-medians", **_ILL, settings={"binarize": "paper"}),
    Case(
        "ill-command",
        **_ILL,
        source="xlsx",
        command=("--positive", "ill", "--cost", "ill=3"),
        config='[knowledge]\ncuts = {age = [40, 65]}\nforbid = ["dose > 5"]\n',
    ),
    Case("bill-above", **_about("bill"), target="bill > 1500"),
    Case("signs", table="signs", target="case", cv=True),
    Case("signs-count-only", table="signs", target="case", settings={"counts": "only"}),
    Case("signs-count-never", table="signs", target="case", settings={"counts": "never"}),
    Case("long-classes", table="long_classes", target="y", settings={"model": "greedy"}),
    Case(
        "long-classes-duckdb", table="long_classes", target="y", source="duckdb", command=("--sample", "2000")
    ),
    Case("wide", table="wide", target="y", settings={"model": "greedy"}, source="frame"),
    # several classes
    Case("iris", table="iris", target="species", cv=True),
    Case("iris-positive", table="iris", target="species", positive="virginica"),
    Case("wine", table="wine", target="cultivar"),
    Case(
        "wine-greedy",
        table="wine",
        target="cultivar",
        settings={"model": "greedy"},
        source="parquet",
        cv=True,
    ),
    Case("severity", **_SEVERITY),
    Case("severity-balanced", **_SEVERITY, settings={"costs": "balanced", "max_literals": 2}),
    Case("severity-duckdb", **_SEVERITY, source="duckdb", command=()),
    # a number
    Case("diabetes", table="diabetes", target="target", cv=True),
    Case("diabetes-short", table="diabetes", target="target", settings={"max_clauses": 3, "max_literals": 1}),
    Case("bill", **_BILL),
    Case("bill-weights", **_about("bill weight"), target="bill", weights="weight", source="xlsx"),
    Case(
        "bill-cuts",
        **_BILL,
        settings={"never": ("smoker",), "require": ("age",)},
        knowledge={"cuts": {"age": [40, 60]}, "forbid": ("bmi > 25",)},
    ),
    Case("bill-command", **_BILL, command=("--cv",)),
    Case("noise-number", table="noise", target="number", without=("y",), command=("--cv",)),
    Case("long-number", table="long_number", target="y", source="parquet"),
    # survival
    Case("died", **_DIED, cv=True),
    Case("died-weights", **_about("days died weight"), time="days", event="died", weights="weight", cv=True),
    Case("died-short", **_DIED, settings={"max_clauses": 1, "max_literals": 1}, source="frame"),
    Case(
        "died-compared", **_about("days severity"), time="days", event="severity = severe", source="parquet"
    ),
    Case("died-command", **_DIED, source="tsv", command=("--cv",)),
    # mistakes
    Case("mistake-target", table="visits", target="flue", command=()),
    Case("mistake-cost", **_BILL, command=("--cost", "ill=3")),
    Case("mistake-event", **_about("days died"), time="days", command=()),
)
BY_NAME = {case.name: case for case in CASES}

OLDER = (
    "visits-csv",
    "visits-duckdb",
    "cell-cycle",
    "ill",
    "ill-weights",
    "ill-keep",
    "signs-count-only",
    "bill-above",
    "iris",
    "wine",
    "severity",
    "diabetes",
    "bill",
    "bill-weights",
    "died",
    "died-weights",
)
"""Cases of which the rule file is kept as it was written."""


# ----------------------------------------- the product: adapt what follows when its public names change


@dataclass
class Result:
    """What the product gives for a case."""

    rule: Any = None
    """None where the command line refused"""
    messages: list[str] = field(default_factory=list)
    output: str | None = None
    """what a command printed"""


def induced(case: Case) -> Result:
    """Induce the rule of a case, in the current folder, where its table is written."""
    if case.command is not None:
        return _by_command(case)
    settings, rng = _settings(case), np.random.default_rng(0)
    with _logged() as messages:
        table = _read(case)
        induction = nri.induce_rule(table, settings, rng=rng)
    messages += [f"left out: {one}" for one in induction.left_out]
    messages += [f"{name}: {getattr(induction, name, None)}" for name in ("searched", "searched_columns")]
    return Result(induction.rule, [one for one in messages if not one.endswith(": None")])


def cross_validated(case: Case) -> dict[str, float]:
    """Return the cross-validated numbers of a case."""
    score = nri.cross_validate(_read(case), _settings(case), rng=np.random.default_rng(0))
    return {score.measure: score.value, f"{score.measure}_error": score.error, **score.details}


def branches(rule: Any) -> list[list[Any]]:
    """Return a rule in a form that does not depend on its class: conditions and value, default last."""
    listed = [[sorted(map(str, one.clause)), one.clause.at_least, _value(one.value)] for one in rule.branches]
    plain = [
        [conditions if needed == len(conditions) else [f"at least {needed} of", *conditions], label]
        for conditions, needed, label in listed
    ]
    return [*plain, ["default", _value(rule.default)]]


def _value(value: Any) -> Any:
    """Return a prediction as plain data."""
    return value.item() if isinstance(value, np.generic) else value


def forms(rule: Any) -> dict[str, Any]:
    """Return a rule as text, JSON, SQL and Python, of which the readers of cells are left out."""
    written = {form: rule.render(form) for form in ("text", "sql", "python")}
    written["python"] = written["python"][written["python"].index("# Predicts ") :]
    return {**written, "json": json.loads(rule.render("json"))}


def predictions(rule: Any, rows: Any) -> dict[str, list[Any]]:
    """Return what a rule predicts of rows, and how probable it holds each class, if there are classes."""
    predicted = {"predictions": np.asarray(rule.predict(rows)).tolist()}
    if rule.predicts.kind == "classes":
        predicted["probabilities"] = rule.predict_proba(rows).tolist()
    return predicted


def _settings(case: Case) -> nri.Settings:
    known = dict(case.knowledge)
    if "keep" in known:
        known["keep"] = induced(BY_NAME[known["keep"]]).rule
    return nri.Settings(**case.settings, knowledge=nri.Knowledge(**known))


def _read(case: Case) -> Any:
    """Read the table of a case with what is explained."""
    source = write_source(case)
    if case.time is not None:
        return nri.read_table(source, time=case.time, event=case.event, weights=case.weights)
    return nri.read_table(source, case.target, positive=case.positive, weights=case.weights)


def _by_command(case: Case) -> Result:
    from nri.cli.app import main

    options = {"--target": case.target, "--time": case.time, "--event": case.event, "--weights": case.weights}
    arguments = ["induce", str(write_source(case)), "--out", "rule.json", *(case.command or ())]
    arguments += [text for name, value in options.items() if value is not None for text in (name, value)]
    if case.config:
        Path("settings.toml").write_text(case.config, encoding="utf-8")
        arguments += ["--config", "settings.toml"]
    if case.source == "duckdb":
        arguments += ["--engine", "duckdb"]
    stdout, stderr, code = io.StringIO(), io.StringIO(), None
    with redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code
    rule = nri.read_rule("rule.json") if code == 0 else None
    return Result(rule, [*stderr.getvalue().splitlines(), f"exit code {code}"], stdout.getvalue())


# ------------------------------------------------------------------------------------------- the machinery


def write_source(case: Case) -> Any:
    """Write the table of a case as its source in the current folder; return what the product is given."""
    frame = case.frame
    match case.source:
        case "frame":
            return frame
        case "parquet":
            frame.to_parquet("table.parquet", index=False)
        case "xlsx":
            frame.to_excel("table.xlsx", index=False)
        case "tsv":
            frame.to_csv("table.tsv", index=False, sep="\t")
        case "sqlite":
            connection = sqlite3.connect("table.sqlite")
            frame.to_sql("rows", connection, index=False, if_exists="replace")
            connection.close()
            return "sqlite:///table.sqlite"
        case _:
            frame.to_csv("table.csv", index=False)
            return "table.csv"
    return f"table.{case.source}"


@contextmanager
def _logged() -> Iterator[list[str]]:
    """Collect the warnings of the library's logger."""
    messages: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    handler = Collector(logging.WARNING)
    logging.getLogger("nri").addHandler(handler)
    try:
        yield messages
    finally:
        logging.getLogger("nri").removeHandler(handler)


def computed(case: Case) -> dict[str, Any]:
    """Return everything that is frozen of a case."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        result = induced(case)
        values: dict[str, Any] = {"messages": result.messages}
        if result.output is not None:
            values["output"] = result.output.splitlines()
        if result.rule is not None:
            values["rule"] = branches(result.rule)
            values |= forms(result.rule) | predictions(result.rule, case.frame.head(PREDICTED_ROWS))
        if case.cv:
            with _logged():  # the notes are those of the induction
                values["cross_validated"] = cross_validated(case)
    for name in ("text", "sql", "python"):
        if name in values:
            values[name] = values[name].splitlines()
    values["probabilities"] = _rounded(values.get("probabilities"), 6)
    return {name: _rounded(values[name], 9) for name in KEYS if values.get(name) is not None}


KEYS = (
    "rule",
    "text",
    "messages",
    "output",
    "cross_validated",
    "sql",
    "python",
    "predictions",
    "probabilities",
    "json",
)


def _rounded(value: Any, digits: int) -> Any:
    """Return plain JSON with numbers rounded to so many digits behind the point."""
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, Mapping):
        return {str(key): _rounded(one, digits) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one, digits) for one in value]
    return value


def is_close(first: Any, second: Any) -> bool:
    """Whether two pieces of JSON are the same but for the last digits of numbers.

    Processors differ in the seventh digit of a belief, which may then be rounded to another third digit: a
    share of few rows differs by up to 1e-4 between machines, and its two printed digits by one.
    """
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, str) and isinstance(second, str):
        return _is_close_text(first, second)
    if isinstance(first, int | float) and isinstance(second, int | float):
        return math.isclose(first, second, rel_tol=1e-6, abs_tol=1e-4)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(is_close, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(is_close(first[key], second[key]) for key in first)
    return bool(first == second)


_SHARE = re.compile(r"\b0\.\d\d\b")


def _is_close_text(first: str, second: str) -> bool:
    shares, others = ([float(share) for share in _SHARE.findall(text)] for text in (first, second))
    same_words = _SHARE.sub("", first) == _SHARE.sub("", second)
    return same_words and np.allclose(shares, others, rtol=0, atol=0.0101)


def frozen(case: Case) -> dict[str, Any]:
    """Return what is frozen of a case."""
    content: dict[str, Any] = json.loads((CASES_FOLDER / f"{case.name}.json").read_text(encoding="utf-8"))
    return content


def freeze(cases: Sequence[Case] = CASES, keys: Sequence[str] | None = None) -> None:
    """Write what cases give now, or some keys of it; files of cases that are no more are removed."""
    CASES_FOLDER.mkdir(exist_ok=True)
    for file in CASES_FOLDER.glob("*.json"):
        if file.stem not in BY_NAME:
            file.unlink()
    for case in cases:
        content = computed(case)
        if keys:
            kept = {name: one for name, one in frozen(case).items() if name not in keys}
            merged = kept | {name: content[name] for name in keys if name in content}
            content = {name: merged[name] for name in KEYS if name in merged}
        (CASES_FOLDER / f"{case.name}.json").write_text(dumped(content) + "\n", encoding="utf-8")


def freeze_older() -> None:
    """Add rule files as this version writes them, with rows and predictions; files that are there stay."""
    OLDER_FOLDER.mkdir(exist_ok=True)
    for case in (BY_NAME[name] for name in OLDER):
        file = OLDER_FOLDER / f"{case.name}.json"
        if file.exists():
            continue
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            rule = induced(case).rule
            nri.write_rule(rule, "rule.json")
            text = Path("rule.json").read_text(encoding="utf-8")
            read = nri.read_rule("rule.json")
        file.write_text(text, encoding="utf-8")
        head = case.frame.head(OLDER_ROWS)[list(read.columns)]
        rows = json.loads(json.dumps({name: _plain_cells(head[name]) for name in head}))
        file.with_suffix(".rows.json").write_text(dumped(rows) + "\n", encoding="utf-8")
        file.with_suffix(".expected.json").write_text(
            dumped(predictions(read, rows)) + "\n", encoding="utf-8"
        )


def _plain_cells(column: "pd.Series[Any]") -> list[Any]:
    return [None if pd.isna(cell) else cell for cell in column.tolist()]


def older(name: str) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """Return an old rule file, rows, and what it predicted of them."""
    file = OLDER_FOLDER / f"{name}.json"
    rows = json.loads(file.with_suffix(".rows.json").read_text(encoding="utf-8"))
    expected = json.loads(file.with_suffix(".expected.json").read_text(encoding="utf-8"))
    return file, rows, expected


def dumped(content: Any, depth: int = 0) -> str:
    """Write JSON with a line for each element of the outer levels, so that differences are short to read."""
    flat = json.dumps(content, ensure_ascii=False)
    if not isinstance(content, list | dict) or not content or len(flat) + depth <= 110:
        return flat
    gap = " " * (depth + 1)
    if isinstance(content, list):
        lines = [gap + dumped(one, depth + 1) for one in content]
        return "[\n" + ",\n".join(lines) + "\n" + " " * depth + "]"
    lines = [
        f"{gap}{json.dumps(key, ensure_ascii=False)}: {dumped(one, depth + 1)}"
        for key, one in content.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n" + " " * depth + "}"


def _main() -> None:
    parser = argparse.ArgumentParser(description="Freeze the golden cases anew.")
    parser.add_argument("names", nargs="*", help="cases; all if none is named")
    parser.add_argument("--keys", nargs="+", choices=KEYS, help="only these keys")
    parser.add_argument("--older", action="store_true", help="add rule files to the folder of older ones")
    given = parser.parse_args()
    if given.older:
        freeze_older()
    else:
        freeze([BY_NAME[name] for name in given.names] or CASES, given.keys)


if __name__ == "__main__":
    _main()
