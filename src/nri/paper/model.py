"""The paper's model on plain arrays: the shipped network fills its slots, the slots become a rule.

One class is set against the rest, the network reads the table once, and the deployed rule is read off its
gates (:func:`deploy`). Nothing is searched; what a clause is worth is only counted.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Episode, literal_truth, make_episode
from nri.errors import ConfigError, InputError
from nri.rule.truth import deciding_order, estimated_precision, first_to_fire
from nri.search.candidates import clause_truth
from nri.search.clauses import IndexClause
from nri.search.limits import Limits
from nri.search.result import Induced
from nri.weights import Network, shipped_file

AnyGates = NDArray[np.floating]
Clauses = tuple[IndexClause, ...]

GATE = 0.5  # of slots and of literals: the text keeps what is at least this open


@dataclass(frozen=True)
class DeployConfig:
    """How many open slots become clauses, how many open gates literals; all by default, as in the text."""

    max_literals: int | None = None  # Most literals in a clause, those with the highest gates.
    top_clauses: int | None = None  # K': most clauses, those that discriminate best on the support.
    tune_clauses: bool = False
    """Choose K' on the support, as the paper did for its listing of rules: clauses are taken from the most
    discriminating on, as many as decide most support rows rightly, the fewest of these."""

    def __post_init__(self) -> None:
        for name in ("max_literals", "top_clauses"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ConfigError(f"deploy: {name} = {getattr(self, name)} keeps nothing; give 1 or more")


PUBLISHED = DeployConfig(max_literals=4)
"""The published system also keeps at most four literals, the longest clause it was trained on. Without
that, on tables far wider than in training, many gates stay open and clauses grow to dozens of literals."""


def deploy(z: AnyGates, w: AnyGates, episode: Episode, config: DeployConfig = PUBLISHED) -> Clauses:
    """Turn the gates of one table into clauses, each a rising tuple of literal indices.

    ``z`` [T, 2N] are literal gates, ``w`` [T] clause gates; the support is read for the discrimination score
    alone. Clauses come with the highest clause gate first (the most discriminating first where
    ``top_clauses`` is set), each once. A slot that selects no literal gives no clause.
    """
    rank = np.argsort(np.argsort(-z, axis=1, kind="stable"), axis=1)
    membership = (z >= GATE) & (rank < (config.max_literals or z.shape[1]))
    order = np.argsort(-w, kind="stable")
    slots = [tuple(np.flatnonzero(members).tolist()) for members in membership]
    clauses = list(dict.fromkeys(slots[k] for k in order.tolist() if w[k] >= GATE and slots[k]))
    if config.top_clauses is None and not config.tune_clauses:
        return tuple(clauses)
    holds = clause_truth(literal_truth(episode.values, episode.known), clauses).T
    chosen = np.argsort(-discrimination(holds, episode.labels), kind="stable")[: config.top_clauses]
    if config.tune_clauses:
        chosen = chosen[: best_prefix(holds[:, chosen], episode)]
    return tuple(clauses[k] for k in chosen)


def best_prefix(holds: BoolArray, episode: Episode) -> int:
    """Return how many of the first clauses [M, K] to join by OR for the most right weight; the least such.

    >>> from nri.episode import make_episode
    >>> table = make_episode(np.zeros((3, 1), bool), labels=np.array([1, 1, 0]))
    >>> best_prefix(np.array([[True, True, True], [False, True, True], [False, False, True]]), table)
    2
    """
    covered = np.logical_or.accumulate(np.pad(holds, [(0, 0), (1, 0)]), axis=1)
    right = ((covered == (episode.labels == 1)[:, None]) * episode.weights[:, None]).sum(axis=0)
    return int(np.argmax(right))


def discrimination(truth: NDArray[np.generic], labels: NDArray[np.integer]) -> FloatArray:
    """d_k, eq. (11) ``clause_rank``: mean truth of each clause on positives less that on negatives.

    >>> discrimination(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([1, 1, 0]))
    array([1. , 0.5])
    """
    rows = [truth[labels == label].astype(np.float64) for label in (1, 0)]
    positive, negative = (of_label.sum(axis=0) / max(1, len(of_label)) for of_label in rows)
    return np.asarray(positive - negative)


MAX_ROWS = 50_000  # Rows that the network looks at: many rows take as much memory as many columns.
MAX_CELLS = 2_000_000  # Cells that the network looks at; of a larger table some rows of each class are drawn.

TUNED = DeployConfig(max_literals=4, tune_clauses=True)  # Of ``paper-tuned``; chosen on synthetic tables.
RESTARTS = 16  # Views of a table under which ``paper-tuned`` runs the network.


@dataclass(frozen=True, eq=False)
class Gates:
    """A soft rule on arrays."""

    z: NDArray[np.float32]  # [T, 2N], literal gates
    w: NDArray[np.float32]  # [T], clause gates


class GateSource(Protocol):
    """What fills the slots: the shipped file, or a network in training."""

    def gates(self, values: BoolArray, known: BoolArray, labels: BoolArray) -> list[Gates]:
        """Fill the slots for each view [V, M, N] of a table with unknown cells and yes/no labels [M]."""
        ...


KINDS = ("paper", "paper-feedback")  # networks that fill slots, by the name on their card


class PaperNetwork(Network):
    """A network that fills slots, with its weights."""

    def __init__(self, onnx_file: Path) -> None:
        super().__init__(onnx_file)
        if self.card["inducer"] not in KINDS:
            raise InputError(f"{onnx_file} holds the {self.card['inducer']!r} network, not the paper's")

    def gates(self, values: BoolArray, known: BoolArray, labels: BoolArray) -> list[Gates]:
        """See :class:`GateSource`."""
        cells, y = (values & known).astype(np.float32), labels.astype(np.float32)
        if self.graph.axes.get("values") == 2:  # exported by 0.2.0, before there were views
            views = zip(cells, known, strict=True)
            return [Gates(*self.run({"values": c, "known": k, "labels": y})) for c, k in views]
        z, w = self.run({"values": cells, "known": known, "labels": y})
        return [Gates(*pair) for pair in zip(z, w, strict=True)]


@cache
def shipped_paper_network(name: str = "paper") -> PaperNetwork:
    """Return the network whose weights are part of the package, loaded once."""
    return PaperNetwork(shipped_file(name))


@dataclass(eq=False)
class PaperModel:
    """The paper's system as an inducer, by default as its text deploys it.

    The rule speaks about the second of two classes, unless another is named or, with ``both_sides``, a rule
    for either is made and the one with fewer errors on the support is kept. With ``restarts`` the network
    fills its slots under several views of the table, by random signs and orders of its columns, in one
    forward pass; the rule with the fewest errors is kept. ``reorders`` says whether the table is put into
    canonical order, yes/no columns flipped, before; the text's network sees it as it is.
    """

    sharpens: ClassVar[bool] = False

    network: GateSource = field(default_factory=shipped_paper_network)
    config: DeployConfig = PUBLISHED
    both_sides: bool = False
    restarts: int = 1
    reorders: bool = False

    def induce(self, episode: Episode, groups: IntArray, limits: Limits, rng: np.random.Generator) -> Induced:
        """See :class:`nri.search.result.Inducer`."""
        seen = rows_to_show(episode, rng)
        either = (1, 0) if self.both_sides else (1,)
        sides = either if limits.positive is None else (limits.positive,)
        all_classes, induced = range(episode.n_classes), []
        described = [all_classes] if episode.n_classes > 2 else [(side,) for side in sides]
        for classes in described:
            rules = [self._clauses(seen, c, limits, rng) if c in classes else () for c in all_classes]
            induced.append(count(episode, rules, limits))
        return min(induced, key=lambda one: one.errors)

    def _clauses(self, seen: Episode, target: int, limits: Limits, rng: np.random.Generator) -> Clauses:
        """Induce a rule for one class against the rest."""
        labels = seen.labels == target
        if not labels.any() or labels.all():
            return ()
        two_class = make_episode(seen.values, seen.known, labels.astype(np.int64), seen.weights)
        literals = literal_truth(seen.values, seen.known)

        def errors_and_length(rule: Clauses) -> tuple[int, int]:
            return int((clause_truth(literals, rule).any(axis=0) != labels).sum()), sum(map(len, rule))

        views = self._gates(seen, labels, rng)
        return min((self._deployed(gates, two_class, limits) for gates in views), key=errors_and_length)

    def _gates(self, seen: Episode, labels: BoolArray, rng: np.random.Generator) -> list[Gates]:
        """Fill the slots under each view of the table, and say what its gates mean for the table itself."""
        N = seen.n_variables
        others = max(1, min(self.restarts, MAX_CELLS // (seen.values.size or 1))) - 1
        orders = [np.arange(N), *(rng.permutation(N) for _ in range(others))]
        flips = [np.zeros(N, bool), *(rng.random(N) < 0.5 for _ in range(others))]
        values = np.stack([(seen.values ^ flip)[:, order] for order, flip in zip(orders, flips, strict=True)])
        known = np.stack([seen.known[:, order] for order in orders])
        views = zip(self.network.gates(values & known, known, labels), orders, flips, strict=True)
        gates = []
        for view, order, flip in views:
            place = np.argsort(order)
            gates.append(Gates(view.z[:, np.concatenate([place + N * flip, place + N * ~flip])], view.w))
        return gates

    def _deployed(self, gates: Gates, two_class: Episode, limits: Limits) -> Clauses:
        z = with_required(gates.z * limits.literal_mask(two_class.n_variables), limits.required)
        longest = min(limits.max_literals, self.config.max_literals or limits.max_literals)
        config = replace(self.config, max_literals=max(longest, len(limits.required)))
        if limits.max_clauses < len(gates.w):  # the text's K': the most discriminating, not the widest open
            config = replace(config, top_clauses=limits.max_clauses)
        return deploy(z, gates.w, two_class, config)


def tuned_paper_model(network: GateSource | None = None) -> PaperModel:
    """Return the paper's network as we deploy it: restarts, clauses chosen on the support, either class."""
    network = network or shipped_paper_network()
    return PaperModel(network, TUNED, both_sides=True, restarts=RESTARTS, reorders=True)


