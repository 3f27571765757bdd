"""Dynamics: how a system moves, as one rule for each of its variables, learned from transitions."""
