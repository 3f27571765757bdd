"""ONNX files, computed by numpy operator after operator.

A file is a protobuf message. It is read as far as PyTorch's exporter writes it for the networks of this
package; tests compare the outputs with those of PyTorch and onnxruntime.
"""

import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

Array = NDArray[Any]

FLOATS_IN_CACHE = 16_384  # Numbers that one step of many on each of them takes at a time.

DTYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}  # Cell types by number.


class Node:
    """An operator, and the names of the arrays that it reads and writes."""

    def __init__(self, message: bytes) -> None:
        fields = _fields(message)
        self.inputs, self.outputs = ([name.decode() for name in fields.get(number, [])] for number in (1, 2))
        self.operator = _text(fields[4])
        self.options: dict[str, Any] = dict(map(_option, fields.get(5, [])))
        if self.operator != "If" and self.operator not in OPERATORS:
            raise ValueError(f"its operator {self.operator} is unknown")
        self._outputs_of = partial(OPERATORS.get(self.operator, np.copy), **self.options)

    @property
    def reads(self) -> set[str]:
        """All names that are read, also by the branches of an If."""
        branches = [option for option in self.options.values() if isinstance(option, Graph)]
        return (set(self.inputs) - {""}).union(*(node.reads for branch in branches for node in branch.nodes))

    def compute(self, arrays: dict[str, Array]) -> None:
        """Add the outputs to the arrays."""
        inputs = [arrays[name] if name else None for name in self.inputs]
        if self.operator == "If":
            branch: Graph = self.options["then_branch" if inputs[0] else "else_branch"]
            outputs = branch.run(arrays)
        else:
            outputs = self._outputs_of(*inputs)
        if isinstance(outputs, list):
            arrays.update(zip(self.outputs, outputs, strict=True))
        else:
            arrays[self.outputs[0]] = outputs


class Graph:
    """Operators in the order in which they are computed. What depends on no input is computed once."""

    def __init__(self, message: bytes) -> None:
        fields = _fields(message)
        self.axes = dict(map(_input, fields.get(11, [])))  # how many each input has
        self.outputs = [_text(_fields(each)[1]) for each in fields[12]]
        self.constants: dict[str, Array] = dict(map(_tensor, fields.get(5, [])))
        self.nodes: list[Node] = []
        for node in map(Node, fields.get(1, [])):
            if node.operator != "If" and all(name in self.constants for name in node.inputs if name):
                node.compute(self.constants)
            else:
                self.nodes.append(node)
        last_reader = {name: k for k, node in enumerate(self.nodes) for name in node.reads}
        self._read_last: list[list[str]] = [[] for _ in self.nodes]
        for name in last_reader.keys() - set(self.outputs) - self.constants.keys():
            self._read_last[last_reader[name]].append(name)

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """Return the outputs for inputs by name; an array is freed after its last reader."""
        arrays = {**self.constants, **inputs}
        for node, read_last in zip(self.nodes, self._read_last, strict=True):
            node.compute(arrays)
            for name in read_last:
                arrays.pop(name, None)  # a name of a branch is not here
        return [arrays[name] for name in self.outputs]


def read_graph(model: bytes) -> Graph:
    """Read the graph of an ONNX file."""
    return Graph(_fields(model)[7][0])


