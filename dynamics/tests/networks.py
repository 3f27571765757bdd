"""Small Boolean networks, made by chance or well known, and their transitions."""

import numpy as np
import pandas as pd

from nri_dynamics import Dynamics
from nri_dynamics.formats.bnet import read_bnet

CELL_CYCLE = """
targets, factors
CycD, CycD
Rb, !CycD & !CycB & (p27 | !CycE & !CycA)
E2F, !Rb & !CycB & (p27 | !CycA)
CycE, E2F & !Rb
CycA, !Rb & !Cdc20 & !(cdh1 & UbcH10) & (E2F | CycA)
p27, !CycD & !CycB & (!CycE & !CycA | p27 & !(CycE & CycA))
Cdc20, CycB
cdh1, Cdc20 | !CycB & (p27 | !CycA)
UbcH10, !cdh1 | UbcH10 & (Cdc20 | CycA | CycB)
CycB, !Cdc20 & !cdh1
"""
"""The mammalian cell cycle of Faure et al., 2006: ten genes, one fixed point, one cycle of seven states."""


def cell_cycle() -> Dynamics:
    return read_bnet(CELL_CYCLE)


def random_network(rng: np.random.Generator, n: int, most: int = 3) -> Dynamics:
    """Give every variable some regulators, and any function of them."""
    lines = []
    for i in range(n):
        chosen = rng.choice(n, size=int(rng.integers(0, min(n, most) + 1)), replace=False)
        cells = all_states(len(chosen))[rng.random(2 ** len(chosen)) < 0.5]
        terms = [
            "&".join(f"x{r}" if on else f"!x{r}" for r, on in zip(chosen, cell, strict=True)) or "1"
            for cell in cells
        ]
        lines.append(f"x{i}, {' | '.join(terms) or '0'}")
    return read_bnet("\n".join(lines))


def all_states(n: int) -> np.ndarray:
    return np.arange(2**n)[:, None] >> np.arange(n) & 1


def transitions(system: Dynamics, states: np.ndarray) -> pd.DataFrame:
    """Return a table with columns x and x'."""
    names = [*system.names, *(f"{name}'" for name in system.names)]
    return pd.DataFrame(np.concatenate([states, system.next_codes(states)], axis=1), columns=names)
