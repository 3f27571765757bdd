"""What a small run loads, what the default installation needs, and what works with numpy and scipy alone."""

import re
import subprocess
import sys
import tomllib
from datetime import date
from itertools import chain
from pathlib import Path

import polars
import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DEFAULT = {re.match(r"[\w-]+", need)[0] for need in PROJECT["dependencies"]}
BLOCK = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in {names!r} else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Without, sys.meta_path)
"""
OTHERS = {
    *(DEFAULT - {"numpy", "scipy", "scikit-learn"}),
    *("sklearn", "joblib", "narwhals", "pydantic", "click", "pygments"),
    *("pandas", "pyarrow", "torch", "onnxruntime", "matplotlib", "polars"),
}


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def without(packages: set[str], code: str) -> str:
    return run(BLOCK.format(names=packages) + code)


def test_the_default_installation_has_few_dependencies():
    """Each is in docs/limits.md with its size and why it is there."""
    assert {
        *("numpy", "scipy", "duckdb", "scikit-learn", "narwhals", "threadpoolctl"),
        *("rich", "sqlglot", "typer", "jinja2", "markupsafe"),
    } == DEFAULT
    sizes = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    assert all(f"| {name} |" in sizes for name in DEFAULT)


def test_every_dependency_has_a_lower_bound_that_is_a_release():
    bounds = [*PROJECT["dependencies"], *chain(*PROJECT["optional-dependencies"].values())]
    stated = [re.search(r"[><=]=\s*([\w.]+)", need) for need in bounds if not need.startswith("nri[")]
    assert all(bound is not None and re.fullmatch(r"[\d.]+", bound[1]) for bound in stated)


def test_a_small_run_loads_neither_pandas_nor_any_other_large_package():
    """A CSV file of a few rows is split by the standard library; pandas alone would double the time."""
    code = """
import sys
from contextlib import redirect_stdout, suppress
from io import StringIO
from nri.cli.app import main
with redirect_stdout(StringIO()), suppress(SystemExit):
    main(["induce", "docs/examples/visits.csv", "--target", "flu", "--quiet"])
print(*{name.partition(".")[0] for name in sys.modules})
"""
    assert set(run(code).split()) & (OTHERS | {"sklearn"}) <= {"typer", "threadpoolctl", "pydantic", "click"}


def test_with_numpy_and_scipy_alone_a_text_becomes_a_rule():
    code = """
import io, pathlib, nri
text = pathlib.Path("docs/examples/visits.csv").read_text()
table = nri.read_table(io.StringIO(text), "flu")
print(nri.induce_rule(table).rule)
"""
    rule = without(OTHERS, code)
    assert rule.startswith("IF  (cough = yes AND fever = yes)")
    assert rule == run(code)


@pytest.mark.parametrize(
    ("package", "code"),
    [
        ("duckdb", "nri.read_table('{folder}/t.parquet', 'flu')"),
        ("duckdb", "from nri.rows.engine import Duck; Duck()"),
        ("pyarrow", "nri.table.write_table({{'x': [1]}}, '{folder}/new.parquet')"),
    ],
)
def test_what_is_not_installed_is_one_line_with_the_remedy(tmp_path, package, code):
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and more PAR1")
    tried = f"""
import nri, nri.table
try:
    {code.format(folder=tmp_path)}
except nri.InputError as error:
    print(error)
"""
    remedy = {"duckdb": "duckdb", "pyarrow": "'nri[parquet]'"}[package]
    assert f"needs {package}, not installed; run: pip install {remedy}" in without({package}, tried)


def test_the_default_reads_and_writes_tables_without_pandas_and_pyarrow(tmp_path):
    """Parquet was an extra, since with a reader the default was larger than it may be."""
    rows = polars.DataFrame({"x": [*range(40)], "day": [date(2024, 1, 1)] * 40, "y": ["no", "yes"] * 20})
    rows.write_parquet(tmp_path / "t.parquet")
    code = f"""
import io, nri
table = nri.read_table("{tmp_path}/t.parquet", "y")
print(*(str(plan.kind) for plan in table.plans.values()))
odd = io.StringIO('when,x,y\\n2024-01-31, "a, b",no\\n2024-02-01, "c",yes\\n')
print(*(str(plan.kind) for plan in nri.read_table(odd, "y").plans.values()))
X = [[i % 20, "red" if i % 3 else "blue"] for i in range(40)]
print(nri.NRIClassifier("greedy").fit(X, [i % 20 > 9 for i in range(40)]).rule_.columns)
from nri.table import open_source, write_beside
text = io.StringIO()
write_beside(open_source("{tmp_path}/t.parquet"), {{"said": [True] * 40}}, text)
print(text.getvalue().splitlines()[1])
"""
    lines = without({"pandas", "pyarrow"}, code).splitlines()
    assert lines == ["number date text", "date text text", "('x0',)", "0,2024-01-01,no,true"]


def test_a_long_text_is_read_without_pyarrow_too():
    code = """
import io, nri
text = "x,y\\n" + "".join(f"{i % 97},{'yes' if i % 97 > 50 else 'no'}\\n" for i in range(200_000))
table = nri.read_table(io.StringIO(text), "y")
print(len(table), table.plans["x"].kind)
"""
    assert without({"pyarrow"}, code).split() == ["200000", "number"]
