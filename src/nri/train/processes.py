"""Several processes that train as one: each takes its share of every update's batches."""

import dataclasses
import os
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn


@dataclass(frozen=True)
class Processes:
    """The place of this process among those that torchrun started; alone when there was no torchrun."""

    rank: int = 0
    count: int = 1

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes files."""
        return self.rank == 0

    @property
    def device(self) -> torch.device:
        """Where this process computes: its own GPU where there are GPUs."""
        if not torch.cuda.is_available():
            return torch.device("cpu")
        return torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))

    def share(self, step: int, batches_per_step: int) -> range:
        """Return the indices of the synthetic batches that this process draws for an update."""
        start = step * batches_per_step
        return range(start + self.rank, start + batches_per_step, self.count)

    def sum_gradients(self, network: nn.Module) -> None:
        """Add up the gradients of all processes, in one message."""
        if self.count == 1:
            return
        parameters = [p for p in network.parameters() if p.requires_grad]
        grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
        flat = torch.cat([g.flatten() for g in grads])
        dist.all_reduce(flat)
        for p, part in zip(parameters, torch.split(flat, [p.numel() for p in parameters]), strict=True):
            p.grad = part.view_as(p).clone()


def join_processes() -> Processes:
    """Join the group that torchrun describes in the environment (NCCL on GPUs, gloo on CPUs)."""
    if "WORLD_SIZE" not in os.environ or int(os.environ["WORLD_SIZE"]) == 1:
        return Processes()
    if not dist.is_initialized():
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    return Processes(dist.get_rank(), dist.get_world_size())


def leave_processes() -> None:
    """Leave the group that :func:`join_processes` joined, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()


Record = TypeVar("Record")


def moved(record: Record, device: torch.device) -> Record:
    """Return the dataclass with its tensors on a device; everything else stays as it is.

    >>> from nri.paper.torch.tnorm import SoftRule
    >>> moved(SoftRule(torch.zeros(1, 2), torch.ones(1)), torch.device("meta")).w.device
    device(type='meta')
    """
    fields: dict[str, Any] = vars(record)
    tensors = {name: value.to(device) for name, value in fields.items() if isinstance(value, Tensor)}
    return dataclasses.replace(record, **tensors)  # type: ignore[type-var]
