"""Databases by their URL: which file is meant, that it is only read, and what is said without it."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from large_tables import planted

from nri.errors import InputError
from nri.rows.database import open_database
from nri.rows.engine import ROWS

pytest.importorskip("ibis", reason="ibis-framework is in the extra scale")
pytestmark = pytest.mark.filterwarnings(
    "ignore:fetch_arrow_table:DeprecationWarning"
)  # ibis still asks for it

_ORDERS = "CREATE TABLE orders AS SELECT 1 AS size, 'yes' AS churned"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, the current one, with the table ``orders`` of one row in two databases."""
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute(_ORDERS)
    connection.close()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as held:
        held.execute(_ORDERS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Return what is in a folder, and when it was changed."""
    return {one.name: (one.stat().st_size, one.stat().st_mtime_ns) for one in folder.iterdir()}


def refused(url: str, table: str | None = "orders", query: str | None = None) -> str:
    with pytest.raises(InputError) as error:
        open_database(url, table, query)
    return str(error.value)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_mistyped_url_makes_no_database(shop: Path, scheme: str) -> None:
    """``sqlite:///shp.sqlite`` left an empty file in the root, ``duckdb:///...`` one of 12 KB."""
    before, root = state(shop), os.listdir("/")
    assert "no file /shp" in (said := refused(f"{scheme}:///shp.{scheme}"))
    assert f"nor {shop}/shp.{scheme}; did you mean 'shop.{scheme}'?" in said
    for url in (
        f"{scheme}://{shop}/zzz",
        f"{scheme}:///{shop}/zzz",
        f"{scheme}://zzz",
        f"file://{shop}/zzz.db",
    ):
        assert f"no file {shop}/zzz" in refused(url)
        assert ":///absolute/path or " in refused(url)
    assert (state(shop), os.listdir("/")) == (before, root)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_a_file_is_found_however_its_url_is_written(shop: Path, scheme: str) -> None:
    """SQLAlchemy's ``sqlite:///name`` is a file of this folder; only the root was looked into."""
    name = f"shop.{scheme}"
    for url in (f"///{name}", f"//{name}", f"//{shop}/{name}", f"///{shop}/{name}", f"//./{name}"):
        rows = open_database(f"{scheme}:{url}", "orders", None)
        assert rows.query(f"SELECT COUNT(*) AS n FROM {ROWS}")["n"] == [1]
        rows.close()


def test_duckdb_answers_a_query_also_in_memory(shop: Path) -> None:
    """Any ``--query`` was refused: ibis asked DuckDB 2 for a method that it no longer has."""
    pd.DataFrame({"size": [1, 2]}).to_csv(shop / "rows.csv")
    for url in ("duckdb://", "duckdb:///:memory:", "duckdb:///shop.duckdb"):
        rows = open_database(url, None, "SELECT * FROM 'rows.csv' -- all")
        assert rows.query(f"SELECT COUNT(*) AS n FROM {ROWS}")["n"] == [2]
        rows.close()


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_database_is_only_read(shop: Path, journal: str) -> None:
    """Databases were opened for writing; SQLite also leaves two files beside one that keeps a log."""
    connection = sqlite3.connect(shop / "shop.sqlite")
    connection.execute(f"PRAGMA journal_mode = {journal}")
    connection.close()
    before = state(shop)
    for scheme in ("sqlite", "duckdb"):
        for table, query in (("orders", None), (None, "SELECT * FROM orders")):
            rows = open_database(f"{scheme}:///shop.{scheme}", table, query)
            rows.query(f"SELECT * FROM {ROWS}")
            with pytest.raises(Exception, match=r"read-?only"):
                rows.query("DELETE FROM orders")
            rows.close()
    assert state(shop) == before


def test_what_others_wrote_to_the_log_of_sqlite_is_seen(shop: Path) -> None:
    writer = sqlite3.connect(shop / "shop.sqlite")
    writer.execute("PRAGMA journal_mode = wal")
    writer.execute("INSERT INTO orders VALUES (2, 'no')")
    writer.commit()
    rows = open_database("sqlite:///shop.sqlite", "orders", None)
    assert rows.query(f"SELECT COUNT(*) AS n FROM {ROWS}")["n"] == [2]
    rows.close()
    writer.close()


@pytest.fixture
def held(shop: Path, request: pytest.FixtureRequest) -> Iterator[None]:
    """Another process that holds the DuckDB file open, in the way that the test says."""
    script = "import duckdb, sys; held = duckdb.connect('shop.duckdb', read_only=sys.argv[1] == 'reads')"
    script += "; print('open', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", script, request.param]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        yield
        other.communicate()


