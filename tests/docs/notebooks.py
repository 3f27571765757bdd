"""The notebooks of the documents: ``make docs`` executes them, a test runs their code and compares.

A notebook holds no magics and no state beside its cells, so its code runs as a plain script too.
"""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path

import nbformat

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"


def notebooks() -> list[Path]:
    """Return the notebooks, in the order of their names."""
    return sorted(NOTEBOOKS.glob("*.ipynb"))


def code_cells(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the source of each code cell and what it is shown to print."""
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            streams = [
                out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stdout"
            ]
            yield cell.source, "".join(streams)


def run_as_script(path: Path) -> Iterator[tuple[str, str]]:
    """Run the code cells one after the other; yield what each prints and what it is shown to print."""
    names: dict[str, object] = {"__name__": "__notebook__"}
    for source, shown in code_cells(path):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, path.name, "exec"), names)
        yield printed.getvalue(), shown


def execute(path: Path) -> None:
    """Execute a notebook as Jupyter does, and write it with its outputs."""
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=str(NOTEBOOKS))
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"  # Jupyter's own are drawn by chance: every run would differ
        cell.metadata.pop("execution", None)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for notebook in notebooks():
        execute(notebook)
