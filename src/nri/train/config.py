"""What a training run is: everything that a result depends on, in one record."""

import dataclasses
import json
import math
import tomllib
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from nri.errors import ConfigError, nearest, similar_files


def check_limits(table: str, config: Any, names: Iterable[str], least: float, most: float = math.inf) -> None:
    """Refuse values of a configuration outside their limits, by the names that its file gives them."""
    for name in names:
        value = getattr(config, name)
        if not least <= value <= most:
            limits = f"at least {least}" if most == math.inf else f"{least} to {most}"
            raise ConfigError(f"{table}: {name} = {value} is out of bounds; give {limits}")


@dataclass(frozen=True)
class OptimConfig:
    """AdamW with warm-up, clipped, its weights averaged exponentially."""

    steps: int = 10_000
    batches_per_step: int = 1  # synthetic batches in one update, over all processes
    learning_rate: float = 1e-3
    schedule: Literal["cosine", "constant"] = "cosine"
    """After the warm-up the rate falls by a cosine to ``final_learning_rate``, or stays"""
    final_learning_rate: float = 1e-5
    warmup: int = 100  # steps of linear warm-up
    weight_decay: float = 1e-2
    clip: float = 1.0  # largest norm of the gradient
    average: float = 0.999  # decay of the exponential average of weights, which is what ships; 0 for none

    def __post_init__(self) -> None:
        check_limits("optim", self, ("steps", "batches_per_step"), 1)
        check_limits("optim", self, ["average"], 0, 0.999999)
        check_limits("optim", self, ["learning_rate"], 1e-12)
        if self.schedule not in ("cosine", "constant"):
            raise ConfigError(f"optim.schedule = {self.schedule!r} is unknown; give 'cosine' or 'constant'")


@dataclass(frozen=True)
class RunConfig:
    """How a run is kept and watched; none of it changes the result."""

    checkpoint_minutes: float = 4.0
    log_every: int = 50  # steps between rows of metrics
    validate_every: int = 500  # steps between scores on the validation suite
    validation_batches: int = 16  # size of the validation suite's larger parts
    threads: int = 1  # torch threads in each process


@dataclass(frozen=True)
class TrainConfig:
    """Shared by all inducers; each adds its own model, data and loss tables."""

    seed: int = 0  # episode i depends on this and on i alone
    optim: OptimConfig = field(default_factory=OptimConfig)
    run: RunConfig = field(default_factory=RunConfig)


Config = TypeVar("Config")


def read_toml(
    path: Path, what: str = "configuration", hint: str = "; see configs/ for those that ship"
) -> dict[str, Any]:
    """Read a TOML file into nested dictionaries; of an absent one say what it should hold."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no {what} file {path}{similar_files(path) or hint}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is no text in UTF-8, as TOML is; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path} cannot be read ({cause}); check its name and permissions") from None


def from_dict(kind: type[Config], data: dict[str, Any], where: str) -> Config:
    """Build a dataclass from nested dictionaries, refusing what it does not know."""
    refuse_unknown(kind, data, where)
    hints = typing.get_type_hints(kind)
    return kind(**{name: _convert(hints[name], value, f"{where}: {name}") for name, value in data.items()})


def refuse_unknown(kind: Any, data: Iterable[str], where: str) -> None:
    """Refuse a key that a dataclass does not have, and name the nearest one."""
    known = [field.name for field in dataclasses.fields(kind)]
    for key in data:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}{nearest(key, known, 'that table')}")


def to_dict(config: Any) -> dict[str, Any]:
    """Return nested dictionaries of plain values, the inverse of :func:`from_dict`."""
    plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))  # tuples become lists
    return plain


def _convert(hint: Any, value: Any, where: str) -> Any:
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        if not isinstance(value, dict):
            raise ConfigError(f"{where} must be a table of keys, not {value!r}")
        return from_dict(hint, value, where)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise ConfigError(f"{where} must be a list, not {value!r}")
        return tuple(_convert(typing.get_args(hint)[0], one, where) for one in value)
    if hint is float and type(value) is int:
        return float(value)
    if isinstance(hint, type) and type(value) is not hint:
        raise ConfigError(f"{where} must be of type {hint.__name__}, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{where} is {value}; give a finite number")
    return value
