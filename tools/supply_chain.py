"""Supply chain: what the project is built on, with hashes and licences.

    python tools/supply_chain.py lock REPORT   requirements.lock from a report of pip (make lock)
    python tools/supply_chain.py lowest EXTRA ...
                                               the lowest versions of the default installation and of extras, as
                                               constraints for pip (make test-lowest)
    python tools/supply_chain.py sbom          build/sbom.json (CycloneDX) and docs/licences.md (make sbom)

Everything is read from what is installed (:mod:`importlib.metadata`); nothing is fetched.
"""

import json
import re
import sys
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
OWN = ("nri", "nri-bench", "nri-dynamics")
BY_PLATFORM = ("torch",)
"""Packages whose builds differ by platform and processor, so that their hash says little; bounded in pyproject.toml."""

HEAD = """# Hashes of the pinned environment (constraints.txt), for CPython 3.11 on Linux x86-64; written by `make lock`.
# `make verify` downloads every file anew and compares. Not locked: torch, which only training needs and whose CPU and
# CUDA builds of one version are different files; pyproject.toml bounds its version.
"""


@dataclass(frozen=True)
class Package:
    """An installed distribution."""

    name: str
    version: str
    licence: str
    homepage: str
    needs: tuple[str, ...]


def plain(name: str) -> str:
    """Return a name as indexes write it.

    >>> plain("Jinja2.x_y")
    'jinja2-x-y'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def pins() -> dict[str, str]:
    """Return the pinned versions by name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if "==" in line and not line.startswith("#")]
    return {plain(name): version.split(";")[0].strip() for name, version in pairs}


def lock(report: dict[str, Any]) -> str:
    """Return requirements with hashes, from what pip would install."""
    lines = []
    for item in sorted(report["install"], key=lambda one: plain(one["metadata"]["name"])):
        name, version = plain(item["metadata"]["name"]), item["metadata"]["version"]
        found = item["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if name not in (*OWN, *BY_PLATFORM) and found:
            lines.append(f"{name}=={version} --hash=sha256:{found}")
    return HEAD + "\n".join(lines) + "\n"


def lowest(extras: list[str]) -> str:
    """Return the lower bounds of the default installation and of some extras, as constraints for pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = [*project["dependencies"]]
    for extra in extras:
        needs += project["optional-dependencies"][extra]
    bounds = [re.fullmatch(r"([\w.-]+)(?:\[.*\])?>=([\w.]+)(?:,.*)?", need) for need in needs]
    return "\n".join(f"{bound[1]}=={bound[2]}" for bound in bounds if bound)  # others are our own extras


def licence_of(about: Any) -> str:
    """Return the licence in few words: an SPDX expression if there is one, else classifiers, else the field."""
    if expression := about.get("License-Expression"):
        return str(expression)
    classified = [
        line.rsplit(" :: ", 1)[-1]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    if classified:
        return ", ".join(dict.fromkeys(classified))
    told = (about.get("License") or "").strip().splitlines()
    return told[0].rsplit(" :: ", 1)[-1][:60] if told else "not stated"


def installed() -> list[Package]:
    """Return the packages of the pinned environment that are installed, in the order of their names."""
    wanted, found = pins(), {}
    for one in metadata.distributions():
        about = one.metadata
        name = plain(about["Name"] or "")
        if name in wanted or name in (*OWN, *BY_PLATFORM):
            needs = (
                re.match(r"[A-Za-z0-9._-]+", need) for need in one.requires or () if "extra ==" not in need
            )
            links = [line.split(", ", 1)[-1] for line in about.get_all("Project-URL") or ()]
            home = about.get("Home-page") or (links[0] if links else "")
            found[name] = Package(
                name, one.version, licence_of(about), home, tuple(sorted({plain(n[0]) for n in needs if n}))
            )
    return [found[name] for name in sorted(found)]


def sbom(packages: list[Package]) -> dict[str, Any]:
    """Return a bill of materials as CycloneDX 1.5 has it."""
    own = next(one for one in packages if one.name == "nri")
    others = [one for one in packages if one.name not in OWN]
    listed = {one.name for one in [own, *others]}

    def component(one: Package, kind: str) -> dict[str, Any]:
        return {
            "type": kind,
            "bom-ref": f"pkg:pypi/{one.name}@{one.version}",
            "name": one.name,
            "version": one.version,
            "purl": f"pkg:pypi/{one.name}@{one.version}",
            "licenses": [{"license": {"name": one.licence}}],
            **({"hashes": [{"alg": "SHA-256", "content": hashes[one.name]}]} if one.name in hashes else {}),
        }

    hashes = {
        line.split("==")[0]: line.rsplit(":", 1)[-1]
        for line in (LOCK.read_text(encoding="utf-8").splitlines() if LOCK.exists() else ())
        if "--hash" in line
    }
    version = {one.name: one.version for one in packages}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(own, "application")},
        "components": [component(one, "library") for one in others],
        "dependencies": [
            {
                "ref": f"pkg:pypi/{one.name}@{one.version}",
                "dependsOn": [f"pkg:pypi/{need}@{version[need]}" for need in one.needs if need in listed],
            }
            for one in [own, *others]
        ],
    }


def licences_page(packages: list[Package]) -> str:
    """Return the table of licences as a document."""
    own = next(one for one in packages if one.name == "nri")
    by_name = {one.name: one for one in packages}
    default, new = set(), {need for need in own.needs if need in by_name}
    while new:
        default |= new
        new = {need for name in new for need in by_name[name].needs if need in by_name} - default
    lines = [
        "# Licences of what NRI is built on",
        "",
        "Written by `make sbom` from what is installed; nothing of it is part of the wheel. *Default* is what `pip install nri` brings,",
        "*extra* what its extras, the tests and the bench need.",
        "",
        "| package | version | licence | |",
        "|---|---|---|---|",
    ]
    for one in packages:
        if one.name not in OWN:
            licence = one.licence.replace("|", "/")
            lines.append(
                f"| {one.name} | {one.version} | {licence} | {'default' if one.name in default else 'extra'} |"
            )
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    """Do what is asked."""
    match arguments:
        case ["lock", report]:
            LOCK.write_text(lock(json.loads(Path(report).read_text(encoding="utf-8"))), encoding="utf-8")
            print(f"wrote {LOCK.name}")
        case ["lowest", *extras]:
            print(lowest(extras))
        case ["sbom"]:
            packages = installed()
            place = ROOT / "build" / "sbom.json"
            place.parent.mkdir(exist_ok=True)
            place.write_text(json.dumps(sbom(packages), indent=1) + "\n", encoding="utf-8")
            (ROOT / "docs" / "licences.md").write_text(licences_page(packages), encoding="utf-8")
            print(f"wrote build/sbom.json ({len(packages)} packages) and docs/licences.md")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
