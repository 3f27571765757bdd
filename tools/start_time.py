"""CPU seconds until a program is there: imports and a small run, one beside the other.

    python tools/start_time.py [TIMES]

Each is run TIMES times (5), in turn; the least is printed, and as a multiple of ``import pandas``.
"""

import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROGRAMS = {
    "python": ["-c", ""],
    "import numpy": ["-c", "import numpy"],
    "import pandas": ["-c", "import pandas"],
    "import sklearn.base": ["-c", "import sklearn.base"],
    "import nri": ["-c", "import nri"],
    "from nri import NRIClassifier": ["-c", "from nri import NRIClassifier"],
    "nri --help": ["-m", "nri", "--help"],
    "nri induce visits.csv": ["-m", "nri", "induce", "docs/examples/visits.csv", "--target", "flu"],
}


def cpu_seconds(arguments: list[str]) -> float:
    """Return the seconds of processor that a run of Python takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print a table."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rounds = [{name: cpu_seconds(program) for name, program in PROGRAMS.items()} for _ in range(times)]
    least = {name: min(seconds[name] for seconds in rounds) for name in PROGRAMS}
    for name, seconds in least.items():
        print(f"{name:32} {seconds:6.2f} s {seconds / least['import pandas']:6.2f} x import pandas")


if __name__ == "__main__":
    main()
