"""Training: configuration, losses, the loop, checkpoints, export of weights."""
