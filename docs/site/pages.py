"""Pages of the site that are made from other files: README, notebooks, API by groups, figures first.

MkDocs calls :func:`on_files` and :func:`on_page_markdown`.
"""

import html
import json
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NAMES = {"README.md": "readme.md", "results": "results.md", "docs/site/home.md": "index.md"}
"""What lies beside docs/ and has another name on the site."""
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LOGO = "src/nri/serve/static/mark.svg"
API_GROUPS = {
    "estimators": ("Estimators", ("NRIClassifier", "NRIRegressor", "NRISurvival")),
    "rules": (
        "Tables and rules",
        ("read_table", "Table", "induce_rule", "Settings", "Knowledge", "Rule", "read_rule", "write_rule"),
    ),
    "judge": (
        "Choose and judge",
        (
            *("alternatives", "Alternatives", "cross_validate", "diagnose", "write_report", "ReportOptions"),
            *("clause_stability", "compare_rules", "error_slices", "surrogate_of_model"),
        ),
    ),
    "pictures": (
        "Pictures",
        ("RuleDisplay", "CoverageDisplay", "WhyDisplay", "CalibrationDisplay"),
    ),
    "more": ("Networks and errors", ()),
    "records": ("What they take and return", ()),
    "dynamics": ("Dynamics", ()),
}
"""Pages of the API, each with its title and public names; the last three hold the rest."""
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made, and files beside docs/ that pages link to."""
    for source in DOCUMENTS:
        text = relinked((ROOT / source).read_text(encoding="utf-8"), source)
        files.append(File.generated(config, NAMES.get(source, source), content=text))
    home = relinked((DOCS / "site" / "home.md").read_text(encoding="utf-8"), "docs/site/home.md")
    files.append(File.generated(config, "index.md", content=home))
    files.append(File.generated(config, "images/mark.svg", abs_src_path=str(ROOT / LOGO)))
    for name, text in api_pages((DOCS / "api.md").read_text(encoding="utf-8")).items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    for path in sorted((DOCS / "notebooks").glob("*.ipynb")):
        page = notebook_page(json.loads(path.read_text(encoding="utf-8")))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
    documents = [*(ROOT / name for name in DOCUMENTS), *DOCS.rglob("*.md")]
    for path in sorted({linked for document in documents for linked in _linked_files(document)}):
        place = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, place, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let documents in docs/ find what lies beside docs/."""
    if page.file.src_uri == "api.md":
        return api_index(markdown)
    if page.file.src_uri == "results.md":
        markdown = figures_first(markdown)
    if (DOCS / page.file.src_uri).exists():
        return relinked(markdown, f"docs/{page.file.src_uri}")
    return markdown


def _api_entries(markdown: str) -> dict[str, dict[str, str]]:
    """Return the entries of the reference by page and name."""
    of_name = {name: page for page, (_, names) in API_GROUPS.items() for name in names}
    _, *sections = re.split(r"^## .*$", markdown, flags=re.MULTILINE)
    pages: dict[str, dict[str, str]] = {page: {} for page in API_GROUPS}
    for rest, section in zip(("more", "records", "dynamics"), sections, strict=True):
        for entry in re.split(r"^(?=### )", section, flags=re.MULTILINE)[1:]:
            name = re.search(r"`(\w+)", entry)[1]  # type: ignore[index]
            pages[of_name.get(name, rest) if rest == "more" else rest][name] = entry
    return pages


def api_pages(markdown: str) -> dict[str, str]:
    """Return the reference as a page for each group, whose entries are its headings."""
    return {
        page: f"# {API_GROUPS[page][0]}\n\n" + "".join(entry[1:] for entry in entries.values())
        for page, entries in _api_entries(markdown).items()
    }


def api_index(markdown: str) -> str:
    """Return the page that lists the groups and their names."""
    lines = ["# API reference", ""]
    for page, entries in _api_entries(markdown).items():
        names = ", ".join(f"`{name}`" for name in entries)
        lines += [f"## [{API_GROUPS[page][0]}](api/{page}.md)", "", names, ""]
    lines.append("All but the last two groups are imported as `from nri import NAME`, the last as")
    lines.append("`from nri_dynamics import NAME`.")
    return "\n".join(lines)


