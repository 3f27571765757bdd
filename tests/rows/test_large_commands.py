"""Large tables on the command line: which way they go, what is said, and what is refused."""

import gzip
from pathlib import Path
from types import SimpleNamespace

import pytest
from large_tables import planted

from nri.errors import InputError
from nri.rows import files
from nri.rows.engine import Duck, DuckEngine
from nri.table.source import open_source


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    planted(4000).to_parquet(path)
    return path


def nri(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    from nri.cli.app import main

    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return int(ended.value.code or 0), said.out, said.err


def test_size_decides_which_way_a_file_goes(rows: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files.goes_by_engine(str(rows)) is None
    monkeypatch.setattr(files, "LARGE_ROWS", 100)
    assert files.goes_by_engine(str(rows)) is not None
    assert files.goes_by_engine(str(rows), "memory") is None


def test_a_wide_text_of_few_rows_is_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """500 rows of 100 000 columns are 400 MB, went to DuckDB, and did not end in six minutes."""
    monkeypatch.setattr(files, "LARGE_BYTES", 10_000)
    monkeypatch.setattr(files, "_LONG", 100)
    for name, n_rows, n_columns in (("long", 4000, 3), ("wide", 20, 3000)):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join([",".join(["1"] * n_columns)] * n_rows))
        assert files.files_of(str(path)).is_large is (name == "long")


def test_a_rule_says_on_how_many_rows_it_was_counted(rows: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("induce", rows, "--target", "bought", "--engine", "duckdb", "--sample", 400, "--model", "greedy")
    code, out, err = nri(capsys, *asked, "--max-clauses", 2, "--cv")
    assert code == 0
    assert "cross-validated" in out
    assert "sensitivity" in out
    assert "rows stay where they are" in err
    assert "counted on all 4000 rows" in err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--target", "bougt"), "did you mean 'bought'"),
        (("--target", "bought", "--weights", "visits"), "--engine memory"),
        (("--target", "bought", "--min-sensitivity", "0.9"), "--min-sensitivity is for tables that are read"),
        (("--target", "bought", "--min-specificity", "0.9"), "--min-specificity is for tables that are read"),
        (("--target", "bought", "--memory", "much"), "2GB"),
        (("--target", "bought", "--columns", "sise"), "did you mean 'size'"),
    ],
)
def test_mistakes_are_told_in_one_line(
    rows: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], told: str
) -> None:
    code, _, err = nri(capsys, "induce", rows, "--engine", "duckdb", *options)
    assert code == 2
    assert told in err.strip().splitlines()[-1]


def spoilt(rows: Path, ending: str) -> bytes:
    """Return a file with damage where it is read first."""
    if ending == "parquet":
        whole = rows.read_bytes()
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
        return whole[:footer] + b"\xff" * 9 + whole[footer + 9 :]
    return gzip.compress(b"a,bought\n1,yes\n")[:-12]


@pytest.mark.parametrize("ending", ["parquet", "csv.gz"])
@pytest.mark.parametrize("engine", ["auto", "duckdb"])
def test_a_damaged_file_is_told_in_one_line(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, engine: str
) -> None:
    """Asking how many rows a Parquet file has, and DuckDB which columns, ended with exit code 1."""
    table = tmp_path / f"rows.{ending}"
    table.write_bytes(spoilt(rows, ending))
    code, _, err = nri(capsys, "induce", table, "--target", "bought", "--engine", engine)
    assert code == 2
    assert err.count("error: ") == 1
    assert err.splitlines()[-1].startswith("error: ")


def test_threads_are_read_as_openmp_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """``OMP_NUM_THREADS=2,1`` (two, and one within each) ended in a ValueError, and so did a word."""
    for said, threads in (("2,1", 2), ("all", 1), ("", 1), ("0", 1)):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        connection = Duck()
        assert connection.execute("SELECT current_setting('threads')") == [(threads,)]
        connection.close()


def test_no_extension_is_fetched() -> None:
    connection = Duck()
    asked = "SELECT current_setting('autoinstall_known_extensions')"
    assert connection.execute(asked) == [(False,)]
    connection.close()


