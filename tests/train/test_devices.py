"""Both losses live where the network lives: the meta device computes nothing, but refuses other tensors."""

import numpy as np
import pytest
import torch
from padded_episodes import pad_episodes

from nri.episode import make_episode
from nri.paper.torch.losses import PaperLossConfig, paper_loss
from nri.paper.torch.network import PaperConfig, PaperInducer
from nri.seeded.torch.network import SeededConfig, SeededInducer
from nri.seeded.torch.training import SeededLossConfig, seeded_batch, seeded_loss
from nri.synth import WidePrior
from nri.train.loop import moved

META = torch.device("meta")


def test_the_seeded_loss_is_computed_on_the_device_of_the_network():
    """Rounds and the mask of a row's own precision were made on the CPU: training elsewhere raised."""
    network = SeededInducer(SeededConfig(width=12, context=16, heads=3, rounds=2)).to(META)
    drawn = WidePrior().draw(np.random.default_rng(0))
    inputs, targets = (moved(record, META) for record in seeded_batch(drawn))
    loss = seeded_loss(SeededLossConfig(), inputs, targets, network(inputs))
    assert loss.total.device == META
    loss.total.backward()
    assert all(p.grad is None or p.grad.device == META for p in network.parameters())


def test_the_loss_of_the_paper_is_computed_on_the_device_of_the_network():
    rng = np.random.default_rng(0)
    tables = [make_episode(rng.random((9, 5)) < 0.5, labels=np.arange(9) % 2) for _ in range(3)]
    batch = moved(pad_episodes(tables), META)
    network = PaperInducer(PaperConfig(slots=3, width=16, layers=2, heads=2, n_train=6, bottleneck=8)).to(
        META
    )
    loss = paper_loss(network(batch), batch, PaperLossConfig(), 1.0)
    assert loss.total.device == META


def test_the_meta_device_would_notice_a_tensor_from_elsewhere():
    with pytest.raises(RuntimeError, match="device"):
        _ = torch.ones(2, 2, device=META) * torch.ones(2, 2)
