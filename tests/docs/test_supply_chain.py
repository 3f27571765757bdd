"""What is pinned is locked by its hash and listed with its licence; lists that are not renewed go stale.

Twenty packages were once pinned without a hash: the lock was older than the extras that brought them.
"""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
_SPEC = importlib.util.spec_from_file_location("supply_chain", ROOT / "tools" / "supply_chain.py")
supply_chain = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(supply_chain)


def test_every_pinned_package_is_locked_at_its_version():
    locked = dict(re.findall(r"^(\S+)==(\S+) --hash=sha256:[0-9a-f]{64}$", LOCK, re.MULTILINE))
    assert len(locked) == LOCK.count("--hash")
    unlocked = {name: version for name, version in supply_chain.pins().items() if locked.get(name) != version}
    assert not unlocked, "run `make lock`"


def test_every_package_of_the_environment_stands_on_the_page_of_licences():
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| (\S+) \| \S+ \| .+ \|$", page, re.MULTILINE))
    present = {package.name for package in supply_chain.installed()} - set(supply_chain.OWN)
    assert "torch" in present
    assert not present - listed, "run `make sbom`"


def test_the_bill_of_materials_names_each_package_with_its_hash():
    package = supply_chain.Package("numpy", "1", "BSD", "", ())
    own = supply_chain.Package("nri", "0", "MIT", "", ("numpy",))
    bill = supply_chain.sbom([own, package])
    assert [one["name"] for one in bill["components"]] == ["numpy"]
    assert bill["components"][0]["hashes"][0]["content"] in LOCK
    assert bill["dependencies"][0]["dependsOn"] == ["pkg:pypi/numpy@1"]