def test_nothing_is_left_behind(
    rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table = tmp_path / "rows.csv.gz"
    with gzip.open(table, "wt") as file:
        planted(1500).to_csv(file, index=False)
    code, out, _ = nri(
        capsys, "induce", table, "--target", "bought", "--engine", "duckdb", "--model", "greedy"
    )
    assert code == 0
    assert "THEN bought" in out
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv.gz"]


def test_patterns_that_fit_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file is called like"):
        files.files_of(str(tmp_path / "part-*.parquet"))


@pytest.mark.parametrize(
    ("told", "raised"), [("Query interrupted", KeyboardInterrupt), ("another", RuntimeError)]
)
def test_an_interrupted_query_is_ctrl_c(
    told: str, raised: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB raises "RuntimeError: Query interrupted" then: it was taken for a failure, with code 1."""

    def interrupted(sql: str) -> None:
        raise RuntimeError(told)

    connection = Duck()
    engine = DuckEngine(connection, "range(3)")
    monkeypatch.setattr(connection, "raw", SimpleNamespace(execute=interrupted))
    for ask in (connection.execute, engine.query):
        with pytest.raises(raised):
            ask("SELECT 1 AS one")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (b"a,a,y\n1,2,x\n", "duplicate column names: 'a'; give each column its own name"),
        (b"a,b,y\n1,2,x\n1,2,3,4\n", "line 3: 4 field(s) where the header has 3; correct the line"),
        (b"a,b,y\n1,2,x\n1,2\n", "line 3: 2 field(s) where the header has 3; correct the line"),
        (b"\n\n", "is empty; give a table with a header line"),
    ],
)
def test_a_large_text_file_is_refused_as_a_small_one(
    text: bytes, cause: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names were changed to ``a_1``, short rows filled up; of a long row DuckDB listed its own options."""
    (tmp_path / "rows.csv").write_bytes(text)
    for engine in ("duckdb", "memory"):
        asked = ("induce", tmp_path / "rows.csv", "--target", "y", "--engine", engine, "--quiet")
        code, _, err = nri(capsys, *asked)
        assert (code, cause in err) == (2, True), err


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
@pytest.mark.parametrize("n_rows", [10, 700_000])
def test_another_encoding_is_named_with_a_way_out(
    encoding: str, n_rows: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """DuckDB said "CSV Error on Line: 1", and nothing of letters."""
    (tmp_path / "rows.csv").write_bytes(("a,b,y\n" + "1,2,x\n" * n_rows + "1,2,\u00e9\n").encode(encoding))
    code, _, err = nri(capsys, "induce", tmp_path / "rows.csv", "--target", "y", "--engine", "duckdb")
    assert code == 2
    assert "rows.csv" in err
    assert "not UTF-8; save it as UTF-8, or read it into memory (--engine memory)" in err


def test_columns_without_a_name_are_called_as_in_memory(tmp_path: Path) -> None:
    """They were ``column0`` in DuckDB; blank lines and ends of lines within names are skipped alike."""
    path = tmp_path / "rows.csv"
    path.write_text('\n\n,"b\nc",y\n' + '1,"p\nq",x\n\n3,4,z\n' * 5)
    engine = files.open_files(files.Files((path,), parquet=False))
    assert [one.name for one in engine.columns] == ["column 1", "b\nc", "y"] == list(open_source(path).names)
    assert engine.figures({"n": "COUNT(*)"}) == {"n": 10}
    engine.close()


def test_units_and_cells_that_are_no_numbers_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A large file lost the notes on how its cells were read, and the unit of a number that is explained."""
    rows = planted(400)
    rows["weight"] = [f"{cell} kg" for cell in rows["weight"]]
    rows["size"] = rows["size"].astype(str).where(rows.index % 40 > 0, "pending")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    asked = ("induce", tmp_path / "rows.csv", "--target", "weight", "--model", "greedy", "--engine")
    told = {engine: nri(capsys, *asked, engine) for engine in ("duckdb", "memory")}
    for code, out, err in told.values():
        assert code == 0
        assert "10 of 400 cells are not numbers and are treated as missing, such as 'pending'" in err
        assert "with the unit kg" in err
        assert " kg" in out