def _fields(message: bytes) -> dict[int, list[Any]]:
    """Return the values of a protobuf message by the number of their field."""
    fields: dict[int, list[Any]] = {}
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
            fields.setdefault(key >> 3, []).append(value)
            continue
        size, at = _varint(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        fields.setdefault(key >> 3, []).append(message[at : at + size])
        at += size
    return fields


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return the integer that starts at a byte, and where it ends."""
    value = shift = 0
    while message[at] > 127:
        value |= (message[at] & 127) << shift
        at, shift = at + 1, shift + 7
    value |= message[at] << shift
    return value - (value >> 63 << 64), at + 1


def _text(values: Sequence[bytes]) -> str:
    return values[0].decode()


def _tensor(message: bytes) -> tuple[str, Array]:
    fields = _fields(message)
    cells: Array = np.frombuffer(fields[9][0], DTYPES[fields[2][0]])
    return _text(fields.get(8, [b""])), cells.reshape(fields.get(1, []))


def _input(message: bytes) -> tuple[str, int]:
    fields = _fields(message)
    shape = _fields(_fields(_fields(fields[2][0])[1][0])[2][0])
    return _text(fields[1]), len(shape.get(1, []))


def _option(message: bytes) -> tuple[str, Any]:
    fields = _fields(message)
    return _text(fields[1]), _OPTION_READERS[fields[20][0]](fields)


_OPTION_READERS: dict[int, Callable[[dict[int, list[Any]]], Any]] = {
    1: lambda fields: struct.unpack("<f", fields[2][0])[0],
    2: lambda fields: fields[3][0],
    3: lambda fields: _text(fields[4]),
    4: lambda fields: _tensor(fields[5][0])[1],
    5: lambda fields: Graph(fields[6][0]),
    7: lambda fields: tuple(fields[8]),
}
"""How the value of an option is read, by the number of its type."""


def _gelu(x: Array, approximate: str = "none") -> Array:
    """Return x times the normal distribution function, right to 4e-7 (Abramowitz and Stegun, 7.1.26)."""
    flat, outputs = x.ravel(), np.empty(x.size, x.dtype)
    for start in range(0, x.size, FLOATS_IN_CACHE):
        part = flat[start : start + FLOATS_IN_CACHE]
        size = np.abs(part)
        t = 1 / (1 + size * x.dtype.type(0.3275911 / 2**0.5))
        rest = 1.061405429 * t
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            rest += factor
            rest *= t
        rest *= np.exp(np.square(size) * -0.5)
        rest *= size * 0.5
        np.subtract(np.maximum(part, 0), rest, out=outputs[start : start + FLOATS_IN_CACHE])
    return outputs.reshape(x.shape)


def _layer_norm(x: Array, scale: Array, shift: Array, axis: int = -1, epsilon: float = 1e-5) -> Array:
    width = np.float32(x.shape[-1])
    centred = x - np.einsum("...k->...", x)[..., None] / width  # five times as fast as np.mean of few numbers
    variance = np.einsum("...k,...k->...", centred, centred)[..., None] / width
    centred /= np.sqrt(variance + np.float32(epsilon))
    centred *= scale
    centred += shift
    return np.asarray(centred)


def _softmax(x: Array, axis: int = -1) -> Array:
    x = np.moveaxis(x, axis, -1).copy()  # along few numbers at a time numpy is slow
    np.exp(x - x.max(axis=-1, keepdims=True), out=x)
    return np.asarray(np.moveaxis(x / x.sum(axis=-1, keepdims=True), -1, axis))


def _log_softmax(x: Array, axis: int = -1) -> Array:
    x = x - x.max(axis=axis, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=axis, keepdims=True)))


def _matmul(a: Array, b: Array) -> Array:
    """Return the product; many small ones by the same matrix are one large one."""
    if b.ndim > 1 and b.size and (b == b.flat[0]).all():  # which cells are known, where all of them are
        sums = np.einsum("...k->...", a)[..., None] * b.flat[0]
        return np.broadcast_to(sums, (*sums.shape[:-1], b.shape[-1]))
    if a.ndim > 2 and b.ndim == 2:
        return (a.reshape(-1, a.shape[-1]) @ b).reshape(*a.shape[:-1], b.shape[1])
    return a @ b


def _slice(
    x: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    where = [slice(None)] * x.ndim
    for k, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        where[k if axes is None else axes[k]] = slice(start, end, None if steps is None else steps[k])
    return x[tuple(where)]


def _unsqueeze(x: Array, axes: Array) -> Array:
    shape = list(x.shape)
    for axis in sorted(axis % (x.ndim + len(axes)) for axis in axes.tolist()):
        shape.insert(axis, 1)
    return x.reshape(shape)  # np.expand_dims takes ten times as long


def _top(x: Array, k: Array, axis: int = -1, largest: int = 1, sorted: int = 1) -> list[Array]:
    order = np.argsort(-x if largest else x, axis=axis, kind="stable").take(range(int(k[0])), axis=axis)
    return [np.take_along_axis(x, order, axis=axis), order]


def _gather_nd(x: Array, index: Array, batch_dims: int = 0) -> Array:
    batches = np.indices(index.shape[:-1], sparse=True)[:batch_dims]
    return np.asarray(x[(*batches, *np.moveaxis(index, -1, 0))])


_AS_IN_NUMPY = "Abs Add Equal Exp Greater IsNaN Less Log Sqrt Tanh Tile Where"

OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name.lower()) for name in _AS_IN_NUMPY.split()},
    "Cast": lambda x, to: x.astype(DTYPES[to]),
    "Clip": lambda x, least=None, most=None: np.clip(x, least, most),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis=axis),
    "Constant": lambda value: value,
    "ConstantOfShape": lambda shape, value: np.full(shape, value[0]),
    "CumSum": lambda x, axis: np.cumsum(x, axis=axis.item()),
    "Div": lambda a, b: a / b if a.dtype.kind == "f" else a // b,
    "Einsum": lambda *parts, equation: np.einsum(equation, *parts, optimize=True),
    "Erf": erf,
    "Expand": lambda x, shape: np.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(shape))),
    "EyeLike": lambda x, dtype=1, k=0: np.eye(x.shape[0], x.shape[1], k).astype(DTYPES[dtype]),
    "Gather": lambda x, index, axis=0: np.take(x, index, axis=axis),
    "GatherElements": lambda x, index, axis=0: np.take_along_axis(x, index, axis=axis),
    "GatherND": _gather_nd,
    "Gelu": _gelu,
    "Gemm": lambda a, b, c, alpha=1.0, beta=1.0, transA=0, transB=0: a @ (b.T if transB else b) + c,
    "GreaterOrEqual": np.greater_equal,
    "Identity": lambda x: x,
    "LayerNormalization": _layer_norm,
    "LogSoftmax": _log_softmax,
    "MatMul": _matmul,
    "Max": np.maximum,
    "Min": np.minimum,
    "Mod": lambda a, b, fmod=0: np.fmod(a, b) if fmod else np.mod(a, b),
    "Mul": np.multiply,
    "Neg": np.negative,
    "Not": np.logical_not,
    "Pow": lambda a, b: np.square(a) if b.size == 1 and b == 2 else a**b,
    "Range": lambda start, stop, step: np.arange(start, stop, step),
    "Reciprocal": lambda x: 1 / x,
    "ReduceMean": lambda x, axes, keepdims=1: x.mean(axis=tuple(axes), keepdims=bool(keepdims)),
    "ReduceSum": lambda x, axes=None, keepdims=1, **_: x.sum(
        axis=None if axes is None else tuple(axes), keepdims=bool(keepdims), dtype=x.dtype
    ),
    "Relu": lambda x: np.maximum(x, 0),
    "Reshape": lambda x, shape, allowzero=0: x.reshape(
        [x.shape[k] if size == 0 and not allowzero else size for k, size in enumerate(shape.tolist())]
    ),
    "Shape": lambda x: np.array(x.shape),
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Slice": _slice,
    "Softmax": _softmax,
    "Softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    "Split": lambda x, sizes, axis=0: np.split(x, np.cumsum(sizes)[:-1], axis=axis),
    "Squeeze": lambda x, axes=None: np.squeeze(x, None if axes is None else tuple(axes)),
    "Sub": np.subtract,
    "TopK": _top,
    "Transpose": lambda x, perm: x.transpose(perm),
    "Unsqueeze": _unsqueeze,
}
"""Operators by their ONNX name, on inputs in their order and options by name."""
