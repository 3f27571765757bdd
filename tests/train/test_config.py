"""Configurations are exact: what is not known is refused, what is written comes back."""

import json
from pathlib import Path

import pytest

from nri.errors import ConfigError
from nri.paper.torch.feedback import FeedbackTrainConfig
from nri.seeded.torch.training import SeededTrainConfig
from nri.train.config import from_dict, read_toml, to_dict

CONFIGS = Path(__file__).parents[2] / "configs"


def loaded(path: Path) -> SeededTrainConfig:
    return from_dict(SeededTrainConfig, read_toml(path), str(path))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["seeded.toml", "tiny.toml"])
def test_shipped_configurations_load(name):
    assert loaded(CONFIGS / name).optim.steps > 0


def test_an_unknown_key_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match=r"unknown key 'widht'.*width"):
        loaded(written(tmp_path, "[model]\nwidht = 3\n"))


def test_a_wrong_type_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match="width must be of type int, not 'wide'"):
        loaded(written(tmp_path, "[model]\nwidth = 'wide'\n"))


def test_true_is_no_number(tmp_path):
    with pytest.raises(ConfigError, match="steps must be of type int"):
        loaded(written(tmp_path, "[optim]\nsteps = true\n"))


def test_an_impossible_value_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="heads = 0 is out of bounds; give at least 1"):
        loaded(written(tmp_path, "[model]\nheads = 0\n"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_noise = 1.5", "data: max_noise = 1.5 is out of bounds; give 0 to 1"),
        ("min_rows = 0", "data: min_rows = 0 is out of bounds; give at least 1"),
    ],
)
def test_tables_that_cannot_be_drawn_are_refused(tmp_path, text, told):
    """They ended in an error of numpy, steps after the training had begun."""
    with pytest.raises(ConfigError, match=told):
        loaded(written(tmp_path, f"[data]\n{text}\n"))


def test_an_unknown_schedule_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="schedule = 'linear' is unknown; give 'cosine' or 'constant'"):
        loaded(written(tmp_path, "[optim]\nschedule = 'linear'\n"))


def test_a_missing_file_and_bad_toml_are_one_clear_line(tmp_path):
    with pytest.raises(ConfigError, match="no configuration file"):
        loaded(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="not valid TOML"):
        loaded(written(tmp_path, "steps = ["))
    with pytest.raises(ConfigError, match=r"no configuration file .*rnu\.toml; did you mean 'run\.toml'"):
        loaded(tmp_path / "rnu.toml")


def test_a_configuration_survives_the_trip_through_plain_values():
    config = loaded(CONFIGS / "tiny.toml")
    assert from_dict(SeededTrainConfig, to_dict(config), "plain") == config


def test_a_number_that_is_none_is_refused_by_name(tmp_path):
    with pytest.raises(ConfigError, match="learning_rate is nan; give a finite number"):
        loaded(written(tmp_path, "[optim]\nlearning_rate = nan\n"))


def test_a_configuration_with_a_tuple_is_the_one_that_a_checkpoint_holds():
    """A run of the network with feedback was told on going on that its configuration differs."""
    plain = to_dict(FeedbackTrainConfig())
    assert plain == json.loads(json.dumps(plain))
    assert from_dict(FeedbackTrainConfig, plain, "plain") == FeedbackTrainConfig()
