"""The paper's training data (its appendix A): random DNFs on coin-flip tables, with spurious columns.

Episode ``i`` of a seed is a pure function of (config, seed, i). Each episode has a fixed stretch of one
counter-based random stream, so that a whole batch is drawn by one call and computed by array operations.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.episode import Episode, make_episode
from nri.errors import ConfigError
from nri.synth import dnf_truth, signed_clauses, with_more_columns
from nri.train.config import check_limits

_Uniform = NDArray[np.float64]

_WORDS_PER_COUNT = 4  # Philox makes four 64-bit words from each value of its counter


@dataclass(frozen=True)
class PaperPreset:
    """The appendix's table of parameters, by default with its values."""

    min_variables: int = 6
    max_variables: int = 12  # causal variables, N
    min_rows: int = 24
    max_rows: int = 48  # examples, M
    min_clauses: int = 1
    max_clauses: int = 6  # K
    min_literals: int = 1
    max_literals: int = 4  # literals in a clause, at most N
    n_spurious: int = 3  # columns that follow the label in one half of the rows, in the other its opposite
    flip_rate: float = 0.3  # rho: how often such a column is 1 on the positives of the first environment
    label_noise: float = 0.0  # share of labels that are flipped after the table is made
    missing: float = 0.0  # share of cells that become unknown
    max_label_noise: float = 0.0  # every second episode also has a rate of label noise of its own, up to this
    max_missing: float = 0.0  # the same for unknown cells, independently
    shuffle_columns: bool = False  # whether spurious columns stand anywhere, not after the causal ones
    even_share: float = 0.0
    """Share of episodes whose clauses are all of one length, each led by another variable. By the appendix,
    clause by clause, rules like its experiments' K x L hardly occur: 4 x 1 are one rule in 1536."""

    def __post_init__(self) -> None:
        for name in ("variables", "rows", "clauses", "literals"):
            least, most = getattr(self, f"min_{name}"), getattr(self, f"max_{name}")
            if not 1 <= least <= most:
                cause = f"min_{name} = {least} and max_{name} = {most} leave nothing to draw"
                raise ConfigError(f"data: {cause}; give 1 <= min_{name} <= max_{name}")
        if self.min_literals > self.min_variables:
            cause = f"min_literals = {self.min_literals} exceeds min_variables = {self.min_variables}"
            raise ConfigError(f"data: {cause}; a clause holds a variable once, so give as many variables")
        shares = ("flip_rate", "label_noise", "missing", "max_label_noise", "max_missing", "even_share")
        check_limits("data", self, shares, 0, 1)
        check_limits("data", self, ["n_spurious"], 0)


@dataclass(frozen=True, eq=False)
class PaperEpisodes:
    """B episodes, padded to the preset's largest M and largest N (spurious columns included)."""

    values: BoolArray  # [B, M, N]; False wherever unknown or padding
    known: BoolArray  # [B, M, N]; False on padding
    labels: BoolArray  # [B, M], as observed, noise included; False on padding
    truth: BoolArray  # [B, M], the rule's own labels
    row_valid: BoolArray  # [B, M]
    variable_valid: BoolArray  # [B, N]
    spurious: BoolArray  # [B, N], which variables are spurious
    clauses: BoolArray  # [B, K, 2N], true clauses over the literals of the padded N; an unused one has none

    def episode(self, index: int) -> Episode:
        """Return one episode without its padding."""
        rows, columns = self.row_valid[index], self.variable_valid[index]
        return make_episode(
            self.values[index][rows][:, columns],
            self.known[index][rows][:, columns],
            self.labels[index][rows].astype(np.int64),
        )


