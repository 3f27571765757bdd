"""What the training loop needs to know of an inducer."""

from typing import Any, Protocol

from torch import Tensor, nn

from nri.train.config import TrainConfig


class Training(Protocol):
    """An inducer in training: its network, its episodes, its loss and its validation."""

    @property
    def name(self) -> str:
        """How checkpoints and users call the inducer."""
        ...

    @property
    def config(self) -> TrainConfig:
        """What the run is."""
        ...

    def build(self) -> nn.Module:
        """Make the network with freshly drawn weights; the same for the same seed."""
        ...

    def loss(self, network: nn.Module, index: int) -> tuple[Tensor, dict[str, float]]:
        """Draw synthetic batch ``index``, return the loss to minimise and what to log (with ``episodes``)."""
        ...

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Score the network on the fixed validation suite."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return the configuration as plain values, to be kept with the weights."""
        ...
