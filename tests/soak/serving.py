"""The real server in a process of its own, whose memory and leavings are watched."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path


def tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue
            below.setdefault(parent, []).append(int(folder.name))
    found = [pid]
    for one in found:
        found.extend(below.get(one, []))
    return found


def memory(pid: int) -> int:
    """Return the resident bytes of a process and all below it."""
    total = 0
    for one in tree(pid):
        try:
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            continue
    return total


class Server:
    """``nri serve`` on a port, with a folder for temporary files that must stay empty."""

    def __init__(self, port: int, folder: Path, model: str) -> None:
        self.port, self.folder, self.model = port, folder, model
        self.most_memory = 0
        self.starts = 0
        self.said = ""
        self._watching = threading.Event()
        self._start()
        threading.Thread(target=self._watch, daemon=True).start()

    def _start(self) -> None:
        code = (
            "from nri.cli.app import main; "
            f"main(['serve', '--no-browser', '--port', '{self.port}', '--model', '{self.model}'])"
        )
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        self.log = self.folder.with_suffix(".log").open("a+")
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stderr=self.log, stdout=self.log, env=environment
        )
        self.starts += 1

    @property
    def key(self) -> str:
        """The key in the URL that it printed last; empty before it did."""
        printed = re.findall(r"/\?key=(\S+)", self.folder.with_suffix(".log").read_text())
        return printed[-1] if len(printed) == self.starts else ""

    def kill(self) -> None:
        """End it as the system would when memory is short: at once, without a chance to tidy up."""
        self.process.kill()
        self.process.wait()

    def start_again(self) -> None:
        """Start it on the same port, as a person would."""
        self.log.close()
        self._start()

    def end(self) -> tuple[int, list[str]]:
        """Interrupt it, and return how it ended and which files it left."""
        self._watching.set()
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(30)
        self.log.seek(0)
        self.said = self.log.read()
        self.log.close()
        return code, sorted(path.name for path in self.folder.iterdir())

    def _watch(self) -> None:
        while not self._watching.wait(0.25):
            self.most_memory = max(self.most_memory, memory(self.process.pid))
            time.sleep(0)
