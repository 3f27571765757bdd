"""Files that are damaged: tables of every format, rules, checkpoints, cards."""

import gzip
import io
import json
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import xlwt
from hypothesis import strategies as st

from nri import NRIClassifier, NRIRegressor
from nri.rows.files import goes_by_engine, open_files
from nri.rows.open import rows_in_engine
from nri.rule import from_json
from nri.table.files import Budget
from nri.table.source import open_source
from nri.weights import checked_card, shipped_file

ROOT = Path(__file__).parents[2]
BUDGET = Budget(bytes=1 << 24, unpacked=1 << 25, cells=1 << 22, memory=1 << 29)
"""A damaged length may ask for much."""

FORMATS = ("csv", "tsv", "semicolon", "utf-16", "arff", "parquet", "parquet", "csv.gz", "xlsx", "xls", "json")
damaged_tables = st.tuples(st.sampled_from(FORMATS), st.integers(0, 2**32 - 1))
large_tables = st.tuples(st.sampled_from(["csv", "tsv", "parquet", "csv.gz"]), st.integers(0, 2**32 - 1))
damaged_rules = st.tuples(st.sampled_from(["classes", "number", "counts"]), st.integers(0, 2**32 - 1))
damaged_weights = st.tuples(st.sampled_from(["checkpoint", "card", "onnx"]), st.integers(0, 2**32 - 1))


@cache
def whole(form: str) -> bytes:
    """Return a file without fault."""
    frame = pd.DataFrame({"age": [20.5, 31, None, 64] * 5, "word": ["a", "b c", None, "é"] * 5})
    frame["flag"] = [True, False] * 10
    frame["day"] = pd.date_range("2024-01-01", periods=20)
    frame["y"] = ["no", "yes"] * 10
    file = io.BytesIO()
    match form:
        case "csv" | "csv.gz":
            text = frame.to_csv(index=False).encode()
            return gzip.compress(text) if form == "csv.gz" else text
        case "tsv" | "semicolon":
            return frame.to_csv(index=False, sep="\t" if form == "tsv" else ";").encode()
        case "utf-16":
            return frame.to_csv(index=False).encode("utf-16")
        case "arff":
            head = "@relation r\n@attribute age numeric\n@attribute 'a word' {a,'b c',é}\n"
            head += "@attribute d date yyyy-MM-dd\n@data\n"
            return (head + "20.5,a,2024-01-01\n?,'b c',?\n3,é,2024-02-01\n" * 4).encode()
        case "parquet":
            frame.to_parquet(file, compression=None)
        case "xlsx":
            book = openpyxl.Workbook()
            for row in [list(frame), *frame.astype(object).where(frame.notna(), None).to_numpy().tolist()]:
                book.active.append(row)
            book.save(file)
        case "xls":
            old = xlwt.Workbook()
            sheet = old.add_sheet("s")
            for i, row in enumerate([["a", "b"], [1, "x"], [2, "y"]]):
                for j, cell in enumerate(row):
                    sheet.write(i, j, cell)
            old.save(file)
        case "json":
            return b'[{"a": 1}]'
    return file.getvalue()


def damaged(content: bytes, seed: int) -> bytes:
    """Return bytes that were flipped, cut, doubled, overwritten or put in by chance."""
    rng = np.random.default_rng(seed)
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(max(1, len(data))))
        length = int(rng.integers(1, 40))
        match int(rng.integers(7)):
            case 0 | 1 if data:
                data[place] ^= 1 << int(rng.integers(8))
            case 2:
                del data[place : place + length]
            case 3:
                data[place:place] = rng.bytes(length)
            case 4:
                data[place:place] = data[place : place + length]
            case 5:
                data[place : place + length] = b"\xff" * length
            case 6 if rng.random() < 0.3:
                del data[place:]
    return bytes(data)


def read_table(case: tuple[str, int]) -> None:
    form, seed = case
    file = io.BytesIO(damaged(whole(form), seed))
    file.name = f"t.{form}"
    open_source(file, budget=BUDGET).table()


def count_table(case: tuple[str, int]) -> None:
    """Let the engine look at a file as if it were too large for memory."""
    form, seed = case
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"t.{form}"
        path.write_bytes(damaged(whole(form), seed))
        goes_by_engine(str(path))
        files = goes_by_engine(str(path), "duckdb")
        assert files is not None
        with closing(open_files(files)) as engine:
            rows_in_engine(engine, "y", size=10)


@cache
def rule_text(kind: str) -> str:
    rows = pd.DataFrame(
        {"age": range(30), "word": ["a", "b", "c"] * 10, "day": pd.date_range("2024-01-01", periods=30)}
    )
    if kind == "number":
        return NRIRegressor().fit(rows, [float(i > 12) + i % 3 / 10 for i in range(30)]).rule_.render("json")
    y = [int((i > 9) + (i % 3 == 0) + (i > 20) > 1) for i in range(30)]
    return (
        NRIClassifier("greedy", counts="only" if kind == "counts" else "auto")
        .fit(rows, y)
        .rule_.render("json")
    )


def read_rule(case: tuple[str, int]) -> None:
    kind, seed = case
    text = rule_text(kind)
    rng = np.random.default_rng(seed)
    changed = (
        _other_values(json.loads(text), rng)
        if seed % 2
        else damaged(text.encode(), seed).decode("utf-8", "replace")
    )
    rule = from_json(changed if isinstance(changed, str) else json.dumps(changed))
    str(rule)
    rule.render("json")
    rule.render("html")
    rule.predict({name: [None, "5", "2024-01-01"] for name in rule.columns} or {"age": [1, 2, 3]})


def _other_values(found: Any, rng: np.random.Generator) -> Any:
    """Put something else in one place of a JSON value."""
    strange = [None, True, 0, -1, 1e308, 10**30, "", "x", [], {}, [None], "\ud800", float("nan"), {"a": 1}]
    if not isinstance(found, dict | list) or not found or rng.random() < 0.15:
        return strange[int(rng.integers(len(strange)))]
    keys = list(found) if isinstance(found, dict) else range(len(found))
    key = keys[int(rng.integers(len(keys)))]
    if rng.random() < 0.1:
        del found[key]
    else:
        found[key] = _other_values(found[key], rng)
    return found


@cache
def _weights(kind: str) -> bytes:
    if kind == "checkpoint":
        return (ROOT / "checkpoints" / "seeded" / "checkpoint.safetensors").read_bytes()
    file = shipped_file("seeded")
    return file.read_bytes() if kind == "onnx" else file.with_suffix(".json").read_bytes()


def read_weights(case: tuple[str, int]) -> None:
    from nri.train.checkpoint import load_checkpoint

    kind, seed = case
    content = _weights(kind)
    if kind == "checkpoint":  # half of the damage where it is read first
        head = 8 + int.from_bytes(content[:8], "little")
        content = damaged(content[:head], seed) + content[head:] if seed % 2 else damaged(content, seed)
    else:
        content = damaged(content, seed)
    with TemporaryDirectory() as folder:
        if kind == "checkpoint":
            path = Path(folder) / "checkpoint.safetensors"
            path.write_bytes(content)
            load_checkpoint(path)
            return
        path = Path(folder) / "w.onnx"
        path.write_bytes(content if kind == "onnx" else _weights("onnx"))
        path.with_suffix(".json").write_bytes(content if kind == "card" else _weights("card"))
        checked_card(path)
