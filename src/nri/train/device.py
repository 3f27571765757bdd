"""Records of tensors on another device."""

import dataclasses
from typing import Any, TypeVar

import torch
from torch import Tensor

Record = TypeVar("Record")


def moved(record: Record, device: torch.device) -> Record:
    """Return the dataclass with its tensors on a device; everything else stays as it is.

    >>> from nri.model.soft_rule import SoftRule
    >>> moved(SoftRule(torch.zeros(1, 2), torch.ones(1)), torch.device("meta")).w.device
    device(type='meta')
    """
    fields: dict[str, Any] = vars(record)
    tensors = {name: value.to(device) for name, value in fields.items() if isinstance(value, Tensor)}
    return dataclasses.replace(record, **tensors)  # type: ignore[type-var]
