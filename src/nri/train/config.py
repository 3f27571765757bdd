"""What a training run is: everything that a result depends on, in one record."""

from dataclasses import dataclass, field

from nri.errors import ConfigError


@dataclass(frozen=True)
class OptimConfig:
    """AdamW with warm-up and cosine, clipped, its weights averaged exponentially."""

    steps: int = 10_000
    batches_per_step: int = 1
    """Synthetic batches in one update, over all processes"""
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-5
    warmup: int = 100
    """Steps of linear warm-up"""
    weight_decay: float = 1e-2
    clip: float = 1.0
    """Largest norm of the gradient"""
    average: float = 0.999
    """Decay of the exponential average of weights; the average is what ships"""

    def __post_init__(self) -> None:
        if self.steps < 1 or self.batches_per_step < 1:
            raise ConfigError("optim.steps and optim.batches_per_step must be at least 1")
        if not 0 <= self.average < 1:
            raise ConfigError(f"optim.average must be in [0, 1), not {self.average}")
        if self.learning_rate <= 0:
            raise ConfigError(f"optim.learning_rate must be positive, not {self.learning_rate}")


@dataclass(frozen=True)
class RunConfig:
    """How a run is kept and watched; none of it changes the result."""

    checkpoint_minutes: float = 4.0
    log_every: int = 50
    """Steps between rows of metrics"""
    validate_every: int = 500
    """Steps between scores on the validation suite"""
    validation_batches: int = 16
    """Size of the validation suite's larger parts"""
    threads: int = 1
    """Torch threads in each process"""


@dataclass(frozen=True)
class TrainConfig:
    """Shared by all inducers; each adds its own model, data and loss tables."""

    seed: int = 0
    """Episode i depends on this and on i alone"""
    optim: OptimConfig = field(default_factory=OptimConfig)
    run: RunConfig = field(default_factory=RunConfig)
