"""The size of the seeded network."""

from dataclasses import dataclass

from nri.errors import ConfigError


@dataclass(frozen=True)
class SeededConfig:
    """One dial for each axis of size."""

    width: int = 64
    """D, numbers that describe a variable as seen from a seed"""
    context: int = 96
    """Numbers that describe a seed"""
    heads: int = 6
    """Soft neighbourhoods looked at in each round; the first one is the clause itself"""
    rounds: int = 4
    """Times that the neighbourhoods are drawn anew"""

    def __post_init__(self) -> None:
        for name in ("width", "context", "heads", "rounds"):
            if getattr(self, name) < 1:
                raise ConfigError(f"model.{name} must be at least 1, not {getattr(self, name)}")
