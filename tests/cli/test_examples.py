"""Small functions of the command line, each by an example."""

import json
import tomllib
from inspect import signature
from pathlib import Path

import typer

from nri.cli import options
from nri.cli.app import app, spread
from nri.cli.console import printable
from nri.cli.errors import in_options, usage_line
from nri.cli.files import choose_format, parse_costs, parse_labels, parse_missing
from nri.cli.output import record_json, text_table
from nri.cli.reading import resolve_target, split_names
from nri.errors import TargetError
from nri.rule import Clause, Literal, Op


def test_every_declared_option_belongs_to_a_command():
    table = tomllib.loads(Path(options.__file__).with_name("options.toml").read_text(encoding="utf-8"))
    commands = {
        one.callback.__name__: set(signature(one.callback).parameters) for one in app.registered_commands
    }
    shared = [table.pop("arguments"), *table.pop("panels").values()]
    every = set().union(*commands.values())
    assert set(table.pop("rare")) <= every
    assert not {name for some in shared for name in some} - every
    assert not {(command, name) for command in table for name in set(table[command]) - commands[command]}


def test_a_command_is_called_with_the_fields_of_its_records():
    def show(file: str, rows: options.RowOptions) -> None:
        called.append((file, rows.engine))

    called: list[tuple[str, str]] = []
    assert list(signature(spread(show)).parameters)[:4] == ["file", "sheet", "header", "engine"]
    spread(show)(file="visits.csv", engine="memory")
    assert called == [("visits.csv", "memory")]


def test_cells_codes_and_costs_are_read_from_texts():
    missing = parse_missing(["-999,unknown", "sbp=-1,-2", "age="], ["sbp", "age"])
    assert missing == {"": ("-999", "unknown"), "sbp": ("-1", "-2"), "age": ()}
    assert parse_labels(["outcome:1=no,2=yes"], ["outcome"]) == {"outcome": {"1": "no", "2": "yes"}}
    assert parse_costs(["yes=5"], ("no", "yes")) == {"yes": 5.0}


def test_names_of_columns_may_have_commas_and_the_target_only_its_end():
    assert split_names(["a,b", "height, in cm"], ["a", "height, in cm"]) == ["a", "b", "height, in cm"]
    assert resolve_target("flu = yes", ["visit.flu", "visit.age"]) == '"visit.flu" = yes'


def test_a_name_cannot_command_the_terminal():
    assert printable("red\x1b[31m") == r"red\x1b[31m"


def test_mistakes_name_their_remedy_in_options():
    wrong = usage_line(typer.BadParameter("Input should be a number."))
    assert wrong == "invalid value: Input should be a number (see nri --help)"
    line = in_options(TargetError("target 'price' is a number", "price > 100"))
    assert line == """target 'price' is a number; compare it, e.g. --target "price > 100\""""


def test_the_ending_of_a_file_chooses_the_format():
    assert choose_format(None, Path("rule.json")) == "json"


def test_numbers_of_a_table_are_flush_right():
    assert text_table([("slice", "rows"), ("age > 61", "7")]) == "slice     rows\nage > 61     7"


def test_clauses_are_text_and_literals_in_json():
    text = record_json({}, clause=Clause([Literal("age", Op.GT, 61)]))
    literal = {"column": "age", "op": ">", "value": 61}
    assert json.loads(text) == {"clause": {"text": "age > 61", "literals": [literal]}}
    assert text.startswith('{\n  "clause": {\n    "text"')
