"""What small functions of the table package return, by example."""

from pathlib import Path

from nri.table.files import database_of, in_words, url_of, without_password


def test_sizes_are_written_in_words():
    assert [in_words(size) for size in (50 << 20, 3 << 30, 100)] == ["50 MB", "3.0 GB", "100 bytes"]


def test_databases_are_known_by_their_first_bytes():
    assert database_of(b"SQLite format 3" + bytes(1)) == "sqlite"
    assert database_of(b"age,flu") is None


def test_urls_of_databases():
    assert url_of("sqlite", Path("/data/shop.sqlite")) == "sqlite:///data/shop.sqlite"
    assert without_password("postgres://me:secret@host/shop") == "postgres://host/shop"
