"""Pages of the site that are made from other files: the README, notebooks, and the scripts of the cookbook.

MkDocs calls :func:`on_files`; nothing here knows the product.
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
NAMES = {"README.md": "index.md", "results": "results.md"}
"""What lies beside docs/ and has another name on the site."""
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made, and files beside docs/ that pages link to."""
    for source in DOCUMENTS:
        text = relinked((ROOT / source).read_text(encoding="utf-8"), source)
        if source == "README.md":  # rules stand there in full width
            text = "---\nhide: [toc]\n---\n\n" + text
        files.append(File.generated(config, NAMES.get(source, source), content=text))
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
    if (DOCS / page.file.src_uri).exists():
        return relinked(markdown, f"docs/{page.file.src_uri}")
    return markdown


def relinked(markdown: str, place: str) -> str:
    """Return a document of the repository with links as they are on the site.

    >>> relinked("[flow](docs/dataflow.md) [licence](LICENSE)", "README.md")
    '[flow](dataflow.md) [licence](LICENSE)'
    >>> relinked("[start](../README.md) [curve](../results/figures/noise.png)", "docs/results.md")
    '[start](index.md) [curve](results/figures/noise.png)'
    """

    def put(match: re.Match[str]) -> str:
        target = _on_site(posixpath.normpath(posixpath.join(posixpath.dirname(place), match[1])))
        return f"]({posixpath.relpath(target, posixpath.dirname(_on_site(place)) or '.')}"

    return _LINK.sub(put, markdown)


def _on_site(place: str) -> str:
    """Return where a file of the repository is on the site: docs/ is its top, and the rest is beside it."""
    return NAMES.get(place, place.removeprefix("docs/"))


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
