"""Ways to learn a Boolean network from transitions: ours, pylfit's, and a decision tree for each variable."""

import importlib.metadata
import importlib.util
import io
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri_bench.arrays import BoolArray, IntArray
from nri_bench.datasets.networks import next_states
from nri_dynamics import Dynamics, learn_dynamics, read_dynamics

Next = Callable[[IntArray], IntArray]
"""From [M, N] states to what follows them."""
Reach = Callable[[int, str, float], bool]
"""Whether a learner is tried on a network of so many variables, a sample and a share of flipped cells."""
SMALL = 13
"""Variables of a network on which every learner but GULA is tried."""
TINY = 10
"""Variables of a network on which GULA is tried."""
PROCESSOR_LIMIT = 120.0
"""Processor seconds for one learner and network; beyond, its row says that it was given up."""


LARGE = 60
"""Variables of a network on which cells are flipped; the one beyond it takes minutes a row."""


def _nearly_everywhere(n: int, sample: str, noise: float) -> bool:
    return n <= LARGE or noise == 0.0


def _small(n: int, sample: str, noise: float) -> bool:
    """On small networks some of the states, and of 500 transitions also flipped ones."""
    return n <= SMALL and sample != "all" and (noise == 0.0 or sample == "500")


def _small_or_plain(n: int, sample: str, noise: float) -> bool:
    return _small(n, sample, noise) or _plain(n, sample, noise)


def _tiny_and_plain(n: int, sample: str, noise: float) -> bool:
    return n <= TINY and _plain(n, sample, noise)


def _plain(n: int, sample: str, noise: float) -> bool:
    return sample == "500" and noise == 0.0


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned."""

    step: Next
    system: Dynamics | None = None
    """as formulas, if it is made of them: then it is compared exactly"""


@dataclass(frozen=True)
class NetworkLearner:
    """A way to learn."""

    name: str
    label: str
    learn: Callable[[pd.DataFrame, int], Learned]
    packages: tuple[str, ...] = ()
    reach: Reach = _nearly_everywhere
    """what it is tried on within reasonable time"""

    @property
    def versions(self) -> str:
        """The versions of what computes the answer."""
        names = ("nri", "numpy", "scikit-learn", *self.packages)
        installed = [name for name in names if name != "pylfit" or importlib.util.find_spec(name)]
        return " ".join(f"{name} {importlib.metadata.version(name)}" for name in installed)


def _ours(model: str) -> Callable[[pd.DataFrame, int], Learned]:
    def learn(table: pd.DataFrame, seed: int) -> Learned:
        system = learn_dynamics(table, model=model, rng=np.random.default_rng(seed))
        return Learned(lambda states: next_states(system, states), system)

    return learn


def _tree(table: pd.DataFrame, seed: int) -> Learned:
    """Grow a tree for each variable and read its leaves as a formula."""
    from sklearn.tree import DecisionTreeClassifier

    names = [name for name in table.columns if not name.endswith("'")]
    X = table[names].to_numpy()
    lines = []
    for name in names:
        y = table[f"{name}'"].to_numpy()
        if (y == y[0]).all():
            lines.append(f"{name}, {y[0]}")
            continue
        tree = DecisionTreeClassifier(random_state=seed).fit(X, y).tree_
        lines.append(f"{name}, {' | '.join(_leaves(tree, 0, names, [])) or '0'}")
    system = read_dynamics(io.StringIO("\n".join(lines)))
    order = [system.names.index(name) for name in names]
    places = np.argsort(order)
    return Learned(lambda states: next_states(system, states[:, places])[:, order], system)


def _leaves(tree: object, node: int, names: list[str], path: list[str]) -> list[str]:
    """Return a conjunction for each leaf that says yes."""
    left, right = tree.children_left[node], tree.children_right[node]  # type: ignore[attr-defined]
    if left < 0:
        votes = tree.value[node][0]  # type: ignore[attr-defined]
        return ["&".join(path) or "1"] if votes[1] > votes[0] else []
    name = names[tree.feature[node]]  # type: ignore[attr-defined]
    return [
        *_leaves(tree, left, names, [*path, f"!{name}"]),
        *_leaves(tree, right, names, [*path, name]),
    ]


def _pylfit(algorithm: str) -> Callable[[pd.DataFrame, int], Learned]:
    def learn(table: pd.DataFrame, seed: int) -> Learned:
        """Learn the rules of both values; where rules of both match, the best supported one speaks."""
        import pylfit

        names = [name for name in table.columns if not name.endswith("'")]
        n = len(names)
        cells = table[[*names, *(f"{name}'" for name in names)]].to_numpy().astype(str)
        data = pylfit.preprocessing.discrete_state_transitions_dataset_from_array(
            data=[(row[:n].tolist(), row[n:].tolist()) for row in cells],
            feature_names=names,
            target_names=[f"{name}'" for name in names],
        )
        model = pylfit.models.DMVLP(features=data.features, targets=data.targets)
        model.compile(algorithm=algorithm)
        model.fit(dataset=data)
        rules = [
            _PylfitRule(
                names.index(rule.head.variable[:-1]),
                int(rule.head.value),
                [
                    (names.index(name), int(getattr(value, "value", value)))
                    for name, value in rule.body.items()
                ],
            )
            for rule in model.rules
        ]
        before, after = table[names].to_numpy(), table[[f"{name}'" for name in names]].to_numpy()
        support = [
            int((rule.matches(before) & (after[:, rule.target] == rule.value)).sum()) for rule in rules
        ]
        return Learned(lambda states: _by_support(rules, support, states))

    return learn


@dataclass(frozen=True)
class _PylfitRule:
    target: int
    value: int
    body: list[tuple[int, int]]

    def matches(self, states: IntArray) -> BoolArray:
        """[M]: on which states its body holds."""
        holds = np.ones(len(states), dtype=bool)
        for column, wanted in self.body:
            holds &= states[:, column] == wanted
        return holds


def _by_support(rules: list[_PylfitRule], support: list[int], states: IntArray) -> IntArray:
    """Say for each variable the value of the rule that matches with the most transitions behind it."""
    most = np.zeros((*states.shape, 2), dtype=np.int64)
    for rule, behind in zip(rules, support, strict=True):
        own = most[:, rule.target, rule.value]
        np.maximum(own, behind, out=own, where=rule.matches(states))
    return (most[:, :, 1] > most[:, :, 0]).astype(np.int64)


LEARNERS = {
    learner.name: learner
    for learner in (
        NetworkLearner("fewest", "NRI fewest regulators", _ours("fewest")),
        NetworkLearner("seeded", "NRI seeded", _ours("seeded"), reach=_small),
        NetworkLearner("greedy", "NRI greedy", _ours("greedy"), reach=_small_or_plain),
        NetworkLearner("paper", "paper's network", _ours("paper"), reach=_small_or_plain),
        NetworkLearner("gula", "pylfit GULA", _pylfit("gula"), ("pylfit",), _tiny_and_plain),
        NetworkLearner("pride", "pylfit PRIDE", _pylfit("pride"), ("pylfit",), _small_or_plain),
        NetworkLearner("tree", "a tree for each variable", _tree),
    )
}
"""Every learner by its name."""
