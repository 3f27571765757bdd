"""The pages on the paper name code and commands that exist."""

import ast
import re
import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from nri.cli.app import main

ROOT = Path(__file__).parents[2]
PAGES = ("paper.md", "paper-results.md", "paper-reproduce.md", "paper-training.md", "model-cards.md")
PAGE = "\n".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in PAGES)


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = {
        t.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for t in node.targets
        if isinstance(t, ast.Name)
    }
    return defined | assigned


def test_every_name_on_the_page_is_in_its_file():
    named = re.findall(r"`([a-z_/]+\.py): (\w+)`", PAGE)
    assert len(named) > 30
    for file, name in named:
        place = ROOT / file if file.startswith("bench/") else ROOT / "src" / "nri" / file
        assert name in names_in(place), f"{file} has no {name}"


LABELS = dict.fromkeys(range(1, 24), "") | dict(
    enumerate(
        [
            *("dnf", "phi", "h0", "example_key", "h1", "film", "clause_state", "literal_gate", "clause_gate"),
            *("clause_rank", "clause_truth", "prediction"),
        ],
        start=2,
    )
)
"""The paper's numbered equations by their printed numbers: the LaTeX label without its ``eq:``, if any."""


def test_all_numbered_equations_have_a_line_with_their_label():
    lines = re.findall(r"^\| (\d+) \| (?:`(\w+)`)? *\|", PAGE, re.MULTILINE)[:23]
    assert {int(number): label for number, label in lines} == LABELS


@pytest.mark.parametrize("number", LABELS)
def test_the_code_cites_every_numbered_equation_with_its_label(number):
    folder = ROOT / "src" / "nri" / "paper"
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    assert re.search(rf"\({number}\)[ ,]*`*{LABELS[number]}", code)
    plain = (folder / "plain.py").read_text(encoding="utf-8")
    if number <= 13 or number == 21:  # the forward pass; the others are losses and data
        assert re.search(rf"# \({number}\)[ ,]*{LABELS[number]}", plain)


def test_the_shapes_of_the_picture_are_those_of_the_code():
    from nri.networks import load_network
    from nri.paper.plain import forward

    network = load_network(ROOT / "checkpoints" / "paper" / "checkpoint.safetensors")
    rows = np.array(list(product((False, True), repeat=6)))
    labels = rows[:, 0] & rows[:, 1] | ~rows[:, 2]
    weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
    steps = forward(weights, rows, np.ones_like(rows), labels)
    picture = (ROOT / "docs" / "pictures" / "paper-pipeline.svg").read_text(encoding="utf-8")
    shapes = {"X": rows, "y": labels, "e": steps.keys}
    for name in ("phi", "h0", "h1", "views", "states", "z", "w", "clauses", "prediction"):
        shapes[name] = getattr(steps, name)
    for name, array in shapes.items():
        assert f">{name}: {' x '.join(map(str, array.shape))}<" in picture, name


def test_every_command_on_the_page_is_an_experiment_or_a_command():
    from nri_bench.experiments import EXPERIMENTS

    for name in re.findall(r"`nri bench (\w+)", PAGE):
        assert name in EXPERIMENTS or name == "report", name


TINY = """
task = "paper"
batch = 8
[model]
width = 8
[optim]
steps = 2
[run]
validate_every = 100
"""


def test_the_ten_lines_for_a_researcher_run(tmp_path, monkeypatch):
    """Every command of the block, with a tiny network in place of the copied configuration."""
    block = re.search(r"```sh\n(cp .*?)```", PAGE, re.DOTALL)
    assert block
    commands = [shlex.split(line, comments=True) for line in block[1].splitlines()]
    assert [command[:2] for command in commands[1:3]] == [["nri", "train"], ["nri", "export-weights"]]
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / commands[0][2]).write_text(TINY)
    monkeypatch.chdir(tmp_path)
    for command in commands[1:5]:  # the last is as the one before it, on data sets that a test has not
        with pytest.raises(SystemExit) as end:
            main([*command[1:], *(["--quick", "--jobs", "0"] if command[1] == "bench" else [])])
        assert end.value.code == 0, command
    assert "mine" in (tmp_path / "runs" / "mine" / "quick" / "noise.md").read_text()
