"""What a release consists of agrees with itself: versions, licences, packages, workflows."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (".", "dynamics", "bench")
WORKFLOWS = ROOT / ".github" / "workflows"


def project(package: str) -> dict:
    return tomllib.loads((ROOT / package / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


VERSION = project(".")["version"]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("dynamics/pyproject.toml", r'^version = "(.+)"$'),
        ("bench/pyproject.toml", r'^version = "(.+)"$'),
        ("CITATION.cff", r"^version: (.+)$"),
        ("conda/recipe.yaml", r'^  version: "(.+)"$'),
        ("CHANGELOG.md", r"^## (\S+) \((?:unreleased|\d{4}-\d\d-\d\d)\)$"),
    ],
)
def test_every_file_names_the_version_of_the_package(name: str, pattern: str):
    """The changelog described 0.3 while every file still said 0.2.0."""
    assert re.findall(pattern, text(name), re.MULTILINE)[0] == VERSION


def test_the_other_packages_ask_for_an_nri_of_their_own_version():
    least = ".".join(VERSION.split(".")[:2])
    for package in ("dynamics", "bench"):
        own = [need for need in project(package)["dependencies"] if need.startswith("nri")]
        assert own
        assert all(need.endswith(f">={least}") for need in own)


def test_authors_and_licence_name_the_same_holder():
    holder = re.search(r"^Copyright \(c\) \d+ (.+)$", text("LICENSE"), re.MULTILINE)
    assert holder
    assert all(project(package)["authors"] == [{"name": holder[1]}] for package in PACKAGES)
    assert f"- name: {holder[1]}" in text("CITATION.cff")
    assert all(text(f"{package}/LICENSE") == text("LICENSE") for package in PACKAGES)


def test_the_recipe_for_conda_needs_what_the_package_needs():
    run = text("conda/recipe.yaml").partition("  run:\n")[2].partition("\n\n")[0]
    listed = dict(re.findall(r"^    - (?:python-)?([\w-]+) >=(\S+)$", run, re.MULTILINE))
    needed = dict(need.split(">=") for need in project(".")["dependencies"])
    assert listed == needed | {"python": "3.11"}


def test_every_python_that_is_promised_is_tested():
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(project(".")["classifiers"]))
    matrix = re.search(r"^        python: \[(.+)\]$", text(".github/workflows/test.yml"), re.MULTILINE)
    assert matrix
    assert re.findall(r'"(.+?)"', matrix[1]) == promised


def test_workflows_install_pinned_versions():
    for workflow in WORKFLOWS.glob("*.yml"):
        for line in workflow.read_text(encoding="utf-8").splitlines():
            if "pip install" in line:
                assert "-c constraints.txt" in line, f"{workflow.name}: {line.strip()}"


def test_nothing_is_published_before_the_tests_have_passed():
    release = text(".github/workflows/release.yml")
    assert re.search(r"^  test:\n    uses: \./\.github/workflows/test\.yml$", release, re.MULTILINE)
    assert re.search(r"^  publish:\n    needs: \[test, build\]$", release, re.MULTILINE)
    assert re.search(r"^  workflow_call:$", text(".github/workflows/test.yml"), re.MULTILINE)


def test_one_job_runs_what_contributors_are_asked_to_run():
    assert re.search(r"^      - run: \.ci/run$", text(".github/workflows/test.yml"), re.MULTILINE)


def test_every_action_is_named_by_the_hash_of_a_commit():
    for workflow in WORKFLOWS.glob("*.yml"):
        for action in re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8")):
            assert action.startswith("./") or re.search(r"@([0-9a-f]{40})$", action), action


def test_the_source_distribution_names_paths_that_exist():
    """It had 16 MB, unpacked 36, most of them results and checkpoints."""
    build = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]
    paths = build["sdist"]["only-include"]
    assert all((ROOT / path).exists() for path in paths)
    assert not {"results", "checkpoints", "docs"} & set(paths)
    assert set(build["wheel"]["packages"]) <= set(paths)
