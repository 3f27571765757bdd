"""Induction: the path from a table to a rule set, and what is asked of it again and again."""
