"""Documents are true: examples print what they show, names and paths exist, links lead to files."""

import re
from pathlib import Path
from typing import Any

import pytest
from examples_in_docs import DOCUMENTS, ROOT, Example, examples, run

README = (ROOT / "README.md").read_text(encoding="utf-8")
ALL = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
HISTORY = {"CHANGELOG.md", "log.md"}
"""Pages that describe how things were."""
LONGER = ("api", "dynamics", "licences", "log", "paper", "results")
"""Names of pages that are generated, or that present experiments or another package, begin so."""
READ_THROUGH = {
    "README.md": 200,
    "CONTRIBUTING.md": 160,
    **{f"docs/{path.name}": 150 for path in (ROOT / "docs").glob("*.md") if not path.name.startswith(LONGER)},
}
"""Pages that answer one question, and how many lines they may have."""


@pytest.mark.parametrize(
    "example",
    [example for name in DOCUMENTS for example in examples((ROOT / name).read_text())],
    ids=lambda e: e.source,
)
def test_an_example_prints_what_the_document_shows(example: Example):
    assert run(example) == example.shown, "run `make docs` if the new output is right"


def test_the_readme_has_examples_of_both_kinds():
    assert {example.kind for example in examples(README)} == {"console", "pycon"}


def annotated_tree() -> dict[str, set[str]]:
    """Return for each folder at the left margin of the README's tree what is named directly below it."""
    block = re.search(r"```text\n(src/nri/\n.*?)```", README, re.DOTALL)
    assert block
    tree: dict[str, set[str]] = {}
    for line in block[1].splitlines():
        name = line.split()[0].rstrip("/")
        if not line.startswith(" "):
            parts = tree.setdefault(name, set())
        elif line[2] != " ":
            parts.add(name)
    return tree


def test_the_annotated_tree_shows_the_three_packages():
    assert list(annotated_tree()) == ["src/nri", "dynamics/nri_dynamics", "bench/nri_bench"]
    assert all((ROOT / package / "__init__.py").exists() for package in annotated_tree())


def test_the_annotated_tree_names_every_part_of_the_product_and_nothing_else():
    parts = {path.name for path in (ROOT / "src" / "nri").iterdir() if _is_part(path)}
    assert annotated_tree()["src/nri"] == parts - {"__main__.py"}


def _is_part(path: Path) -> bool:
    return path.suffix == ".py" or (path.is_dir() and (path / "__init__.py").exists())


def test_both_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["demo", "test"]
    assert all(re.search(rf"^{command}:", makefile, re.MULTILINE) for command in commands)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_links_lead_to_files_that_exist(path: Path):
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if not link.startswith(("http:", "https:", "mailto:")):
            assert (path.parent / link).exists(), link


def test_the_table_of_commands_names_every_command():
    import typer

    from nri.cli.app import app

    group = typer.main.get_command(app)
    known = set(group.list_commands(None))
    commands = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `nri ([\w-]+)", commands, re.MULTILINE)) == known


def options_of(command: Any) -> set[str]:
    """Return the options of a command and of those below it."""
    below = getattr(command, "commands", {}).values()
    own = {option for one in command.params for option in (*one.opts, *one.secondary_opts)}
    return own.union(*map(options_of, below))


@pytest.mark.parametrize("name", READ_THROUGH)
def test_options_in_documents_exist(name: str):
    import typer

    from nri.cli.app import app
    from nri_bench.cli import bench_app
    from nri_dynamics.cli import dynamics_app

    apps = (app, bench_app, dynamics_app)
    known = set().union(*(options_of(typer.main.get_command(one)) for one in apps))
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert named - known <= {"--help"}, "no command has such an option"


def test_every_option_of_a_command_is_documented():
    """Nine options stood in no document."""
    import typer

    from nri.cli.app import app

    group = typer.main.get_command(app)
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    for name in set(group.list_commands(None)) - {"dynamics", "bench"}:  # these have pages of their own
        for one in group.get_command(None, name).params:
            spellings = {option for option in (*one.opts, *one.secondary_opts) if option.startswith("--")}
            assert not spellings or spellings & named, f"nri {name} {one.opts}"


@pytest.mark.parametrize("page", ["dataflow", "models"])
def test_every_step_names_a_function_and_a_file_that_hold_it(page: str):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    steps = re.findall(r"^\|[^|]+\| `(\w+)` \| `([\w/]+\.py)`", text, re.MULTILINE)
    assert len(steps) >= 10
    for name, file in steps:
        code = (ROOT / "src" / "nri" / file).read_text(encoding="utf-8")
        assert re.search(rf"^ *(def|class) {name}\b", code, re.MULTILINE), f"{file} has no {name}"


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_paths_of_files_in_documents_exist(path: Path):
    text = path.read_text(encoding="utf-8")
    for file in re.findall(r"`((?:src/nri|bench|docs|tests|configs|results)/[\w/.-]+\.\w+)", text):
        if path.name not in HISTORY and "NAME" not in file:
            assert (ROOT / file).exists(), file


@pytest.mark.parametrize(("name", "most"), READ_THROUGH.items())
def test_a_page_is_short_and_so_are_its_lines(name: str, most: int):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= most
    prose = re.sub(r"<!-- bench:.*?<!-- /bench -->|```.*?```", "", text, flags=re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) >= 120 and not line.startswith(("|", "!["))]
    assert not long


def test_every_page_is_in_the_navigation_of_the_site():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert all(path.name in navigation for path in (ROOT / "docs").glob("*.md"))


def test_the_number_of_golden_cases_is_the_one_that_is_stated():
    cases = list((ROOT / "tests" / "golden" / "cases").glob("*.json"))
    assert f"messages of {len(cases)}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_lines_of_prose_are_short_and_no_command_is_broken_across_them(path: Path):
    if path.name in ("api.md", "licences.md"):  # generated
        return
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"<!-- bench:.*?<!-- /bench -->|```.*?```", "", text, flags=re.DOTALL)
    prose = [line for line in text.splitlines() if not line.startswith(("|", "![", "[!["))]
    assert [line for line in prose if len(line) >= 120] == []
    broken = [line for line in prose if line.count("`") % 2]
    assert not broken, "a span of code is in one line"


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
def test_a_heading_stands_apart(path: Path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.findall(r"[^\n]\n#+ .+", text)
