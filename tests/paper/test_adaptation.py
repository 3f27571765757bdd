import math

import torch

from nri.paper.torch.network import ExampleKeys, PaperConfig, seeded_columns


def keys(scale: float = 1.0) -> ExampleKeys:
    config = PaperConfig(width=8, n_train=4, bottleneck=6, extension_seed=3, extension_scale=scale)
    torch.manual_seed(0)
    return ExampleKeys(config)


def adapted(layer: ExampleKeys, n_variables: int) -> torch.Tensor:
    """The columns as the layer uses them on a table of so many variables."""
    trained, seeded = layer.adapted_columns(n_variables)
    return trained + seeded / math.sqrt(2 * n_variables)


def test_columns_look_like_uniform_noise() -> None:
    columns = seeded_columns(0, 0, 400, 64)
    assert columns.min() >= -1
    assert columns.max() < 1
    assert abs(columns.mean().item()) < 0.02
    assert abs(columns.var().item() - 1 / 3) < 0.02
    normed = (columns - columns.mean(0)) / columns.std(0)
    correlation = (normed.mT @ normed / 63).fill_diagonal_(0)
    assert correlation.abs().max() < 0.65  # about 4.9 standard errors over 80 000 pairs
    assert correlation.diagonal(1).mean().abs() < 0.03


def test_columns_depend_on_the_seed() -> None:
    assert not torch.equal(seeded_columns(0, 0, 5, 4), seeded_columns(1, 0, 5, 4))


def test_below_the_trained_width_trained_columns_are_used_for_both_polarities() -> None:
    layer = keys()
    assert torch.equal(adapted(layer, 3), torch.cat([layer.columns[0, :, :3], layer.columns[1, :, :3]], -1))


def test_above_the_trained_width_trained_columns_stay_and_new_ones_have_the_size_of_a_fresh_layers() -> None:
    layer = keys()
    wide, wider = (adapted(layer, n).reshape(6, 2, n) for n in (6, 9))
    assert torch.equal(wide[:, :, :4], layer.columns.transpose(0, 1))
    assert torch.equal(wider[:, :, :4], wide[:, :, :4])
    # the same numbers at the size of a fresh layer: 1 / sqrt(2N)
    torch.testing.assert_close(wider[:, :, 4:6] * math.sqrt(18), wide[:, :, 4:] * math.sqrt(12))
    assert wide[:, :, 4:].abs().max() <= 1 / math.sqrt(12)
    assert wide[:, :, 4:].abs().min() > 0


def test_new_columns_can_be_switched_off() -> None:
    extension = adapted(keys(scale=0.0), 6).reshape(6, 2, 6)[:, :, 4:]
    assert not extension.any()
