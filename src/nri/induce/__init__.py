"""Induction: the path from a table to a rule, and everything that repeats it: folds, floors, alternatives."""
