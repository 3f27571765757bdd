"""Settings from the command line and from the file of --config; the command line wins."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli.files import read_rule
from nri.cli.options import InduceOptions, RuleOptions
from nri.errors import InputError, nearest

if TYPE_CHECKING:
    from nri.induce.settings import Settings
    from nri.rule import Label


def settings_of(
    options: RuleOptions,
    present: Sequence[str],
    *taken: str,
    classes: "Sequence[Label]" = (),
) -> "Settings":
    """Return the settings for a table with these columns and classes.

    Columns that are taken (labels, predictions) are never used anyway, so that --without may name them.
    """
    from nri.induce.settings import Settings

    settings = Settings() if options.config is None else read_settings(options.config, classes)
    given: dict[str, Any] = {
        "model": options.model,
        "max_clauses": options.max_clauses,
        "max_literals": options.max_literals,
        "use": split_names(options.columns, present),
        "never": split_names(options.without, (*present, *taken)),
        "stable": options.stable,
    }
    if isinstance(options, InduceOptions):
        given["costs"] = parse_costs(options.cost, classes)
        if options.keep is not None:
            given["knowledge"] = replace(settings.knowledge, keep=read_rule(options.keep))
    settings = replace(settings, **{name: value for name, value in given.items() if value is not None})
    return replace(settings, never=[name for name in settings.never if name not in taken])


def read_settings(path: Path, classes: "Sequence[Label]" = ()) -> "Settings":
    """Read settings from a TOML file: the fields of :class:`nri.Settings`, and a table ``[knowledge]``."""
    from nri.induce.settings import Knowledge, Settings

    data = _read_toml(path)
    _check_keys(path, data, Settings)
    known = data.pop("knowledge", {})
    if not isinstance(known, dict):
        raise InputError(f"{path}: knowledge is {known!r}; write a table, [knowledge]")
    _check_keys(path, known, Knowledge, "knowledge.")
    if "keep" in known:
        if not isinstance(known["keep"], str):
            raise InputError(f"{path}: knowledge.keep is {known['keep']!r}; name a rule file")
        known["keep"] = read_rule(path.parent / known["keep"])
    if isinstance(data.get("costs"), dict):
        data["costs"] = by_class(data["costs"], classes)
    try:
        return Settings(**data, knowledge=Knowledge(**known))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _read_toml(path: Path) -> dict[str, Any]:
    from nri.table.files import similar_files

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"no settings file {path}{similar_files(path)}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not valid TOML: {error}") from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({cause}); check its name and permissions") from None


def _check_keys(path: Path, data: Mapping[str, Any], record: Any, prefix: str = "") -> None:
    """Refuse a key that the record does not have, and name the nearest one."""
    keys = [field.name for field in fields(record)]
    for key in data:
        if key not in keys:
            place = "[knowledge]" if prefix else "the settings"
            raise InputError(f"{path}: unknown key {prefix + key!r}{nearest(key, keys, place)}")


def split_names(texts: list[str] | None, present: Sequence[str]) -> list[str] | None:
    """Return column names from texts with commas between; a name that itself has a comma is kept whole.

    >>> split_names(["age,sex", "height, in cm"], ["age", "sex", "height, in cm"])
    ['age', 'sex', 'height, in cm']
    """
    if not texts:
        return None
    names: list[str] = []
    for text in texts:
        names += [text] if text in present else [part.strip() for part in text.split(",") if part.strip()]
    return names


def parse_costs(texts: list[str] | None, classes: "Sequence[Label]") -> "dict[Label, float] | None":
    """Return costs from texts such as ``yes=5``.

    >>> parse_costs(["yes=5"], ("no", "yes"))
    {'yes': 5.0}
    """
    if not texts:
        return None
    costs: dict[str, float] = {}
    for text in texts:
        label, _, written = text.rpartition("=")
        try:
            costs[label] = float(written)
        except ValueError:
            raise InputError(f"--cost {text!r} is no CLASS=COST; write e.g. --cost yes=5") from None
    return by_class(costs, classes)


def by_class(costs: Mapping[str, float], classes: "Sequence[Label]") -> "dict[Label, float]":
    """Return costs by the labels that a person's words name."""
    from nri.table.target import class_index

    if not classes:
        raise InputError("a cost is of an error on a class, but the target has no classes; drop the cost")
    return {classes[class_index(classes, label)]: cost for label, cost in costs.items()}