@pytest.mark.parametrize("held", ["reads"], indirect=True)
def test_a_duckdb_file_that_another_process_reads_can_be_read(held: None) -> None:
    """It failed with an error about a lock."""
    open_database("duckdb:///shop.duckdb", "orders", None).close()


@pytest.mark.parametrize("held", ["writes"], indirect=True)
def test_a_duckdb_file_that_another_process_writes_is_told(held: None) -> None:
    assert refused("duckdb:///shop.duckdb").endswith(
        "; end the program that writes to it, or give a copy of it"
    )


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_an_absent_table_is_named_with_the_nearest_one(shop: Path, scheme: str) -> None:
    """``--table order`` ended in "does not answer as asked (order)"."""
    url = f"{scheme}:///shop.{scheme}"
    assert refused(url, "order") == f"no table 'order' in {url}; did you mean 'orders'?"
    assert refused(url, "zzz") == f"no table 'zzz' in {url}; it has 'orders'"
    assert "check the address and the query" in refused(url, None, "SELECT * FROM order_s")


def test_a_database_of_another_kind_is_named(shop: Path) -> None:
    """DuckDB tried to fetch an extension that reads SQLite."""
    told = f"{shop}/shop.sqlite is an SQLite database; give sqlite://{shop}/shop.sqlite"
    assert refused("duckdb:///shop.sqlite") == told
    (shop / "empty.sqlite").touch()
    assert refused("sqlite:///empty.sqlite").endswith("; it has no tables")


def test_a_password_is_not_shown() -> None:
    assert "secret" not in refused("postgrs://me:secret@host/shop")


def test_a_rule_is_induced_from_a_url_of_this_folder(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from nri.cli.app import main

    with duckdb.connect("shop.duckdb") as held:
        dressed = planted(1500)["size"].map(lambda size: f"{size:.1f} kg")  # read, as those of a file are
        held.register("rows", planted(1500).assign(size=dressed))
        held.execute("CREATE TABLE visits AS SELECT * FROM rows")
    before = state(shop)
    asked = [
        "induce",
        "duckdb:///shop.duckdb",
        "--table",
        "visits",
        "--target",
        "bought",
        "--model",
        "greedy",
    ]
    with pytest.raises(SystemExit) as ended:
        main(asked)
    assert not ended.value.code
    said = capfd.readouterr().out
    assert "THEN bought = yes" in said
    assert "size > 61" in said
    assert state(shop) == before


def test_folds_of_sqlite_are_those_of_duckdb(shop: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """SQLite 3.40 ended every --cv in "parser stack overflow": the hash of a fold stood in another hash."""
    from nri.cli.app import main

    rows = planted(600).drop(columns="seen").astype({"member": int})
    with sqlite3.connect("shop.sqlite") as connection:
        rows.to_sql("visits", connection, index=False)
    connection.close()
    with duckdb.connect("shop.duckdb") as held:
        held.register("rows", rows)
        held.execute("CREATE TABLE visits AS SELECT * FROM rows")
    shown = []
    for url in ("sqlite:///shop.sqlite", "duckdb:///shop.duckdb"):
        with pytest.raises(SystemExit) as ended:
            main(["induce", url, "--table", "visits", "--target", "bought", "--model", "greedy", "--cv"])
        assert not ended.value.code
        shown.append(capfd.readouterr().out)
    assert shown[0] == shown[1]
    assert "cross-validated" in shown[0]


def test_a_table_of_a_schema_is_found_by_both_names(shop: Path) -> None:
    """``--table clinic.visits`` was refused, though there is such a table; a name may hold a dot itself."""
    with duckdb.connect("shop.duckdb") as held:
        held.execute("CREATE SCHEMA clinic; CREATE TABLE clinic.visits AS SELECT 1 AS size, 'no' AS ill")
        held.execute("CREATE TABLE \"a.b\" AS SELECT 2 AS size, 'no' AS ill")
    with sqlite3.connect("shop.sqlite") as connection:
        connection.execute("CREATE TABLE \"a.b\" AS SELECT 2 AS size, 'no' AS ill")
    connection.close()
    for url, table, size in (
        ("duckdb:///shop.duckdb", "Clinic.visits", 1),
        ("duckdb:///shop.duckdb", "a.b", 2),
        ("sqlite:///shop.sqlite", "a.b", 2),
        ("sqlite:///shop.sqlite", "main.orders", 1),
    ):
        rows = open_database(url, table, None)
        assert rows.query(f"SELECT size FROM {ROWS}")["size"] == [size]
        rows.close()
    assert refused("duckdb:///shop.duckdb", "clinic.visit").endswith("did you mean 'clinic.visits'?")
    for scheme in ("sqlite", "duckdb"):
        assert "no table 'none.orders'" in refused(f"{scheme}:///shop.{scheme}", "none.orders")
