"""A neural DNF trained from scratch on each table: the rival that shares our rule form but no pretraining."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import BoolArray, FloatArray
from nri_bench.methods.size import RuleSize

EPSILON = 1e-6


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread, as every method here does; small products are slower with more."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class NeuralDNFClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Soft clauses under the product t-norm, fitted by gradient descent and then read off as a DNF.

    A gate ``z`` in [0, 1] for each clause and literal; a clause holds to the degree
    ``prod(1 - z (1 - literal))``, a class to the degree ``1 - prod(1 - w clause)``. One DNF for each
    class, all trained at once by cross-entropy on "is it this class". Gates are pushed towards 0 and
    1, and the predictions are those of the hard rule: gates of at least one half, ties and rows that no
    clause covers settled by the soft degree.

    Parameters
    ----------
    n_clauses
        Clauses for each class.
    n_steps, learning_rate, batch_size
        Adam on batches drawn with replacement; the whole support when it is smaller.
    sparsity
        Price of a gate's mean, so that idle literals go.
    random_state
        Seed of the initial gates and the batches.
    """

    classes_: Any

    def __init__(
        self,
        n_clauses: int = 16,
        n_steps: int = 300,
        learning_rate: float = 0.05,
        batch_size: int = 512,
        sparsity: float = 1e-3,
        random_state: int | None = None,
    ) -> None:
        self.n_clauses = n_clauses
        self.n_steps = n_steps
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.sparsity = sparsity
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Train the gates and keep their hard reading."""
        X = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.n_features_in_ = X.shape[1]
        literals = np.hstack([X, 1 - X]).astype(np.float32)
        targets = np.eye(len(self.classes_), dtype=np.float32)[codes]
        with _one_thread():
            self.gates_, self.weights_ = self._train(literals, targets)
        self.note_ = "" if self._hard().any() else "no gate reached one half: predicts by soft degrees"
        return self

    def _train(self, literals: Any, targets: Any) -> tuple[FloatArray, FloatArray]:
        import torch

        generator = torch.Generator().manual_seed(self.random_state or 0)
        false = 1 - torch.from_numpy(literals)
        wanted = torch.from_numpy(targets)
        shape = (targets.shape[1], self.n_clauses, literals.shape[1])
        # a gate starts near 0.1, so that a clause of few literals is found before it dies out
        raw = (torch.randn(shape, generator=generator) - 2.2).requires_grad_()
        raw_weights = torch.zeros(shape[:2]).requires_grad_()
        optimiser = torch.optim.Adam([raw, raw_weights], lr=self.learning_rate)
        whole = len(targets) <= self.batch_size
        for step in range(self.n_steps):
            rows = (
                slice(None) if whole else torch.randint(len(wanted), (self.batch_size,), generator=generator)
            )
            gates, weights = torch.sigmoid(raw), torch.sigmoid(raw_weights)
            log_off = torch.log1p(-gates * (1 - EPSILON)).flatten(0, 1)
            clauses = torch.exp(false[rows] @ log_off.T).reshape(-1, *shape[:2])
            missed = torch.log1p(-weights * clauses * (1 - EPSILON)).sum(dim=2)
            degree = (1 - torch.exp(missed)).clamp(EPSILON, 1 - EPSILON)
            loss = torch.nn.functional.binary_cross_entropy(degree, wanted[rows])
            # the pull towards 0 and 1 grows with training: first find the literals, then harden them
            hardness = 0.1 * step / self.n_steps
            loss = loss + self.sparsity * gates.sum(dim=2).mean() + hardness * (gates * (1 - gates)).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
        return (
            torch.sigmoid(raw).detach().numpy().astype(np.float64),
            torch.sigmoid(raw_weights).detach().numpy().astype(np.float64),
        )

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """[M, C] scores: the hard rule's class first, soft degrees among equals."""
        X = np.asarray(X, dtype=np.float64)
        false = 1 - np.hstack([X, 1 - X])
        log_off = np.log1p(-self.gates_ * (1 - EPSILON))
        clauses = np.exp(np.einsum("ml,ctl->mct", false, log_off))
        soft = 1 - np.prod(1 - self.weights_ * clauses, axis=2)
        broken = np.einsum("ml,ctl->mct", false, self._hard().astype(np.float64)) > 0
        fires = (~broken & self._alive()).any(axis=2)
        score = (fires + soft) / 2 + EPSILON
        return np.asarray(score / score.sum(axis=1, keepdims=True))

    def predict(self, X: FloatArray) -> Any:
        """[M] the class with the largest score."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def rule_size(self) -> RuleSize:
        """Clauses that are switched on and have a literal, over all classes."""
        hard, alive = self._hard(), self._alive()
        return RuleSize(int(alive.sum()), int(hard[alive].sum()))

    def _hard(self) -> BoolArray:
        return np.asarray(self.gates_ >= 0.5)

    def _alive(self) -> BoolArray:
        """[C, T]: clauses switched on, not empty and not asking for a variable and its negation."""
        hard = self._hard()
        half = hard.shape[2] // 2
        contradictory = (hard[..., :half] & hard[..., half:]).any(axis=2)
        return np.asarray((self.weights_ >= 0.5) & hard.any(axis=2) & ~contradictory)
