"""The paper's forward pass, unfolded: equations (1) to (13) and (21) in their order, on one table, in numpy.

As in the text, every slot's view of every literal is built; :mod:`nri.paper.torch.network`, which takes
batches, folds eqs. (7) to (9) into weights. Tests hold both to the same numbers. Steps name the printed
number of their equation and its LaTeX label. Losses are in :mod:`nri.paper.torch.losses`, and the data,
(19) and (20), in :mod:`nri.paper.episodes`.

``weights`` are the network's tensors by name, as in a checkpoint: ``{k: v.numpy() for k, v in
network.state_dict().items()}``. Letters: M rows, N variables, L = 2N literals, D width, T slots.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import entr, erf, expit, softmax

from nri.arrays import BoolArray, FloatArray

Weights = Mapping[str, FloatArray]


@dataclass(frozen=True, eq=False)
class Steps:
    """All that is computed on the way from a table to a prediction."""

    literals: FloatArray  # [M, L], 1 where a literal holds, 0 where it fails, 0.5 where its cell is unknown
    phi: FloatArray  # [L, 18]
    h0: FloatArray  # [L, D]
    keys: FloatArray  # [M, D]
    h1: FloatArray  # [L, D]
    views: FloatArray  # [T, L, D], h_kj
    states: FloatArray  # [T, D], s_k
    z: FloatArray  # [T, L], literal gates
    w: FloatArray  # [T], clause gates
    clauses: FloatArray  # [M, T], clause truth
    prediction: FloatArray  # [M]
    discrimination: FloatArray  # [T], d_k


def forward(
    weights: Weights, values: BoolArray, known: BoolArray, labels: BoolArray, heads: int = 4
) -> Steps:
    """Run the text's network on a table [M, N] of at most as many columns as its example keys know."""
    at = {name: np.asarray(tensor, np.float64) for name, tensor in weights.items()}
    positive = np.where(known, values, 0.5)
    literals = np.concatenate([positive, 1 - positive], 1)
    phi = statistics(literals, np.concatenate([known, known], 1), labels)  # (3) phi
    h0 = _norm(at, "encoder.from_statistics.3", _mlp(at, "encoder.from_statistics", phi))  # (4) h0
    keys = example_keys(at, literals, labels)  # (5) example_key
    e = "encoder.attention"
    key, value = np.split(_linear(at, f"{e}.key_value", keys), 2, -1)
    h1 = h0 + _attend(at, e, h0, key, value, heads)  # (6) h1
    gamma, beta = at["decoder.film.gamma"], at["decoder.film.beta"]
    views = gamma[:, None] * h1 + beta[:, None]  # (7) film
    mean = h1.mean(0)
    states = decode(at, at["decoder.queries"] + mean, views, heads)  # (8) clause_state
    z = literal_gates(at, states, views)  # (9) literal_gate
    w = clause_gates(at, mean, views, states, z)  # (10) clause_gate
    clauses = np.prod(1 - z * (1 - literals[:, None]), -1)  # (12) clause_truth
    prediction = 1 - np.prod(1 - w * clauses, -1)  # (13) prediction
    rank = clauses[labels].mean(0) - clauses[~labels].mean(0)  # (11) clause_rank
    return Steps(literals, phi, h0, keys, h1, views, states, z, w, clauses, prediction, rank)


def rule_holds(clauses: tuple[tuple[int, ...], ...], literals: FloatArray) -> BoolArray:
    """Truth of a deployed rule on rows [M, L]: (1) a product of literals, (2) ``dnf`` their disjunction.

    >>> rows = np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    >>> rule_holds(((0, 3), (1,)), rows)
    array([ True,  True, False])
    """
    truth = [np.prod(literals[:, list(clause)], -1) for clause in clauses]  # (1), no label
    return np.asarray(1 - np.prod([1 - clause for clause in truth], 0) >= 0.5)  # (2) dnf


