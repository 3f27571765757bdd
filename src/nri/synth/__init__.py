"""Synthetic episodes: the only data the networks are ever trained on."""