def figures_first(markdown: str) -> str:
    r"""Put the figures of each section below its heading, one of each below the title, and fold tables.

    >>> figures_first("## A\n\ntext\n\n![f](f.png)").split()
    ['##', 'A', '![f](f.png)', 'text']
    """
    sections, overview = [], []
    for section in re.split(r"^(?=##+ )", markdown, flags=re.MULTILINE):
        heading, _, body = section.partition("\n")
        figures = re.findall(r"^!\[.*$", body, flags=re.MULTILINE)
        body = re.sub(r"^!\[.*\n?", "", body, flags=re.MULTILINE)
        body = re.sub(r"(?:^\|.*\n){6,}", _folded, body, flags=re.MULTILINE)
        sections.append("\n\n".join([heading, *figures, body.lstrip("\n")]))
        overview += [
            f'<figure markdown="span">{one}<figcaption>{one[2 : one.index("](")]}</figcaption></figure>'
            for one in figures[:1]
        ]
    title, newline, rest = sections[0].partition("\n")
    if len(overview) > 1:
        rest = '\n<div class="figures" markdown="1">\n\n' + "\n".join(overview) + "\n\n</div>\n" + rest
    return "".join([title, newline, rest, *sections[1:]])


def _folded(table: re.Match[str]) -> str:
    n_rows = table[0].count("\n") - 2
    return f'<details markdown="1"><summary>Table of {n_rows} lines</summary>\n\n{table[0]}\n</details>\n'


def relinked(markdown: str, place: str) -> str:
    """Return a document of the repository with links as they are on the site.

    >>> relinked("[flow](docs/dataflow.md) [licence](LICENSE)", "README.md")
    '[flow](dataflow.md) [licence](LICENSE)'
    >>> relinked("[start](../README.md) [curve](../results/figures/noise.png)", "docs/results.md")
    '[start](readme.md) [curve](results/figures/noise.png)'
    """

    def put(match: re.Match[str]) -> str:
        target = _on_site(posixpath.normpath(posixpath.join(posixpath.dirname(place), match[1])))
        return f"]({posixpath.relpath(target, posixpath.dirname(_on_site(place)) or '.')}"

    return _LINK.sub(put, markdown)


def _on_site(place: str) -> str:
    """Return where a file of the repository is on the site: docs/ is its top, and the rest is beside it."""
    return NAMES.get(place, place.removeprefix("docs/").replace(".ipynb", ".md"))


def _linked_files(document: Path) -> set[Path]:
    """Return the files outside docs/ that a document links to and that are no documents of the site."""
    found = {
        (document.parent / link).resolve() for link in _LINK.findall(document.read_text(encoding="utf-8"))
    }
    known = {ROOT / name for name in DOCUMENTS}
    return {path for path in found if path.is_file() and not path.is_relative_to(DOCS) and path not in known}


def notebook_page(notebook: dict[str, Any]) -> str:
    r"""Return an executed notebook as Markdown: texts, code, and what the code printed, showed and drew.

    >>> notebook_page({"cells": [{"cell_type": "markdown", "source": ["# Title"]}]})
    '# Title\n'
    """
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [shown for output in cell["outputs"] if (shown := _output(output))]
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        picture = "".join(data["image/png"]).replace("\n", "")
        style = "max-width:100%;height:auto"
        return f'<img alt="What the code above draws" style="{style}" src="data:image/png;base64,{picture}">'
    if "text/html" in data:
        inside = "".join(data["text/html"])
        lines = [line for line in inside.splitlines() if line.strip()]  # a blank line would end the HTML
        return '<div style="overflow-x:auto">\n' + "\n".join(lines) + "\n</div>"
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f'<pre style="overflow-x:auto">{html.escape(text)}</pre>' if text.strip() else ""
