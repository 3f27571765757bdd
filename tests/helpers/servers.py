"""Private database servers for tests: started in a folder of their own, reached by a socket in it, stopped.

Nothing listens on the network and no server of the machine is touched. Neither database runs as root, so that
root starts them as the user that their Debian package makes. The folder goes when the server has stopped.
"""

import getpass
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import programs

_PATIENCE = 60.0
"""Seconds that a server may take to answer; it takes about one, on a loaded machine more."""


@dataclass(frozen=True)
class Server:
    """A server that runs, and how it is reached."""

    folder: Path
    user: str

    @property
    def postgres_address(self) -> str:
        """What psycopg, or DuckDB's extension, connects to."""
        return f"host={self.folder} user={self.user} dbname=postgres"

    @property
    def mariadb_address(self) -> dict[str, Any]:
        """What pymysql connects to."""
        return {"unix_socket": str(self.folder / "socket"), "user": self.user, "database": "test"}


@contextmanager
def postgres() -> Iterator[Server]:
    """Start PostgreSQL; without it skip the test, or fail it where NRI_NEED_POSTGRES is set."""
    initdb, server = Path(programs.postgres("initdb")), programs.postgres("postgres")
    with _folder("postgres") as (folder, user):
        data = folder / "data"
        _run([str(initdb), "-D", str(data), "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"], user)
        quick = [f"-c{one}" for one in ("listen_addresses=", "fsync=off", "shared_buffers=16MB")]
        with _running([server, "-D", str(data), "-k", str(folder), *quick], folder, user) as started:
            _wait(started, lambda: _answers_postgres(folder, user))
            yield Server(folder, user)


@contextmanager
def mariadb() -> Iterator[Server]:
    """Start MariaDB; without it skip the test, or fail it where NRI_NEED_MARIADB is set."""
    install, server = programs.mariadb("mariadb-install-db"), programs.mariadb("mariadbd")
    with _folder("mysql") as (folder, user):
        data = f"--datadir={folder / 'data'}"
        access = ["--skip-test-db", "--auth-root-authentication-method=normal"]
        _run([install, "--no-defaults", data, *access], user)
        quick = ["--skip-networking", "--default-storage-engine=MyISAM", "--innodb-buffer-pool-size=16M"]
        command = [server, "--no-defaults", data, f"--socket={folder / 'socket'}", *quick]
        with _running([*command, f"--pid-file={folder / 'pid'}"], folder, user) as started:
            _wait(started, lambda: _answers_mariadb(folder))
            yield Server(folder, "root")


def _answers_postgres(folder: Path, user: str) -> bool:
    import psycopg

    try:
        psycopg.connect(Server(folder, user).postgres_address).close()
    except psycopg.OperationalError:
        return False
    return True


def _answers_mariadb(folder: Path) -> bool:
    """Whether it takes connections; then there is a database for tests."""
    import pymysql

    with socket.socket(socket.AF_UNIX) as knock:
        if knock.connect_ex(str(folder / "socket")) != 0:
            return False
    with pymysql.connect(unix_socket=str(folder / "socket"), user="root") as connection:
        connection.cursor().execute("CREATE DATABASE IF NOT EXISTS test CHARACTER SET utf8mb4")
    return True


@contextmanager
def _folder(owner: str) -> Iterator[tuple[Path, str]]:
    """Make a folder with a short name, since names of sockets must be; root gives it to the owner."""
    folder = Path(tempfile.mkdtemp(prefix="nri-"))
    user = getpass.getuser()
    try:
        if os.geteuid() == 0:
            user = owner
            account = pwd.getpwnam(owner)
            os.chown(folder, account.pw_uid, account.pw_gid)
        yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _as(user: str) -> dict[str, Any]:
    """Return how a process is started as that user."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam(user)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": "/"}


def _run(command: list[str], user: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, **_as(user))
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def _running(command: list[str], folder: Path, user: str) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, **_as(user))
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], answers: Any) -> None:
    end = time.monotonic() + _PATIENCE
    while not answers():
        assert process.poll() is None, "the server ended before it answered"
        assert time.monotonic() < end, "the server did not answer"
        time.sleep(0.05)