def statistics(literals: FloatArray, known: BoolArray, labels: BoolArray) -> FloatArray:
    """phi_j, eq. (3) ``phi``, with the 18 numbers of the appendix, for each literal."""
    n_literals = literals.shape[1]
    others = ~np.eye(n_literals, dtype=bool)
    rates, observed, strength, signed = [], [], [], []
    for rows in (labels, ~labels, np.ones_like(labels)):
        seen, cells = known[rows], literals[rows]
        counts = seen.sum(0)
        rate = np.where(counts > 0, (cells * seen).sum(0) / np.maximum(counts, 1), 0.5)
        centred = (cells - rate) * seen
        c = centred.T @ centred / np.maximum(seen.T.astype(float) @ seen, 1)  # (21) c_jk, no label
        rates.append(rate)
        observed.append(counts / max(rows.sum(), 1))
        strength.append((np.abs(c) * others).sum(1) / (n_literals - 1))
        signed.append((c * others).sum(1) / (n_literals - 1))
    entropy = entr(rates[2]) + entr(1 - rates[2])  # entr(p) = -p log p, 0 at both ends
    sign = np.repeat([1.0, 0.0], n_literals // 2)
    by_view = [number for i in range(3) for number in (rates[i], 1 - rates[i], observed[i])]
    last = [strength[2], strength[0], signed[0], strength[1], signed[1], signed[0] - signed[1]]
    return np.stack([*by_view, entropy, sign, np.zeros(n_literals), *last], 1)


def example_keys(at: Weights, literals: FloatArray, labels: BoolArray) -> FloatArray:
    """e_m, eq. (5) ``example_key``: MLP_y of the label plus MLP_x of the row's literals."""
    y = labels.astype(np.float64)
    from_label = _mlp(at, "encoder.keys.from_label", np.stack([y, 1 - y, np.ones_like(y)], 1))
    n_variables = literals.shape[1] // 2
    columns = at["encoder.keys.columns"][:, :, :n_variables]  # [polarity, unit, variable]: zero-padded input
    hidden = np.maximum(literals @ np.concatenate(list(columns), 1).T + at["encoder.keys.bias"], 0)
    return from_label + _linear(at, "encoder.keys.from_values", hidden)


def decode(at: Weights, states: FloatArray, views: FloatArray, heads: int) -> FloatArray:
    """s_k, eq. (8) ``clause_state``: slots attend to each other, then to their own views of the literals."""
    for name in sorted({".".join(key.split(".")[:3]) for key in at if key.startswith("decoder.layers.")}):
        normed = _norm(at, f"{name}.norm_slots", states)
        key, value = np.split(_linear(at, f"{name}.slots.key_value", normed), 2, -1)
        states = states + _attend(at, f"{name}.slots", normed, key, value, heads)
        normed, own = _norm(at, f"{name}.norm_literals", states), f"{name}.literals"
        key, value = views @ at[f"{own}.key.weight"].T, _linear(at, f"{own}.value", views)
        read = [_attend(at, own, normed[k : k + 1], key[k], value[k], heads) for k in range(len(states))]
        states = states + np.concatenate(read)
        hidden = _gelu(_linear(at, f"{name}.think.1", _norm(at, f"{name}.think.0", states)))
        states = states + _linear(at, f"{name}.think.4", hidden)
    return _norm(at, "decoder.norm", states)


def literal_gates(at: Weights, states: FloatArray, views: FloatArray) -> FloatArray:
    """z_kj, eq. (9) ``literal_gate``; of x and not-x the one with the lower score is removed."""
    query = states @ at["decoder.literal_gates.from_state.weight"].T  # W_s s_k
    offered = views @ at["decoder.literal_gates.from_literal.weight"].T  # W_h h_kj
    inner = np.einsum("te,tle->tl", query, offered) / math.sqrt(states.shape[1])
    logits = inner + at["decoder.literal_gates.bias"]
    N = logits.shape[1] // 2
    keep = logits[:, :N] >= logits[:, N:]
    return np.asarray(expit(logits) * np.concatenate([keep, ~keep], 1))


def clause_gates(
    at: Weights, mean: FloatArray, views: FloatArray, states: FloatArray, z: FloatArray
) -> FloatArray:
    """w_k, eq. (10) ``clause_gate``."""
    summary = np.einsum("tl,tld->td", z, views) / np.maximum(z.sum(1, keepdims=True), 1e-6)  # \\tilde h_k
    non_null = 1 - np.prod(1 - z, 1, keepdims=True)  # p_k
    inputs = np.concatenate([np.broadcast_to(mean, states.shape), summary, states, non_null], 1)
    hidden = _gelu(_linear(at, "decoder.clause_gates.hidden", inputs))
    return np.asarray(expit(_linear(at, "decoder.clause_gates.out", hidden)[:, 0]))


def _linear(at: Weights, name: str, x: FloatArray) -> FloatArray:
    return np.asarray(x @ at[f"{name}.weight"].T + at[f"{name}.bias"])


def _mlp(at: Weights, name: str, x: FloatArray) -> FloatArray:
    return _linear(at, f"{name}.2", np.maximum(_linear(at, f"{name}.0", x), 0))


def _norm(at: Weights, name: str, x: FloatArray) -> FloatArray:
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    return np.asarray(centred / spread * at[f"{name}.weight"] + at[f"{name}.bias"])


def _attend(
    at: Weights, name: str, queries: FloatArray, key: FloatArray, value: FloatArray, heads: int
) -> FloatArray:
    """Multi-head attention of queries [Q, D] over items with keys and values [I, D]."""
    q, k, v = (np.stack(np.split(x, heads, -1)) for x in (_linear(at, f"{name}.query", queries), key, value))
    shares = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]), -1)
    return _linear(at, f"{name}.out", np.concatenate(list(shares @ v), -1))


def _gelu(x: FloatArray) -> FloatArray:
    return np.asarray(0.5 * x * (1 + erf(x / math.sqrt(2))))
