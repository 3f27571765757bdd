"""Where a row comes from: the commit of the code that computed it."""

import subprocess
from pathlib import Path


def commit_of(folder: Path | None = None) -> str:
    """Return the short commit of the checkout, with ``+`` if the sources differ from it; "" outside one."""
    folder = Path(__file__).resolve().parent if folder is None else folder
    head = _git(folder, "rev-parse", "--short", "HEAD")
    if not head:
        return ""
    top = Path(_git(folder, "rev-parse", "--show-toplevel"))
    return head + ("+" if _git(top, "status", "--porcelain", "--", "src") else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
