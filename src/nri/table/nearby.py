"""Nearby: the file that somebody may have meant."""

import difflib
from pathlib import Path


def similar_files(path: Path) -> str:
    """Return a hint at files beside an absent one that have nearly its name, or nothing.

    Stems are compared: among short names a shared ".csv" alone would make any two look alike.
    """
    if not path.parent.is_dir():
        return ""
    by_stem = {entry.stem: entry.name for entry in sorted(path.parent.iterdir()) if entry.is_file()}
    close = [by_stem[stem] for stem in difflib.get_close_matches(path.stem, list(by_stem), n=2)]
    return "; did you mean " + " or ".join(map(repr, close)) + "?" if close else ""
