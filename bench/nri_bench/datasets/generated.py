"""Data sets that a few lines generate exactly, so that they need no file and no network."""

import itertools
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from nri_bench.datasets.table import RawTable

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""The eight lines of a tic-tac-toe board whose squares are numbered row by row."""

SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)

SEGMENTS = (
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
)
"""Which of the seven segments each digit lights."""


def generated_names() -> tuple[str, ...]:
    """Return the names of all generated data sets."""
    return tuple(_GENERATORS)


def generate(name: str) -> RawTable:
    """Build one data set; the same name always gives the same rows in the same order.

    >>> generate("mux6").frame.shape
    (64, 6)
    """
    return _GENERATORS[name](name)


def monk(name: str) -> RawTable:
    """Generate all 432 robots of a MONK problem, without the label noise of the original sample."""
    columns = [f"a{i}" for i in range(1, 7)]
    robots = list(itertools.product((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2)))
    concept: dict[str, Callable[[Sequence[int]], bool]] = {
        "monks-1": lambda a: a[0] == a[1] or a[4] == 1,
        "monks-2": lambda a: sum(value == 1 for value in a) == 2,
        "monks-3": lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3),
    }
    return _table(name, columns, robots, [str(int(concept[name](robot))) for robot in robots])


def tic_tac_toe(name: str) -> RawTable:
    """Generate the 958 boards at the end of a game that x began; positive where x has won.

    The order is that of the UCI file: x wins, then o wins, then draws, each with x before o before blank.
    """
    boards = [board for board in itertools.product("xob", repeat=9) if _is_final(board)]
    boards.sort(key=lambda board: (not _has_line(board, "x"), not _has_line(board, "o")))  # a stable sort
    labels = ["positive" if _has_line(board, "x") else "negative" for board in boards]
    return _table(name, SQUARES, boards, labels)


def _is_final(board: Sequence[str]) -> bool:
    """Whether a game that x begins and that stops at the first win can end so."""
    crosses, rings = board.count("x"), board.count("o")
    x_won, o_won = _has_line(board, "x"), _has_line(board, "o")
    if x_won:
        return crosses == rings + 1 and not o_won
    if o_won:
        return crosses == rings
    return crosses == 5 and rings == 4


def _has_line(board: Sequence[str], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)


def balance_scale(name: str) -> RawTable:
    """Generate all 625 balances: left weight and distance against right weight and distance."""
    columns = ("left-weight", "left-distance", "right-weight", "right-distance")
    rows = list(itertools.product(range(1, 6), repeat=4))
    tips = [np.sign(a * b - c * d) for a, b, c, d in rows]
    return _table(name, columns, rows, [{1: "L", 0: "B", -1: "R"}[int(tip)] for tip in tips])


def multiplexer(name: str) -> RawTable:
    """Generate every input of the 6- or 11-bit multiplexer: address bits choose one data bit."""
    address = {"mux6": 2, "mux11": 3}[name]
    columns = [f"a{i}" for i in range(address)] + [f"d{i}" for i in range(2**address)]
    rows = list(itertools.product((0, 1), repeat=len(columns)))
    labels = [str(row[address + int("".join(map(str, row[:address])), 2)]) for row in rows]
    return _table(name, columns, rows, labels)


def parity(name: str) -> RawTable:
    """Generate every input of ten bits of which the first five decide by their parity (parity5+5)."""
    rows = list(itertools.product((0, 1), repeat=10))
    return _table(name, [f"b{i}" for i in range(10)], rows, [str(sum(row[:5]) % 2) for row in rows])


def corral(name: str) -> RawTable:
    """Generate ``(a0 AND a1) OR (b0 AND b1)`` with an idle column and one that is right 3 times of 4."""
    columns = ("a0", "a1", "b0", "b1", "irrelevant", "correlated")
    rows, labels = [], []
    for a0, a1, b0, b1, idle, copy in itertools.product((0, 1), (0, 1), (0, 1), (0, 1), (0, 1), range(4)):
        truth = int((a0 and a1) or (b0 and b1))
        rows.append((a0, a1, b0, b1, idle, truth if copy else 1 - truth))
        labels.append(str(truth))
    return _table(name, columns, rows, labels)


def led(name: str, n_rows: int = 1000, noise: float = 0.1) -> RawTable:
    """Generate digits on a seven-segment display whose segments fail one time in ten.

    ``led24`` adds seventeen segments that mean nothing. The seed is fixed: one data set, not a family.
    """
    rng = np.random.default_rng(7)
    digits = rng.integers(0, 10, n_rows)
    lit = np.array([[int(s) for s in SEGMENTS[digit]] for digit in digits])
    lit ^= rng.random(lit.shape) < noise
    if name == "led24":
        lit = np.hstack([lit, rng.integers(0, 2, (n_rows, 17))])
    columns = [f"s{i}" for i in range(1, lit.shape[1] + 1)]
    return _table(name, columns, lit.tolist(), [str(digit) for digit in digits])


def _table(
    name: str, columns: Sequence[str], rows: Iterable[Sequence[object]], labels: list[str]
) -> RawTable:
    cells = [[str(cell) for cell in row] for row in rows]
    frame = pd.DataFrame(cells, columns=list(columns), dtype=str)
    return RawTable(name, frame, pd.Series(labels, name="class", dtype=str), (), "generated")


_GENERATORS: dict[str, Callable[[str], RawTable]] = {
    "monks-1": monk,
    "monks-2": monk,
    "monks-3": monk,
    "tic-tac-toe": tic_tac_toe,
    "balance-scale": balance_scale,
    "mux6": multiplexer,
    "mux11": multiplexer,
    "parity5+5": parity,
    "corral": corral,
    "led7": led,
    "led24": led,
}
