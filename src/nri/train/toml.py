"""TOML to frozen dataclasses and back, exactly: an unknown key or a wrong type is an error."""

import dataclasses
import tomllib
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

from nri.errors import ConfigError

Config = TypeVar("Config")


def load_config(kind: type[Config], path: Path) -> Config:
    """Read a TOML file into a dataclass; missing keys take the dataclass's defaults."""
    return from_dict(kind, read_toml(path), str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file into nested dictionaries."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no configuration file {path}; see configs/ for those that ship") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None


def from_dict(kind: type[Config], data: dict[str, Any], where: str) -> Config:
    """Build a dataclass from nested dictionaries, refusing what it does not know."""
    fields = {f.name: f for f in dataclasses.fields(kind)}  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind)
    unknown = sorted(set(data) - set(fields))
    if unknown:
        known = ", ".join(sorted(fields))
        raise ConfigError(f"{where}: unknown key {unknown[0]!r}; known keys are {known}")
    return kind(**{name: _convert(hints[name], value, f"{where}: {name}") for name, value in data.items()})


def to_dict(config: Any) -> dict[str, Any]:
    """Return nested dictionaries of plain values, the inverse of :func:`from_dict`."""
    plain: dict[str, Any] = dataclasses.asdict(config)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()}


def _convert(hint: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise ConfigError(f"{where} must be a table of keys, not {value!r}")
        return from_dict(hint, value, where)
    if typing.get_origin(hint) is tuple:
        return tuple(value)
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if isinstance(hint, type) and (
        not isinstance(value, hint) or isinstance(value, bool) is not (hint is bool)
    ):
        raise ConfigError(f"{where} must be of type {hint.__name__}, not {value!r}")
    return value
