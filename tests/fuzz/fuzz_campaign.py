"""The campaign: ``make fuzz MINUTES=60``. Every part for its share of the time, in processes of their own.

Prints one line of counts for each part and one for all: tried, ok, refused, foreign, hung, different. What was
found goes to build/fuzz/. Exits with 1 if there is any finding.
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "helpers")]

from fuzz_commands import commands  # noqa: E402
from fuzz_commands import run as run_command  # noqa: E402
from fuzz_exports import execute, exports  # noqa: E402
from fuzz_files import (  # noqa: E402
    damaged_rules,
    damaged_tables,
    damaged_weights,
    read_rule,
    read_table,
    read_weights,
)
from fuzz_fits import fit, move, systems  # noqa: E402
from fuzz_server import requests, send  # noqa: E402
from fuzz_tables import table_cases  # noqa: E402
from fuzz_tally import OUTCOMES, Tally, outcome_of  # noqa: E402
from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: E402

QUIET = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
ROUND = 20


@dataclass(frozen=True)
class Part:
    """What is drawn, what is done with it, and its share of the time."""

    strategy: Any
    run: Any
    share: float


PARTS = {
    "fits": Part(table_cases(), fit, 0.45),
    "systems": Part(systems, move, 0.05),
    "exports": Part(exports, execute, 0.15),
    "tables": Part(damaged_tables, read_table, 0.1),
    "rules": Part(damaged_rules, read_rule, 0.03),
    "weights": Part(damaged_weights, read_weights, 0.04),
    "commands": Part(commands, run_command, 0.15),
    "server": Part(requests, send, 0.03),
}


def one_round(part: Part, number: int, tally: Tally, examples: int = ROUND) -> None:
    """Draw so many cases and count what becomes of them."""

    @seed(number)
    @settings(max_examples=examples, phases=[Phase.generate], **QUIET)
    @given(part.strategy)
    def drive(case: Any) -> None:
        rows: list[int] = []
        outcome, finding = outcome_of(lambda one: rows.append(part.run(one) or 0), case)
        tally.add(outcome, finding)
        if rows and rows[0]:
            tally.counts["rows"] += rows[0]

    drive()


def _work(name: str, first: int, minutes: float, folder: Path) -> None:
    """Do rounds of a part until its time is over; what was counted is written after each."""
    tally, number, end = Tally(), first, time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        (folder / f"{name}-{first}.round").write_text(str(number))
        one_round(PARTS[name], number, tally)
        number += 1
        found = {"counts": dict(tally.counts), "findings": tally.findings[:200]}
        (folder / f"{name}-{first}.json").write_text(json.dumps(found))


def campaign(minutes: float, first: int, names: list[str], folder: Path, jobs: int) -> Tally:
    """Run every part for its share of the minutes; a part whose process dies is a finding and goes on."""
    folder.mkdir(parents=True, exist_ok=True)
    total, shares = Tally(), sum(PARTS[name].share for name in names)
    for name in names:
        end, number, tally = time.monotonic() + 60 * minutes * PARTS[name].share / shares, first, Tally()
        while (left := (end - time.monotonic()) / 60) > 0:
            seeds = [number + 10**6 * job for job in range(jobs)]
            workers = [multiprocessing.Process(target=_work, args=(name, one, left, folder)) for one in seeds]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
            for one, worker in zip(seeds, workers, strict=True):
                _collect(folder / f"{name}-{one}.json", tally)
                if worker.exitcode:
                    at = (folder / f"{name}-{one}.round").read_text()
                    tally.add("foreign", f"the process died ({worker.exitcode}) in round {at} of {name}")
            number += 10**4
        print(tally.line(name), flush=True)
        for outcome, count in tally.counts.items():
            total.counts[outcome] += count
        total.findings += [f"{name}: {finding}" for finding in tally.findings]
    return total


def _collect(file: Path, tally: Tally) -> None:
    if file.exists():
        found = json.loads(file.read_text())
        tally.counts.update(found["counts"])
        tally.findings += found["findings"]
        file.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 10**6)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"))
    given_ = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    total = campaign(given_.minutes, given_.seed, given_.parts.split(","), given_.out, given_.jobs)
    (given_.out / "findings.txt").write_text(
        "\n\n".join(total.findings), encoding="utf-8", errors="backslashreplace"
    )
    print(total.line(f"fuzz (seed {given_.seed}, {given_.minutes:g} minutes)"))
    sys.exit(any(total.counts[outcome] for outcome in OUTCOMES[2:]))


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()
