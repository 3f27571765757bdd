"""The seeded network and its training (PyTorch, extra ``train``)."""
