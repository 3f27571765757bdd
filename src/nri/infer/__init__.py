"""Inference on plain arrays: propose candidate clauses, score them, select the rule."""
