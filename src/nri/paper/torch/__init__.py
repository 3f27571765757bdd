"""The paper's network, its losses and its training (PyTorch, extra ``train``)."""