def paper_episodes(preset: PaperPreset, seed: int, start: int, count: int) -> PaperEpisodes:
    """Make episodes ``start .. start + count - 1`` of a seed.

    >>> pair = paper_episodes(PaperPreset(), seed=7, start=10, count=2)
    >>> alone = paper_episodes(PaperPreset(), seed=7, start=11, count=1)
    >>> bool((pair.values[1] == alone.values[0]).all())
    True
    """
    K, M, N, S = preset.max_clauses, preset.max_rows, preset.max_variables, preset.n_spurious
    shapes = [(3,), (K,), (K, N), (K, N), (M, N), (M, S), (M,), (N + S,)]
    drawn = _draw(seed, 0, start, count, shapes)
    sizes, lengths, ranks, signs, cells, spurious_cells, row_keys, column_keys = drawn
    least = preset.min_variables, preset.min_rows, preset.min_clauses
    n_variables, n_rows, n_clauses = map(_integers, sizes.T, least, (N, M, K))
    causal = np.arange(N) < n_variables[:, None]
    row_valid = np.arange(M) < n_rows[:, None]
    if preset.even_share:
        lengths, ranks = _even(preset, seed, start, n_variables, lengths, ranks)
    rule = _sample_rule(preset, n_variables, n_clauses, [lengths, ranks, signs])
    table = (cells < 0.5) & causal[:, None, :]
    truth = dnf_truth(rule, table)  # eq. (19)
    table = np.concatenate([table, _spurious(preset, truth, n_rows, spurious_cells)], 2)

    # Hide the boundary between environments, and bring the valid columns to the front.
    row_order = np.argsort(np.where(row_valid, row_keys, 2), 1)
    table = np.take_along_axis(table, row_order[:, :, None], 1)
    truth = np.take_along_axis(truth, row_order, 1) & row_valid
    variable_valid = np.concatenate([causal, np.ones((count, S), bool)], 1)
    if not preset.shuffle_columns:
        column_keys = np.broadcast_to(np.arange(N + S) / (N + S), variable_valid.shape)
    column_order = np.argsort(np.where(variable_valid, column_keys, 2), 1, kind="stable")
    table = np.take_along_axis(table, column_order[:, None, :], 2)
    literal_order = np.concatenate([column_order, column_order + N + S], 1)
    clauses = np.take_along_axis(with_more_columns(rule, S), literal_order[:, None, :], 2)
    variable_valid = np.take_along_axis(variable_valid, column_order, 1)

    known, labels = row_valid[:, :, None] & variable_valid[:, None, :], truth
    noise, missing = _rates(preset, seed, start, count)
    if noise.any() or missing.any():
        holes, flips = _draw(seed, 1, start, count, [(M, N + S), (M,)])
        known = known & (holes >= missing[:, None, None])
        labels = truth ^ ((flips < noise[:, None]) & row_valid)
    spurious = (column_order >= N) & variable_valid
    return PaperEpisodes(table & known, known, labels, truth, row_valid, variable_valid, spurious, clauses)


def _draw(seed: int, stream: int, start: int, count: int, shapes: list[tuple[int, ...]]) -> list[_Uniform]:
    """Uniform numbers of the given shapes for each episode, from the episode's own stretch of counters."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    counts = -(-sum(sizes) // _WORDS_PER_COUNT)
    source = np.random.Philox(key=np.array([seed, stream], np.uint64), counter=start * counts)
    numbers = np.random.Generator(source).random((count, counts * _WORDS_PER_COUNT))
    blocks = np.split(numbers, np.cumsum(sizes), axis=1)  # the last one only fills up a counter
    return [block.reshape(count, *shape) for block, shape in zip(blocks, shapes, strict=False)]


def _rates(preset: PaperPreset, seed: int, start: int, count: int) -> tuple[_Uniform, _Uniform]:
    """[B] each: every episode's rate of label noise and of unknown cells."""
    noise, missing = np.full(count, preset.label_noise), np.full(count, preset.missing)
    if preset.max_label_noise or preset.max_missing:
        some, sizes = _draw(seed, 2, start, count, [(2,), (2,)])
        own = np.where(some < 0.5, sizes, 0.0)
        noise = noise + preset.max_label_noise * own[:, 0]
        missing = missing + preset.max_missing * own[:, 1]
    return noise, missing


def _even(
    preset: PaperPreset, seed: int, start: int, n_variables: IntArray, lengths: _Uniform, ranks: _Uniform
) -> tuple[_Uniform, _Uniform]:
    """In a share of the episodes, give all clauses the first one's length and a first variable each.

    With more clauses than variables, some lead twice.
    """
    count, K, N = ranks.shape
    some, keys = _draw(seed, 3, start, count, [(1,), (N,)])
    order = np.argsort(np.where(np.arange(N) < n_variables[:, None], keys, 2), 1)
    leader = np.take_along_axis(order, np.arange(K) % n_variables[:, None], 1)
    led = np.where(leader[:, :, None] == np.arange(N), -1.0, ranks)
    even = some < preset.even_share
    return np.where(even, lengths[:, :1], lengths), np.where(even[:, :, None], led, ranks)


def _integers(uniform: _Uniform, least: int, most: int | IntArray) -> IntArray:
    """Map uniform numbers to whole numbers ``least .. most``, each equally likely."""
    return (least + np.floor(uniform * (most - least + 1))).astype(np.int64)


def _sample_rule(
    preset: PaperPreset, n_variables: IntArray, n_clauses: IntArray, drawn: list[_Uniform]
) -> BoolArray:
    """[B, K, 2N]: the appendix's "DNF Rule Sampling"; no variable occurs twice in a clause."""
    N, (lengths, ranks, signs) = preset.max_variables, drawn
    longest = np.minimum(preset.max_literals, n_variables)[:, None]
    n_literals = _integers(lengths, preset.min_literals, longest)
    n_literals = np.where(np.arange(preset.max_clauses) < n_clauses[:, None], n_literals, 0)
    ranks = np.where(np.arange(N) < n_variables[:, None, None], ranks, 2)
    return signed_clauses(ranks, n_literals, signs < 0.5)


def _spurious(preset: PaperPreset, truth: BoolArray, n_rows: IntArray, uniform: _Uniform) -> BoolArray:
    """[B, M, S]: the appendix's "Spurious Environment Features", eq. (20); first half, environment 1."""
    first = np.arange(truth.shape[1]) < (n_rows // 2)[:, None]
    chance = np.where(truth == first, preset.flip_rate, 1 - preset.flip_rate)
    return uniform < chance[:, :, None]
