"""Which inducer a configuration file trains."""

from pathlib import Path

from nri.errors import ConfigError
from nri.train.paper_task import PaperTask, PaperTrainConfig
from nri.train.seeded_task import SeededTask, SeededTrainConfig
from nri.train.task import Task
from nri.train.toml import from_dict, read_toml

TASKS = ("seeded", "paper")
"""What the top-level key ``task`` of a configuration may say."""


def load_task(path: Path) -> Task:
    """Read a training configuration; its key ``task`` names the network, by default the seeded one."""
    data = read_toml(path)
    name = data.pop("task", "seeded")
    if name == "seeded":
        return SeededTask(from_dict(SeededTrainConfig, data, str(path)))
    if name == "paper":
        return PaperTask(from_dict(PaperTrainConfig, data, str(path)))
    raise ConfigError(f"{path}: unknown task {name!r}; use one of {', '.join(map(repr, TASKS))}")