def feedback_model() -> PaperModel:
    """Return the network with coverage feedback under the text's deployment.

    The order of rows decides where its slots start, so the table is put into canonical order first.
    """
    return PaperModel(shipped_paper_network("paper-feedback"), reorders=True)


def with_required(z: NDArray[np.float32], required: tuple[BoolArray, ...]) -> NDArray[np.float32]:
    """Open in every slot the gate of the likeliest literal of each set [2N] that clauses must speak about."""
    z = z.copy()
    slots, n_variables = np.arange(len(z)), z.shape[1] // 2
    for wanted in required:
        best = np.where(wanted, z, -1.0).argmax(axis=1)
        z[slots, (best + n_variables) % (2 * n_variables)] = 0.0  # never with its negation
        z[slots, best] = 2.0  # above every other gate, so that no limit on literals drops it
    return z


def rows_to_show(episode: Episode, rng: np.random.Generator) -> Episode:
    """Return the rows the network reads, each of weight one, within the cap on cells.

    A row of weight two is shown twice. With fractional weights, or beyond the cap, rows are drawn by class.
    """
    whole = bool((episode.weights == np.round(episode.weights)).all())
    total = float(episode.weights.sum())
    most = max(2 * episode.n_classes, min(MAX_ROWS, MAX_CELLS // max(1, episode.n_variables)))
    if whole and total <= most:
        rows = np.repeat(np.arange(len(episode)), episode.weights.astype(np.int64))
    else:
        size = min(most, max(len(episode), round(total)) if whole else len(episode))
        rows = _draw_rows(episode, size, rng)
    cells = episode.values[rows], episode.known[rows]
    return make_episode(*cells, episode.labels[rows], n_classes=episode.n_classes)


def _draw_rows(episode: Episode, size: int, rng: np.random.Generator) -> IntArray:
    drawn = []
    for label in np.unique(episode.labels):
        rows = np.flatnonzero(episode.labels == label)
        weights = episode.weights[rows]
        wanted = max(1, round(size * float(weights.sum() / episode.weights.sum())))
        alike = bool((weights == weights[0]).all()) and wanted <= len(rows)
        chances = None if alike else weights / weights.sum()
        drawn.append(rng.choice(rows, wanted, replace=not alike, p=chances))
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def count(episode: Episode, rules: list[Clauses], limits: Limits) -> Induced:
    """Drop clauses that are not precise enough on all rows, set the others in order, and set the default."""
    literals = literal_truth(episode.values, episode.known)
    masses: FloatArray = np.eye(episode.n_classes)[episode.labels] * episode.weights[:, None]
    prior = masses.sum(axis=0) / masses.sum()
    branches = [(label, clause) for label, clauses in enumerate(rules) for clause in clauses]
    owner = np.array([label for label, _ in branches], dtype=np.int64)
    truth = clause_truth(literals, [clause for _, clause in branches])
    covered = truth @ masses
    right, total = covered[np.arange(len(owner)), owner], covered.sum(axis=1)
    kept = np.flatnonzero(right >= limits.min_precision * total)
    precision = estimated_precision(right[kept], total[kept], prior[owner[kept]])
    order = kept[deciding_order(precision, owner[kept])]
    owner, fires = owner[order], truth[order]
    uncovered = masses[~fires.any(axis=0)].sum(axis=0)
    default = int(np.argmax(uncovered if uncovered.any() else prior))
    described = set(owner.tolist())
    if episode.n_classes == 2 and len(described) == 1:
        default = 1 - described.pop()  # the rule says one class, whatever it leaves out is the other
    wrong = np.append(owner, default)[first_to_fire(fires.T)] != episode.labels
    errors = float(episode.weights[wrong].sum())
    return Induced(episode.n_classes, tuple(branches[i] for i in order), default, errors, errors)
