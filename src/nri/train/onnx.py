"""A network as one ONNX file in which the sizes of tables are free."""

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import jaxtyping
import torch
from torch import Tensor, nn

from nri.table.atomic import atomic_file
from nri.train.checkpoint import make_folder


@dataclass(frozen=True, eq=False)
class Graph:
    """What is traced, on which example, and which axes stay free."""

    network: nn.Module
    inputs: Mapping[str, Tensor]
    """An example of each input, by name, in the order of the network's arguments."""
    input_axes: Mapping[str, str]
    """The letters of each input's axes."""
    output_axes: Mapping[str, str]
    """The same for outputs, in their order."""
    free: str
    """Letters of the axes that can have any length."""


def write_graph(graph: Graph, onnx_file: Path) -> None:
    """Trace the network and write it, whole or not at all.

    The tracing exporter takes half a second where the newer one takes minutes, for the same file.
    """
    axes = {**graph.input_axes, **graph.output_axes}
    make_folder(onnx_file.parent)
    traced = io.BytesIO()
    with warnings.catch_warnings(), torch.no_grad(), _unchecked_shapes():
        warnings.simplefilter("ignore")  # the exporter warns of its age
        torch.onnx.export(
            graph.network.eval(),
            tuple(graph.inputs.values()),
            traced,  # type: ignore[arg-type]  # the tracing exporter takes it, its signature is the newer one's
            input_names=list(graph.inputs),
            output_names=list(graph.output_axes),
            dynamic_axes={
                name: {i: letter for i, letter in enumerate(letters) if letter in graph.free}
                for name, letters in axes.items()
            },
            opset_version=17,
            dynamo=False,
        )
    with atomic_file(onnx_file, binary=True) as file:
        file.write(traced.getvalue())


@contextmanager
def _unchecked_shapes() -> Iterator[None]:
    """Switch the tests' checks of shapes off: while tracing, a size is a tensor and no whole number."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        yield
    finally:
        jaxtyping.config.update("jaxtyping_disable", before)
